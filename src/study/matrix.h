/* Cells: the combinations of levels of a study, or its arms. */
#ifndef STUDY_MATRIX_H
#define STUDY_MATRIX_H

#include "study/study.h"

/* From so many repeats on a study has its A/A control where it does not say: fewer are a screening.
 */
#define MATRIX_HEADLINE_REPEATS 5

struct cell {
	size_t index;		  /* in the study's order */
	const char *label;	  /* arm name, or "recordsize=32K block_size=8K": what varies */
	const char *arm;	  /* its arm's name; NULL: full factorial */
	struct settings settings; /* every known key with a value, fallbacks included, canonical */
	size_t baseline; /* index of the cell it is compared with; its own index: a baseline */
	/* An A/A copy of another cell under a hidden label, or a planted effect; see plan. */
	enum { CELL_STUDIED, CELL_CONTROL_AA, CELL_CONTROL_PLANTED } role;
	size_t copy_of; /* index of the cell that a control copies */
};

struct matrix {
	struct arena arena;
	struct cell *cells;
	size_t count;
	/* Full names of the settings that vary between cells. */
	const char **varying;
	size_t varying_count;
};

/* All cells of the study, impossible ones refused with file:line. */
int matrix_build(struct matrix *matrix, const struct study *study, struct err *err);
void matrix_release(struct matrix *matrix);

#endif
