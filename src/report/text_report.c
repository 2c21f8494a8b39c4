/* The report for a terminal: aligned tables, folded when they are wider than it. */
#include "report/report.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define GAP "  "

/* "plumb show" takes the beginning of an id, and has the whole of a long reason. */
#define ID_COLUMNS    12
#define WORDS_COLUMNS 240

static const char *const tones[] = {
	[REPORT_NEUTRAL] = "",
	[REPORT_GOOD] = "\033[32m",
	[REPORT_BAD] = "\033[31m",
	[REPORT_DOUBTFUL] = "\033[33m",
};

static void heading(struct report *report, const char *text)
{
	strbuf_add_format(
		report->out, report->options->colour ? "\033[1m%s\033[0m\n" : "%s\n", text);
}

/* Columns that a text takes: its characters, not its bytes. */
static size_t width_of(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

static void text(struct report *report, const char *key, const char *words)
{
	bool is_verdict = strcmp(key, "verdict") == 0;

	if (is_verdict || strcmp(key, "recommendation") == 0)
		strbuf_add_char(report->out, '\n');
	strbuf_add_format(report->out,
		is_verdict && report->options->colour ? "\033[1m%s\033[0m\n" : "%s\n", words);
}

/* One column as it is shown: a value with the ends of its interval, or a single value. */
struct shown {
	size_t column; /* of the table */
	size_t width;
	bool is_words;	   /* to the left */
	bool has_interval; /* the two columns after it are its ends */
	bool is_empty;	   /* in every row: left out */
};

struct grid {
	const struct report_table *table;
	struct shown *shown;
	size_t shown_count;
	char **texts; /* rows x shown_count */
};

static const struct report_cell *cell_at(
	const struct report_table *table, size_t row, size_t column)
{
	return &table->cells[row * table->column_count + column];
}

/* Control characters and line ends of a reason or label must not break the table. */
static void add_one_line(struct strbuf *out, const char *words, size_t limit)
{
	size_t columns = 0;

	for (; *words; words++) {
		unsigned char c = (unsigned char)*words;

		if ((c & 0xc0) != 0x80 && columns++ == limit)
			break;
		strbuf_add_char(out, c < ' ' || c == 127 ? ' ' : *words);
	}
	if (*words && limit > ID_COLUMNS)
		strbuf_add_text(out, " ...");
}

static char *format_cell(const struct report_table *table, size_t row, const struct shown *shown)
{
	const struct report_cell *cell = cell_at(table, row, shown->column);
	enum report_unit unit = table->columns[shown->column].unit;
	struct strbuf out = STRBUF_INIT;

	if (cell->kind == REPORT_TEXT)
		add_one_line(&out, cell->text, unit == REPORT_ID ? ID_COLUMNS : WORDS_COLUMNS);
	else if (cell->kind == REPORT_NUMBER)
		report_number(cell->number, unit, &out);
	else if (!shown->is_words)
		strbuf_add_char(&out, '-');
	if (shown->has_interval && cell_at(table, row, shown->column + 1)->kind == REPORT_NUMBER) {
		strbuf_add_text(&out, " [");
		report_number(cell_at(table, row, shown->column + 1)->number, unit, &out);
		strbuf_add_text(&out, ", ");
		report_number(cell_at(table, row, shown->column + 2)->number, unit, &out);
		strbuf_add_char(&out, ']');
	}
	return strbuf_detach(&out);
}

static bool is_column_empty(const struct report_table *table, size_t column)
{
	for (size_t row = 0; row < table->row_count; row++)
		if (cell_at(table, row, column)->kind != REPORT_EMPTY)
			return false;
	return true;
}

static void choose_columns(struct grid *grid)
{
	const struct report_table *table = grid->table;

	grid->shown = memory_new_array(table->column_count, sizeof(*grid->shown));
	for (size_t c = 0; c < table->column_count; c++) {
		const struct report_column *column = &table->columns[c];

		if (!column->title || is_column_empty(table, c))
			continue;
		grid->shown[grid->shown_count++] = (struct shown){
			.column = c,
			.width = width_of(column->title),
			.is_words = column->unit == REPORT_WORDS || column->unit == REPORT_ID,
			.has_interval = c + 2 < table->column_count &&
					table->columns[c + 1].part == REPORT_LOW,
		};
	}
}

static void fill_grid(struct grid *grid)
{
	grid->texts =
		memory_new_array(grid->table->row_count * grid->shown_count, sizeof(*grid->texts));
	for (size_t row = 0; row < grid->table->row_count; row++)
		for (size_t i = 0; i < grid->shown_count; i++) {
			char *words = format_cell(grid->table, row, &grid->shown[i]);

			grid->texts[row * grid->shown_count + i] = words;
			grid->shown[i].width = MAX(grid->shown[i].width, width_of(words));
		}
}

static void release_grid(struct grid *grid)
{
	for (size_t i = 0; i < grid->table->row_count * grid->shown_count; i++)
		free(grid->texts[i]);
	free(grid->texts);
	free(grid->shown);
}

static void add_padded(
	struct report *report, const char *words, const struct shown *shown, enum report_tone tone)
{
	bool colour = report->options->colour && tone != REPORT_NEUTRAL && *words;
	int room = (int)(shown->width - width_of(words));

	if (!shown->is_words)
		strbuf_add_format(report->out, "%*s", room, "");
	strbuf_add_format(
		report->out, "%s%s%s", colour ? tones[tone] : "", words, colour ? "\033[0m" : "");
	if (shown->is_words)
		strbuf_add_format(report->out, "%*s", room, "");
}

/* No blanks at the end of a line. */
static void end_line(struct strbuf *out)
{
	while (out->length > 0 && out->data[out->length - 1] == ' ')
		out->data[--out->length] = '\0';
	strbuf_add_char(out, '\n');
}

/* One fold: the first column again, then columns from..to-1. */
static void write_fold(struct report *report, const struct grid *grid, size_t from, size_t to)
{
	for (size_t row = 0; row <= grid->table->row_count; row++) {
		for (size_t i = 0; i < to; i++) {
			const struct shown *shown = &grid->shown[i];
			const char *title = grid->table->columns[shown->column].title;

			if (i > 0 && i < from)
				continue;
			if (i > 0)
				strbuf_add_text(report->out, GAP);
			if (row == 0)
				add_padded(report, title, shown, REPORT_NEUTRAL);
			else
				add_padded(report, grid->texts[(row - 1) * grid->shown_count + i],
					shown, cell_at(grid->table, row - 1, shown->column)->tone);
		}
		end_line(report->out);
	}
}

static void table(struct report *report, const struct report_table *given)
{
	struct grid grid = { .table = given };
	size_t limit = report->options->width ? report->options->width : SIZE_MAX;

	if (!given->title || given->row_count == 0)
		return;
	choose_columns(&grid);
	fill_grid(&grid);
	strbuf_add_format(report->out, "\n%s\n\n", given->title);
	for (size_t from = 1; from == 1 || from < grid.shown_count;) {
		size_t to = from, width = grid.shown[0].width;

		while (to < grid.shown_count &&
			(to == from || width + strlen(GAP) + grid.shown[to].width <= limit))
			width += strlen(GAP) + grid.shown[to++].width;
		if (from > 1)
			strbuf_add_char(report->out, '\n');
		write_fold(report, &grid, from, to);
		from = MAX(to, (size_t)2);
	}
	release_grid(&grid);
}

const struct report_format text_report = {
	.name = "text",
	.help = "tables for a terminal",
	.for_people = true,
	.heading = heading,
	.text = text,
	.table = table,
};
