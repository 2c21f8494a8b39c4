/* plumb gate: an exit code for continuous integration. */
#include "cmd/command.h"

#include "analysis/gate.h"
#include "cmd/study_place.h"

#include <errno.h>
#include <stdio.h>

static const struct option_row options[] = {
	{ "results", 'r', "DIR", "results folder of STUDY; default plumb-results" },
	{ "baseline", 'b', "FILE", "what to hold it against: an exported file, folder or study" },
	{ "fail-if", 'f', "CONDITION",
		"\"METRIC WAY SHARE\", as in \"tps slower 3%\"; ways: slower, worse, faster, "
		"larger, "
		"smaller" },
	{ 0 },
};

static const char *const result_words[] = {
	[GATE_PASSED] = "pass",
	[GATE_FAILED] = "FAIL",
	[GATE_UNKNOWN] = "can't tell",
};

static void print_change(const struct cell_change *change, enum gate_result result)
{
	printf("%-10s %s: ", result_words[result], change->label);
	if (result == GATE_UNKNOWN)
		printf("%s\n", change->reason);
	else
		printf("%.3f times the baseline, 95 %% interval %.3f to %.3f%s\n",
			change->effect.ratio, change->effect.low, change->effect.high,
			change->verdict == VERDICT_UNDECIDED ? " (undecided)" : "");
}

/* The worst of all cells, as the exit code. */
static int judge(const struct gate *gate, const struct comparison *comparison)
{
	bool failed = false, unknown = false;

	for (size_t i = 0; i < comparison->change_count; i++) {
		enum gate_result result = gate_judge(gate, &comparison->changes[i]);

		print_change(&comparison->changes[i], result);
		failed = failed || result == GATE_FAILED;
		unknown = unknown || result == GATE_UNKNOWN;
	}
	for (size_t i = 0; i < comparison->only_before_count; i++)
		printf("%-10s %s: not in the study\n", "missing", comparison->only_before[i]);
	if (failed)
		return EXIT_FINDINGS;
	return unknown || comparison->only_before_count ? EXIT_ERRORS : EXIT_DONE;
}

static int hold(
	const struct study_place places[2], const struct gate *gate, int *ret_code, struct err *err)
{
	struct comparison_side sides[2];
	const struct comparison_options wanted = { gate->metric, gate->share };
	struct comparison comparison;
	int r;

	for (int i = 0; i < 2; i++)
		sides[i] = (struct comparison_side){ &places[i].stored.results,
			&places[i].stored.findings, &places[i].stored.matrix };
	if (places[1].stored.findings.controls.failed) {
		printf("can't tell: %s\n", places[1].stored.findings.verdict);
		*ret_code = EXIT_ERRORS;
		return 0;
	}
	r = comparison_build(&comparison, sides, &wanted, err);
	if (r < 0)
		return r;
	*ret_code = judge(gate, &comparison);
	comparison_release(&comparison);
	return 0;
}

static int run_gate(const struct command *command, const struct command_line *line,
	const struct gate *gate, struct err *err)
{
	const char *folder = command_value(command, line, "results");
	struct study_place places[2];
	int code = EXIT_USAGE;
	int r;

	folder = folder ? folder : RESULTS_FOLDER;
	r = study_place_open(&places[0], command_value(command, line, "baseline"), folder, err);
	if (r < 0)
		return command_fail(command, err, EXIT_USAGE);
	r = study_place_open(&places[1], line->arguments[0], folder, err);
	if (r == 0) {
		r = hold(places, gate, &code, err);
		study_place_release(&places[1]);
	}
	study_place_release(&places[0]);
	return r < 0 ? command_fail(command, err, EXIT_USAGE) : code;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct command_line line;
	struct gate gate;
	int r = command_parse(command, argc, argv, &line);

	if (r != 0)
		return r < 0 ? EXIT_USAGE : EXIT_DONE;
	if (!command_value(command, &line, "baseline") || !command_value(command, &line, "fail-if"))
		r = err_set(&err, -EINVAL, "a gate needs --baseline and --fail-if");
	else
		r = gate_parse(command_value(command, &line, "fail-if"), &gate, &err);
	return r < 0 ? command_fail(command, &err, EXIT_USAGE)
		     : run_gate(command, &line, &gate, &err);
}

const struct command gate_command = {
	.name = "gate",
	.run = run,
	.options = options,
	.arguments = "STUDY",
	.summary = "fail when a study is shown to be worse than a stored baseline",
	.description =
		"Exit code 3 when a cell of STUDY is shown to be beyond the condition: its whole "
		"interval, not its mean. 0 when none is, also when some are undecided (they are "
		"named). 2 when it can't be told: fewer than 3 set-ups, a cell of the baseline "
		"that is "
		"not in STUDY, or a control of STUDY that failed. 1 for wrong use, a damaged "
		"baseline, "
		"or one of another schema version.",
};
