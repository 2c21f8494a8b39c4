/* p values of a family of comparisons, adjusted so that the family can be read as a whole. */
#ifndef STATS_MULTIPLE_H
#define STATS_MULTIPLE_H

#include <stddef.h>

/* Holm, Scand. J. Stat. 6 (1979): for headline claims. ret_adjusted in the order of p; may be p. */
void multiple_holm(const double *p, size_t count, double *ret_adjusted);

/* Benjamini & Hochberg, J. R. Stat. Soc. B 57 (1995): for exploration. As above. */
void multiple_benjamini_hochberg(const double *p, size_t count, double *ret_adjusted);

#endif
