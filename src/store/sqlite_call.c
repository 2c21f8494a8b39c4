/* Short forms of SQLite's calls, and its result codes in words a user can act on. */
#include "store/sqlite_internal.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>

static const struct {
	int code;
	int error;
	const char *hint;
} meanings[] = {
	{ SQLITE_BUSY, -EBUSY, "another program holds the database: close it, then try again" },
	{ SQLITE_LOCKED, -EBUSY, "another program holds the database: close it, then try again" },
	{ SQLITE_CORRUPT, -EUCLEAN,
		"the database is damaged: keep the folder, save what can be read with "
		"'sqlite3 " STORE_DATABASE " .recover', and use another --results folder" },
	{ SQLITE_NOTADB, -EUCLEAN,
		"the file is damaged or no database: move it away, or use another --results "
		"folder" },
	{ SQLITE_FULL, -ENOSPC, "free some space, then run again: what is sealed is kept" },
	{ SQLITE_READONLY, -EROFS, "use another --results folder, or make this one writable" },
	{ SQLITE_CANTOPEN, -EACCES, "use another --results folder, or make this one accessible" },
	{ SQLITE_PERM, -EACCES, "use another --results folder, or make this one accessible" },
};

int sqlite_failed(const struct sqlite_store *store, int code, struct err *err, const char *doing)
{
	int error = -EIO;
	const char *hint = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(meanings); i++)
		if (meanings[i].code == (code & 0xff)) {
			error = meanings[i].error;
			hint = meanings[i].hint;
		}
	err_set(err, error, "cannot %s in '%s/%s': %s", doing, store->folder, STORE_DATABASE,
		store->db ? sqlite3_errmsg(store->db) : sqlite3_errstr(code));
	return hint ? err_hint(err, error, "%s", hint) : error;
}

int sqlite_prepare(
	struct sqlite_store *store, const char *sql, sqlite3_stmt **ret_statement, struct err *err)
{
	int code = sqlite3_prepare_v2(store->db, sql, -1, ret_statement, NULL);

	return code == SQLITE_OK ? 0 : sqlite_failed(store, code, err, "prepare a statement");
}

static void bind_values(sqlite3_stmt *statement, const char *types, va_list args)
{
	int code = SQLITE_OK;
	const char *text;
	const void *bytes;

	for (int i = 1; *types; types++, i++) {
		switch (*types) {
		case 'i':
			code = sqlite3_bind_int64(statement, i, va_arg(args, int64_t));
			break;
		case 't':
			text = va_arg(args, const char *);
			code = sqlite3_bind_text(statement, i, text, -1, SQLITE_STATIC);
			break;
		case 'r':
			code = sqlite3_bind_double(statement, i, va_arg(args, double));
			break;
		case 'b':
			bytes = va_arg(args, const void *);
			code = sqlite3_bind_blob(
				statement, i, bytes, va_arg(args, int), SQLITE_STATIC);
			break;
		default:
			assert(!"unknown type of a bound value");
		}
		assert(code == SQLITE_OK || code == SQLITE_TOOBIG);
	}
}

void sqlite_bind(sqlite3_stmt *statement, const char *types, ...)
{
	va_list args;

	sqlite3_reset(statement);
	va_start(args, types);
	bind_values(statement, types, args);
	va_end(args);
}

int sqlite_step(struct sqlite_store *store, sqlite3_stmt *statement, struct err *err)
{
	int code = sqlite3_step(statement);

	if (code == SQLITE_ROW)
		return 1;
	return code == SQLITE_DONE ? 0 : sqlite_failed(store, code, err, "read or write");
}

int sqlite_run(struct sqlite_store *store, const char *sql, struct err *err, const char *types, ...)
{
	sqlite3_stmt *statement;
	va_list args;
	int r = sqlite_prepare(store, sql, &statement, err);

	if (r < 0)
		return r;
	va_start(args, types);
	bind_values(statement, types, args);
	va_end(args);
	r = sqlite_step(store, statement, err);
	sqlite3_finalize(statement);
	return r < 0 ? r : 0;
}

const char *sqlite_text(sqlite3_stmt *statement, int column)
{
	const char *text = (const char *)sqlite3_column_text(statement, column);

	return text ? text : "";
}
