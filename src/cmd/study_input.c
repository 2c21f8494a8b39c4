/* Reading a study for a command (see study_input.h). */
#include "cmd/study_input.h"

#include "run/catalog.h"
#include "workload/workload.h"

static int load_study(struct study *study, const struct command *command,
	const struct command_line *line, struct err *err)
{
	struct override overrides[2];
	struct study_options options = {
		.path = line->arguments[0],
		.catalog = catalog_get(),
		.small = command_flag(command, line, "small"),
		.overrides = overrides,
	};
	const char *seed = command_value(command, line, "seed");
	const char *bindir = command_value(command, line, "bindir");

	if (seed)
		overrides[options.override_count++] = (struct override){ "design.seed", seed, 0 };
	if (bindir)
		overrides[options.override_count++] =
			(struct override){ "postgres.bindir", bindir, 0 };
	return study_load(study, &options, err);
}

int study_input_load(struct study_input *input, const struct command *command,
	const struct command_line *line, struct err *err)
{
	int r;

	*input = (struct study_input){ 0 };
	r = load_study(&input->study, command, line, err);
	if (r < 0)
		return r;
	r = matrix_build(&input->matrix, &input->study, err);
	if (r == 0) {
		size_t blocks = (size_t)study_integer(&input->study, "design.repeats");

		r = plan_build(&input->plan, &input->study, &input->matrix, blocks, err);
		if (r < 0)
			matrix_release(&input->matrix);
	}
	if (r < 0)
		study_release(&input->study);
	return r;
}

void study_input_release(struct study_input *input)
{
	plan_release(&input->plan);
	matrix_release(&input->matrix);
	study_release(&input->study);
}

uint64_t study_input_expected_bytes(const struct settings *settings)
{
	const struct workload_driver *driver =
		workload_find(settings_text(settings, "workload.type", ""));

	return driver && driver->expected_bytes ? driver->expected_bytes(settings) : 0;
}
