/* The steps of a rig, each with its way back (see rig_internal.h): the order is the table's. */
#include "run/rig_internal.h"

#include "base/file.h"
#include "base/memory.h"
#include "platform/os_disk.h"
#include "platform/os_mount.h"
#include "record/marker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Folders */

static int give(const struct rig *rig, const char *path, struct err *err)
{
	const struct os_user *user = &rig->options.run_as;

	if (rig->options.drop_user && chown(path, user->user_id, user->group_id) < 0)
		return err_set_errno(err, -errno, "cannot give '%s' to '%s'", path, user->name);
	return 0;
}

/* A subfolder, the run-as user's when mine is false. */
static int make_subfolder(
	const struct rig *rig, const char *path, mode_t mode, bool mine, struct err *err)
{
	if (mkdir(path, mode) < 0)
		return err_set_errno(err, -errno, "cannot make the folder '%s'", path);
	if (chmod(path, mode) < 0)
		return err_set_errno(err, -errno, "cannot change the mode of '%s'", path);
	return mine ? 0 : give(rig, path, err);
}

static const char *mount_path(struct rig *rig)
{
	const char *path;

	if (rig->driver->base != TARGET_ON_NOTHING)
		return arena_format(&rig->arena, "%s/mount", rig->folder);
	path = settings_text(rig->options.settings, "filesystem.path", NULL);
	return path ? arena_format(&rig->arena, "%s/%s", path, rig->id)
		    : arena_format(&rig->arena, "%s/data", rig->folder);
}

static void name_folders(struct rig *rig)
{
	const struct folders *folders = rig->options.folders;
	struct arena *arena = &rig->arena;

	rig->folder = arena_format(arena, "%s/%s", folders ? folders->rigs : "/fake", rig->id);
	rig->runtime_folder =
		arena_format(arena, "%s/%s", folders ? folders->runtime : "/fake", rig->id);
	rig->daemon_folder = arena_format(arena, "%s/d", rig->runtime_folder);
	rig->raw_folder = arena_format(arena, "%s/raw", rig->folder);
	rig->program_log_path = arena_format(arena, "%s/programs.log", rig->folder);
	rig->log_path = arena_format(arena, "%s/server.log", rig->folder);
	rig->mount_path = mount_path(rig);
	rig->data_folder = arena_format(arena, "%s/pgdata", rig->mount_path);
}

static int folders_up(struct rig *rig, struct err *err)
{
	char *sockets;
	int r;

	name_folders(rig);
	r = marker_make_folder(rig->folder, rig->id, rig->undo, &rig->folder_undo_id, err);
	if (r == 0)
		r = marker_make_folder(
			rig->runtime_folder, rig->id, rig->undo, &rig->runtime_undo_id, err);
	if (r < 0)
		return r;
	/* Sockets lie one level down: the marker stays ours, the folder is the server's. */
	sockets = memory_format("%s/s", rig->runtime_folder);
	r = make_subfolder(rig, sockets, 0700, false, err);
	free(sockets);
	if (r == 0)
		r = make_subfolder(rig, rig->daemon_folder, 0700, true, err);
	if (r == 0)
		r = make_subfolder(rig, rig->raw_folder, 0700, false, err);
	if (r == 0 && rig->driver->base != TARGET_ON_NOTHING)
		r = make_subfolder(rig, rig->mount_path, 0755, true, err);
	return r;
}

static int folders_down(struct rig *rig, struct err *err)
{
	int first = 0, r;

	if (!rig->folder)
		return 0;
	r = marker_remove_folder(
		rig->runtime_folder, rig->id, rig->undo, rig->runtime_undo_id, err);
	first = r;
	r = marker_remove_folder(rig->folder, rig->id, rig->undo, rig->folder_undo_id, err);
	return first < 0 ? first : r;
}

/* Limits */

static uint64_t memory_limit(const struct rig *rig)
{
	const struct settings *settings = rig->options.settings;
	uint64_t memory = settings_size(settings, "machine.memory", 0);
	uint64_t arc = settings_size(settings, "zfs.arc_max", 0);

	/* The kernel does not charge its ARC to a control group: it is taken off, so that page
	 * cache and ARC are counted alike. */
	if (memory && strcmp(rig->driver->name, "zfs-kernel") == 0)
		memory -= MIN(arc, memory / 2);
	return memory;
}

static int note_cgroup(struct rig *rig, const char *folder, uint64_t *ret_id, struct err *err)
{
	struct undo_record record = { .kind = UNDO_CGROUP, .path = folder };

	return rig->undo->note(rig->undo, &record, ret_id, err);
}

/* How long a sleeping processor takes to wake up is the machine's business and comes and goes; all
 * set-ups are measured without it, or all with it. Without root they sleep as they like. */
static void wake_processors(struct rig *rig)
{
	if (strcmp(settings_text(rig->options.settings, "machine.processors", "awake"), "awake") ==
		0)
		rig->awake_fd = os_keep_processors_awake();
}

static int limits_up(struct rig *rig, struct err *err)
{
	struct os_cgroup_limits limits = {
		.memory_bytes = memory_limit(rig),
		.cpus = settings_real(rig->options.settings, "machine.cpus", 0),
	};
	struct os_cgroup_place place;
	int r;

	wake_processors(rig);
	if (!limits.memory_bytes && limits.cpus <= 0)
		return 0;
	r = os_cgroup_find(&place, err);
	if (r < 0)
		return err_prefix(err, r, "[machine] limits");
	os_cgroup_name(&rig->cgroup, &place, rig->id);
	r = note_cgroup(rig, rig->cgroup.memory_folder, &rig->cgroup_undo_ids[0], err);
	if (r == 0 && place.version == 1)
		r = note_cgroup(rig, rig->cgroup.cpu_folder, &rig->cgroup_undo_ids[1], err);
	if (r < 0)
		return r;
	rig->has_cgroup = true;
	return os_cgroup_create(&rig->cgroup, &limits, err);
}

static int limits_down(struct rig *rig, struct err *err)
{
	int first, r = 0;

	if (rig->awake_fd >= 0)
		close(rig->awake_fd);
	rig->awake_fd = -1;
	if (!rig->has_cgroup)
		return 0;
	first = os_cgroup_remove(rig->cgroup.memory_folder, err);
	if (first == 0)
		first = rig->undo->forget(rig->undo, rig->cgroup_undo_ids[0], err);
	if (rig->cgroup.version == 1) {
		r = os_cgroup_remove(rig->cgroup.cpu_folder, err);
		if (r == 0)
			r = rig->undo->forget(rig->undo, rig->cgroup_undo_ids[1], err);
	}
	rig->has_cgroup = false;
	return first < 0 ? first : r;
}

/* Devices */

static int plan_role(struct rig *rig, enum target_device_role role, size_t count,
	const struct target_needs *needs, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		struct rig_disk *disk = &rig->disks[rig->disk_count];
		int r;

		if (rig->disk_count == RIG_DISKS_MAX)
			return err_set(err, -E2BIG, "more than %d disks", RIG_DISKS_MAX);
		r = rig_disk_plan(disk, role, i, &rig->disk_context, err);
		if (r < 0)
			return r;
		if (disk->size_bytes < needs->min_device_bytes)
			return err_set(err, -EINVAL,
				"device.size = %llu bytes: %s needs at least %llu",
				(unsigned long long)disk->size_bytes, rig->driver->name,
				(unsigned long long)needs->min_device_bytes);
		rig->disk_count++;
	}
	return 0;
}

static int plan_disks(struct rig *rig, struct err *err)
{
	struct target_needs needs = { .data_devices = 1 };
	int r = rig->driver->needs ? rig->driver->needs(rig->options.settings, &needs, err) : 0;

	if (r == 0)
		r = plan_role(rig, TARGET_DEVICE_DATA, needs.data_devices, &needs, err);
	if (r == 0)
		r = plan_role(rig, TARGET_DEVICE_LOG, needs.log_devices, &needs, err);
	if (r == 0)
		r = plan_role(rig, TARGET_DEVICE_CACHE, needs.cache_devices, &needs, err);
	return r;
}

/* Images lie in the rig's folder, or in a marked folder of ours below device.folder. */
static int image_folder(struct rig *rig, const char **ret_folder, struct err *err)
{
	const char *above = rig->options.image_folder;

	*ret_folder = rig->folder;
	if (!above)
		return 0;
	*ret_folder = arena_format(&rig->arena, "%s/%s", above, rig->id);
	return marker_make_folder(*ret_folder, rig->id, rig->undo, &rig->image_undo_id, err);
}

int rig_attach_disks(struct rig *rig, struct err *err)
{
	for (size_t i = 0; i < rig->disk_count; i++) {
		struct rig_disk *disk = &rig->disks[i];
		int r = 0;

		if (rig->driver->base == TARGET_ON_BLOCK)
			r = rig_disk_attach(disk, &rig->disk_context, err);
		if (r < 0)
			return r;
		rig->devices[i] = (struct target_device){
			.role = disk->role,
			.path = disk->loop_path[0] ? disk->loop_path : NULL,
			.spec = disk->spec,
			.size_bytes = disk->size_bytes,
		};
	}
	return 0;
}

int rig_detach_disks(struct rig *rig, struct err *err)
{
	int first = 0;

	for (size_t i = rig->disk_count; i > 0; i--) {
		int r = rig_disk_detach(&rig->disks[i - 1], &rig->disk_context, err);

		if (first == 0)
			first = r;
	}
	return first;
}

static int device_up(struct rig *rig, struct err *err)
{
	int r;

	rig->disk_context = (struct rig_disk_context){
		.settings = rig->options.settings,
		.runtime_folder = rig->daemon_folder,
		.log_path = arena_format(&rig->arena, "%s/disk.log", rig->folder),
		.cgroup_procs = rig->has_cgroup ? rig->cgroup.procs : NULL,
		.base = rig->driver->base,
		.seed = rig->options.seed,
		.undo = rig->undo,
		.arena = &rig->arena,
	};
	r = image_folder(rig, &rig->disk_context.folder, err);
	if (r == 0)
		r = plan_disks(rig, err);
	for (size_t i = 0; r == 0 && i < rig->disk_count; i++)
		r = rig_disk_create(&rig->disks[i], err);
	return r == 0 ? rig_attach_disks(rig, err) : r;
}

static int device_down(struct rig *rig, struct err *err)
{
	int r = rig_detach_disks(rig, err);

	if (r == 0 && rig->disk_context.folder && rig->disk_context.folder != rig->folder)
		r = marker_remove_folder(
			rig->disk_context.folder, rig->id, rig->undo, rig->image_undo_id, err);
	return r;
}

/* Filesystem */

static int filesystem_up(struct rig *rig, struct err *err)
{
	struct target_context context = {
		.settings = rig->options.settings,
		.id = rig->id,
		.devices = rig->devices,
		.device_count = rig->disk_count,
		.owner_user = rig->options.run_as.user_id,
		.owner_group = rig->options.run_as.group_id,
		.cgroup_procs = rig->has_cgroup ? rig->cgroup.procs : NULL,
		.undo = rig->undo,
		.clock = rig->options.clock,
	};
	int r;

	if (!rig->folder)
		name_folders(rig);
	context.folder = rig->folder;
	context.mount_path = rig->mount_path;
	context.runtime_folder = rig->daemon_folder;
	context.cache_folder = rig->options.folders ? rig->options.folders->cache : "/fake";
	r = target_open(rig->driver, &context, &rig->target, err);
	return r == 0 ? target_create(rig->target, err) : r;
}

static int filesystem_down(struct rig *rig, struct err *err)
{
	/* Still mounted: it could not be unmounted, and is left to the journal. */
	if (!rig->target || !rig->target->created || rig->target->mounted)
		return 0;
	return target_destroy(rig->target, err);
}

static int mount_up(struct rig *rig, struct err *err)
{
	return target_mount(rig->target, err);
}

static int mount_down(struct rig *rig, struct err *err)
{
	if (!rig->target || !rig->target->mounted)
		return 0;
	/* What is dirty is not worth writing: the filesystem goes away. */
	if (rig->driver->base == TARGET_ON_BLOCK)
		(void)os_filesystem_shutdown(rig->mount_path); /* not every filesystem can */
	return target_unmount(rig->target, err);
}

/* Cluster */

static int initdb_up(struct rig *rig, struct err *err)
{
	struct pg_cluster_options options = {
		.data_directory = rig->data_folder,
		.socket_directory = arena_format(&rig->arena, "%s/s", rig->runtime_folder),
		.log_path = rig->log_path,
		.settings = rig->options.settings,
		.max_connections = rig->options.max_connections,
		.drop_user = rig->options.drop_user,
		.user_id = rig->options.run_as.user_id,
		.group_id = rig->options.run_as.group_id,
		.cgroup_procs = rig->has_cgroup ? rig->cgroup.procs : NULL,
		.undo = rig->undo,
	};
	int r;

	if (!rig->options.needs_cluster)
		return 0;
	r = pg_cluster_open(&options, &rig->cluster, err);
	if (r == 0)
		r = pg_cluster_init(rig->cluster, err);
	/* initdb does not sync: what it wrote must not be charged to the load. */
	return r == 0 ? rig_sync(rig, err) : r;
}

const struct rig_step rig_steps[] = {
	{ "folders", RIG_OURS, false, folders_up, folders_down },
	{ "limits", RIG_OURS, false, limits_up, limits_down },
	{ "device", RIG_OURS, false, device_up, device_down },
	{ "filesystem", RIG_SYSTEM, true, filesystem_up, filesystem_down },
	{ "mount", RIG_SYSTEM, true, mount_up, mount_down },
	{ "initdb", RIG_SYSTEM, false, initdb_up, NULL },
};
const size_t rig_step_count = ARRAY_SIZE(rig_steps);
