/* Shared by bundle.c (writing), bundle_read.c (reading) and bundle_merge.c (one database into
 * another). */
#ifndef STORE_BUNDLE_INTERNAL_H
#define STORE_BUNDLE_INTERNAL_H

#include "store/bundle.h"
#include "store/sqlite_internal.h"

/* Hash of a file's content as hexadecimal text (base/hash.h). */
int bundle_hash_file(const char *path, char ret_text[33], struct err *err);

/* Execute SQL, err says what was being done. */
int bundle_execute(struct sqlite_store *store, const char *sql, const char *doing, struct err *err);

/* Copy every row of study from the database at from_path into store. */
int bundle_merge(struct sqlite_store *store, const char *from_path, struct err *err);

#endif
