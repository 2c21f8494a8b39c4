/* plumb disk: emulated disks by hand, and their calibration. */
#include "cmd/disk/disk_internal.h"

#include "base/memory.h"
#include "base/near.h"
#include "device/device_spec.h"
#include "device/model_table.h"
#include "run/folders.h"
#include "setting/setting.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option_row options[] = {
	{ "model", 'm', "MODEL", "attach: time model, also MODEL,parameter=value,... (none)" },
	{ "size", 's', "SIZE", "attach: size; the file is made or grown, sparse" },
	{ "slow", 0, "N", "attach, check: divide rates and multiply times by N (1)" },
	{ "sector", 0, "BYTES", "attach: logical sector, 512 or 4096 (512)" },
	{ "volatile", 0, "SIZE", "attach: write cache that a kill of the daemon loses; or yes" },
	{ "log", 0, "FILE", "attach: keep a write log in FILE" },
	{ "seed", 0, "N", "attach: of the model's random draws (1)" },
	{ "memory", 0, NULL, "attach: hold the data in memory; FILE is only its name" },
	{ "clock", 0, "on|off", "attach: start with the model's clock on or off (on)" },
	{ "every", 0, "TIME", "stats: rates every TIME until the disk is detached" },
	{ "format", 'f', "FORM", "stats: text (default) or json" },
	{ "quick", 'q', NULL, "check: the rows that tell most, within 90 s" },
	{ 0 },
};

static int disk_models(struct disk_context *context, struct err *err)
{
	struct model_parameters model;
	struct strbuf text = STRBUF_INIT;
	int r;

	if (context->argument_count == 0) {
		for (const struct model *known = models; known->name; known++)
			printf("%-14s  %s\n", known->name, known->summary);
		return 0;
	}
	r = model_parameters_load(context->arguments[0], NULL, &model, err);
	if (r < 0)
		return r;
	model_parameters_format(&model, &text);
	printf("[device.%s]\n%s", context->arguments[0], text.data);
	strbuf_release(&text);
	return 0;
}

/* "key=value" with what would end the word escaped. */
static void add_word(struct strbuf *text, const char *separator, const char *key, const char *value)
{
	strbuf_add_format(text, "%s%s=", separator, key);
	for (; *value; value++) {
		if (strchr("%;", *value) || (*value == ',' && strcmp(key, "model") != 0))
			strbuf_add_format(text, "%%%02X", (unsigned char)*value);
		else
			strbuf_add_char(text, *value);
	}
}

static void add_option(struct disk_context *context, struct strbuf *text, const char *option)
{
	const char *value = command_value(context->command, context->line, option);

	if (value)
		add_word(text, ";", option, value);
}

/* The text of the device that the options describe; checked by parsing it. */
static int make_spec(struct disk_context *context, struct strbuf *text, struct err *err)
{
	const char *size = command_value(context->command, context->line, "size");
	struct device_spec spec = { 0 };
	char *path = disk_full_path(context->arguments[0]);
	int r;

	if (command_flag(context->command, context->line, "memory"))
		strbuf_add_text(text, "ram:");
	else
		add_word(text, "file:", "path", path);
	free(path);
	if (size)
		add_word(text, text->data[text->length - 1] == ':' ? "" : ",", "size", size);
	add_option(context, text, "model");
	add_option(context, text, "slow");
	add_option(context, text, "sector");
	add_option(context, text, "volatile");
	add_option(context, text, "seed");
	add_option(context, text, "log");
	r = device_spec_parse(text->data, &spec, err);
	device_spec_release(&spec);
	return r;
}

static int read_clock(struct disk_context *context, bool *ret_on, struct err *err)
{
	const char *text = command_value(context->command, context->line, "clock");

	*ret_on = true;
	if (text && boolean_parse(text, ret_on) < 0)
		return err_set(err, -EINVAL, "--clock '%s': must be on or off", text);
	return 0;
}

static int start_daemon(struct disk_context *context, const char *spec, struct err *err)
{
	char *name = disk_full_path(context->arguments[0]);
	char *socket_path = disk_socket_path(context->sockets, name);
	struct diskd_options start = { .spec = spec, .socket_path = socket_path };
	struct diskd *diskd = NULL;
	bool clock;
	int r = read_clock(context, &clock, err);

	if (r == 0)
		r = diskd_start(&start, &diskd, err);
	if (r == 0) {
		r = diskd_check_speed(diskd, err);
		if (r == 0)
			r = diskd_set_clock(diskd, clock, err);
		if (r < 0)
			(void)diskd_stop(diskd, err); /* the first error is told */
	}
	if (r == 0)
		printf("%s\n", diskd_loop_path(diskd));
	diskd_close(diskd);
	free(socket_path);
	free(name);
	return r;
}

static int disk_attach(struct disk_context *context, struct err *err)
{
	struct strbuf spec = STRBUF_INIT;
	int r = make_spec(context, &spec, err);

	if (r == 0)
		r = disk_sockets_make(context->sockets, err);
	if (r == 0)
		r = start_daemon(context, spec.data, err);
	strbuf_release(&spec);
	return r;
}

static int disk_detach(struct disk_context *context, struct err *err)
{
	struct diskd *diskd = NULL;
	int r = disk_find(context->sockets, context->arguments[0], &diskd, err);

	if (r == 0)
		r = diskd_stop(diskd, err);
	diskd_close(diskd);
	return r;
}

static int disk_clock(struct disk_context *context, struct err *err)
{
	struct diskd *diskd = NULL;
	bool on;
	int r;

	if (boolean_parse(context->arguments[1], &on) < 0)
		return err_set(err, -EINVAL, "'%s': must be on or off", context->arguments[1]);
	r = disk_find(context->sockets, context->arguments[0], &diskd, err);
	if (r == 0)
		r = diskd_set_clock(diskd, on, err);
	diskd_close(diskd);
	return r;
}

static const struct subcommand {
	const char *name;
	int (*run)(struct disk_context *context, struct err *err);
	int least, most;
	const char *usage;
} subcommands[] = {
	{ "models", disk_models, 0, 1, "[MODEL]" },
	{ "attach", disk_attach, 1, 1, "[options] FILE" },
	{ "detach", disk_detach, 1, 1, "DISK" },
	{ "stats", disk_stats, 0, 1, "[DISK]" },
	{ "clock", disk_clock, 2, 2, "DISK on|off" },
	{ "check", disk_check, 1, 1, "[--quick] MODEL" },
};

static const struct subcommand *find(const char *name, const char **ret_near)
{
	for (size_t i = 0; i < ARRAY_SIZE(subcommands); i++) {
		if (strcmp(subcommands[i].name, name) == 0)
			return &subcommands[i];
		*ret_near = near_better(name, *ret_near, subcommands[i].name);
	}
	return NULL;
}

static int run_subcommand(
	const struct subcommand *row, struct disk_context *context, struct err *err)
{
	struct folders folders;
	int r;

	if (context->argument_count < row->least || context->argument_count > row->most)
		return err_set(err, -EINVAL, "usage: plumb disk %s %s", row->name, row->usage);
	r = folders_init(&folders, NULL, err);
	if (r < 0)
		return r;
	context->sockets = memory_format("%s/disk", folders.runtime);
	r = row->run(context, err);
	free(context->sockets);
	folders_release(&folders);
	return r;
}

static int cmd_disk(const struct command *command, int argc, char **argv)
{
	struct command_line line;
	struct disk_context context = { .command = command, .line = &line };
	const struct subcommand *row;
	const char *near = NULL;
	struct err err = ERR_INIT;
	int r = command_parse(command, argc, argv, &line);

	if (r != 0)
		return r > 0 ? EXIT_DONE : EXIT_USAGE;
	if (line.argument_count == 0) {
		err_set(&err, -EINVAL, "say what: models, attach, detach, stats, clock or check");
		return command_fail(command, &err, EXIT_USAGE);
	}
	row = find(line.arguments[0], &near);
	if (!row) {
		err_set(&err, -EINVAL, "unknown word '%s'", line.arguments[0]);
		if (near)
			err_hint(&err, -EINVAL, "did you mean '%s'?", near);
		return command_fail(command, &err, EXIT_USAGE);
	}
	context.arguments = line.arguments + 1;
	context.argument_count = line.argument_count - 1;
	r = run_subcommand(row, &context, &err);
	if (r < 0)
		return command_fail(command, &err, r == -EINVAL ? EXIT_USAGE : EXIT_ERRORS);
	return r;
}

const struct command disk_command = {
	.name = "disk",
	.run = cmd_disk,
	.options = options,
	.arguments = "models|attach|detach|stats|clock|check ...",
	.summary = "emulated disks by hand, and their calibration",
	.description =
		"models [MODEL]: list the time models, or print one as a section to copy.\n\n"
		"attach [options] FILE: show FILE as a loop device with the time of a model and "
		"print the device. It stays until detach; its daemon is plumb-diskd. Needs root. "
		"A model that this machine is too slow for is refused, with the time that its way "
		"to the disk takes; --slow makes it carry.\n\n"
		"detach DISK, stats [DISK], clock DISK on|off: DISK is the loop device or the "
		"file. With the clock off the disk is as fast as the machine.\n\n"
		"check MODEL: measure the model on this machine with fio, through the loop device "
		"and, where that is too slow, in process; print the model's figure, the measured "
		"one and the difference. Exit code 3 when one is outside (IOPS 3 %, mean 5 %, "
		"99th percentile 15 %).",
};
