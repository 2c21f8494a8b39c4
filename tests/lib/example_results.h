/* Sealed trials of an invented study for tests of analysis and report: the truth is a function of
 * cell, block and run. */
#ifndef TESTS_EXAMPLE_RESULTS_H
#define TESTS_EXAMPLE_RESULTS_H

#include "unit/unit.h"

#include "analysis/finding.h"
#include "base/rng.h"
#include "lib/example_catalog.h"
#include "study/plan.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

struct example {
	struct study study;
	struct matrix matrix;
	struct plan plan;
	struct results results;
	struct findings findings;
	struct err err;
};

/* Fills the record of one trial: at least a tps sample of phase "run", unless it is to fail. */
typedef void example_trial(const struct example *example, const struct planned_trial *trial,
	struct trial_record *record);

static inline void example_sample(
	struct trial_record *record, const char *phase, const char *metric, double value)
{
	trial_record_sample(
		record, &(struct sample){ metric, phase, "example", value, SAMPLE_WHOLE });
}

/* Noise of one set-up, 1 % unless scaled: the same for all its runs. */
static inline double example_luck(const struct planned_trial *trial)
{
	struct rng rng;

	rng_init(&rng, 99, trial->setup);
	return 0.01 * rng_normal(&rng);
}

static inline void example_plan(struct example *example, const char *text, size_t blocks)
{
	/* No control that the text doesn't ask for: tests count cells. */
	static const struct override plain = { "design.controls", "off", 0 };
	const struct study_options options = {
		.path = "example.ini",
		.catalog = &example_catalog,
		.overrides = &plain,
		.override_count = !strstr(text, "controls"),
	};

	memset(example, 0, sizeof(*example));
	if (study_parse(&example->study, &options, text, &example->err) < 0 ||
		matrix_build(&example->matrix, &example->study, &example->err) < 0 ||
		plan_build(&example->plan, &example->study, &example->matrix, blocks,
			&example->err) < 0)
		fail_msg("%s", example->err.message);
	results_init(&example->results);
}

static inline void example_run(struct example *example, example_trial *run)
{
	for (size_t t = 0; t < example->plan.trial_count; t++) {
		const struct planned_trial *trial = &example->plan.trials[t];
		const struct planned_setup *setup = &example->plan.setups[trial->setup];
		const struct cell *cell = &example->matrix.cells[trial->cell];
		struct trial_record record;
		struct store_result result = {
			.setup = { .setup_id = setup->id,
				.study = example->study.name,
				.label = cell->label,
				.block = setup->block,
				.order = setup->order,
				.settings = &cell->settings },
			.trial = { .trial_id = trial->id,
				.setup_id = setup->id,
				.cell = trial->cell,
				.cell_label = cell->label,
				.role = cell->role,
				.run = trial->run,
				.order = trial->order,
				.attempt = 1,
				.program_version = "1.2.3",
				.settings = &cell->settings },
			.record = &record,
		};

		trial_record_init(&record);
		record.state = TRIAL_DONE;
		record.started_utc_ns = (int64_t)(1000 + 100 * t) * NS_PER_S;
		record.finished_utc_ns = record.started_utc_ns + 90 * NS_PER_S;
		run(example, trial, &record);
		assert_int_equal(results_add(&example->results, &result), 0);
		trial_record_release(&record);
	}
}

static inline void example_find(struct example *example)
{
	if (findings_build(&example->findings, &example->results, &example->study, &example->matrix,
		    &example->err) < 0)
		fail_msg("%s", example->err.message);
}

/* Plan, run and analyse in one go. */
static inline void example_make(
	struct example *example, const char *text, size_t blocks, example_trial *run)
{
	example_plan(example, text, blocks);
	example_run(example, run);
	example_find(example);
}

static inline void example_release(struct example *example)
{
	findings_release(&example->findings);
	results_release(&example->results);
	plan_release(&example->plan);
	matrix_release(&example->matrix);
	study_release(&example->study);
}

static inline const char *example_setting(
	const struct example *example, const struct planned_trial *trial, const char *name)
{
	return settings_text(&example->matrix.cells[trial->cell].settings, name, "");
}

#endif
