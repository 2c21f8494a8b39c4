/* The order of the collectors, and what they share. */
#include "doctor/collect/collect.h"
#include "doctor/collect/collect_internal.h"
#include "doctor/facts.h"
#include "base/file.h"
#include "base/subprocess.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#define TEXT_FILE_MAX_BYTES (256 * 1024)
#define PROGRAM_LIMIT_NS    (10 * NS_PER_S)

bool collect_text(const char *path, struct strbuf *text)
{
	strbuf_clear(text);
	if (file_read_limited(path, TEXT_FILE_MAX_BYTES, text, NULL) < 0)
		return false;
	strbuf_trim(text);
	return true;
}

bool collect_text_at(struct strbuf *text, const char *format, ...)
{
	struct strbuf path = STRBUF_INIT;
	va_list args;

	va_start(args, format);
	strbuf_add_format_args(&path, format, args);
	va_end(args);
	bool found = collect_text(path.data, text);
	strbuf_release(&path);
	return found;
}

bool collect_number(const char *path, double *ret_number)
{
	struct strbuf text = STRBUF_INIT;
	char *end;
	bool found = collect_text(path, &text);

	if (found) {
		double number = strtod(text.data, &end);
		found = end != text.data && *end == '\0';
		if (found)
			*ret_number = number;
	}
	strbuf_release(&text);
	return found;
}

bool collect_program(struct collector *collector, const char *unseen, const char *const *arguments,
	struct strbuf *output)
{
	static const char *const environment[] = { "LC_ALL=C", NULL };
	struct subprocess_options options = { .arguments = arguments, .environment = environment };
	struct err err = ERR_INIT;

	if (subprocess_run(&options, PROGRAM_LIMIT_NS, output, NULL, &err) == 0)
		return true;
	facts_unseen(collector->facts, unseen, "%.300s", err.message);
	return false;
}

static void add_origin(struct collector *collector)
{
	time_t now =
		(time_t)(collector->options->clock->utc_ns(collector->options->clock) / NS_PER_S);
	struct tm utc;
	char text[32];

	gmtime_r(&now, &utc);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
	facts_put_text(collector->facts, "collected_utc", text);
	facts_put_text(collector->facts, "program", "plumb " PLUMB_VERSION);
}

/* Two snapshots of all counters, options->seconds apart. */
static void take_ledger(struct collector *collector)
{
	struct clock *clock = collector->options->clock;
	int seconds = collector->options->seconds;

	if (seconds <= 0) {
		facts_unseen(collector->facts, "ledger",
			"needs a look at the counters over time: --seconds N");
		return;
	}
	int64_t begin = clock->now_ns(clock);
	collect_statistics(collector, "ledger.begin");
	collect_counters(collector, "ledger.begin");
	int64_t until = begin + (int64_t)seconds * NS_PER_S;
	while (clock->now_ns(clock) < until)
		clock->sleep_until(clock, until);
	collect_statistics(collector, "ledger.end");
	collect_counters(collector, "ledger.end");
	facts_put_number(collector->facts, "ledger.seconds",
		(double)(clock->now_ns(clock) - begin) / NS_PER_S);
}

/* The machine's part; nothing of it is about a server that runs elsewhere. */
static void collect_machine(struct collector *collector)
{
	static const char *const parts[] = { "locations", "mounts", "zfs", "devices", "memory",
		"host" };

	if (collector->elsewhere) {
		for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
			facts_unseen(collector->facts, parts[i],
				"the server runs on another machine: run plumb doctor --collect "
				"there");
		return;
	}
	collect_locations(collector);
	collect_mounts(collector);
	collect_zfs(collector);
	collect_zfsd(collector);
	collect_devices(collector);
	collect_host(collector);
	collect_memory(collector);
}

int collect_facts(const struct collect_options *options, json_t **ret_facts, struct err *err)
{
	struct collector collector = { .options = options, .facts = facts_new("collected") };
	struct err connect_err = ERR_INIT;
	int r = options->connection ? collect_connect(&collector, &connect_err) : -ENOENT;

	if (r < 0 && !options->data_directory) {
		json_decref(collector.facts);
		return err_hint(err, err_set(err, r, "%s", connect_err.message),
			"name the server with --connection, or look at a stopped one with "
			"--data-directory DIR");
	}
	add_origin(&collector);
	if (r == 0)
		collect_server(&collector);
	else if (options->connection)
		facts_unseen(collector.facts, "postgres", "%s", connect_err.message);
	if (r < 0)
		collect_data_directory(&collector, options->data_directory);
	else if (options->data_directory)
		facts_put_text(collector.facts, "postgres.data_directory", options->data_directory);
	collect_machine(&collector);
	take_ledger(&collector);
	collect_disconnect(&collector);
	*ret_facts = collector.facts;
	return 0;
}
