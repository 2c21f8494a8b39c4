/*
 * Labels of devices: which pool a device belongs to, and the configuration to import from a set of
 * devices. Labels are read through the device (a plain open would miss memory stores and shims)
 * into a sparse memory file, which the library's own search then reads.
 */
#include "zfsd/pool/pool_internal.h"

#include "base/memory.h"

#include <sys/mman.h>

#define LABEL_BYTES	    (256UL * 1024)
#define LABEL_NVLIST_OFFSET (16UL * 1024)
#define LABEL_COUNT	    4
#define DEVICES_MOST	    256

static uint64_t label_offset(uint64_t size, int number)
{
	size -= size % LABEL_BYTES;
	return number < 2 ? (uint64_t)number * LABEL_BYTES
			  : size - (uint64_t)(LABEL_COUNT - number) * LABEL_BYTES;
}

static int read_label(struct device *device, int number, unsigned char *buffer)
{
	struct device_limits limits;

	device_limits(device, &limits);
	return device_transfer(
		device, DEVICE_READ, label_offset(limits.size_bytes, number), LABEL_BYTES, buffer);
}

int pool_label_read(const struct vdev_device *device, nvlist_t **ret_label)
{
	unsigned char *buffer = memory_new(LABEL_BYTES);
	int r = -ENOENT;

	for (int i = 0; r < 0 && i < LABEL_COUNT; i++) {
		r = read_label(vdev_device_device(device), i, buffer);
		if (r == 0 && nvlist_unpack((char *)buffer + LABEL_NVLIST_OFFSET,
				      VDEV_PHYS_SIZE - sizeof(zio_eck_t), ret_label, 0) != 0)
			r = -ENOENT;
	}
	free(buffer);
	return r;
}

/* A file of the device's size that holds its labels and nothing else; -1 if that fails. */
static int copy_labels(struct device *device)
{
	unsigned char *buffer = memory_new(LABEL_BYTES);
	struct device_limits limits;
	int fd = memfd_create("labels", MFD_CLOEXEC);
	bool good = fd >= 0;

	device_limits(device, &limits);
	good = good && ftruncate(fd, (off_t)limits.size_bytes) == 0;
	for (int i = 0; good && i < LABEL_COUNT; i++)
		good = read_label(device, i, buffer) < 0 ||
		       pwrite(fd, buffer, LABEL_BYTES, (off_t)label_offset(limits.size_bytes, i)) ==
			       (ssize_t)LABEL_BYTES;
	free(buffer);
	if (!good && fd >= 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

struct search {
	struct vdev_device *devices[DEVICES_MOST];
	int fds[DEVICES_MOST];
	char paths[DEVICES_MOST][32];
	size_t count;
};

static int open_devices(struct search *search, const struct pool_import *import, struct err *err)
{
	int r = 0;

	if (import->device_count > DEVICES_MOST)
		return err_set(err, -EINVAL, "more than %d devices", DEVICES_MOST);
	for (size_t i = 0; r == 0 && i < import->device_count; i++) {
		/* What is written to is a pool of this name, which the labels will tell. */
		const struct vdev_raw raw = { .any = true };
		struct vdev_device *device;

		r = vdev_device_open(import->devices[i], POOL_PENDING, &raw, &device, err);
		if (r < 0)
			break;
		search->devices[i] = device;
		search->fds[i] = copy_labels(vdev_device_device(device));
		(void)snprintf(search->paths[i], sizeof(search->paths[i]), "/proc/self/fd/%d",
			search->fds[i]);
		search->count++;
	}
	return r;
}

static uint64_t leaf_guid(const struct vdev_device *device)
{
	uint64_t guid = 0;
	nvlist_t *label;

	if (pool_label_read(device, &label) == 0) {
		(void)nvlist_lookup_uint64(label, ZPOOL_CONFIG_GUID, &guid);
		nvlist_free(label);
	}
	return guid;
}

/* Give each leaf of the tree the path of the device that carries its label. */
static void fix_paths(const struct search *search, nvlist_t *vdev)
{
	nvlist_t **children;
	uint64_t guid = 0;
	uint_t count;

	if (nvlist_lookup_nvlist_array(vdev, ZPOOL_CONFIG_CHILDREN, &children, &count) == 0) {
		for (uint_t i = 0; i < count; i++)
			fix_paths(search, children[i]);
		return;
	}
	(void)nvlist_lookup_uint64(vdev, ZPOOL_CONFIG_GUID, &guid);
	for (size_t i = 0; guid != 0 && i < search->count; i++) {
		if (leaf_guid(search->devices[i]) == guid)
			fnvlist_add_string(
				vdev, ZPOOL_CONFIG_PATH, vdev_device_path(search->devices[i]));
	}
}

/* As zpool import: a pool that was destroyed is there only for those who ask for one. */
static bool is_wanted(nvlist_t *config, const struct pool_import *import)
{
	uint64_t state = POOL_STATE_EXPORTED;

	(void)nvlist_lookup_uint64(config, ZPOOL_CONFIG_POOL_STATE, &state);
	return (state == POOL_STATE_DESTROYED) == import->destroyed;
}

static int explain_none(const struct pool_import *import, const char *other, struct err *err)
{
	if (other && import->destroyed)
		return err_set(err, -ENOENT, "pool '%s' was not destroyed", other);
	if (other) {
		err_set(err, -ENOENT, "pool '%s' was destroyed", other);
		return err_hint(err, -ENOENT, "to have it back: plumb zfs import -D");
	}
	if (import->name)
		return err_set(
			err, -ENOENT, "there is no pool '%s' on these devices", import->name);
	return err_set(err, -ENOENT, "there is no pool on these devices");
}

/* The one pool found, or the one that is named. Lent. */
static int choose(
	nvlist_t *pools, const struct pool_import *import, nvlist_t **ret_config, struct err *err)
{
	const char *other = NULL;
	nvpair_t *pair = NULL;
	int found = 0;

	while ((pair = nvlist_next_nvpair(pools, pair))) {
		nvlist_t *config = fnvpair_value_nvlist(pair);
		const char *pool = fnvlist_lookup_string(config, ZPOOL_CONFIG_POOL_NAME);

		if (import->name && strcmp(pool, import->name) != 0)
			continue;
		if (!is_wanted(config, import)) {
			other = pool;
			continue;
		}
		*ret_config = config;
		found++;
	}
	if (found == 0)
		return explain_none(import, other, err);
	if (found > 1)
		return err_set(err, -EINVAL, "more than one pool on these devices: give a name");
	return 0;
}

/* The library would open the devices by the paths it searched; the import itself finds out more. */
static nvlist_t *keep_config(void *handle, nvlist_t *config)
{
	(void)handle;
	return fnvlist_dup(config);
}

static int never_active(void *handle, const char *name, uint64_t guid, boolean_t *ret_active)
{
	(void)handle;
	(void)name;
	(void)guid;
	*ret_active = B_FALSE;
	return 0;
}

static const pool_config_ops_t search_ops = { keep_config, never_active };

static int search_pools(const struct search *search, const struct pool_import *import,
	nvlist_t **ret_config, struct err *err)
{
	char *paths[DEVICES_MOST];
	importargs_t arguments = {
		.path = paths, .paths = (int)search->count, .can_be_active = B_TRUE, .scan = B_TRUE
	};
	libpc_handle_t handle = { .lpc_ops = (pool_config_ops_t *)&search_ops };
	nvlist_t *pools, *config = NULL;
	int r;

	for (size_t i = 0; i < search->count; i++)
		paths[i] = (char *)search->paths[i];
	pools = zpool_search_import(&handle, &arguments);
	if (!pools)
		return err_set(err, -ENOENT, "there is no pool on these devices%s%s",
			handle.lpc_desc[0] ? ": " : "", handle.lpc_desc);
	r = choose(pools, import, &config, err);
	if (r == 0) {
		*ret_config = fnvlist_dup(config);
		fix_paths(search, fnvlist_lookup_nvlist(*ret_config, ZPOOL_CONFIG_VDEV_TREE));
	}
	nvlist_free(pools);
	return r;
}

/* -EBADF if no device has a label that can be read. */
static int check_labels(const struct search *search, struct err *err)
{
	for (size_t i = 0; i < search->count; i++) {
		nvlist_t *label;

		if (pool_label_read(search->devices[i], &label) == 0) {
			nvlist_free(label);
			return 0;
		}
	}
	return err_set(err, -EBADF, "no device has a readable label: '%s' is no part of a pool",
		vdev_device_spec(search->devices[0]));
}

int pool_label_find(const struct pool_import *import, nvlist_t **ret_config, struct err *err)
{
	struct search *search = memory_new(sizeof(*search));
	int r = open_devices(search, import, err);

	if (r == 0)
		r = check_labels(search, err);
	if (r == 0)
		r = search_pools(search, import, ret_config, err);
	for (size_t i = 0; i < search->count; i++) {
		if (search->fds[i] >= 0)
			close(search->fds[i]);
	}
	free(search);
	return r;
}
