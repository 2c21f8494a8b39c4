/* err: first failure is kept, later ones are appended, context goes in front. */
#include "unit/unit.h"

#include "base/err.h"
#include <errno.h>

static void first_code_is_kept(void **state UNUSED)
{
	struct err err = ERR_INIT;

	assert_int_equal(err_set(&err, -ENOSPC, "disk '%s' is full", "a"), -ENOSPC);
	assert_int_equal(err_set(&err, -EBUSY, "cannot unmount"), -EBUSY);
	assert_int_equal(err.code, -ENOSPC);
	assert_string_equal(err.message, "disk 'a' is full; also: cannot unmount");
	err_prefix(&err, -ENOSPC, "trial %d", 3);
	assert_string_equal(err.message, "trial 3: disk 'a' is full; also: cannot unmount");
	err_hint(&err, -ENOSPC, "free %d GB", 2);
	assert_string_equal(
		err.message, "trial 3: disk 'a' is full; also: cannot unmount\nhint: free 2 GB");
}

static void errno_text_is_added(void **state UNUSED)
{
	struct err err = ERR_INIT;

	err_set_errno(&err, -ENOENT, "cannot open 'x'");
	assert_string_equal(err.message, "cannot open 'x': No such file or directory");
	assert_int_equal(err_set(NULL, -EINVAL, "nobody listens"), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_code_is_kept),
		cmocka_unit_test(errno_text_is_added),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
