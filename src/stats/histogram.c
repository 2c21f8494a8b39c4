/* Latency histogram (see histogram.h). */
#include "stats/histogram.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PART_BITS 10 /* 1024 parts a doubling: three digits */
#define PARTS	  ((size_t)1 << PART_BITS)

/* Values below 2 * PARTS have a bucket each; above, a bucket spans 2^shift values. */
size_t histogram_bucket(uint64_t value)
{
	if (value < 2 * PARTS)
		return (size_t)value;
	int shift = 63 - __builtin_clzll(value) - PART_BITS;

	return (size_t)shift * PARTS + (size_t)(value >> shift);
}

uint64_t histogram_bucket_low(size_t bucket)
{
	if (bucket < 2 * PARTS)
		return bucket;
	size_t shift = bucket / PARTS - 1;

	return (uint64_t)(bucket - shift * PARTS) << shift;
}

uint64_t histogram_bucket_high(size_t bucket)
{
	if (bucket < 2 * PARTS)
		return bucket;
	return histogram_bucket_low(bucket) + (((uint64_t)1 << (bucket / PARTS - 1)) - 1);
}

static void make_room(struct histogram *histogram, size_t size)
{
	if (size <= histogram->size)
		return;
	size = (size + PARTS - 1) / PARTS * PARTS;
	histogram->counts = memory_resize(histogram->counts, size, sizeof(*histogram->counts));
	memset(histogram->counts + histogram->size, 0,
		(size - histogram->size) * sizeof(*histogram->counts));
	histogram->size = size;
}

void histogram_release(struct histogram *histogram)
{
	free(histogram->counts);
	*histogram = (struct histogram)HISTOGRAM_INIT;
}

void histogram_add(struct histogram *histogram, uint64_t value, uint64_t count)
{
	size_t bucket = histogram_bucket(value);

	if (count == 0)
		return;
	make_room(histogram, bucket + 1);
	histogram->counts[bucket] += count;
	histogram->total += count;
	histogram->sum += (double)value * (double)count;
	histogram->minimum = MIN(histogram->minimum, value);
	histogram->maximum = MAX(histogram->maximum, value);
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	if (from->total == 0)
		return;
	make_room(into, from->size);
	for (size_t i = 0; i < from->size; i++)
		into->counts[i] += from->counts[i];
	into->total += from->total;
	into->sum += from->sum;
	into->minimum = MIN(into->minimum, from->minimum);
	into->maximum = MAX(into->maximum, from->maximum);
}

uint64_t histogram_quantile(const struct histogram *histogram, double p)
{
	double wanted = ceil(p * (double)histogram->total * (1 - 1e-14));
	double seen = 0;

	for (size_t i = 0; i < histogram->size; i++) {
		seen += (double)histogram->counts[i];
		if (histogram->counts[i] > 0 && seen >= wanted)
			return MIN(histogram_bucket_high(i), histogram->maximum);
	}
	return histogram->maximum;
}

double histogram_mean(const struct histogram *histogram)
{
	return histogram->total ? histogram->sum / (double)histogram->total : 0;
}

double histogram_share_above(const struct histogram *histogram, uint64_t value)
{
	uint64_t above = 0;

	for (size_t i = histogram_bucket(value) + 1; i < histogram->size; i++)
		above += histogram->counts[i];
	return histogram->total ? (double)above / (double)histogram->total : 0;
}

static void add_omitted(
	struct histogram *histogram, uint64_t value, uint64_t interval, uint64_t count)
{
	histogram_add(histogram, value, count);
	if (interval == 0)
		return;
	while (value >= interval && value - interval >= interval) {
		value -= interval;
		histogram_add(histogram, value, count);
	}
}

void histogram_add_corrected(struct histogram *histogram, uint64_t value, uint64_t interval)
{
	add_omitted(histogram, value, interval, 1);
}

void histogram_correct(const struct histogram *from, uint64_t interval, struct histogram *into)
{
	for (size_t i = 0; i < from->size; i++)
		if (from->counts[i] > 0)
			add_omitted(into, MIN(histogram_bucket_high(i), from->maximum), interval,
				from->counts[i]);
}
