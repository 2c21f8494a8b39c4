/*
 * The study reader: lines into factors, arms, excludes and baseline. Whether a value is possible
 * is checked per cell in matrix.c, because a row depends on the cell's filesystem type.
 */
#include "study/study.h"

#include "base/file.h"
#include "base/memory.h"
#include "study/study_internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STUDY_FILE_MAX (1 << 20)

enum section_kind { SECTION_NONE, SECTION_KEYS, SECTION_ARM, SECTION_SMALL, SECTION_SMALL_ARM };

struct reader {
	struct study *study;
	enum section_kind kind;
	const char *section;
	const char **sections; /* seen, to refuse a second one */
	size_t section_count;
	struct arm small; /* its overrides */
	const char **small_arms;
	size_t small_arm_count;
	struct arm *small_values; /* [small ARM]: values of that arm in the small form */
	size_t small_value_count;
	bool has_small;
	int line;
	struct err *err;
};

/* Put file:line before a message that is there already; line 0: given beside the file. */
static int locate(struct reader *reader, int line, int code)
{
	if (line == 0)
		return err_prefix(reader->err, code, "on the command line");
	return err_prefix(reader->err, code, "%s:%d", reader->study->path, line);
}

static int fail(struct reader *reader, int line, const char *format, ...) PRINTF_LIKE(3, 4);

static int fail(struct reader *reader, int line, const char *format, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list args;

	va_start(args, format);
	strbuf_add_format_args(&text, format, args);
	va_end(args);
	err_set(reader->err, -EINVAL, "%s", text.data);
	locate(reader, line, -EINVAL);
	strbuf_release(&text);
	return -EINVAL;
}

/* Grow a list that the arena owns by one. */
static void *grow(struct arena *arena, const void *list, size_t count, size_t size)
{
	char *bigger = arena_new_array(arena, count + 1, size);

	if (count)
		memcpy(bigger, list, count * size);
	return bigger;
}

static int begin_arm(struct reader *reader, const char *label)
{
	struct study *study = reader->study;
	struct arm *arm;

	for (size_t i = 0; i < study->arm_count; i++)
		if (strcmp(study->arms[i].label, label) == 0)
			return fail(reader, reader->line, "arm '%s' is there already, at line %d",
				label, study->arms[i].line);
	if (*label == '\0' || strpbrk(label, "=,'"))
		return fail(reader, reader->line, "an arm needs a name without = , '");
	study->arms = grow(&study->arena, study->arms, study->arm_count, sizeof(*study->arms));
	arm = &study->arms[study->arm_count++];
	arm->label = arena_copy_string(&study->arena, label);
	arm->line = reader->line;
	reader->kind = SECTION_ARM;
	return 0;
}

/* [small ARM]: the arm may come later, so its name is looked up when the form is applied. */
static int begin_small_arm(struct reader *reader, const char *label)
{
	struct study *study = reader->study;
	struct arm *arm;

	for (size_t i = 0; i < reader->small_value_count; i++)
		if (strcmp(reader->small_values[i].label, label) == 0)
			return fail(reader, reader->line, "[small %s] is there already, at line %d",
				label, reader->small_values[i].line);
	reader->small_values =
		grow(&study->arena, reader->small_values, reader->small_value_count, sizeof(*arm));
	arm = &reader->small_values[reader->small_value_count++];
	*arm = (struct arm){ .label = arena_copy_string(&study->arena, label),
		.line = reader->line };
	reader->kind = SECTION_SMALL_ARM;
	return 0;
}

static int unknown_section(struct reader *reader, const char *name)
{
	const char *near = setting_near_section(reader->study->catalog, name);

	return near ? fail(reader, reader->line, "unknown section [%s]; did you mean [%s]?", name,
			      near)
		    : fail(reader, reader->line, "unknown section [%s]", name);
}

static int begin_section(struct reader *reader, char *line)
{
	size_t length = strlen(line);
	struct study *study = reader->study;
	char *name = line + 1;

	if (length < 3 || line[length - 1] != ']' || strpbrk(name, "[\"") ||
		strchr(name, ']') != line + length - 1)
		return fail(reader, reader->line, "a section is written [name]: '%s'", line);
	line[length - 1] = '\0';
	if (strncmp(name, "arm ", 4) == 0)
		return begin_arm(reader, name + 4 + strspn(name + 4, " "));
	if (strncmp(name, "small ", 6) == 0)
		return begin_small_arm(reader, name + 6 + strspn(name + 6, " "));
	for (size_t i = 0; i < reader->section_count; i++)
		if (strcmp(reader->sections[i], name) == 0)
			return fail(reader, reader->line, "section [%s] is there already", name);
	reader->kind = SECTION_KEYS;
	if (strcmp(name, "small") == 0) {
		reader->kind = SECTION_SMALL;
		reader->has_small = true;
	} else if (!setting_section_exists(study->catalog, name)) {
		return unknown_section(reader, name);
	}
	reader->section = arena_copy_string(&study->arena, name);
	reader->sections = grow(
		&study->arena, reader->sections, reader->section_count, sizeof(*reader->sections));
	reader->sections[reader->section_count++] = reader->section;
	return 0;
}

static struct factor *find_factor(struct study *study, const char *name)
{
	for (size_t i = 0; i < study->factor_count; i++)
		if (strcmp(study->factors[i].name, name) == 0)
			return &study->factors[i];
	return NULL;
}

static int unknown_key(struct reader *reader, int line, const char *section, const char *key)
{
	const char *near = setting_near_key(reader->study->catalog, section, key);

	return near ? fail(reader, line, "[%s] has no key '%s'; did you mean '%s'?", section, key,
			      near)
		    : fail(reader, line, "[%s] has no key '%s'", section, key);
}

static int check_levels(struct reader *reader, const struct factor *factor)
{
	if (factor->level_count > 1 && factor->row->use == SETTING_FIXED)
		return fail(reader, factor->line,
			"%s takes one value, not %zu; quote a value that holds a comma: '...'",
			factor->name, factor->level_count);
	if (factor->row->unavailable)
		return fail(reader, factor->line, "%s can't be used yet: %s", factor->name,
			factor->row->unavailable);
	for (size_t i = 0; i < factor->level_count; i++)
		for (size_t j = 0; j < i; j++)
			if (strcmp(factor->levels[i], factor->levels[j]) == 0)
				return fail(reader, factor->line, "%s has the value '%s' twice",
					factor->name, factor->levels[i]);
	return 0;
}

static int read_excludes(struct reader *reader, const struct factor *factor)
{
	struct study *study = reader->study;

	study->excludes =
		arena_new_array(&study->arena, factor->level_count, sizeof(*study->excludes));
	study->exclude_count = factor->level_count;
	for (size_t i = 0; i < factor->level_count; i++) {
		int r = assignments_split(factor->levels[i], factor->line, &study->arena,
			&study->excludes[i], reader->err);

		if (r < 0)
			return locate(reader, factor->line, r);
	}
	return 0;
}

static int store_factor(struct reader *reader, const struct factor *factor)
{
	struct study *study = reader->study;
	struct factor *old = find_factor(study, factor->name);
	int r = check_levels(reader, factor);

	if (r < 0)
		return r;
	if (strcmp(factor->name, "design.exclude") == 0)
		r = read_excludes(reader, factor);
	if (strcmp(factor->name, "design.baseline") == 0) {
		study->baseline = (struct arm){ 0 };
		r = assignments_split(factor->levels[0], factor->line, &study->arena,
			&study->baseline, reader->err);
		if (r < 0)
			locate(reader, factor->line, r);
	}
	if (r < 0)
		return r;
	if (old) {
		*old = *factor;
		return 0;
	}
	study->factors =
		grow(&study->arena, study->factors, study->factor_count, sizeof(*study->factors));
	study->factors[study->factor_count++] = *factor;
	return 0;
}

/* A factor from its section, key and value text. */
static int read_factor(struct reader *reader, const char *section, const char *key,
	const char *value, struct factor *ret_factor)
{
	struct study *study = reader->study;
	const struct setting *row = setting_find(study->catalog, section, key, NULL);
	int r;

	if (!row)
		return unknown_key(reader, reader->line, section, key);
	if (strcmp(row->key, "*") == 0 &&
		strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") !=
			strlen(key))
		return fail(reader, reader->line, "'%s' can't be the name of a setting", key);
	ret_factor->name = arena_format(&study->arena, "%s.%s", section, key);
	ret_factor->row = row;
	ret_factor->line = reader->line;
	/* A fixed text (the study's question, say) may hold commas without quotes. */
	if (row->type == SETTING_TEXT && row->use == SETTING_FIXED) {
		const char **levels = arena_new_array(&study->arena, 1, sizeof(*levels));
		size_t length = strlen(value);
		bool quoted = length >= 2 && value[0] == '\'' && value[length - 1] == '\'';

		levels[0] = quoted ? arena_copy_bytes(&study->arena, value + 1, length - 2)
				   : arena_copy_string(&study->arena, value);
		ret_factor->levels = levels;
		ret_factor->level_count = 1;
		return 0;
	}
	r = value_split(
		value, &study->arena, &ret_factor->levels, &ret_factor->level_count, reader->err);
	if (r < 0) {
		err_prefix(reader->err, r, "%s", ret_factor->name);
		return locate(reader, reader->line, r);
	}
	return 0;
}

static int read_key(struct reader *reader, const char *key, const char *value)
{
	struct factor factor = { 0 };
	const struct factor *old;
	int r = read_factor(reader, reader->section, key, value, &factor);

	if (r < 0)
		return r;
	old = find_factor(reader->study, factor.name);
	if (old)
		return fail(reader, reader->line, "%s is set already, at line %d", factor.name,
			old->line);
	return store_factor(reader, &factor);
}

/* "section.key = value" in [arm] and [small]. */
static int read_override(
	struct reader *reader, struct arm *arm, const char *name, const char *value)
{
	struct study *study = reader->study;
	const char *section, *key;
	struct override *override;

	if (name_split(study->catalog, name, &study->arena, &section, &key) < 0)
		return fail(reader, reader->line,
			"'%s' is no full name of a setting (section.key, e.g. "
			"filesystem.recordsize)",
			name);
	if (!setting_find(study->catalog, section, key, NULL))
		return unknown_key(reader, reader->line, section, key);
	for (size_t i = 0; i < arm->override_count; i++)
		if (strcmp(arm->overrides[i].name, name) == 0)
			return fail(reader, reader->line, "%s is set already, at line %d", name,
				arm->overrides[i].line);
	arm->overrides =
		grow(&study->arena, arm->overrides, arm->override_count, sizeof(*arm->overrides));
	override = &arm->overrides[arm->override_count++];
	override->name = arena_copy_string(&study->arena, name);
	override->text = arena_copy_string(&study->arena, value);
	override->line = reader->line;
	return 0;
}

static int read_arm_key(struct reader *reader, struct arm *arm, const char *name, const char *value)
{
	const char **levels;
	size_t count;
	int r = value_split(value, &reader->study->arena, &levels, &count, reader->err);

	if (r < 0)
		return locate(reader, reader->line, r);
	if (count != 1)
		return fail(
			reader, reader->line, "an arm gives one value to %s, not %zu", name, count);
	return read_override(reader, arm, name, levels[0]);
}

static int read_small_key(struct reader *reader, const char *name, const char *value)
{
	int r;

	if (strcmp(name, "arms") != 0)
		return read_override(reader, &reader->small, name, value);
	r = value_split(value, &reader->study->arena, &reader->small_arms, &reader->small_arm_count,
		reader->err);
	return r < 0 ? locate(reader, reader->line, r) : 0;
}

/* Cut a comment: ; or # at the start or after white space, outside quotes. */
static void cut_comment(char *line)
{
	bool quoted = false;

	for (char *at = line; *at; at++) {
		if (*at == '\'')
			quoted = !quoted;
		else if (!quoted && (*at == ';' || *at == '#') &&
			 (at == line || isspace((unsigned char)at[-1]))) {
			*at = '\0';
			return;
		}
	}
}

static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return text + strspn(text, " \t\r\f\v");
}

static int read_line(struct reader *reader, char *line)
{
	char *equals, *key, *value;

	cut_comment(line);
	line = trim(line);
	if (*line == '\0')
		return 0;
	if (*line == '[')
		return begin_section(reader, line);
	equals = strchr(line, '=');
	if (!equals || equals == line)
		return fail(
			reader, reader->line, "neither [section] nor key = value: '%.60s'", line);
	*equals = '\0';
	key = trim(line);
	value = trim(equals + 1);
	switch (reader->kind) {
	case SECTION_NONE:
		return fail(reader, reader->line, "'%s' stands before any [section]", key);
	case SECTION_ARM:
		return read_arm_key(
			reader, &reader->study->arms[reader->study->arm_count - 1], key, value);
	case SECTION_SMALL_ARM:
		return read_arm_key(
			reader, &reader->small_values[reader->small_value_count - 1], key, value);
	case SECTION_SMALL:
		return read_small_key(reader, key, value);
	default:
		return read_key(reader, key, value);
	}
}

static int read_lines(struct reader *reader, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		char *line;
		int r;

		reader->line++;
		if (length > STUDY_LINE_MAX)
			return fail(reader, reader->line, "line of %zu bytes; the limit is %d",
				length, STUDY_LINE_MAX);
		line = memory_copy_bytes(text, length);
		for (size_t i = 0; i < length; i++)
			if ((unsigned char)line[i] < ' ' && !isspace((unsigned char)line[i]))
				line[0] = '\1';
		r = line[0] == '\1' ? fail(reader, reader->line, "a control character")
				    : read_line(reader, line);
		free(line);
		if (r < 0)
			return r;
		text += length + (text[length] == '\n');
	}
	return 0;
}

static int keep_small_arms(struct reader *reader)
{
	struct study *study = reader->study;
	size_t kept = 0;

	for (size_t i = 0; i < reader->small_arm_count; i++) {
		size_t at = 0;

		while (at < study->arm_count &&
			strcmp(study->arms[at].label, reader->small_arms[i]) != 0)
			at++;
		if (at == study->arm_count)
			return fail(reader, reader->line,
				"[small] names an arm '%s' that is not there",
				reader->small_arms[i]);
	}
	for (size_t at = 0; at < study->arm_count; at++)
		for (size_t i = 0; i < reader->small_arm_count; i++)
			if (strcmp(study->arms[at].label, reader->small_arms[i]) == 0) {
				study->arms[kept++] = study->arms[at];
				break;
			}
	study->arm_count = kept;
	return 0;
}

/* Put one value of [small ARM] in place of the arm's own, or beside it. */
static void replace_in_arm(struct arena *arena, struct arm *arm, const struct override *override)
{
	for (size_t i = 0; i < arm->override_count; i++)
		if (strcmp(arm->overrides[i].name, override->name) == 0) {
			arm->overrides[i] = *override;
			return;
		}
	arm->overrides = grow(arena, arm->overrides, arm->override_count, sizeof(*arm->overrides));
	arm->overrides[arm->override_count++] = *override;
}

static int apply_small_values(struct reader *reader)
{
	struct study *study = reader->study;

	for (size_t i = 0; i < reader->small_value_count; i++) {
		const struct arm *values = &reader->small_values[i];
		size_t at = 0;

		while (at < study->arm_count && strcmp(study->arms[at].label, values->label) != 0)
			at++;
		if (at == study->arm_count)
			return fail(reader, values->line, "[small %s]: no such arm", values->label);
		for (size_t k = 0; k < values->override_count; k++)
			replace_in_arm(&study->arena, &study->arms[at], &values->overrides[k]);
	}
	return 0;
}

/* Put [small]'s values in place of the file's. */
static int apply_small(struct reader *reader)
{
	struct study *study = reader->study;

	if (!reader->has_small)
		return err_set(reader->err, -EINVAL,
			"%s: has no [small] section: there is no small "
			"form of this study",
			study->path);
	for (size_t i = 0; i < reader->small.override_count; i++) {
		const struct override *override = &reader->small.overrides[i];
		const char *section = NULL, *key = NULL;
		struct factor factor = { 0 };
		int r;

		reader->line = override->line;
		name_split(study->catalog, override->name, &study->arena, &section, &key);
		r = read_factor(reader, section, key, override->text, &factor);
		if (r == 0)
			r = store_factor(reader, &factor);
		if (r < 0)
			return r;
	}
	study->small = true;
	if (apply_small_values(reader) < 0)
		return -EINVAL;
	return reader->small_arm_count ? keep_small_arms(reader) : 0;
}

static int apply_override(struct reader *reader, const struct override *override)
{
	struct study *study = reader->study;
	const char *section = NULL, *key = NULL;
	struct factor factor = { 0 };
	int r;

	reader->line = 0;
	name_split(study->catalog, override->name, &study->arena, &section, &key);
	r = read_factor(reader, section, key, override->text, &factor);
	if (r == 0)
		r = store_factor(reader, &factor);
	if (r == 0 && strcmp(override->name, "design.seed") != 0)
		study->text = arena_format(&study->arena, "%s\n; given beside the file: %s = %s\n",
			study->text, override->name, override->text);
	return r;
}

static int require(struct reader *reader, const char *name)
{
	const char *dot = strchr(name, '.');

	for (size_t i = 0; i < reader->study->arm_count; i++)
		for (size_t j = 0; j < reader->study->arms[i].override_count; j++)
			if (strcmp(reader->study->arms[i].overrides[j].name, name) == 0)
				return 0;
	if (find_factor(reader->study, name))
		return 0;
	return err_set(reader->err, -EINVAL, "%s: [%.*s] %s is missing", reader->study->path,
		(int)(dot - name), name, dot + 1);
}

/* Fixed values that study_text() and its kin give must be right before anybody asks. */
static int check_fixed(struct reader *reader)
{
	struct study *study = reader->study;

	for (size_t i = 0; i < study->factor_count; i++) {
		struct factor *factor = &study->factors[i];
		int r;

		if (factor->row->use != SETTING_FIXED)
			continue;
		r = setting_canonical(factor->row, factor->levels[0], &study->arena,
			&factor->levels[0], reader->err);
		if (r < 0)
			return locate(reader, factor->line, r);
	}
	return 0;
}

int study_parse(
	struct study *study, const struct study_options *options, const char *text, struct err *err)
{
	struct reader reader = { .study = study, .err = err };
	int r;

	*study = (struct study){ .catalog = options->catalog };
	study->path = arena_copy_string(&study->arena, options->path);
	study->text = arena_copy_string(&study->arena, text);
	r = read_lines(&reader, study->text);
	if (r == 0 && options->small)
		r = apply_small(&reader);
	for (size_t i = 0; r == 0 && i < options->override_count; i++)
		r = apply_override(&reader, &options->overrides[i]);
	if (r == 0)
		r = require(&reader, "study.name");
	if (r == 0)
		r = require(&reader, "filesystem.type");
	if (r == 0)
		r = check_fixed(&reader);
	if (r < 0) {
		study_release(study);
		return r;
	}
	study->name = study_text(study, "study.name");
	study->question = study_text(study, "study.question");
	return 0;
}

int study_load(struct study *study, const struct study_options *options, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int r = file_read_limited(options->path, STUDY_FILE_MAX, &text, err);

	if (r == 0 && strlen(text.data) != text.length)
		r = err_set(err, -EINVAL, "%s: holds a NUL byte: not a study file", options->path);
	if (r == 0)
		r = study_parse(study, options, text.data, err);
	strbuf_release(&text);
	return r;
}

void study_release(struct study *study)
{
	arena_release(&study->arena);
	*study = (struct study){ 0 };
}
