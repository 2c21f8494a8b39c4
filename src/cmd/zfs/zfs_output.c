/* Tables, sizes and JSON of `plumb zfs`, in the form of zpool(8) and zfs(8). */
#include "cmd/zfs/zfs_internal.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void zfs_table_add(struct zfs_table *table, const char *cell)
{
	if (table->count == table->size) {
		table->size = table->size ? table->size * 2 : 64;
		table->cells = memory_resize(table->cells, table->size, sizeof(*table->cells));
	}
	table->cells[table->count++] = cell ? cell : "-";
}

static void print_row(const struct zfs_table *table, size_t row, const size_t *widths)
{
	const char *const *cells = table->cells + row * table->columns;

	for (size_t column = 0; column < table->columns; column++) {
		bool last = column + 1 == table->columns;

		if (!widths)
			printf("%s%s", cells[column], last ? "\n" : "\t");
		else if (last)
			printf("%s\n", cells[column]);
		else
			printf("%-*s  ", (int)widths[column], cells[column]);
	}
}

/* The first row is the head, left out with -H. */
void zfs_table_print(struct zfs_table *table, const struct zfs_options *options)
{
	size_t rows = table->columns ? table->count / table->columns : 0;
	size_t *widths = memory_new_array(table->columns, sizeof(*widths));

	for (size_t i = 0; i < rows * table->columns; i++)
		widths[i % table->columns] =
			MAX(widths[i % table->columns], strlen(table->cells[i]));
	for (size_t row = options->scripted || table->no_head ? 1 : 0; row < rows; row++)
		print_row(table, row, options->scripted ? NULL : widths);
	free(widths);
	free(table->cells);
	*table = (struct zfs_table){ 0 };
}

void zfs_print_json(json_t *value)
{
	char *text = json_dumps(value, JSON_INDENT(2) | JSON_SORT_KEYS);

	puts(text);
	free(text);
}

const char *zfs_size_text(const struct zfs_options *options, double bytes)
{
	static const char units[] = "BKMGTPE";
	size_t unit = 0;

	if (options->parsable)
		return arena_format(options->arena, "%.0f", bytes);
	while (bytes >= 1024 && unit < sizeof(units) - 2) {
		bytes /= 1024;
		unit++;
	}
	if (unit == 0)
		return arena_format(options->arena, "%.0f", bytes);
	return arena_format(options->arena, "%.*f%c",
		bytes < 10    ? 2
		: bytes < 100 ? 1
			      : 0,
		bytes, units[unit]);
}
