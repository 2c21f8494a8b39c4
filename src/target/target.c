/* The list of targets, and the only callers of their functions (see target.h). */
#include "target/target.h"

#include "target/drivers.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

const struct target_driver *const target_drivers[] = { &directory_target, &ext2_target,
	&ext3_target, &ext4_target, &xfs_target, &btrfs_target, &zfs_kernel_target,
	&zfs_embedded_target, &fake_target, NULL };

const struct target_driver *target_find(const char *type)
{
	if (strcmp(type, "zfs") == 0) {
		const struct target_driver *kernel = target_find("zfs-kernel");
		const struct target_driver *embedded = target_find("zfs-embedded");

		return embedded && kernel->check(NULL) < 0 ? embedded : kernel;
	}
	for (size_t i = 0; target_drivers[i]; i++)
		if (strcmp(target_drivers[i]->name, type) == 0)
			return target_drivers[i];
	return NULL;
}

int target_open(const struct target_driver *driver, const struct target_context *context,
	struct target **ret_target, struct err *err)
{
	int r = driver->open(context, ret_target, err);

	if (r == 0)
		(*ret_target)->driver = driver;
	return r;
}

int target_create(struct target *target, struct err *err)
{
	int r;

	assert(!target->created);
	r = target->driver->create(target, err);
	if (r == 0)
		target->created = true;
	return r;
}

int target_mount(struct target *target, struct err *err)
{
	int r;

	assert(target->created && !target->mounted);
	r = target->driver->mount(target, err);
	if (r == 0)
		target->mounted = true;
	return r;
}

int target_sync(struct target *target, struct err *err)
{
	assert(target->mounted);
	return target->driver->sync(target, err);
}

int target_set_clock(struct target *target, bool running, struct err *err)
{
	return target->driver->set_clock ? target->driver->set_clock(target, running, err) : 0;
}

int target_drop_cache(struct target *target, struct err *err)
{
	assert(target->mounted);
	if (target->driver->drop_cache)
		return target->driver->drop_cache(target, err);
	int r = target_unmount(target, err);

	return r < 0 ? r : target_mount(target, err);
}

int target_unmount(struct target *target, struct err *err)
{
	int r;

	assert(target->mounted);
	r = target->driver->unmount(target, err);
	if (r == 0)
		target->mounted = false;
	return r;
}

int target_alive(struct target *target, struct err *err)
{
	return target->driver->alive ? target->driver->alive(target, err) : 0;
}

int target_revive(struct target *target, struct err *err)
{
	int r;

	assert(target->mounted);
	if (target_alive(target, NULL) == 0)
		return 0;
	r = target_unmount(target, err);
	if (r == 0 && target->driver->revive)
		r = target->driver->revive(target, err);
	return r < 0 ? r : target_mount(target, err);
}

int target_destroy(struct target *target, struct err *err)
{
	int r;

	assert(target->created && !target->mounted);
	r = target->driver->destroy(target, err);
	if (r == 0)
		target->created = false;
	return r;
}

int target_describe(struct target *target, struct trial_record *record, struct err *err)
{
	assert(target->mounted);
	return target->driver->describe(target, record, err);
}

int target_counters(struct target *target, json_t **ret_counters, struct err *err)
{
	if (!target->driver->counters)
		return err_set(err, -ENOTSUP, "%s has no counters", target->driver->name);
	return target->driver->counters(target, ret_counters, err);
}

int target_space(
	struct target *target, const char *phase, struct trial_record *record, struct err *err)
{
	assert(target->mounted);
	return target->driver->space(target, phase, record, err);
}

struct target *target_close(struct target *target)
{
	if (target)
		target->driver->close(target);
	return NULL;
}
