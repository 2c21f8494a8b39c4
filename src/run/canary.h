/*
 * The canary: small fixed tests before and after a trial, that see the machine and nothing of the
 * system under test. Where speed varies and no steal time shows it, they are the noise gate
 * (method: control chart of their logarithms, in analysis).
 */
#ifndef RUN_CANARY_H
#define RUN_CANARY_H

#include "base/clock.h"
#include "base/err.h"
#include "record/record.h"

/*
 * About four seconds: arithmetic, copying memory, and 8K reads and synced writes of a file in
 * folder past the page cache. Samples canary_spin_ns, canary_copy_ns, canary_read_ns,
 * canary_write_ns of phase: mean times of one fixed piece of work, lower is better. Where folder's
 * filesystem has no direct I/O the file tests are left out, with a note.
 */
int canary_run(struct trial_record *record, const char *phase, const char *folder,
	struct clock *clock, struct err *err);

#endif
