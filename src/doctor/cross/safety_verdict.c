/* The verdict is made of facts alone; reasons are collected as it is made. */
#include "doctor/cross/safety_verdict.h"
#include "doctor/expression.h"
#include "doctor/facts.h"
#include "base/macros.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct chain {
	struct scope scope;
	json_t *because, *missing;
	bool torn;    /* a link that lets a page tear */
	bool unknown; /* a link that decides was not seen */
};

static void because(struct chain *chain, const char *text)
{
	json_array_append_new(chain->because, json_string(text));
}

static void need(struct chain *chain, const char *name)
{
	chain->unknown = true;
	json_array_append_new(chain->missing, json_string(name));
}

static const char *text_of(const struct chain *chain, const char *name)
{
	const json_t *value = scope_find(&chain->scope, name);

	return json_is_string(value) ? json_string_value(value) : NULL;
}

static double number_of(const struct chain *chain, const char *name, double fallback)
{
	const json_t *value = scope_find(&chain->scope, name);

	return json_is_number(value) ? json_number_value(value) : fallback;
}

static bool is(const struct chain *chain, const char *name, const char *word)
{
	const char *text = text_of(chain, name);

	return text && strcmp(text, word) == 0;
}

/* Do flushes reach the medium? Without them order is lost, and nothing below helps. */
static void flush_links(struct chain *chain)
{
	if (is(chain, "setting.fsync", "off")) {
		chain->torn = true;
		because(chain, "fsync = off: nothing is flushed in order");
	} else if (!text_of(chain, "setting.fsync")) {
		need(chain, "setting.fsync");
	}
	if (json_is_true(scope_find(&chain->scope, "mount.barrier_off"))) {
		chain->torn = true;
		because(chain, "mounted without barriers: the disk's cache is not flushed");
	}
	if (is(chain, "location.engine", "kernel")) {
		double data = number_of(chain, "zfs.parameter.zfs_nocacheflush", -1);
		double log = number_of(chain, "zfs.parameter.zil_nocacheflush", -1);
		if (data > 0 || log > 0) {
			chain->torn = true;
			because(chain, "ZFS does not flush disk caches");
		} else if (data < 0 || log < 0) {
			need(chain, data < 0 ? "zfs.parameter.zfs_nocacheflush"
					     : "zfs.parameter.zil_nocacheflush");
		}
	}
	if (json_is_true(scope_find(&chain->scope, "device.cache_volatile")) &&
		is(chain, "device.write_cache", "write through")) {
		chain->torn = true;
		because(chain, "the disk's cache is volatile and the kernel does not flush it");
	}
	if (number_of(chain, "layout.sync_disabled_count", 0) > 0 &&
		number_of(chain, "layout.sync_enabled_count", 0) > 0) {
		chain->torn = true;
		because(chain, "only some datasets have sync=disabled: data and WAL go back to "
			       "different instants");
	}
}

/* full_page_writes is off: what else keeps a page whole? */
static void zfs_links(struct chain *chain)
{
	double page = number_of(chain, "postgres.block_size", -1);
	double record = number_of(chain, "files.record_bytes_min", -1);
	double version = number_of(chain, "zfs.version", -1);
	double log_block = number_of(chain, "zfs.parameter.zil_maxblocksize", 131072);

	if (page < 0) {
		need(chain, "postgres.block_size");
		return;
	}
	if (page > 8192 && version < 0)
		need(chain, "zfs.version");
	if (page >= 32768 || (page >= 16384 && version >= 20200)) {
		chain->torn = true;
		because(chain, "the intent log may cut a page of this size in two");
	}
	if (log_block < 131072) {
		chain->torn = true;
		because(chain, "small log blocks cut pages often (zil_maxblocksize)");
	}
	if (record > 0 && record < page) {
		chain->torn = true;
		because(chain, "a page spans several records");
	}
	if (record < 0)
		because(chain, "record sizes of the files not seen; new or small files only, or no "
			       "permission");
	if (!chain->torn)
		because(chain, "copy-on-write writes a record whole; a narrow window in the intent "
			       "log is read in the code and not tested here (plumb torture)");
}

static void page_links(struct chain *chain)
{
	const char *full_pages = text_of(chain, "setting.full_page_writes");
	const json_t *cow = scope_find(&chain->scope, "location.cow");

	if (!full_pages) {
		need(chain, "setting.full_page_writes");
	} else if (strcmp(full_pages, "on") == 0) {
		because(chain, "full_page_writes = on: recovery puts torn pages right");
	} else if (!json_is_boolean(cow)) {
		need(chain, "location.cow");
	} else if (json_is_false(cow)) {
		chain->torn = true;
		because(chain, "full_page_writes = off on a filesystem that writes in place");
	} else if (json_is_true(scope_find(&chain->scope, "location.zfs"))) {
		zfs_links(chain);
	} else {
		because(chain, "btrfs copies on write, but promises nothing about a page");
	}
}

/* The torture run that was made on a stack like this one; NULL if none fits. */
static const json_t *fitting_run(const struct chain *chain, const struct view *view)
{
	static const char *const texts[][2] = { { "class", "location.class" },
		{ "full_page_writes", "setting.full_page_writes" } };
	static const char *const numbers[][2] = { { "block_size", "postgres.block_size" },
		{ "record_bytes", "files.record_bytes_main" }, { "zfs_version", "zfs.version" } };
	size_t i;
	json_t *run;

	json_array_foreach(facts_at(view->facts, "torture"), i, run)
	{
		bool fits = true;
		for (size_t t = 0; t < ARRAY_SIZE(texts); t++)
			fits = fits && is(chain, texts[t][1], facts_text(run, texts[t][0], "?"));
		for (size_t n = 0; n < ARRAY_SIZE(numbers); n++)
			fits = fits && (!facts_at(run, numbers[n][0]) ||
					       number_of(chain, numbers[n][1], -1) ==
						       facts_number(run, numbers[n][0], -2));
		if (fits)
			return run;
	}
	return NULL;
}

static void put_verdict(json_t *entry, struct chain *chain, const struct view *view)
{
	const json_t *run = fitting_run(chain, view);
	const char *found = facts_text(run, "verdict", "");
	char text[128];

	snprintf(text, sizeof(text), "%s",
		chain->torn	 ? SAFETY_POSSIBLE
		: chain->unknown ? SAFETY_UNKNOWN
				 : SAFETY_NOT_SHOWN);
	if (strcmp(found, "torn") == 0) {
		snprintf(text, sizeof(text), "%s (torture run %.0f found one)", SAFETY_POSSIBLE,
			facts_number(run, "run", 0));
	} else if (strcmp(found, "safe") == 0 && !chain->torn && !chain->unknown) {
		snprintf(text, sizeof(text), "%s %.0f", SAFETY_SHOWN, facts_number(run, "run", 0));
	}
	facts_put_text(entry, "verdict", text);
}

static void put_commits(json_t *entry, const struct chain *chain)
{
	const char *commit = text_of(chain, "setting.synchronous_commit");

	if (is(chain, "setting.fsync", "off"))
		facts_put_text(entry, "commits", "can be lost: fsync = off");
	else if (is(chain, "dataset.sync", "disabled") ||
		 number_of(chain, "layout.sync_disabled_count", 0) > 0)
		facts_put_text(entry, "commits", "can be lost: sync=disabled");
	else if (!commit)
		facts_put_text(entry, "commits", SAFETY_UNKNOWN);
	else if (strcmp(commit, "off") == 0)
		facts_put_text(entry, "commits",
			"the last ones can be lost, never consistency: synchronous_commit = off");
	else if (chain->torn && !is(chain, "setting.full_page_writes", "off"))
		facts_put_text(entry, "commits", "can be lost: flushes do not hold");
	else
		facts_put_text(entry, "commits", "kept, if the disk keeps what it says it flushed");
}

json_t *safety_verdicts(const struct view *view)
{
	json_t *verdicts = json_array();
	size_t i;
	json_t *subject;

	json_array_foreach(view->locations, i, subject)
	{
		struct chain chain = { .scope = { .subject = subject, .root = view->root },
			.because = json_array(),
			.missing = json_array() };
		json_t *entry = json_object();

		if (is(&chain, "location.role", "wal")) {
			json_decref(chain.because);
			json_decref(chain.missing);
			json_decref(entry);
			continue;
		}
		if (!text_of(&chain, "location.class"))
			need(&chain, "location.class");
		flush_links(&chain);
		page_links(&chain);
		facts_put_text(entry, "location", facts_text(subject, "location.name", "?"));
		facts_put_text(entry, "class", facts_text(subject, "location.class", NULL));
		put_verdict(entry, &chain, view);
		put_commits(entry, &chain);
		facts_put(entry, "because", chain.because);
		facts_put(entry, "missing", chain.missing);
		json_array_append_new(verdicts, entry);
	}
	return verdicts;
}
