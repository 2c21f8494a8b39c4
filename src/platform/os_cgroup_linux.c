/* Linux: control groups of both versions (see os_cgroup.h; kernel documents cgroup-v2,
 * cgroup-v1/memory and scheduler/sched-bwc). */
#include "platform/os_cgroup.h"

#include "base/clock.h"
#include "base/file.h"
#include "platform/os_mount.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PERIOD_US	100000
#define REMOVE_WAIT_NS	(10 * NS_PER_S)
#define V1_NO_LIMIT_MIN (1ULL << 60) /* version 1 shows "no limit" as a huge number of pages */

static int write_file(const char *folder, const char *name, const char *text, struct err *err)
{
	char path[OS_CGROUP_PATH_SIZE + 64];
	int fd, r = 0;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set_errno(err, -errno, "cannot open '%s'", path);
	if (write(fd, text, strlen(text)) < 0)
		r = err_set_errno(err, -errno, "cannot write '%s' to '%s'", text, path);
	close(fd);
	return r;
}

static int read_words(const char *folder, const char *name, char *text, size_t size)
{
	char path[OS_CGROUP_PATH_SIZE + 64];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	got = read(fd, text, size - 1);
	close(fd);
	if (got < 0)
		return -EIO;
	text[got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return 0;
}

static bool has_word(const char *list, const char *word, const char *separators)
{
	size_t length = strlen(word);

	for (; *list; list += strspn(list, separators)) {
		size_t span = strcspn(list, separators);

		if (span == length && strncmp(list, word, length) == 0)
			return true;
		list += span;
	}
	return false;
}

static void look_at(const struct os_mount *row, struct os_cgroup_place *place)
{
	char controllers[512];

	if (strcmp(row->type, "cgroup2") == 0 && place->version != 1 &&
		read_words(row->path, "cgroup.controllers", controllers, sizeof(controllers)) ==
			0 &&
		has_word(controllers, "memory", " ") && has_word(controllers, "cpu", " ")) {
		place->version = 2;
		snprintf(place->memory_root, sizeof(place->memory_root), "%s", row->path);
		snprintf(place->cpu_root, sizeof(place->cpu_root), "%s", row->path);
	}
	if (strcmp(row->type, "cgroup") != 0 || place->version == 2)
		return;
	if (has_word(row->super_options, "memory", ","))
		snprintf(place->memory_root, sizeof(place->memory_root), "%s", row->path);
	if (has_word(row->super_options, "cpu", ","))
		snprintf(place->cpu_root, sizeof(place->cpu_root), "%s", row->path);
	if (place->memory_root[0] && place->cpu_root[0])
		place->version = 1;
}

int os_cgroup_find(struct os_cgroup_place *ret_place, struct err *why)
{
	struct os_cgroup_place place = { 0 };
	struct os_mount_table table;
	int r = os_mount_table_read(&table, why);

	if (r < 0)
		return r;
	for (size_t i = 0; i < table.count; i++)
		look_at(&table.rows[i], &place);
	os_mount_table_release(&table);
	if (place.version == 0)
		return err_set(why, -ENOTSUP,
			"no memory and cpu controllers of control groups are mounted");
	if (access(place.memory_root, W_OK) < 0 || access(place.cpu_root, W_OK) < 0)
		return err_set(
			why, -ENOTSUP, "control groups below '%s' need root", place.memory_root);
	*ret_place = place;
	return 0;
}

void os_cgroup_name(struct os_cgroup *cgroup, const struct os_cgroup_place *place, const char *name)
{
	*cgroup = (struct os_cgroup){ .version = place->version };
	snprintf(cgroup->memory_folder, sizeof(cgroup->memory_folder), "%s/%s", place->memory_root,
		name);
	snprintf(cgroup->cpu_folder, sizeof(cgroup->cpu_folder), "%s/%s", place->cpu_root, name);
	snprintf(cgroup->procs_paths[0], sizeof(cgroup->procs_paths[0]), "%s/cgroup.procs",
		cgroup->memory_folder);
	snprintf(cgroup->procs_paths[1], sizeof(cgroup->procs_paths[1]), "%s/cgroup.procs",
		cgroup->cpu_folder);
}

static int make_folder(const char *path, struct err *err)
{
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		return err_set_errno(err, -errno, "cannot make the control group '%s'", path);
	return 0;
}

static int limit_v1(
	const struct os_cgroup *cgroup, const struct os_cgroup_limits *limits, struct err *err)
{
	char text[64];
	int r = 0;

	if (limits->memory_bytes) {
		snprintf(text, sizeof(text), "%llu", (unsigned long long)limits->memory_bytes);
		r = write_file(cgroup->memory_folder, "memory.limit_in_bytes", text, err);
		/* Memory and swap together; missing where swap is not accounted. */
		if (r == 0)
			(void)write_file(
				cgroup->memory_folder, "memory.memsw.limit_in_bytes", text, NULL);
	}
	if (r == 0 && limits->cpus > 0) {
		snprintf(text, sizeof(text), "%d", PERIOD_US);
		r = write_file(cgroup->cpu_folder, "cpu.cfs_period_us", text, err);
		snprintf(text, sizeof(text), "%.0f", limits->cpus * PERIOD_US);
		if (r == 0)
			r = write_file(cgroup->cpu_folder, "cpu.cfs_quota_us", text, err);
	}
	return r;
}

static int limit_v2(
	const struct os_cgroup *cgroup, const struct os_cgroup_limits *limits, struct err *err)
{
	char text[64];
	int r = 0;

	if (limits->memory_bytes) {
		snprintf(text, sizeof(text), "%llu", (unsigned long long)limits->memory_bytes);
		r = write_file(cgroup->memory_folder, "memory.max", text, err);
		if (r == 0) /* missing on kernels without swap */
			(void)write_file(cgroup->memory_folder, "memory.swap.max", "0", NULL);
	}
	if (r == 0 && limits->cpus > 0) {
		snprintf(text, sizeof(text), "%.0f %d", limits->cpus * PERIOD_US, PERIOD_US);
		r = write_file(cgroup->cpu_folder, "cpu.max", text, err);
	}
	return r;
}

static int enable_v2(const char *folder, struct err *err)
{
	char root[OS_CGROUP_PATH_SIZE];
	char *slash;

	snprintf(root, sizeof(root), "%s", folder);
	slash = strrchr(root, '/');
	*slash = '\0';
	return write_file(root, "cgroup.subtree_control", "+memory +cpu", err);
}

int os_cgroup_create(
	struct os_cgroup *cgroup, const struct os_cgroup_limits *limits, struct err *err)
{
	int r = cgroup->version == 2 ? enable_v2(cgroup->memory_folder, err) : 0;

	if (r == 0)
		r = make_folder(cgroup->memory_folder, err);
	if (r == 0)
		r = make_folder(cgroup->cpu_folder, err);
	if (r == 0)
		r = cgroup->version == 2 ? limit_v2(cgroup, limits, err)
					 : limit_v1(cgroup, limits, err);
	if (r < 0)
		return r;
	cgroup->procs[0] = cgroup->procs_paths[0];
	cgroup->procs[1] = cgroup->version == 1 ? cgroup->procs_paths[1] : NULL;
	cgroup->procs[2] = NULL;
	return 0;
}

int os_cgroup_read(
	const struct os_cgroup *cgroup, struct os_cgroup_limits *ret_limits, struct err *err)
{
	const char *memory_file = cgroup->version == 2 ? "memory.max" : "memory.limit_in_bytes";
	const char *cpu_file = cgroup->version == 2 ? "cpu.max" : "cpu.cfs_quota_us";
	struct os_cgroup_limits limits = { 0 };
	char text[64];
	double quota, period = PERIOD_US;
	int r = read_words(cgroup->memory_folder, memory_file, text, sizeof(text));

	if (r < 0)
		return err_set_errno(
			err, r, "cannot read '%s/%s'", cgroup->memory_folder, memory_file);
	limits.memory_bytes = strtoull(text, NULL, 10); /* "max": 0 */
	if (limits.memory_bytes >= V1_NO_LIMIT_MIN)
		limits.memory_bytes = 0;
	r = read_words(cgroup->cpu_folder, cpu_file, text, sizeof(text));
	if (r < 0)
		return err_set_errno(err, r, "cannot read '%s/%s'", cgroup->cpu_folder, cpu_file);
	if (sscanf(text, "%lf %lf", &quota, &period) >= 1 && quota > 0) {
		char own[64];

		if (cgroup->version == 1 &&
			read_words(cgroup->cpu_folder, "cpu.cfs_period_us", own, sizeof(own)) == 0)
			period = strtod(own, NULL);
		limits.cpus = quota / period;
	}
	*ret_limits = limits;
	return 0;
}

static void kill_inside(const char *folder)
{
	char path[OS_CGROUP_PATH_SIZE + 64], line[32];
	FILE *procs;

	snprintf(path, sizeof(path), "%s/cgroup.procs", folder);
	procs = fopen(path, "re");
	while (procs && fgets(line, sizeof(line), procs)) {
		pid_t pid = (pid_t)strtol(line, NULL, 10);

		if (pid > 1 && pid != getpid())
			kill(pid, SIGKILL);
	}
	if (procs)
		fclose(procs);
}

int os_cgroup_remove(const char *folder, struct err *err)
{
	struct clock *clock = clock_system();
	int64_t deadline = clock->now_ns(clock) + REMOVE_WAIT_NS;

	while (rmdir(folder) < 0) {
		int64_t now = clock->now_ns(clock);

		if (errno == ENOENT)
			return 0;
		if (errno != EBUSY || now >= deadline)
			return err_set_errno(
				err, -errno, "cannot remove the control group '%s'", folder);
		kill_inside(folder);
		clock->sleep_until(clock, now + 20 * NS_PER_MS);
	}
	return 0;
}
