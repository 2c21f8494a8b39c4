/*
 * Runs a command with its output thrown away and prints "SECONDS PEAK_BYTES USER_SECONDS": its wall
 * time, its largest resident memory, its CPU time.
 *
 * usage: command_usage COMMAND [ARGUMENT...]
 */
#include "base/clock.h"
#include "base/subprocess.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	struct subprocess_options options = { .arguments = (const char *const *)(argv + 1),
		.error_fd = 2 };
	struct clock *clock = clock_system();
	int64_t begin_ns = clock->now_ns(clock);
	struct subprocess_usage usage;
	struct subprocess process;
	struct err err = ERR_INIT;
	int status;

	if (argc < 2)
		return 1;
	if (subprocess_start(&options, &process, &err) < 0) {
		fprintf(stderr, "%s\n", err.message);
		return 1;
	}
	subprocess_wait(&process, -1, &status, &usage);
	printf("%.6f %lld %.6f\n", (double)(clock->now_ns(clock) - begin_ns) / NS_PER_S,
		(long long)usage.max_rss_bytes,
		(double)(usage.user_ns + usage.system_ns) / NS_PER_S);
	return status ? 1 : 0;
}
