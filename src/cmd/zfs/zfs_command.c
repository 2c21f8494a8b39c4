/* plumb zfs: the words of zpool(8) and zfs(8) on pools of the embedded OpenZFS. */
#include "cmd/command.h"
#include "cmd/zfs/zfs_internal.h"

#include "base/near.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

/* One row a subcommand: its options as for getopt(3), how many arguments it takes (-1: any). */
static const struct subcommand {
	const char *name;
	int (*run)(struct zfs_session *session, struct zfs_options *options, struct err *err);
	const char *letters;
	int least, most;
	bool starts; /* begins a daemon when none runs */
	const char *usage, *help;
} subcommands[] = {
	{ "create", zfs_create, "fo:O:m:pjA:X:", 1, -1, true,
		"[-f] [-o POOL_PROPERTY=V] [-O PROPERTY=V] [-m MOUNTPOINT] [-A ARC_MAX] "
		"[--destroy DISK] ... POOL [VDEV] DEVICE ...\n              | [-p] [-o PROPERTY=V] "
		"POOL/DATASET",
		"make a pool (stripe, mirror, raidz1-3, log) or a dataset; a block device is taken "
		"only\n            with --destroy DISK, which gives up what is on it" },
	{ "import", zfs_import, "Dfd:jA:", 0, 1, true, "[-Df] -d DEVICE|FOLDER ... [POOL]",
		"take a pool into use (-D: one that was destroyed)" },
	{ "export", zfs_export, "f", 1, 1, false, "[-f] POOL", "give a pool back" },
	{ "destroy", zfs_destroy, "fr", 1, 1, false, "[-fr] NAME",
		"remove a pool, dataset or snapshot" },
	{ "list", zfs_list, "Hpjro:t:", 0, 1, false,
		"[-Hpjr] [-o COLUMN,...] [-t pool|filesystem|snapshot|all] [NAME]",
		"list pools, datasets, snapshots" },
	{ "get", zfs_get, "Hpjo:", 2, -1, false, "[-Hpj] [-o FIELD,...] all|PROPERTY,... NAME ...",
		"read properties" },
	{ "set", zfs_set, "", 2, -1, false, "PROPERTY=VALUE ... NAME", "change properties" },
	{ "status", zfs_status, "j", 0, 1, false, "[-j] [POOL]", "health of pools" },
	{ "iostat", zfs_iostat, "Hpj", 0, 3, false, "[-Hpj] [POOL] [INTERVAL [COUNT]]",
		"operations and bytes of pools" },
	{ "scrub", zfs_scrub, "sw", 1, 1, false, "[-s | -w] POOL",
		"check all blocks (-s stop, -w wait for the end)" },
	{ "snapshot", zfs_snapshot, "r", 1, 1, false, "[-r] DATASET@SNAPSHOT", "make a snapshot" },
	{ "rollback", zfs_rollback, "r", 1, 1, false, "[-r] DATASET@SNAPSHOT",
		"go back to a snapshot (-r: remove newer ones)" },
	{ "mount", zfs_mount, "Hjc", 0, 2, false, "[-c] [DATASET MOUNTPOINT]",
		"mount a dataset (-c: with the page cache), or list mounts" },
	{ "unmount", zfs_unmount, "f", 1, 1, false, "[-f] DATASET|MOUNTPOINT", "unmount" },
};

static int add_property(json_t *properties, const char *text, struct err *err)
{
	const char *equals = strchr(text, '=');
	char name[128];

	if (!equals || equals == text || (size_t)(equals - text) >= sizeof(name))
		return err_set(err, -EINVAL, "'%s' is not PROPERTY=VALUE", text);
	memcpy(name, text, (size_t)(equals - text));
	name[equals - text] = '\0';
	json_object_set_new(properties, name, json_string(equals + 1));
	return 0;
}

static int take_option(
	const struct subcommand *row, struct zfs_options *options, int letter, struct err *err)
{
	switch (letter) {
	case 'H':
		options->scripted = true;
		return 0;
	case 'p':
		options->parsable = options->parents = true;
		return 0;
	case 'j':
		options->json = true;
		return 0;
	case 'f':
		options->force = true;
		return 0;
	case 'r':
		options->recursive = true;
		return 0;
	case 's':
		options->stop = true;
		return 0;
	case 'w':
		options->wait = true;
		return 0;
	case 'c':
		options->cached = true;
		return 0;
	case 't':
		options->type = optarg;
		return 0;
	case 'm':
		options->mountpoint = optarg;
		return 0;
	case 'A':
		options->arc_max = optarg;
		return 0;
	case 'O':
		return add_property(options->dataset_properties, optarg, err);
	case 'D':
		options->destroyed = true;
		return 0;
	case 'X':
		json_array_append_new(options->destroy, json_string(optarg));
		return 0;
	case 'd':
		json_array_append_new(options->devices, json_string(optarg));
		return 0;
	case 'o':
		if (row->run == zfs_list || row->run == zfs_get) {
			options->columns = optarg;
			return 0;
		}
		return add_property(options->properties, optarg, err);
	default:
		return err_set(err, -EINVAL, "option '-%c'", letter);
	}
}

static int parse(const struct subcommand *row, int argc, char **argv, struct zfs_options *options,
	struct err *err)
{
	static const struct option with_destroy[] = { { "destroy", required_argument, NULL, 'X' },
		{ 0 } };
	const struct option *long_options = with_destroy + (strchr(row->letters, 'X') ? 0 : 1);
	int letter, r = 0;

	optind = 0; /* GNU: start anew, permute */
	opterr = 0;
	while (r == 0 &&
		(letter = getopt_long(argc, argv, row->letters, long_options, NULL)) != -1) {
		if (letter == '?') {
			if (optopt)
				err_set(err, -EINVAL, "option '-%c' is unknown or lacks its value",
					optopt);
			else
				err_set(err, -EINVAL, "option '%s' is unknown", argv[optind - 1]);
			return err_hint(err, -EINVAL, "plumb zfs %s %s", row->name, row->usage);
		}
		r = take_option(row, options, letter, err);
	}
	options->arguments = argv + optind;
	options->argument_count = argc - optind;
	if (r == 0 && (options->argument_count < row->least ||
			      (row->most >= 0 && options->argument_count > row->most))) {
		err_set(err, -EINVAL, "wrong number of arguments");
		r = err_hint(err, -EINVAL, "plumb zfs %s %s", row->name, row->usage);
	}
	return r;
}

static int run_row(const struct subcommand *row, int argc, char **argv, struct err *err)
{
	struct arena arena = ARENA_INIT;
	struct zfs_session session = { 0 };
	struct zfs_options options = { .properties = json_object(),
		.dataset_properties = json_object(),
		.devices = json_array(),
		.destroy = json_array(),
		.arena = &arena };
	int r = parse(row, argc, argv, &options, err);

	if (r == 0 && row->starts)
		r = zfsd_check(err);
	if (r == 0)
		r = zfs_session_open(&session, row->starts, &options, err);
	/* Nothing to list is an answer, not a failure, as with zpool. */
	if (r == -ENOENT &&
		(row->run == zfs_list || row->run == zfs_status || row->run == zfs_mount) &&
		options.argument_count == 0) {
		err_clear(err);
		fputs(options.scripted || options.json ? "" : "no pools available\n", stderr);
		r = 0;
	} else if (r == 0) {
		r = row->run(&session, &options, err);
	}
	zfs_session_close(&session);
	json_decref(options.properties);
	json_decref(options.dataset_properties);
	json_decref(options.devices);
	json_decref(options.destroy);
	arena_release(&arena);
	return r;
}

static const struct subcommand *find(const char *name, const char **ret_near)
{
	*ret_near = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(subcommands); i++) {
		if (strcmp(subcommands[i].name, name) == 0)
			return &subcommands[i];
		*ret_near = near_better(name, *ret_near, subcommands[i].name);
	}
	return NULL;
}

static void print_help(FILE *file)
{
	fputs("usage: plumb zfs SUBCOMMAND ...\n\nThe words of zpool(8) and zfs(8) on pools of the "
	      "embedded OpenZFS.\n\n",
		file);
	for (size_t i = 0; i < ARRAY_SIZE(subcommands); i++)
		fprintf(file, "  %-9s %s\n            %s\n", subcommands[i].name,
			subcommands[i].usage, subcommands[i].help);
	fputs("\n-H no head, tabs; -p exact numbers; -j JSON. A DEVICE is a file, a block device "
	      "or a\n"
	      "device specification such as 'file:path=/x/a,size=48G;model=ebs-gp3'.\n",
		file);
}

static int zfs_run(const struct command *command, int argc, char **argv)
{
	const struct subcommand *row;
	struct err err = ERR_INIT;
	const char *near;

	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_help(stdout);
		return EXIT_DONE;
	}
	row = find(argv[1], &near);
	if (!row) {
		err_set(&err, -EINVAL, "no subcommand '%s'", argv[1]);
		if (near)
			err_hint(&err, -EINVAL, "did you mean '%s'?", near);
		return command_fail(command, &err, EXIT_USAGE);
	}
	if (argc > 2 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0)) {
		printf("usage: plumb zfs %s %s\n\n%s\n", row->name, row->usage, row->help);
		return EXIT_DONE;
	}
	if (run_row(row, argc - 1, argv + 1, &err) < 0)
		return command_fail(command, &err, EXIT_USAGE);
	return EXIT_DONE;
}

const struct command zfs_command = {
	.name = "zfs",
	.run = zfs_run,
	.arguments = "SUBCOMMAND ...",
	.summary = "pools of the embedded OpenZFS, in the words of zpool and zfs",
	.description =
		"Subcommands: create import export destroy list get set status iostat scrub "
		"snapshot "
		"rollback mount unmount. 'plumb zfs --help' shows the options of each; they "
		"are those "
		"of zpool(8) and zfs(8), with -j for JSON.\n\nThe pools live in a "
		"plumb-zfsd of your "
		"own, which is started with the first pool and ends with the last. "
		"$PLUMB_ZFS_FOLDER (an empty 0700 folder with a short path) gives a script one of "
		"its own.",
};
