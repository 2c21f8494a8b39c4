/* A study's line of [published], then a table in published.csv's form: what is found in it comes
 * out of its own row, and is a number that a ratio can be made of. */
#include "fuzz.h"

#include "analysis/published.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_BEFORE_UNIT 27

/* Fields before the end of the first row with this id. */
static size_t row_fields(const char *csv, long id)
{
	for (const char *line = csv; line; line = strchr(line, '\n')) {
		size_t count = 0;
		char *end;

		line += *line == '\n';
		if (strtol(line, &end, 10) != id || end == line || *end != ',')
			continue;
		for (; *line && *line != '\n'; line++)
			count += *line == ',';
		return count;
	}
	return 0;
}

static void look_up(const char *csv, long id, struct arena *arena)
{
	struct published_row row = { .id = -1 };
	struct err err = ERR_INIT;

	if (published_row_find(csv, id, arena, &row, &err) < 0) {
		if (err.message[0] == '\0' || row.id != -1)
			abort();
	} else if (row.id != id || !isfinite(row.value) || row.value <= 0 ||
		   strpbrk(row.unit, ",\n") || row_fields(csv, id) < FIELDS_BEFORE_UNIT) {
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = memory_copy_bytes((const char *)data, size);
	char *csv = strchr(text, '\n');
	struct arena arena = ARENA_INIT;
	struct published_pair pair;
	struct err err = ERR_INIT;

	if (csv)
		*csv++ = '\0';
	if (published_pair_parse(text, &arena, &pair, &err) < 0) {
		if (err.message[0] == '\0')
			abort();
	} else {
		if (pair.over_count < 1 || pair.over_count > PUBLISHED_IDS_MAX ||
			pair.under_count > PUBLISHED_IDS_MAX || pair.is_ratio == !!pair.under_count)
			abort();
		for (size_t i = 0; csv && i < pair.over_count; i++)
			look_up(csv, pair.over_ids[i], &arena);
		for (size_t i = 0; csv && i < pair.under_count; i++)
			look_up(csv, pair.under_ids[i], &arena);
	}
	for (long id = 0; csv && id < 4; id++)
		look_up(csv, id, &arena);
	arena_release(&arena);
	free(text);
	return 0;
}
