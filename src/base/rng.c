/* Counter-based random numbers (see rng.h). */
#include "base/rng.h"

#include <math.h>
#include <string.h>

#define GOLDEN 0x9e3779b97f4a7c15ULL

uint64_t rng_mix(uint64_t value)
{
	value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
	value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
	return value ^ (value >> 31);
}

static uint64_t stream_key(uint64_t seed, uint64_t stream)
{
	return rng_mix(rng_mix(seed + GOLDEN) ^ rng_mix(stream * GOLDEN + 1));
}

uint64_t rng_at(uint64_t seed, uint64_t stream, uint64_t n)
{
	return rng_mix(stream_key(seed, stream) + (n + 1) * GOLDEN);
}

void rng_init(struct rng *rng, uint64_t seed, uint64_t stream)
{
	rng->key = stream_key(seed, stream);
	rng->counter = 0;
}

uint64_t rng_next(struct rng *rng)
{
	return rng_mix(rng->key + ++rng->counter * GOLDEN);
}

double rng_uniform(struct rng *rng)
{
	return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

uint64_t rng_below(struct rng *rng, uint64_t bound)
{
	uint64_t threshold = -bound % bound;

	for (;;) {
		uint64_t value = rng_next(rng);

		if (value >= threshold)
			return value % bound;
	}
}

double rng_normal(struct rng *rng)
{
	double radius = sqrt(-2.0 * log(1.0 - rng_uniform(rng)));

	return radius * cos(2.0 * M_PI * rng_uniform(rng));
}

void rng_shuffle(struct rng *rng, void *elements, size_t count, size_t size)
{
	char *bytes = elements;

	for (size_t i = count; i > 1; i--) {
		size_t j = rng_below(rng, i);
		char *a = bytes + (i - 1) * size;
		char *b = bytes + j * size;

		for (size_t k = 0; k < size; k++) {
			char swap = a[k];

			a[k] = b[k];
			b[k] = swap;
		}
	}
}
