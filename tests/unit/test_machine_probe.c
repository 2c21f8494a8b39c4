/* The control group's quota as a gate: throttling that no study asked for spoils a trial. */
#include "unit/unit.h"

#include "base/file.h"
#include "base/memory.h"
#include "probe/probe_drivers.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_stat(const char *folder, const char *text)
{
	char *path = memory_format("%s/cpu.stat", folder);

	assert_int_equal(file_write_atomic(path, text, strlen(text), 0644, NULL), 0);
	free(path);
}

/* before and after of cpu.stat over ten seconds of a fake clock. */
static size_t spoiled(const char *before, const char *after, const char *cpus)
{
	char folder[] = "/tmp/plumb-test-XXXXXX";
	struct trial_record record = { 0 };
	struct settings settings = { 0 };
	struct fake_clock clock;
	struct probe_context context = { .settings = &settings, .clock = &clock.base };
	struct err err = ERR_INIT;
	struct probe *probe;
	size_t notes;

	assert_non_null(mkdtemp(folder));
	fake_clock_init(&clock);
	if (cpus)
		settings_set(
			&settings, &(struct setting_value){ .name = "machine.cpus", .text = cpus });
	context.cgroup_folder = folder;
	write_stat(folder, before);
	assert_int_equal(machine_probe.open(&context, &probe, &err), 0);
	probe->driver = &machine_probe;
	probe->context = context;
	assert_int_equal(machine_probe.begin(probe, &err), 0);
	clock.base.sleep_until(&clock.base, clock.base.now_ns(&clock.base) + 10 * NS_PER_S);
	write_stat(folder, after);
	assert_int_equal(machine_probe.end(probe, "run", &record, &err), 0);
	notes = record.note_count;
	if (notes)
		assert_string_equal(record.notes[0].code, "throttled");
	machine_probe.close(probe);
	trial_record_release(&record);
	settings_release(&settings);
	assert_int_equal(file_remove_tree(folder, NULL), 0);
	return notes;
}

static void throttling(void **state UNUSED)
{
	/* v2 counts microseconds, v1 nanoseconds; the limit is 1 % of ten seconds. */
	assert_int_equal(spoiled("throttled_usec 5\n", "throttled_usec 90000\n", NULL), 0);
	assert_int_equal(spoiled("throttled_usec 5\n", "throttled_usec 110000\n", NULL), 1);
	assert_int_equal(spoiled("throttled_time 5\n", "throttled_time 110000000\n", NULL), 1);
	assert_int_equal(spoiled("throttled_usec 5\n", "throttled_usec 110000\n", "1.5"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(throttling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
