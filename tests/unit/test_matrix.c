/* matrix: levels, arms, excludes, baselines, impossible cells, too many cells. */
#include "unit/unit.h"

#include "lib/example_catalog.h"
#include "study/matrix.h"
#include <errno.h>
#include <string.h>

#define HEAD "[study]\nname = t\n[filesystem]\n"

static int build(const char *text, struct study *study, struct matrix *matrix, struct err *err)
{
	int r = study_parse(
		study, &(struct study_options){ "t.ini", &example_catalog, false }, text, err);

	if (r < 0)
		return r;
	r = matrix_build(matrix, study, err);
	if (r < 0)
		study_release(study);
	return r;
}

static void release(struct study *study, struct matrix *matrix)
{
	matrix_release(matrix);
	study_release(study);
}

static void full_factorial(void **state UNUSED)
{
	struct err err = ERR_INIT;
	struct matrix matrix;
	struct study study;

	assert_int_equal(build(HEAD "type = zfs\nrecordsize = 8192, 32K, 128K\n"
				    "[workload]\nclients = 1, 4\n[design]\ncontrols = no\n"
				    "exclude = filesystem.recordsize=8K workload.clients=4\n"
				    "baseline = filesystem.recordsize=128kB\n",
				 &study, &matrix, &err),
		0);
	assert_int_equal(matrix.count, 5);
	assert_int_equal(matrix.varying_count, 2);
	assert_string_equal(matrix.cells[0].label, "recordsize=8192 clients=1");
	assert_string_equal(
		settings_text(&matrix.cells[0].settings, "filesystem.recordsize", ""), "8K");
	assert_string_equal(settings_text(&matrix.cells[0].settings, "workload.scale", ""), "10");
	/* Compared with the cell of the same clients. */
	assert_string_equal(
		matrix.cells[matrix.cells[0].baseline].label, "recordsize=128K clients=1");
	assert_string_equal(
		matrix.cells[matrix.cells[2].baseline].label, "recordsize=128K clients=4");
	release(&study, &matrix);
}

/* Arms of different filesystems have different keys; what counts is the crossed factor. */
static void baseline_arm_of_the_same_level(void **state UNUSED)
{
	struct err err = ERR_INIT;
	struct matrix matrix;
	struct study study;

	assert_int_equal(build("[study]\nname = t\n[workload]\nclients = 1, 4\n"
			       "[design]\ncontrols = no\nbaseline = arm=e\n"
			       "[arm e]\nfilesystem.type = ext4\n"
			       "[arm z]\nfilesystem.type = zfs\nfilesystem.recordsize = 8K\n",
				 &study, &matrix, &err),
		0);
	assert_int_equal(matrix.count, 4);
	for (size_t i = 0; i < matrix.count; i++) {
		const struct cell *cell = &matrix.cells[i];
		const struct cell *baseline = &matrix.cells[cell->baseline];

		assert_string_equal(baseline->arm, "e");
		assert_string_equal(settings_text(&cell->settings, "workload.clients", "?"),
			settings_text(&baseline->settings, "workload.clients", "!"));
	}
	release(&study, &matrix);
}

/* A baseline's key may belong to a type that is not the default one. */
static void baseline_of_another_type(void **state UNUSED)
{
	struct err err = ERR_INIT;
	struct matrix matrix;
	struct study study;

	if (build(HEAD "type = ext4\n[workload]\ntype = fake\nfake_tps = 50, 100\n[design]\n"
		       "baseline = workload.fake_tps=100\n",
		    &study, &matrix, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(matrix.cells[0].baseline, 1);
	assert_int_equal(matrix.cells[1].baseline, 1);
	release(&study, &matrix);
}

static void arms_are_crossed_with_factors(void **state UNUSED)
{
	struct err err = ERR_INIT;
	struct matrix matrix;
	struct study study;

	assert_int_equal(
		build(HEAD "type = ext4\n[workload]\nclients = 10, 100\n[arm one]\n"
			   "[arm two]\nfilesystem.type = zfs\nfilesystem.recordsize = 64K\n"
			   "[arm three]\nworkload.clients = 7\n[design]\ncontrols = no\nbaseline = "
			   "two\n",
			&study, &matrix, &err),
		0);
	assert_int_equal(matrix.count, 5);
	assert_string_equal(matrix.cells[0].label, "one clients=10");
	assert_string_equal(
		settings_text(&matrix.cells[0].settings, "filesystem.fs_block_size", ""), "4K");
	assert_null(settings_find(&matrix.cells[2].settings, "filesystem.fs_block_size"));
	assert_string_equal(matrix.cells[4].label, "three");
	release(&study, &matrix);
}

static const struct {
	const char *text;
	const char *message;
} errors[] = {
	{ HEAD "type = ext4, zfs\nrecordsize = 8K\n",
		"t.ini:5: filesystem.recordsize does not go with filesystem.type = ext4" },
	{ HEAD "type = zfs\nrecordsize = 5K\n",
		"t.ini:5: filesystem.recordsize = '5K': must be a power of two" },
	{ HEAD "type = ext5\n", "t.ini:4: filesystem.type = 'ext5': must be one of" },
	{ HEAD "type = ext4\n[arm a]\nworkload.scale = 0\n",
		"t.ini:6: workload.scale = '0': must be from 1 to 1000000" },
	{ HEAD "type = ext4\n[design]\nbaseline = workload.scale=7\n",
		"t.ini:6: design.baseline matches no cell" },
	{ HEAD "type = ext4\n[design]\nexclude = workload.scal=7\n",
		"t.ini:6: [workload] has no key 'scal'; did you mean 'scale'?" },
	{ HEAD "type = ext4\n[design]\nexclude = workload.scale=10\n",
		"t.ini: every cell is excluded" },
};

static void impossible_cells(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		struct err err = ERR_INIT;
		struct matrix matrix;
		struct study study;

		assert_true(build(errors[i].text, &study, &matrix, &err) < 0);
		if (strncmp(err.message, errors[i].message, strlen(errors[i].message)) != 0)
			fail_msg("case %zu: '%s', wanted '%s'", i, err.message, errors[i].message);
	}
}

static void too_many_cells(void **state UNUSED)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct matrix matrix;
	struct study study;

	strbuf_add_text(&text, HEAD "type = ext4\n[postgresql.conf]\n");
	for (int key = 0; key < 6; key++) {
		strbuf_add_format(&text, "k%d = 0", key);
		for (int level = 1; level < 10; level++)
			strbuf_add_format(&text, ", %d", level);
		strbuf_add_char(&text, '\n');
	}
	assert_int_equal(build(text.data, &study, &matrix, &err), -E2BIG);
	assert_non_null(strstr(err.message, "more than 100000 cells"));
	strbuf_release(&text);
}

static void controls_copy_the_baseline(void **state UNUSED)
{
	struct err err = ERR_INIT;
	struct matrix matrix;
	struct study study;

	assert_int_equal(build(HEAD "type = ext4, xfs\n[design]\ncontrols = yes\nplanted = 5%\n",
				 &study, &matrix, &err),
		0);
	assert_int_equal(matrix.count, 4);
	assert_int_equal(matrix.cells[2].role, CELL_CONTROL_AA);
	assert_int_equal(matrix.cells[2].copy_of, 0);
	assert_string_equal(settings_text(&matrix.cells[3].settings, "control.role", ""), "5%");
	release(&study, &matrix);
}

/* A study that can end in a headline has its A/A control unless it says no; a screening and a
 * single cell have none. */
static void headlines_have_a_control(void **state UNUSED)
{
	static const struct {
		const char *text;
		size_t cells;
	} cases[] = {
		{ "type = ext4, xfs\n[design]\nrepeats = 4\n", 2 },
		{ "type = ext4, xfs\n[design]\nrepeats = 5\n", 3 },
		{ "type = ext4, xfs\n[design]\nrepeats = 5\ncontrols = no\n", 2 },
		{ "type = ext4, xfs\n[design]\nrepeats = 1\ncontrols = yes\n", 3 },
		{ "type = ext4\n[design]\nrepeats = 5\n", 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf text = STRBUF_INIT;
		struct err err = ERR_INIT;
		struct matrix matrix;
		struct study study;

		strbuf_add_format(&text, HEAD "%s", cases[i].text);
		assert_int_equal(build(text.data, &study, &matrix, &err), 0);
		assert_int_equal(matrix.count, cases[i].cells);
		release(&study, &matrix);
		strbuf_release(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(full_factorial),
		cmocka_unit_test(baseline_of_another_type),
		cmocka_unit_test(arms_are_crossed_with_factors),
		cmocka_unit_test(baseline_arm_of_the_same_level),
		cmocka_unit_test(impossible_cells),
		cmocka_unit_test(too_many_cells),
		cmocka_unit_test(controls_copy_the_baseline),
		cmocka_unit_test(headlines_have_a_control),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
