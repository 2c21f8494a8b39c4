/* A set of values by full name, kept sorted (see setting.h). */
#include "setting/setting.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void settings_release(struct settings *settings)
{
	free(settings->values);
	*settings = (struct settings){ 0 };
}

/* Index of the first value whose name is not below name. */
static size_t position(const struct settings *settings, const char *name)
{
	size_t low = 0, high = settings->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (strcmp(settings->values[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void settings_set(struct settings *settings, const struct setting_value *value)
{
	size_t at = position(settings, value->name);

	if (at < settings->count && strcmp(settings->values[at].name, value->name) == 0) {
		settings->values[at] = *value;
		return;
	}
	if (settings->count == settings->size) {
		settings->size = settings->size ? settings->size * 2 : 32;
		settings->values =
			memory_resize(settings->values, settings->size, sizeof(*settings->values));
	}
	memmove(settings->values + at + 1, settings->values + at,
		(settings->count - at) * sizeof(*settings->values));
	settings->values[at] = *value;
	settings->count++;
}

void settings_copy(struct settings *to, const struct settings *from)
{
	to->values = memory_new_array(from->count, sizeof(*from->values));
	if (from->count)
		memcpy(to->values, from->values, from->count * sizeof(*from->values));
	to->count = from->count;
	to->size = MAX(from->count, (size_t)1);
}

const struct setting_value *settings_find(const struct settings *settings, const char *name)
{
	size_t at = position(settings, name);

	if (at < settings->count && strcmp(settings->values[at].name, name) == 0)
		return &settings->values[at];
	return NULL;
}

const char *settings_text(const struct settings *settings, const char *name, const char *fallback)
{
	const struct setting_value *value = settings_find(settings, name);

	return value ? value->text : fallback;
}

uint64_t settings_size(const struct settings *settings, const char *name, uint64_t fallback)
{
	const char *text = settings_text(settings, name, NULL);
	uint64_t bytes;

	return text && size_parse(text, &bytes) == 0 ? bytes : fallback;
}

int64_t settings_duration(const struct settings *settings, const char *name, int64_t fallback_ns)
{
	const char *text = settings_text(settings, name, NULL);
	int64_t ns;

	return text && duration_parse(text, &ns) == 0 ? ns : fallback_ns;
}

int64_t settings_integer(const struct settings *settings, const char *name, int64_t fallback)
{
	const char *text = settings_text(settings, name, NULL);
	int64_t value;

	return text && integer_parse(text, &value) == 0 ? value : fallback;
}

double settings_real(const struct settings *settings, const char *name, double fallback)
{
	const char *text = settings_text(settings, name, NULL);
	double value;

	return text && real_parse(text, &value) == 0 ? value : fallback;
}

double settings_percent(const struct settings *settings, const char *name, double fallback)
{
	const char *text = settings_text(settings, name, NULL);
	double value;

	return text && percent_parse(text, &value) == 0 ? value : fallback;
}

bool settings_boolean(const struct settings *settings, const char *name, bool fallback)
{
	const char *text = settings_text(settings, name, NULL);
	bool value;

	return text && boolean_parse(text, &value) == 0 ? value : fallback;
}
