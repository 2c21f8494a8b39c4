/* Every target driver, each defined in the file of its name. */
#ifndef TARGET_DRIVERS_H
#define TARGET_DRIVERS_H

#include "target/target.h"

extern const struct target_driver directory_target, ext2_target, ext3_target, ext4_target,
	xfs_target, btrfs_target, zfs_kernel_target, zfs_embedded_target, fake_target;

#endif
