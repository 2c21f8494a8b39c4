/* A stored study as a command was asked for it: found, read back as it was run, its trials scanned
 * and its findings made. */
#ifndef CMD_STORED_STUDY_H
#define CMD_STORED_STUDY_H

#include "analysis/finding.h"
#include "analysis/results.h"
#include "store/store.h"

struct stored_study {
	struct store *store;
	char *name;
	char *text;
	bool small;
	uint64_t seed;
	int64_t created_utc_ns;
	struct study study;
	struct matrix matrix;
	struct results results;
	struct findings findings;
};

/* Open the results folder and load one study. which: its name or its file; NULL: the folder's only
 * one. On failure nothing needs releasing. */
int stored_study_load(
	struct stored_study *stored, const char *folder, const char *which, struct err *err);
void stored_study_release(struct stored_study *stored);

#endif
