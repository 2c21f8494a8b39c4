/* Cells that can't run here (see absent.h). */
#include "record/absent.h"

#include "base/memory.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A grid may lose hundreds of cells for one reason: nobody reads all their names. */
#define LABELS_SAID 4

static const char *one_line(struct arena *arena, const char *text)
{
	struct strbuf line = STRBUF_INIT;
	const char *copy;

	for (size_t length = strcspn(text, "\n"); *text; length = strcspn(text, "\n")) {
		const char *gap = line.length ? "; " : "";

		/* "end of its log:" goes on. */
		if (line.length && line.data[line.length - 1] == ':')
			gap = " ";
		strbuf_add_format(&line, "%s%.*s", gap, (int)length, text);
		text += length;
		text += strspn(text, "\n");
	}
	copy = arena_copy_string(arena, line.data);
	strbuf_release(&line);
	return copy;
}

void absent_cells_add(
	struct absent_cells *absent, size_t cell, const char *label, const char *reason)
{
	absent->cells = memory_resize(absent->cells, absent->count + 1, sizeof(*absent->cells));
	absent->cells[absent->count++] = (struct absent_cell){
		.cell = cell,
		.label = arena_copy_string(&absent->arena, label),
		.reason = one_line(&absent->arena, reason),
	};
}

const char *absent_cells_reason(const struct absent_cells *absent, size_t cell)
{
	for (size_t i = 0; i < absent->count; i++)
		if (absent->cells[i].cell == cell)
			return absent->cells[i].reason;
	return NULL;
}

/* All cells that share the reason of the first-th one. */
static void say_group(const struct absent_cells *absent, size_t first,
	void (*say)(void *context, const char *sentence), void *context)
{
	const char *reason = absent->cells[first].reason;
	struct strbuf labels = STRBUF_INIT, sentence = STRBUF_INIT;
	size_t count = 0;

	for (size_t i = first; i < absent->count; i++) {
		if (strcmp(absent->cells[i].reason, reason) != 0)
			continue;
		if (count++ < LABELS_SAID)
			strbuf_add_format(
				&labels, "%s%s", labels.length ? ", " : "", absent->cells[i].label);
	}
	if (count > LABELS_SAID)
		strbuf_add_format(&labels, ", and %zu more", count - LABELS_SAID);
	strbuf_add_format(&sentence, "%zu %s (%s): %s", count, count == 1 ? "cell" : "cells",
		labels.data, reason);
	say(context, sentence.data);
	strbuf_release(&labels);
	strbuf_release(&sentence);
}

void absent_cells_say(const struct absent_cells *absent,
	void (*say)(void *context, const char *sentence), void *context)
{
	for (size_t i = 0; i < absent->count; i++) {
		bool said = false;

		for (size_t j = 0; j < i && !said; j++)
			said = strcmp(absent->cells[j].reason, absent->cells[i].reason) == 0;
		if (!said)
			say_group(absent, i, say, context);
	}
}

void absent_cells_release(struct absent_cells *absent)
{
	free(absent->cells);
	arena_release(&absent->arena);
	*absent = (struct absent_cells){ 0 };
}
