/* Counters and small files (see counters.h). */
#include "probe/counters.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>

void counter_add(json_t *counters, const char *name, double value)
{
	json_object_set_new(counters, name, json_real(counter_get(counters, name) + value));
}

double counter_get(const json_t *counters, const char *name)
{
	return json_number_value(json_object_get(counters, name));
}

bool counter_has(const json_t *counters, const char *name)
{
	return json_object_get(counters, name) != NULL;
}

double counter_difference(const json_t *before, const json_t *after, const char *name)
{
	double difference = counter_get(after, name) - counter_get(before, name);

	return difference < 0 ? counter_get(after, name) : difference;
}

void counter_record(const json_t *before, const json_t *after, const char *phase,
	const char *source, struct trial_record *record)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)after, name, value) if (counter_has(before, name))
		trial_record_sample(
			record, &(struct sample){ name, phase, source,
					counter_difference(before, after, name), SAMPLE_WHOLE });
}

double line_number(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, length) == 0 && strchr(": \t", line[length]))
			return strtod(line + length + strspn(line + length, ": \t"), NULL);
	}
	return -1;
}

void read_small(const char *path, struct strbuf *text)
{
	strbuf_clear(text);
	if (file_read_limited(path, 1 << 20, text, NULL) < 0)
		strbuf_clear(text);
}
