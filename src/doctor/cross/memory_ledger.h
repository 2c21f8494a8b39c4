/*
 * Memory ledger: who may take how much of the machine's memory, line by line, until a line
 * overflows. It adds up what is allowed, not what is used: each session one work_mem, each
 * autovacuum worker its own memory, the ARC its limit.
 */
#ifndef DOCTOR_MEMORY_LEDGER_H
#define DOCTOR_MEMORY_LEDGER_H

#include <jansson.h>

/*
 * {"lines": [{"name", "bytes", "sum_bytes", "overflows": BOOL}], "sum_bytes", "limit_bytes",
 * "limit_name", "missing": [NAME...]} from a view's root ("setting", "memory", "zfs", "layout").
 * Lines whose facts are absent are named in "missing", and then the sum is only a lower bound.
 * The limit is the machine's memory, or the cgroup's if that is tighter for what is charged to it
 * (a kernel's ARC is not). NULL if no limit is known. Owned by the caller.
 */
json_t *memory_ledger(const json_t *root);

#endif
