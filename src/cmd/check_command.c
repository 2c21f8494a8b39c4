/* plumb check: what can and cannot run on this machine, and why. Changes nothing. */
#include "cmd/study_input.h"

#include "base/file.h"
#include "base/memory.h"
#include "platform/os_cgroup.h"
#include "platform/os_mount.h"
#include "platform/os_user.h"
#include "postgres/binaries.h"
#include "postgres/install.h"
#include "run/folders.h"
#include "run/runner.h"
#include "target/target.h"
#include "workload/workload.h"

#include "base/subprocess.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static const struct option_row options[] = {
	STUDY_INPUT_OPTIONS,
	{ "run-as", 0, "USER", "as root: who would run server and workload; default postgres" },
	{ "format", 'f', "FORM", "text (default) or json" },
	{ "scratch", 0, "DIR", "the scratch folder that runs will be given" },
	{ 0 },
};

/* One line of the answer. */
enum answer { ANSWER_YES, ANSWER_NO, ANSWER_FACT };

struct checking {
	json_t *json; /* NULL: text */
	const char *group;
};

static void begin_group(struct checking *checking, const char *group)
{
	checking->group = group;
	if (checking->json)
		json_object_set_new(checking->json, group, json_array());
	else
		printf("%s%s\n", strcmp(group, "machine") == 0 ? "" : "\n", group);
}

static void tell(struct checking *checking, const char *name, enum answer answer, const char *text)
{
	static const char *const words[] = { "yes", "no", "" };

	if (!checking->json) {
		/* Hints go on lines of their own, under the reason. */
		char *lines = memory_copy_string(text ? text : ""), *rest = NULL;
		char *line = strtok_r(lines, "\n", &rest);

		printf("  %-16s  %s%s%s\n", name, words[answer], *words[answer] && line ? ": " : "",
			line ? line : "");
		while ((line = strtok_r(NULL, "\n", &rest)))
			printf("  %-16s  %s\n", "", line);
		free(lines);
		return;
	}
	json_array_append_new(json_object_get(checking->json, checking->group),
		json_pack("{s:s, s:o, s:s?}", "name", name, "can_run",
			answer == ANSWER_FACT ? json_null() : json_boolean(answer == ANSWER_YES),
			"text", text));
}

static void tell_check(
	struct checking *checking, const char *name, int result, const struct err *why)
{
	tell(checking, name, result < 0 ? ANSWER_NO : ANSWER_YES, result < 0 ? why->message : NULL);
}

static uint64_t memory_bytes(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

static void tell_space(struct checking *checking, const char *name, const char *path)
{
	struct strbuf text = STRBUF_INIT;
	struct os_space space;
	char *above = memory_copy_string(path);
	char *slash;

	/* The folder may not be there yet: what it will lie on is. */
	while (!file_exists(above) && (slash = strrchr(above, '/')) && slash != above)
		*slash = '\0';
	if (os_space(file_exists(above) ? above : "/", &space) == 0) {
		size_format_human((double)space.available_bytes, &text);
		strbuf_add_format(&text, " free for %s", path);
	} else {
		strbuf_add_format(&text, "%s can't be looked at", path);
	}
	tell(checking, name, ANSWER_FACT, text.data);
	strbuf_release(&text);
	free(above);
}

static void check_machine(struct checking *checking, const struct folders *folders)
{
	struct os_cgroup_place place;
	struct err why = ERR_INIT;
	struct utsname system;
	struct strbuf text = STRBUF_INIT;
	int r;

	begin_group(checking, "machine");
	uname(&system);
	tell(checking, "kernel", ANSWER_FACT, system.release);
	strbuf_add_format(&text, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	tell(checking, "cpus", ANSWER_FACT, text.data);
	strbuf_clear(&text);
	size_format_human((double)memory_bytes(), &text);
	tell(checking, "memory", ANSWER_FACT, text.data);
	tell(checking, "root", geteuid() == 0 ? ANSWER_YES : ANSWER_NO,
		geteuid() == 0 ? NULL
			       : "loop devices, mounts and memory limits need it; directory and "
				 "zfs-embedded do not");
	r = os_cgroup_find(&place, &why);
	tell_check(checking, "memory limits", r, &why);
	tell(checking, "loop devices", file_exists("/dev/loop-control") ? ANSWER_YES : ANSWER_NO,
		file_exists("/dev/loop-control") ? NULL : "/dev/loop-control is not there");
	tell(checking, "FUSE", access("/dev/fuse", R_OK | W_OK) == 0 ? ANSWER_YES : ANSWER_NO,
		access("/dev/fuse", R_OK | W_OK) == 0
			? NULL
			: "/dev/fuse is not there or not for this user");
	tell(checking, "kernel OpenZFS", file_exists("/dev/zfs") ? ANSWER_YES : ANSWER_NO,
		file_exists("/dev/zfs") ? NULL
					: "/dev/zfs is not there; zfs uses the embedded engine");
	tell_space(checking, "scratch", folders->scratch);
	tell_space(checking, "results", "./" RESULTS_FOLDER);
	strbuf_release(&text);
}

/* What depends on the kernel's version or configuration. */
static void check_kernel(struct checking *checking)
{
	struct strbuf text = STRBUF_INIT;
	bool has_pressure = file_exists("/proc/pressure/io");
	int major, minor;

	begin_group(checking, "kernel features");
	os_kernel_version(&major, &minor);
	strbuf_add_text(&text, "pages of ");
	size_format((uint64_t)sysconf(_SC_PAGESIZE), &text);
	tell(checking, "memory pages", ANSWER_FACT, text.data);
	if (major > 6 || (major == 6 && minor >= 12))
		tell(checking, "large XFS blocks", ANSWER_YES, NULL);
	else
		tell(checking, "large XFS blocks", ANSWER_NO,
			"fs_block_size above the page size needs kernel 6.12 or later");
	tell(checking, "pressure", has_pressure ? ANSWER_YES : ANSWER_NO,
		has_pressure ? NULL : "/proc/pressure is not there: no figures of stalls");
	strbuf_release(&text);
}

static void check_targets(struct checking *checking)
{
	begin_group(checking, "filesystems");
	for (size_t i = 0; target_drivers[i]; i++) {
		struct err why = ERR_INIT;
		int r = target_drivers[i]->check ? target_drivers[i]->check(&why) : 0;

		tell_check(checking, target_drivers[i]->name, r, &why);
	}
}

static void check_workloads(struct checking *checking)
{
	begin_group(checking, "workloads");
	for (size_t i = 0; workload_drivers[i]; i++) {
		struct err why = ERR_INIT;
		int r = workload_drivers[i]->check ? workload_drivers[i]->check(&why) : 0;

		tell_check(checking, workload_drivers[i]->name, r, &why);
	}
}

#define OLDEST_MAJOR 13
#define NEWEST_MAJOR 30

/* What the distribution has, one major version at a time: the search is that of a study. */
static size_t tell_servers(struct checking *checking)
{
	size_t found = 0;

	for (int major = OLDEST_MAJOR; major <= NEWEST_MAJOR; major++) {
		struct settings settings = { 0 };
		struct setting_value value = { .name = "postgres.version" };
		struct pg_binaries binaries = { 0 };
		struct err why = ERR_INIT;
		char wanted[16];
		int r;

		snprintf(wanted, sizeof(wanted), "%d", major);
		value.text = wanted;
		settings_set(&settings, &value);
		r = pg_binaries_find(&settings, &binaries, &why);
		if (r == 0)
			tell(checking, binaries.version_text, ANSWER_YES, binaries.bindir);
		else if (r != -ENOENT)
			tell_check(checking, wanted, r, &why);
		found += r != -ENOENT;
		pg_binaries_release(&binaries);
		settings_release(&settings);
	}
	return found;
}

static void check_servers(struct checking *checking)
{
	struct pg_build_list list = { 0 };
	struct err why = ERR_INIT;

	begin_group(checking, "PostgreSQL");
	if (tell_servers(checking) == 0) {
		struct settings none = { 0 };
		struct pg_binaries binaries = { 0 };
		int r = pg_binaries_find(&none, &binaries, &why);

		tell_check(checking, "server", r, &why);
		pg_binaries_release(&binaries);
	}
	if (pg_install_list(&list, NULL) < 0)
		return;
	for (size_t i = 0; i < list.count; i++) {
		const struct pg_build *build = &list.builds[i];
		struct strbuf text = STRBUF_INIT;

		strbuf_add_text(&text, "pages of ");
		size_format(build->block_bytes, &text);
		strbuf_add_text(&text, ", of WAL ");
		size_format(build->wal_block_bytes, &text);
		strbuf_add_format(&text, ": %s", build->bindir);
		tell(checking, build->version, ANSWER_YES, text.data);
		strbuf_release(&text);
	}
	pg_build_list_release(&list);
}

/* Programs that some studies or reports call, and the Debian package of each. */
static void check_programs(struct checking *checking)
{
	static const struct {
		const char *program, *package, *what;
	} list[] = {
		{ "mkfs.ext4", "e2fsprogs", "ext2, ext3, ext4" },
		{ "mkfs.xfs", "xfsprogs", "xfs" },
		{ "mkfs.btrfs", "btrfs-progs", "btrfs" },
		{ "zpool", "zfsutils-linux", "zfs-kernel" },
		{ "zdb", "zfsutils-linux", "checks of zfs-embedded" },
		{ "fusermount3", "fuse3", "zfs-embedded and emulated disks as a plain user" },
		{ "fio", "fio", "workload fio" },
		{ "gnuplot", "gnuplot-nox", "charts" },
		{ "sqlite3", "sqlite3", "looking into results by hand" },
	};

	begin_group(checking, "programs");
	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		char *path = subprocess_find(list[i].program);
		char *why = memory_format(
			"Debian package %s has it; for %s", list[i].package, list[i].what);

		tell(checking, list[i].program, path ? ANSWER_YES : ANSWER_NO, path ? path : why);
		free(path);
		free(why);
	}
}

static void tell_absent(void *context, const char *sentence)
{
	tell(context, "without", ANSWER_NO, sentence);
}

/* What can run of the study, and the reason of each cell that can't. */
static void tell_cells(struct checking *checking, const struct study_input *input,
	const struct absent_cells *absent)
{
	size_t studied = 0;
	char text[96];

	for (size_t i = 0; i < input->matrix.count; i++)
		studied += input->matrix.cells[i].role == CELL_STUDIED;
	snprintf(text, sizeof(text), "%zu of %zu cells", studied - absent->count, studied);
	tell(checking, input->study.name, ANSWER_YES, absent->count ? text : NULL);
	absent_cells_say(absent, tell_absent, checking);
}

/* Every cell of a study against this machine, as a run would check it first. */
static int check_study(struct checking *checking, const struct command *command,
	const struct command_line *line, const struct folders *folders)
{
	struct absent_cells absent = { 0 };
	struct study_input input;
	struct err why = ERR_INIT;
	int r = study_input_load(&input, command, line, &why);
	struct run_options run_options = {
		.study = &input.study,
		.matrix = &input.matrix,
		.folders = folders,
		.run_as = command_value(command, line, "run-as"),
		.program_version = PLUMB_VERSION,
		.clock = clock_system(),
	};

	begin_group(checking, "study");
	if (r < 0) {
		tell_check(checking, line->arguments[0], r, &why);
		return r;
	}
	r = runner_check(&run_options, &absent, &why);
	if (r < 0)
		tell_check(checking, input.study.name, r, &why);
	else
		tell_cells(checking, &input, &absent);
	absent_cells_release(&absent);
	study_input_release(&input);
	return r;
}

/* *ret_refused: a study was given, and it can't run here. */
static int check_all(struct checking *checking, const struct command *command,
	const struct command_line *line, bool *ret_refused, struct err *err)
{
	struct folders folders;
	int r = folders_init(&folders, command_value(command, line, "scratch"), err);

	if (r < 0)
		return r;
	check_machine(checking, &folders);
	check_kernel(checking);
	check_targets(checking);
	check_workloads(checking);
	check_servers(checking);
	check_programs(checking);
	if (line->argument_count)
		*ret_refused = check_study(checking, command, line, &folders) < 0;
	folders_release(&folders);
	return 0;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct command_line line;
	struct checking checking = { 0 };
	const char *format;
	bool refused = false;
	int r = command_parse(command, argc, argv, &line);

	if (r != 0)
		return r < 0 ? EXIT_USAGE : EXIT_DONE;
	format = command_value(command, &line, "format");
	if (format && strcmp(format, "text") != 0 && strcmp(format, "json") != 0) {
		err_set(&err, -EINVAL, "unknown form '%s': text or json", format);
		return command_fail(command, &err, EXIT_USAGE);
	}
	if (format && strcmp(format, "json") == 0)
		checking.json = json_pack("{s:i}", "schema_version", RECORD_SCHEMA_VERSION);
	r = check_all(&checking, command, &line, &refused, &err);
	if (checking.json && r == 0) {
		json_dumpf(checking.json, stdout, JSON_INDENT(1));
		printf("\n");
	}
	json_decref(checking.json);
	if (r < 0)
		return command_fail(command, &err, EXIT_USAGE);
	return refused ? EXIT_USAGE : EXIT_DONE;
}

const struct command check_command = {
	.name = "check",
	.run = run,
	.options = options,
	.arguments = "[STUDY.ini]",
	.summary = "say what can and cannot run on this machine, and why",
	.description =
		"Machine, filesystems, workloads, PostgreSQL versions and programs, each with "
		"the reason and the Debian package where something is missing. Changes "
		"nothing. 'plumb run' checks what its study needs before it touches anything.",
};
