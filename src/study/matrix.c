/*
 * From levels and arms to cells. With arms, factors that an arm does not set are crossed with it.
 * Checking a value depends on the cell's filesystem and workload type, so it happens here, with a
 * cache, because ten thousand cells share few values.
 */
#include "study/matrix.h"

#include "base/memory.h"
#include "study/study_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A value resolved for one type of its section. */
struct resolved {
	const char *name, *text, *type; /* key: the same pointers come again and again */
	struct setting_value value;
};

struct builder {
	struct matrix *matrix;
	const struct study *study;
	struct resolved *cache;
	size_t cache_size, cache_used; /* size: a power of two */
	size_t cell_room;
	struct err *err;
};

/* What a cell is made of, before checking. */
struct draft {
	struct override *values;
	size_t count;
};

static int fail_at(const struct builder *builder, int line, const char *format, ...)
	PRINTF_LIKE(3, 4);

static int fail_at(const struct builder *builder, int line, const char *format, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list args;

	va_start(args, format);
	strbuf_add_format_args(&text, format, args);
	va_end(args);
	err_set(builder->err, -EINVAL, "%s:%d: %s", builder->study->path, line, text.data);
	strbuf_release(&text);
	return -EINVAL;
}

bool name_belongs_to_plan(const char *name)
{
	static const char *const names[] = { "design.repeats", "design.seed", "design.exclude",
		"design.baseline", "design.controls", "design.planted", "design.canary",
		"design.margin", "design.precision", "design.max_time", "design.runs",
		"device.folder" };

	if (strncmp(name, "study.", 6) == 0 || strncmp(name, "published.", 10) == 0)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static const char *draft_text(const struct draft *draft, const char *name)
{
	for (size_t i = 0; i < draft->count; i++)
		if (strcmp(draft->values[i].name, name) == 0)
			return draft->values[i].text;
	return NULL;
}

/* The type word that governs a section in this draft: its own "type" key or that key's fallback;
 * "" when the section has none. */
static const char *section_type(
	const struct builder *builder, const struct draft *draft, const char *section)
{
	char name[80];
	const char *text;
	const struct setting *row;

	snprintf(name, sizeof(name), "%s.type", section);
	text = draft_text(draft, name);
	if (text)
		return text;
	row = setting_find(builder->study->catalog, section, "type", NULL);
	return row && strcmp(row->key, "type") == 0 && row->fallback ? row->fallback : "";
}

static size_t cache_slot(
	const struct builder *builder, const char *name, const char *text, const char *type)
{
	uintptr_t key = (uintptr_t)name * 31 + (uintptr_t)text * 17;
	size_t slot = (key ^ (key >> 15)) & (builder->cache_size - 1);

	while (builder->cache[slot].name) {
		const struct resolved *entry = &builder->cache[slot];

		if (entry->name == name && entry->text == text && strcmp(entry->type, type) == 0)
			break;
		slot = (slot + 1) & (builder->cache_size - 1);
	}
	return slot;
}

static void cache_grow(struct builder *builder)
{
	struct resolved *old = builder->cache;
	size_t old_size = builder->cache_size;

	builder->cache_size = old_size ? old_size * 2 : 256;
	builder->cache = memory_new_array(builder->cache_size, sizeof(*builder->cache));
	for (size_t i = 0; i < old_size; i++)
		if (old[i].name)
			builder->cache[cache_slot(builder, old[i].name, old[i].text, old[i].type)] =
				old[i];
	free(old);
}

static int no_row(const struct builder *builder, const struct override *given, const char *section,
	const char *key, const char *type)
{
	const char *near;

	if (setting_find(builder->study->catalog, section, key, NULL))
		return fail_at(builder, given->line,
			"%s does not go with %s.type = %s; use [arm NAME] sections or exclude",
			given->name, section, type);
	near = setting_near_key(builder->study->catalog, section, key);
	return fail_at(builder, given->line, "[%s] has no key '%s'%s%s%s", section, key,
		near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* Check one value in its cell; *ret_value is lent and lives as long as the matrix. */
static int resolve(struct builder *builder, const struct draft *draft, const struct override *given,
	const struct setting_value **ret_value)
{
	struct arena *arena = &builder->matrix->arena;
	const char *section, *key, *type;
	const struct setting *row;
	struct resolved *entry;
	int r;

	if (name_split(builder->study->catalog, given->name, arena, &section, &key) < 0)
		return fail_at(
			builder, given->line, "'%s' is no full name of a setting", given->name);
	type = section_type(builder, draft, section);
	if (builder->cache_used * 2 >= builder->cache_size)
		cache_grow(builder);
	entry = &builder->cache[cache_slot(builder, given->name, given->text, type)];
	if (!entry->name) {
		row = setting_find(builder->study->catalog, section, key, *type ? type : NULL);
		if (!row)
			return no_row(builder, given, section, key, type);
		r = setting_canonical(row, given->text, arena, &entry->value.text, builder->err);
		if (r < 0)
			return err_prefix(
				builder->err, r, "%s:%d", builder->study->path, given->line);
		entry->value.name = given->name;
		entry->value.reload = row->reload;
		entry->value.line = given->line;
		entry->name = given->name;
		entry->text = given->text;
		entry->type = type;
		builder->cache_used++;
	}
	*ret_value = &entry->value;
	return 0;
}

static void add_fallbacks(
	struct builder *builder, const struct draft *draft, struct settings *settings)
{
	const struct setting_catalog *catalog = builder->study->catalog;
	struct arena *arena = &builder->matrix->arena;

	for (size_t t = 0; catalog->tables[t]; t++)
		for (const struct setting *row = catalog->tables[t]; row->key; row++) {
			const char *type;
			char name[160];

			if (!row->fallback || row->unavailable || strchr(row->section, '*'))
				continue;
			snprintf(name, sizeof(name), "%s.%s", row->section, row->key);
			if (name_belongs_to_plan(name) || settings_find(settings, name))
				continue;
			type = section_type(builder, draft, row->section);
			if (row->types &&
				setting_find(catalog, row->section, row->key, type) != row)
				continue;
			settings_set(settings,
				&(struct setting_value){ .name = arena_copy_string(arena, name),
					.text = row->fallback,
					.reload = row->reload });
		}
}

static bool same_type_words(const struct settings *a, const struct settings *b, const char *name)
{
	return strcmp(settings_text(a, name, ""), settings_text(b, name, "")) == 0;
}

/* Fallbacks depend on the types only: copy them from an earlier cell of the same types. */
static void complete(struct builder *builder, const struct draft *draft, struct settings *settings)
{
	struct matrix *matrix = builder->matrix;

	if (matrix->count > 0) {
		const struct settings *last = &matrix->cells[matrix->count - 1].settings;

		if (same_type_words(last, settings, "filesystem.type") &&
			same_type_words(last, settings, "workload.type") &&
			settings_find(settings, "workload.type")) {
			for (size_t i = 0; i < last->count; i++)
				if (last->values[i].line == 0 &&
					!settings_find(settings, last->values[i].name))
					settings_set(settings, &last->values[i]);
			return;
		}
	}
	add_fallbacks(builder, draft, settings);
}

static int matches(struct builder *builder, const struct draft *draft,
	const struct settings *settings, const char *label, const struct arm *pattern)
{
	for (size_t i = 0; i < pattern->override_count; i++) {
		const struct override *want = &pattern->overrides[i];
		const struct setting_value *value;
		const char *have;
		int r;

		if (strcmp(want->name, "arm") == 0) {
			if (!label || strcmp(label, want->text) != 0)
				return 0;
			continue;
		}
		have = settings_text(settings, want->name, NULL);
		/* A key that this cell's type does not have can't match. */
		if (!have && draft) {
			const char *section, *key;

			if (name_split(builder->study->catalog, want->name, &builder->matrix->arena,
				    &section, &key) == 0 &&
				setting_find(builder->study->catalog, section, key, NULL))
				return 0;
		}
		r = resolve(builder, draft, want, &value);
		if (r < 0)
			return r;
		if (!have || strcmp(have, value->text) != 0)
			return 0;
	}
	return 1;
}

static int is_excluded(struct builder *builder, const struct draft *draft,
	const struct settings *settings, const char *label, bool *excluded)
{
	for (size_t i = 0; i < builder->study->exclude_count; i++) {
		const struct arm *pattern = &builder->study->excludes[i];
		int r = matches(builder, draft, settings, label, pattern);

		if (r < 0)
			return r;
		if (r > 0)
			*excluded = true;
	}
	return 0;
}

static int add_cell(struct builder *builder, const struct draft *draft, const char *label,
	const char *arm_label)
{
	struct matrix *matrix = builder->matrix;
	struct settings settings = { 0 };
	bool excluded = false;
	int r = 0;

	for (size_t i = 0; r == 0 && i < draft->count; i++) {
		const struct setting_value *value;

		if (name_belongs_to_plan(draft->values[i].name))
			continue;
		r = resolve(builder, draft, &draft->values[i], &value);
		if (r == 0)
			settings_set(&settings, value);
	}
	if (r == 0)
		complete(builder, draft, &settings);
	if (r == 0)
		r = is_excluded(builder, draft, &settings, arm_label, &excluded);
	if (r < 0 || excluded) {
		settings_release(&settings);
		return r;
	}
	if (matrix->count == builder->cell_room) {
		builder->cell_room = builder->cell_room ? builder->cell_room * 2 : 16;
		matrix->cells =
			memory_resize(matrix->cells, builder->cell_room, sizeof(*matrix->cells));
	}
	matrix->cells[matrix->count] = (struct cell){ .index = matrix->count,
		.label = arena_copy_string(&matrix->arena, label),
		.arm = arm_label,
		.settings = settings };
	matrix->count++;
	return 0;
}

const struct override *arm_override(const struct arm *arm, const char *name)
{
	for (size_t i = 0; arm && i < arm->override_count; i++)
		if (strcmp(arm->overrides[i].name, name) == 0)
			return &arm->overrides[i];
	return NULL;
}

static int count_cells(struct builder *builder, const struct arm *arm, size_t *total)
{
	size_t count = 1;

	for (size_t i = 0; i < builder->study->factor_count; i++) {
		const struct factor *factor = &builder->study->factors[i];

		if (name_belongs_to_plan(factor->name) || arm_override(arm, factor->name))
			continue;
		if (__builtin_mul_overflow(count, factor->level_count, &count))
			count = STUDY_CELLS_MAX + 1;
		if (count > STUDY_CELLS_MAX)
			break;
	}
	*total += count;
	if (*total > STUDY_CELLS_MAX)
		return err_set(builder->err, -E2BIG,
			"%s: more than %d cells; give fewer levels, or the wanted cells as [arm "
			"NAME]",
			builder->study->path, STUDY_CELLS_MAX);
	return 0;
}

/* Walk all level combinations of the factors that arm does not set, last factor fastest. */
static int expand(struct builder *builder, const struct arm *arm)
{
	const struct study *study = builder->study;
	size_t *at = memory_new_array(study->factor_count + 1, sizeof(*at));
	struct draft draft = { 0 };
	struct strbuf label = STRBUF_INIT;
	size_t turn;
	int r = 0;

	draft.values = memory_new_array(
		study->factor_count + (arm ? arm->override_count : 0) + 1, sizeof(*draft.values));
	do {
		draft.count = 0;
		strbuf_clear(&label);
		strbuf_add_text(&label, arm ? arm->label : "");
		for (size_t i = 0; arm && i < arm->override_count; i++)
			draft.values[draft.count++] = arm->overrides[i];
		for (size_t i = 0; i < study->factor_count; i++) {
			const struct factor *factor = &study->factors[i];

			if (name_belongs_to_plan(factor->name) || arm_override(arm, factor->name))
				continue;
			draft.values[draft.count++] = (struct override){ factor->name,
				factor->levels[at[i]], factor->line };
			if (factor->level_count > 1)
				strbuf_add_format(&label, "%s%s=%s", label.length ? " " : "",
					strrchr(factor->name, '.') + 1, factor->levels[at[i]]);
		}
		r = add_cell(builder, &draft, label.length ? label.data : study->name,
			arm ? arm->label : NULL);
		for (turn = study->factor_count; turn > 0; turn--) {
			const struct factor *factor = &study->factors[turn - 1];

			if (name_belongs_to_plan(factor->name) || arm_override(arm, factor->name))
				continue;
			if (++at[turn - 1] < factor->level_count)
				break;
			at[turn - 1] = 0;
		}
	} while (r == 0 && turn > 0);
	free(at);
	free(draft.values);
	strbuf_release(&label);
	return r;
}

static void add_varying(struct matrix *matrix, size_t *room, const char *name)
{
	for (size_t i = 0; i < matrix->varying_count; i++)
		if (strcmp(matrix->varying[i], name) == 0)
			return;
	if (matrix->varying_count == *room) {
		*room = *room ? *room * 2 : 8;
		matrix->varying = memory_resize(matrix->varying, *room, sizeof(*matrix->varying));
	}
	matrix->varying[matrix->varying_count++] = name;
}

static void find_varying(struct matrix *matrix)
{
	const struct settings *first = &matrix->cells[0].settings;
	size_t room = 0;

	for (size_t c = 1; c < matrix->count; c++) {
		const struct settings *settings = &matrix->cells[c].settings;
		size_t i = 0, j = 0;

		while (i < first->count || j < settings->count) {
			int order = i == first->count	   ? 1
				    : j == settings->count ? -1
							   : strcmp(first->values[i].name,
								     settings->values[j].name);

			if (order < 0)
				add_varying(matrix, &room, first->values[i++].name);
			else if (order > 0)
				add_varying(matrix, &room, settings->values[j++].name);
			else if (strcmp(first->values[i].text, settings->values[j].text) != 0)
				add_varying(matrix, &room, first->values[i++].name), j++;
			else
				i++, j++;
		}
	}
}

/* The types of a finished cell: which rows its keys belong to. */
static struct draft types_of(const struct cell *cell, struct override values[2])
{
	static const char *const names[] = { "filesystem.type", "workload.type" };
	struct draft types = { .values = values };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *text = settings_text(&cell->settings, names[i], NULL);

		if (text)
			values[types.count++] = (struct override){ names[i], text, 0 };
	}
	return types;
}

static int find_baselines(struct builder *builder)
{
	const struct study *study = builder->study;
	struct matrix *matrix = builder->matrix;
	size_t *candidates = memory_new_array(matrix->count, sizeof(*candidates));
	size_t count = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < matrix->count; i++) {
		const struct cell *cell = &matrix->cells[i];
		struct override values[2];
		struct draft types = types_of(cell, values);
		int match = 1;

		if (study->baseline.override_count)
			match = matches(
				builder, &types, &cell->settings, cell->arm, &study->baseline);
		if (match < 0)
			r = match;
		else if (match)
			candidates[count++] = i;
	}
	if (r == 0 && count == 0)
		r = fail_at(builder, study->baseline.line, "design.baseline matches no cell");
	if (r == 0)
		baselines_assign(matrix, study, candidates, count);
	free(candidates);
	return r;
}

/* Hidden copies of the first baseline: the A/A control, and one slowed on purpose. */
static void add_control(struct builder *builder, int role, const char *label, const char *text)
{
	struct matrix *matrix = builder->matrix;
	size_t original = matrix->cells[0].baseline;
	struct cell *cell;

	matrix->cells = memory_resize(matrix->cells, matrix->count + 1, sizeof(*matrix->cells));
	cell = &matrix->cells[matrix->count];
	*cell = (struct cell){ .index = matrix->count,
		.label = label,
		.role = role,
		.copy_of = original,
		.baseline = original };
	settings_copy(&cell->settings, &matrix->cells[original].settings);
	settings_set(&cell->settings,
		&(struct setting_value){ .name = "control.role", .text = text, .reload = true });
	matrix->count++;
}

/* Where the study does not say: a study that can end in a headline has its A/A control. */
static bool wants_control(const struct study *study, const struct matrix *matrix)
{
	if (study_text(study, "design.controls"))
		return study_boolean(study, "design.controls");
	return study_integer(study, "design.repeats") >= MATRIX_HEADLINE_REPEATS &&
	       matrix->count > 1;
}

int matrix_build(struct matrix *matrix, const struct study *study, struct err *err)
{
	struct builder builder = { .matrix = matrix, .study = study, .err = err };
	size_t total = 0;
	int r = 0;

	*matrix = (struct matrix){ 0 };
	for (size_t i = 0; r == 0 && i < MAX(study->arm_count, (size_t)1); i++)
		r = count_cells(&builder, study->arm_count ? &study->arms[i] : NULL, &total);
	for (size_t i = 0; r == 0 && i < MAX(study->arm_count, (size_t)1); i++)
		r = expand(&builder, study->arm_count ? &study->arms[i] : NULL);
	if (r == 0 && matrix->count == 0)
		r = err_set(err, -EINVAL, "%s: every cell is excluded", study->path);
	if (r == 0) {
		find_varying(matrix);
		r = find_baselines(&builder);
	}
	if (r == 0 && wants_control(study, matrix))
		add_control(&builder, CELL_CONTROL_AA, "(A/A control)", "aa");
	if (r == 0 && study_percent(study, "design.planted") > 0)
		add_control(&builder, CELL_CONTROL_PLANTED, "(planted effect)",
			study_text(study, "design.planted"));
	free(builder.cache);
	if (r < 0)
		matrix_release(matrix);
	return r;
}

void matrix_release(struct matrix *matrix)
{
	for (size_t i = 0; i < matrix->count; i++)
		settings_release(&matrix->cells[i].settings);
	free(matrix->cells);
	free(matrix->varying);
	arena_release(&matrix->arena);
	*matrix = (struct matrix){ 0 };
}
