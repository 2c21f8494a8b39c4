/* Looking up rows, checking values against them (see setting.h). */
#include "setting/setting.h"

#include "base/near.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Is word one of the space-separated words? */
static bool word_in(const char *words, const char *word)
{
	size_t length = strlen(word);

	while (*words) {
		size_t span = strcspn(words, " ");

		if (span == length && strncmp(words, word, length) == 0)
			return true;
		words += span;
		words += strspn(words, " ");
	}
	return false;
}

/* Is this the row's section? "device.*" stands for every device.NAME without rows of its own. */
static bool section_matches(const char *pattern, const char *section)
{
	size_t length = strlen(pattern);

	if (length > 2 && strcmp(pattern + length - 2, ".*") == 0)
		return strncmp(pattern, section, length - 1) == 0 && section[length - 1] != '\0';
	return strcmp(pattern, section) == 0;
}

static bool section_has_rows(const struct setting_catalog *catalog, const char *section)
{
	for (size_t t = 0; catalog->tables[t]; t++)
		for (const struct setting *row = catalog->tables[t]; row->key; row++)
			if (strcmp(row->section, section) == 0)
				return true;
	return false;
}

const struct setting *setting_find(const struct setting_catalog *catalog, const char *section,
	const char *key, const char *type)
{
	const struct setting *any_key = NULL;
	bool has_rows = section_has_rows(catalog, section);

	for (size_t t = 0; catalog->tables[t]; t++)
		for (const struct setting *row = catalog->tables[t]; row->key; row++) {
			if (has_rows ? strcmp(row->section, section) != 0
				     : !section_matches(row->section, section))
				continue;
			if (type && row->types && !word_in(row->types, type))
				continue;
			if (strcmp(row->key, key) == 0)
				return row;
			if (strcmp(row->key, "*") == 0)
				any_key = row;
		}
	return any_key;
}

bool setting_section_exists(const struct setting_catalog *catalog, const char *section)
{
	for (size_t t = 0; catalog->tables[t]; t++)
		for (const struct setting *row = catalog->tables[t]; row->key; row++)
			if (section_matches(row->section, section))
				return true;
	return false;
}

const char *setting_near_key(
	const struct setting_catalog *catalog, const char *section, const char *key)
{
	const char *best = NULL;

	for (size_t t = 0; catalog->tables[t]; t++)
		for (const struct setting *row = catalog->tables[t]; row->key; row++)
			if (section_matches(row->section, section) && strcmp(row->key, "*") != 0)
				best = near_better(key, best, row->key);
	return best;
}

const char *setting_near_section(const struct setting_catalog *catalog, const char *section)
{
	const char *best = NULL;

	for (size_t t = 0; catalog->tables[t]; t++)
		for (const struct setting *row = catalog->tables[t]; row->key; row++)
			best = near_better(section, best, row->section);
	return best;
}

static int check_bounds(
	const struct setting *setting, int64_t value, const char *text, struct err *err)
{
	struct strbuf low = STRBUF_INIT, high = STRBUF_INIT;
	int r;

	if ((setting->min == 0 && setting->max == 0) ||
		(value >= setting->min && value <= setting->max))
		return 0;
	if (setting->type == SETTING_SIZE) {
		size_format((uint64_t)setting->min, &low);
		size_format((uint64_t)setting->max, &high);
	} else if (setting->type == SETTING_DURATION) {
		duration_format(setting->min, &low);
		duration_format(setting->max, &high);
	} else {
		strbuf_add_format(&low, "%lld", (long long)setting->min);
		strbuf_add_format(&high, "%lld", (long long)setting->max);
	}
	r = err_set(err, -ERANGE, "%s.%s = '%s': must be from %s to %s", setting->section,
		setting->key, text, low.data, high.data);
	strbuf_release(&low);
	strbuf_release(&high);
	return r;
}

static const char *const type_hints[] = {
	[SETTING_SIZE] = "a size such as 8K, 32MB or 48G",
	[SETTING_DURATION] = "a time such as 250us, 5ms, 30s, 15min or 2h",
	[SETTING_INTEGER] = "a whole number",
	[SETTING_REAL] = "a number",
	[SETTING_PERCENT] = "a percentage such as 2%",
	[SETTING_BOOLEAN] = "on or off",
	[SETTING_WORD] = "one of the known words",
	[SETTING_TEXT] = "text",
};

static int wrong_type(const struct setting *setting, const char *text, struct err *err)
{
	return err_set(err, -EINVAL, "%s.%s = '%s': must be %s", setting->section, setting->key,
		text, type_hints[setting->type]);
}

/* "zstd-N:1:19" in words allows zstd-1 to zstd-19. */
static bool numbered_word(const char *pattern, size_t span, const char *text)
{
	const char *colon = memchr(pattern, ':', span);
	size_t stem;
	int64_t number, low, high;
	char *end;

	if (!colon || colon == pattern || colon[-1] != 'N')
		return false;
	stem = (size_t)(colon - pattern) - 1;
	low = strtoll(colon + 1, &end, 10);
	high = strtoll(end + 1, NULL, 10);
	return strncmp(pattern, text, stem) == 0 && integer_parse(text + stem, &number) == 0 &&
	       number >= low && number <= high;
}

static int check_word(
	const struct setting *setting, const char *text, struct arena *arena, struct err *err)
{
	const char *best = NULL;

	for (const char *words = setting->words; *words; words += strspn(words, " ")) {
		size_t span = strcspn(words, " ");

		if ((strlen(text) == span && strncmp(words, text, span) == 0) ||
			numbered_word(words, span, text))
			return 0;
		if (!memchr(words, ':', span))
			best = near_better(text, best, arena_copy_bytes(arena, words, span));
		words += span;
	}
	err_set(err, -EINVAL, "%s.%s = '%s': must be one of: %s", setting->section, setting->key,
		text, setting->words);
	if (best)
		err_hint(err, -EINVAL, "did you mean '%s'?", best);
	return -EINVAL;
}

static int canonical_size(
	const struct setting *setting, const char *text, struct strbuf *canonical, struct err *err)
{
	uint64_t bytes;
	int r = size_parse(text, &bytes);

	if (r < 0)
		return wrong_type(setting, text, err);
	if (setting->power_of_two && (bytes == 0 || (bytes & (bytes - 1))))
		return err_set(err, -EINVAL, "%s.%s = '%s': must be a power of two",
			setting->section, setting->key, text);
	size_format(bytes, canonical);
	return check_bounds(setting, (int64_t)bytes, text, err);
}

static int canonical_number(
	const struct setting *setting, const char *text, struct strbuf *canonical, struct err *err)
{
	int64_t whole = 0;
	double real = 0;
	int r;

	if (setting->type == SETTING_DURATION)
		r = duration_parse(text, &whole);
	else if (setting->type == SETTING_INTEGER)
		r = integer_parse(text, &whole);
	else if (setting->type == SETTING_PERCENT)
		r = percent_parse(text, &real);
	else
		r = real_parse(text, &real);
	if (r < 0)
		return wrong_type(setting, text, err);
	if (setting->type == SETTING_DURATION)
		duration_format(whole, canonical);
	else if (setting->type == SETTING_INTEGER)
		strbuf_add_format(canonical, "%lld", (long long)whole);
	else
		strbuf_add_format(canonical, setting->type == SETTING_PERCENT ? "%.10g%%" : "%.10g",
			setting->type == SETTING_PERCENT ? real * 100 : real);
	if (setting->type == SETTING_PERCENT)
		real *= 100;
	if (setting->type == SETTING_REAL || setting->type == SETTING_PERCENT) {
		if (setting->min != setting->max &&
			(real < (double)setting->min || real > (double)setting->max))
			return check_bounds(setting,
				real < (double)setting->min ? setting->min - 1 : setting->max + 1,
				text, err);
		return 0;
	}
	return check_bounds(setting, whole, text, err);
}

int setting_canonical(const struct setting *setting, const char *text, struct arena *arena,
	const char **ret_canonical, struct err *err)
{
	struct strbuf canonical = STRBUF_INIT;
	bool value;
	int r = 0;

	if (setting->unavailable)
		return err_set(err, -ENOTSUP, "%s.%s: %s", setting->section, setting->key,
			setting->unavailable);
	switch (setting->type) {
	case SETTING_SIZE:
		r = canonical_size(setting, text, &canonical, err);
		break;
	case SETTING_BOOLEAN:
		r = boolean_parse(text, &value);
		if (r < 0)
			wrong_type(setting, text, err);
		else
			strbuf_add_text(&canonical, value ? "on" : "off");
		break;
	case SETTING_WORD:
		r = check_word(setting, text, arena, err);
		strbuf_add_text(&canonical, text);
		break;
	case SETTING_TEXT:
		strbuf_add_text(&canonical, text);
		break;
	default:
		r = canonical_number(setting, text, &canonical, err);
	}
	if (r == 0 && setting->check)
		r = setting->check(setting, canonical.data, err);
	if (r == 0)
		*ret_canonical = arena_copy_string(arena, canonical.data);
	strbuf_release(&canonical);
	return r;
}
