/*
 * Loaded states: kept once after the load and brought back before every run but the first, so that
 * all runs of a set-up start alike. Where all disks are files they are copied as files (sharing
 * extents where the host's filesystem can); elsewhere the cluster's folder is copied as a tree.
 */
#include "run/rig_internal.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/subprocess.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define COPY_TIME_NS (3600 * NS_PER_S)

static bool disks_are_files(const struct rig *rig)
{
	if (rig->driver->base != TARGET_ON_BLOCK || rig->disk_count == 0)
		return false;
	for (size_t i = 0; i < rig->disk_count; i++)
		if (!rig->disks[i].image_path)
			return false;
	return true;
}

const char *rig_restore_word(const struct rig *rig)
{
	if (!rig->options.keeps_image || rig->driver->base == TARGET_ON_FAKE)
		return "none";
	return disks_are_files(rig) ? "image" : "tree";
}

static char *loaded_path(const struct rig_disk *disk)
{
	return memory_format("%s.loaded", disk->image_path);
}

/* Filesystem unmounted and devices let go: their files are whole. */
static int take_down(struct rig *rig, struct err *err)
{
	int r = target_unmount(rig->target, err);

	if (r == 0 && rig->driver->release)
		r = rig->driver->release(rig->target, err);
	return r == 0 ? rig_detach_disks(rig, err) : r;
}

static int bring_back(struct rig *rig, struct err *err)
{
	int r = rig_attach_disks(rig, err);

	if (r == 0 && rig->driver->take)
		r = rig->driver->take(rig->target, err);
	return r == 0 ? target_mount(rig->target, err) : r;
}

/* Copy every disk's image to its loaded form, or back. */
static int copy_images(struct rig *rig, bool back, struct err *err)
{
	int r = take_down(rig, err);

	for (size_t i = 0; r == 0 && i < rig->disk_count; i++) {
		const char *image = rig->disks[i].image_path;
		char *loaded = loaded_path(&rig->disks[i]);

		r = rig_disk_copy_image(back ? loaded : image, back ? image : loaded, err);
		free(loaded);
	}
	return r == 0 ? bring_back(rig, err) : r;
}

static int copy_tree(const char *from, const char *to, struct err *err)
{
	const char *const arguments[] = { "cp", "-a", "--reflink=auto", "--sparse=auto", "--", from,
		to, NULL };
	struct subprocess_options options = { .arguments = arguments, .die_with_parent = true };
	int r = file_remove_tree(to, err);

	return r == 0 ? subprocess_run(&options, COPY_TIME_NS, NULL, NULL, err) : r;
}

static int copy_data(struct rig *rig, bool back, struct err *err)
{
	char *loaded = memory_format("%s/loaded", rig->folder);
	int r = back ? copy_tree(loaded, rig->data_folder, err)
		     : copy_tree(rig->data_folder, loaded, err);

	free(loaded);
	return r == 0 ? target_sync(rig->target, err) : r;
}

static int copy(struct rig *rig, bool back, struct err *err)
{
	const char *word = rig_restore_word(rig);
	int r = 0;

	rig->blame = RIG_OURS;
	if (strcmp(word, "image") == 0)
		r = copy_images(rig, back, err);
	else if (strcmp(word, "tree") == 0 && rig->cluster)
		r = copy_data(rig, back, err);
	return r < 0 ? err_prefix(err, r,
			       back ? "bring the loaded state back" : "keep the loaded state")
		     : 0;
}

int rig_save_image(struct rig *rig, struct err *err)
{
	int r = rig->options.keeps_image ? copy(rig, false, err) : 0;

	rig->has_image = r == 0;
	return r;
}

int rig_restore_image(struct rig *rig, struct err *err)
{
	return rig->has_image ? copy(rig, true, err) : 0;
}
