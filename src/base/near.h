/* Near misses: the known word that somebody who wrote another one probably meant. */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

#include <stddef.h>

/* Edits (insert, delete, replace, swap of neighbours; case ignored) that turn a into b: the
 * restricted Damerau-Levenshtein distance. Words beyond 63 bytes compare by their first 63. */
size_t near_distance(const char *a, const char *b);

/* The better of two words for word: candidate when it is nearer than best (NULL: none yet) and
 * near enough to be a slip (at most a third of the letters, at least 1), else best. */
const char *near_better(const char *word, const char *best, const char *candidate);

#endif
