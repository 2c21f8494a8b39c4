/* value: every unit, exactness, and outputs untouched on failure. */
#include "unit/unit.h"

#include "setting/setting.h"
#include <errno.h>

static const struct {
	const char *text;
	int error;
	uint64_t bytes;
} sizes[] = {
	{ "8K", 0, 8192 },
	{ "8kB", 0, 8192 },
	{ "8192", 0, 8192 },
	{ "1M", 0, 1 << 20 },
	{ "1.5M", 0, 1572864 },
	{ "32 MB", 0, 32 << 20 },
	{ "48G", 0, 48ULL << 30 },
	{ "0", 0, 0 },
	{ "", -EINVAL, 7 },
	{ "K", -EINVAL, 7 },
	{ "9Z", -EINVAL, 7 },
	{ "8Kx", -EINVAL, 7 },
	{ "-1", -EINVAL, 7 },
	{ "1.2.3K", -EINVAL, 7 },
	{ ".5K", -EINVAL, 7 },
	{ "0.3", -EINVAL, 7 },
	{ "16777216T", -ERANGE, 7 },
};

static void size_cases(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		uint64_t bytes = 7;

		assert_int_equal(size_parse(sizes[i].text, &bytes), sizes[i].error);
		assert_true(bytes == sizes[i].bytes);
	}
}

static const struct {
	const char *text;
	int error;
	int64_t ns;
} times[] = {
	{ "30", 0, 30 * NS_PER_S },
	{ "30s", 0, 30 * NS_PER_S },
	{ "250us", 0, 250000 },
	{ "0.5ms", 0, 500000 },
	{ "15min", 0, 900 * NS_PER_S },
	{ "2h", 0, 7200 * NS_PER_S },
	{ "1d", 0, 86400 * NS_PER_S },
	{ "10 years", -EINVAL, 7 },
	{ "9999999999d", -ERANGE, 7 },
};

static void time_cases(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		int64_t ns = 7;

		assert_int_equal(duration_parse(times[i].text, &ns), times[i].error);
		assert_true(ns == times[i].ns);
	}
}

static void other_values(void **state UNUSED)
{
	double real = 7;
	int64_t whole = 7;
	bool value = true;

	assert_int_equal(percent_parse("2%", &real), 0);
	assert_true(real == 0.02);
	assert_int_equal(percent_parse("2", &real), -EINVAL);
	assert_int_equal(real_parse("nan", &real), -EINVAL);
	assert_int_equal(real_parse("1e999", &real), -ERANGE);
	assert_true(real == 0.02);
	assert_int_equal(integer_parse("-12", &whole), 0);
	assert_true(whole == -12);
	assert_int_equal(integer_parse("1.0", &whole), -EINVAL);
	assert_int_equal(integer_parse("99999999999999999999", &whole), -ERANGE);
	assert_int_equal(boolean_parse("No", &value), 0);
	assert_false(value);
	assert_int_equal(boolean_parse("maybe", &value), -EINVAL);
}

static void formats(void **state UNUSED)
{
	struct strbuf text = STRBUF_INIT;

	size_format(8192, &text);
	strbuf_add_char(&text, ' ');
	size_format(1000, &text);
	strbuf_add_char(&text, ' ');
	duration_format(900 * NS_PER_S, &text);
	strbuf_add_char(&text, ' ');
	duration_format(1500 * NS_PER_MS, &text);
	strbuf_add_char(&text, ' ');
	size_format_human(1.5e9, &text);
	strbuf_add_char(&text, ' ');
	duration_format_human(4.6e6, &text);
	assert_string_equal(text.data, "8K 1000 15min 1500ms 1.40 GB 4.60 ms");
	strbuf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(size_cases),
		cmocka_unit_test(time_cases),
		cmocka_unit_test(other_values),
		cmocka_unit_test(formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
