/*
 * memory_fuse MOUNTPOINT MEGABYTES: a filesystem of one file, "data", whose bytes are in memory:
 * what a request costs through libfuse when nothing is behind it. As plain as libfuse makes it: its
 * own loop of threads, direct I/O so that every read is a request. Runs until it is unmounted.
 */
#define FUSE_USE_VERSION 312

#include <errno.h>
#include <fuse_lowlevel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_NODE 2
#define TIMEOUT_S 3600.0

static char *contents;
static size_t contents_bytes;

static void fill(fuse_ino_t node, struct stat *status)
{
	memset(status, 0, sizeof(*status));
	status->st_ino = node;
	status->st_nlink = 1;
	status->st_mode = node == FILE_NODE ? S_IFREG | 0644 : S_IFDIR | 0755;
	status->st_size = node == FILE_NODE ? (off_t)contents_bytes : 0;
}

static void memory_lookup(fuse_req_t request, fuse_ino_t parent, const char *name)
{
	struct fuse_entry_param entry = {
		.ino = FILE_NODE, .attr_timeout = TIMEOUT_S, .entry_timeout = TIMEOUT_S
	};

	if (parent != FUSE_ROOT_ID || strcmp(name, "data") != 0) {
		fuse_reply_err(request, ENOENT);
		return;
	}
	fill(FILE_NODE, &entry.attr);
	fuse_reply_entry(request, &entry);
}

static void memory_getattr(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *info)
{
	struct stat status;

	(void)info;
	fill(node, &status);
	fuse_reply_attr(request, &status, TIMEOUT_S);
}

static void memory_open(fuse_req_t request, fuse_ino_t node, struct fuse_file_info *info)
{
	if (node != FILE_NODE) {
		fuse_reply_err(request, EISDIR);
		return;
	}
	info->direct_io = 1;
	fuse_reply_open(request, info);
}

static void memory_read(
	fuse_req_t request, fuse_ino_t node, size_t size, off_t offset, struct fuse_file_info *info)
{
	size_t start = (size_t)offset < contents_bytes ? (size_t)offset : contents_bytes;

	(void)node;
	(void)info;
	if (size > contents_bytes - start)
		size = contents_bytes - start;
	fuse_reply_buf(request, contents + start, size);
}

static const struct fuse_lowlevel_ops operations = {
	.lookup = memory_lookup,
	.getattr = memory_getattr,
	.open = memory_open,
	.read = memory_read,
};

static int serve(const char *mountpoint)
{
	char *arguments[] = { (char *)"memory_fuse", NULL };
	struct fuse_args args = FUSE_ARGS_INIT(1, arguments);
	struct fuse_loop_config *config = fuse_loop_cfg_create();
	struct fuse_session *session =
		fuse_session_new(&args, &operations, sizeof(operations), NULL);
	int r = -1;

	if (session && fuse_session_mount(session, mountpoint) == 0) {
		r = fuse_session_loop_mt(session, config);
		fuse_session_unmount(session);
	}
	if (session)
		fuse_session_destroy(session);
	fuse_loop_cfg_destroy(config);
	return r;
}

int main(int argc, char **argv)
{
	if (argc != 3 || atol(argv[2]) <= 0) {
		fprintf(stderr, "usage: memory_fuse MOUNTPOINT MEGABYTES\n");
		return 2;
	}
	contents_bytes = (size_t)atol(argv[2]) << 20;
	contents = malloc(contents_bytes);
	if (!contents) {
		fprintf(stderr, "memory_fuse: no memory\n");
		return 1;
	}
	memset(contents, 'x', contents_bytes);
	return serve(argv[1]) < 0 ? 1 : 0;
}
