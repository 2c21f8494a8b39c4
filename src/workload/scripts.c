/* Shipped SQL scripts, and placing scripts where they are run (see scripts.h). */
#include "workload/scripts.h"

#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCRIPT_BYTES_MAX (16 << 20)

/* Documents: each body some 6 kB that compresses about as well as prose; psql and pgbench
 * variables "rows" and, for the load, "storage". */
const struct shipped_script shipped_scripts[] = {
	{ "documents-load", "make :rows documents with STORAGE :storage",
		"CREATE TABLE document (id int NOT NULL, changed timestamptz NOT NULL,\n"
		"    body text NOT NULL);\n"
		"ALTER TABLE document ALTER body SET STORAGE :storage;\n"
		"INSERT INTO document SELECT n, now(),\n"
		"    (SELECT string_agg(md5((n * 61 + k)::text) ||\n"
		"        ' the lower field waits for rain ', '')\n"
		"     FROM generate_series(1, 90 + n % 20) k)\n"
		"FROM generate_series(1, :rows) n;\n"
		"ALTER TABLE document ADD PRIMARY KEY (id);\n"
		"VACUUM ANALYZE document;\n" },
	{ "documents-read", "read one document of :rows",
		"\\set id random(1, :rows)\n"
		"SELECT changed, body FROM document WHERE id = :id;\n" },
	{ "documents-update", "change the body of one of :rows documents, some often",
		"\\set id random_zipfian(1, :rows, 1.1)\n"
		"UPDATE document SET changed = now(), body = substr(body, 9) || left(body, 8)\n"
		"WHERE id = :id;\n" },
	{ NULL, NULL, NULL },
};

static const struct shipped_script *shipped(const char *name)
{
	for (const struct shipped_script *script = shipped_scripts; script->name; script++)
		if (strcmp(script->name, name) == 0)
			return script;
	return NULL;
}

int script_check(const char *name, struct err *err)
{
	if (shipped(name) || access(name, R_OK) == 0)
		return 0;
	return err_set_errno(err, -errno, "script '%s'", name);
}

int script_place(const char *name, const char *folder, char **ret_path, struct err *err)
{
	const struct shipped_script *script = shipped(name);
	const char *base = strrchr(name, '/');
	char *path = memory_format("%s/script-%s", folder, base ? base + 1 : name);
	struct strbuf text = STRBUF_INIT;
	int r = 0;

	if (script)
		strbuf_add_text(&text, script->text);
	else
		r = file_read_limited(name, SCRIPT_BYTES_MAX, &text, err);
	if (r == 0)
		r = file_write_atomic(path, text.data, text.length, 0644, err);
	strbuf_release(&text);
	if (r < 0)
		free(path);
	else
		*ret_path = path;
	return r;
}
