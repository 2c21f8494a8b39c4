/* Edit distance by the three-row dynamic programme (see near.h). */
#include "base/near.h"

#include "base/macros.h"

#include <ctype.h>
#include <string.h>

#define WORD_MAX 63

static int lower(char c)
{
	return tolower((unsigned char)c);
}

size_t near_distance(const char *a, const char *b)
{
	size_t rows[3][WORD_MAX + 1];
	size_t *before = rows[0], *above = rows[1], *row = rows[2];
	size_t length_a = strnlen(a, WORD_MAX), length_b = strnlen(b, WORD_MAX);

	for (size_t j = 0; j <= length_b; j++)
		above[j] = before[j] = j;
	for (size_t i = 1; i <= length_a; i++) {
		size_t *spare = before;

		row[0] = i;
		for (size_t j = 1; j <= length_b; j++) {
			size_t cost = lower(a[i - 1]) != lower(b[j - 1]);

			row[j] = MIN(MIN(above[j] + 1, row[j - 1] + 1), above[j - 1] + cost);
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
				lower(a[i - 2]) == lower(b[j - 1]))
				row[j] = MIN(row[j], before[j - 2] + 1);
		}
		before = above;
		above = row;
		row = spare;
	}
	return above[length_b];
}

const char *near_better(const char *word, const char *best, const char *candidate)
{
	size_t distance = near_distance(word, candidate);

	if (distance > MAX(strlen(word) / 3, (size_t)1))
		return best;
	return !best || distance < near_distance(word, best) ? candidate : best;
}
