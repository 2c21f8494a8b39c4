/* Bins of a run's speed and what they say (see steadiness.h). Apart from the trial's steps because
 * it is arithmetic on what they have recorded. */
#include "run/steadiness.h"

#include "base/clock.h"
#include "base/memory.h"
#include "stats/steady.h"

#include <stdlib.h>
#include <string.h>

/* Means of the series over equal bins. False: a bin has no value. */
static bool fill_bins(const struct trial_record *record, double bin_s, double *bins, size_t count)
{
	size_t *values = memory_new_array(count, sizeof(*values));
	size_t filled = 0;

	for (size_t i = 0; i < record->sample_count; i++) {
		const struct sample *sample = &record->samples[i];
		size_t at;

		if (sample->at_ns < 0 || strcmp(sample->phase, "run") != 0 ||
			strcmp(sample->metric, "tps") != 0)
			continue;
		at = (size_t)((double)sample->at_ns / NS_PER_S / bin_s);
		if (at >= count)
			continue;
		filled += values[at] == 0;
		values[at]++;
		bins[at] += (sample->value - bins[at]) / (double)values[at];
	}
	free(values);
	return filled == count;
}

static void add(struct trial_record *record, const char *metric, double value)
{
	trial_record_sample(
		record, &(struct sample){ metric, "run", "plumb", value, SAMPLE_WHOLE });
}

void steadiness_judge(struct trial_record *record, double window_s, size_t cycles)
{
	size_t count = cycles ? cycles : (size_t)(window_s / STEADINESS_BIN_S);
	double bin_s = cycles ? window_s / (double)cycles : STEADINESS_BIN_S;
	double *bins;

	if (count < STEADINESS_BINS_LEAST)
		return;
	bins = memory_new_array(count, sizeof(*bins));
	if (fill_bins(record, bin_s, bins, count)) {
		struct steady_cut cut = steady_mser(bins, count);
		struct steady_window kept = steady_window_of(bins + cut.cut, count - cut.cut);

		add(record, "steady_range", kept.range);
		add(record, "steady_slope", kept.slope);
		add(record, "steady_cut_s", (double)cut.cut * bin_s);
		if (cut.too_short || !steady_window_passes(&kept, STEADY_RANGE, STEADY_SLOPE))
			trial_record_note(record, NOTE_WARNING, "no-steady-state",
				"the speed had not settled: its first %.0f s differ from the rest, "
				"which still moves by %.1f %% with a trend of %.1f %% (limits %.0f "
				"%% and "
				"%.0f %%); a longer warm-up or window would tell more",
				(double)cut.cut * bin_s, 100 * kept.range, 100 * kept.slope,
				100 * STEADY_RANGE, 100 * STEADY_SLOPE);
	}
	free(bins);
}
