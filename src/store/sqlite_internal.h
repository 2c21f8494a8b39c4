/* Shared by the parts of the SQLite store: the open database and short forms of SQLite's calls. */
#ifndef STORE_SQLITE_INTERNAL_H
#define STORE_SQLITE_INTERNAL_H

#include "store/store.h"
#include <sqlite3.h>

struct sqlite_store {
	struct store base;
	sqlite3 *db;
	char *folder;
	int lock; /* descriptor of the lock file; -1: opened for reading */
};

/* Say in err what a SQLite result code means for the user and what to do. Returns the errno. */
int sqlite_failed(const struct sqlite_store *store, int code, struct err *err, const char *doing);

/* Prepare a statement; to be finalized with sqlite3_finalize (NULL is fine). */
int sqlite_prepare(
	struct sqlite_store *store, const char *sql, sqlite3_stmt **ret_statement, struct err *err);
/* Reset it and bind values in order: i int64_t, t const char * (NULL: null), r double, b const
 * void * and int (blob). Strings must live until the next bind or the end. */
void sqlite_bind(sqlite3_stmt *statement, const char *types, ...);
/* 1: a row; 0: no more. */
int sqlite_step(struct sqlite_store *store, sqlite3_stmt *statement, struct err *err);
/* Prepare, bind, step once, finalize: a statement whose rows nobody reads. */
int sqlite_run(
	struct sqlite_store *store, const char *sql, struct err *err, const char *types, ...);

/* Text of a column; "" for null. Lent until the next step. */
const char *sqlite_text(sqlite3_stmt *statement, int column);

/* sqlite_seal.c, sqlite_scan.c: the driver's functions of the same name. */
int sqlite_seal(struct store *store, const struct store_setup *setup,
	const struct store_trial *trial, const struct trial_record *record, struct err *err);
int sqlite_scan(struct store *store, const struct store_query *query, store_visit *visit,
	void *context, struct err *err);

/* sqlite_open.c */
int sqlite_open(const char *path, enum store_mode mode, struct store **ret_store, struct err *err);
void sqlite_close(struct store *store);
/* Tell in the lock file which study is being run, for whoever is refused. */
void sqlite_name_lock(struct sqlite_store *store, const char *study);

#endif
