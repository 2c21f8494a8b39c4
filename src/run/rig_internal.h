/* Shared by rig.c (order and life), rig_steps.c (the steps) and rig_image.c (loaded states). */
#ifndef RUN_RIG_INTERNAL_H
#define RUN_RIG_INTERNAL_H

#include "run/rig.h"

struct rig_step {
	const char *name;
	enum rig_blame blame;
	bool with_fake; /* also where the target is a fake and nothing may be touched */
	int (*up)(struct rig *rig, struct err *err);
	/* Accepts half-done work: up may have failed in the middle. */
	int (*down)(struct rig *rig, struct err *err);
};

extern const struct rig_step rig_steps[];
extern const size_t rig_step_count;

/* Run a program to its end; -EINTR as soon as the user wants to stop, with the program ended. */
int rig_run_program(struct rig *rig, const char *const *arguments, struct err *err);

int rig_attach_disks(struct rig *rig, struct err *err);
int rig_detach_disks(struct rig *rig, struct err *err);

#endif
