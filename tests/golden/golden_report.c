/*
 * Reports against stored ones, letter by letter: small studies with everything that can happen to a
 * trial, sealed into the in-memory store, through analysis and report.
 *
 * usage: golden_report FOLDER [--update]   (--update writes the reports anew: look at the
 * difference)
 */
#include "unit/unit.h"

#include "analysis/finding.h"
#include "analysis/results.h"
#include "base/file.h"
#include "lib/example_catalog.h"
#include "report/report.h"
#include "store/store.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *folder;
static bool updates;

#define HEAD                                                                                       \
	"[study]\nname = %s\nquestion = Does a larger block pay, \"really\"?\n"                    \
	"[workload]\ntype = pgbench\n[design]\nrepeats = %d\ncontrols = no\n[filesystem]\ntype = " \
	"ext4\n"

struct example {
	const char *name;
	const char *levels; /* of filesystem.fs_block_size */
	int setups;
	bool troubled; /* with failed, void and spoiled trials, warnings, differences */
	bool all_fail;
	double effects[4]; /* factor of each cell */
	double noise;
	size_t absent; /* cell that can't run; 0: none */
	bool queries;  /* with analytic ones, some of which changed between repeats */
};

static const struct example examples[] = {
	{ "full", "1K, 2K, 4K, 8K", 6, true, false, { 1, 1.2, 1.005, 0.9 }, 0.01 },
	{ "undecided", "1K, 2K, 4K", 5, false, false, { 1, 1.03, 0.99 }, 0.05 },
	{ "equivalent", "1K, 2K", 5, false, false, { 1, 1.001 }, 0.002 },
	{ "slower", "1K, 2K, 4K", 5, false, false, { 1, 0.5, 0.7 }, 0.01 },
	{ "screening", "1K, 2K", 3, false, false, { 1, 1.5 }, 0.01 },
	{ "two-setups", "1K, 2K", 2, false, false, { 1, 1.5 }, 0.01 },
	{ "one-cell", "4K", 3, false, false, { 1 }, 0.01 },
	{ "nothing-yet", "1K, 2K", 0, false, false, { 1, 1 }, 0 },
	{ "absent", "1K, 2K, 4K", 5, false, false, { 1, 1.2, 1 }, 0.01, .absent = 2 },
	{ "queries", "1K, 2K", 5, false, false, { 1, 1.25 }, 0.01, .queries = true },
	{ "all-failed", "1K, 2K", 3, false, true, { 1, 1 }, 0 },
};

/* A fixed wobble between -1 and 1 that differs for every set-up. */
static double wobble(size_t cell, size_t block)
{
	static const double steps[] = { 0.3, -0.8, 0.1, 0.9, -0.4, -0.1, 0.6 };

	return steps[(cell * 3 + block * 2) % ARRAY_SIZE(steps)];
}

static void put(struct trial_record *record, const char *phase, const char *metric, double value)
{
	const struct sample sample = { metric, phase, "test", value, SAMPLE_WHOLE };

	trial_record_sample(record, &sample);
}

static void put_query(struct trial_record *record, const char *name, double time_ns,
	const char *plan, const char *result)
{
	char text[64];

	snprintf(text, sizeof(text), "query_%s_warm_ns", name);
	put(record, "run", text, time_ns);
	snprintf(text, sizeof(text), "query.%s.plan", name);
	trial_record_fact(record, text, NULL, plan);
	snprintf(text, sizeof(text), "query.%s.result", name);
	trial_record_fact(record, text, NULL, result);
}

/* One that counts; one whose plan is another in each cell; one whose plan changed between the
 * repeats of a cell; one that gave another result once. */
static void fill_queries(
	const struct example *example, struct trial_record *record, size_t cell, size_t block)
{
	double time_ns = 3e8 / example->effects[cell] * (1 + example->noise * wobble(cell, block));

	put_query(record, "q01", time_ns, "scan", "17");
	put_query(record, "q02", 9 * time_ns, cell ? "merge" : "hash", "18");
	put_query(record, "q03", time_ns / 2, cell && block == 2 ? "sort" : "index", "19");
	put_query(record, "q04", time_ns / 3, "scan", cell && block == 4 ? "21" : "20");
	put(record, "run", "queries_total_ns", 11 * time_ns);
	record->state = TRIAL_DONE;
}

static void fill_done(
	const struct example *example, struct trial_record *record, size_t cell, size_t block)
{
	double tps = 1000 * example->effects[cell] * (1 + example->noise * wobble(cell, block)) *
		     (1 + 0.02 * (double)block);

	record->state = TRIAL_DONE;
	put(record, "load", "load_s", 12.5 + (double)cell);
	put(record, "run", "tps", tps * 1.05);
	put(record, "run", "tps_charged", tps);
	put(record, "run", "transactions", tps * 60);
	put(record, "run", "wal_bytes", tps * 60 * (900 + 100 * (double)cell));
	put(record, "closing", "wal_bytes", 100);
	put(record, "run", "device_write_bytes", tps * 60 * 20000);
	put(record, "run", "latency_p95_ns", 4.2e6 / example->effects[cell]);
	put(record, "closing", "closing_s", 1.25);
	put(record, "closing", "filesystem_used_bytes", 3.5e8 + 1e6 * (double)cell);
	trial_record_fact(record, "machine.kernel", NULL, "6.1.0");
	trial_record_fact(record, "postgres.version", NULL, "15.18");
	trial_record_fact(record, "postgresql.conf.fsync", "on", "on");
}

/* What happens to some of the trials of a troubled study; true: it is void and comes again. */
static bool make_trouble(struct trial_record *record, size_t cell, size_t block, bool again)
{
	if (cell == 3 && block == 1) {
		record->state = TRIAL_FAILED;
		record->reason = "pgbench: \"server\", said:\nPANIC: no space left, at 100 %";
	}
	if (cell == 2 && block == 2)
		trial_record_note(record, NOTE_SPOILED, "steal",
			"steal time was 3.2 %% of the window, above 1 %%");
	if (cell == 1 && block == 3 && !again) {
		record->state = TRIAL_VOID;
		record->reason = "plumb was stopped";
		return true;
	}
	if (cell == 1)
		trial_record_fact(record, "postgresql.conf.wal_init_zero", "off", "on");
	if (block % 2 == 0)
		trial_record_note(record, NOTE_WARNING, "canary", "the canary was %.1f %% slow",
			(double)block + 0.5);
	return false;
}

static void seal_one(const struct example *example, struct store *store,
	const struct matrix *matrix, size_t cell, size_t block)
{
	char ids[2][40];
	const struct settings *settings = &matrix->cells[cell].settings;
	size_t order = block * matrix->count + cell;
	struct store_setup setup = { ids[0], example->name, matrix->cells[cell].label, block, order,
		settings };
	struct store_trial trial = { .trial_id = ids[1],
		.setup_id = ids[0],
		.cell = cell,
		.cell_label = matrix->cells[cell].label,
		.order = order,
		.settings = settings };
	bool again = false, is_void;

	snprintf(ids[0], sizeof(ids[0]), "%016zx%016zx", cell, block + 16);
	snprintf(ids[1], sizeof(ids[1]), "%08zx%024zx", 0xabc00000 + order, block);
	do {
		struct trial_record record;

		trial_record_init(&record);
		record.started_utc_ns = 1767225600000000000 + (int64_t)order * 60000000000;
		record.finished_utc_ns = record.started_utc_ns + 59000000000;
		if (example->all_fail) {
			record.state = TRIAL_FAILED;
			record.reason = "mkfs failed";
		} else {
			(example->queries ? fill_queries : fill_done)(
				example, &record, cell, block);
		}
		is_void = example->troubled && make_trouble(&record, cell, block, again);
		assert_int_equal(store_seal(store, &setup, &trial, &record, NULL), 0);
		trial_record_release(&record);
		again = true;
	} while (is_void);
}

/* Everything of one example, ready for reports. */
struct world {
	struct study study;
	struct matrix matrix;
	struct store *store;
	struct results results;
	struct findings findings;
};

static void open_world(struct world *world, const struct example *example)
{
	const struct study_options options = { .path = "test.ini", .catalog = &example_catalog };
	struct store_query query = { .study = example->name };
	struct store_study kept = { .name = example->name, .text = "" };
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	strbuf_add_format(&text, HEAD, example->name, example->setups ? example->setups : 3);
	strbuf_add_format(&text, "fs_block_size = %s\n", example->levels);
	if (study_parse(&world->study, &options, text.data, &err) < 0 ||
		matrix_build(&world->matrix, &world->study, &err) < 0)
		fail_msg("%s", err.message);
	strbuf_release(&text);
	assert_int_equal(store_open(&memory_store, "", STORE_WRITE, &world->store, NULL), 0);
	assert_int_equal(store_put_study(world->store, &kept, NULL), 0);
	for (int block = 0; block < example->setups; block++)
		for (size_t cell = 0; cell < world->matrix.count; cell++)
			if (cell == 0 || cell != example->absent)
				seal_one(
					example, world->store, &world->matrix, cell, (size_t)block);
	results_init(&world->results);
	if (example->absent)
		absent_cells_add(&world->results.absent, example->absent,
			world->matrix.cells[example->absent].label,
			"program 'mkfs.xfs' is not installed\nhint: package 'xfsprogs'");
	assert_int_equal(store_scan(world->store, &query, results_add, &world->results, NULL), 0);
	world->results.program_version = "TEST"; /* the reports must not change with each release */
	if (findings_build(&world->findings, &world->results, &world->study, &world->matrix, &err) <
		0)
		fail_msg("%s", err.message);
}

static void close_world(struct world *world)
{
	findings_release(&world->findings);
	results_release(&world->results);
	store_close(world->store);
	matrix_release(&world->matrix);
	study_release(&world->study);
}

static void hold_against(const char *name, const char *ending, const struct strbuf *text)
{
	struct strbuf path = STRBUF_INIT, stored = STRBUF_INIT;

	strbuf_add_format(&path, "%s/report-%s.%s", folder, name, ending);
	if (updates)
		assert_int_equal(
			file_write_atomic(path.data, text->data, text->length, 0644, NULL), 0);
	assert_int_equal(file_read(path.data, &stored, NULL), 0);
	if (strcmp(stored.data, text->data) != 0)
		fail_msg("%s differs; the report is now:\n%s", path.data, text->data);
	strbuf_release(&path);
	strbuf_release(&stored);
}

static void write_one(const struct world *world, const struct report_format *format,
	const struct report_options *options, const char *name, const char *ending)
{
	struct strbuf out = STRBUF_INIT;
	struct report report = { .format = format,
		.options = options,
		.findings = &world->findings,
		.results = &world->results,
		.out = &out };

	assert_int_equal(report_write(&report, NULL), 0);
	hold_against(name, ending, &out);
	strbuf_release(&out);
}

static void every_outcome_as_text(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(examples); i++) {
		struct world world = { 0 };

		open_world(&world, &examples[i]);
		write_one(&world, &text_report, &(struct report_options){ 0 }, examples[i].name,
			"txt");
		close_world(&world);
	}
}

static void every_form(void **state UNUSED)
{
	struct world world = { 0 };

	open_world(&world, &examples[0]);
	write_one(&world, &text_report, &(struct report_options){ .width = 80, .colour = true },
		"narrow", "txt");
	write_one(&world, &text_report, &(struct report_options){ .full = true }, "whole-ledger",
		"txt");
	write_one(&world, &csv_report, &(struct report_options){ 0 }, "full", "csv");
	write_one(&world, &csv_report, &(struct report_options){ .table = "rejected" }, "rejected",
		"csv");
	write_one(&world, &json_report, &(struct report_options){ 0 }, "full", "json");
	close_world(&world);
}

/* What could not run stands in every form. */
static void absent_in_every_form(void **state UNUSED)
{
	const struct example *absent = examples;
	struct world world = { 0 };

	while (!absent->absent)
		absent++;
	open_world(&world, absent);
	write_one(&world, &md_report, &(struct report_options){ 0 }, "absent", "md");
	write_one(&world, &json_report, &(struct report_options){ 0 }, "absent", "json");
	write_one(&world, &csv_report, &(struct report_options){ .table = "cannot_run" }, "absent",
		"csv");
	close_world(&world);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_outcome_as_text),
		cmocka_unit_test(every_form),
		cmocka_unit_test(absent_in_every_form),
	};

	if (argc < 2)
		return 1;
	folder = argv[1];
	updates = argc > 2 && strcmp(argv[2], "--update") == 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
