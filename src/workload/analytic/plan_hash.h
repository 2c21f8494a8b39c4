/*
 * What a plan is, apart from its costs: the tree of its nodes with their kinds, relations, indexes
 * and join types. Equal structures give equal hashes; estimates, row counts, constants and the
 * number of workers do not count.
 */
#ifndef WORKLOAD_ANALYTIC_PLAN_HASH_H
#define WORKLOAD_ANALYTIC_PLAN_HASH_H

#include "base/err.h"
#include "base/hash.h"
#include "base/strbuf.h"

/* Hash of the text that EXPLAIN (FORMAT JSON) gives. ret_structure, which may be NULL, gets the
 * structure as one line: "Sort(Aggregate Hashed(Seq Scan parcel))". -EINVAL: not such a text. */
int plan_hash(const char *explain_json, struct strbuf *ret_structure, char ret_hash[HASH_TEXT_SIZE],
	struct err *err);

#endif
