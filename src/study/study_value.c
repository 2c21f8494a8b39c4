/* Values that are fixed for a whole study: as given, or the row's fallback (see study.h). */
#include "study/study.h"

#include <string.h>

const char *study_text(const struct study *study, const char *name)
{
	const char *dot = strrchr(name, '.');
	char section[64];
	const struct setting *row;

	for (size_t i = 0; i < study->factor_count; i++)
		if (strcmp(study->factors[i].name, name) == 0)
			return study->factors[i].levels[0];
	if (!dot || (size_t)(dot - name) >= sizeof(section))
		return NULL;
	memcpy(section, name, (size_t)(dot - name));
	section[dot - name] = '\0';
	row = setting_find(study->catalog, section, dot + 1, NULL);
	return row ? row->fallback : NULL;
}

int64_t study_integer(const struct study *study, const char *name)
{
	const char *text = study_text(study, name);
	int64_t value = 0;

	if (text)
		integer_parse(text, &value);
	return value;
}

int64_t study_duration(const struct study *study, const char *name)
{
	const char *text = study_text(study, name);
	int64_t ns = 0;

	if (text)
		duration_parse(text, &ns);
	return ns;
}

double study_percent(const struct study *study, const char *name)
{
	const char *text = study_text(study, name);
	double fraction = 0;

	if (text)
		percent_parse(text, &fraction);
	return fraction;
}

bool study_boolean(const struct study *study, const char *name)
{
	const char *text = study_text(study, name);
	bool value = false;

	if (text)
		boolean_parse(text, &value);
	return value;
}
