/* baselines: every cell's partner, against a plain reading of the rule, over many shapes of study.
 */
#include "unit/unit.h"

#include "lib/example_catalog.h"
#include "study/matrix.h"
#include <string.h>

static const struct override *overridden(const struct arm *arm, const char *name)
{
	for (size_t i = 0; i < arm->override_count; i++)
		if (strcmp(arm->overrides[i].name, name) == 0)
			return &arm->overrides[i];
	return NULL;
}

static bool set_by_arm(const struct study *study, const char *label, const char *name)
{
	for (size_t i = 0; label && i < study->arm_count; i++)
		if (strcmp(study->arms[i].label, label) == 0)
			return overridden(&study->arms[i], name) != NULL;
	return false;
}

static bool comparable(const struct study *study, const struct cell *from, const struct cell *to)
{
	for (size_t i = 0; i < study->factor_count; i++) {
		const char *name = study->factors[i].name;

		if (strncmp(name, "design.", 7) == 0 || strncmp(name, "study.", 6) == 0 ||
			overridden(&study->baseline, name))
			continue;
		if (set_by_arm(study, from->arm, name) || set_by_arm(study, to->arm, name))
			continue;
		if (!study->baseline.override_count && strncmp(name, "workload.", 9) != 0)
			continue;
		if (strcmp(settings_text(&from->settings, name, ""),
			    settings_text(&to->settings, name, "")) != 0)
			return false;
	}
	return true;
}

/* The example catalog's keys need no knowledge of types here. */
static bool is_candidate(const struct study *study, const struct cell *cell)
{
	for (size_t i = 0; i < study->baseline.override_count; i++) {
		const struct override *want = &study->baseline.overrides[i];
		const char *have = strcmp(want->name, "arm") == 0
					   ? cell->arm
					   : settings_text(&cell->settings, want->name, NULL);

		if (!have || strcmp(have, want->text) != 0)
			return false;
	}
	return true;
}

static size_t expected(const struct study *study, const struct matrix *matrix, size_t from)
{
	size_t first = SIZE_MAX;

	for (size_t i = 0; i < matrix->count; i++) {
		if (!is_candidate(study, &matrix->cells[i]))
			continue;
		if (comparable(study, &matrix->cells[from], &matrix->cells[i]))
			return i;
		first = MIN(first, i);
	}
	return first;
}

#define HEAD  "[study]\nname = t\n"
#define CROSS "[filesystem]\ntype = zfs\nrecordsize = 8K, 32K, 128K\n"
#define LOAD  "[workload]\nclients = 1, 4, 9\nscale = 10, 20\n"
#define END   "[design]\ncontrols = no\n"

static const char *const studies[] = {
	HEAD CROSS LOAD END,
	HEAD LOAD CROSS END,
	HEAD CROSS LOAD END "baseline = filesystem.recordsize=32K\n",
	HEAD CROSS LOAD END "baseline = workload.clients=4\n",
	HEAD CROSS LOAD END "baseline = workload.clients=4 filesystem.recordsize=128K\n",
	/* The partner of some cells is excluded: they fall back to the first candidate. */
	HEAD CROSS LOAD END "baseline = filesystem.recordsize=32K\n"
			    "exclude = filesystem.recordsize=32K workload.clients=4\n",
	HEAD LOAD END "baseline = arm=b\n[arm a]\nfilesystem.type = ext4\n"
		      "[arm b]\nfilesystem.type = zfs\nfilesystem.recordsize = 8K\n",
	/* Arms that set a factor, in the middle and at the ends, the same one and others. */
	HEAD CROSS LOAD END "[arm a]\nworkload.clients = 4\n[arm b]\nworkload.scale = 20\n"
			    "[arm c]\nworkload.clients = 7\n[arm d]\nfilesystem.type = zfs\n",
	HEAD CROSS LOAD END "baseline = arm=c\n[arm a]\nworkload.clients = 4\n"
			    "[arm b]\nworkload.scale = 20\n[arm c]\nworkload.clients = 7\n",
	HEAD CROSS LOAD END
	"baseline = workload.scale=20\n[arm a]\nworkload.clients = 4\n"
	"[arm b]\nfilesystem.recordsize = 16K\n[arm c]\nfilesystem.type = zfs\n",
	HEAD END "[arm a]\nfilesystem.type = ext4\n[arm b]\nfilesystem.type = zfs\n",
};

static void as_the_rule_says(void **state UNUSED)
{
	for (size_t s = 0; s < ARRAY_SIZE(studies); s++) {
		struct err err = ERR_INIT;
		struct matrix matrix;
		struct study study;

		if (study_parse(&study, &(struct study_options){ "t.ini", &example_catalog, false },
			    studies[s], &err) < 0 ||
			matrix_build(&matrix, &study, &err) < 0)
			fail_msg("study %zu: %s", s, err.message);
		for (size_t i = 0; i < matrix.count; i++)
			if (matrix.cells[i].baseline != expected(&study, &matrix, i))
				fail_msg("study %zu, cell %zu (%s): %zu, not %zu", s, i,
					matrix.cells[i].label, matrix.cells[i].baseline,
					expected(&study, &matrix, i));
		matrix_release(&matrix);
		study_release(&study);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(as_the_rule_says) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
