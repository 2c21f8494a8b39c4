/* subprocess: output, exit codes, signals, time-outs, missing programs. */
#include "unit/unit.h"

#include "base/subprocess.h"
#include <errno.h>
#include <string.h>

static void output_and_exit_code(void **state UNUSED)
{
	const char *const good[] = { "sh", "-c", "printf out; printf bad >&2", NULL };
	const char *const bad[] = { "sh", "-c", "printf reason >&2; exit 3", NULL };
	struct subprocess_options options = { .arguments = good };
	struct strbuf output = STRBUF_INIT, errors = STRBUF_INIT;
	struct err err = ERR_INIT;

	assert_int_equal(subprocess_run(&options, -1, &output, &errors, &err), 0);
	assert_string_equal(output.data, "out");
	assert_string_equal(errors.data, "bad");
	options.arguments = bad;
	assert_int_equal(subprocess_run(&options, -1, NULL, NULL, &err), -ECHILD);
	assert_string_equal(err.message, "'sh' ended with exit code 3: reason");
	strbuf_release(&output);
	strbuf_release(&errors);
}

static void missing_program(void **state UNUSED)
{
	const char *const arguments[] = { "no-such-program-here", NULL };
	struct err err = ERR_INIT;

	assert_int_equal(subprocess_capture(arguments, NULL, &err), -ENOENT);
	assert_string_equal(err.message, "program 'no-such-program-here' is not installed");
}

static void time_out_kills_the_group(void **state UNUSED)
{
	const char *const arguments[] = { "sh", "-c", "sleep 1000 & sleep 1000", NULL };
	struct subprocess_options options = { .arguments = arguments };
	struct err err = ERR_INIT;

	assert_int_equal(subprocess_run(&options, 100 * NS_PER_MS, NULL, NULL, &err), -ETIMEDOUT);
}

static void environment_is_added(void **state UNUSED)
{
	const char *const arguments[] = { "sh", "-c", "printf \"$PLUMB_TEST\"", NULL };
	const char *const environment[] = { "PLUMB_TEST=a b", NULL };
	struct subprocess_options options = { .arguments = arguments, .environment = environment };
	struct strbuf output = STRBUF_INIT;

	assert_int_equal(subprocess_run(&options, -1, &output, NULL, NULL), 0);
	assert_string_equal(output.data, "a b");
	strbuf_release(&output);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_and_exit_code),
		cmocka_unit_test(missing_program),
		cmocka_unit_test(time_out_kills_the_group),
		cmocka_unit_test(environment_is_added),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
