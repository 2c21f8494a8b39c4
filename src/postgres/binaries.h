/* Which PostgreSQL programs a cell uses: an installed one, or a build of ours (install.h). */
#ifndef POSTGRES_BINARIES_H
#define POSTGRES_BINARIES_H

#include "base/err.h"
#include "setting/setting.h"

#define PG_VERSION_MIN 130000

struct pg_binaries {
	char *bindir;
	char *version_text; /* "15.18" */
	int version;	    /* 150018, as server_version_num */
	bool built;	    /* one of our builds, not the distribution's */
};

/*
 * Find the programs for a cell: postgres.bindir, else with postgres.build = "source" the build of
 * postgres.block_size and its kin, else the distribution's layout (newest, or postgres.version),
 * else pg_config, else PATH. -ENOENT names what was looked for and the package that has it;
 * -ENOTSUP for a version below 13.
 */
int pg_binaries_find(
	const struct settings *settings, struct pg_binaries *ret_binaries, struct err *err);
void pg_binaries_release(struct pg_binaries *binaries); /* fine twice */

/* "15.18 (Debian ...)" to 150018, "13beta1" to 130000; -EINVAL. */
int pg_version_parse(const char *text, int *ret_version);

#endif
