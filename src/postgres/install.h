/*
 * PostgreSQL builds at any block size, kept in a cache: find one, list them, make one, remove one.
 * The distribution has only 8K pages; every other size (and the 8K to compare it with) is built
 * here from one source in one way.
 *
 * A build is known by (version, options, compiler): a folder of the cache named
 * VERSION-bBLOCK-wWALBLOCK-sSEGMENT-HASH, where the hash covers configure's options, the compiler
 * flags and the compiler's version. It appears by one rename when it is complete.
 */
#ifndef POSTGRES_INSTALL_H
#define POSTGRES_INSTALL_H

#include "base/err.h"
#include "base/strbuf.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PG_OLDEST_MAJOR 13

struct pg_build_spec {
	const char *version;	  /* "15" or "15.18"; NULL: major version of the installed server */
	uint64_t block_bytes;	  /* 1K to 32K; 0: 8K */
	uint64_t wal_block_bytes; /* 1K to 64K; 0: 8K */
	uint64_t segment_bytes;	  /* of a relation, whole GB (any multiple from 16 on); 0: 1G */
};

struct pg_build {
	char *name;    /* folder in the cache */
	char *version; /* "15.18" */
	char *bindir;
	uint64_t block_bytes, wal_block_bytes, segment_bytes;
	double seconds; /* that the build took; 0: not recorded */
};
struct pg_build_list {
	struct pg_build *builds; /* newest version first, then by block size */
	size_t count;
};

struct pg_build_progress {
	const char *step; /* "download", "unpack", "configure", "src/backend" ... */
	double fraction;  /* 0 to 1 */
	double elapsed_s;
};
struct pg_build_request {
	const char *source; /* folder or tarball; NULL: the distribution's source package */
	int jobs;	    /* 0: one a processor */
	/* Optional, about ten times a second. True: stop, leave nothing (-EINTR). */
	bool (*progress)(void *listener, const struct pg_build_progress *progress);
	void *listener;
};

/* Sizes are powers of two within PostgreSQL's limits? -EINVAL names the value and the limits. */
int pg_build_spec_check(const struct pg_build_spec *spec, struct err *err);

/* Folder of bin/ of a complete build. Where only the major version is given, the newest version
 * that any build of that major has: builds of one study are never of mixed versions. -ENOENT:
 * there is none (err says how to make it). */
int pg_install_find(const struct pg_build_spec *spec, struct strbuf *ret_bindir, struct err *err);

/* Find, else build: minutes. Interrupted or failed, it leaves only its log; err then holds the
 * log's tail and path. -ENOTSUP: no compiler, or a version before 13; -ENOENT: no source. */
int pg_install_build(const struct pg_build_spec *spec, const struct pg_build_request *request,
	struct strbuf *ret_bindir, struct err *err);

/* Could a build begin here: compiler, make, tar, space? -ENOTSUP and -ENOSPC say what is missing.
 */
int pg_install_check(struct err *err);

/* A sentence where the build in bindir is not of the installed server's version; else nothing. */
void pg_install_note(const char *bindir, struct strbuf *ret_note);

/* Seconds that a build takes here: as the last one did, else a guess. */
double pg_install_estimate_s(bool *ret_measured);

int pg_install_list(struct pg_build_list *ret_list, struct err *err);
void pg_build_list_release(struct pg_build_list *list); /* fine twice */

/* Remove one build by its name. -ENOENT. */
int pg_install_remove(const char *name, struct err *err);

/* Folder of the cache: /var/cache/plumb/pg as root, below the XDG cache folder as a user, or
 * below $PLUMB_CACHE where that is set. */
void pg_install_folder(struct strbuf *ret_path);

#endif
