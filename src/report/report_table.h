/* Building a report's tables row by row; for the walk only. */
#ifndef REPORT_REPORT_TABLE_H
#define REPORT_REPORT_TABLE_H

#include "base/arena.h"
#include "report/report.h"

struct table_builder {
	struct report_table table;
	struct arena arena; /* texts made for cells */
	struct report_cell *cells;
	size_t cell_count, cell_size;
};

/* columns are lent and end with a row without name. */
void table_begin(struct table_builder *builder, const char *name, const char *title,
	const struct report_column *columns);
void table_add_number(struct table_builder *builder, double number);  /* NAN: empty */
void table_add_text(struct table_builder *builder, const char *text); /* NULL: empty */
/* The cell added last. */
void table_tone(struct table_builder *builder, enum report_tone tone);
/* Give it to the form, and free. */
void table_end(struct table_builder *builder, struct report *report);

#endif
