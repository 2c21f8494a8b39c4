/* Rules on facts: which fire, which do not, and which could not be judged. Pure: no I/O. */
#ifndef DOCTOR_JUDGE_H
#define DOCTOR_JUDGE_H

#include "doctor/check_list.h"
#include "doctor/view.h"
#include "base/arena.h"
#include "base/err.h"
#include <stdbool.h>

/* One rule that fires, on one or more subjects. Texts live in the diagnosis' arena. */
struct finding {
	const struct check *check;
	enum severity severity; /* the worst of its subjects */
	const char *subjects;	/* "data, wal"; "" for the cluster */
	const char *set;	/* lines, one a subject */
	const char *why, *risk;
	const char *fix, *undo; /* lines as check_list.h describes, expanded, each once */
};

/* One rule that could not be judged (on some subject). */
struct skipped {
	const struct check *check;
	const char *subjects; /* "" for the cluster */
	const char *missing;  /* "pool.ashift, device.rotational" */
	const char *reason;   /* why the first of them was not seen */
};

struct diagnosis {
	struct arena arena;
	struct finding *findings; /* worst first, then by grade, then in the order of the rules */
	size_t finding_count;
	struct skipped *skipped; /* in the order of the rules */
	size_t skipped_count;
	size_t quiet_count; /* rules that were judged and do not fire */
};

/* Judge every rule. Fails only if a condition can't be parsed, which a test rules out. */
int diagnosis_make(struct diagnosis *ret_diagnosis, const struct view *view, struct err *err);
void diagnosis_release(struct diagnosis *diagnosis);

/* The number of rules, findings of at least that severity, skipped rules of that or more. */
size_t check_count(void);
size_t diagnosis_count(const struct diagnosis *diagnosis, enum severity severity);
size_t diagnosis_count_skipped(const struct diagnosis *diagnosis, enum severity severity);

/* The worst severity a rule can have. */
enum severity check_worst(const struct check *check);

#endif
