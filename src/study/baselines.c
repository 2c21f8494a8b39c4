/*
 * Which cell each cell is compared with (see study_internal.h). Apart from matrix.c because cells
 * are many: a cell's partner is found through a table of the candidates' values, not by looking
 * at every candidate, which took seconds at ten thousand cells.
 *
 * Arms are what makes it more than one table: a factor that an arm sets is not compared. The
 * factors that an arm sets are its mask; arms of one mask share a table, and masks are few.
 */
#include "study/study_internal.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NOWHERE SIZE_MAX

struct slot {
	struct hash128 key; /* 128 bits: two different keys do not meet */
	size_t cell;	    /* NOWHERE: free */
};

struct search {
	const struct study *study;
	struct matrix *matrix;
	struct strbuf key;  /* reused from cell to cell */
	const char **names; /* factors that are compared */
	size_t name_count;
	const char *
		*masks; /* the distinct ones, name_count characters '0' or '1' (an arm sets it) */
	size_t mask_count;
	size_t *cell_masks; /* index into masks, by cell */
	bool *offered;	    /* by mask: has a candidate it? */
	struct slot *slots;
	size_t slot_count; /* a power of two */
};

static void choose_names(struct search *search)
{
	const struct study *study = search->study;
	bool given = study->baseline.override_count > 0;

	search->names = memory_new_array(study->factor_count + 1, sizeof(*search->names));
	for (size_t i = 0; i < study->factor_count; i++) {
		const char *name = study->factors[i].name;

		if (study->factors[i].level_count < 2 || name_belongs_to_plan(name) ||
			arm_override(&study->baseline, name))
			continue;
		if (given || strncmp(name, "workload.", 9) == 0)
			search->names[search->name_count++] = name;
	}
}

static size_t add_mask(struct search *search, const struct arm *arm)
{
	char *mask = arena_new(&search->matrix->arena, search->name_count + 1);

	for (size_t i = 0; i < search->name_count; i++)
		mask[i] = arm_override(arm, search->names[i]) ? '1' : '0';
	mask[search->name_count] = '\0';
	for (size_t i = 0; i < search->mask_count; i++)
		if (strcmp(search->masks[i], mask) == 0)
			return i;
	search->masks[search->mask_count] = mask;
	return search->mask_count++;
}

/* Cells come in the order of their arms. */
static void mask_cells(struct search *search)
{
	const struct study *study = search->study;
	const struct matrix *matrix = search->matrix;
	size_t arm = 0, mask;

	search->masks = memory_new_array(MAX(study->arm_count, (size_t)1), sizeof(*search->masks));
	search->cell_masks = memory_new_array(matrix->count, sizeof(*search->cell_masks));
	mask = add_mask(search, study->arm_count ? &study->arms[0] : NULL);
	for (size_t i = 0; i < matrix->count; i++) {
		const char *label = matrix->cells[i].arm;

		if (label && strcmp(label, study->arms[arm].label) != 0) {
			while (strcmp(label, study->arms[arm].label) != 0)
				arm++;
			mask = add_mask(search, &study->arms[arm]);
		}
		search->cell_masks[i] = mask;
	}
}

/* The slot of a cell's values in the factors that neither mask hides; other is the mask of the
 * candidate. */
static struct slot *find_slot(struct search *search, size_t cell, size_t mask, size_t other)
{
	const struct settings *settings = &search->matrix->cells[cell].settings;
	struct hash128 key;
	size_t at;

	strbuf_clear(&search->key);
	strbuf_add_format(&search->key, "%zu ", other);
	for (size_t i = 0; i < search->name_count; i++) {
		const char *text;

		if (search->masks[mask][i] == '1' || search->masks[other][i] == '1')
			continue;
		text = settings_text(settings, search->names[i], "");
		strbuf_add(&search->key, text, strlen(text) + 1);
	}
	key = hash_bytes(search->key.data, search->key.length);
	for (at = key.low & (search->slot_count - 1); search->slots[at].cell != NOWHERE;
		at = (at + 1) & (search->slot_count - 1))
		if (search->slots[at].key.low == key.low && search->slots[at].key.high == key.high)
			break;
	search->slots[at].key = key;
	return &search->slots[at];
}

/* All cells of one mask against all candidates. */
static void assign_mask(struct search *search, size_t mask, const size_t *candidates, size_t count)
{
	struct cell *cells = search->matrix->cells;

	for (size_t i = 0; i < search->slot_count; i++)
		search->slots[i].cell = NOWHERE;
	for (size_t c = 0; c < count; c++) {
		struct slot *slot =
			find_slot(search, candidates[c], mask, search->cell_masks[candidates[c]]);

		if (slot->cell == NOWHERE)
			slot->cell = candidates[c];
	}
	for (size_t i = 0; i < search->matrix->count; i++) {
		size_t best = NOWHERE;

		if (search->cell_masks[i] != mask)
			continue;
		for (size_t other = 0; other < search->mask_count; other++)
			if (search->offered[other])
				best = MIN(best, find_slot(search, i, mask, other)->cell);
		cells[i].baseline = best == NOWHERE ? candidates[0] : best;
	}
}

void baselines_assign(
	struct matrix *matrix, const struct study *study, const size_t *candidates, size_t count)
{
	struct search search = { .study = study, .matrix = matrix, .key = STRBUF_INIT };

	choose_names(&search);
	mask_cells(&search);
	search.offered = memory_new_array(search.mask_count, sizeof(*search.offered));
	for (size_t c = 0; c < count; c++)
		search.offered[search.cell_masks[candidates[c]]] = true;
	for (search.slot_count = 16; search.slot_count < count * 2;)
		search.slot_count *= 2;
	search.slots = memory_new_array(search.slot_count, sizeof(*search.slots));
	for (size_t mask = 0; mask < search.mask_count; mask++)
		assign_mask(&search, mask, candidates, count);
	free(search.slots);
	free(search.offered);
	free(search.cell_masks);
	free(search.masks);
	free(search.names);
	strbuf_release(&search.key);
}
