/*
 * Pool layouts as a study writes them: "stripe 4", "2 x mirror 2", "raidz1 5". Apart from the ZFS
 * targets because both engines and the device planning read it.
 */
#ifndef TARGET_LAYOUT_H
#define TARGET_LAYOUT_H

#include "base/err.h"
#include "setting/setting.h"
#include <stddef.h>

enum layout_type { LAYOUT_STRIPE, LAYOUT_MIRROR, LAYOUT_RAIDZ1, LAYOUT_RAIDZ2, LAYOUT_RAIDZ3 };

/* groups top-level vdevs of width devices each; a stripe has width 1. */
struct layout {
	enum layout_type type;
	size_t groups;
	size_t width;
};

/* "stripe N" | "[G x] mirror M" | "[G x] raidz1 N" | raidz2 | raidz3. -EINVAL says what is wrong;
 * *ret_layout is untouched then. */
int layout_parse(const char *text, struct layout *ret_layout, struct err *err);
size_t layout_devices(const struct layout *layout);
/* The word of zpool(8) for one top-level vdev: "mirror", "raidz1"; NULL for a stripe. */
const char *layout_word(const struct layout *layout);
/* For setting rows. */
int layout_check(const struct setting *setting, const char *text, struct err *err);

#endif
