/* near: distances by hand, and which words count as slips. */
#include "unit/unit.h"

#include "base/near.h"

#include <string.h>

static void distances(void **state UNUSED)
{
	static const struct {
		const char *a, *b;
		size_t distance;
	} cases[] = {
		{ "", "", 0 }, { "", "abc", 3 }, { "record", "record", 0 },
		{ "Record", "rECORD", 0 },
		{ "recrodsize", "recordsize", 1 }, /* neighbours swapped */
		{ "recordsiz", "recordsize", 1 }, { "recordssize", "recordsize", 1 },
		{ "kitten", "sitting", 3 },
		{ "ca", "abc", 3 }, /* restricted: no edit between swapped letters */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(near_distance(cases[i].a, cases[i].b), cases[i].distance);
		assert_int_equal(near_distance(cases[i].b, cases[i].a), cases[i].distance);
	}
}

static void long_words_stay_inside(void **state UNUSED)
{
	char a[400], b[400];

	memset(a, 'a', sizeof(a) - 1);
	memset(b, 'b', sizeof(b) - 1);
	a[sizeof(a) - 1] = b[sizeof(b) - 1] = '\0';
	assert_int_equal(near_distance(a, b), 63);
}

static void only_slips_are_near(void **state UNUSED)
{
	assert_string_equal(near_better("reprot", NULL, "report"), "report");
	assert_string_equal(near_better("reprot", "report", "run"), "report");
	assert_string_equal(near_better("rum", "sum", "run"), "sum"); /* the first of equals */
	assert_null(near_better("xyz", NULL, "report"));
	assert_null(near_better("ru", NULL, "list"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances),
		cmocka_unit_test(long_words_stay_inside),
		cmocka_unit_test(only_slips_are_near),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
