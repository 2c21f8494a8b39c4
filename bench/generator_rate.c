/*
 * Rate of the analytic generator on one core: the rows of a scale, written to a file (/dev/null).
 *
 *	generator_rate SCALE FILE [text]
 *
 * Prints megabytes a second (10^6 bytes).
 */
#include "base/clock.h"
#include "base/macros.h"
#include "workload/analytic/analytic_generator.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int write_block(void *context, const char *bytes, size_t length)
{
	const int *fd = context;

	return write(*fd, bytes, length) == (ssize_t)length ? 0 : -EIO;
}

int main(int argc, char **argv)
{
	struct analytic_checksum sum = { 0, 0, 0 };
	struct analytic_generator generator;
	struct clock *clock = clock_system();
	int64_t start_ns;
	int fd;

	if (argc < 3 || (fd = open(argv[2], O_WRONLY)) < 0)
		return 1;
	analytic_generator_init(
		&generator, strtod(argv[1], NULL), argc > 3 && strcmp(argv[3], "text") == 0);
	start_ns = clock->now_ns(clock);
	for (int table = 0; table < ANALYTIC_TABLES; table++) {
		struct analytic_chunk all = { table, 0, generator.units[table] };

		if (analytic_generate(&generator, &all, write_block, &fd, &sum) < 0)
			return 1;
	}
	printf("%.1f\n",
		(double)sum.bytes / 1e6 / ((double)(clock->now_ns(clock) - start_ns) / NS_PER_S));
	close(fd);
	return 0;
}
