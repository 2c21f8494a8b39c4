/* A stored study wherever it lies: by name in a results folder, as another folder, or as an
 * exported file, which is unpacked for reading and removed afterwards. */
#ifndef CMD_STUDY_PLACE_H
#define CMD_STUDY_PLACE_H

#include "cmd/stored_study.h"

struct study_place {
	struct stored_study stored;
	char *scratch; /* of an exported file; NULL: none */
};

/*
 * which: an exported file; a results folder that holds one study; FOLDER:STUDY; or a study's name
 * in folder. On failure nothing needs releasing.
 */
int study_place_open(
	struct study_place *place, const char *which, const char *folder, struct err *err);
void study_place_release(struct study_place *place);

#endif
