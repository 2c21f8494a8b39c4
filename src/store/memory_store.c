/* The store of tests: everything in memory, same rules. A new one is empty whatever its path. */
#include "store/store.h"

#include "base/arena.h"
#include "base/memory.h"
#include "store/study_change.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct kept_trial {
	size_t study; /* position among the studies */
	struct store_setup setup;
	struct store_trial trial;
	struct settings setup_settings, trial_settings;
	struct trial_record record;
};

struct kept_absent {
	char *study;
	struct absent_cells cells;
};

struct kept_number {
	char *name;
	double value;
};

struct memory_store {
	struct store base;
	struct arena arena;
	struct store_study *studies;
	size_t study_count;
	struct kept_trial **trials;
	size_t trial_count;
	struct kept_absent *absents;
	size_t absent_count;
	struct kept_number *numbers;
	size_t number_count;
};

static int open(const char *path UNUSED, enum store_mode mode UNUSED, struct store **ret_store,
	struct err *err UNUSED)
{
	struct memory_store *store = memory_new(sizeof(*store));

	store->base.driver = &memory_store;
	*ret_store = &store->base;
	return 0;
}

static struct memory_store *self(struct store *base)
{
	return CONTAINER_OF(base, struct memory_store, base);
}

static const struct store_study *find_study(const struct memory_store *store, const char *name)
{
	for (size_t i = 0; i < store->study_count; i++)
		if (strcmp(store->studies[i].name, name) == 0)
			return &store->studies[i];
	return NULL;
}

static int put_study(struct store *base, const struct store_study *study, struct err *err)
{
	struct memory_store *store = self(base);
	const struct store_study *kept = find_study(store, study->name);
	const char *version = study->program_version ? study->program_version : PLUMB_VERSION;

	if (kept)
		return study_change_check(kept, study, err);
	store->studies =
		memory_resize(store->studies, store->study_count + 1, sizeof(*store->studies));
	store->studies[store->study_count++] = (struct store_study){
		.name = arena_copy_string(&store->arena, study->name),
		.text = arena_copy_string(&store->arena, study->text),
		.small = study->small,
		.seed = study->seed,
		.created_utc_ns = study->created_utc_ns,
		.program_version = arena_copy_string(&store->arena, version),
	};
	return 0;
}

static int studies(struct store *base, int (*visit)(void *context, const struct store_study *study),
	void *context, struct err *err UNUSED)
{
	struct memory_store *store = self(base);
	int r = 0;

	for (size_t i = 0; r == 0 && i < store->study_count; i++)
		r = visit(context, &store->studies[i]);
	return r;
}

static int state(struct store *base, const char *trial_id, enum trial_state *ret_state,
	struct err *err UNUSED)
{
	struct memory_store *store = self(base);

	*ret_state = TRIAL_PLANNED;
	for (size_t i = 0; i < store->trial_count; i++)
		if (strcmp(store->trials[i]->trial.trial_id, trial_id) == 0)
			*ret_state = store->trials[i]->record.state;
	return 0;
}

static void copy_absent(struct absent_cells *to, const struct absent_cells *from)
{
	for (size_t i = 0; i < from->count; i++)
		absent_cells_add(
			to, from->cells[i].cell, from->cells[i].label, from->cells[i].reason);
}

static struct kept_absent *find_absent(struct memory_store *store, const char *study)
{
	for (size_t i = 0; i < store->absent_count; i++)
		if (strcmp(store->absents[i].study, study) == 0)
			return &store->absents[i];
	return NULL;
}

static int put_absent(struct store *base, const char *study, const struct absent_cells *absent,
	struct err *err UNUSED)
{
	struct memory_store *store = self(base);
	struct kept_absent *kept = find_absent(store, study);

	if (!kept) {
		store->absents = memory_resize(
			store->absents, store->absent_count + 1, sizeof(*store->absents));
		kept = &store->absents[store->absent_count++];
		*kept = (struct kept_absent){ .study = arena_copy_string(&store->arena, study) };
	}
	absent_cells_release(&kept->cells);
	copy_absent(&kept->cells, absent);
	return 0;
}

static int get_absent(
	struct store *base, const char *study, struct absent_cells *absent, struct err *err UNUSED)
{
	const struct kept_absent *kept = find_absent(self(base), study);

	if (kept)
		copy_absent(absent, &kept->cells);
	return 0;
}

static void copy_settings(struct arena *arena, struct settings *to, const struct settings *from)
{
	for (size_t i = 0; i < from->count; i++) {
		struct setting_value value = from->values[i];

		value.name = arena_copy_string(arena, value.name);
		value.text = arena_copy_string(arena, value.text);
		settings_set(to, &value);
	}
}

static void copy_record(struct trial_record *to, const struct trial_record *from)
{
	trial_record_init(to);
	to->state = from->state;
	to->reason = arena_copy_string(&to->arena, from->reason);
	to->started_utc_ns = from->started_utc_ns;
	to->finished_utc_ns = from->finished_utc_ns;
	for (size_t i = 0; i < from->sample_count; i++)
		trial_record_sample(to, &from->samples[i]);
	for (size_t i = 0; i < from->note_count; i++)
		trial_record_note(
			to, from->notes[i].level, from->notes[i].code, "%s", from->notes[i].text);
	for (size_t i = 0; i < from->file_count; i++)
		trial_record_file(to, from->files[i].kind, from->files[i].path);
	for (size_t i = 0; i < from->fact_count; i++)
		trial_record_fact(
			to, from->facts[i].name, from->facts[i].asked, from->facts[i].value);
}

static size_t count_attempts(const struct memory_store *store, const char *trial_id)
{
	size_t count = 0;

	for (size_t i = 0; i < store->trial_count; i++)
		count += strcmp(store->trials[i]->trial.trial_id, trial_id) == 0;
	return count;
}

static struct kept_trial *copy_trial(struct memory_store *store, const struct store_setup *setup,
	const struct store_trial *trial, const struct trial_record *record)
{
	struct arena *arena = &store->arena;
	struct kept_trial *kept = memory_new(sizeof(*kept));

	kept->setup = *setup;
	kept->setup.setup_id = arena_copy_string(arena, setup->setup_id);
	kept->setup.study = arena_copy_string(arena, setup->study);
	kept->setup.label = arena_copy_string(arena, setup->label);
	kept->setup.settings = &kept->setup_settings;
	kept->trial = *trial;
	kept->trial.trial_id = arena_copy_string(arena, trial->trial_id);
	kept->trial.setup_id = kept->setup.setup_id;
	kept->trial.cell_label = arena_copy_string(arena, trial->cell_label);
	kept->trial.program_version = PLUMB_VERSION;
	kept->trial.attempt = count_attempts(store, trial->trial_id) + 1;
	kept->trial.settings = &kept->trial_settings;
	copy_settings(arena, &kept->setup_settings, setup->settings);
	copy_settings(arena, &kept->trial_settings, trial->settings);
	copy_record(&kept->record, record);
	return kept;
}

static int seal(struct store *base, const struct store_setup *setup,
	const struct store_trial *trial, const struct trial_record *record, struct err *err)
{
	struct memory_store *store = self(base);
	const struct store_study *study = find_study(store, setup->study);
	enum trial_state found = TRIAL_PLANNED;
	struct kept_trial *kept;

	if (!study)
		return err_set(err, -EINVAL, "keep trial %s: study '%s' was not put",
			trial->trial_id, setup->study);
	state(base, trial->trial_id, &found, err);
	if (found == TRIAL_DONE || found == TRIAL_FAILED)
		return err_set(err, -EEXIST, "keep trial %s: trial %s is sealed already",
			trial->trial_id, trial->trial_id);
	kept = copy_trial(store, setup, trial, record);
	kept->study = (size_t)(study - store->studies);
	store->trials = memory_resize(store->trials, store->trial_count + 1, sizeof(kept));
	store->trials[store->trial_count++] = kept;
	return 0;
}

static int compare_trials(const void *left, const void *right)
{
	const struct kept_trial *a = *(struct kept_trial *const *)left;
	const struct kept_trial *b = *(struct kept_trial *const *)right;

	if (a->study != b->study)
		return a->study < b->study ? -1 : 1;
	if (a->trial.order != b->trial.order)
		return a->trial.order < b->trial.order ? -1 : 1;
	return (a->trial.attempt > b->trial.attempt) - (a->trial.attempt < b->trial.attempt);
}

/* The record as the query wants it: a copy that lends all but its samples. */
static struct trial_record without_series(const struct trial_record *record)
{
	struct trial_record view = *record;

	view.samples = memory_new_array(record->sample_count, sizeof(*view.samples));
	view.sample_count = 0;
	for (size_t i = 0; i < record->sample_count; i++)
		if (record->samples[i].at_ns == SAMPLE_WHOLE)
			view.samples[view.sample_count++] = record->samples[i];
	return view;
}

static int visit_one(const struct kept_trial *kept, const struct store_query *query,
	store_visit *visit, void *context)
{
	struct trial_record view = without_series(&kept->record);
	struct store_result result = {
		.setup = kept->setup,
		.trial = kept->trial,
		.record = query->with_series ? &kept->record : &view,
	};
	int r = visit(context, &result);

	free(view.samples);
	return r;
}

static int scan(struct store *base, const struct store_query *query, store_visit *visit,
	void *context, struct err *err UNUSED)
{
	struct memory_store *store = self(base);
	size_t id_length = query->trial_id ? strlen(query->trial_id) : 0;
	int r = 0;

	if (store->trial_count > 0)
		qsort(store->trials, store->trial_count, sizeof(*store->trials), compare_trials);
	for (size_t i = 0; r == 0 && i < store->trial_count; i++) {
		const struct kept_trial *kept = store->trials[i];

		if (query->study && strcmp(kept->setup.study, query->study) != 0)
			continue;
		if (strncmp(kept->trial.trial_id, query->trial_id ? query->trial_id : "",
			    id_length) != 0)
			continue;
		r = visit_one(kept, query, visit, context);
	}
	return r;
}

static struct kept_number *find_number(struct memory_store *store, const char *name)
{
	for (size_t i = 0; i < store->number_count; i++)
		if (strcmp(store->numbers[i].name, name) == 0)
			return &store->numbers[i];
	return NULL;
}

static int put_number(struct store *base, const char *name, double value, struct err *err UNUSED)
{
	struct memory_store *store = self(base);
	struct kept_number *kept = find_number(store, name);

	if (!kept) {
		store->numbers = memory_resize(
			store->numbers, store->number_count + 1, sizeof(*store->numbers));
		kept = &store->numbers[store->number_count++];
		kept->name = arena_copy_string(&store->arena, name);
	}
	kept->value = value;
	return 0;
}

static int get_number(struct store *base, const char *name, double *ret_value, struct err *err)
{
	const struct kept_number *kept = find_number(self(base), name);

	if (!kept)
		return err_set(err, -ENOENT, "no number '%s' is kept", name);
	*ret_value = kept->value;
	return 0;
}

static void close(struct store *base)
{
	struct memory_store *store = self(base);

	for (size_t i = 0; i < store->trial_count; i++) {
		settings_release(&store->trials[i]->setup_settings);
		settings_release(&store->trials[i]->trial_settings);
		trial_record_release(&store->trials[i]->record);
		free(store->trials[i]);
	}
	for (size_t i = 0; i < store->absent_count; i++)
		absent_cells_release(&store->absents[i].cells);
	free(store->absents);
	free(store->trials);
	free(store->studies);
	free(store->numbers);
	arena_release(&store->arena);
	free(store);
}

const struct store_driver memory_store = {
	.name = "memory",
	.open = open,
	.put_study = put_study,
	.studies = studies,
	.put_absent = put_absent,
	.get_absent = get_absent,
	.seal = seal,
	.state = state,
	.scan = scan,
	.put_number = put_number,
	.get_number = get_number,
	.close = close,
};
