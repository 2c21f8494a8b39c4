/* Adjusted p values (see multiple.h). */
#include "stats/multiple.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

struct ranked {
	double p;
	size_t place;
};

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left;
	const struct ranked *b = right;

	return a->p != b->p ? (a->p > b->p) - (a->p < b->p)
			    : (a->place > b->place) - (a->place < b->place);
}

/* Ascending, with the place each came from; caller frees. */
static struct ranked *rank(const double *p, size_t count)
{
	struct ranked *ranked = memory_new_array(count ? count : 1, sizeof(*ranked));

	for (size_t i = 0; i < count; i++)
		ranked[i] = (struct ranked){ p[i], i };
	qsort(ranked, count, sizeof(*ranked), compare_ranked);
	return ranked;
}

void multiple_holm(const double *p, size_t count, double *ret_adjusted)
{
	struct ranked *ranked = rank(p, count);
	double largest = 0;

	for (size_t i = 0; i < count; i++) {
		largest = fmax(largest, fmin(1, (double)(count - i) * ranked[i].p));
		ret_adjusted[ranked[i].place] = largest;
	}
	free(ranked);
}

void multiple_benjamini_hochberg(const double *p, size_t count, double *ret_adjusted)
{
	struct ranked *ranked = rank(p, count);
	double smallest = 1;

	for (size_t i = count; i-- > 0;) {
		smallest = fmin(smallest, (double)count * ranked[i].p / (double)(i + 1));
		ret_adjusted[ranked[i].place] = smallest;
	}
	free(ranked);
}
