/* The description of a new pool, as spa_create() wants it: tree of vdevs, list of features. */
#include "zfsd/pool/pool_internal.h"

#include "base/file.h"
#include "zfsd/zfsd_protocol.h"

struct group_type {
	const char *word;
	const char *vdev_type;
	uint64_t parity;
	size_t devices_least;
};

static const struct group_type group_types[] = {
	{ "stripe", VDEV_TYPE_FILE, 0, 1 },
	{ "mirror", VDEV_TYPE_MIRROR, 0, 2 },
	{ "raidz1", VDEV_TYPE_RAIDZ, 1, 2 },
	{ "raidz2", VDEV_TYPE_RAIDZ, 2, 3 },
	{ "raidz3", VDEV_TYPE_RAIDZ, 3, 4 },
};

static const struct group_type *find_group(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(group_types); i++) {
		if (strcmp(group_types[i].word, word) == 0)
			return &group_types[i];
	}
	return NULL;
}

/* A device that another pool uses is taken only by force, one in use never (it is locked). */
static int check_unused(const struct vdev_device *device, bool force, struct err *err)
{
	const char *pool = "?";
	nvlist_t *label;
	uint64_t state = POOL_STATE_DESTROYED;

	if (force || pool_label_read(device, &label) < 0)
		return 0;
	(void)nvlist_lookup_string(label, ZPOOL_CONFIG_POOL_NAME, &pool);
	(void)nvlist_lookup_uint64(label, ZPOOL_CONFIG_POOL_STATE, &state);
	if (state != POOL_STATE_DESTROYED)
		err_set(err, -EEXIST, "device '%s' belongs to pool '%s'", vdev_device_path(device),
			pool);
	nvlist_free(label);
	return state == POOL_STATE_DESTROYED ? 0 : -EEXIST;
}

static int open_leaf(const char *spec, const struct pool_create *create,
	struct vdev_device **ret_device, struct err *err)
{
	const struct vdev_raw raw = { .paths = create->destroy, .count = create->destroy_count };
	struct device_limits limits;
	int r = vdev_device_open(spec, create->name, &raw, ret_device, err);

	if (r < 0)
		return r;
	device_limits(vdev_device_device(*ret_device), &limits);
	if (limits.size_bytes < ZFSD_DEVICE_MIN_BYTES)
		return err_set(err, -EOVERFLOW, "device '%s' is smaller than 64M", spec);
	return check_unused(*ret_device, create->force, err);
}

static nvlist_t *make_leaf(const struct vdev_device *device, bool log, uint64_t ashift)
{
	nvlist_t *leaf = fnvlist_alloc();
	struct stat info;
	bool block = stat(vdev_device_path(device), &info) == 0 && S_ISBLK(info.st_mode);

	fnvlist_add_string(leaf, ZPOOL_CONFIG_TYPE, block ? VDEV_TYPE_DISK : VDEV_TYPE_FILE);
	fnvlist_add_string(leaf, ZPOOL_CONFIG_PATH, vdev_device_path(device));
	fnvlist_add_uint64(leaf, ZPOOL_CONFIG_IS_LOG, log);
	if (ashift)
		fnvlist_add_uint64(leaf, ZPOOL_CONFIG_ASHIFT, ashift);
	return leaf;
}

static nvlist_t *make_group(const struct group_type *type, nvlist_t **leaves, size_t count)
{
	nvlist_t *group = fnvlist_alloc();

	fnvlist_add_string(group, ZPOOL_CONFIG_TYPE, type->vdev_type);
	if (type->parity)
		fnvlist_add_uint64(group, ZPOOL_CONFIG_NPARITY, type->parity);
	fnvlist_add_nvlist_array(
		group, ZPOOL_CONFIG_CHILDREN, (const nvlist_t *const *)leaves, (uint_t)count);
	return group;
}

static int check_group(const struct pool_vdev *vdev, struct err *err)
{
	const struct group_type *type = find_group(vdev->type);

	if (!type)
		return err_set(err, -EINVAL,
			"'%s' is not a vdev type: stripe, mirror, raidz1, raidz2, raidz3",
			vdev->type);
	if (vdev->device_count < type->devices_least)
		return err_set(err, -EINVAL, "%s needs at least %zu devices, not %zu", type->word,
			type->devices_least, vdev->device_count);
	if (type->devices_least == 1 && vdev->device_count != 1)
		return err_set(err, -EINVAL, "a stripe vdev has one device");
	if (vdev->log && type->parity)
		return err_set(err, -EINVAL, "a log vdev is a stripe or a mirror");
	return 0;
}

static int build_group(const struct pool_create *create, const struct pool_vdev *vdev,
	uint64_t ashift, nvlist_t **ret_group, struct err *err)
{
	const struct group_type *type = find_group(vdev->type);
	nvlist_t **leaves;
	size_t done = 0;
	int r = check_group(vdev, err);

	if (r < 0)
		return r;
	leaves = kmem_zalloc(vdev->device_count * sizeof(nvlist_t *), KM_SLEEP);
	for (; r == 0 && done < vdev->device_count; done += r == 0) {
		struct vdev_device *device;

		r = open_leaf(vdev->devices[done], create, &device, err);
		if (r == 0)
			leaves[done] = make_leaf(device, vdev->log, ashift);
	}
	if (r == 0) {
		*ret_group = type->devices_least == 1 ? leaves[0] : make_group(type, leaves, done);
		fnvlist_add_uint64(*ret_group, ZPOOL_CONFIG_IS_LOG, vdev->log);
		if (ashift)
			fnvlist_add_uint64(*ret_group, ZPOOL_CONFIG_ASHIFT, ashift);
		if (vdev->log)
			fnvlist_add_string(
				*ret_group, ZPOOL_CONFIG_ALLOCATION_BIAS, VDEV_ALLOC_BIAS_LOG);
	}
	if (r < 0 || type->devices_least > 1) {
		for (size_t i = 0; i < done; i++)
			nvlist_free(leaves[i]);
	}
	kmem_free(leaves, vdev->device_count * sizeof(nvlist_t *));
	return r;
}

int pool_config_build(
	const struct pool_create *create, uint64_t ashift, nvlist_t **ret_root, struct err *err)
{
	nvlist_t **groups = kmem_zalloc(create->vdev_count * sizeof(nvlist_t *), KM_SLEEP);
	size_t done = 0, data = 0;
	int r = 0;

	for (; r == 0 && done < create->vdev_count; done += r == 0) {
		r = build_group(create, &create->vdevs[done], ashift, &groups[done], err);
		data += !create->vdevs[done].log;
	}
	if (r == 0 && data == 0)
		r = err_set(err, -EINVAL, "a pool needs a vdev that is not a log");
	if (r == 0) {
		*ret_root = fnvlist_alloc();
		fnvlist_add_string(*ret_root, ZPOOL_CONFIG_TYPE, VDEV_TYPE_ROOT);
		fnvlist_add_nvlist_array(*ret_root, ZPOOL_CONFIG_CHILDREN,
			(const nvlist_t *const *)groups, (uint_t)done);
	}
	for (size_t i = 0; i < done; i++)
		nvlist_free(groups[i]);
	kmem_free(groups, create->vdev_count * sizeof(nvlist_t *));
	return r;
}

static void enable_feature(nvlist_t *properties, const char *name)
{
	char key[ZAP_MAXNAMELEN];

	(void)snprintf(key, sizeof(key), "feature@%s", name);
	fnvlist_add_uint64(properties, key, 0);
}

static bool is_listed(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += strspn(line, "\n \t");
		if (strncmp(line, name, length) == 0 && strchr(" \t\n#", line[length]))
			return true;
	}
	return false;
}

int pool_config_features(const char *compatibility, nvlist_t *properties, struct err *err)
{
	struct strbuf listed = STRBUF_INIT;
	bool all = !compatibility || strcmp(compatibility, "off") == 0;
	char path[256];
	int r = 0;

	if (!all && strcmp(compatibility, "legacy") != 0) {
		if (strchr(compatibility, '/') || compatibility[0] == '.')
			return err_set(err, -EINVAL, "compatibility '%s' is not a plain name",
				compatibility);
		(void)snprintf(
			path, sizeof(path), "/usr/share/zfs/compatibility.d/%s", compatibility);
		r = file_read_limited(path, 65536, &listed, err);
		if (r < 0)
			return err_prefix(err, -EINVAL, "compatibility '%s'", compatibility);
	}
	for (int i = 0; i < SPA_FEATURES; i++) {
		const zfeature_info_t *feature = &spa_feature_table[i];

		if (feature->fi_zfs_mod_supported &&
			(all || is_listed(listed.data, feature->fi_uname)))
			enable_feature(properties, feature->fi_uname);
	}
	strbuf_release(&listed);
	return 0;
}
