/* Compares a study with the one that a store remembers (see study_change.h). Apart from the drivers
 * because both must refuse with the same words. */
#include "store/study_change.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Length of the line at text, and the start of the next. */
static size_t line_length(const char *text)
{
	return strcspn(text, "\n");
}

static const char *next_line(const char *text)
{
	text += line_length(text);
	return *text ? text + 1 : text;
}

static int say_first_difference(const char *kept, const char *given, struct err *err)
{
	size_t line = 1;

	while (*kept || *given) {
		size_t length_kept = line_length(kept), length_given = line_length(given);

		if (length_kept != length_given || strncmp(kept, given, length_kept) != 0)
			return err_set(err, -ESTALE,
				"the study changed since its first trial: line %zu was '%.*s', now "
				"'%.*s'",
				line, (int)MIN(length_kept, (size_t)200), kept,
				(int)MIN(length_given, (size_t)200), given);
		kept = next_line(kept);
		given = next_line(given);
		line++;
	}
	return 0;
}

int study_change_check(
	const struct store_study *kept, const struct store_study *given, struct err *err)
{
	int r = say_first_difference(kept->text, given->text, err);

	if (r == 0 && kept->small != given->small)
		r = err_set(err, -ESTALE, "the study was begun %s --small",
			kept->small ? "with" : "without");
	if (r == 0 && kept->seed != given->seed)
		r = err_set(err, -ESTALE, "the study was begun with seed %" PRIu64 ", not %" PRIu64,
			kept->seed, given->seed);
	if (r == 0)
		return 0;
	return err_hint(err, r,
		"its trials can't be mixed: change it back, give it another [study] name, or use "
		"another --results folder");
}
