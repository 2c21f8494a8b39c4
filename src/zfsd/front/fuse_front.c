/*
 * Requests of the kernel, one function each: take the request apart, call the POSIX layer, reply.
 * A FUSE node id is the address of a node; 1 is the root.
 */
#include "zfsd/front/front_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#define NEGATIVE_TIMEOUT_S 3600.0

struct front_counters front_counters;

static struct zfsd_mount *mount_of(fuse_req_t request)
{
	return fuse_req_userdata(request);
}

static struct zfsd_node *node_of(fuse_req_t request, fuse_ino_t id)
{
	return id == FUSE_ROOT_ID ? filesystem_root(mount_of(request)->fs)
				  : (struct zfsd_node *)(uintptr_t)id;
}

static bool is_synchronous(const struct fuse_file_info *info)
{
	return info->flags & (O_SYNC | O_DSYNC);
}

/* Set-id bits survive writes of those who may set them. */
static bool must_clear_setid(fuse_req_t request)
{
	return fuse_req_ctx(request)->uid != 0;
}

static struct node_owner owner_of(fuse_req_t request)
{
	const struct fuse_ctx *context = fuse_req_ctx(request);

	return (struct node_owner){ context->uid, context->gid };
}

static void front_init(void *userdata, struct fuse_conn_info *connection)
{
	const struct zfsd_mount *mount = userdata;

	connection->max_write = FRONT_REQUEST_BYTES;
	connection->max_readahead = FRONT_REQUEST_BYTES;
	connection->want &= ~(unsigned)(FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE |
					FUSE_CAP_SPLICE_MOVE | FUSE_CAP_AUTO_INVAL_DATA);
	connection->want |= connection->capable & FUSE_CAP_CACHE_SYMLINKS;
	/* Cached means cached both ways: the kernel gathers small writes and brings them at fsync,
	 * at close and from time to time. Only this mount changes the files, so its pages stay
	 * true. */
	if (mount->options.cached)
		connection->want |= connection->capable & FUSE_CAP_WRITEBACK_CACHE;
	connection->time_gran = 1;
}

static void front_lookup(fuse_req_t request, fuse_ino_t parent, const char *name)
{
	struct zfsd_node *node;
	int r = node_lookup(node_of(request, parent), name, &node);

	FRONT_COUNT(lookup, 1);
	if (r == -ENOENT) {
		struct fuse_entry_param none = { .entry_timeout = NEGATIVE_TIMEOUT_S };

		fuse_reply_entry(request, &none);
	} else if (r < 0) {
		fuse_reply_err(request, -r);
	} else {
		front_reply_node(request, node);
	}
}

static void front_forget(fuse_req_t request, fuse_ino_t id, uint64_t count)
{
	if (id != FUSE_ROOT_ID)
		node_release(node_of(request, id), count);
	fuse_reply_none(request);
}

static void front_forget_multi(fuse_req_t request, size_t count, struct fuse_forget_data *forgets)
{
	for (size_t i = 0; i < count; i++) {
		if (forgets[i].ino != FUSE_ROOT_ID)
			node_release(node_of(request, forgets[i].ino), forgets[i].nlookup);
	}
	fuse_reply_none(request);
}

static void front_getattr(fuse_req_t request, fuse_ino_t id, struct fuse_file_info *info)
{
	(void)info;
	FRONT_COUNT(getattr, 1);
	front_reply_attributes(request, node_of(request, id));
}

static unsigned changes_of(int to_set)
{
	static const struct {
		int fuse;
		unsigned change;
	} table[] = {
		{ FUSE_SET_ATTR_MODE, NODE_CHANGE_MODE },
		{ FUSE_SET_ATTR_UID, NODE_CHANGE_USER },
		{ FUSE_SET_ATTR_GID, NODE_CHANGE_GROUP },
		{ FUSE_SET_ATTR_SIZE, NODE_CHANGE_SIZE },
		{ FUSE_SET_ATTR_ATIME, NODE_CHANGE_ACCESS_TIME },
		{ FUSE_SET_ATTR_MTIME, NODE_CHANGE_MODIFY_TIME },
		{ FUSE_SET_ATTR_ATIME_NOW, NODE_CHANGE_ACCESS_NOW },
		{ FUSE_SET_ATTR_MTIME_NOW, NODE_CHANGE_MODIFY_NOW },
	};
	unsigned changes = 0;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		changes |= to_set & table[i].fuse ? table[i].change : 0;
	return changes;
}

static void front_setattr(fuse_req_t request, fuse_ino_t id, struct stat *status, int to_set,
	struct fuse_file_info *info)
{
	struct zfsd_node *node = node_of(request, id);
	struct node_attributes values = { .size_bytes = (uint64_t)status->st_size,
		.mode = status->st_mode,
		.user_id = status->st_uid,
		.group_id = status->st_gid,
		.access_time = status->st_atim,
		.modify_time = status->st_mtim };
	unsigned changes = changes_of(to_set);
	int r;

	(void)info;
	FRONT_COUNT(setattr, 1);
	/* A chown takes set-id bits of files away, whoever does it; a truncation as a write. */
	if ((changes & (NODE_CHANGE_USER | NODE_CHANGE_GROUP)) && S_ISREG(node_mode(node)))
		changes |= NODE_CHANGE_CLEAR_SETID;
	if ((changes & NODE_CHANGE_SIZE) && must_clear_setid(request))
		changes |= NODE_CHANGE_CLEAR_SETID;
	r = node_set_attributes(node, changes, &values);
	if (r < 0)
		fuse_reply_err(request, -r);
	else
		front_reply_attributes(request, node);
}

static void front_readlink(fuse_req_t request, fuse_ino_t id)
{
	char target[4097];
	int r = node_read_link(node_of(request, id), target, sizeof(target));

	if (r < 0)
		fuse_reply_err(request, -r);
	else
		fuse_reply_readlink(request, target);
}

static void create(fuse_req_t request, fuse_ino_t parent, struct node_create *what)
{
	struct zfsd_node *node;
	int r;

	FRONT_COUNT(namespace, 1);
	what->owner = owner_of(request);
	r = node_create(node_of(request, parent), what, &node);
	if (r < 0)
		fuse_reply_err(request, -r);
	else
		front_reply_node(request, node);
}

static void front_mknod(
	fuse_req_t request, fuse_ino_t parent, const char *name, mode_t mode, dev_t device)
{
	create(request, parent,
		&(struct node_create){ .name = name, .mode = mode, .device = device });
}

static void front_mkdir(fuse_req_t request, fuse_ino_t parent, const char *name, mode_t mode)
{
	create(request, parent,
		&(struct node_create){ .name = name, .mode = S_IFDIR | (mode & 07777) });
}

static void front_symlink(
	fuse_req_t request, const char *target, fuse_ino_t parent, const char *name)
{
	create(request, parent,
		&(struct node_create){ .name = name, .mode = S_IFLNK | 0777, .target = target });
}

static void front_unlink(fuse_req_t request, fuse_ino_t parent, const char *name)
{
	FRONT_COUNT(namespace, 1);
	fuse_reply_err(request, -node_unlink(node_of(request, parent), name));
}

static void front_rmdir(fuse_req_t request, fuse_ino_t parent, const char *name)
{
	FRONT_COUNT(namespace, 1);
	fuse_reply_err(request, -node_remove_folder(node_of(request, parent), name));
}

static void front_rename(fuse_req_t request, fuse_ino_t parent, const char *name,
	fuse_ino_t new_parent, const char *new_name, unsigned flags)
{
	FRONT_COUNT(namespace, 1);
	fuse_reply_err(request, -node_rename(node_of(request, parent), name,
					node_of(request, new_parent), new_name, flags));
}

static void front_link(
	fuse_req_t request, fuse_ino_t id, fuse_ino_t new_parent, const char *new_name)
{
	struct zfsd_node *node = node_of(request, id);
	int r;

	FRONT_COUNT(namespace, 1);
	r = node_link(node, node_of(request, new_parent), new_name);
	if (r < 0) {
		fuse_reply_err(request, -r);
		return;
	}
	node_hold(node);
	front_reply_node(request, node);
}

static int truncate_at_open(fuse_req_t request, struct zfsd_node *node)
{
	struct node_attributes values = { .size_bytes = 0 };
	unsigned changes = NODE_CHANGE_SIZE;

	if (must_clear_setid(request))
		changes |= NODE_CHANGE_CLEAR_SETID;
	return node_set_attributes(node, changes, &values);
}

static void front_open(fuse_req_t request, fuse_ino_t id, struct fuse_file_info *info)
{
	struct zfsd_node *node = node_of(request, id);
	int r = 0;

	FRONT_COUNT(open, 1);
	if ((info->flags & O_ACCMODE) != O_RDONLY && filesystem_readonly(mount_of(request)->fs))
		r = -EROFS;
	if (r == 0 && (info->flags & O_TRUNC))
		r = truncate_at_open(request, node);
	if (r < 0) {
		fuse_reply_err(request, -r);
		return;
	}
	info->fh = is_synchronous(info);
	node_opened(node, info->fh);
	front_reply_open(request, info);
}

static void front_create(fuse_req_t request, fuse_ino_t parent, const char *name, mode_t mode,
	struct fuse_file_info *info)
{
	struct node_create what = {
		.name = name, .mode = S_IFREG | (mode & 07777), .owner = owner_of(request)
	};
	struct zfsd_node *node;
	int r;

	FRONT_COUNT(create, 1);
	r = node_create(node_of(request, parent), &what, &node);
	if (r == -EEXIST && !(info->flags & O_EXCL))
		r = node_lookup(node_of(request, parent), name, &node);
	if (r < 0) {
		fuse_reply_err(request, -r);
		return;
	}
	info->fh = is_synchronous(info);
	node_opened(node, info->fh);
	front_reply_create(request, node, info);
}

static void front_release(fuse_req_t request, fuse_ino_t id, struct fuse_file_info *info)
{
	node_closed(node_of(request, id), info->fh);
	fuse_reply_err(request, 0);
}

static void front_read(
	fuse_req_t request, fuse_ino_t id, size_t size, off_t offset, struct fuse_file_info *info)
{
	char *buffer = front_thread_buffer();
	ssize_t got;

	(void)info;
	if (size > FRONT_REQUEST_BYTES)
		size = FRONT_REQUEST_BYTES;
	got = node_read(node_of(request, id), buffer, size, (uint64_t)offset);
	FRONT_COUNT(read, 1);
	if (got < 0) {
		fuse_reply_err(request, (int)-got);
		return;
	}
	FRONT_COUNT(read_bytes, got);
	fuse_reply_buf(request, buffer, (size_t)got);
}

static void front_write(fuse_req_t request, fuse_ino_t id, const char *data, size_t size,
	off_t offset, struct fuse_file_info *info)
{
	unsigned flags = 0;
	ssize_t put;

	if (is_synchronous(info))
		flags |= NODE_WRITE_SYNC;
	if (must_clear_setid(request))
		flags |= NODE_WRITE_CLEAR_SETID;
	put = node_write(node_of(request, id), data, size, (uint64_t)offset, flags);
	FRONT_COUNT(write, 1);
	if (put < 0) {
		fuse_reply_err(request, (int)-put);
		return;
	}
	FRONT_COUNT(write_bytes, put);
	fuse_reply_write(request, (size_t)put);
}

static void front_fsync(
	fuse_req_t request, fuse_ino_t id, int data_only, struct fuse_file_info *info)
{
	(void)data_only;
	(void)info;
	FRONT_COUNT(fsync, 1);
	fuse_reply_err(request, -node_sync(node_of(request, id)));
}

static void front_opendir(fuse_req_t request, fuse_ino_t id, struct fuse_file_info *info)
{
	(void)id;
	fuse_reply_open(request, info);
}

struct listing {
	fuse_req_t request;
	char *buffer;
	size_t size;
	size_t used;
};

static bool add_entry(
	void *context, const char *name, uint64_t object, uint32_t type_mode, uint64_t cookie)
{
	struct listing *listing = context;
	struct stat status = { .st_ino = object, .st_mode = type_mode };
	size_t room = listing->size - listing->used;
	size_t needed = fuse_add_direntry(listing->request, listing->buffer + listing->used, room,
		name, &status, (off_t)cookie);

	if (needed > room)
		return false;
	listing->used += needed;
	return true;
}

static void front_readdir(
	fuse_req_t request, fuse_ino_t id, size_t size, off_t offset, struct fuse_file_info *info)
{
	struct listing listing = { .request = request,
		.buffer = front_thread_buffer(),
		.size = size < FRONT_REQUEST_BYTES ? size : FRONT_REQUEST_BYTES };
	int r;

	(void)info;
	FRONT_COUNT(readdir, 1);
	r = node_read_folder(node_of(request, id), (uint64_t)offset, add_entry, &listing);
	if (r < 0)
		fuse_reply_err(request, -r);
	else
		fuse_reply_buf(request, listing.buffer, listing.used);
}

static void front_statfs(fuse_req_t request, fuse_ino_t id)
{
	struct filesystem_space space;
	struct statvfs status = { 0 };

	(void)id;
	FRONT_COUNT(statfs, 1);
	filesystem_space(mount_of(request)->fs, &space);
	status.f_bsize = space.preferred_bytes;
	status.f_frsize = space.block_bytes;
	status.f_blocks = space.total_blocks;
	status.f_bfree = space.free_blocks;
	status.f_bavail = space.free_blocks;
	status.f_files = space.total_files;
	status.f_ffree = space.free_files;
	status.f_favail = space.free_files;
	status.f_fsid = space.id;
	status.f_namemax = 255;
	fuse_reply_statfs(request, &status);
}

static void front_fallocate(fuse_req_t request, fuse_ino_t id, int mode, off_t offset, off_t length,
	struct fuse_file_info *info)
{
	(void)info;
	FRONT_COUNT(fallocate, 1);
	fuse_reply_err(request, -node_allocate(node_of(request, id), (unsigned)mode,
					(uint64_t)offset, (uint64_t)length));
}

static void front_lseek(
	fuse_req_t request, fuse_ino_t id, off_t offset, int whence, struct fuse_file_info *info)
{
	uint64_t found;
	int r;

	(void)info;
	FRONT_COUNT(lseek, 1);
	r = node_seek(node_of(request, id), whence, (uint64_t)offset, &found);
	if (r < 0)
		fuse_reply_err(request, -r);
	else
		fuse_reply_lseek(request, (off_t)found);
}

const struct fuse_lowlevel_ops front_operations = {
	.init = front_init,
	.lookup = front_lookup,
	.forget = front_forget,
	.forget_multi = front_forget_multi,
	.getattr = front_getattr,
	.setattr = front_setattr,
	.readlink = front_readlink,
	.mknod = front_mknod,
	.mkdir = front_mkdir,
	.symlink = front_symlink,
	.unlink = front_unlink,
	.rmdir = front_rmdir,
	.rename = front_rename,
	.link = front_link,
	.open = front_open,
	.create = front_create,
	.release = front_release,
	.read = front_read,
	.write = front_write,
	.fsync = front_fsync,
	.opendir = front_opendir,
	.readdir = front_readdir,
	.fsyncdir = front_fsync,
	.statfs = front_statfs,
	.fallocate = front_fallocate,
	.lseek = front_lseek,
};
