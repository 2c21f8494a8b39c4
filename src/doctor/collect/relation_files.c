/* One pass over the files of a folder; on btrfs a closer look at the biggest ones. */
#include "doctor/collect/relation_files.h"
#include "doctor/facts.h"
#include "base/macros.h"
#include "base/memory.h"
#include "platform/os_files.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_MAX   500000 /* a scan is cut short there */
#define DEPTH_MAX   6
#define SIZES_MAX   64 /* different record sizes that are told apart */
#define BIGGEST_MAX 20 /* files whose extents are counted */

struct record_size {
	uint64_t bytes_each, files, bytes;
};

struct big_file {
	uint64_t bytes;
	char path[PATH_MAX];
};

/* Bytes of a relation that has more than one segment (only those need adding up). */
struct relation {
	uint64_t key; /* folder's inode and file number, mixed */
	uint64_t bytes;
};

struct scan {
	dev_t device;
	uint64_t count, bytes, allocated_bytes, largest_bytes;
	bool cut_short;
	struct record_size sizes[SIZES_MAX];
	size_t size_count;
	struct big_file biggest[BIGGEST_MAX];
	size_t big_count;
	struct relation *relations; /* segments of relations, one entry a relation */
	size_t relation_count, relation_room;
	int first_error;
};

static void add_record(struct scan *scan, uint64_t record, uint64_t bytes)
{
	for (size_t i = 0; i < scan->size_count; i++) {
		if (scan->sizes[i].bytes_each != record)
			continue;
		scan->sizes[i].files++;
		scan->sizes[i].bytes += bytes;
		return;
	}
	if (scan->size_count < SIZES_MAX)
		scan->sizes[scan->size_count++] = (struct record_size){ record, 1, bytes };
}

/* Keep the biggest files in a small list, the smallest of them first to go. */
static void add_big(struct scan *scan, const char *folder, const char *name, uint64_t bytes)
{
	size_t place = scan->big_count;

	if (scan->big_count < BIGGEST_MAX) {
		scan->big_count++;
	} else {
		place = 0;
		for (size_t i = 1; i < BIGGEST_MAX; i++)
			if (scan->biggest[i].bytes < scan->biggest[place].bytes)
				place = i;
		if (scan->biggest[place].bytes >= bytes)
			return;
	}
	scan->biggest[place].bytes = bytes;
	snprintf(scan->biggest[place].path, sizeof(scan->biggest[place].path), "%s/%s", folder,
		name);
}

/* "16384" and its segments "16384.1"...; forks ("_fsm") and other files are no relation. */
static void add_segment(struct scan *scan, ino_t folder, const char *name, uint64_t bytes)
{
	char *end;
	unsigned long number = strtoul(name, &end, 10);

	if (end == name || (*end != '\0' && *end != '.'))
		return;
	scan->largest_bytes = MAX(scan->largest_bytes, bytes);
	/* Only a relation that fills its first segment (1G) can have more. */
	if (*end == '\0' && bytes < (1ULL << 30))
		return;
	uint64_t key = (uint64_t)folder * 0x9e3779b97f4a7c15ULL + number;
	size_t i = 0;
	while (i < scan->relation_count && scan->relations[i].key != key)
		i++;
	if (i == scan->relation_count) {
		if (i == scan->relation_room) {
			scan->relation_room = scan->relation_room ? 2 * scan->relation_room : 64;
			scan->relations = memory_resize(
				scan->relations, scan->relation_room, sizeof(*scan->relations));
		}
		scan->relations[scan->relation_count++] = (struct relation){ key, 0 };
	}
	scan->relations[i].bytes += bytes;
	scan->largest_bytes = MAX(scan->largest_bytes, scan->relations[i].bytes);
}

static void add_file(struct scan *scan, const char *folder, ino_t folder_number, const char *name,
	const struct stat *info)
{
	uint64_t bytes = (uint64_t)info->st_size;

	scan->count++;
	scan->bytes += bytes;
	scan->allocated_bytes += (uint64_t)info->st_blocks * 512;
	if (info->st_size > info->st_blksize && info->st_blksize > 0)
		add_record(scan, (uint64_t)info->st_blksize, bytes);
	add_big(scan, folder, name, bytes);
	add_segment(scan, folder_number, name, bytes);
}

static void scan_folder(struct scan *scan, const char *folder, int depth)
{
	char path[PATH_MAX];
	struct stat info;
	struct dirent *entry;
	int fd = os_open_unnoticed(folder, O_DIRECTORY);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);

	if (!entries) {
		if (fd >= 0)
			close(fd);
		scan->first_error = scan->first_error ? scan->first_error : fd < 0 ? fd : -errno;
		return;
	}
	ino_t number = fstat(fd, &info) == 0 ? info.st_ino : 0;
	while ((entry = readdir(entries)) && !scan->cut_short) {
		if (entry->d_name[0] == '.' ||
			fstatat(fd, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (S_ISDIR(info.st_mode) && depth < DEPTH_MAX && info.st_dev == scan->device) {
			snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
			scan_folder(scan, path, depth + 1);
		} else if (S_ISREG(info.st_mode)) {
			add_file(scan, folder, number, entry->d_name, &info);
			scan->cut_short = scan->count >= FILES_MAX;
		}
	}
	closedir(entries);
}

/* btrfs: is the folder or its biggest file No_COW, and how scattered are the biggest files? */
static void look_closer(const struct scan *scan, const char *folder, json_t *files)
{
	bool nocow = false, known = false;
	uint64_t most = 0;

	for (size_t i = 0; i <= scan->big_count; i++) {
		const char *path = i < scan->big_count ? scan->biggest[i].path : folder;
		int fd = os_open_unnoticed(path, 0);
		bool flag;
		uint64_t extents;

		if (fd < 0)
			continue;
		if (os_file_is_nocow(fd, &flag) == 0) {
			known = true;
			nocow = nocow || flag;
		}
		if (i < scan->big_count && os_file_extents(fd, &extents) == 0)
			most = MAX(most, extents);
		close(fd);
	}
	if (known)
		facts_put_bool(files, "nocow", nocow);
	facts_put_number(files, "extents_max", (double)most);
}

static json_t *scan_result(const struct scan *scan)
{
	json_t *files = json_object();
	json_t *sizes = json_array();

	facts_put_number(files, "count", (double)scan->count);
	facts_put_number(files, "bytes", (double)scan->bytes);
	facts_put_number(files, "allocated_bytes", (double)scan->allocated_bytes);
	facts_put_number(files, "largest_relation_bytes", (double)scan->largest_bytes);
	facts_put_bool(files, "cut_short", scan->cut_short);
	for (size_t i = 0; i < scan->size_count; i++) {
		json_t *row = json_object();
		facts_put_number(row, "record_bytes", (double)scan->sizes[i].bytes_each);
		facts_put_number(row, "files", (double)scan->sizes[i].files);
		facts_put_number(row, "bytes", (double)scan->sizes[i].bytes);
		json_array_append_new(sizes, row);
	}
	facts_put(files, "record_sizes", sizes);
	return files;
}

int relation_files_scan(const char *folder, json_t **ret_files, struct err *err)
{
	struct scan *scan = memory_new(sizeof(*scan));
	struct stat info;
	int r = 0;

	if (stat(folder, &info) != 0) {
		r = err_set_errno(err, -errno, "look at '%s'", folder);
	} else {
		scan->device = info.st_dev;
		scan_folder(scan, folder, 0);
		if (scan->first_error < 0 && scan->count == 0)
			r = err_set_errno(err, scan->first_error, "read folder '%s'", folder);
	}
	if (r == 0) {
		*ret_files = scan_result(scan);
		if (os_path_is_btrfs(folder))
			look_closer(scan, folder, *ret_files);
	}
	free(scan->relations);
	free(scan);
	return r;
}
