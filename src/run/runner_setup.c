/* One set-up: provision, load, its trials, take down; each trial sealed as it ends. */
#include "run/runner_internal.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/strbuf.h"
#include "run/raw_files.h"
#include "run/step_times.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SERVER_CONNECTIONS 100 /* the server's default */
#define OWN_CONNECTIONS	   20  /* superusers, probes, autovacuum's neighbours */

/* One set-up while it stands. */
struct setup {
	struct runner *runner;
	const struct planned_setup *plan;
	const struct cell *cell; /* one that has its settings and can run */
	const struct workload_driver *driver;
	struct rig rig;
	struct trial_record load; /* phases "setup" and "load": part of every trial's record */
	size_t to_do, tried;
};

static const struct cell *cell_of(const struct setup *setup, const struct planned_trial *trial)
{
	return &setup->runner->options->matrix->cells[trial->cell];
}

static bool tell_step(void *listener, const char *name)
{
	struct runner *runner = listener;

	runner->now.phase = name;
	runner->now.part = NULL;
	runner->now.rate = 0;
	runner->now.fraction = -1;
	runner_tell(runner, RUN_PHASE, NULL);
	return runner_wants_stop(runner);
}

static bool ask_stop(void *listener)
{
	return runner_wants_stop(listener);
}

static bool tell_trial(void *listener, const char *phase, const struct workload_progress *progress)
{
	struct runner *runner = listener;

	if (!progress)
		return tell_step(listener, phase);
	runner->now.phase = phase;
	runner->now.part = progress->part;
	runner->now.rate = progress->rate;
	runner->now.unit = progress->unit;
	runner->now.fraction = progress->fraction;
	runner_tell(runner, RUN_PROGRESS, NULL);
	return runner_wants_stop(runner);
}

/* A number from an identity: the same trial draws the same random stream on any machine. */
static uint64_t seed_of(const char *id)
{
	char digits[17];

	snprintf(digits, sizeof(digits), "%.16s", id);
	return rng_mix(strtoull(digits, NULL, 16)) >> 1; /* fits every reader's signed number */
}

/* Nothing is to be done: it is sealed, or its cell can't run here. */
static int is_over(
	struct runner *runner, const struct planned_trial *trial, bool *ret_over, struct err *err)
{
	enum trial_state state;
	int r = store_state(runner->options->store, trial->id, &state, err);

	*ret_over = state == TRIAL_DONE || state == TRIAL_FAILED || runner->is_absent[trial->cell];
	return r;
}

static int count_to_do(struct setup *setup, struct err *err)
{
	const struct plan *plan = &setup->runner->plan;

	for (size_t i = 0; i < setup->plan->trial_count; i++) {
		const struct planned_trial *trial = &plan->trials[setup->plan->first_trial + i];
		bool over = false;
		int r = is_over(setup->runner, trial, &over, err);

		if (r < 0)
			return r;
		if (!over && setup->to_do++ == 0)
			setup->cell = cell_of(setup, trial);
	}
	return 0;
}

/* Settings that needed this set-up, for its row in the store. */
static void reload_settings(const struct cell *cell, struct settings *settings)
{
	for (size_t i = 0; i < cell->settings.count; i++)
		if (cell->settings.values[i].reload)
			settings_set(settings, &cell->settings.values[i]);
}

static void count_state(struct run_summary *summary, enum trial_state state)
{
	summary->done += state == TRIAL_DONE;
	summary->failed += state == TRIAL_FAILED;
	summary->voided += state == TRIAL_VOID;
}

static int seal(struct setup *setup, const struct planned_trial *trial,
	const struct trial_record *record, struct err *err)
{
	struct runner *runner = setup->runner;
	const struct cell *cell = cell_of(setup, trial);
	struct settings reload = { 0 };
	struct store_setup row = {
		.setup_id = setup->plan->id,
		.study = runner->options->study->name,
		.label = setup->cell->label,
		.block = setup->plan->block,
		.order = setup->plan->order,
		.settings = &reload,
	};
	struct store_trial trial_row = {
		.trial_id = trial->id,
		.setup_id = setup->plan->id,
		.cell = trial->cell,
		.cell_label = cell->label,
		.role = (int)cell->role,
		.run = trial->run,
		.order = trial->order,
		.program_version = runner->options->program_version,
		.settings = &cell->settings,
	};
	double rate = 0;
	int r;

	reload_settings(setup->cell, &reload);
	r = store_seal(runner->options->store, &row, &trial_row, record, err);
	settings_release(&reload);
	if (r < 0)
		return err_prefix(err, r, "seal trial %.16s", trial->id);
	count_state(runner->summary, record->state);
	(void)trial_record_find(record, "run", "tps", &rate); /* 0: it has none */
	runner->tried++;
	runner->now.state = record->state;
	runner->now.rate = rate;
	runner_tell(runner, RUN_TRIAL_END, record->reason);
	return 0;
}

/* What the set-up brought belongs to each of its trials. */
static void add_load(struct trial_record *record, const struct trial_record *load)
{
	for (size_t i = 0; i < load->sample_count; i++)
		trial_record_sample(record, &load->samples[i]);
	for (size_t i = 0; i < load->note_count; i++)
		trial_record_note(record, load->notes[i].level, load->notes[i].code, "%s",
			load->notes[i].text);
	for (size_t i = 0; i < load->fact_count; i++)
		trial_record_fact(
			record, load->facts[i].name, load->facts[i].asked, load->facts[i].value);
}

static void set_state(
	struct setup *setup, struct trial_record *record, int r, const struct err *err)
{
	struct clock *clock = setup->runner->options->clock;

	record->finished_utc_ns = clock->utc_ns(clock);
	record->state = r == 0				 ? TRIAL_DONE
			: setup->rig.blame == RIG_SYSTEM ? TRIAL_FAILED
							 : TRIAL_VOID;
	if (r < 0)
		record->reason = arena_copy_string(&record->arena, err->message);
}

static void tell_trial_begin(struct setup *setup, const struct planned_trial *trial)
{
	struct runner *runner = setup->runner;

	runner->now.trial = trial->order + 1;
	runner->now.trial_id = trial->id;
	runner->now.label = cell_of(setup, trial)->label;
	runner->now.block = setup->plan->block + 1;
	runner_tell(runner, RUN_TRIAL_BEGIN, NULL);
}

static int keep_files(struct setup *setup, const struct planned_trial *trial,
	struct trial_record *record, const struct raw_log logs[2], struct err *err)
{
	const struct run_options *options = setup->runner->options;
	const struct raw_place place = { options->results_folder, options->study->name, trial->id };
	char *folder;
	int r = 0;

	if (!setup->rig.journal)
		return 0;
	folder = memory_format("%s/%zu", setup->rig.raw_folder, trial->order);
	for (size_t i = 0; r == 0 && i < 2; i++)
		r = raw_files_add_log(record, &logs[i], folder, err);
	if (r == 0)
		r = raw_files_keep(record, folder, &place, err);
	free(folder);
	return r;
}

static int run_trial(struct setup *setup, const struct planned_trial *trial,
	struct trial_record *record, struct err *err)
{
	struct runner *runner = setup->runner;
	struct rig *rig = &setup->rig;
	const char *daemon_log = arena_format(&rig->arena, "%s/plumb-zfsd.log", rig->folder);
	const struct raw_log logs[2] = {
		{ rig->log_path, rig->journal ? raw_files_length(rig->log_path) : 0, "server-log",
			"server.log" },
		{ daemon_log, rig->journal ? raw_files_length(daemon_log) : 0, "zfsd-log",
			"plumb-zfsd.log" },
	};
	struct trial_options options = {
		.rig = rig,
		.settings = &cell_of(setup, trial)->settings,
		.driver = setup->driver,
		.seed = seed_of(trial->id),
		.restore = setup->tried > 0,
		.canary = study_boolean(runner->options->study, "design.canary"),
		.probes = runner->options->probes,
		.raw_folder = arena_format(&rig->arena, "%s/%zu", rig->raw_folder, trial->order),
		.tell = tell_trial,
		.listener = runner,
	};
	struct err files = ERR_INIT;
	int r = 0;

	rig->blame = RIG_OURS;
	if (rig->journal)
		r = raw_files_prepare(
			options.raw_folder, runner->drop_user ? &runner->user : NULL, err);
	if (r == 0)
		r = trial_run(&options, record, err);
	if (r == -EINTR)
		return r;
	if (keep_files(setup, trial, record, logs, &files) < 0)
		trial_record_note(record, NOTE_WARNING, "raw-files", "%s", files.message);
	return r;
}

static void add_run_time(struct setup *setup, const struct planned_trial *trial, double seconds)
{
	const struct settings *settings = &cell_of(setup, trial)->settings;
	int64_t inside = settings_duration(settings, "design.warmup", 0) +
			 settings_duration(settings, "design.measure", 0);

	step_times_add_run(setup->runner->options->store, seconds - (double)inside / NS_PER_S);
}

/* 0: sealed, whatever it came to. */
static int one_trial(struct setup *setup, const struct planned_trial *trial, struct err *err)
{
	struct runner *runner = setup->runner;
	struct clock *clock = runner->options->clock;
	struct err failure = ERR_INIT;
	struct trial_record record;
	int64_t began_ns = clock->now_ns(clock);
	int r;

	trial_record_init(&record);
	record.started_utc_ns = clock->utc_ns(clock);
	add_load(&record, &setup->load);
	tell_trial_begin(setup, trial);
	r = run_trial(setup, trial, &record, &failure);
	setup->tried++;
	if (r == -EINTR) {
		err_set(err, r, "%s", failure.message);
	} else {
		set_state(setup, &record, r, &failure);
		r = seal(setup, trial, &record, err);
		if (r == 0 && record.state == TRIAL_DONE)
			add_run_time(
				setup, trial, (double)(clock->now_ns(clock) - began_ns) / NS_PER_S);
	}
	trial_record_release(&record);
	return r;
}

/* The set-up itself failed: so did every trial that would have run in it. */
static int seal_all_failed(struct setup *setup, const struct err *failure, struct err *err)
{
	struct runner *runner = setup->runner;
	struct clock *clock = runner->options->clock;
	int r = 0;

	for (size_t i = 0; r == 0 && i < setup->plan->trial_count; i++) {
		const struct planned_trial *trial =
			&runner->plan.trials[setup->plan->first_trial + i];
		struct trial_record record;
		bool over = false;

		r = is_over(runner, trial, &over, err);
		if (r < 0 || over)
			continue;
		trial_record_init(&record);
		record.started_utc_ns = clock->utc_ns(clock);
		add_load(&record, &setup->load);
		tell_trial_begin(setup, trial);
		set_state(setup, &record, -EIO, failure);
		r = seal(setup, trial, &record, err);
		trial_record_release(&record);
	}
	return r;
}

static int run_trials(struct setup *setup, struct err *err)
{
	struct runner *runner = setup->runner;
	int r = 0;

	for (size_t i = 0; r == 0 && i < setup->plan->trial_count; i++) {
		const struct planned_trial *trial =
			&runner->plan.trials[setup->plan->first_trial + i];
		bool over = false;

		r = is_over(runner, trial, &over, err);
		if (r == 0 && !over)
			r = one_trial(setup, trial, err);
	}
	return r;
}

/* The same in every cell, so that it is no difference between them. */
static int max_connections(const struct matrix *matrix)
{
	int64_t most = 0;

	for (size_t i = 0; i < matrix->count; i++)
		most = MAX(
			most, settings_integer(&matrix->cells[i].settings, "workload.clients", 0));
	return most > SERVER_CONNECTIONS - OWN_CONNECTIONS ? (int)most + OWN_CONNECTIONS : 0;
}

/* After the first part of the load failed nothing is measured; -EINTR passes through. */
static int provision(struct setup *setup, struct err *failure)
{
	struct runner *runner = setup->runner;
	struct clock *clock = runner->options->clock;
	const struct settings *settings = &setup->cell->settings;
	struct rig_options options = {
		.settings = settings,
		.folders = runner->options->folders,
		.study = runner->options->study->name,
		.needs_cluster = setup->driver->needs_cluster,
		.image_folder = study_text(runner->options->study, "device.folder"),
		.keeps_image = setup->to_do > 1,
		.drop_user = runner->drop_user,
		.run_as = runner->user,
		.max_connections = max_connections(runner->options->matrix),
		.seed = seed_of(setup->plan->id),
		.clock = clock,
		.step = tell_step,
		.stop = ask_stop,
		.listener = runner,
	};
	struct trial_options load = {
		.rig = &setup->rig,
		.settings = settings,
		.driver = setup->driver,
		.seed = options.seed,
		.probes = runner->options->probes,
		.tell = tell_trial,
		.listener = runner,
	};
	int64_t began_ns = clock->now_ns(clock), up_ns;
	int r = runner_space_now(runner->options, settings, options.keeps_image, failure);

	setup->rig.blame = RIG_OURS; /* the host's disk is no part of the system under test */
	if (r == 0)
		r = rig_up(&setup->rig, &options, failure);

	up_ns = clock->now_ns(clock);
	load.raw_folder = arena_format(&setup->rig.arena, "%s/load", setup->rig.raw_folder);
	if (r == 0 && setup->rig.journal)
		r = raw_files_prepare(
			load.raw_folder, runner->drop_user ? &runner->user : NULL, failure);
	if (r == 0)
		r = trial_load(&load, &setup->load, failure);
	if (r == 0) {
		step_times_add_setup(runner->options->store, (double)(up_ns - began_ns) / NS_PER_S);
		step_times_add_load(runner->options->store,
			(double)(clock->now_ns(clock) - up_ns) / NS_PER_S,
			settings_integer(settings, "workload.scale", 0));
		r = rig_save_image(&setup->rig, failure);
	}
	return r;
}

static int take_down(struct setup *setup, bool hurry)
{
	struct err undo = ERR_INIT;
	int r;

	if (!hurry)
		tell_step(setup->runner, "take down");
	r = rig_down(&setup->rig, hurry, &undo);
	if (r < 0) {
		char text[ERR_MESSAGE_SIZE + 64];

		snprintf(text, sizeof(text), "could not undo (plumb clean tries again): %s",
			undo.message);
		runner_tell(setup->runner, RUN_MESSAGE, text);
	}
	return r;
}

static void tell_setup_begin(struct setup *setup)
{
	struct runner *runner = setup->runner;

	runner->now.setup = setup->plan->order + 1;
	runner->now.setup_id = setup->plan->id;
	runner->now.block = setup->plan->block + 1;
	runner->now.label = setup->cell->label;
	runner->now.trial = setup->plan->first_trial + 1;
	runner->now.trial_id = NULL;
	runner_tell(runner, RUN_SETUP_BEGIN, NULL);
}

int runner_setup(struct runner *runner, size_t index, struct err *err)
{
	struct setup setup = { .runner = runner, .plan = &runner->plan.setups[index] };
	struct err failure = ERR_INIT;
	int r = count_to_do(&setup, err);

	if (r < 0 || setup.to_do == 0)
		return r;
	if (runner_wants_stop(runner))
		return err_set(err, -EINTR, "stopped by the user");
	setup.driver =
		workload_find(settings_text(&setup.cell->settings, "workload.type", "pgbench"));
	trial_record_init(&setup.load);
	tell_setup_begin(&setup);
	r = provision(&setup, &failure);
	if (r == 0)
		r = run_trials(&setup, err);
	else if (r == -EINTR)
		err_set(err, r, "%s", failure.message);
	else
		r = seal_all_failed(&setup, &failure, err);
	(void)take_down(&setup, r < 0); /* said as a message; the journal keeps it */
	runner_tell(runner, RUN_SETUP_END, NULL);
	trial_record_release(&setup.load);
	return r;
}
