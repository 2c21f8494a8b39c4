/*
 * Loaded states: kept once after the load and brought back before every run but the first, so that
 * all runs of a set-up start alike. Where all disks are files they are copied as files (sharing
 * extents where the host's filesystem can); elsewhere the cluster's folder is copied as a tree.
 */
#include "run/rig_internal.h"

#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* cp shares extents where the host's filesystem can and keeps holes. Under another name until it is
 * whole; written back now, not while the next run is measured. */
static int copy_image(struct rig *rig, const char *from, const char *to, struct err *err)
{
	char *early = memory_format("%s.copy", to);
	const char *const copy[] = { "cp", "--reflink=auto", "--sparse=auto", "--", from, early,
		NULL };
	const char *const sync[] = { "sync", "--", early, NULL };
	int r = rig_run_program(rig, copy, err);

	if (r == 0)
		r = rig_run_program(rig, sync, err);
	if (r == 0 && rename(early, to) < 0)
		r = err_set_errno(err, -errno, "cannot finish the copy '%s'", to);
	free(early);
	return r;
}

/* Copy every disk's image to its loaded form, or back. */
static int copy_images(struct rig *rig, bool back, struct err *err)
{
	int r = take_down(rig, err);

	for (size_t i = 0; r == 0 && i < rig->disk_count; i++) {
		const char *image = rig->disks[i].image_path;
		char *loaded = loaded_path(&rig->disks[i]);

		r = copy_image(rig, back ? loaded : image, back ? image : loaded, err);
		free(loaded);
	}
	return r == 0 ? bring_back(rig, err) : r;
}

static int copy_tree(struct rig *rig, const char *from, const char *to, struct err *err)
{
	const char *const arguments[] = { "cp", "-a", "--reflink=auto", "--sparse=auto", "--", from,
		to, NULL };
	int r = file_remove_tree(to, err);

	return r == 0 ? rig_run_program(rig, arguments, err) : r;
}

static int copy_data(struct rig *rig, bool back, struct err *err)
{
	char *loaded = memory_format("%s/loaded", rig->folder);
	int r = back ? copy_tree(rig, loaded, rig->data_folder, err)
		     : copy_tree(rig, rig->data_folder, loaded, err);

	free(loaded);
	return r == 0 ? rig_sync(rig, err) : r;
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
