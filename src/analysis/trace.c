/* Reducing series (see trace.h). */
#include "analysis/trace.h"

#include "base/memory.h"
#include "stats/steady.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Series whose steps are worth a mark: counters of events, as rates or differences a second. */
static const struct {
	const char *metric;
	enum trace_mark_kind kind;
} mark_series[] = {
	{ "checkpoints_timed", TRACE_MARK_CHECKPOINT },
	{ "checkpoints_requested", TRACE_MARK_CHECKPOINT },
	{ "zfs_txg_count", TRACE_MARK_TXG },
};

void traces_init(struct traces *traces, const char *metric, size_t bins_most)
{
	assert(bins_most > 0);
	*traces = (struct traces){
		.metric = metric,
		.bins_most = MIN(bins_most, (size_t)TRACE_BINS_MOST),
	};
}

void traces_release(struct traces *traces)
{
	free(traces->traces);
	arena_release(&traces->arena);
	*traces = (struct traces){ 0 };
}

static bool is_in_window(const struct sample *sample)
{
	return sample->at_ns >= 0 && strcmp(sample->phase, "run") == 0;
}

static size_t count_samples(const struct trial_record *record, const char *metric, int64_t *ret_end)
{
	size_t count = 0;

	for (size_t i = 0; i < record->sample_count; i++) {
		const struct sample *sample = &record->samples[i];

		if (!is_in_window(sample) || strcmp(sample->metric, metric) != 0)
			continue;
		*ret_end = MAX(*ret_end, sample->at_ns + 1);
		count++;
	}
	return count;
}

static void fill_bins(const struct traces *traces, const struct trial_record *record,
	int64_t end_ns, struct trace *trace)
{
	double width_ns = (double)end_ns / (double)trace->bin_count;

	for (size_t i = 0; i < record->sample_count; i++) {
		const struct sample *sample = &record->samples[i];

		if (!is_in_window(sample) || strcmp(sample->metric, traces->metric) != 0)
			continue;
		size_t at = MIN((size_t)((double)sample->at_ns / width_ns), trace->bin_count - 1);
		struct trace_bin *bin = &trace->bins[at];

		bin->smallest = bin->count ? fmin(bin->smallest, sample->value) : sample->value;
		bin->largest = bin->count ? fmax(bin->largest, sample->value) : sample->value;
		bin->mean += sample->value;
		bin->count++;
	}
	size_t kept = 0;

	for (size_t at = 0; at < trace->bin_count; at++) {
		struct trace_bin bin = trace->bins[at];

		if (bin.count == 0)
			continue;
		bin.at_s = ((double)at + 0.5) * width_ns / NS_PER_S;
		bin.mean /= (double)bin.count;
		trace->bins[kept++] = bin;
	}
	trace->bin_count = kept;
}

/* Of the bins' means: single seconds would only add noise. */
static double drift_of(const struct trace *trace)
{
	double *means = memory_new_array(trace->bin_count + 1, sizeof(*means));

	for (size_t i = 0; i < trace->bin_count; i++)
		means[i] = trace->bins[i].mean;
	double drift = steady_drift(means, trace->bin_count);

	free(means);
	return drift;
}

static void fill_marks(
	struct traces *traces, const struct trial_record *record, struct trace *trace)
{
	trace->marks = arena_new_array(&traces->arena, TRACE_MARKS_MOST, sizeof(*trace->marks));
	for (size_t i = 0; i < record->sample_count; i++) {
		const struct sample *sample = &record->samples[i];

		for (size_t m = 0; m < ARRAY_SIZE(mark_series); m++) {
			if (!is_in_window(sample) || !(sample->value > 0) ||
				trace->mark_count == TRACE_MARKS_MOST ||
				strcmp(sample->metric, mark_series[m].metric) != 0)
				continue;
			trace->marks[trace->mark_count++] =
				(struct trace_mark){ mark_series[m].kind,
					(double)sample->at_ns / NS_PER_S };
		}
	}
}

int traces_add(void *context, const struct store_result *result)
{
	struct traces *traces = context;
	const struct trial_record *record = result->record;
	int64_t end_ns = 0;
	size_t count = count_samples(record, traces->metric, &end_ns);

	if (record->state != TRIAL_DONE || count == 0)
		return 0;
	if (traces->count == traces->size) {
		traces->size = traces->size ? 2 * traces->size : 64;
		traces->traces =
			memory_resize(traces->traces, traces->size, sizeof(*traces->traces));
	}
	struct trace *trace = &traces->traces[traces->count++];

	*trace = (struct trace){
		.trial_id = arena_copy_string(&traces->arena, result->trial.trial_id),
		.cell = result->trial.cell,
		.block = result->setup.block,
		.run = result->trial.run,
		.bin_count = MIN(count, traces->bins_most),
	};
	trace->bins = arena_new_array(&traces->arena, trace->bin_count, sizeof(*trace->bins));
	fill_bins(traces, record, end_ns, trace);
	fill_marks(traces, record, trace);
	trace->drift = drift_of(trace);
	return 0;
}
