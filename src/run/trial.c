/* One trial, step by step (see trial.h). */
#include "run/trial.h"

#include "base/memory.h"
#include "probe/probe.h"
#include "run/canary.h"
#include "run/checkpoint.h"
#include "run/steadiness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STEP_NS (100 * NS_PER_MS) /* about ten looks a second */

/* What one trial holds while it runs. */
struct running {
	const struct trial_options *options;
	struct trial_record *record;
	struct clock *clock;
	struct workload *workload;
	struct probe_set probes;
	bool probing;
	const char *phase;
	int64_t checkpoint_ns; /* when the one before warm-up began */
	int64_t warmup_ns, measure_ns;
	int64_t window_began_ns, window_ended_ns;
	size_t cycles;	/* timed checkpoints that the window holds; 0: not asked for */
	double planted; /* share of the time that clients are held still; 0: none */
	int64_t next_pause_ns;
};

static bool tell(struct running *running, const char *phase, const struct workload_progress *now)
{
	const struct trial_options *options = running->options;

	running->phase = phase;
	return options->tell && options->tell(options->listener, phase, now);
}

static int enter(struct running *running, const char *phase, struct err *err)
{
	if (tell(running, phase, NULL))
		return err_set(err, -EINTR, "stopped by the user");
	return 0;
}

static bool wants_stop(void *context)
{
	struct running *running = context;
	struct workload_progress unknown = { .fraction = -1 };

	return tell(running, running->phase, &unknown);
}

static bool load_progress(void *context, const struct workload_progress *progress)
{
	return tell(context, "load", progress);
}

static void add_sample(struct running *running, const char *phase, const char *metric, double value)
{
	struct sample sample = { .metric = metric,
		.phase = phase,
		.source = "plumb",
		.value = value,
		.at_ns = SAMPLE_WHOLE };

	trial_record_sample(running->record, &sample);
}

static int open_workload(struct running *running, struct err *err)
{
	const struct trial_options *options = running->options;
	struct rig *rig = options->rig;
	struct workload_context context = {
		.settings = options->settings,
		.cluster = rig->cluster,
		.mount_path = rig->mount_path,
		.raw_folder = options->raw_folder,
		.cgroup_procs = rig->has_cgroup ? rig->cgroup.procs : NULL,
		.drop_user = rig->options.drop_user,
		.user_id = rig->options.run_as.user_id,
		.group_id = rig->options.run_as.group_id,
		.seed = options->seed,
		.clock = running->clock,
		.progress = load_progress,
		.listener = running,
	};

	return workload_open(options->driver, &context, &running->workload, err);
}

static int open_probes(struct running *running, struct err *err)
{
	struct rig *rig = running->options->rig;
	struct probe_context context = {
		.drivers = running->options->probes,
		.settings = running->options->settings,
		.cluster = rig->cluster,
		.target = rig->target,
		.block_devices = rig_block_devices(rig),
		.disks = rig_disk_daemons(rig),
		.mount_path = rig->mount_path,
		.cgroup_folder = rig->has_cgroup ? rig->cgroup.memory_folder : NULL,
		.clock = running->clock,
	};
	int r = probe_set_open(&running->probes, &context, running->record, err);

	running->probing = r == 0;
	return r;
}

static void close_all(struct running *running)
{
	if (running->workload)
		workload_stop(running->workload);
	if (running->probing)
		probe_set_close(&running->probes);
	running->workload = workload_close(running->workload);
	running->probing = false;
}

static int checkpoint(struct running *running, struct err *err)
{
	struct rig *rig = running->options->rig;
	int r = 0;

	if (rig->cluster)
		r = checkpoint_run(rig->cluster, wants_stop, running, err);
	return r == 0 ? rig_sync(rig, err) : r;
}

/* The same for every run: the loaded state, cold or warm, a running server, all of it on disk. */
static int make_start_state(struct running *running, struct err *err)
{
	const struct trial_options *options = running->options;
	const char *state = settings_text(options->settings, "design.start_state", "warm");
	struct rig *rig = options->rig;
	int r = enter(running, "start", err);

	/* What broke the run before was that run's result. */
	rig->blame = RIG_SYSTEM;
	if (r == 0 && options->restore)
		r = target_revive(rig->target, err);
	if (r == 0 && options->restore)
		r = rig_restore_image(rig, err);
	rig->blame = RIG_SYSTEM;
	if (r == 0 && strcmp(state, "cold") == 0)
		r = target_drop_cache(rig->target, err);
	if (r == 0)
		r = rig_start(rig, options->settings, err);
	running->checkpoint_ns = running->clock->now_ns(running->clock);
	return r == 0 ? checkpoint(running, err) : r;
}

static int describe(struct running *running, struct err *err)
{
	struct trial_record *record = running->record;
	const struct settings *settings = running->options->settings;
	int r = rig_describe(running->options->rig, record, err);

	trial_record_fact(record, "run.start_state", NULL,
		settings_text(settings, "design.start_state", "warm"));
	trial_record_fact(record, "run.checkpoint", NULL,
		settings_text(settings, "design.checkpoint", "closing"));
	return r == 0 ? probe_set_describe(&running->probes, record, err) : r;
}

/* Seconds of checkpoint_timeout as the server has it. */
static int checkpoint_timeout(struct running *running, int64_t *ret_ns, struct err *err)
{
	PGconn *conn;
	double seconds;
	int r = pg_cluster_connect(running->options->rig->cluster, "postgres", &conn, err);

	if (r < 0)
		return r;
	r = pg_conn_number(conn,
		"SELECT setting FROM pg_settings WHERE name = 'checkpoint_timeout'", &seconds, err);
	pg_conn_close(conn);
	if (r == 0)
		*ret_ns = (int64_t)(seconds * NS_PER_S);
	return r;
}

static int choose_window(struct running *running, struct err *err)
{
	const struct settings *settings = running->options->settings;
	int64_t timeout_ns = 0, now_ns;
	int r;

	running->warmup_ns = settings_duration(settings, "design.warmup", 0);
	running->measure_ns = settings_duration(settings, "design.measure", 60 * NS_PER_S);
	if (running->warmup_ns < NS_PER_S) /* no client can be told less */
		running->warmup_ns = 0;
	if (strcmp(settings_text(settings, "design.checkpoint", "closing"), "timed") != 0 ||
		!running->options->rig->cluster)
		return 0;
	r = checkpoint_timeout(running, &timeout_ns, err);
	if (r < 0)
		return r;
	now_ns = running->clock->now_ns(running->clock);
	checkpoint_align(timeout_ns, now_ns - running->checkpoint_ns, &running->warmup_ns,
		&running->measure_ns);
	running->cycles = (size_t)(running->measure_ns / timeout_ns);
	return 0;
}

static int begin_window(struct running *running, struct err *err)
{
	if (running->window_began_ns)
		return 0;
	running->window_began_ns = running->clock->now_ns(running->clock);
	if (tell(running, "run", NULL))
		return err_set(err, -EINTR, "stopped by the user");
	return probe_set_begin(&running->probes, err);
}

static int tick(struct running *running, int64_t *next_tick_ns, struct err *err)
{
	int64_t now_ns = running->clock->now_ns(running->clock);

	if (running->window_began_ns == 0 ||
		now_ns < MAX(*next_tick_ns, running->window_began_ns + NS_PER_S))
		return 0;
	if (*next_tick_ns == 0)
		*next_tick_ns = running->window_began_ns;
	/* A late tick is not made up for. */
	*next_tick_ns = MAX(*next_tick_ns + NS_PER_S, now_ns);
	return probe_set_tick(
		&running->probes, "run", now_ns - running->window_began_ns, running->record, err);
}

/* A planted effect: clients are held still for a known share of every second. */
static void hold_clients(struct running *running)
{
	struct clock *clock = running->clock;
	int64_t now_ns = clock->now_ns(clock);

	if (running->planted <= 0 || now_ns < running->next_pause_ns)
		return;
	running->next_pause_ns = now_ns + NS_PER_S;
	workload_pause(running->workload, true);
	clock->sleep_until(clock, now_ns + (int64_t)(running->planted * NS_PER_S));
	workload_pause(running->workload, false);
}

/* Step the workload to its end; 0: it has ended by itself. */
static int step_workload(struct running *running, struct err *err)
{
	struct rig *rig = running->options->rig;
	struct clock *clock = running->clock;
	int64_t next_tick_ns = 0;

	for (;;) {
		int64_t step_began_ns = clock->now_ns(clock);
		struct workload_progress progress = { .fraction = -1 };
		int step = workload_step(running->workload, &progress, err);
		int r = step < 0 ? step : 0;

		if (step == WORKLOAD_WARM) {
			r = begin_window(running, err);
		} else if (step == WORKLOAD_ENDED) {
			running->window_ended_ns = clock->now_ns(clock);
			return 0;
		}
		if (r == 0 && tell(running, running->phase, &progress))
			r = err_set(err, -EINTR, "stopped by the user");
		if (r == 0)
			r = rig_check(rig, err);
		if (r == 0)
			r = tick(running, &next_tick_ns, err);
		if (r < 0)
			return r;
		hold_clients(running);
		/* Most workloads have slept themselves. */
		clock->sleep_until(clock, step_began_ns + STEP_NS);
	}
}

/* The checkpoint and the sync that the window has put off: charged to the trial. */
static int close_window(struct running *running, struct err *err)
{
	struct rig *rig = running->options->rig;
	struct clock *clock = running->clock;
	int64_t began_ns, synced_ns, ended_ns;
	double transactions, closing_s, window_s;
	int r = enter(running, "closing", err);

	if (r == 0)
		r = probe_set_begin(&running->probes, err);
	began_ns = clock->now_ns(clock);
	if (r == 0 && rig->cluster)
		r = checkpoint_run(rig->cluster, wants_stop, running, err);
	synced_ns = clock->now_ns(clock);
	if (r == 0)
		r = rig_sync(rig, err);
	ended_ns = clock->now_ns(clock);
	if (r == 0)
		r = probe_set_end(&running->probes, "closing", running->record, err);
	if (r < 0)
		return r;
	closing_s = (double)(ended_ns - began_ns) / NS_PER_S;
	window_s = (double)(running->window_ended_ns - running->window_began_ns) / NS_PER_S;
	add_sample(running, "closing", "closing_checkpoint_s",
		(double)(synced_ns - began_ns) / NS_PER_S);
	add_sample(running, "closing", "closing_sync_s", (double)(ended_ns - synced_ns) / NS_PER_S);
	add_sample(running, "closing", "closing_s", closing_s);
	if (trial_record_find(running->record, "run", "transactions", &transactions))
		add_sample(running, "run", "tps_charged", transactions / (window_s + closing_s));
	return 0;
}

/* With timed checkpoints the window must hold all of them and no others. */
static void check_checkpoints(struct running *running)
{
	double timed, requested;

	if (running->cycles == 0 ||
		!trial_record_find(running->record, "run", "checkpoints_timed", &timed) ||
		!trial_record_find(running->record, "run", "checkpoints_requested", &requested))
		return;
	if (timed < (double)running->cycles)
		trial_record_note(running->record, NOTE_SPOILED, "checkpoint-missing",
			"the window should hold %zu timed checkpoints and holds %.0f",
			running->cycles, timed);
	if (requested > 0)
		trial_record_note(running->record, NOTE_SPOILED, "checkpoint-requested",
			"%.0f checkpoints of the window came by WAL size or request: max_wal_size "
			"is too small for a window of timed ones",
			requested);
}

#define WINDOW_LIMIT	0.01	 /* of the window that was asked for */
#define WINDOW_LEAST_NS NS_PER_S /* what clients need to end is no fault */

/* A window of a given length that took another one was not what the others were. */
static void check_length(struct running *running)
{
	const struct settings *settings = running->options->settings;
	const char *type = settings_text(settings, "workload.type", "pgbench");
	int64_t took_ns = running->window_ended_ns - running->window_began_ns;
	int64_t off_ns = llabs(took_ns - running->measure_ns);

	if ((strcmp(type, "pgbench") != 0 && strcmp(type, "sql") != 0) ||
		settings_integer(settings, "workload.transactions", 0) > 0)
		return;
	if (off_ns > WINDOW_LEAST_NS && (double)off_ns > WINDOW_LIMIT * (double)running->measure_ns)
		trial_record_note(running->record, NOTE_SPOILED, "window-length",
			"the window took %.1f s instead of %.1f s", (double)took_ns / NS_PER_S,
			(double)running->measure_ns / NS_PER_S);
}

static int measure(struct running *running, struct err *err)
{
	const struct settings *settings = running->options->settings;
	const char *mode = settings_text(settings, "design.checkpoint", "closing");
	struct rig *rig = running->options->rig;
	int r = choose_window(running, err);
	double window_s;

	/* "aa" for the hidden copy, the share for the planted effect. */
	if (percent_parse(settings_text(settings, "control.role", ""), &running->planted) < 0)
		running->planted = 0;

	if (r == 0)
		r = enter(running, "warm-up", err);
	if (r == 0)
		r = rig_set_clock(rig, true, err);
	if (r == 0)
		r = workload_start(running->workload, running->warmup_ns, running->measure_ns, err);
	/* Without warm-up the window begins with the workload. */
	if (r == 0 && running->warmup_ns == 0)
		r = begin_window(running, err);
	if (r == 0)
		r = step_workload(running, err);
	if (r == 0 && running->window_began_ns)
		r = probe_set_end(&running->probes, "run", running->record, err);
	if (r == 0)
		r = workload_collect(running->workload, running->record, err);
	if (r < 0)
		return r;
	window_s = (double)(running->window_ended_ns - running->window_began_ns) / NS_PER_S;
	add_sample(running, "run", "window_s", window_s);
	check_length(running);
	steadiness_judge(running->record, window_s, running->cycles);
	if (strcmp(mode, "closing") == 0)
		r = close_window(running, err);
	check_checkpoints(running);
	return r;
}

static int conclude(struct running *running, struct err *err)
{
	struct rig *rig = running->options->rig;
	int r = enter(running, "verify", err);

	if (r == 0)
		r = workload_verify(running->workload, running->record, err);
	if (r == 0)
		r = target_space(rig->target, "end", running->record, err);
	if (r == 0)
		rig_backing_bytes(rig, "end", running->record);
	return r;
}

/* When something else broke because the server or a disk has gone, that is the reason. A probe that
 * can't read its counters is plumb's own failure, unless it was the server that gave no answer. */
static int explain(struct running *running, int r, struct err *err)
{
	struct rig *rig = running->options->rig;
	const struct probe_driver *failed = running->probes.failed;

	if (r < 0 && r != -EINTR) {
		if (failed)
			rig->blame = failed->asks_system ? RIG_SYSTEM : RIG_OURS;
		if (rig_check(rig, err) < 0)
			rig->blame = RIG_SYSTEM;
	}
	(void)rig_set_clock(rig, false, r < 0 ? NULL : err); /* a dead disk was told already */
	return r;
}

/* Before and after, around all that the trial does. A fake rig has no machine to look at. */
static int canary(struct running *running, const char *phase, struct err *err)
{
	struct rig *rig = running->options->rig;
	int r;

	if (!running->options->canary || !rig->journal)
		return 0;
	r = enter(running, phase, err);
	rig->blame = RIG_OURS;
	return r == 0 ? canary_run(running->record, phase, rig->folder, running->clock, err) : r;
}

int trial_run(const struct trial_options *options, struct trial_record *record, struct err *err)
{
	struct rig *rig = options->rig;
	struct running running = {
		.options = options,
		.record = record,
		.clock = rig->options.clock,
		.phase = "start",
	};
	int r = canary(&running, "canary-before", err), stopped;

	if (r == 0)
		r = make_start_state(&running, err);
	if (r == 0)
		r = open_probes(&running, err);
	if (r == 0)
		r = describe(&running, err);
	if (r == 0)
		r = open_workload(&running, err);
	if (r == 0)
		r = measure(&running, err);
	if (r == 0)
		r = conclude(&running, err);
	r = explain(&running, r, err);
	close_all(&running);
	stopped = rig_stop(rig, r == -EINTR, err);
	if (r == 0)
		r = stopped;
	return r == 0 ? canary(&running, "canary-after", err) : r;
}

static int load_data(struct running *running, struct err *err)
{
	struct rig *rig = running->options->rig;
	int r = rig_set_clock(rig, true, err);

	if (r == 0)
		r = probe_set_begin(&running->probes, err);
	if (r == 0)
		r = workload_load(running->workload, running->record, err);
	if (r == 0)
		r = checkpoint(running, err);
	if (r == 0)
		r = probe_set_end(&running->probes, "load", running->record, err);
	return r;
}

int trial_load(const struct trial_options *options, struct trial_record *record, struct err *err)
{
	struct rig *rig = options->rig;
	struct running running = {
		.options = options,
		.record = record,
		.clock = rig->options.clock,
		.phase = "load",
	};
	int r = rig_start(rig, options->settings, err), stopped;

	rig->blame = RIG_SYSTEM;
	if (r == 0)
		r = enter(&running, "load", err);
	if (r == 0)
		r = open_probes(&running, err);
	if (r == 0)
		r = open_workload(&running, err);
	if (r == 0)
		r = load_data(&running, err);
	if (r == 0)
		r = target_space(rig->target, "load", record, err);
	if (r == 0)
		rig_backing_bytes(rig, "load", record);
	r = explain(&running, r, err);
	close_all(&running);
	stopped = rig_stop(rig, r == -EINTR, err);
	return r < 0 ? r : stopped;
}
