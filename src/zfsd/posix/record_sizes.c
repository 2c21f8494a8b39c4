/* The block sizes that files really have: a property changed later does not change them. */
#include "zfsd/posix/posix_internal.h"

#include "base/memory.h"

struct totals {
	struct record_size *sizes;
	size_t count;
};

static void add_file(struct totals *totals, const struct zfsd_node *node)
{
	size_t i = 0;

	while (i < totals->count && totals->sizes[i].record_bytes != node->record_bytes)
		i++;
	if (i == totals->count) {
		totals->sizes =
			memory_resize(totals->sizes, totals->count + 1, sizeof(totals->sizes[0]));
		totals->sizes[totals->count++] =
			(struct record_size){ .record_bytes = node->record_bytes };
	}
	totals->sizes[i].files++;
	totals->sizes[i].bytes += node->size_bytes;
}

static int walk(struct zfsd_node *node, struct totals *totals);

struct children {
	uint64_t *objects;
	size_t count;
};

static bool collect(
	void *context, const char *name, uint64_t object, uint32_t type_mode, uint64_t cookie)
{
	struct children *children = context;

	(void)cookie;
	if ((S_ISDIR(type_mode) || S_ISREG(type_mode)) && strcmp(name, ".") != 0 &&
		strcmp(name, "..") != 0) {
		children->objects = memory_resize(
			children->objects, children->count + 1, sizeof(*children->objects));
		children->objects[children->count++] = object;
	}
	return true;
}

static int walk_folder(struct zfsd_node *folder, struct totals *totals)
{
	struct children children = { 0 };
	int r = node_read_folder(folder, 0, collect, &children);

	for (size_t i = 0; r == 0 && i < children.count; i++) {
		struct zfsd_node *node;

		r = node_get(folder->fs, children.objects[i], &node);
		if (r == -ENOENT) { /* removed since */
			r = 0;
			continue;
		}
		if (r == 0) {
			r = walk(node, totals);
			node_release(node, 1);
		}
	}
	free(children.objects);
	return r;
}

static int walk(struct zfsd_node *node, struct totals *totals)
{
	if (S_ISDIR(node->mode))
		return walk_folder(node, totals);
	if (S_ISREG(node->mode))
		add_file(totals, node);
	return 0;
}

static int find_path(struct zfsd_filesystem *fs, const char *path, struct zfsd_node **ret_node)
{
	struct zfsd_node *node = fs->root, *next;
	char name[NODE_NAME_MAX + 1];
	int r = 0;

	node_hold(node);
	while (r == 0 && *(path += strspn(path, "/"))) {
		size_t length = strcspn(path, "/");

		if (length > NODE_NAME_MAX) {
			r = -ENAMETOOLONG;
			break;
		}
		memcpy(name, path, length);
		name[length] = '\0';
		path += length;
		r = node_lookup(node, name, &next);
		if (r == 0) {
			node_release(node, 1);
			node = next;
		}
	}
	if (r < 0)
		node_release(node, 1);
	else
		*ret_node = node;
	return r;
}

static int compare(const void *a, const void *b)
{
	uint32_t left = ((const struct record_size *)a)->record_bytes;
	uint32_t right = ((const struct record_size *)b)->record_bytes;

	return (left > right) - (left < right);
}

int filesystem_record_sizes(struct zfsd_filesystem *fs, const char *path,
	struct record_size **ret_sizes, size_t *ret_count)
{
	struct totals totals = { 0 };
	struct zfsd_node *node;
	int r = find_path(fs, path, &node);

	if (r < 0)
		return r;
	r = walk(node, &totals);
	node_release(node, 1);
	if (r < 0) {
		free(totals.sizes);
		return r;
	}
	if (totals.count)
		qsort(totals.sizes, totals.count, sizeof(totals.sizes[0]), compare);
	*ret_sizes = totals.sizes;
	*ret_count = totals.count;
	return 0;
}
