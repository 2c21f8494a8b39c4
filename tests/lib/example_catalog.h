/* A small catalog for tests of the pure flow: the core rows and two filesystems' and a workload's.
 */
#ifndef TESTS_EXAMPLE_CATALOG_H
#define TESTS_EXAMPLE_CATALOG_H

#include "study/study.h"

static const struct setting example_rows[] = {
	{ .section = "filesystem",
		.key = "recordsize",
		.types = "zfs",
		.type = SETTING_SIZE,
		.min = 512,
		.max = 1 << 24,
		.power_of_two = true,
		.fallback = "128K",
		.reload = true,
		.help = "largest block of a file" },
	{ .section = "filesystem",
		.key = "fs_block_size",
		.types = "ext4 xfs",
		.type = SETTING_SIZE,
		.min = 512,
		.max = 65536,
		.power_of_two = true,
		.fallback = "4K",
		.reload = true,
		.help = "block of the filesystem" },
	{ .section = "workload",
		.key = "scale",
		.types = "pgbench",
		.type = SETTING_INTEGER,
		.min = 1,
		.max = 1000000,
		.fallback = "10",
		.reload = true,
		.help = "scale" },
	{ .section = "workload",
		.key = "clients",
		.types = "pgbench",
		.type = SETTING_INTEGER,
		.min = 1,
		.max = 10000,
		.fallback = "1",
		.help = "clients" },
	{ .section = "workload",
		.key = "builtin",
		.types = "pgbench",
		.type = SETTING_WORD,
		.words = "tpcb-like simple-update select-only",
		.fallback = "tpcb-like",
		.help = "script" },
	{ .section = "workload",
		.key = "fake_tps",
		.types = "fake",
		.type = SETTING_INTEGER,
		.min = 0,
		.max = 1000,
		.fallback = "100",
		.help = "rate of the fake workload" },
	{ 0 },
};
static const struct setting *const example_tables[] = { study_settings, example_rows, NULL };
static const struct setting_catalog example_catalog = { example_tables };

#endif
