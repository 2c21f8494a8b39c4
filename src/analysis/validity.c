/* Gates on trials, from what was stored (see validity.h). */
#include "analysis/validity.h"

#include "base/memory.h"
#include "stats/summary.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DISK_FULL_PERCENT	80.0
#define LIMIT_MADS		3.0
#define FREQUENCY_LIMIT_PERCENT 5.0

/* A trial's first reason is enough; the list of notes is the arena's, so it is made anew. */
static void spoil(struct results *results, struct results_trial *trial, const char *code,
	const char *format, ...) PRINTF_LIKE(4, 5);
static void spoil(struct results *results, struct results_trial *trial, const char *code,
	const char *format, ...)
{
	struct note *notes =
		arena_new_array(&results->arena, trial->note_count + 1, sizeof(*notes));
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (trial->note_count)
		memcpy(notes, trial->notes, trial->note_count * sizeof(*notes));
	notes[trial->note_count++] = (struct note){
		.level = NOTE_SPOILED,
		.code = code,
		.text = arena_copy_string(&results->arena, text),
	};
	trial->notes = notes;
	trial->spoiled = true;
}

static bool is_usable(const struct results_trial *trial)
{
	return trial->state == TRIAL_DONE && !trial->spoiled;
}

static void judge_disk(struct results *results, struct results_trial *trial, const char *phase)
{
	double used =
		results_value(trial, results_metric_index(results, phase, "filesystem_used_bytes"));
	double left = results_value(
		trial, results_metric_index(results, phase, "filesystem_available_bytes"));

	if (is_usable(trial) && used > 0 && left >= 0 &&
		used / (used + left) > DISK_FULL_PERCENT / 100)
		spoil(results, trial, "disk-full",
			"the filesystem was %.0f %% full (limit %.0f %%): it slows down for that "
			"reason alone",
			100 * used / (used + left), DISK_FULL_PERCENT);
}

static void judge_clock(struct results *results, struct results_trial *trial)
{
	double length_s = (double)(trial->finished_utc_ns - trial->started_utc_ns) / NS_PER_S;
	double window_s = results_value(trial, results_metric_index(results, "run", "window_s"));

	if (!is_usable(trial) || trial->started_utc_ns == 0)
		return;
	if (length_s < 0)
		spoil(results, trial, "clock",
			"it ends %.1f s before it begins: the clock was set back meanwhile",
			-length_s);
	else if (window_s > 1.01 * length_s + 1)
		spoil(results, trial, "clock",
			"its window of %.1f s does not fit into the %.1f s it took: the clock was "
			"set back meanwhile",
			window_s, length_s);
}

static void judge_value(struct results *results, struct results_trial *trial, size_t primary)
{
	double value = results_value(trial, primary);

	if (is_usable(trial) && isfinite(value) && !(value > 0))
		spoil(results, trial, "value", "%s is %g: a ratio needs values above zero",
			results->metrics[primary].name, value);
}

static void judge_thermal(struct results *results, struct results_trial *trial)
{
	double times =
		results_value(trial, results_metric_index(results, "run", "thermal_throttles"));

	if (is_usable(trial) && times > 0)
		spoil(results, trial, "thermal",
			"a core was slowed down %.0f times because it was too hot", times);
}

/* A clock that ran slower than in the other trials makes everything slower. */
static void judge_frequencies(struct results *results)
{
	size_t metric = results_metric_index(results, "run", "frequency_hz");
	double *values = memory_new_array(results->trial_count + 1, sizeof(*values));
	double middle;
	size_t count = 0;

	for (size_t t = 0; t < results->trial_count; t++)
		if (is_usable(&results->trials[t]) &&
			results_value(&results->trials[t], metric) > 0)
			values[count++] = results_value(&results->trials[t], metric);
	middle = count ? summary_median(values, count) : NAN;
	free(values);
	for (size_t t = 0; t < results->trial_count; t++) {
		struct results_trial *trial = &results->trials[t];
		double value = results_value(trial, metric);

		if (is_usable(trial) && value < middle * (1 - FREQUENCY_LIMIT_PERCENT / 100))
			spoil(results, trial, "frequency",
				"the CPUs ran at %.2f GHz, in the middle of the trials they ran at "
				"%.2f "
				"(limit %.0f %% below)",
				value / 1e9, middle / 1e9, FREQUENCY_LIMIT_PERCENT);
	}
}

/* Control chart of one canary metric, trials in the order they ran. */
struct chart {
	double accepted[VALIDITY_CANARY_WINDOW]; /* logarithms, the oldest is overwritten */
	size_t count;				 /* accepted so far */
	double cusum;
};

/* Distance from the middle of the accepted ones, in robust SDs; 0 while there are too few. */
static double chart_distance(const struct chart *chart, double value)
{
	size_t count = MIN(chart->count, (size_t)VALIDITY_CANARY_WINDOW);

	if (count < VALIDITY_CANARY_LEAST)
		return 0;
	double spread = summary_mad(chart->accepted, count);
	double distance = value - summary_median(chart->accepted, count);

	/* Canaries that never moved: anything measurable is a move. */
	if (!(spread > 0))
		return fabs(distance) > 0.01 ? copysign(INFINITY, distance) : 0;
	return distance / spread;
}

/* True: outside of the limits, or a slow drift has added up. */
static bool chart_take(struct chart *chart, double value)
{
	double distance = chart_distance(chart, value);
	bool alarm = fabs(distance) > LIMIT_MADS;

	if (isfinite(distance))
		chart->cusum = fmax(0, chart->cusum + fabs(distance) - VALIDITY_CUSUM_SLACK);
	alarm = alarm || chart->cusum > VALIDITY_CUSUM_ALARM;
	if (alarm)
		chart->cusum = 0;
	else
		chart->accepted[chart->count++ % VALIDITY_CANARY_WINDOW] = value;
	return alarm;
}

static int compare_started(const void *left, const void *right)
{
	const struct results_trial *const *a = left, *const *b = right;

	if ((*a)->started_utc_ns != (*b)->started_utc_ns)
		return (*a)->started_utc_ns < (*b)->started_utc_ns ? -1 : 1;
	return *a < *b ? -1 : *a > *b;
}

static bool is_canary(const struct results_metric *metric)
{
	return strncmp(metric->name, "canary_", 7) == 0;
}

static void judge_canary_trial(struct results *results, struct results_trial *trial,
	struct chart *charts, struct validity *validity)
{
	bool seen = false, alarm = false;
	size_t worst = 0;

	for (size_t m = 0; m < results->metric_count; m++) {
		double value = is_canary(&results->metrics[m]) ? results_value(trial, m) : NAN;

		if (!(value > 0))
			continue;
		seen = true;
		if (chart_take(&charts[m], log(value))) {
			alarm = true;
			worst = m;
		}
	}
	validity->canary_runs += seen;
	validity->canary_alarms += alarm;
	if (alarm && is_usable(trial))
		spoil(results, trial, "canary",
			"%s (%s the trial) was outside of its limits: the machine was not itself",
			results->metrics[worst].name,
			strstr(results->metrics[worst].phase, "after") ? "after" : "before");
}

static void judge_canaries(struct results *results, struct validity *validity)
{
	struct chart *charts = memory_new_array(results->metric_count + 1, sizeof(*charts));
	struct results_trial **order = memory_new_array(results->trial_count + 1, sizeof(*order));

	for (size_t t = 0; t < results->trial_count; t++)
		order[t] = &results->trials[t];
	qsort(order, results->trial_count, sizeof(*order), compare_started);
	for (size_t t = 0; t < results->trial_count; t++)
		if (order[t]->state == TRIAL_DONE)
			judge_canary_trial(results, order[t], charts, validity);
	free(order);
	free(charts);
}

void validity_judge(struct results *results, size_t primary, struct validity *ret_validity)
{
	struct validity validity = { 0 };

	for (size_t t = 0; t < results->trial_count; t++) {
		struct results_trial *trial = &results->trials[t];

		judge_clock(results, trial);
		judge_disk(results, trial, "run");
		judge_disk(results, trial, "closing");
		judge_thermal(results, trial);
		if (primary < results->metric_count)
			judge_value(results, trial, primary);
	}
	judge_frequencies(results);
	judge_canaries(results, &validity);
	*ret_validity = validity;
}
