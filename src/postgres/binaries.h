/* Which PostgreSQL programs a cell uses: an installed one, or a build of ours (install.h). */
#ifndef POSTGRES_BINARIES_H
#define POSTGRES_BINARIES_H

#include "base/err.h"
#include "postgres/install.h"
#include "setting/setting.h"

#define PG_VERSION_MIN 130000

struct pg_binaries {
	char *bindir;
	char *version_text; /* "15.18" */
	int version;	    /* 150018, as server_version_num */
	bool built;	    /* one of our builds, not the distribution's */
};

/*
 * Find the programs for a cell: postgres.bindir, else a build of ours where the cell asks for one
 * (pg_binaries_from_source), else the distribution's layout (newest, or postgres.version),
 * else pg_config, else PATH. -ENOENT names what was looked for and the package that has it;
 * -ENOTSUP for a version below 13, or where initdb, pgbench or psql is missing beside the server.
 */
int pg_binaries_find(
	const struct settings *settings, struct pg_binaries *ret_binaries, struct err *err);
/*
 * Does the cell ask for one of our builds, and which? Yes with postgres.build = source, or when a
 * page or segment size is given at all, be it 8K: so all arms of a study of block sizes use builds
 * made the same way. Never with postgres.bindir or postgres.build = installed.
 */
bool pg_binaries_from_source(const struct settings *settings, struct pg_build_spec *ret_spec);
void pg_binaries_release(struct pg_binaries *binaries); /* fine twice */

/* "15.18 (Debian ...)" to 150018, "13beta1" to 130000; -EINVAL. */
int pg_version_parse(const char *text, int *ret_version);

#endif
