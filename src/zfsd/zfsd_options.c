/* The command line of plumb-zfsd: one row an option. */
#include "zfsd/zfsd_options.h"
#include "zfsd/zfsd_protocol.h"

#include "base/memory.h"
#include "setting/setting.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum option_type { OPTION_TEXT, OPTION_SIZE, OPTION_COUNT, OPTION_FLAG };

struct option_row {
	const char *name;
	enum option_type type;
	size_t place;
	int64_t min, max; /* counts */
	const char *help;
};

#define PLACE(member) offsetof(struct daemon_options, member)

static const struct option_row rows[] = {
	{ "socket", OPTION_TEXT, PLACE(socket_path), 0, 0, "PATH of the admin socket" },
	{ "log", OPTION_TEXT, PLACE(log_path), 0, 0, "FILE for messages (stderr)" },
	{ "ready-fd", OPTION_COUNT, PLACE(ready_fd), 0, 65535, "FD that is told when we serve" },
	{ "die-with-parent", OPTION_FLAG, PLACE(die_with_parent), 0, 0,
		"end when the parent process ends" },
	{ "arc-max", OPTION_SIZE, PLACE(kernel.arc_max_bytes), 0, 0, "SIZE of the cache (256M)" },
	{ "arc-min", OPTION_SIZE, PLACE(kernel.arc_min_bytes), 0, 0,
		"SIZE it keeps at least (arc-max / 2)" },
	{ "dirty-data-max", OPTION_SIZE, PLACE(kernel.dirty_data_max_bytes), 0, 0,
		"SIZE of unwritten data at most (arc-max / 4)" },
	{ "txg-timeout", OPTION_COUNT, PLACE(kernel.txg_timeout_s), 1, 3600,
		"SECONDS after which a transaction group is closed (5)" },
	{ "workers", OPTION_COUNT, PLACE(workers), 2, 4096, "N threads a mount at most (64)" },
	{ "suspend-timeout", OPTION_COUNT, PLACE(suspend_timeout_s), 1, 25,
		"SECONDS a pool may stay suspended (20)" },
	{ "no-cache-flush", OPTION_FLAG, PLACE(kernel.no_cache_flush), 0, 0,
		"never flush devices (control of power-cut tests)" },
	{ "no-io-uring", OPTION_FLAG, PLACE(no_ring), 0, 0,
		"read requests from /dev/fuse, whatever the kernel offers" },
	{ "proof", OPTION_TEXT, PLACE(proof_folder), 0, 0,
		"FOLDER of the library's passed self-tests (zfsd/ in plumb's cache)" },
	{ "self-test", OPTION_TEXT, PLACE(self_test_folder), 0, 0,
		"FOLDER to test this library in, then end" },
};

static const struct option_row *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	}
	return NULL;
}

static int set_count(const struct option_row *row, void *place, const char *text, struct err *err)
{
	int64_t value;

	if (integer_parse(text, &value) < 0 || value < row->min || value > row->max)
		return err_set(err, -EINVAL, "--%s: '%s' is not a number from %lld to %lld",
			row->name, text, (long long)row->min, (long long)row->max);
	*(uint32_t *)place = (uint32_t)value;
	return 0;
}

static int set_value(struct daemon_options *options, const struct option_row *row, const char *text,
	struct err *err)
{
	void *place = (char *)options + row->place;

	switch (row->type) {
	case OPTION_TEXT:
		free(*(char **)place);
		*(char **)place = memory_copy_string(text);
		return 0;
	case OPTION_SIZE:
		if (size_parse(text, place) < 0)
			return err_set(err, -EINVAL, "--%s: '%s' is not a size", row->name, text);
		return 0;
	case OPTION_COUNT:
		return set_count(row, place, text, err);
	default:
		*(bool *)place = true;
		return 0;
	}
}

static void add_help(struct strbuf *text)
{
	strbuf_add_format(text, "usage: %s --socket PATH [option ...]\n\n", ZFSD_PROGRAM);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		strbuf_add_format(text, "  --%-18s %s\n", rows[i].name, rows[i].help);
	strbuf_add_format(text, "  --%-18s %s\n", "version", "the versions of program and library");
}

static int add_version(struct strbuf *text, struct err *err)
{
	struct kernel_library library;
	int r = kernel_check_library(&library, err);

	if (r == 0)
		strbuf_add_format(text, "%s %s, OpenZFS %s" ZFSD_VERSION_HASH "%s\n", ZFSD_PROGRAM,
			PLUMB_VERSION, library.version, library.hash);
	return r;
}

static int check(struct daemon_options *options, struct err *err)
{
	if (!options->socket_path && !options->self_test_folder)
		return err_set(err, -EINVAL, "--socket is missing");
	return kernel_options_check(&options->kernel, err);
}

int zfsd_options_parse(
	int argc, char **argv, struct daemon_options *options, struct strbuf *text, struct err *err)
{
	int r = 0;

	memset(options, 0, sizeof(*options));
	options->ready_fd = -1;
	options->workers = 64;
	options->suspend_timeout_s = 20;
	for (int i = 1; r == 0 && i < argc; i++) {
		const char *name = argv[i];
		const struct option_row *row;

		if (strcmp(name, "--version") == 0)
			return add_version(text, err);
		if (strcmp(name, "--help") == 0) {
			add_help(text);
			return 0;
		}
		row = strncmp(name, "--", 2) == 0 ? find(name + 2) : NULL;
		if (!row)
			r = err_set(err, -EINVAL, "there is no option '%s'", name);
		else if (row->type != OPTION_FLAG && i + 1 == argc)
			r = err_set(err, -EINVAL, "%s needs a value", name);
		else
			r = set_value(
				options, row, row->type == OPTION_FLAG ? NULL : argv[++i], err);
	}
	return r < 0 ? r : check(options, err);
}

void zfsd_options_release(struct daemon_options *options)
{
	free(options->socket_path);
	free(options->log_path);
	free(options->self_test_folder);
	free(options->proof_folder);
}
