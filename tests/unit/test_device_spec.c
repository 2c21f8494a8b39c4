/* device_spec: text to stack and back; each wrong text names what is wrong. */
#include "unit/unit.h"

#include "device/device_spec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Text, and its canonical form. */
static const char *const good[][2] = {
	{ "ram:size=1M", "ram:size=1M" },
	{ "/x/y", "file:path=/x/y" },
	{ "/x/y;sector=4096", "file:path=/x/y;sector=4096" },
	{ "file:path=/x/y,size=49152M", "file:path=/x/y,size=48G" },
	{ "file:size=48G,path=/x/y;slow=2;model=ebs-gp3;sector=4096;volatile=yes;count=yes;"
	  "log=/z;seed=7",
		"file:path=/x/y,size=48G;sector=4096;model=ebs-gp3;slow=2;seed=7;volatile=256M;"
		"log=/z" },
	{ "ram:size=1G;model=intel-320,units=20,link=600e6",
		"ram:size=1G;model=intel-320,units=20,link=600e6" },
	{ "file:path=/a%2Cb%3Bc%25d,depth=8;count=no",
		"file:path=/a%2Cb%3Bc%25d,depth=8;count=no" },
	{ "ram:size=1G;model=none;slow=1;seed=1;volatile=no;physical=16K",
		"ram:size=1G;physical=16K" },
	{ "ram:size=1G;lie=yes;volatile=64M", "ram:size=1G;volatile=64M;lie=yes" },
};

static void text_and_back(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct strbuf text = STRBUF_INIT, again = STRBUF_INIT;
		struct device_spec spec = { 0 };
		struct err err = ERR_INIT;

		if (device_spec_parse(good[i][0], &spec, &err) < 0)
			fail_msg("%s", err.message);
		device_spec_format(&spec, &text);
		assert_string_equal(text.data, good[i][1]);
		assert_int_equal(device_spec_parse(text.data, &spec, &err), 0);
		device_spec_format(&spec, &again);
		assert_string_equal(again.data, text.data);
		device_spec_release(&spec);
		strbuf_release(&text);
		strbuf_release(&again);
	}
}

static void escapes_are_taken_out(void **state UNUSED)
{
	struct device_spec spec = { 0 };

	assert_int_equal(device_spec_parse("file:path=/a%2Cb%3Bc%25d", &spec, NULL), 0);
	assert_string_equal(spec.path, "/a,b;c%d");
	device_spec_release(&spec);
}

static const char *const bad[][2] = {
	{ "", "must begin with" },
	{ "disk:size=1M", "must begin with" },
	{ "ram:", "key=value" },
	{ "ram:size=0", "needs size" },
	{ "ram:size=1M,path=/x", "no path" },
	{ "file:size=1M", "needs path" },
	{ "file:path=x", "absolute" },
	{ "file:path=/x%0", "absolute" },
	{ "file:path=/x%00", "absolute" },
	{ "file:path=/x,size=many", "not a size" },
	{ "ram:size=1M,size=2M", "twice" },
	{ "ram:size=1M;sector=1024", "512 or 4096" },
	{ "ram:size=513;sector=512", "multiple" },
	{ "ram:size=1M;sektor=512", "did you mean 'sector'" },
	{ "ram:size=1M;model=ebs-gp4", "did you mean 'ebs-gp" },
	{ "ram:size=1M;model=hdd-7200,revolutions=1s", "did you mean 'revolution'" },
	{ "ram:size=1M;model=hdd-7200,revolution=-1s", "not a value" },
	{ "ram:size=1M;model=none,cache=64M", "drain_iops" },
	{ "ram:size=1M;slow=0.5", "from 1" },
	{ "ram:size=1M;slow=nan", "from 1" },
	{ "ram:size=1M;seed=-1", "from 0" },
	{ "ram:size=1M;count=maybe", "yes or no" },
	{ "ram:size=1M;physical=5000", "power of two" },
	{ "ram:size=1M;sector=4096;physical=512", "less than sector" },
	{ "ram:size=1M;;", "key=value" },
	{ "ram:size=1M,depth=0", "from 1" },
	{ "ram:size=1M;lie=yes", "lie needs volatile" },
	{ "ram:size=1M;volatile=yes;lie=often", "yes or no" },
};

static void wrong_texts_say_why(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct device_spec spec = { .seed = 99 };
		struct err err = ERR_INIT;

		assert_int_equal(device_spec_parse(bad[i][0], &spec, &err), -EINVAL);
		if (!strstr(err.message, bad[i][1]))
			fail_msg("'%s': \"%s\" does not say '%s'", bad[i][0], err.message,
				bad[i][1]);
		assert_int_equal(spec.seed, 99);
	}
}

static void whole_stack_opens_and_counts(void **state UNUSED)
{
	struct device *device = NULL;
	struct err err = ERR_INIT;
	char data[8192] = "x";
	json_t *statistics, *write;

	if (device_open_text("ram:size=64M;model=ebs-gp3;volatile=1M", &device, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(device_transfer(device, DEVICE_WRITE, 8192, 8192, data), 0);
	assert_int_equal(device_transfer(device, DEVICE_WRITE, 16384, 8192, data), 0);
	assert_int_equal(device_transfer(device, DEVICE_WRITE, 12288, 8192, data), 0);
	assert_int_equal(device_transfer(device, DEVICE_FLUSH, 0, 0, NULL), 0);
	statistics = device_statistics(device);
	write = json_object_get(json_object_get(statistics, "count"), "write");
	assert_int_equal(json_integer_value(json_object_get(write, "requests")), 3);
	assert_int_equal(json_integer_value(json_object_get(write, "bytes")), 3 * 8192);
	assert_int_equal(json_integer_value(json_object_get(write, "rewritten_bytes")), 8192);
	assert_int_equal(json_integer_value(json_object_get(
				 json_object_get(write, "distances"), "sequential")),
		1);
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(write, "sizes"), "8192")), 3);
	assert_non_null(json_object_get(statistics, "model"));
	assert_non_null(json_object_get(statistics, "volatile"));
	assert_non_null(json_object_get(statistics, "ram"));
	json_decref(statistics);
	device_close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_and_back),
		cmocka_unit_test(escapes_are_taken_out),
		cmocka_unit_test(wrong_texts_say_why),
		cmocka_unit_test(whole_stack_opens_and_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
