/*
 * A filesystem that is not there, for the flow tests: touches nothing, takes a fixed time on the
 * clock it is given, and fails where the study says, so that every path of the runner is reached
 * without root.
 */
#include "target/drivers.h"

#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CREATE_NS (2 * NS_PER_S)
#define MOUNT_NS  (100 * NS_PER_MS)
#define SYNC_NS	  (50 * NS_PER_MS)

static const struct setting fake_settings[] = {
	{ .section = "filesystem",
		.key = "speed",
		.types = "fake",
		.type = SETTING_REAL,
		.min = 0,
		.max = 1000,
		.fallback = "1",
		.reload = true,
		.help = "factor on the rate of the fake workload (tests)" },
	{ .section = "filesystem",
		.key = "fails",
		.types = "fake",
		.type = SETTING_WORD,
		.words = "never check create mount sync unmount destroy",
		.fallback = "never",
		.reload = true,
		.help = "where it fails (tests); check: it can't run on this machine" },
	{ 0 },
};

/* Pass the time a step takes, then fail if the study says so. */
static int step(struct target *target, const char *word, int64_t takes_ns, struct err *err)
{
	const char *fails = settings_text(target->context.settings, "filesystem.fails", "never");
	struct clock *clock = target->context.clock;

	clock->sleep_until(clock, clock->now_ns(clock) + takes_ns);
	if (strcmp(fails, word) == 0)
		return err_set(err, -EIO, "fake filesystem: %s fails as asked", word);
	return 0;
}

static int fake_check(struct err *why UNUSED)
{
	return 0;
}

static int fake_check_settings(const struct settings *settings, struct err *err)
{
	if (strcmp(settings_text(settings, "filesystem.fails", "never"), "check") == 0)
		return err_set(err, -ENOTSUP, "fake filesystem: not on this machine, as asked");
	return 0;
}

static int fake_needs(const struct settings *settings UNUSED, struct target_needs *ret_needs,
	struct err *err UNUSED)
{
	*ret_needs = (struct target_needs){ 0 };
	return 0;
}

static int fake_open(
	const struct target_context *context, struct target **ret_target, struct err *err UNUSED)
{
	struct target *target = memory_new(sizeof(*target));

	target->context = *context;
	*ret_target = target;
	return 0;
}

static int fake_create(struct target *target, struct err *err)
{
	return step(target, "create", CREATE_NS, err);
}

static int fake_mount(struct target *target, struct err *err)
{
	return step(target, "mount", MOUNT_NS, err);
}

static int fake_sync(struct target *target, struct err *err)
{
	return step(target, "sync", SYNC_NS, err);
}

static int fake_unmount(struct target *target, struct err *err)
{
	return step(target, "unmount", 0, err);
}

static int fake_destroy(struct target *target, struct err *err)
{
	return step(target, "destroy", 0, err);
}

static int fake_describe(struct target *target, struct trial_record *record, struct err *err UNUSED)
{
	const char *speed = settings_text(target->context.settings, "filesystem.speed", "1");

	trial_record_fact(record, "filesystem.speed", speed, speed);
	return 0;
}

static int fake_space(struct target *target UNUSED, const char *phase, struct trial_record *record,
	struct err *err UNUSED)
{
	struct sample sample = { .metric = "filesystem_used_bytes",
		.phase = phase,
		.source = "fake",
		.value = 1 << 30,
		.at_ns = SAMPLE_WHOLE };

	trial_record_sample(record, &sample);
	return 0;
}

static void fake_close(struct target *target)
{
	free(target);
}

const struct target_driver fake_target = {
	.name = "fake",
	.base = TARGET_ON_FAKE,
	.settings = fake_settings,
	.check = fake_check,
	.check_settings = fake_check_settings,
	.needs = fake_needs,
	.open = fake_open,
	.create = fake_create,
	.mount = fake_mount,
	.sync = fake_sync,
	.unmount = fake_unmount,
	.destroy = fake_destroy,
	.describe = fake_describe,
	.space = fake_space,
	.close = fake_close,
};
