/* The pgbench driver's rows, and what of a cell can be checked before anything is touched. */
#include "workload/pgbench_internal.h"

#include "base/memory.h"
#include "base/near.h"
#include "workload/scripts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MB (1024.0 * 1024)
/* pgbench -i at 8K pages makes 15 MB of heap and index for a unit of scale (pgbench(1): "-s"). */
#define BYTES_PER_SCALE (15.0 * MB)

uint64_t pgbench_expected_bytes(const struct settings *settings)
{
	double scale = settings_real(settings, "workload.scale", 1);
	double fillfactor = settings_real(settings, "workload.fillfactor", 100);

	return (uint64_t)(scale * BYTES_PER_SCALE * 100 / fillfactor);
}

/* "a.sql@3 'b.sql'": each file must be there. */
static int check_scripts(const char *scripts, struct err *err)
{
	char *copy = memory_copy_string(scripts);
	char *rest = copy, *script;
	int r = 0;

	while (r == 0 && (script = strsep(&rest, " "))) {
		char *weight = strrchr(script, '@');

		if (*script == '\0')
			continue;
		if (weight)
			*weight = '\0';
		r = script_check(script, err);
	}
	free(copy);
	return r;
}

/* "tpcb-like@1 select-only@9": known names, whole weights. */
static int check_builtin(const struct setting *setting, const char *text, struct err *err)
{
	static const char *const known[] = { "tpcb-like", "simple-update", "select-only" };
	char *copy = memory_copy_string(text);
	char *rest = copy, *one;
	int r = 0;

	while (r == 0 && (one = strsep(&rest, " "))) {
		char *at = strchr(one, '@');
		int64_t weight = 1;
		const char *near = NULL;
		bool found = false;

		if (at)
			*at = '\0';
		if (at && (integer_parse(at + 1, &weight) < 0 || weight < 0))
			r = err_set(err, -EINVAL, "%s.%s = '%s': a weight is a whole number",
				setting->section, setting->key, text);
		for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
			found |= strcmp(known[i], one) == 0;
			near = near_better(one, near, known[i]);
		}
		if (r == 0 && !found)
			r = err_set(err, -EINVAL,
				"%s.%s = '%s': must be tpcb-like, simple-update or "
				"select-only%s%s%s",
				setting->section, setting->key, text,
				near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	}
	free(copy);
	return r;
}

int pgbench_check_settings(const struct settings *settings, struct err *err)
{
	const char *script = settings_text(settings, "workload.script", NULL);
	const char *init = settings_text(settings, "workload.init_script", NULL);
	const char *type = settings_text(settings, "workload.type", "pgbench");
	int64_t clients = settings_integer(settings, "workload.clients", 1);
	int64_t jobs = settings_integer(settings, "workload.jobs", 0);

	if (strcmp(type, "sql") == 0 && !script)
		return err_set(err, -EINVAL, "workload.type = sql needs workload.script");
	if (jobs > clients)
		return err_set(err, -EINVAL, "workload.jobs = %lld is more than clients = %lld",
			(long long)jobs, (long long)clients);
	if (init && script_check(init, err) < 0)
		return err->code;
	return script ? check_scripts(script, err) : 0;
}

/* Names and plain values: they go into pgbench's and psql's arguments. */
static int check_variables(const struct setting *setting UNUSED, const char *text, struct err *err)
{
	for (const char *at = text; *at; at += strspn(at, " ")) {
		size_t length = strcspn(at, " ");
		size_t name = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");

		if (name == 0 || name >= length || at[name] != '=')
			return err_set(err, -EINVAL, "workload.variables: '%.*s' is not NAME=VALUE",
				(int)length, at);
		at += length;
	}
	return 0;
}

const struct setting pgbench_settings[] = {
#define BOTH "pgbench sql"
	{ .section = "workload",
		.key = "builtin",
		.types = "pgbench",
		.type = SETTING_TEXT,
		.fallback = "tpcb-like",
		.check = check_builtin,
		.help = "tpcb-like, simple-update or select-only; weights: 'tpcb-like@1 "
			"select-only@9'" },
	{ .section = "workload",
		.key = "script",
		.types = BOTH,
		.type = SETTING_TEXT,
		.help = "scripts for pgbench, with weights: 'a.sql@3 b.sql@1'; shipped: "
			"documents-read, documents-update" },
	{ .section = "workload",
		.key = "init_script",
		.types = BOTH,
		.type = SETTING_TEXT,
		.reload = true,
		.help = "script that psql runs once at the end of the load; shipped: "
			"documents-load" },
	{ .section = "workload",
		.key = "variables",
		.types = BOTH,
		.type = SETTING_TEXT,
		.check = check_variables,
		.reload = true,
		.help = "variables of the scripts: 'rows=1000 storage=MAIN'" },
	{ .section = "workload",
		.key = "expected_size",
		.types = "sql",
		.type = SETTING_SIZE,
		.min = 1,
		.max = 1LL << 60,
		.use = SETTING_FIXED,
		.help = "bytes of data that init_script makes, for the space check" },
	{ .section = "workload",
		.key = "scale",
		.types = "pgbench",
		.type = SETTING_INTEGER,
		.min = 1,
		.max = 21474,
		.fallback = "10",
		.reload = true,
		.help = "pgbench -s: 100,000 accounts, about 15 MB, a unit" },
	{ .section = "workload",
		.key = "clients",
		.types = BOTH,
		.type = SETTING_INTEGER,
		.min = 1,
		.max = 10000,
		.fallback = "1",
		.help = "pgbench -c" },
	{ .section = "workload",
		.key = "jobs",
		.types = BOTH,
		.type = SETTING_INTEGER,
		.min = 1,
		.max = 1000,
		.help = "pgbench -j; default: clients or CPUs, what is fewer" },
	{ .section = "workload",
		.key = "protocol",
		.types = BOTH,
		.type = SETTING_WORD,
		.words = "simple extended prepared",
		.fallback = "simple",
		.help = "pgbench -M" },
	{ .section = "workload",
		.key = "transactions",
		.types = BOTH,
		.type = SETTING_INTEGER,
		.min = 1,
		.max = INT32_MAX,
		.help = "transactions a client in the window, instead of design.measure" },
	{ .section = "workload",
		.key = "rate",
		.types = BOTH,
		.type = SETTING_REAL,
		.min = 0,
		.max = 10000000,
		.help = "pgbench -R: transactions a second wanted" },
	{ .section = "workload",
		.key = "latency_limit",
		.types = BOTH,
		.type = SETTING_DURATION,
		.min = 1,
		.max = 3600 * NS_PER_S,
		.help = "pgbench -L: count those that took longer" },
	{ .section = "workload",
		.key = "connect",
		.types = BOTH,
		.type = SETTING_BOOLEAN,
		.fallback = "off",
		.help = "pgbench -C: a new connection for each transaction" },
	{ .section = "workload",
		.key = "foreign_keys",
		.types = "pgbench",
		.type = SETTING_BOOLEAN,
		.fallback = "off",
		.reload = true,
		.help = "pgbench -i --foreign-keys" },
	{ .section = "workload",
		.key = "unlogged_tables",
		.types = "pgbench",
		.type = SETTING_BOOLEAN,
		.fallback = "off",
		.reload = true,
		.help = "pgbench -i --unlogged-tables" },
	{ .section = "workload",
		.key = "fillfactor",
		.types = "pgbench",
		.type = SETTING_INTEGER,
		.min = 10,
		.max = 100,
		.fallback = "100",
		.reload = true,
		.help = "pgbench -i -F" },
	{ .section = "workload",
		.key = "partitions",
		.types = "pgbench",
		.type = SETTING_INTEGER,
		.min = 0,
		.max = 10000,
		.fallback = "0",
		.reload = true,
		.help = "pgbench -i --partitions of the accounts table" },
	{ .section = "workload",
		.key = "partition_method",
		.types = "pgbench",
		.type = SETTING_WORD,
		.words = "range hash",
		.fallback = "range",
		.reload = true,
		.help = "pgbench -i --partition-method" },
	{ .section = "workload",
		.key = "init_steps",
		.types = "pgbench",
		.type = SETTING_TEXT,
		.fallback = "dtgvp",
		.reload = true,
		.help = "pgbench -i -I" },
	{ .section = "workload",
		.key = "log",
		.types = BOTH,
		.type = SETTING_BOOLEAN,
		.use = SETTING_FIXED,
		.fallback = "on",
		.help = "keep pgbench's log of each transaction" },
	{ .section = "workload",
		.key = "log_limit",
		.types = BOTH,
		.type = SETTING_SIZE,
		.use = SETTING_FIXED,
		.min = 1 << 20,
		.max = 1LL << 40,
		.fallback = "64M",
		.help = "above this size the log is sampled" },
#undef BOTH
	{ 0 },
};
