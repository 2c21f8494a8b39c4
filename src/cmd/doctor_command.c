/* plumb doctor: looks at a live system, a stopped cluster or a file of facts, and says what is
 * wrong with it, worst first. */
#include "cmd/command.h"
#include "doctor/collect/collect.h"
#include "doctor/doctor.h"
#include "doctor/facts.h"
#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_NAGIOS_UNKNOWN 3
#define SECONDS_MAX	    3600

static const struct option_row options[] = {
	{ "connection", 0, "CONNINFO", "libpq connection string or URI" },
	{ "host", 0, "HOST", "server's host, or folder of its socket" },
	{ "port", 'p', "PORT", "server's port" },
	{ "user", 'U', "NAME", "role to connect as; pg_monitor sees enough" },
	{ "dbname", 'd', "NAME", "database to connect to (postgres)" },
	{ "data-directory", 'D', "DIR",
		"look at this cluster's folder; without the options above no server is asked" },
	{ "bin-directory", 0, "DIR", "where pg_controldata of that version is" },
	{ "facts", 0, "FILE", "judge facts that --collect wrote elsewhere" },
	{ "collect", 0, "FILE", "write the facts as JSON (- for stdout) and judge nothing" },
	{ "names", 0, NULL, "let host and relation names into the facts" },
	{ "seconds", 's', "N", "watch the counters so long: the write ledger" },
	{ "verbose", 'v', NULL, "all of it: reasons, risks, undo, evidence, both camps" },
	{ "format", 'f', "FORMAT", "text, json or html" },
	{ "output", 'o', "FILE", "write there instead of stdout" },
	{ "fail-on", 0, "SEVERITY",
		"exit 3 if a finding is at least danger (default), cost or hint; never" },
	{ "nagios", 0, NULL, "one line and exit code for monitoring: 0 1 2 3" },
	{ "explain", 0, "ID", "print one rule in long form, look at nothing" },
	{ "fix-script", 0, NULL, "print the fixes as a commented shell script; runs nothing" },
	{ 0 },
};

static const char *value_of(const struct command_line *line, const char *option)
{
	return command_value(&doctor_command, line, option);
}

/* "name='value' " with quotes and backslashes escaped, as conninfo strings want it. */
static void add_keyword(struct strbuf *conninfo, const char *name, const char *value)
{
	if (!value)
		return;
	strbuf_add_format(conninfo, "%s='", name);
	for (; *value; value++) {
		if (*value == '\'' || *value == '\\')
			strbuf_add_char(conninfo, '\\');
		strbuf_add_char(conninfo, *value);
	}
	strbuf_add_text(conninfo, "' ");
}

/* The connection asked for; NULL if only a folder is to be looked at. */
static const char *connection_of(const struct command_line *line, struct strbuf *conninfo)
{
	const char *whole = value_of(line, "connection");
	const char *dbname = value_of(line, "dbname");

	if (whole)
		return whole;
	add_keyword(conninfo, "host", value_of(line, "host"));
	add_keyword(conninfo, "port", value_of(line, "port"));
	add_keyword(conninfo, "user", value_of(line, "user"));
	if (conninfo->length == 0 && !dbname && value_of(line, "data-directory"))
		return NULL;
	if (!dbname && !getenv("PGDATABASE") && !getenv("PGSERVICE"))
		dbname = "postgres";
	add_keyword(conninfo, "dbname", dbname);
	return conninfo->data;
}

static int parse_seconds(const struct command_line *line, int *ret_seconds, struct err *err)
{
	const char *text = value_of(line, "seconds");
	char *end;

	*ret_seconds = 0;
	if (!text)
		return 0;
	long seconds = strtol(text, &end, 10);
	if (end == text || *end || seconds < 1 || seconds > SECONDS_MAX)
		return err_set(err, -EINVAL, "--seconds '%s': a whole number from 1 to %d", text,
			SECONDS_MAX);
	*ret_seconds = (int)seconds;
	return 0;
}

static int get_facts(const struct command_line *line, json_t **ret_facts, struct err *err)
{
	struct strbuf conninfo = STRBUF_INIT;
	struct collect_options collect = {
		.data_directory = value_of(line, "data-directory"),
		.bin_directory = value_of(line, "bin-directory"),
		.names = command_flag(&doctor_command, line, "names"),
		.clock = clock_system(),
	};

	if (value_of(line, "facts"))
		return facts_load(value_of(line, "facts"), ret_facts, err);
	int r = parse_seconds(line, &collect.seconds, err);
	if (r == 0) {
		collect.connection = connection_of(line, &conninfo);
		r = collect_facts(&collect, ret_facts, err);
	}
	strbuf_release(&conninfo);
	return r;
}

static int write_output(const char *path, const struct strbuf *text, struct err *err)
{
	if (path && strcmp(path, "-") != 0)
		return file_write_atomic(path, text->data, text->length, 0600, err);
	fwrite(text->data, 1, text->length, stdout);
	return 0;
}

/* Severity of --fail-on as a number; 3 for never. -EINVAL. */
static int parse_fail_on(const struct command_line *line, struct err *err)
{
	static const char *const words[] = { "hint", "cost", "danger", "never" };
	const char *text = value_of(line, "fail-on");

	for (int i = 0; i < 4; i++)
		if (strcmp(text ? text : "danger", words[i]) == 0)
			return i;
	return err_set(err, -EINVAL, "--fail-on '%s': hint, cost, danger or never", text);
}

static int judge(const struct command_line *line, const json_t *facts, struct err *err)
{
	struct doctor doctor;
	struct strbuf text = STRBUF_INIT;
	const char *format = value_of(line, "format");
	int fail_on = parse_fail_on(line, err), code = EXIT_DONE;

	if (fail_on < 0 || doctor_init(&doctor, facts, err) < 0)
		return command_fail(&doctor_command, err, EXIT_USAGE);
	if (fail_on <= SEVERITY_DANGER &&
		diagnosis_count(&doctor.diagnosis, (enum severity)fail_on) > 0)
		code = EXIT_FINDINGS;
	if (command_flag(&doctor_command, line, "nagios"))
		code = doctor_nagios(&doctor, &text);
	else if (command_flag(&doctor_command, line, "fix-script"))
		doctor_fix_script(&doctor, &text);
	else if (!format || strcmp(format, "text") == 0)
		doctor_text(&doctor, command_flag(&doctor_command, line, "verbose"), &text);
	else if (strcmp(format, "json") == 0)
		doctor_json(&doctor, &text);
	else if (strcmp(format, "html") == 0)
		doctor_html(&doctor, &text);
	else
		err_set(err, -EINVAL, "--format '%s': text, json or html", format);
	if (err->code == 0)
		write_output(value_of(line, "output"), &text, err);
	if (err->code != 0)
		code = command_fail(&doctor_command, err, EXIT_USAGE);
	strbuf_release(&text);
	doctor_release(&doctor);
	return code;
}

static int collect_only(const char *path, const json_t *facts, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int r = facts_format(facts, &text, err);

	if (r == 0)
		r = write_output(path, &text, err);
	strbuf_release(&text);
	return r < 0 ? command_fail(&doctor_command, err, EXIT_USAGE) : EXIT_DONE;
}

static int explain(const char *id)
{
	struct err err = ERR_INIT;
	struct strbuf text = STRBUF_INIT;
	const struct check *check = check_find(id);

	if (!check) {
		err_set(&err, -ENOENT, "no rule '%s'", id);
		err_hint(&err, err.code, "plumb document rules.md prints all of them");
		return command_fail(&doctor_command, &err, EXIT_USAGE);
	}
	doctor_explain(check, &text);
	fputs(text.data, stdout);
	strbuf_release(&text);
	return EXIT_DONE;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct command_line line;
	struct err err = ERR_INIT;
	json_t *facts = NULL;
	int r = command_parse(command, argc, argv, &line);

	if (r != 0)
		return r < 0 ? EXIT_USAGE : EXIT_DONE;
	if (value_of(&line, "explain"))
		return explain(value_of(&line, "explain"));
	r = get_facts(&line, &facts, &err);
	if (r < 0 && command_flag(command, &line, "nagios")) {
		printf("DOCTOR UNKNOWN - could not look: %.*s\n", (int)strcspn(err.message, "\n"),
			err.message);
		return EXIT_NAGIOS_UNKNOWN;
	}
	if (r < 0)
		return command_fail(command, &err, EXIT_USAGE);
	int code = value_of(&line, "collect")
			   ? collect_only(value_of(&line, "collect"), facts, &err)
			   : judge(&line, facts, &err);
	json_decref(facts);
	return code;
}

const struct command doctor_command = {
	.name = "doctor",
	.run = run,
	.options = options,
	.arguments = "",
	.summary = "look at a live system, change nothing, say what is wrong",
	.description =
		"Reads a PostgreSQL server and the filesystems, pools and disks under it, and "
		"prints "
		"findings, worst first: what is set, why it matters, what it costs or risks, the "
		"command that fixes it and the one that undoes it, and how good the evidence is. "
		"Nothing is written, no lock above AccessShare is taken, at most 20 statements are "
		"sent, each with a time limit of its own.\n\n"
		"What could not be seen is said, with the rules that could not be judged for it. "
		"Run it "
		"on the server's machine as root, or as the server's user, to see most.\n\n"
		"Exit code: 0 nothing at or above --fail-on, 3 otherwise, 1 could not look. With "
		"--nagios: 0 OK, 1 warning (cost), 2 critical (danger), 3 unknown, also when a "
		"rule "
		"that could be a danger was not judged.",
};
