/*
 * Latency histogram with three significant digits, in the manner of HdrHistogram (Tene): buckets
 * double in width, each cut in equal parts, so that any value is kept to 1 in 1024 and histograms
 * of different runs are merged by adding counts.
 */
#ifndef STATS_HISTOGRAM_H
#define STATS_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

struct histogram {
	uint64_t *counts; /* grows as larger values come; NULL while empty */
	size_t size;
	uint64_t total;
	uint64_t minimum;
	uint64_t maximum;
	double sum;
};

#define HISTOGRAM_INIT                       \
	{                                    \
		NULL, 0, 0, UINT64_MAX, 0, 0 \
	}

void histogram_release(struct histogram *histogram); /* back to empty; fine twice */

void histogram_add(struct histogram *histogram, uint64_t value, uint64_t count);
void histogram_merge(struct histogram *into, const struct histogram *from);

/* Smallest kept value with at least the share p of the values at or below it: the upper end of its
 * bucket, at most the maximum. 0 for an empty histogram. */
uint64_t histogram_quantile(const struct histogram *histogram, double p);
double histogram_mean(const struct histogram *histogram); /* exact; 0 if empty */
/* Share of values above value's bucket: the complementary distribution. */
double histogram_share_above(const struct histogram *histogram, uint64_t value);

/* For drawing and storing: bucket number and the smallest and largest value that fall in it. */
size_t histogram_bucket(uint64_t value);
uint64_t histogram_bucket_low(size_t bucket);
uint64_t histogram_bucket_high(size_t bucket);

/*
 * Coordinated omission, as an estimate for a closed loop that should have sent every interval: for
 * each value above interval add value - interval, value - 2 interval, ... down to interval (Tene's
 * expected-interval correction). interval 0 adds nothing. Measuring with a schedule (pgbench -R) is
 * the better way.
 */
void histogram_add_corrected(struct histogram *histogram, uint64_t value, uint64_t interval);
void histogram_correct(const struct histogram *from, uint64_t interval, struct histogram *into);

#endif
