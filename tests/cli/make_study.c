/*
 * A results folder as `plumb run` would leave it, from a study file and a truth: for tests and
 * benches of everything that reads results. Nothing is measured.
 *
 * usage: make_study FOLDER STUDY.ini [name=value ...]
 *   noise=0.01      SD of a set-up's logarithm; half of it between the runs of one
 *   seconds=60      length of the series of each trial
 *   stream=1        another number: other luck
 *   trouble=1       some trials failed, void, spoiled; settings that differ; a canary
 *   aa=1, planted=0.95   what the control copies measure, times the baseline
 *   fact.NAME=TEXT  a fact of the environment
 *   SECTION.KEY=LEVEL:FACTOR   cells with that level are so many times as fast
 */
#include "unit/unit.h"

#include "base/memory.h"
#include "base/rng.h"
#include "run/catalog.h"
#include "store/store.h"
#include "study/plan.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS_MOST 32

static struct {
	double noise, seconds, aa, planted;
	uint64_t stream;
	bool trouble;
	struct {
		char *name, *value;
	} effects[OPTIONS_MOST], facts[OPTIONS_MOST];
	size_t effect_count, fact_count;
} truth = { .noise = 0.01, .seconds = 60, .aa = 1, .planted = 0.95, .stream = 1 };

static struct study study;
static struct matrix matrix;
static struct plan plan;

static void take_option(char *text)
{
	char *equals = strchr(text, '=');

	if (!equals || truth.effect_count == OPTIONS_MOST || truth.fact_count == OPTIONS_MOST) {
		fprintf(stderr, "make_study: what is '%s'?\n", text);
		exit(1);
	}
	*equals++ = '\0';
	if (strcmp(text, "noise") == 0)
		truth.noise = strtod(equals, NULL);
	else if (strcmp(text, "seconds") == 0)
		truth.seconds = strtod(equals, NULL);
	else if (strcmp(text, "stream") == 0)
		truth.stream = strtoull(equals, NULL, 10);
	else if (strcmp(text, "trouble") == 0)
		truth.trouble = strtod(equals, NULL) != 0;
	else if (strcmp(text, "aa") == 0)
		truth.aa = strtod(equals, NULL);
	else if (strcmp(text, "planted") == 0)
		truth.planted = strtod(equals, NULL);
	else if (strncmp(text, "fact.", 5) == 0)
		truth.facts[truth.fact_count].name = text + 5,
		truth.facts[truth.fact_count++].value = equals;
	else
		truth.effects[truth.effect_count].name = text,
		truth.effects[truth.effect_count++].value = equals;
}

static double factor_of(const struct cell *cell)
{
	double factor = cell->role == CELL_CONTROL_AA	     ? truth.aa
			: cell->role == CELL_CONTROL_PLANTED ? truth.planted
							     : 1;

	for (size_t i = 0; i < truth.effect_count; i++) {
		const char *level = settings_text(&cell->settings, truth.effects[i].name, "");
		size_t length = strlen(level);

		if (strncmp(truth.effects[i].value, level, length) == 0 &&
			truth.effects[i].value[length] == ':')
			factor *= strtod(truth.effects[i].value + length + 1, NULL);
	}
	return factor;
}

static void put(struct trial_record *record, const char *phase, const char *metric, double value)
{
	trial_record_sample(
		record, &(struct sample){ metric, phase, "made up", value, SAMPLE_WHOLE });
}

static void put_series(struct trial_record *record, double tps, struct rng *rng)
{
	for (int second = 1; second < (int)truth.seconds; second++) {
		int64_t at_ns = (int64_t)second * NS_PER_S;
		/* A sawtooth of 20 seconds, as full-page writes make it. */
		double value = tps * (0.9 + 0.2 * (second % 20) / 20) * exp(0.05 * rng_normal(rng));

		trial_record_sample(
			record, &(struct sample){ "tps", "run", "made up", value, at_ns });
		if (second % 20 == 0)
			trial_record_sample(record, &(struct sample){ "checkpoints_timed", "run",
							    "made up", 1, at_ns });
	}
}

static void put_values(struct trial_record *record, double tps, double size_factor)
{
	double transactions = tps * truth.seconds;

	put(record, "load", "load_s", 20 * size_factor);
	put(record, "load", "load_generate_s", 11 * size_factor);
	put(record, "load", "load_vacuum_s", 3);
	put(record, "load", "load_primary_keys_s", 4 * size_factor);
	put(record, "run", "window_s", truth.seconds);
	put(record, "run", "tps", tps);
	put(record, "run", "tps_charged", tps * 0.97);
	put(record, "run", "transactions", transactions);
	put(record, "run", "latency_p50_ns", 2e9 / tps);
	put(record, "run", "latency_p90_ns", 5e9 / tps);
	put(record, "run", "latency_p95_ns", 8e9 / tps);
	put(record, "run", "latency_p99_ns", 2e10 / tps);
	put(record, "run", "latency_p999_ns", 9e10 / tps);
	put(record, "run", "latency_max_ns", 3e11 / tps);
	put(record, "run", "row_change_bytes", 315 * transactions);
	put(record, "run", "wal_bytes", 2400 * transactions);
	put(record, "run", "wal_fpi_bytes", 1500 * transactions);
	put(record, "run", "file_write_wal_bytes", 2600 * transactions);
	put(record, "run", "file_write_data_bytes", 9000 * size_factor * transactions);
	put(record, "run", "device_write_bytes", 14000 * size_factor * transactions);
	put(record, "run", "cpu_idle", 40);
	put(record, "closing", "closing_s", 1.4);
	put(record, "closing", "device_write_bytes", 4e7);
	put(record, "closing", "filesystem_used_bytes", 4e8 * size_factor);
	put(record, "closing", "filesystem_available_bytes", 4e10);
	if (truth.trouble)
		put(record, "before", "canary_spin_ns", 1e7);
}

/* True: void, it comes again. */
static bool make_trouble(struct trial_record *record, size_t order, bool again)
{
	if (order == 2) {
		record->state = TRIAL_FAILED;
		record->reason = "initdb failed: <b>\"disk\" & 'all'</b>\n\033[31mPANIC\033[0m";
	}
	if (order == 4)
		trial_record_note(record, NOTE_SPOILED, "steal",
			"the hypervisor took 3.2 %% of the CPU time (limit 1 %%)");
	if (order == 5 && !again) {
		record->state = TRIAL_VOID;
		record->reason = "plumb was stopped";
		return true;
	}
	trial_record_fact(record, "postgresql.conf.wal_init_zero", "off", "on");
	trial_record_note(record, NOTE_WARNING, "log-lines", "3 lines could not be read");
	return false;
}

static void put_facts(struct trial_record *record)
{
	trial_record_fact(record, "postgres.version", NULL, "15.18");
	trial_record_fact(record, "machine.kernel", NULL, "6.1.0-test");
	trial_record_fact(record, "machine.cpu", NULL, "Test <CPU> & Co");
	for (size_t i = 0; i < truth.fact_count; i++)
		trial_record_fact(record, truth.facts[i].name, NULL, truth.facts[i].value);
}

static void seal(struct store *store, const struct planned_trial *trial)
{
	const struct planned_setup *setup = &plan.setups[trial->setup];
	const struct cell *cell = &matrix.cells[trial->cell];
	const struct store_setup stored_setup = { setup->id, study.name, cell->label, setup->block,
		setup->order, &cell->settings };
	const struct store_trial stored_trial = { .trial_id = trial->id,
		.setup_id = setup->id,
		.cell = trial->cell,
		.cell_label = cell->label,
		.role = cell->role,
		.run = trial->run,
		.order = trial->order,
		.settings = &cell->settings };
	struct err err = ERR_INIT;
	bool again = false, is_void = false;
	struct rng luck, run_luck;

	rng_init(&luck, truth.stream, trial->setup);
	rng_init(&run_luck, truth.stream + 1000, trial->order);
	double tps = 1000 * factor_of(cell) * (1 + 0.02 * (double)setup->block) *
		     exp(truth.noise * (rng_normal(&luck) + 0.5 * rng_normal(&run_luck)));
	double size_factor = 1 + 0.05 * (double)(trial->cell % 4);

	do {
		struct trial_record record;

		trial_record_init(&record);
		record.state = TRIAL_DONE;
		record.started_utc_ns =
			1767225600000000000 + (int64_t)trial->order * 900 * NS_PER_S;
		record.finished_utc_ns =
			record.started_utc_ns + (int64_t)(truth.seconds + 100) * NS_PER_S;
		put_facts(&record);
		is_void = truth.trouble && make_trouble(&record, trial->order, again);
		if (record.state == TRIAL_DONE) {
			put_values(&record, tps, size_factor);
			put_series(&record, tps, &run_luck);
		}
		if (store_seal(store, &stored_setup, &stored_trial, &record, &err) < 0) {
			fprintf(stderr, "make_study: %s\n", err.message);
			exit(1);
		}
		trial_record_release(&record);
		again = true;
	} while (is_void);
}

int main(int argc, char **argv)
{
	struct study_options options = { .catalog = catalog_get() };
	struct store *store;
	struct err err = ERR_INIT;

	if (argc < 3) {
		fprintf(stderr, "usage: make_study FOLDER STUDY.ini [name=value ...]\n");
		return 1;
	}
	options.path = argv[2];
	for (int i = 3; i < argc; i++)
		take_option(argv[i]);
	if (study_load(&study, &options, &err) < 0 || matrix_build(&matrix, &study, &err) < 0 ||
		plan_build(&plan, &study, &matrix, (size_t)study_integer(&study, "design.repeats"),
			&err) < 0 ||
		store_open(&sqlite_store, argv[1], STORE_WRITE, &store, &err) < 0 ||
		store_put_study(store,
			&(struct store_study){ .name = study.name,
				.text = study.text,
				.seed = plan.seed,
				.created_utc_ns = 1767225600000000000,
				.program_version = PLUMB_VERSION },
			&err) < 0) {
		fprintf(stderr, "make_study: %s\n", err.message);
		return 1;
	}
	for (size_t t = 0; t < plan.trial_count; t++)
		seal(store, &plan.trials[t]);
	store_close(store);
	plan_release(&plan);
	matrix_release(&matrix);
	study_release(&study);
	return 0;
}
