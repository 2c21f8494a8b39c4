/*
 * Terms that carry the physics, beside the settings as they were written: whether records fit the
 * pages, and how much data there is for the memory. "Record and page" is not an effect of either
 * size; "scale = 200" means one thing on a machine of 1 GB and another on one of 64.
 */
#ifndef ANALYSIS_PHYSICS_H
#define ANALYSIS_PHYSICS_H

#include "analysis/results.h"
#include "study/matrix.h"

struct findings;

/* How records lie to pages, beyond what the two sizes do on their own. */
enum physics_alignment { PHYSICS_RECORD_BELOW_PAGE, PHYSICS_RECORD_ABOVE_PAGE, PHYSICS_ALIGNMENTS };
struct physics_effect {
	double ratio, low, high; /* over records of one page; together at 95 % */
	bool differs;
	const char *sentence; /* NULL: the study can't tell this term from the others */
};

struct physics {
	struct physics_effect alignment[PHYSICS_ALIGNMENTS];
};

/*
 * Fills findings->physics from findings->values, where filesystem.recordsize and
 * postgres.block_size both vary: least squares on logarithms with blocks, the levels of both sizes
 * and each combination of the other settings as terms, records below and above the page beside
 * them; noise is the pooled residual of cells and blocks (reference: method of the project, section
 * 8, quantitative factors).
 */
void physics_analyse(struct findings *findings, const struct matrix *matrix);

/* Bytes of data by bytes of memory (machine.memory, else the machine's own) where the setting has
 * this level; NAN: not known, or not the same in all such cells. */
double physics_data_to_memory(const struct results *results, const struct matrix *matrix,
	const char *setting, const char *level);

#endif
