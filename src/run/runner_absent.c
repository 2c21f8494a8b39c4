/* Cells that can't run on this machine, and what is left of a study without them (see runner.h). */
#include "run/runner_internal.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

bool *runner_absent_flags(const struct matrix *matrix, const struct absent_cells *absent)
{
	bool *flags = memory_new_array(matrix->count + 1, sizeof(*flags));

	for (size_t i = 0; i < absent->count; i++)
		flags[absent->cells[i].cell] = true;
	for (size_t i = 0; i < matrix->count; i++)
		if (matrix->cells[i].role != CELL_STUDIED)
			flags[i] = flags[matrix->cells[i].copy_of];
	return flags;
}

static void add_sentence(void *context, const char *sentence)
{
	struct strbuf *text = context;

	strbuf_add_format(text, "%s%s", text->length ? "\n" : " ", sentence);
}

int runner_some_can_run(
	const struct matrix *matrix, const struct absent_cells *absent, int code, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	size_t studied = 0;

	for (size_t i = 0; i < matrix->count; i++)
		studied += matrix->cells[i].role == CELL_STUDIED;
	if (absent->count < studied)
		return 0;
	absent_cells_say(absent, add_sentence, &text);
	err_set(err, code, "nothing of the study can run on this machine:%s", text.data);
	strbuf_release(&text);
	return code;
}
