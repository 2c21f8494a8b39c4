/*
 * A study as one file: an archive (base/tar.h) that holds
 *   manifest.json    format, schema version, study, seed, plumb's version; every other file with
 *                    its size and hash (base/hash.h)
 *   results.sqlite   a results database with this study alone
 *   raw/...          the raw files that its trials name
 * docs/format.md has the details. A bundle is read by believing nothing: names are plain, sizes and
 * hashes must fit, the database is opened like any other.
 */
#ifndef STORE_BUNDLE_H
#define STORE_BUNDLE_H

#include "base/err.h"
#include <stddef.h>

#define BUNDLE_FORMAT	1
#define BUNDLE_MANIFEST "manifest.json"

struct bundle_info {
	char study[80];
	size_t files;	/* raw ones */
	size_t missing; /* raw files that trials name and that are gone: left out */
};

/* Write the study of a results folder to path (not overwritten: -EEXIST). */
int bundle_export(const char *folder, const char *study, const char *path,
	struct bundle_info *ret_info, struct err *err);

/*
 * Take a bundle into a results folder (made when missing; locked meanwhile). -EEXIST: it has a
 * study of that name already. -EBADMSG: damaged, with what is wrong. -EPROTONOSUPPORT: of another
 * format or schema version. On failure the folder is as before.
 */
int bundle_import(
	const char *path, const char *folder, struct bundle_info *ret_info, struct err *err);

/* The same into a fresh folder of its own, for reading only (plumb gate): the caller removes it. */
int bundle_unpack(
	const char *path, const char *folder, struct bundle_info *ret_info, struct err *err);

#endif
