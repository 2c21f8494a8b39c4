/* Everything about a study that can be refused before anything is touched (see runner.h). */
#include "run/runner_internal.h"

#include "base/memory.h"
#include "platform/os_cgroup.h"
#include "platform/os_mount.h"
#include "postgres/binaries.h"
#include "run/rig_disk.h"
#include "target/target.h"
#include "workload/workload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define M (1ULL << 20)
#define G (1ULL << 30)

/* pg_wal and the catalogs of an empty cluster; max_wal_size is the default of 1 GB. */
#define EMPTY_CLUSTER_BYTES (80 * M)
#define DEFAULT_WAL_BYTES   G
/* A filesystem that is nearly full is a measurement of something else. */
#define FILL_FACTOR 1.25

static uint64_t wal_bytes(const struct settings *settings, uint64_t data)
{
	/* As the server has it: a bare number is megabytes. */
	const char *text = settings_text(settings, "postgresql.conf.max_wal_size", NULL);
	uint64_t most = DEFAULT_WAL_BYTES;

	if (text && size_parse(text, &most) < 0)
		most = DEFAULT_WAL_BYTES;
	else if (text && text[strspn(text, "0123456789")] == '\0')
		most *= M;
	/* A load writes about as much WAL as data, and checkpoints take it away. */
	return MIN(most, data + 64 * M);
}

void runner_space(const struct settings *settings, bool keeps_image, uint64_t *ret_filesystem_bytes,
	uint64_t *ret_host_bytes)
{
	const char *type = settings_text(settings, "workload.type", "pgbench");
	const struct workload_driver *driver = workload_find(type);
	uint64_t data = driver && driver->expected_bytes ? driver->expected_bytes(settings) : 0;
	uint64_t filesystem;

	filesystem = (uint64_t)((double)(data + EMPTY_CLUSTER_BYTES + wal_bytes(settings, data)) *
				FILL_FACTOR);
	*ret_filesystem_bytes = filesystem;
	*ret_host_bytes = keeps_image ? 2 * filesystem : filesystem;
}

/* Free bytes where path lies, or where it will be made: the nearest folder above that exists. */
static uint64_t host_free_bytes(const char *path)
{
	char above[4096];
	struct os_space space;
	char *slash;

	snprintf(above, sizeof(above), "%s", path);
	while (os_space(above, &space) < 0) {
		slash = strrchr(above, '/');
		if (!slash || slash == above)
			return UINT64_MAX;
		*slash = '\0';
	}
	return space.available_bytes;
}

static int refuse_space(
	struct err *err, const char *what, const char *where, uint64_t needed, uint64_t available)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_add_format(&text, "%s needs about ", what);
	size_format_human((double)needed, &text);
	strbuf_add_format(&text, ", and %s has ", where);
	size_format_human((double)available, &text);
	err_set(err, -ENOSPC, "%s", text.data);
	strbuf_release(&text);
	return -ENOSPC;
}

static int check_space(const struct run_options *options, const struct target_driver *target,
	const struct settings *settings, bool keeps_image, struct err *err)
{
	uint64_t filesystem, host, available;
	const char *place = options->folders ? options->folders->rigs : NULL;
	const char *folder = target->base == TARGET_ON_NOTHING
				     ? settings_text(settings, "filesystem.path", NULL)
				     : study_text(options->study, "device.folder");
	bool in_memory = strcmp(settings_text(settings, "device.store", "file"), "ram") == 0;

	if (target->base == TARGET_ON_FAKE)
		return 0;
	runner_space(settings, keeps_image, &filesystem, &host);
	if (target->base != TARGET_ON_NOTHING) {
		uint64_t size = settings_size(settings, "device.size", 48 * G);

		/* The study's own disk is too small, on any machine. */
		if (filesystem > size) {
			refuse_space(err, "a set-up", "the disk (device.size)", filesystem, size);
			return err ? err->code = -EINVAL : -EINVAL;
		}
	}
	if (in_memory && target->base != TARGET_ON_NOTHING) {
		available = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
		if (filesystem > available)
			return refuse_space(err, "a set-up", "the machine's free memory",
				filesystem, available);
		return 0;
	}
	place = folder ? folder : place;
	available = host_free_bytes(place);
	return host > available ? refuse_space(err, "a set-up", place, host, available) : 0;
}

int runner_space_now(const struct run_options *options, const struct settings *settings,
	bool keeps_image, struct err *err)
{
	const struct target_driver *target =
		target_find(settings_text(settings, "filesystem.type", ""));

	return target ? check_space(options, target, settings, keeps_image, err) : 0;
}

/* A limit above what the machine has limits nothing: the cell would be another one. */
static int check_size_of_machine(uint64_t memory, double cpus, struct err *err)
{
	uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	struct strbuf text = STRBUF_INIT;
	int r = 0;

	if (memory > bytes) {
		strbuf_add_text(&text, "machine.memory = ");
		size_format(memory, &text);
		strbuf_add_text(&text, ": this machine has ");
		size_format_human((double)bytes, &text);
		r = err_set(err, -ENOTSUP, "%s", text.data);
	} else if (cpus > (double)processors) {
		r = err_set(
			err, -ENOTSUP, "machine.cpus = %g: this machine has %ld", cpus, processors);
	}
	strbuf_release(&text);
	return r;
}

static int check_limits(const struct settings *settings, struct err *err)
{
	uint64_t memory = settings_size(settings, "machine.memory", 0);
	double cpus = settings_real(settings, "machine.cpus", 0);
	struct os_cgroup_place place;
	int r;

	if (!memory && cpus <= 0)
		return 0;
	r = check_size_of_machine(memory, cpus, err);
	if (r < 0)
		return r;
	r = os_cgroup_find(&place, err);
	return r < 0 ? err_prefix(err, r, "[machine] limits cannot be set") : 0;
}

static int check_server(const struct settings *settings, struct err *err)
{
	struct pg_binaries binaries = { 0 };
	struct pg_build_spec spec;
	int r;

	if (runner_needs_build(settings, &spec)) {
		r = pg_build_spec_check(&spec, err);
		return r == 0 ? pg_install_check(err) : r;
	}
	r = pg_binaries_find(settings, &binaries, err);
	pg_binaries_release(&binaries);
	return r;
}

/* Finding a server, or what its build needs, runs programs: cells with the same server are looked
 * at once. */
struct seen_servers {
	const struct settings *cells[32];
	size_t count;
};

static bool is_server_key(const char *name)
{
	return strncmp(name, "postgres.", strlen("postgres.")) == 0;
}

static bool same_server(const struct settings *one, const struct settings *other)
{
	size_t keys = 0, others = 0;

	for (size_t i = 0; i < one->count; i++) {
		const struct setting_value *value = &one->values[i];

		if (!is_server_key(value->name))
			continue;
		keys++;
		if (strcmp(settings_text(other, value->name, ""), value->text) != 0)
			return false;
	}
	for (size_t i = 0; i < other->count; i++)
		others += is_server_key(other->values[i].name);
	return keys == others;
}

static int check_server_once(
	struct seen_servers *seen, const struct settings *settings, struct err *err)
{
	int r;

	for (size_t i = 0; i < seen->count; i++)
		if (same_server(seen->cells[i], settings))
			return 0;
	r = check_server(settings, err);
	if (r == 0 && seen->count < ARRAY_SIZE(seen->cells))
		seen->cells[seen->count++] = settings;
	return r;
}

static int check_cell(const struct run_options *options, const struct settings *settings,
	bool keeps_image, struct seen_servers *seen, struct err *err)
{
	const char *type = settings_text(settings, "filesystem.type", NULL);
	const char *work = settings_text(settings, "workload.type", "pgbench");
	const struct target_driver *target = type ? target_find(type) : NULL;
	const struct workload_driver *workload = workload_find(work);
	int r = 0;

	if (!type)
		return err_set(err, -EINVAL, "filesystem.type is not given");
	if (!target)
		return err_set(err, -ENOTSUP, "filesystem.type = %s is not built in", type);
	if (!workload)
		return err_set(err, -ENOTSUP, "workload.type = %s is not built in", work);
	r = target->check(err);
	if (r == 0 && target->check_settings)
		r = target->check_settings(settings, err);
	if (r == 0 && target->base != TARGET_ON_FAKE && target->base != TARGET_ON_NOTHING)
		r = rig_disk_check_settings(settings, target->base, err);
	if (r == 0 && workload->check)
		r = workload->check(err);
	if (r == 0 && workload->check_settings)
		r = workload->check_settings(settings, err);
	if (r == 0 && workload->needs_cluster)
		r = check_server_once(seen, settings, err);
	if (r == 0 && target->base != TARGET_ON_FAKE)
		r = check_limits(settings, err);
	return r == 0 ? check_space(options, target, settings, keeps_image, err) : r;
}

bool runner_is_fake(const struct matrix *matrix)
{
	for (size_t i = 0; i < matrix->count; i++) {
		const char *type = settings_text(&matrix->cells[i].settings, "filesystem.type", "");

		if (strcmp(type, "fake") != 0)
			return false;
	}
	return true;
}

int runner_user(const struct run_options *options, struct os_user *ret_user, bool *ret_drop,
	struct err *err)
{
	const char *name = options->run_as ? options->run_as : "postgres";
	int r;

	*ret_drop = geteuid() == 0;
	if (!*ret_drop) {
		if (options->run_as)
			return err_set(err, -EPERM, "--run-as needs root");
		*ret_user = (struct os_user){ .user_id = geteuid(), .group_id = getegid() };
		return 0;
	}
	r = os_user_by_name(name, ret_user, err);
	if (r < 0)
		return err_hint(err, r,
			"PostgreSQL does not run as root: install postgresql-common or name "
			"another "
			"user with --run-as");
	if (ret_user->user_id == 0)
		return err_set(err, -EINVAL, "the server cannot run as root: name another user");
	return 0;
}

/* A planted effect holds clients still: only some workloads have clients that can be held. */
static int check_planted(const struct run_options *options, struct err *err)
{
	const struct matrix *matrix = options->matrix;

	if (study_percent(options->study, "design.planted") <= 0)
		return 0;
	for (size_t i = 0; i < matrix->count; i++) {
		const char *type =
			settings_text(&matrix->cells[i].settings, "workload.type", "pgbench");
		const struct workload_driver *driver = workload_find(type);

		if (driver && !driver->pause)
			return err_set(err, -ENOTSUP,
				"design.planted: workload %s cannot be slowed by a known share",
				type);
	}
	return 0;
}

/* Wrong on any machine, as against something that this one has not. */
static bool is_of_study(int code)
{
	return code == -EINVAL || code == -ERANGE;
}

/* By cell: is the loaded state of its set-up kept, for several runs or run-level settings inside?
 */
static bool *kept_states(const struct run_options *options)
{
	bool *kept = memory_new_array(options->matrix->count + 1, sizeof(*kept));
	struct plan plan;

	if (plan_build(&plan, options->study, options->matrix, 1, NULL) < 0)
		return kept;
	for (size_t i = 0; i < plan.trial_count; i++)
		kept[plan.trials[i].cell] = plan.setups[plan.trials[i].setup].trial_count > 1;
	plan_release(&plan);
	return kept;
}

/* code: of the last cell that can't run. */
static int look_at_cells(const struct run_options *options, struct absent_cells *absent,
	const bool *kept, int *ret_code, struct err *err)
{
	const struct matrix *matrix = options->matrix;
	struct seen_servers seen = { 0 };

	for (size_t i = 0; i < matrix->count; i++) {
		const struct cell *cell = &matrix->cells[i];
		struct err why = ERR_INIT;
		int r = check_cell(options, &cell->settings, kept[i], &seen, &why);

		if (r < 0 && (is_of_study(r) || matrix->count == 1)) {
			err_set(err, r, "%s", why.message);
			return matrix->count > 1 ? err_prefix(err, r, "cell '%s'", cell->label) : r;
		}
		/* A control copies another cell, and goes with it. */
		if (r < 0 && cell->role == CELL_STUDIED) {
			absent_cells_add(absent, i, cell->label, why.message);
			*ret_code = r;
		}
	}
	return 0;
}

static int check_cells(
	const struct run_options *options, struct absent_cells *absent, struct err *err)
{
	bool *kept = kept_states(options);
	int code = 0;
	int r = look_at_cells(options, absent, kept, &code, err);

	free(kept);
	return r == 0 ? runner_some_can_run(options->matrix, absent, code, err) : r;
}

int runner_check(const struct run_options *options, struct absent_cells *absent, struct err *err)
{
	const struct matrix *matrix = options->matrix;
	struct os_user user;
	bool drop;
	int r = 0;

	if (!runner_is_fake(matrix))
		r = runner_user(options, &user, &drop, err);
	if (r == 0)
		r = check_planted(options, err);
	return r == 0 ? check_cells(options, absent, err) : r;
}
