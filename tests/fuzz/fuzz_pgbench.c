/* pgbench's own output: log lines, summary, progress, load times. Nothing may be read past its end,
 * and what is counted must add up. */
#include "fuzz.h"

#include "base/memory.h"
#include "workload/pgbench_log.h"

#include <stdlib.h>

static void count_part(void *context, const char *part, double seconds)
{
	(void)seconds;
	if (part[0] != '\0')
		++*(size_t *)context;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = memory_copy_bytes((const char *)data, size);
	struct pgbench_summary summary;
	struct pgbench_log log;
	uint64_t in_seconds = 0;
	size_t parts = 0;
	double tps;

	pgbench_log_init(&log, 1700000000);
	pgbench_log_add(&log, text, size);
	for (size_t i = 0; i < log.second_count; i++)
		in_seconds += log.seconds[i].count;
	if (in_seconds > log.count)
		abort();
	pgbench_log_sort(&log);
	for (size_t i = 1; i < log.count; i++)
		if (log.latencies_us[i - 1] > log.latencies_us[i])
			abort();
	(void)pgbench_log_quantile_us(&log, 0.5);
	pgbench_log_release(&log);
	pgbench_summary_parse(text, &summary);
	(void)pgbench_progress_parse(text, &tps);
	(void)pgbench_init_parse(text, count_part, &parts);
	free(text);
	return 0;
}
