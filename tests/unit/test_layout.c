/* layout: pool layouts as a study writes them. */
#include "unit/unit.h"

#include "target/layout.h"
#include <errno.h>
#include <string.h>

static void good_and_bad(void **state UNUSED)
{
	static const struct {
		const char *text;
		int code;
		enum layout_type type;
		size_t groups, width;
	} cases[] = {
		{ "stripe 1", 0, LAYOUT_STRIPE, 1, 1 },
		{ "stripe 7", 0, LAYOUT_STRIPE, 7, 1 },
		{ "2 x stripe 2", 0, LAYOUT_STRIPE, 4, 1 },
		{ "mirror 2", 0, LAYOUT_MIRROR, 1, 2 },
		{ "2 x mirror 3", 0, LAYOUT_MIRROR, 2, 3 },
		{ "raidz1 4", 0, LAYOUT_RAIDZ1, 1, 4 },
		{ "2 x raidz2 5", 0, LAYOUT_RAIDZ2, 2, 5 },
		{ "raidz3 4 ", 0, LAYOUT_RAIDZ3, 1, 4 },
		{ "", -EINVAL, 0, 0, 0 },
		{ "stripe", -EINVAL, 0, 0, 0 },
		{ "stripe 0", -EINVAL, 0, 0, 0 },
		{ "0 x mirror 2", -EINVAL, 0, 0, 0 },
		{ "mirror 1", -EINVAL, 0, 0, 0 },
		{ "raidz1 1", -EINVAL, 0, 0, 0 },
		{ "raidz2 2", -EINVAL, 0, 0, 0 },
		{ "raidz3 3", -EINVAL, 0, 0, 0 },
		{ "raidz 4", -EINVAL, 0, 0, 0 },
		{ "mirror 2 x", -EINVAL, 0, 0, 0 },
		{ "stripe 65", -EINVAL, 0, 0, 0 },
		{ "30 x mirror 30", -EINVAL, 0, 0, 0 },
		{ "stripe 99999", -EINVAL, 0, 0, 0 },
		{ "stripe -1", -EINVAL, 0, 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct layout layout = { .groups = 77 };
		struct err err = ERR_INIT;

		assert_int_equal(layout_parse(cases[i].text, &layout, &err), cases[i].code);
		if (cases[i].code < 0) {
			assert_int_equal(layout.groups, 77);
			assert_true(err.message[0] != '\0');
			continue;
		}
		assert_int_equal(layout.type, cases[i].type);
		assert_int_equal(layout.groups, cases[i].groups);
		assert_int_equal(layout.width, cases[i].width);
		assert_int_equal(layout_devices(&layout), cases[i].groups * cases[i].width);
	}
}

static void words(void **state UNUSED)
{
	struct layout layout;

	assert_int_equal(layout_parse("stripe 2", &layout, NULL), 0);
	assert_null(layout_word(&layout));
	assert_int_equal(layout_parse("raidz2 5", &layout, NULL), 0);
	assert_string_equal(layout_word(&layout), "raidz2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_and_bad),
		cmocka_unit_test(words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
