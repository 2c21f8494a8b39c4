/* Set-ups in randomised complete blocks, trials inside them, and what that costs (see plan.h). */
#include "study/plan.h"

#include "base/memory.h"
#include "base/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cells that share their set-ups. */
struct group {
	struct hash128 key; /* of the settings that need a set-up */
	size_t *cells;
	size_t count;
};

struct grouping {
	struct group *groups;
	size_t count;
	size_t *order; /* cells sorted by key, backing every group's cells */
};

static struct hash128 reload_hash(const struct cell *cell)
{
	struct hash_state *state = hash_new();
	struct hash128 hash;

	for (size_t i = 0; i < cell->settings.count; i++) {
		const struct setting_value *value = &cell->settings.values[i];

		if (!value->reload)
			continue;
		hash_add_text(state, value->name);
		hash_add_text(state, value->text);
	}
	hash = hash_finish(state);
	hash_free(state);
	return hash;
}

static bool same_hash(struct hash128 a, struct hash128 b)
{
	return a.high == b.high && a.low == b.low;
}

/* Groups in the order in which their first cell appears. */
static void group_cells(struct grouping *grouping, const struct matrix *matrix)
{
	size_t table_size = 1;
	size_t *table, *group_of;

	while (table_size < matrix->count * 2 + 1)
		table_size *= 2;
	table = memory_new_array(table_size, sizeof(*table)); /* group number + 1 */
	group_of = memory_new_array(matrix->count, sizeof(*group_of));
	grouping->groups = memory_new_array(matrix->count, sizeof(*grouping->groups));
	grouping->order = memory_new_array(matrix->count, sizeof(*grouping->order));
	for (size_t i = 0; i < matrix->count; i++) {
		struct hash128 key = reload_hash(&matrix->cells[i]);
		size_t slot = key.low & (table_size - 1);

		while (table[slot] && !same_hash(grouping->groups[table[slot] - 1].key, key))
			slot = (slot + 1) & (table_size - 1);
		if (!table[slot]) {
			grouping->groups[grouping->count++].key = key;
			table[slot] = grouping->count;
		}
		group_of[i] = table[slot] - 1;
		grouping->groups[group_of[i]].count++;
	}
	for (size_t g = 0, start = 0; g < grouping->count; g++) {
		grouping->groups[g].cells = grouping->order + start;
		start += grouping->groups[g].count;
		grouping->groups[g].count = 0;
	}
	for (size_t i = 0; i < matrix->count; i++) {
		struct group *group = &grouping->groups[group_of[i]];

		group->cells[group->count++] = i;
	}
	free(table);
	free(group_of);
}

static void setup_identity(const struct study *study, const struct cell *cell, size_t block,
	uint64_t seed, char ret_id[HASH_TEXT_SIZE])
{
	struct hash_state *state = hash_new();
	char number[64];

	hash_add_text(state, study->name);
	for (size_t i = 0; i < cell->settings.count; i++)
		if (cell->settings.values[i].reload) {
			hash_add_text(state, cell->settings.values[i].name);
			hash_add_text(state, cell->settings.values[i].text);
		}
	snprintf(number, sizeof(number), "block %zu seed %llu", block, (unsigned long long)seed);
	hash_add_text(state, number);
	hash_format(hash_finish(state), ret_id);
	hash_free(state);
}

static void trial_identity(
	const char *setup_id, const struct cell *cell, size_t run, char ret_id[HASH_TEXT_SIZE])
{
	struct hash_state *state = hash_new();
	char number[32];

	hash_add_text(state, setup_id);
	hash_add_text(state, cell->label);
	for (size_t i = 0; i < cell->settings.count; i++)
		if (!cell->settings.values[i].reload) {
			hash_add_text(state, cell->settings.values[i].name);
			hash_add_text(state, cell->settings.values[i].text);
		}
	snprintf(number, sizeof(number), "run %zu", run);
	hash_add_text(state, number);
	hash_format(hash_finish(state), ret_id);
	hash_free(state);
}

static void plan_setup(struct plan *plan, const struct study *study, const struct matrix *matrix,
	const struct group *group, struct rng *rng)
{
	struct planned_setup *setup = &plan->setups[plan->setup_count];
	size_t runs = (size_t)MAX(study_integer(study, "design.runs"), 1);
	size_t *cells = memory_new_array(group->count, sizeof(*cells));

	setup->order = plan->setup_count;
	setup->cell = group->cells[0];
	setup->first_trial = plan->trial_count;
	setup->trial_count = runs * group->count;
	setup_identity(study, &matrix->cells[setup->cell], setup->block, plan->seed, setup->id);
	for (size_t run = 0; run < runs; run++) {
		memcpy(cells, group->cells, group->count * sizeof(*cells));
		rng_shuffle(rng, cells, group->count, sizeof(*cells));
		for (size_t i = 0; i < group->count; i++) {
			struct planned_trial *trial = &plan->trials[plan->trial_count];

			trial->setup = plan->setup_count;
			trial->cell = cells[i];
			trial->run = run;
			trial->order = plan->trial_count++;
			trial_identity(setup->id, &matrix->cells[cells[i]], run, trial->id);
		}
	}
	plan->setup_count++;
	free(cells);
}

int plan_build(struct plan *plan, const struct study *study, const struct matrix *matrix,
	size_t blocks, struct err *err)
{
	struct grouping grouping = { 0 };
	size_t *order;
	size_t runs = (size_t)MAX(study_integer(study, "design.runs"), 1);

	(void)err; /* cannot fail yet; kept for limits to come */
	*plan = (struct plan){ .seed = (uint64_t)study_integer(study, "design.seed"),
		.block_count = blocks };
	group_cells(&grouping, matrix);
	order = memory_new_array(grouping.count, sizeof(*order));
	plan->setups = memory_new_array(grouping.count * blocks, sizeof(*plan->setups));
	plan->trials = memory_new_array(matrix->count * blocks * runs, sizeof(*plan->trials));
	for (size_t block = 0; block < blocks; block++) {
		struct rng rng;

		rng_init(&rng, plan->seed, block);
		for (size_t g = 0; g < grouping.count; g++)
			order[g] = g;
		rng_shuffle(&rng, order, grouping.count, sizeof(*order));
		for (size_t g = 0; g < grouping.count; g++) {
			plan->setups[plan->setup_count].block = block;
			plan_setup(plan, study, matrix, &grouping.groups[order[g]], &rng);
		}
	}
	free(order);
	free(grouping.groups);
	free(grouping.order);
	return 0;
}

void plan_release(struct plan *plan)
{
	free(plan->setups);
	free(plan->trials);
	arena_release(&plan->arena);
	*plan = (struct plan){ 0 };
}

/* Does any of its trials run? */
static bool setup_runs(
	const struct plan *plan, const struct planned_setup *setup, const bool *absent)
{
	for (size_t i = 0; i < setup->trial_count; i++)
		if (!absent || !absent[plan->trials[setup->first_trial + i].cell])
			return true;
	return false;
}

void plan_estimate(const struct plan *plan, const struct matrix *matrix,
	const struct plan_step_times *times, struct plan_estimate *ret_estimate)
{
	struct plan_estimate estimate = { 0 };

	for (size_t i = 0; i < plan->setup_count; i++) {
		const struct settings *settings = &matrix->cells[plan->setups[i].cell].settings;
		uint64_t bytes = times->expected_bytes ? times->expected_bytes(settings) : 0;
		int64_t scale = settings_integer(settings, "workload.scale", 0);
		uint64_t disk;

		if (!setup_runs(plan, &plan->setups[i], times->absent))
			continue;
		/* Data, WAL up to max_wal_size, and what a cluster has when it is empty. */
		disk = bytes + settings_size(settings, "postgresql.conf.max_wal_size", 1ULL << 30) +
		       (64ULL << 20);

		estimate.total_s += times->setup_s + times->load_s_per_scale * (double)scale;
		estimate.peak_disk_bytes = MAX(estimate.peak_disk_bytes, disk);
	}
	for (size_t i = 0; i < plan->trial_count; i++) {
		const struct settings *settings = &matrix->cells[plan->trials[i].cell].settings;
		int64_t ns = settings_duration(settings, "design.warmup", 0) +
			     settings_duration(settings, "design.measure", 0);

		if (times->absent && times->absent[plan->trials[i].cell])
			continue;
		estimate.total_s += times->overhead_run_s + (double)ns / NS_PER_S;
	}
	*ret_estimate = estimate;
}
