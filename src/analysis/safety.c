/* Safety classes from settings (see safety.h). One row a switch: to add one, add a row. */
#include "analysis/safety.h"

#include "base/macros.h"

#include <stdbool.h>
#include <string.h>

static const char *const words[] = {
	[SAFETY_DURABLE] = "durable",
	[SAFETY_LOSES] = "may lose the last commits",
	[SAFETY_CORRUPTS] = "may corrupt data",
};

const char *safety_word(enum safety safety)
{
	return words[safety];
}

struct rule {
	const char *name;
	const char *value;
	enum safety safety;
	const char *reason;
};

static const struct rule rules[] = {
	{ "postgresql.conf.fsync", "off", SAFETY_CORRUPTS,
		"fsync = off: nothing is forced to disk in order" },
	{ "postgresql.conf.synchronous_commit", "off", SAFETY_LOSES,
		"synchronous_commit = off: a commit is answered before it is on disk" },
	{ "filesystem.barrier", "off", SAFETY_CORRUPTS,
		"barrier = off: the journal is not ordered through the disk's cache" },
	{ "filesystem.data", "writeback", SAFETY_LOSES,
		"data = writeback: file data may be older than the journal says" },
	{ "filesystem.sync", "disabled", SAFETY_LOSES,
		"sync = disabled: ZFS answers fsync before the data are on disk" },
};

/* PostgreSQL's own words for off. */
static bool is_off(const char *text)
{
	static const char *const off[] = { "off", "false", "no", "0" };

	for (size_t i = 0; i < ARRAY_SIZE(off); i++)
		if (strcmp(text, off[i]) == 0)
			return true;
	return false;
}

static bool holds(const struct settings *settings, const struct rule *rule)
{
	const char *text = settings_text(settings, rule->name, "");

	return strcmp(text, rule->value) == 0 || (strcmp(rule->value, "off") == 0 && is_off(text));
}

/* Full-page writes repair pages torn by a power cut. Copy-on-write filesystems do not tear a page
 * that fits into one of their records. */
static bool may_tear(const struct settings *settings)
{
	const char *type = settings_text(settings, "filesystem.type", "");
	uint64_t page = settings_size(settings, "postgres.block_size", 8192);
	uint64_t record = settings_size(settings, "filesystem.recordsize", 128 << 10);

	if (!is_off(settings_text(settings, "postgresql.conf.full_page_writes", "on")))
		return false;
	return strncmp(type, "zfs", 3) != 0 || record < page;
}

enum safety safety_of(const struct settings *settings, struct arena *arena, const char **ret_reason)
{
	enum safety worst = SAFETY_DURABLE;

	*ret_reason = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		if (rules[i].safety > worst && holds(settings, &rules[i])) {
			worst = rules[i].safety;
			*ret_reason = arena_copy_string(arena, rules[i].reason);
		}
	}
	if (worst < SAFETY_CORRUPTS && may_tear(settings)) {
		worst = SAFETY_CORRUPTS;
		*ret_reason = arena_copy_string(arena, "full_page_writes = off on a filesystem "
						       "that may tear a page in a power cut");
	}
	return worst;
}
