/*
 * What a power cut may cost with a cell's settings. A class, not a promise: it says which known
 * switch has been turned, so that a fast but unsafe cell is never recommended by speed alone.
 */
#ifndef ANALYSIS_SAFETY_H
#define ANALYSIS_SAFETY_H

#include "base/arena.h"
#include "setting/setting.h"

enum safety {
	SAFETY_DURABLE,	 /* committed is kept */
	SAFETY_LOSES,	 /* the last moments of commits may be gone; what is left is consistent */
	SAFETY_CORRUPTS, /* the database may be unreadable or wrong */
	SAFETY_COUNT
};

const char *safety_word(enum safety safety); /* "durable", "may lose commits", ... */

/* The worst class that a setting of the cell puts it in, and why (in arena; NULL when durable). */
enum safety safety_of(
	const struct settings *settings, struct arena *arena, const char **ret_reason);

#endif
