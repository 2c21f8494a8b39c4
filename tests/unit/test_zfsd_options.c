/* zfsd_options: the command line of plumb-zfsd. */
#include "unit/unit.h"
#include "lib/fake_zfsd.h"

#include "zfsd/zfsd_options.h"

#include <errno.h>
#include <string.h>

static struct daemon_options options;
static struct strbuf text = STRBUF_INIT;
static struct err err = ERR_INIT;

static int parse(const char *const *words)
{
	char *arguments[20] = { (char *)"plumb-zfsd" };
	int count = 1;

	for (; words[count - 1]; count++)
		arguments[count] = (char *)words[count - 1];
	err_clear(&err);
	strbuf_clear(&text);
	return zfsd_options_parse(count, arguments, &options, &text, &err);
}

#define PARSE(...) parse((const char *const[]){ __VA_ARGS__, NULL })

static void refused(int r, int code, const char *words)
{
	assert_int_equal(r, code);
	if (!strstr(err.message, words))
		fail_msg("'%s' is not in '%s'", words, err.message);
	zfsd_options_release(&options);
}

static void defaults(void **state UNUSED)
{
	assert_int_equal(PARSE("--socket", "/a/s"), 0);
	assert_string_equal(options.socket_path, "/a/s");
	assert_null(options.log_path);
	assert_int_equal(options.ready_fd, -1);
	assert_int_equal(options.workers, 64);
	assert_int_equal(options.suspend_timeout_s, 20);
	assert_int_equal(options.kernel.arc_max_bytes, 1); /* the fake filled it in */
	assert_false(options.die_with_parent);
	assert_int_equal(text.length, 0);
	zfsd_options_release(&options);
}

static void every_option(void **state UNUSED)
{
	assert_int_equal(PARSE("--socket", "/a", "--socket", "/b", "--log", "/l", "--ready-fd", "5",
				 "--die-with-parent", "--proof", "/p", "--arc-max", "512M",
				 "--no-cache-flush"),
		0);
	assert_string_equal(options.socket_path, "/b");
	assert_string_equal(options.log_path, "/l");
	assert_string_equal(options.proof_folder, "/p");
	assert_int_equal(options.ready_fd, 5);
	assert_int_equal(options.kernel.arc_max_bytes, 512 << 20);
	assert_true(options.die_with_parent && options.kernel.no_cache_flush);
	zfsd_options_release(&options);
	assert_int_equal(
		PARSE("--self-test", "/f", "--arc-min", "1M", "--dirty-data-max", "16M",
			"--txg-timeout", "3600", "--workers", "2", "--suspend-timeout", "25"),
		0);
	assert_int_equal(options.kernel.txg_timeout_s, 3600);
	assert_int_equal(options.kernel.dirty_data_max_bytes, 16 << 20);
	assert_int_equal(options.workers, 2);
	assert_int_equal(options.suspend_timeout_s, 25);
	zfsd_options_release(&options);
}

static void wrong_use(void **state UNUSED)
{
	refused(PARSE("--log", "/l"), -EINVAL, "--socket is missing");
	refused(PARSE("--socket"), -EINVAL, "needs a value");
	refused(PARSE("--socket", "/s", "--sockets", "/s"), -EINVAL, "'--sockets'");
	refused(PARSE("/s"), -EINVAL, "no option '/s'");
	refused(PARSE("--socket", "/s", "--workers", "1"), -EINVAL, "from 2 to 4096");
	refused(PARSE("--socket", "/s", "--workers", "4097"), -EINVAL, "from 2 to 4096");
	refused(PARSE("--socket", "/s", "--workers", "many"), -EINVAL, "'many'");
	refused(PARSE("--socket", "/s", "--txg-timeout", "0"), -EINVAL, "from 1");
	refused(PARSE("--socket", "/s", "--suspend-timeout", "26"), -EINVAL, "to 25");
	refused(PARSE("--socket", "/s", "--arc-max", "lots"), -EINVAL, "not a size");
	refused(PARSE("--socket", "/s", "--arc-max", "13"), -EINVAL, "13 bytes");
}

static void help_and_version(void **state UNUSED)
{
	assert_int_equal(PARSE("--help"), 0);
	assert_non_null(strstr(text.data, "--suspend-timeout"));
	zfsd_options_release(&options);
	assert_int_equal(PARSE("--version"), 0);
	assert_non_null(strstr(text.data, "OpenZFS 2.3.9"));
	zfsd_options_release(&options);
}

static int release(void **state UNUSED)
{
	strbuf_release(&text);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(every_option),
		cmocka_unit_test(wrong_use),
		cmocka_unit_test(help_and_version),
	};

	return cmocka_run_group_tests(tests, NULL, release);
}
