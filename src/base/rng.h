/*
 * Counter-based random numbers: value n of a stream is a hash of (seed, stream, n), so any value
 * can be had without those before it and a run repeats from its seed on any machine.
 * Mixer: the finaliser of SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number
 * Generators", OOPSLA 2014).
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng {
	uint64_t key;	  /* from seed and stream */
	uint64_t counter; /* number of the next value */
};

uint64_t rng_mix(uint64_t value); /* one mixing step, a bijection */
uint64_t rng_at(uint64_t seed, uint64_t stream, uint64_t n);
void rng_init(struct rng *rng, uint64_t seed, uint64_t stream);
uint64_t rng_next(struct rng *rng);
double rng_uniform(struct rng *rng);		     /* [0, 1), 53 bits */
uint64_t rng_below(struct rng *rng, uint64_t bound); /* [0, bound), no bias; bound > 0 */
double rng_normal(struct rng *rng);		     /* mean 0, SD 1 (Box-Muller) */
/* Put count elements of size bytes in random order (Fisher-Yates). */
void rng_shuffle(struct rng *rng, void *elements, size_t count, size_t size);

#endif
