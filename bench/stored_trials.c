/*
 * Fills a results folder with the trials of a study as a run would leave them: some eighty whole
 * values, a few series, facts and notes each, made up. For measuring how reports grow.
 *
 * usage: stored_trials STUDY.ini FOLDER
 */
#include "base/rng.h"
#include "run/catalog.h"
#include "store/store.h"
#include "study/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SERIES_SECONDS 60
#define FACTS	       120

static const char *const values[] = { "tps", "tps_charged", "transactions", "latency_mean_ns",
	"latency_stddev_ns", "latency_p50_ns", "latency_p90_ns", "latency_p95_ns", "latency_p99_ns",
	"latency_p999_ns", "latency_max_ns", "window_s", "wal_bytes", "wal_records", "wal_fpi",
	"wal_fpi_bytes", "wal_write_requests", "wal_sync_requests", "wal_buffers_full",
	"checkpoints_timed", "checkpoints_requested", "buffers_written_checkpointer",
	"buffers_written_bgwriter", "buffers_written_backend", "buffers_allocated", "blocks_read",
	"blocks_hit", "temporary_bytes", "database_bytes", "server_read_bytes",
	"server_write_bytes", "device_write_bytes", "device_write_requests", "device_read_bytes",
	"device_read_requests", "device_flushes", "cpu_user", "cpu_system", "cpu_idle",
	"cpu_iowait", "cpu_steal", "memory_available_bytes", "memory_page_cache_bytes",
	"pressure_cpu", "pressure_io", "pressure_memory", "filesystem_used_bytes",
	"filesystem_available_bytes" };
static const char *const closing[] = { "closing_s", "closing_checkpoint_s", "closing_sync_s",
	"wal_bytes", "device_write_bytes", "device_write_requests", "device_flushes", "cpu_user",
	"cpu_system", "cpu_idle", "filesystem_used_bytes", "database_bytes" };
static const char *const load[] = { "load_s", "load_generate_s", "load_vacuum_s", "load_keys_s",
	"cpu_user", "cpu_system", "cpu_idle", "wal_bytes", "device_write_bytes", "step_mkfs_s",
	"step_initdb_s", "step_mount_s" };
static const char *const series[] = { "tps", "cpu_user", "cpu_iowait", "device_write_bytes",
	"wal_bytes", "pressure_io" };

static void put(struct trial_record *record, const char *phase, const char *metric, double value,
	int64_t at_ns)
{
	const struct sample sample = { metric, phase, "made-up", value, at_ns };

	trial_record_sample(record, &sample);
}

static void fill(struct trial_record *record, const struct planned_trial *trial)
{
	struct rng rng;
	double level;

	rng_init(&rng, trial->order, 1);
	level = exp(0.02 * rng_normal(&rng) + 0.001 * (double)trial->cell);
	for (size_t i = 0; i < ARRAY_SIZE(load); i++)
		put(record, "load", load[i], 10 * level, SAMPLE_WHOLE);
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		put(record, "run", values[i], 1000 * level * (double)(i + 1), SAMPLE_WHOLE);
	for (size_t i = 0; i < ARRAY_SIZE(closing); i++)
		put(record, "closing", closing[i], level, SAMPLE_WHOLE);
	for (int64_t s = 0; s < SERIES_SECONDS; s++)
		for (size_t i = 0; i < ARRAY_SIZE(series); i++)
			put(record, "run", series[i], 1000 * level * rng_uniform(&rng),
				s * NS_PER_S);
	for (int i = 0; i < FACTS; i++) {
		char name[64], value[64];

		snprintf(name, sizeof(name), "postgresql.conf.setting_number_%d", i);
		snprintf(value, sizeof(value), "value %d of cell %zu", i, i < 8 ? trial->cell : 0);
		trial_record_fact(record, name, i < 8 ? value : NULL, value);
	}
	if (trial->order % 50 == 0)
		trial_record_note(record, NOTE_SPOILED, "steal", "steal was %zu %%", trial->order);
	trial_record_note(record, NOTE_INFO, "probe-missing", "no figures of something");
	trial_record_file(record, "pgbench-log", "raw/somewhere/pgbench.log");
}

static int seal(struct store *store, const struct study *study, const struct matrix *matrix,
	const struct plan *plan, size_t index)
{
	const struct planned_trial *planned = &plan->trials[index];
	const struct planned_setup *of = &plan->setups[planned->setup];
	const struct cell *cell = &matrix->cells[planned->cell];
	struct store_setup setup = { of->id, study->name, cell->label, of->block, of->order,
		&matrix->cells[of->cell].settings };
	struct store_trial trial = { .trial_id = planned->id,
		.setup_id = of->id,
		.cell = planned->cell,
		.cell_label = cell->label,
		.run = planned->run,
		.order = planned->order,
		.settings = &cell->settings };
	struct trial_record record;
	struct err err = ERR_INIT;
	int r;

	trial_record_init(&record);
	fill(&record, planned);
	record.state = TRIAL_DONE;
	record.started_utc_ns = 1767225600000000000 + (int64_t)index * NS_PER_S;
	record.finished_utc_ns = record.started_utc_ns + NS_PER_S / 2;
	r = store_seal(store, &setup, &trial, &record, &err);
	trial_record_release(&record);
	if (r < 0)
		fprintf(stderr, "%s\n", err.message);
	return r;
}

static int fill_store(
	const char *folder, const struct study *study, const struct matrix *matrix, struct err *err)
{
	struct store_study kept = { .name = study->name, .text = study->text };
	struct store *store = NULL;
	struct plan plan = { 0 };
	size_t blocks = (size_t)study_integer(study, "design.repeats");
	int r = plan_build(&plan, study, matrix, blocks, err);

	kept.seed = plan.seed;
	if (r == 0)
		r = store_open(&sqlite_store, folder, STORE_WRITE, &store, err);
	if (r == 0)
		r = store_put_study(store, &kept, err);
	for (size_t i = 0; r == 0 && i < plan.trial_count; i++)
		r = seal(store, study, matrix, &plan, i);
	store_close(store);
	plan_release(&plan);
	return r;
}

int main(int argc, char **argv)
{
	struct study_options options = { .catalog = catalog_get() };
	struct err err = ERR_INIT;
	struct matrix matrix;
	struct study study;
	int r;

	if (argc != 3)
		return 1;
	options.path = argv[1];
	r = study_load(&study, &options, &err);
	if (r == 0) {
		r = matrix_build(&matrix, &study, &err);
		if (r == 0) {
			r = fill_store(argv[2], &study, &matrix, &err);
			matrix_release(&matrix);
		}
		study_release(&study);
	}
	if (r < 0)
		fprintf(stderr, "%s\n", err.message);
	return r < 0;
}
