/* Building a report's tables (see report_table.h). */
#include "report/report_table.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

void table_begin(struct table_builder *builder, const char *name, const char *title,
	const struct report_column *columns)
{
	*builder = (struct table_builder){
		.table = { .name = name, .title = title, .columns = columns },
	};
	while (columns[builder->table.column_count].name)
		builder->table.column_count++;
}

static struct report_cell *add_cell(struct table_builder *builder)
{
	if (builder->cell_count == builder->cell_size) {
		builder->cell_size = builder->cell_size ? builder->cell_size * 2 : 256;
		builder->cells =
			memory_resize(builder->cells, builder->cell_size, sizeof(*builder->cells));
	}
	builder->cells[builder->cell_count] = (struct report_cell){ .kind = REPORT_EMPTY };
	return &builder->cells[builder->cell_count++];
}

void table_add_number(struct table_builder *builder, double number)
{
	struct report_cell *cell = add_cell(builder);

	if (isfinite(number))
		*cell = (struct report_cell){ .kind = REPORT_NUMBER, .number = number };
}

void table_add_text(struct table_builder *builder, const char *text)
{
	struct report_cell *cell = add_cell(builder);

	if (text)
		*cell = (struct report_cell){ .kind = REPORT_TEXT, .text = text };
}

void table_tone(struct table_builder *builder, enum report_tone tone)
{
	builder->cells[builder->cell_count - 1].tone = tone;
}

void table_end(struct table_builder *builder, struct report *report)
{
	assert(builder->cell_count % builder->table.column_count == 0);
	builder->table.cells = builder->cells;
	builder->table.row_count = builder->cell_count / builder->table.column_count;
	report->format->table(report, &builder->table);
	free(builder->cells);
	arena_release(&builder->arena);
	builder->cells = NULL;
}
