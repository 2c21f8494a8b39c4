/*
 * The leaf vdev: our own vdev_file_ops and vdev_disk_ops, found by the library's table before its
 * own, hand each I/O to a struct device. Here every byte to the disk passes, so here it is counted
 * by kind.
 */
#include "zfsd/compat/zfs_headers.h"
#include "zfsd/pool/vdev.h"
#include "zfsd/pool/vdev_flusher.h"
#include "zfsd/pool/zio_inline.h"

#include "base/memory.h"
#include "device/device_spec.h"

#include <pthread.h>

struct vdev_device {
	struct vdev_device *next;
	char *pool;
	char *spec;
	char *path;
	struct device *device;
	struct device_limits limits;
	struct vdev_writes writes; /* atomic */
	struct vdev_flusher *flusher;
};

static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static struct vdev_device *registry;

static struct vdev_device *find_path(const char *path)
{
	struct vdev_device *device;

	pthread_mutex_lock(&registry_lock);
	for (device = registry; device && strcmp(device->path, path) != 0; device = device->next)
		;
	pthread_mutex_unlock(&registry_lock);
	return device;
}

static void vdev_device_free(struct vdev_device *device)
{
	vdev_flusher_stop(device->flusher);
	device_close(device->device);
	free(device->pool);
	free(device->spec);
	free(device->path);
	free(device);
}

/* Memory has no path; any name that no file has will do. */
static char *path_of(const struct device_spec *parsed)
{
	static unsigned number;

	if (!parsed->in_memory)
		return realpath(parsed->path, NULL);
	return memory_format("/plumb-ram/%u", atomic_inc_32_nv(&number));
}

/* By device number: a disk has many names. */
static bool is_allowed(const struct vdev_raw *raw, const char *path)
{
	struct stat wanted, allowed;
	bool found = raw->any;

	if (stat(path, &wanted) < 0 || !S_ISBLK(wanted.st_mode))
		return false;
	for (size_t i = 0; !found && i < raw->count; i++)
		found = stat(raw->paths[i], &allowed) == 0 && S_ISBLK(allowed.st_mode) &&
			allowed.st_rdev == wanted.st_rdev;
	return found;
}

static int open_spec(
	struct vdev_device *device, const char *spec, const struct vdev_raw *raw, struct err *err)
{
	struct device_spec parsed;
	int r;

	device_spec_init(&parsed);
	r = device_spec_parse(spec, &parsed, err);
	if (r == 0 && !parsed.in_memory && access(parsed.path, F_OK) != 0)
		r = err_set_errno(err, -errno, "device '%s'", parsed.path);
	parsed.raw = r == 0 && !parsed.in_memory && is_allowed(raw, parsed.path);
	if (r == 0)
		r = device_spec_open(&parsed, &device->device, err);
	if (r == 0)
		device->path = path_of(&parsed);
	device_spec_release(&parsed);
	return r;
}

int vdev_device_open(const char *spec, const char *pool, const struct vdev_raw *raw,
	struct vdev_device **ret_device, struct err *err)
{
	struct vdev_device *device = memory_new(sizeof(*device));
	int r = open_spec(device, spec, raw, err);

	if (r == 0) {
		device_limits(device->device, &device->limits);
		device->flusher = vdev_flusher_start(device->device);
	}
	device->pool = memory_copy_string(pool);
	device->spec = memory_copy_string(spec);
	if (r < 0) {
		vdev_device_free(device);
		return r;
	}
	pthread_mutex_lock(&registry_lock);
	device->next = registry;
	registry = device;
	pthread_mutex_unlock(&registry_lock);
	*ret_device = device;
	return 0;
}

const char *vdev_device_path(const struct vdev_device *device)
{
	return device->path;
}

const char *vdev_device_spec(const struct vdev_device *device)
{
	return device->spec;
}

struct device *vdev_device_device(const struct vdev_device *device)
{
	return device->device;
}

void vdev_device_close_pool(const char *pool)
{
	struct vdev_device **place = &registry, *device, *closed = NULL;

	pthread_mutex_lock(&registry_lock);
	while ((device = *place)) {
		if (strcmp(device->pool, pool) != 0) {
			place = &device->next;
			continue;
		}
		*place = device->next;
		device->next = closed;
		closed = device;
	}
	pthread_mutex_unlock(&registry_lock);
	while ((device = closed)) {
		closed = device->next;
		vdev_device_free(device);
	}
}

void vdev_device_rename_pool(const char *from, const char *to)
{
	pthread_mutex_lock(&registry_lock);
	for (struct vdev_device *device = registry; device; device = device->next) {
		if (strcmp(device->pool, from) == 0) {
			free(device->pool);
			device->pool = memory_copy_string(to);
		}
	}
	pthread_mutex_unlock(&registry_lock);
}

void vdev_device_each(
	const char *pool, void (*visit)(void *context, struct vdev_device *device), void *context)
{
	pthread_mutex_lock(&registry_lock);
	for (struct vdev_device *device = registry; device; device = device->next) {
		if (strcmp(device->pool, pool) == 0)
			visit(context, device);
	}
	pthread_mutex_unlock(&registry_lock);
}

void vdev_device_writes(const struct vdev_device *device, struct vdev_writes *add_to)
{
	const uint64_t *from = (const uint64_t *)&device->writes;
	uint64_t *to = (uint64_t *)add_to;

	for (size_t i = 0; i < sizeof(*add_to) / sizeof(*to); i++)
		to[i] += atomic_load_64((volatile uint64_t *)&from[i]);
}

/* ---- the library's side ---- */

/* One zio on its way through the device, in pieces no longer than the device takes. */
struct transfer {
	zio_t *zio;
	void *buffer;
	uint32_t pieces_left; /* atomic */
	int error;
	pthread_t submitter; /* with a time model below, not the thread that it is done in */
	struct device_request pieces[];
};

static void transfer_finish(struct transfer *transfer)
{
	zio_t *zio = transfer->zio;
	/* A thread of the device must not go on with the zio: it may come to wait for itself. */
	bool here = pthread_equal(transfer->submitter, pthread_self());

	if (zio->io_type == ZIO_TYPE_READ)
		abd_return_buf_copy(zio->io_abd, transfer->buffer, zio->io_size);
	else if (zio->io_type == ZIO_TYPE_WRITE)
		abd_return_buf(zio->io_abd, transfer->buffer, zio->io_size);
	zio->io_error = transfer->error;
	free(transfer);
	if (here)
		zio_interrupt(zio);
	else
		zio_inline_interrupt_elsewhere(zio);
}

static void piece_done(struct device_request *request, int result)
{
	struct transfer *transfer = request->context;

	if (result < 0)
		transfer->error = result == -ENODEV ? ENXIO : -result;
	if (atomic_dec_32_nv(&transfer->pieces_left) == 0)
		transfer_finish(transfer);
}

/* Longest log block that is worth blocking for. */
#define URGENT_LOG_BYTES 32768

/*
 * Somebody waits for this one transfer and nothing else: no change of thread on the way. All others
 * go through the device's own queue, where neighbours are merged and its depth is used.
 */
static bool is_urgent(const zio_t *zio)
{
	if (zio->io_type == ZIO_TYPE_READ)
		return zio->io_priority == ZIO_PRIORITY_SYNC_READ && zio_inline_takes_read();
	return zio->io_type == ZIO_TYPE_WRITE && zio->io_bookmark.zb_level == ZB_ZIL_LEVEL &&
	       zio->io_size <= URGENT_LOG_BYTES;
}

static enum device_operation operation_of(const zio_t *zio)
{
	switch (zio->io_type) {
	case ZIO_TYPE_READ:
		return DEVICE_READ;
	case ZIO_TYPE_WRITE:
		return DEVICE_WRITE;
	default:
		return DEVICE_DISCARD;
	}
}

static void *borrow_buffer(zio_t *zio)
{
	if (zio->io_type == ZIO_TYPE_READ)
		return abd_borrow_buf(zio->io_abd, zio->io_size);
	if (zio->io_type == ZIO_TYPE_WRITE)
		return abd_borrow_buf_copy(zio->io_abd, zio->io_size);
	return NULL;
}

static void submit(struct vdev_device *device, zio_t *zio)
{
	uint64_t longest = device->limits.max_request_bytes;
	uint32_t count = (uint32_t)((zio->io_size + longest - 1) / longest);
	struct transfer *transfer =
		memory_new(sizeof(*transfer) + count * sizeof(transfer->pieces[0]));
	bool urgent;

	transfer->zio = zio;
	transfer->buffer = borrow_buffer(zio);
	transfer->submitter = pthread_self();
	transfer->pieces_left = count;
	urgent = is_urgent(zio);
	for (uint32_t i = 0; i < count; i++) {
		struct device_request *piece = &transfer->pieces[i];
		uint64_t start = i * longest;

		piece->operation = operation_of(zio);
		piece->offset = zio->io_offset + start;
		piece->size = MIN(longest, zio->io_size - start);
		piece->data = transfer->buffer ? (char *)transfer->buffer + start : NULL;
		piece->may_block = urgent;
		piece->done = piece_done;
		piece->context = transfer;
	}
	/* The last piece to be done frees them all: the count must not be read from there. */
	for (uint32_t i = 0; i < count; i++)
		device_submit(device->device, &transfer->pieces[i]);
}

static void add(uint64_t *ops, uint64_t *bytes, uint64_t size)
{
	atomic_inc_64(ops);
	atomic_add_64(bytes, (int64_t)size);
}

/* What a write is, by the block that it belongs to. */
static void kind_of(
	struct vdev_writes *writes, const zio_t *zio, uint64_t **ret_ops, uint64_t **ret_bytes)
{
	const zio_t *logical = zio->io_logical;

	if (zio->io_flags & ZIO_FLAG_PHYSICAL) { /* labels and uberblocks */
		*ret_ops = &writes->label_ops;
		*ret_bytes = &writes->label_bytes;
	} else if (zio->io_bookmark.zb_level == ZB_ZIL_LEVEL) {
		*ret_ops = &writes->log_ops;
		*ret_bytes = &writes->log_bytes;
	} else if (logical && logical->io_prop.zp_level == 0 &&
		   !DMU_OT_IS_METADATA(logical->io_prop.zp_type)) {
		*ret_ops = &writes->data_ops;
		*ret_bytes = &writes->data_bytes;
	} else {
		*ret_ops = &writes->metadata_ops;
		*ret_bytes = &writes->metadata_bytes;
	}
}

/* A write that the queue merged from several counts as one request of the first one's kind; its
 * bytes are shared out, gaps that were filled go to the first. */
static void count_write(struct vdev_writes *writes, zio_t *zio)
{
	uint64_t *ops, *bytes, *part_ops, *part_bytes, left = zio->io_size;
	zio_link_t *link = NULL;
	zio_t *part;

	kind_of(writes, zio, &ops, &bytes);
	if (zio->io_flags & ZIO_FLAG_DELEGATED) {
		part = zio_walk_parents(zio, &link);
		if (part)
			kind_of(writes, part, &ops, &bytes);
		for (; part; part = zio_walk_parents(zio, &link)) {
			uint64_t size = MIN(part->io_size, left);

			kind_of(writes, part, &part_ops, &part_bytes);
			atomic_add_64(part_bytes, (int64_t)size);
			left -= size;
		}
	}
	atomic_inc_64(ops);
	atomic_add_64(bytes, (int64_t)left);
}

static void count(struct vdev_device *device, zio_t *zio)
{
	struct vdev_writes *writes = &device->writes;

	if (zio->io_type == ZIO_TYPE_WRITE)
		count_write(writes, zio);
	else if (zio->io_type == ZIO_TYPE_READ)
		add(&writes->read_ops, &writes->read_bytes, zio->io_size);
	else if (zio->io_type == ZIO_TYPE_FLUSH)
		atomic_inc_64(&writes->flush_ops);
}

/* What later releases add to the arguments of vdev_op_open; the build tells. */
#ifndef VDEV_OPEN_MORE
#define VDEV_OPEN_MORE
#endif

static int leaf_open(vdev_t *vd, uint64_t *size, uint64_t *max_size, uint64_t *logical_ashift,
	uint64_t *physical_ashift VDEV_OPEN_MORE)
{
	struct vdev_device *device;

	if (!vd->vdev_path || vd->vdev_path[0] != '/') {
		vd->vdev_stat.vs_aux = VDEV_AUX_BAD_LABEL;
		return EINVAL;
	}
	device = find_path(vd->vdev_path);
	if (!device) {
		vd->vdev_stat.vs_aux = VDEV_AUX_OPEN_FAILED;
		return ENOENT;
	}
	vd->vdev_tsd = device;
	vd->vdev_nonrot = !device->limits.rotational;
	vd->vdev_has_trim = B_TRUE;
	vd->vdev_has_securetrim = B_FALSE;
	*size = *max_size = device->limits.size_bytes;
	*logical_ashift = (uint64_t)highbit64(device->limits.logical_sector_bytes) - 1;
	*physical_ashift = (uint64_t)highbit64(device->limits.physical_block_bytes) - 1;
	return 0;
}

static void leaf_close(vdev_t *vd)
{
	if (!vd->vdev_reopening)
		vd->vdev_tsd = NULL;
}

static void leaf_start(zio_t *zio)
{
	struct vdev_device *device = zio->io_vd->vdev_tsd;

	if (zio->io_type == ZIO_TYPE_FLUSH && (!vdev_readable(zio->io_vd) || !device)) {
		zio->io_error = ENXIO;
		zio_interrupt(zio);
		return;
	}
	if (zio->io_type == ZIO_TYPE_FLUSH && zfs_nocacheflush) {
		zio_interrupt(zio);
		return;
	}
	count(device, zio);
	if (zio->io_type == ZIO_TYPE_FLUSH)
		vdev_flusher_submit(device->flusher, zio);
	else
		submit(device, zio);
}

static void leaf_done(zio_t *zio)
{
	(void)zio;
}

#define LEAF_OPS(type)                                                                             \
	{                                                                                          \
		.vdev_op_open = leaf_open, .vdev_op_close = leaf_close,                            \
		.vdev_op_asize = vdev_default_asize, .vdev_op_min_asize = vdev_default_min_asize,  \
		.vdev_op_io_start = leaf_start, .vdev_op_io_done = leaf_done,                      \
		.vdev_op_xlate = vdev_default_xlate, .vdev_op_type = type, .vdev_op_leaf = B_TRUE, \
	}

vdev_ops_t vdev_file_ops = LEAF_OPS(VDEV_TYPE_FILE);
vdev_ops_t vdev_disk_ops = LEAF_OPS(VDEV_TYPE_DISK);
