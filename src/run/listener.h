/*
 * What a run tells while it goes on: one struct for the status line, plain lines and the JSON
 * events of --events alike. cmd/ prints; the runner only calls.
 */
#ifndef RUN_LISTENER_H
#define RUN_LISTENER_H

#include "record/record.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(id, word, when) */
#define RUN_EVENTS(X)                                                                   \
	X(STUDY_BEGIN, "study-begin") /* trial_count, remaining_s */                    \
	X(MESSAGE, "message")	      /* text: something worth a line */                \
	X(SETUP_BEGIN, "setup-begin") /* setup, setup_count, label, block */            \
	X(PHASE, "phase")	      /* phase: a step, "load", "warm-up", "run" ... */ \
	X(PROGRESS, "progress")	      /* about ten a second within a phase */           \
	X(TRIAL_BEGIN, "trial-begin") /* trial, trial_id, label */                      \
	X(TRIAL_END, "trial-end")     /* state, text: its reason; rate: tps */          \
	X(SETUP_END, "setup-end")                                                       \
	X(STUDY_END, "study-end") /* text: one sentence */

#define RUN_EVENT_AS_ENUM(id, word) RUN_##id,
enum run_event_kind { RUN_EVENTS(RUN_EVENT_AS_ENUM) RUN_EVENT_COUNT };
const char *run_event_word(enum run_event_kind kind);

/* Numbers count from 1; what a kind does not fill is 0 or NULL. */
struct run_event {
	enum run_event_kind kind;
	int64_t utc_ns;
	size_t trial, trial_count; /* of the whole plan */
	size_t setup, setup_count;
	size_t block;
	const char *study;
	const char *trial_id;
	const char *setup_id;
	const char *label; /* of the cell */
	const char *phase;
	const char *part; /* of the phase: "keys"; may be NULL */
	const char *text;
	enum trial_state state;
	double rate; /* now; at a trial's end: of its window */
	const char *unit;
	double fraction;    /* of the phase, 0 to 1; negative: unknown */
	double remaining_s; /* of the study; negative: unknown */
};

struct run_listener {
	void (*event)(struct run_listener *listener, const struct run_event *event);
	/* Asked often: true once the user wants to stop. */
	bool (*stop)(struct run_listener *listener);
};

#endif
