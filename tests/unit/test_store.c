/* store: the same cases against every driver, so that the store of tests keeps the rules of the
 * real one. */
#include "unit/unit.h"

#include "base/file.h"
#include "base/memory.h"
#include "store/store.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct world {
	const struct store_driver *driver;
	char folder[64];
	struct store *store;
	struct settings settings;
};

static const struct store_study study = {
	.name = "s",
	.text = "[study]\nname = s\n",
	.seed = UINT64_MAX - 3, /* the whole range must survive */
	.created_utc_ns = 5,
	.program_version = "9.9",
};

static int open_world(void **state, const struct store_driver *driver)
{
	struct world *world = memory_new(sizeof(*world));
	struct setting_value value = { "filesystem.type", "ext4", true, 3 };

	world->driver = driver;
	snprintf(world->folder, sizeof(world->folder), "/tmp/plumb-store-XXXXXX");
	assert_non_null(mkdtemp(world->folder));
	assert_int_equal(store_open(driver, world->folder, STORE_WRITE, &world->store, NULL), 0);
	assert_int_equal(store_put_study(world->store, &study, NULL), 0);
	settings_set(&world->settings, &value);
	value = (struct setting_value){ "postgresql.conf.fsync", "o'ff", false, 0 };
	settings_set(&world->settings, &value);
	*state = world;
	return 0;
}

static int open_memory(void **state)
{
	return open_world(state, &memory_store);
}

static int open_sqlite(void **state)
{
	return open_world(state, &sqlite_store);
}

static int close_world(void **state)
{
	struct world *world = *state;

	store_close(world->store);
	settings_release(&world->settings);
	assert_int_equal(file_remove_tree(world->folder, NULL), 0);
	free(world);
	return 0;
}

static void fill_record(struct trial_record *record, enum trial_state state)
{
	static const struct sample samples[] = {
		{ "tps", "run", "pgbench", 812.25, SAMPLE_WHOLE },
		{ "tps", "run", "pgbench", 801.5, 0 },
		{ "cpu_user", "run", "/proc/stat", 12.5, 0 },
		{ "tps", "run", "pgbench", 0.1, 1000000000 },
		{ "cpu_user", "run", "/proc/stat", 13.5, 1000000000 },
		{ "load_s", "load", "pgbench", 1e-300, SAMPLE_WHOLE },
		{ "tps", "run", "pgbench", -7, INT64_MAX },
	};

	trial_record_init(record);
	record->state = state;
	record->started_utc_ns = 1767225600000000001;
	record->finished_utc_ns = 1767225660000000002;
	if (state != TRIAL_DONE)
		record->reason = "server: PANIC: \"no space\"\n";
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		trial_record_sample(record, &samples[i]);
	trial_record_note(record, NOTE_SPOILED, "steal", "steal was %d %%", 7);
	trial_record_note(record, NOTE_INFO, "probe", "no PSI");
	trial_record_file(record, "pgbench-log", "raw/t/pgbench.log");
	trial_record_fact(record, "kernel.release", NULL, "6.1");
	trial_record_fact(record, "postgresql.conf.fsync", "off", "on");
}

static int seal(struct world *world, const char *id, size_t order, enum trial_state state)
{
	char setup_id[32];
	struct store_setup setup = { .setup_id = setup_id,
		.study = "s",
		.label = "ext4",
		.block = 2,
		.order = order / 2,
		.settings = &world->settings };
	struct store_trial trial = { .trial_id = id,
		.setup_id = setup_id,
		.cell = 4,
		.cell_label = "type=ext4",
		.role = 1,
		.run = 1,
		.order = order,
		.settings = &world->settings };
	struct trial_record record;
	int r;

	snprintf(setup_id, sizeof(setup_id), "setup%zu", order / 2);
	fill_record(&record, state);
	r = store_seal(world->store, &setup, &trial, &record, NULL);
	trial_record_release(&record);
	return r;
}

/* What a scan saw: "id/attempt ..." */
static int note_ids(void *context, const struct store_result *result)
{
	strbuf_add_format(context, "%s/%zu ", result->trial.trial_id, result->trial.attempt);
	return 0;
}

static void expect_ids(struct world *world, const char *id, const char *expected)
{
	struct store_query query = { .study = "s", .trial_id = id };
	struct strbuf seen = STRBUF_INIT;

	assert_int_equal(store_scan(world->store, &query, note_ids, &seen, NULL), 0);
	assert_string_equal(seen.data, expected);
	strbuf_release(&seen);
}

static void scan_is_in_plan_order(void **state)
{
	struct world *world = *state;

	expect_ids(world, NULL, "");
	assert_int_equal(seal(world, "cc", 3, TRIAL_DONE), 0);
	assert_int_equal(seal(world, "ab", 1, TRIAL_FAILED), 0);
	assert_int_equal(seal(world, "aa", 2, TRIAL_DONE), 0);
	expect_ids(world, NULL, "ab/1 aa/1 cc/1 ");
	expect_ids(world, "a", "ab/1 aa/1 ");
	expect_ids(world, "cc", "cc/1 ");
	expect_ids(world, "ccc", "");
}

static void only_void_is_repeated(void **state)
{
	struct world *world = *state;
	enum trial_state found;

	assert_int_equal(store_state(world->store, "v", &found, NULL), 0);
	assert_int_equal(found, TRIAL_PLANNED);
	assert_int_equal(seal(world, "v", 0, TRIAL_VOID), 0);
	assert_int_equal(seal(world, "v", 0, TRIAL_VOID), 0);
	assert_int_equal(store_state(world->store, "v", &found, NULL), 0);
	assert_int_equal(found, TRIAL_VOID);
	assert_int_equal(seal(world, "v", 0, TRIAL_DONE), 0);
	assert_int_equal(store_state(world->store, "v", &found, NULL), 0);
	assert_int_equal(found, TRIAL_DONE);
	assert_int_equal(seal(world, "v", 0, TRIAL_DONE), -EEXIST);
	assert_int_equal(seal(world, "v", 0, TRIAL_VOID), -EEXIST);
	assert_int_equal(seal(world, "f", 1, TRIAL_FAILED), 0);
	assert_int_equal(seal(world, "f", 1, TRIAL_DONE), -EEXIST);
	expect_ids(world, NULL, "v/1 v/2 v/3 f/1 ");
}

static void check_head(const struct store_result *result)
{
	assert_string_equal(result->setup.setup_id, "setup2");
	assert_string_equal(result->setup.study, "s");
	assert_string_equal(result->setup.label, "ext4");
	assert_int_equal(result->setup.block, 2);
	assert_int_equal(result->setup.order, 2);
	assert_int_equal(result->trial.cell, 4);
	assert_string_equal(result->trial.cell_label, "type=ext4");
	assert_string_equal(result->trial.program_version, PLUMB_VERSION);
	assert_int_equal(result->trial.role, 1);
	assert_int_equal(result->trial.run, 1);
	assert_int_equal(result->trial.order, 5);
	assert_int_equal(result->trial.settings->count, 2);
	assert_string_equal(
		settings_text(result->trial.settings, "postgresql.conf.fsync", ""), "o'ff");
	assert_int_equal(settings_find(result->setup.settings, "filesystem.type")->line, 3);
	assert_true(settings_find(result->setup.settings, "filesystem.type")->reload);
	assert_false(settings_find(result->setup.settings, "postgresql.conf.fsync")->reload);
}

static void check_record(const struct trial_record *record)
{
	assert_int_equal(record->state, TRIAL_FAILED);
	assert_string_equal(record->reason, "server: PANIC: \"no space\"\n");
	assert_int_equal(record->started_utc_ns, 1767225600000000001);
	assert_int_equal(record->finished_utc_ns, 1767225660000000002);
	assert_int_equal(record->note_count, 2);
	assert_int_equal(record->notes[0].level, NOTE_SPOILED);
	assert_string_equal(record->notes[0].code, "steal");
	assert_string_equal(record->notes[0].text, "steal was 7 %");
	assert_int_equal(record->file_count, 1);
	assert_string_equal(record->files[0].path, "raw/t/pgbench.log");
	assert_int_equal(record->fact_count, 2);
	assert_null(record->facts[0].asked);
	assert_string_equal(record->facts[1].asked, "off");
	assert_string_equal(record->facts[1].value, "on");
}

static int check_whole(void *context, const struct store_result *result)
{
	double value = 0;

	check_head(result);
	check_record(result->record);
	assert_int_equal(result->record->sample_count, 2);
	assert_true(trial_record_find(result->record, "load", "load_s", &value));
	assert_true(value == 1e-300);
	assert_string_equal(result->record->samples[0].source, "pgbench");
	++*(int *)context;
	return 0;
}

static int check_series(void *context, const struct store_result *result)
{
	static const struct {
		double value;
		int64_t at_ns;
	} expected[] = { { 801.5, 0 }, { 0.1, 1000000000 }, { -7, INT64_MAX } };
	size_t found = 0;

	assert_int_equal(result->record->sample_count, 7);
	for (size_t i = 0; i < result->record->sample_count; i++) {
		const struct sample *sample = &result->record->samples[i];

		if (strcmp(sample->metric, "tps") != 0 || sample->at_ns == SAMPLE_WHOLE)
			continue;
		assert_true(sample->value == expected[found].value);
		assert_int_equal(sample->at_ns, expected[found].at_ns);
		found++;
	}
	assert_int_equal(found, 3);
	++*(int *)context;
	return 0;
}

static void everything_comes_back(void **state)
{
	struct world *world = *state;
	struct store_query query = { .trial_id = "t" };
	int visited = 0;

	assert_int_equal(seal(world, "t", 5, TRIAL_FAILED), 0);
	assert_int_equal(store_scan(world->store, &query, check_whole, &visited, NULL), 0);
	query.with_series = true;
	assert_int_equal(store_scan(world->store, &query, check_series, &visited, NULL), 0);
	assert_int_equal(visited, 2);
}

static int stop_at_first(void *context, const struct store_result *result UNUSED)
{
	return ++*(int *)context == 1 ? 42 : 0;
}

static void a_scan_can_be_stopped(void **state)
{
	struct world *world = *state;
	struct store_query query = { .study = "s" };
	int visited = 0;

	assert_int_equal(seal(world, "a", 0, TRIAL_DONE), 0);
	assert_int_equal(seal(world, "b", 1, TRIAL_DONE), 0);
	assert_int_equal(store_scan(world->store, &query, stop_at_first, &visited, NULL), 42);
	assert_int_equal(visited, 1);
	query.study = "other";
	assert_int_equal(store_scan(world->store, &query, stop_at_first, &visited, NULL), 0);
	assert_int_equal(visited, 1);
}

static int note_studies(void *context, const struct store_study *kept)
{
	strbuf_add_format(context, "%s %d %llu %lld %s;", kept->name, kept->small,
		(unsigned long long)kept->seed, (long long)kept->created_utc_ns,
		kept->program_version);
	return 0;
}

static void a_changed_study_is_refused(void **state)
{
	struct world *world = *state;
	struct store_study changed = study;
	struct strbuf seen = STRBUF_INIT;
	struct err err = ERR_INIT;

	assert_int_equal(store_put_study(world->store, &study, &err), 0);
	changed.text = "[study]\nname = s2\n";
	assert_int_equal(store_put_study(world->store, &changed, &err), -ESTALE);
	assert_non_null(strstr(err.message, "line 2 was 'name = s', now 'name = s2'"));
	assert_non_null(strstr(err.message, "\nhint: "));
	err_clear(&err);
	changed = study;
	changed.seed = 1;
	assert_int_equal(store_put_study(world->store, &changed, &err), -ESTALE);
	assert_non_null(strstr(err.message, "begun with seed 18446744073709551612, not 1"));
	err_clear(&err);
	changed = study;
	changed.small = true;
	assert_int_equal(store_put_study(world->store, &changed, &err), -ESTALE);
	assert_non_null(strstr(err.message, "begun without --small"));
	changed.name = "b";
	assert_int_equal(store_put_study(world->store, &changed, NULL), 0);
	assert_int_equal(store_studies(world->store, note_studies, &seen, NULL), 0);
	assert_string_equal(seen.data, "s 0 18446744073709551612 5 9.9;"
				       "b 1 18446744073709551612 5 9.9;");
	strbuf_release(&seen);
}

static void a_trial_needs_its_study(void **state)
{
	struct world *world = *state;
	struct store_setup setup = { .setup_id = "x", .study = "nobody", .label = "" };
	struct store_trial trial = { .trial_id = "y", .setup_id = "x", .cell_label = "" };
	enum trial_state found = TRIAL_DONE;
	struct trial_record record;

	setup.settings = trial.settings = &world->settings;
	fill_record(&record, TRIAL_DONE);
	assert_true(store_seal(world->store, &setup, &trial, &record, NULL) < 0);
	trial_record_release(&record);
	assert_int_equal(store_state(world->store, "y", &found, NULL), 0);
	assert_int_equal(found, TRIAL_PLANNED);
}

static void numbers_are_kept(void **state)
{
	struct world *world = *state;
	double value = 3;

	assert_int_equal(store_get_number(world->store, "step", &value, NULL), -ENOENT);
	assert_true(value == 3);
	assert_int_equal(store_put_number(world->store, "step", 0.1, NULL), 0);
	assert_int_equal(store_put_number(world->store, "step", 0.25, NULL), 0);
	assert_int_equal(store_get_number(world->store, "step", &value, NULL), 0);
	assert_true(value == 0.25);
}

/* The last run's word counts, also when it says that all cells can run. */
static void absent_cells_are_replaced(void **state)
{
	struct world *world = *state;

	for (size_t count = 3; count-- > 0;) {
		struct absent_cells put = { 0 }, got = { 0 };

		for (size_t i = 0; i < count; i++)
			absent_cells_add(&put, i + 4, i ? "it's" : "b", "no \"mkfs\"\nhint: one");
		assert_int_equal(store_put_absent(world->store, "s", &put, NULL), 0);
		assert_int_equal(store_get_absent(world->store, "other", &got, NULL), 0);
		assert_int_equal(got.count, 0);
		assert_int_equal(store_get_absent(world->store, "s", &got, NULL), 0);
		assert_int_equal(got.count, count);
		for (size_t i = 0; i < count; i++) {
			assert_int_equal(got.cells[i].cell, i + 4);
			assert_string_equal(got.cells[i].label, i ? "it's" : "b");
			assert_string_equal(got.cells[i].reason, "no \"mkfs\"; hint: one");
		}
		absent_cells_release(&put);
		absent_cells_release(&got);
	}
}

#define FOR_EACH_DRIVER(test)                                            \
	cmocka_unit_test_setup_teardown(test, open_memory, close_world), \
		cmocka_unit_test_setup_teardown(test, open_sqlite, close_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FOR_EACH_DRIVER(scan_is_in_plan_order),
		FOR_EACH_DRIVER(only_void_is_repeated),
		FOR_EACH_DRIVER(everything_comes_back),
		FOR_EACH_DRIVER(a_scan_can_be_stopped),
		FOR_EACH_DRIVER(a_changed_study_is_refused),
		FOR_EACH_DRIVER(a_trial_needs_its_study),
		FOR_EACH_DRIVER(absent_cells_are_replaced),
		FOR_EACH_DRIVER(numbers_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
