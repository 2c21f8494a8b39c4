/* Rows of what was asked for beside what is there. */
#include "doctor/cross/asked_real.h"
#include "doctor/facts.h"
#include "doctor/template.h"
#include "base/strbuf.h"
#include <math.h>
#include <string.h>

static void add_row(
	json_t *rows, const char *what, const char *asked, const char *real, bool differs)
{
	json_t *row = json_object();

	facts_put_text(row, "what", what);
	facts_put_text(row, "asked", asked);
	facts_put_text(row, "real", real);
	facts_put_bool(row, "differs", differs);
	json_array_append_new(rows, row);
}

/* recordsize property against the histogram of record sizes. */
static void add_records(json_t *rows, const json_t *subject)
{
	double asked = facts_number(subject, "dataset.recordsize", 0);
	struct strbuf what = STRBUF_INIT, want = STRBUF_INIT, real = STRBUF_INIT;
	size_t i;
	json_t *size;

	json_array_foreach(facts_at(subject, "files.record_sizes"), i, size)
	{
		if (i == 8)
			strbuf_add_text(&real, ", ...");
		if (i >= 8)
			break;
		strbuf_add_format(&real, "%s", i > 0 ? ", " : "");
		template_add_bytes(&real, facts_number(size, "record_bytes", 0));
		strbuf_add_text(&real, " in ");
		template_add_bytes(&real, facts_number(size, "bytes", 0));
		strbuf_add_format(&real, " of %.0f files", facts_number(size, "files", 0));
	}
	if (asked > 0 && real.length > 0) {
		strbuf_add_format(
			&what, "records of %s", facts_text(subject, "location.name", "?"));
		template_add_bytes(&want, asked);
		add_row(rows, what.data, want.data, real.data,
			facts_number(subject, "files.record_mismatch_share", 0) > 0.05);
	}
	strbuf_release(&what);
	strbuf_release(&want);
	strbuf_release(&real);
}

/* Compression property against blocks that the files take. */
static void add_compression(json_t *rows, const json_t *subject)
{
	const char *asked = facts_text(subject, "dataset.compression", NULL);
	double bytes = facts_number(subject, "files.bytes", 0);
	double allocated = facts_number(subject, "files.allocated_bytes", 0);
	struct strbuf what = STRBUF_INIT, real = STRBUF_INIT;

	if (asked && bytes > 1048576 && allocated > 0) {
		double ratio = bytes / allocated;
		strbuf_add_format(
			&what, "compression of %s", facts_text(subject, "location.name", "?"));
		strbuf_add_format(&real, "files take %.2f of their length", 1 / ratio);
		/* Asked for and nothing saved, or not asked for and still smaller. */
		add_row(rows, what.data, asked, real.data,
			strcmp(asked, "off") != 0 ? ratio < 1.05 : ratio > 1.3);
	}
	strbuf_release(&what);
	strbuf_release(&real);
}

/* Settings that a file asks for and that wait for a restart. */
static void add_pending(json_t *rows, const json_t *settings)
{
	const char *name;
	json_t *entry;

	json_object_foreach(
		(json_t *)settings, name, entry) if (facts_bool(entry, "pending_restart", false))
		add_row(rows, name, "changed in a file", facts_text(entry, "value", "?"), true);
}

json_t *asked_real(const struct view *view)
{
	json_t *rows = json_array();
	size_t i;
	json_t *subject;

	json_array_foreach(view->locations, i, subject)
	{
		add_records(rows, subject);
		if (strcmp(facts_text(subject, "location.role", ""), "wal") != 0)
			add_compression(rows, subject);
	}
	add_pending(rows, facts_at(view->facts, "postgres.settings"));
	return rows;
}
