/* Proof that this program and the installed library go together. */
#ifndef ZFSD_SELF_TEST_H
#define ZFSD_SELF_TEST_H

#include "base/err.h"
#include "zfsd/pool/pool.h"

/*
 * Make a pool in folder, write, be killed, import, replay, compare, have zdb check it. A pass
 * leaves a file named after hash in folder and is not repeated; who comes while another tests waits
 * for its result. Forks, so the library must not have been started. Errors say which step failed.
 */
int self_test_run(
	const char *folder, const char *hash, const struct kernel_options *kernel, struct err *err);

/* Before a daemon serves: the same in folder, which is made if missing (NULL: that of plumb's
 * cache). */
int self_test_ensure(
	const char *folder, const char *hash, const struct kernel_options *kernel, struct err *err);

#endif
