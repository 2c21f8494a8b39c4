/* Reducing stored trials (see results.h). */
#include "analysis/results.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void results_init(struct results *results)
{
	*results = (struct results){ .environment_utc_ns = INT64_MIN };
}

void results_release(struct results *results)
{
	free(results->metrics);
	free(results->trials);
	free(results->cells);
	free(results->differences);
	free(results->environment);
	absent_cells_release(&results->absent);
	arena_release(&results->arena);
	arena_release(&results->environment_arena);
	results_init(results);
}

/* Room for one more element. */
static void *grown(void *list, size_t count, size_t *size, size_t element)
{
	if (count < *size)
		return list;
	*size = *size ? *size * 2 : 64;
	return memory_resize(list, *size, element);
}

size_t results_metric_index(const struct results *results, const char *phase, const char *name)
{
	size_t i = 0;

	while (i < results->metric_count && (strcmp(results->metrics[i].name, name) != 0 ||
						    strcmp(results->metrics[i].phase, phase) != 0))
		i++;
	return i;
}

size_t results_metric_add(struct results *results, const char *phase, const char *name)
{
	size_t i = results_metric_index(results, phase, name);

	if (i < results->metric_count)
		return i;
	results->metrics = grown(results->metrics, results->metric_count, &results->metric_size,
		sizeof(*results->metrics));
	results->metrics[results->metric_count] = (struct results_metric){
		.phase = arena_copy_string(&results->arena, phase),
		.name = arena_copy_string(&results->arena, name),
		.row = metric_find(name),
	};
	return results->metric_count++;
}

/* Trials name their samples in the same order, so the metric after the last one found is nearly
 * always the right one. */
static size_t find_metric(struct results *results, const struct sample *sample)
{
	size_t i = results->next_metric;

	if (i >= results->metric_count || strcmp(results->metrics[i].name, sample->metric) != 0 ||
		strcmp(results->metrics[i].phase, sample->phase) != 0)
		i = results_metric_index(results, sample->phase, sample->metric);
	if (i == results->metric_count)
		i = results_metric_add(results, sample->phase, sample->metric);
	results->next_metric = i + 1;
	return i;
}

static void copy_values(
	struct results *results, struct results_trial *trial, const struct trial_record *record)
{
	size_t *found = memory_new_array(record->sample_count, sizeof(*found));

	results->next_metric = 0;
	for (size_t i = 0; i < record->sample_count; i++) {
		if (record->samples[i].at_ns != SAMPLE_WHOLE)
			continue;
		found[i] = find_metric(results, &record->samples[i]);
		trial->value_count = MAX(trial->value_count, found[i] + 1);
	}
	trial->values =
		arena_new_array(&results->arena, trial->value_count, sizeof(*trial->values));
	for (size_t i = 0; i < trial->value_count; i++)
		trial->values[i] = NAN;
	for (size_t i = 0; i < record->sample_count; i++)
		if (record->samples[i].at_ns == SAMPLE_WHOLE)
			trial->values[found[i]] = record->samples[i].value;
	free(found);
}

static void copy_notes(
	struct results *results, struct results_trial *trial, const struct trial_record *record)
{
	trial->notes = arena_new_array(&results->arena, record->note_count, sizeof(*trial->notes));
	for (size_t i = 0; i < record->note_count; i++) {
		const struct note *note = &record->notes[i];

		if (note->level == NOTE_INFO)
			continue;
		trial->spoiled = trial->spoiled || note->level == NOTE_SPOILED;
		trial->notes[trial->note_count++] = (struct note){
			.level = note->level,
			.code = arena_copy_string(&results->arena, note->code),
			.text = arena_copy_string(&results->arena, note->text),
		};
	}
}

static void count_difference(struct results *results, const struct fact *fact, const char *trial_id)
{
	for (size_t i = 0; i < results->difference_count; i++) {
		struct results_difference *known = &results->differences[i];

		if (strcmp(known->name, fact->name) == 0 &&
			strcmp(known->asked, fact->asked) == 0 &&
			strcmp(known->value, fact->value) == 0) {
			known->trials++;
			return;
		}
	}
	results->differences = grown(results->differences, results->difference_count,
		&results->difference_size, sizeof(*results->differences));
	results->differences[results->difference_count++] = (struct results_difference){
		.name = arena_copy_string(&results->arena, fact->name),
		.asked = arena_copy_string(&results->arena, fact->asked),
		.value = arena_copy_string(&results->arena, fact->value),
		.trials = 1,
		.first_trial_id = trial_id,
	};
}

/* "query.q01.plan" and "query.q01.result" into one entry; other facts of it are for reading. */
static void copy_queries(
	struct results *results, struct results_trial *trial, const struct trial_record *record)
{
	struct arena *arena = &results->arena;

	for (size_t i = 0; i < record->fact_count; i++) {
		const char *name = record->facts[i].name, *dot;
		struct results_query *query;

		if (strncmp(name, "query.", 6) != 0 || !(dot = strchr(name + 6, '.')))
			continue;
		if (!trial->queries)
			trial->queries =
				arena_new_array(arena, record->fact_count, sizeof(*trial->queries));
		query = trial->query_count ? &trial->queries[trial->query_count - 1] : NULL;
		if (!query || strlen(query->name) != (size_t)(dot - name - 6) ||
			strncmp(query->name, name + 6, (size_t)(dot - name - 6)) != 0) {
			query = &trial->queries[trial->query_count++];
			query->name = arena_copy_bytes(arena, name + 6, (size_t)(dot - name - 6));
		}
		if (strcmp(dot, ".plan") == 0)
			query->plan = arena_copy_string(arena, record->facts[i].value);
		if (strcmp(dot, ".result") == 0)
			query->result = arena_copy_string(arena, record->facts[i].value);
	}
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_environment(const struct results *results, const struct trial_record *record)
{
	if (results->environment_count != record->fact_count)
		return false;
	for (size_t i = 0; i < record->fact_count; i++) {
		const struct fact *kept = &results->environment[i], *fact = &record->facts[i];

		if (!same_text(kept->name, fact->name) || !same_text(kept->asked, fact->asked) ||
			!same_text(kept->value, fact->value))
			return false;
	}
	return true;
}

static void keep_environment(struct results *results, const struct store_result *result)
{
	const struct trial_record *record = result->record;
	struct arena *arena = &results->environment_arena;

	if (record->fact_count == 0 || record->started_utc_ns <= results->environment_utc_ns)
		return;
	results->environment_utc_ns = record->started_utc_ns;
	if (same_environment(results, record))
		return;
	arena_release(arena);
	results->environment = memory_resize(
		results->environment, record->fact_count, sizeof(*results->environment));
	results->environment_count = record->fact_count;
	for (size_t i = 0; i < record->fact_count; i++)
		results->environment[i] = (struct fact){
			.name = arena_copy_string(arena, record->facts[i].name),
			.asked = arena_copy_string(arena, record->facts[i].asked),
			.value = arena_copy_string(arena, record->facts[i].value),
		};
	results->program_version = arena_copy_string(arena, result->trial.program_version);
}

static const char *fact_text(const struct trial_record *record, const char *name)
{
	for (size_t i = 0; i < record->fact_count; i++)
		if (strcmp(record->facts[i].name, name) == 0)
			return record->facts[i].value;
	return NULL;
}

static void keep_cell(
	struct results *results, const struct store_trial *trial, const struct trial_record *record)
{
	if (trial->cell >= results->cell_count) {
		results->cells =
			memory_resize(results->cells, trial->cell + 1, sizeof(*results->cells));
		for (size_t i = results->cell_count; i <= trial->cell; i++)
			results->cells[i] = (struct results_cell){ 0 };
		results->cell_count = trial->cell + 1;
	}
	if (!results->cells[trial->cell].engine)
		results->cells[trial->cell].engine =
			arena_copy_string(&results->arena, fact_text(record, "filesystem.engine"));
	if (results->cells[trial->cell].label)
		return;
	results->cells[trial->cell].label = arena_copy_string(&results->arena, trial->cell_label);
	results->cells[trial->cell].role = trial->role;
}

static void keep_differences(
	struct results *results, const struct trial_record *record, const char *trial_id)
{
	for (size_t i = 0; i < record->fact_count; i++)
		if (record->facts[i].asked &&
			strcmp(record->facts[i].asked, record->facts[i].value) != 0)
			count_difference(results, &record->facts[i], trial_id);
}

int results_add(void *context, const struct store_result *result)
{
	struct results *results = context;
	const struct trial_record *record = result->record;
	struct results_trial *trial;

	results->trials = grown(results->trials, results->trial_count, &results->trial_size,
		sizeof(*results->trials));
	trial = &results->trials[results->trial_count++];
	*trial = (struct results_trial){
		.trial_id = arena_copy_string(&results->arena, result->trial.trial_id),
		.setup_id = arena_copy_string(&results->arena, result->setup.setup_id),
		.cell = result->trial.cell,
		.block = result->setup.block,
		.run = result->trial.run,
		.order = result->trial.order,
		.attempt = result->trial.attempt,
		.state = record->state,
		.reason = arena_copy_string(&results->arena, record->reason),
		.started_utc_ns = record->started_utc_ns,
		.finished_utc_ns = record->finished_utc_ns,
	};
	copy_values(results, trial, record);
	copy_notes(results, trial, record);
	copy_queries(results, trial, record);
	keep_differences(results, record, trial->trial_id);
	keep_environment(results, result);
	keep_cell(results, &result->trial, record);
	return 0;
}

const char *results_fact(const struct results *results, const char *name)
{
	for (size_t i = 0; i < results->environment_count; i++)
		if (strcmp(results->environment[i].name, name) == 0)
			return results->environment[i].value;
	return NULL;
}

double results_value(const struct results_trial *trial, size_t metric)
{
	return metric < trial->value_count ? trial->values[metric] : NAN;
}

double results_cell_mean(
	const struct results *results, size_t cell, const char *phase, const char *name)
{
	size_t metric = results_metric_index(results, phase, name);
	double sum = 0, count = 0;

	for (size_t t = 0; metric < results->metric_count && t < results->trial_count; t++) {
		const struct results_trial *trial = &results->trials[t];
		double value = results_value(trial, metric);

		if (trial->cell != cell || isnan(value) || trial->state != TRIAL_DONE ||
			trial->spoiled)
			continue;
		sum += value;
		count++;
	}
	return count > 0 ? sum / count : NAN;
}
