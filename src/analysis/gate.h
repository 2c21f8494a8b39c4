/*
 * A condition that fails a build: "tps slower 3%" fails when a cell is shown to be slower than the
 * baseline by more than 3 %, the whole interval beyond it. What is only undecided passes, and is
 * told.
 */
#ifndef ANALYSIS_GATE_H
#define ANALYSIS_GATE_H

#include "analysis/comparison.h"
#include "base/err.h"

/* X(id, word): which way a metric must have gone. */
#define GATE_WAYS(X)                                                                             \
	X(SLOWER, "slower") /* worse, whichever direction that is for the metric; "worse" too */ \
	X(WORSE, "worse")                                                                        \
	X(FASTER, "faster")                                                                      \
	X(LARGER, "larger")                                                                      \
	X(SMALLER, "smaller")
#define GATE_AS_ENUM(id, word) GATE_##id,
enum gate_way { GATE_WAYS(GATE_AS_ENUM) GATE_WAY_COUNT };

struct gate {
	char metric[96];
	enum gate_way way;
	double share; /* 0.03 for 3% */
};

/* -EINVAL with what was expected. */
int gate_parse(const char *text, struct gate *ret_gate, struct err *err);

enum gate_result {
	GATE_PASSED,
	GATE_FAILED,
	GATE_UNKNOWN /* no interval: it can't be told */
};

/* Judge one change of a comparison made with the gate's metric and share as margin. */
enum gate_result gate_judge(const struct gate *gate, const struct cell_change *change);

#endif
