/* The groups of rules, and the words for their fields. */
#include "doctor/check_list.h"
#include <stddef.h>
#include <strings.h>

const struct check_group check_groups[CHECK_GROUP_COUNT] = {
	{ "Durability and crash safety", durability_checks },
	{ "Layout and write volume", layout_checks },
	{ "WAL, sync path, checkpoints", wal_checks },
	{ "Memory", memory_checks },
	{ "Read path, asynchronous I/O, versions", io_checks },
};

const struct check *check_find(const char *id)
{
	for (size_t g = 0; g < CHECK_GROUP_COUNT; g++)
		for (const struct check *check = check_groups[g].checks; check->id; check++)
			if (strcasecmp(check->id, id) == 0)
				return check;
	return NULL;
}

const char *severity_word(enum severity severity)
{
	static const char *const words[] = { "hint", "cost", "danger" };

	return words[severity];
}

const char *check_scope_word(enum check_scope scope)
{
	static const char *const words[] = { "cluster", "location", "pool", "device" };

	return words[scope];
}

const char *grade_words(char grade)
{
	switch (grade) {
	case 'A':
		return "official manual or published numbers";
	case 'B':
		return "several field reports";
	case 'C':
		return "one report, or read in the source";
	default:
		return "folklore: not confirmed";
	}
}
