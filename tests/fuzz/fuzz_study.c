/* study: any text is refused with a place, or gives cells and a plan that is the same twice. */
#include "fuzz.h"

#include "base/memory.h"
#include "lib/example_catalog.h"
#include "study/plan.h"

#include <stdlib.h>
#include <string.h>

/* Plans of many cells only cost time here. */
#define CELLS_MAX 200

static void plan_twice(const struct study *study, const struct matrix *matrix)
{
	struct plan once, again;
	struct err err = ERR_INIT;

	if (plan_build(&once, study, matrix, 2, &err) < 0)
		abort();
	if (plan_build(&again, study, matrix, 2, &err) < 0)
		abort();
	if (once.trial_count != again.trial_count)
		abort();
	for (size_t i = 0; i < once.trial_count; i++)
		if (strcmp(once.trials[i].id, again.trials[i].id) != 0)
			abort();
	plan_release(&once);
	plan_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = memory_copy_bytes((const char *)data, size);
	struct study_options options = { "fuzz.ini", &example_catalog, size % 2 == 1 };
	struct err err = ERR_INIT;
	struct matrix matrix;
	struct study study;

	if (study_parse(&study, &options, text, &err) == 0) {
		if (matrix_build(&matrix, &study, &err) == 0) {
			if (matrix.count <= CELLS_MAX && study_integer(&study, "design.runs") <= 10)
				plan_twice(&study, &matrix);
			matrix_release(&matrix);
		} else if (strncmp(err.message, "fuzz.ini:", 9) != 0) {
			abort();
		}
		study_release(&study);
	} else if (strncmp(err.message, "fuzz.ini:", 9) != 0) {
		abort();
	}
	free(text);
	return 0;
}
