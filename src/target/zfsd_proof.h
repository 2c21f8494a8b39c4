/*
 * Whether this machine's OpenZFS library may be used: plumb-zfsd says which one it is, and a
 * self-test (create, write, be killed, replay, zdb) must have passed with that very file.
 */
#ifndef TARGET_ZFSD_PROOF_H
#define TARGET_ZFSD_PROOF_H

#include "base/err.h"

/* -ENOTSUP in plumb-zfsd's words when it can't use the installed library: another release, other
 * than the headers of its build. program is plumb-zfsd's path. Changes nothing. */
int zfsd_proof_check(const char *program, struct err *why);

/*
 * Make sure that the self-test has passed with the installed library: passes are kept in folder
 * (made if missing), named after the library's hash. The first time this takes some seconds, and
 * says so; others who come meanwhile wait. Errors say what failed: no pool may be used then.
 */
int zfsd_proof_ensure(const char *program, const char *folder, struct err *err);

#endif
