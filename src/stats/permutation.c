/* Exact permutation tests (see permutation.h). */
#include "stats/permutation.h"

#include "base/macros.h"
#include "base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Sums that are equal but for rounding count as equal. */
static bool at_least(double value, double observed, double scale)
{
	return fabs(value) >= fabs(observed) - 1e-12 * scale;
}

double permutation_blocks(const double *differences, size_t count)
{
	double observed = 0;
	double scale = 0;
	uint64_t extreme = 0;

	if (count == 0 || count > PERMUTATION_BLOCKS_MOST)
		return NAN;
	uint64_t flips = (uint64_t)1 << count;

	for (size_t i = 0; i < count; i++) {
		observed += differences[i];
		scale += fabs(differences[i]);
	}
	for (uint64_t flip = 0; flip < flips; flip++) {
		double sum = 0;

		for (size_t i = 0; i < count; i++)
			sum += flip >> i & 1 ? -differences[i] : differences[i];
		extreme += at_least(sum, observed, scale);
	}
	return (double)extreme / (double)flips;
}

static double ways(size_t total, size_t chosen)
{
	double product = 1;

	for (size_t i = 1; i <= chosen; i++)
		product *= (double)(total - chosen + i) / (double)i;
	return product;
}

/* The next choice in lexicographic order; false after the last. */
static bool next_choice(size_t *choice, size_t chosen, size_t total)
{
	size_t i = chosen;

	while (i > 0 && choice[i - 1] == total - chosen + i - 1)
		i--;
	if (i == 0)
		return false;
	choice[i - 1]++;
	for (; i < chosen; i++)
		choice[i] = choice[i - 1] + 1;
	return true;
}

double permutation_sets(const double *a, size_t a_count, const double *b, size_t b_count)
{
	size_t total = a_count + b_count;

	if (a_count == 0 || b_count == 0 || ways(total, a_count) > PERMUTATION_CHOICES_MOST)
		return NAN;
	double *all = memory_new_array(total, sizeof(*all));
	size_t *choice = memory_new_array(a_count, sizeof(*choice));
	double sum = 0, scale = 0, observed = 0, extreme = 0, tried = 0;

	memcpy(all, a, a_count * sizeof(*all));
	memcpy(all + a_count, b, b_count * sizeof(*all));
	for (size_t i = 0; i < total; i++) {
		sum += all[i];
		scale = fmax(scale, fabs(all[i]));
	}
	for (size_t i = 0; i < a_count; i++)
		choice[i] = i;
	do {
		double first = 0;

		for (size_t i = 0; i < a_count; i++)
			first += all[choice[i]];
		double difference = first / (double)a_count - (sum - first) / (double)b_count;

		if (tried == 0)
			observed = difference;
		tried++;
		extreme += at_least(difference, observed, scale);
	} while (next_choice(choice, a_count, total));
	free(choice);
	free(all);
	return extreme / tried;
}
