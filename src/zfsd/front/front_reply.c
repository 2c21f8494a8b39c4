/*
 * Replies built by hand. The installed libfuse knows neither FOPEN_PARALLEL_DIRECT_WRITES nor
 * FOPEN_NOFLUSH, but sends any bytes: the structs of the kernel's own header go out as they are.
 */
#include "zfsd/front/front_internal.h"

#include <linux/fuse.h>
#include <string.h>

/* All changes come through this mount, so names never go stale. Attributes do, a little: the
 * allocated size changes when a transaction group is written. */
#define NAME_TIMEOUT_S	    3600
#define ATTRIBUTE_TIMEOUT_S 1

void front_fill_stat(struct zfsd_node *node, struct stat *ret)
{
	struct node_attributes attributes;

	node_attributes(node, &attributes);
	memset(ret, 0, sizeof(*ret));
	ret->st_ino = attributes.object;
	ret->st_mode = attributes.mode;
	ret->st_nlink = attributes.links;
	ret->st_uid = attributes.user_id;
	ret->st_gid = attributes.group_id;
	ret->st_rdev = attributes.device;
	ret->st_size = (off_t)attributes.size_bytes;
	ret->st_blksize = (blksize_t)attributes.record_bytes;
	ret->st_blocks = (blkcnt_t)attributes.allocated_512;
	ret->st_atim = attributes.access_time;
	ret->st_mtim = attributes.modify_time;
	ret->st_ctim = attributes.change_time;
}

static void fill_wire(struct zfsd_node *node, struct fuse_entry_out *entry)
{
	struct node_attributes attributes;
	struct fuse_attr *attr = &entry->attr;

	node_attributes(node, &attributes);
	entry->nodeid = (uintptr_t)node;
	entry->generation = attributes.generation;
	entry->entry_valid = NAME_TIMEOUT_S;
	entry->attr_valid = ATTRIBUTE_TIMEOUT_S;
	attr->ino = attributes.object;
	attr->size = attributes.size_bytes;
	attr->blocks = attributes.allocated_512;
	attr->atime = (uint64_t)attributes.access_time.tv_sec;
	attr->mtime = (uint64_t)attributes.modify_time.tv_sec;
	attr->ctime = (uint64_t)attributes.change_time.tv_sec;
	attr->atimensec = (uint32_t)attributes.access_time.tv_nsec;
	attr->mtimensec = (uint32_t)attributes.modify_time.tv_nsec;
	attr->ctimensec = (uint32_t)attributes.change_time.tv_nsec;
	attr->mode = attributes.mode;
	attr->nlink = (uint32_t)attributes.links;
	attr->uid = attributes.user_id;
	attr->gid = attributes.group_id;
	attr->rdev = (uint32_t)attributes.device;
	attr->blksize = attributes.record_bytes;
}

static void fill_open(
	fuse_req_t request, const struct fuse_file_info *info, struct fuse_open_out *open)
{
	const struct zfsd_mount *mount = fuse_req_userdata(request);

	open->fh = info->fh;
	open->open_flags = FOPEN_NOFLUSH;
	if (mount->options.cached)
		open->open_flags |= FOPEN_KEEP_CACHE;
	else
		open->open_flags |= FOPEN_DIRECT_IO | FOPEN_PARALLEL_DIRECT_WRITES;
}

void front_reply_open(fuse_req_t request, const struct fuse_file_info *info)
{
	struct fuse_open_out open = { 0 };

	fill_open(request, info, &open);
	fuse_reply_buf(request, (const char *)&open, sizeof(open));
}

void front_reply_create(
	fuse_req_t request, struct zfsd_node *node, const struct fuse_file_info *info)
{
	struct {
		struct fuse_entry_out entry;
		struct fuse_open_out open;
	} reply = { 0 };

	fill_wire(node, &reply.entry);
	fill_open(request, info, &reply.open);
	if (fuse_reply_buf(request, (const char *)&reply, sizeof(reply)) < 0)
		node_release(node, 1); /* the request was interrupted */
}

void front_reply_node(fuse_req_t request, struct zfsd_node *node)
{
	struct fuse_entry_out entry = { 0 };

	fill_wire(node, &entry);
	if (fuse_reply_buf(request, (const char *)&entry, sizeof(entry)) < 0)
		node_release(node, 1);
}

void front_reply_attributes(fuse_req_t request, struct zfsd_node *node)
{
	struct stat status;

	front_fill_stat(node, &status);
	fuse_reply_attr(request, &status, ATTRIBUTE_TIMEOUT_S);
}
