/*
 * A workload that does nothing, on the caller's clock, so that the whole flow runs in seconds. Its
 * tps is fake_tps times a factor drawn from the trial's seed (SD fake_noise on the log scale), so
 * that statistics have something true to find. Not for users: plumb check lists it as a test part.
 */
#include "workload/workload_drivers.h"

#include "base/memory.h"
#include "base/rng.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FAKE_LOAD_NS (2 * NS_PER_S)

struct fake_run {
	struct workload base;
	int64_t warmup_ns, measure_ns, began_ns;
	int64_t paused_at_ns, paused_ns; /* of the whole run */
	bool warm, ended;
};

static struct fake_run *run_of(struct workload *workload)
{
	return CONTAINER_OF(workload, struct fake_run, base);
}

static int fake_check(struct err *why UNUSED)
{
	return 0;
}

static uint64_t fake_expected_bytes(const struct settings *settings UNUSED)
{
	return 1 << 20;
}

static int fake_open(const struct workload_context *context, struct workload **ret_workload,
	struct err *err UNUSED)
{
	struct fake_run *run = memory_new(sizeof(*run));

	run->base.context = *context;
	*ret_workload = &run->base;
	return 0;
}

static int fake_load(struct workload *workload, struct trial_record *record, struct err *err)
{
	struct clock *clock = workload->context.clock;

	if (strcmp(settings_text(workload->context.settings, "workload.fake_fault", "none"),
		    "load") == 0)
		return err_set(err, -EIO, "the fake load breaks, as asked");
	clock->sleep_until(clock, clock->now_ns(clock) + FAKE_LOAD_NS);
	trial_record_sample(record, &(struct sample){ "load_s", "load", "fake", 2, SAMPLE_WHOLE });
	return 0;
}

static int fake_start(
	struct workload *workload, int64_t warmup_ns, int64_t measure_ns, struct err *err UNUSED)
{
	struct fake_run *run = run_of(workload);

	run->warmup_ns = warmup_ns;
	run->measure_ns = measure_ns;
	run->began_ns = workload->context.clock->now_ns(workload->context.clock);
	run->paused_ns = 0;
	run->warm = run->ended = false;
	return 0;
}

static int fake_step(
	struct workload *workload, struct workload_progress *ret_progress, struct err *err)
{
	struct fake_run *run = run_of(workload);
	struct clock *clock = workload->context.clock;
	int64_t passed_ns;

	clock->sleep_until(clock, clock->now_ns(clock) + 100 * NS_PER_MS);
	passed_ns = clock->now_ns(clock) - run->began_ns;
	*ret_progress = (struct workload_progress){ .rate = 100,
		.unit = "tps",
		.fraction = (double)passed_ns / (double)(run->warmup_ns + run->measure_ns) };
	if (strcmp(settings_text(workload->context.settings, "workload.fake_fault", "none"),
		    "run") == 0)
		return err_set(err, -EIO, "the fake run breaks, as asked");
	if (!run->warm && passed_ns >= run->warmup_ns) {
		run->warm = true;
		return WORKLOAD_WARM;
	}
	run->ended = passed_ns >= run->warmup_ns + run->measure_ns;
	return run->ended ? WORKLOAD_ENDED : WORKLOAD_RUNNING;
}

static void fake_pause(struct workload *workload, bool paused)
{
	struct fake_run *run = run_of(workload);
	int64_t now_ns = workload->context.clock->now_ns(workload->context.clock);

	if (paused)
		run->paused_at_ns = now_ns;
	else
		run->paused_ns += now_ns - run->paused_at_ns;
}

static void fake_stop(struct workload *workload)
{
	run_of(workload)->ended = true;
}

static int fake_collect(
	struct workload *workload, struct trial_record *record, struct err *err UNUSED)
{
	const struct settings *settings = workload->context.settings;
	double tps = settings_real(settings, "workload.fake_tps", 100);
	double noise = settings_real(settings, "workload.fake_noise", 0);
	double seconds = (double)run_of(workload)->measure_ns / NS_PER_S;
	struct rng rng;

	rng_init(&rng, workload->context.seed, 1);
	tps *= exp(noise * rng_normal(&rng));
	tps *= 1 - (double)run_of(workload)->paused_ns /
			   (double)(run_of(workload)->warmup_ns + run_of(workload)->measure_ns);
	trial_record_sample(record, &(struct sample){ "tps", "run", "fake", tps, SAMPLE_WHOLE });
	trial_record_sample(record,
		&(struct sample){ "transactions", "run", "fake", tps * seconds, SAMPLE_WHOLE });
	for (int i = 0; i < (int)seconds; i++)
		trial_record_sample(
			record, &(struct sample){ "tps", "run", "fake", tps, i * NS_PER_S });
	return 0;
}

static void fake_close(struct workload *workload)
{
	free(run_of(workload));
}

static const struct setting fake_settings[] = {
	{ .section = "workload",
		.key = "fake_tps",
		.types = "fake",
		.type = SETTING_REAL,
		.min = 0,
		.max = 1000000000,
		.fallback = "100",
		.help = "for tests: transactions a second" },
	{ .section = "workload",
		.key = "fake_noise",
		.types = "fake",
		.type = SETTING_REAL,
		.min = 0,
		.max = 10,
		.fallback = "0",
		.help = "for tests: SD of log tps between runs" },
	{ .section = "workload",
		.key = "fake_fault",
		.types = "fake",
		.type = SETTING_WORD,
		.words = "none load run",
		.fallback = "none",
		.help = "for tests: what breaks" },
	{ 0 },
};

const struct workload_driver fake_workload = {
	.name = "fake",
	.settings = fake_settings,
	.check = fake_check,
	.expected_bytes = fake_expected_bytes,
	.open = fake_open,
	.load = fake_load,
	.start = fake_start,
	.step = fake_step,
	.pause = fake_pause,
	.stop = fake_stop,
	.collect = fake_collect,
	.close = fake_close,
};
