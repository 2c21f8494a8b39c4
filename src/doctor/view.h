/*
 * The view: facts made ready for rules. Settings become numbers, each location is joined with its
 * mount, dataset, pool and device, and what follows from several facts (is it copy-on-write? does
 * the memory add up?) gets a name of its own. What can't be derived stays absent.
 */
#ifndef DOCTOR_VIEW_H
#define DOCTOR_VIEW_H

#include <jansson.h>
#include <stdbool.h>

struct view {
	const json_t *facts; /* lent */
	json_t *root;	     /* names seen by every rule */
	/* One object each, holding "location", "mount", "dataset", "pool", "device", "files", "zfs"
	 * as far as they apply; likewise "pool" and "device" of the others. */
	json_t *locations;
	json_t *pools;
	json_t *devices;
	json_t *made;	 /* parts made once and shared: a file may name one dataset many times */
	json_t *reasons; /* {name: why it could not be derived}, where that is not the facts'
			    "unseen" */
};

void view_init(struct view *view, const json_t *facts); /* facts must outlive it */
void view_release(struct view *view);

#endif
