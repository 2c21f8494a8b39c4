/*
 * What the kernel's filesystems on a block device have in common: programs needed, running mkfs,
 * mounting, cold start by remount, reading back, space. For the drivers of this folder only.
 */
#ifndef TARGET_BLOCK_TARGET_H
#define TARGET_BLOCK_TARGET_H

#include "base/strbuf.h"
#include "target/target.h"

/* 0 when root may mount a filesystem of this kind here: the kernel has it, program is installed,
 * loop devices are there. Else -ENOTSUP and why, with the Debian package of the program. */
int block_target_check(
	const char *filesystem, const char *program, const char *package, struct err *why);

/* -ENOTSUP with the package when a program is not installed. */
int target_need_program(const char *program, const char *package, struct err *why);

/* open() for drivers with no private data but struct target. */
int block_target_open(
	const struct target_context *context, struct target **ret_target, struct err *err);

/* Path of the one data device. */
const char *block_target_device(const struct target *target);

/* Run mkfs with arguments (NULL-ended); the tail of its messages is in err. */
int block_target_mkfs(const char *const *arguments, struct err *err);

/* Mount as filesystem with options after those that all share (atime, mount_options); root folder
 * goes to the server's user, 0700. */
int block_target_mount(
	struct target *target, const char *filesystem, const char *options, struct err *err);
int block_target_unmount(struct target *target, struct err *err);
int block_target_sync(struct target *target, struct err *err);
/* A filesystem made by mkfs is removed with its device: nothing to do. */
int block_target_destroy(struct target *target, struct err *err);
/* Facts filesystem.mount_options (of mount and filesystem) and filesystem.type_mounted. */
int block_target_describe(struct target *target, struct trial_record *record, struct err *err);
int block_target_space(
	struct target *target, const char *phase, struct trial_record *record, struct err *err);
void block_target_close(struct target *target);

/* The version line of a program ("mke2fs 1.47.0 ...") as fact "versions.NAME". */
void target_version_fact(
	struct trial_record *record, const char *name, const char *program, const char *option);

/* Add ",text" or "text" to a list of mount options. */
void target_add_option(struct strbuf *options, const char *format, ...) PRINTF_LIKE(2, 3);

/* Give path to the server's user with mode 0700. */
int target_give_folder(const struct target *target, const char *path, struct err *err);

/* Rows that all filesystems on block devices share: put at the start of a driver's table. */
#define BLOCK_TARGET_SETTINGS(TYPES)                                                       \
	{ .section = "filesystem",                                                         \
		.key = "atime",                                                            \
		.types = TYPES,                                                            \
		.type = SETTING_WORD,                                                      \
		.words = "on off relatime",                                                \
		.fallback = "relatime",                                                    \
		.reload = true,                                                            \
		.help = "when reading a file updates its access time" },                   \
	{                                                                                  \
		.section = "filesystem", .key = "mount_options", .types = TYPES,           \
		.type = SETTING_TEXT, .check = block_target_check_options, .reload = true, \
		.help = "further mount options, in quotes when there are several: "        \
			"'commit=30,discard'"                                              \
	}
int block_target_check_options(const struct setting *setting, const char *text, struct err *err);

#endif
