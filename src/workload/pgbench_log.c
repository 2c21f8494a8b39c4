/* Reading what pgbench writes (see pgbench_log.h). */
#include "workload/pgbench_log.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void pgbench_log_init(struct pgbench_log *log, int64_t base_s)
{
	*log = (struct pgbench_log){ .base_s = base_s };
}

void pgbench_log_release(struct pgbench_log *log)
{
	free(log->latencies_us);
	free(log->seconds);
	pgbench_log_init(log, 0);
}

/* Whole numbers separated by single spaces; NULL when there is none here. */
static const char *take_number(const char *at, const char *end, uint64_t *ret_value)
{
	uint64_t value = 0;
	const char *start = at;

	while (at < end && *at >= '0' && *at <= '9')
		value = value * 10 + (uint64_t)(*at++ - '0');
	if (at == start || at - start > 18)
		return NULL;
	*ret_value = value;
	return at < end && *at == ' ' ? at + 1 : at;
}

static void add_second(struct pgbench_log *log, int64_t second, uint32_t latency_us)
{
	size_t at;

	if (second < log->base_s || second - log->base_s >= PGBENCH_SECONDS_MAX)
		return;
	at = (size_t)(second - log->base_s);
	if (at >= log->second_count) {
		size_t count = MAX(at + 1, log->second_count * 2);

		log->seconds = memory_resize(log->seconds, count, sizeof(*log->seconds));
		memset(log->seconds + log->second_count, 0,
			(count - log->second_count) * sizeof(*log->seconds));
		log->second_count = count;
	}
	log->seconds[at].count++;
	log->seconds[at].sum_us += latency_us;
}

static void add_transaction(struct pgbench_log *log, uint64_t latency_us, int64_t second)
{
	uint32_t latency = (uint32_t)MIN(latency_us, (uint64_t)UINT32_MAX);

	if (log->count == log->size) {
		log->size = log->size ? log->size * 2 : 65536;
		log->latencies_us =
			memory_resize(log->latencies_us, log->size, sizeof(*log->latencies_us));
	}
	log->latencies_us[log->count++] = latency;
	log->sum_us += latency;
	log->sum_squares_us += (double)latency * latency;
	add_second(log, second, latency);
}

/* client_id transaction_no time script_no time_epoch time_us [schedule_lag] [retries], where time
 * is a latency in us, or "skipped", or "failed" and its kinds. */
static void add_line(struct pgbench_log *log, const char *at, const char *end)
{
	uint64_t client, number, latency = 0, script, epoch, epoch_us, lag, retries;
	const char *outcome;

	at = take_number(at, end, &client);
	at = at ? take_number(at, end, &number) : NULL;
	if (!at) {
		log->bad_lines++;
		return;
	}
	outcome = at;
	at = take_number(at, end, &latency);
	if (!at) {
		at = memchr(outcome, ' ', (size_t)(end - outcome));
		at = at ? at + 1 : NULL;
	}
	at = at ? take_number(at, end, &script) : NULL;
	at = at ? take_number(at, end, &epoch) : NULL;
	at = at ? take_number(at, end, &epoch_us) : NULL;
	if (!at) {
		log->bad_lines++;
		return;
	}
	if (*outcome >= '0' && *outcome <= '9')
		add_transaction(log, latency, (int64_t)epoch);
	else if (*outcome == 's')
		log->skipped++;
	else
		log->failed++;
	at = at < end ? take_number(at, end, &lag) : NULL;
	if (at)
		log->sum_lag_us += (double)lag;
	if (at && at < end && take_number(at, end, &retries))
		log->retries += retries;
}

void pgbench_log_add(struct pgbench_log *log, const char *text, size_t length)
{
	const char *end = text + length;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));

		if (!newline)
			return; /* cut off when pgbench was stopped */
		if (newline > text)
			add_line(log, text, newline);
		text = newline + 1;
	}
}

int pgbench_log_add_file(struct pgbench_log *log, const char *path, struct err *err)
{
	size_t room = 1 << 20, have = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *block;
	ssize_t got;

	if (fd < 0)
		return err_set_errno(err, -errno, "cannot open '%s'", path);
	block = memory_new(room);
	while ((got = read(fd, block + have, room - have)) > 0) {
		const char *newline;
		size_t whole;

		have += (size_t)got;
		newline = memrchr(block, '\n', have);
		whole = newline ? (size_t)(newline + 1 - block) : 0;
		pgbench_log_add(log, block, whole);
		if (whole == 0 && have == room)
			have = 0; /* a megabyte without a line: not a log of pgbench's */
		memmove(block, block + whole, have - MIN(whole, have));
		have -= MIN(whole, have);
	}
	free(block);
	close(fd);
	return got < 0 ? err_set_errno(err, -errno, "cannot read '%s'", path) : 0;
}

/* Radix sort, two passes of 16 bits: a million values in some 10 ms, which matters because the
 * time counts as plumb's own overhead. */
void pgbench_log_sort(struct pgbench_log *log)
{
	uint32_t *other = memory_new_array(log->count, sizeof(*other));
	size_t *starts = memory_new_array(65537, sizeof(*starts));

	for (int shift = 0; shift < 32; shift += 16) {
		uint32_t *swap;

		memset(starts, 0, 65537 * sizeof(*starts));
		for (size_t i = 0; i < log->count; i++)
			starts[((log->latencies_us[i] >> shift) & 0xffff) + 1]++;
		for (size_t i = 0; i < 65536; i++)
			starts[i + 1] += starts[i];
		for (size_t i = 0; i < log->count; i++) {
			uint32_t value = log->latencies_us[i];

			other[starts[(value >> shift) & 0xffff]++] = value;
		}
		swap = log->latencies_us;
		log->latencies_us = other;
		other = swap;
	}
	/* Two passes: the sorted values are back in the first array, of the old size. */
	free(other);
	free(starts);
}

double pgbench_log_quantile_us(const struct pgbench_log *log, double p)
{
	size_t rank;

	if (log->count == 0)
		return 0;
	rank = (size_t)(p * (double)log->count);
	if ((double)rank < p * (double)log->count)
		rank++;
	return log->latencies_us[MIN(MAX(rank, (size_t)1), log->count) - 1];
}

/* Number after the first line that begins with label; negative when there is none. */
static double find_number(const char *text, const char *label)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, label, strlen(label)) == 0)
			return strtod(line + strlen(label), NULL);
	}
	return -1;
}

void pgbench_summary_parse(const char *text, struct pgbench_summary *ret_summary)
{
	/* Up to 13 there are two lines: "including" and "excluding connections establishing". */
	const char *excluding = strstr(text, "(excluding connections establishing)");
	struct pgbench_summary summary = { .tps = find_number(text, "tps = ") };

	while (excluding && excluding > text && excluding[-1] != '\n')
		excluding--;
	if (excluding)
		summary.tps = find_number(excluding, "tps = ");
	summary.has_tps = summary.tps >= 0;
	summary.transactions = find_number(text, "number of transactions actually processed: ");
	summary.failed = MAX(find_number(text, "number of failed transactions: "), 0);
	summary.retried = MAX(find_number(text, "number of transactions retried: "), 0);
	summary.skipped = MAX(find_number(text, "number of transactions skipped: "), 0);
	summary.latency_mean_ms = find_number(text, "latency average = ");
	summary.latency_stddev_ms = find_number(text, "latency stddev = ");
	summary.lag_mean_ms = find_number(text, "rate limit schedule lag: avg ");
	summary.connection_ms = find_number(text, "initial connection time = ");
	*ret_summary = summary;
}

bool pgbench_progress_parse(const char *line, double *ret_tps)
{
	double seconds, tps;

	if (sscanf(line, "progress: %lf s, %lf tps", &seconds, &tps) != 2)
		return false;
	*ret_tps = tps;
	return true;
}

double pgbench_init_parse(const char *text,
	void (*visit)(void *context, const char *part, double seconds), void *context)
{
	const char *done = strstr(text, "done in ");
	double total;
	char *at;

	if (!done)
		return -1;
	total = strtod(done + strlen("done in "), &at);
	at = strchr(at, '(');
	while (at && *at && *at != ')') {
		char part[64];
		size_t length = 0;

		at += strspn(at, "(, ");
		while (at[length] &&
			!(at[length] == ' ' && at[length + 1] >= '0' && at[length + 1] <= '9') &&
			at[length] != ')')
			length++;
		if (at[length] != ' ' || length >= sizeof(part))
			break;
		memcpy(part, at, length);
		part[length] = '\0';
		visit(context, part, strtod(at + length, &at));
		at = strpbrk(at, ",)");
	}
	return total;
}
