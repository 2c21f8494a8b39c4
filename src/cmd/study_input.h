/* A study as a command was given it: read with its catalog, its cells and its plan built. */
#ifndef CMD_STUDY_INPUT_H
#define CMD_STUDY_INPUT_H

#include "cmd/command.h"
#include "study/matrix.h"
#include "study/plan.h"
#include "study/study.h"

/* The option rows that study_input_load() reads; put them into a command's own rows. */
#define STUDY_INPUT_OPTIONS                                                             \
	{ "small", 's', NULL, "the study's small form: its [small] section applied" },  \
		{ "seed", 0, "N", "seed of the random order, instead of the study's" }, \
	{                                                                               \
		"bindir", 0, "DIR", "folder of postgres, initdb and pgbench"            \
	}

struct study_input {
	struct study study;
	struct matrix matrix;
	struct plan plan;
};

/* Read the study file named by the first argument. Errors name file and line. On failure nothing
 * needs releasing. */
int study_input_load(struct study_input *input, const struct command *command,
	const struct command_line *line, struct err *err);
void study_input_release(struct study_input *input);

/* Bytes that the workload of a cell makes, as its driver expects; for plan_step_times. */
uint64_t study_input_expected_bytes(const struct settings *settings);

#endif
