/* admin_commands, admin_datasets: what a request line becomes, on pools that only write down calls.
 */
#include "unit/unit.h"
#include "lib/fake_zfsd.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct zfsd_daemon served;

static int begin(void **state UNUSED)
{
	fake_zfsd_init(&served);
	return 0;
}

static int end(void **state UNUSED)
{
	fake_zfsd_release(&served);
	return 0;
}

static json_t *ask(const char *line)
{
	char *reply;
	json_t *parsed;

	admin_handle(&served, line, strlen(line), &reply);
	assert_int_equal(reply[strlen(reply) - 1], '\n');
	assert_ptr_equal(strchr(reply, '\n'), reply + strlen(reply) - 1);
	parsed = json_loads(reply, 0, NULL);
	free(reply);
	assert_true(json_is_object(parsed));
	return parsed;
}

/* The request is carried out and its result is this text. */
static void gives(const char *line, const char *result)
{
	json_t *reply = ask(line);
	char *text = json_dumps(json_object_get(reply, "result"), JSON_COMPACT | JSON_SORT_KEYS);

	assert_true(json_is_true(json_object_get(reply, "ok")));
	assert_string_equal(text, result);
	free(text);
	json_decref(reply);
}

/* The request is refused with this name of an errno and these words; nothing is called. */
static void refuses(const char *line, const char *name, const char *words)
{
	json_t *reply, *error;
	size_t calls = fake_zfsd_calls.length;

	reply = ask(line);
	error = json_object_get(reply, "error");
	assert_true(json_is_false(json_object_get(reply, "ok")));
	assert_string_equal(json_string_value(json_object_get(error, "name")), name);
	if (!strstr(json_string_value(json_object_get(error, "message")), words))
		fail_msg("'%s' is not in '%s'", words,
			json_string_value(json_object_get(error, "message")));
	assert_true(json_integer_value(json_object_get(error, "errno")) > 0);
	assert_int_equal(fake_zfsd_calls.length, calls);
	json_decref(reply);
}

static void called(const char *calls)
{
	assert_string_equal(fake_zfsd_calls.data, calls);
	strbuf_clear(&fake_zfsd_calls);
}

static void requests_that_are_none(void **state UNUSED)
{
	refuses("", "EINVAL", "not a JSON object");
	refuses("[]", "EINVAL", "another value");
	refuses("{\"command\":\"ping\"", "EINVAL", "not a JSON object");
	refuses("{\"command\":\"ping\",\"command\":\"ping\"}", "EINVAL", "duplicate");
	refuses("{}", "EINVAL", "no command");
	refuses("{\"command\":3}", "EINVAL", "no command");
	refuses("{\"command\":\"pong\"}", "EINVAL", "'pong'");
	refuses("{\"command\":\"ping\",\"protocol\":2}", "EPROTO", "protocol 1");
	refuses("{\"command\":\"ping\",\"protocol\":\"1\"}", "EPROTO", "protocol 1");
}

static void arguments_are_checked_first(void **state UNUSED)
{
	refuses("{\"command\":\"export\"}", "EINVAL", "'name' is missing");
	refuses("{\"command\":\"export\",\"name\":3}", "EINVAL", "'name' has the wrong type");
	refuses("{\"command\":\"export\",\"name\":null}", "EINVAL", "wrong type");
	refuses("{\"command\":\"export\",\"name\":\"a\",\"force\":1}", "EINVAL", "'force'");
	refuses("{\"command\":\"export\",\"name\":\"a\",\"forc\":true}", "EINVAL",
		"no argument 'forc'");
	refuses("{\"command\":\"ping\",\"name\":\"a\"}", "EINVAL", "no argument 'name'");
	refuses("{\"command\":\"clock\",\"name\":\"a\"}", "EINVAL", "'running' is missing");
	refuses("{\"command\":\"set\",\"name\":\"a\",\"properties\":[]}", "EINVAL", "'properties'");
	refuses("{\"command\":\"get\",\"name\":\"a\",\"properties\":{}}", "EINVAL", "'properties'");
	refuses("{\"command\":\"mount\",\"name\":\"a\",\"mountpoint\":\"b\"}", "EINVAL",
		"absolute");
	refuses("{\"command\":\"mount\",\"name\":\"a\",\"mountpoint\":\"/"
		"b\",\"options\":{\"fast\":true}}",
		"EINVAL", "options: there is no argument 'fast'");
	refuses("{\"command\":\"list\",\"type\":\"volume\"}", "EINVAL", "type 'volume'");
}

static void create_wants_whole_vdevs(void **state UNUSED)
{
	refuses("{\"command\":\"create\",\"name\":\"a\"}", "EINVAL", "needs vdevs");
	refuses("{\"command\":\"create\",\"name\":\"a\",\"vdevs\":[\"/a\"]}", "EINVAL",
		"not an object");
	refuses("{\"command\":\"create\",\"name\":\"a\",\"vdevs\":[{\"type\":\"stripe\"}]}",
		"EINVAL", "'devices' is missing");
	refuses("{\"command\":\"create\",\"name\":\"a\",\"vdevs\":[{\"devices\":[\"/a\"]}]}",
		"EINVAL", "'type' is missing");
	refuses("{\"command\":\"create\",\"name\":\"a\",\"vdevs\":[{\"type\":\"stripe\","
		"\"devices\":[\"/a\"]},"
		"{\"type\":\"stripe\",\"devices\":[\"/b\",7]}]}",
		"EINVAL", "not an array of texts");
	refuses("{\"command\":\"create\",\"name\":\"a/b\",\"vdevs\":[]}", "EINVAL", "no vdevs");
	refuses("{\"command\":\"import\",\"devices\":[]}", "EINVAL", "no devices");
	refuses("{\"command\":\"import\",\"devices\":[{}]}", "EINVAL", "not an array of texts");
}

static void pools_are_made_as_asked(void **state UNUSED)
{
	gives("{\"command\":\"create\",\"name\":\"tank\",\"vdevs\":[{\"type\":\"mirror\","
	      "\"devices\":"
	      "[\"/a\",\"/b\"]},{\"type\":\"stripe\",\"log\":true,\"devices\":[\"/c\"]}],"
	      "\"properties\":{\"ashift\":\"12\"},\"dataset_properties\":{\"atime\":\"off\"}}",
		"{\"guid\":\"77\",\"name\":\"tank\"}");
	called("pool_create tank force=0\n  mirror /a /b\n  log stripe /c\n"
	       "  pool {\"ashift\":\"12\"}\n  dataset {\"atime\":\"off\"}\n");
	gives("{\"command\":\"create\",\"name\":\"tank/a\",\"properties\":{\"recordsize\":\"8K\"},"
	      "\"parents\":true}",
		"{}");
	called("dataset_create tank/a parents=1\n  dataset {\"recordsize\":\"8K\"}\n");
	gives("{\"command\":\"import\",\"devices\":[\"/a\",\"/b\"],\"readonly\":true}",
		"{\"guid\":\"77\",\"name\":\"tank\"}");
	called("pool_import (none) force=0 readonly=1\n  /a\n  /b\n");
	gives("{\"command\":\"sync\",\"name\":\"tank\"}", "{\"txg\":42}");
	gives("{\"command\":\"scrub\",\"name\":\"tank\"}", "{}");
	gives("{\"command\":\"clock\",\"name\":\"tank\",\"running\":true}", "{}");
	called("pool_sync tank\npool_scrub tank start\npool_set_clock tank running=1\n");
}

static void pools_datasets_and_snapshots_are_told_apart(void **state UNUSED)
{
	gives("{\"command\":\"destroy\",\"name\":\"tank\"}", "{}");
	called("daemon_unmount tank whole_pool=1 force=0\npool_destroy tank\n");
	gives("{\"command\":\"destroy\",\"name\":\"tank/a\",\"recursive\":true,\"force\":true}",
		"{}");
	called("daemon_unmount tank/a whole_pool=1 force=1\ndataset_destroy tank/a recursive=1\n");
	gives("{\"command\":\"destroy\",\"name\":\"tank@s\"}", "{}");
	called("daemon_unmount tank@s whole_pool=0 force=0\ndataset_destroy tank@s recursive=0\n");
}

static void mounted_is_busy(void **state UNUSED)
{
	refuses("{\"command\":\"export\",\"name\":\"mounted\"}", "EBUSY", "mounted datasets");
	refuses("{\"command\":\"destroy\",\"name\":\"mounted/a\"}", "EBUSY", "is mounted");
	refuses("{\"command\":\"rollback\",\"name\":\"mounted/a@s\"}", "EBUSY", "is mounted");
	refuses("{\"command\":\"unmount\",\"name\":\"tank\"}", "ENOENT", "not mounted");
	gives("{\"command\":\"export\",\"name\":\"mounted\",\"force\":true}", "{}");
	called("daemon_unmount mounted whole_pool=1 force=1\npool_export mounted force=1\n");
	gives("{\"command\":\"rollback\",\"name\":\"tank@s\",\"destroy_newer\":true}", "{}");
	called("dataset_rollback tank@s destroy_newer=1\n");
}

static void mounts_take_the_daemons_workers(void **state UNUSED)
{
	gives("{\"command\":\"mount\",\"name\":\"mounted/fs\",\"mountpoint\":\"/m\",\"options\":"
	      "{\"cached\":true,\"readonly\":true,\"allow_other\":false}}",
		"{\"mountpoint\":\"/mnt\",\"replayed\":{\"records\":5}}");
	called("daemon_mount_dataset mounted/fs /m cached=1 readonly=1 allow_other=0 workers=12\n");
	gives("{\"command\":\"record_sizes\",\"name\":\"mounted/fs\"}",
		"{\"sizes\":[{\"bytes\":12345,\"files\":2,\"record_bytes\":8192}]}");
	called("filesystem_record_sizes mounted\n");
}

static void listed_with_the_columns_of_zfs_list(void **state UNUSED)
{
	json_t *reply = ask("{\"command\":\"list\"}"), *properties;
	const json_t *rows = json_object_get(json_object_get(reply, "result"), "rows");

	properties = json_object_get(json_array_get(rows, 0), "properties");
	assert_int_equal(json_array_size(rows), 1);
	assert_int_equal(json_object_size(properties), 4);
	assert_non_null(json_object_get(properties, "mountpoint"));
	json_decref(reply);
	reply = ask("{\"command\":\"list\",\"type\":\"pool\",\"properties\":[\"size\"]}");
	rows = json_object_get(json_object_get(reply, "result"), "rows");
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(rows, 0), "type")), "pool");
	json_decref(reply);
	strbuf_clear(&fake_zfsd_calls);
	reply = ask(
		"{\"command\":\"get\",\"name\":\"tank\",\"properties\":[\"all\"],\"pool\":true}");
	called("property_get_pool tank\n  names (none)\n");
	json_decref(reply);
}

/* A long name is cut in the sentence, even inside a character. */
static void sentences_are_utf8(void **state UNUSED)
{
	for (size_t shift = 0; shift < 2; shift++) {
		struct strbuf line = STRBUF_INIT;
		json_t *reply;

		strbuf_add_format(
			&line, "{\"command\":\"export\",\"name\":\"missing%.*s", (int)shift, "x");
		for (int i = 0; i < 3000; i++)
			strbuf_add_text(&line, "\xc3\xa9");
		strbuf_add_text(&line, "\"}");
		reply = ask(line.data);
		assert_true(json_string_length(json_object_get(
				    json_object_get(reply, "error"), "message")) > 1000);
		json_decref(reply);
		strbuf_release(&line);
	}
}

static void the_end_is_told(void **state UNUSED)
{
	uint64_t told = 0;

	gives("{\"command\":\"shutdown\",\"force\":true}", "{}");
	called("daemon_stop_all (none) force=1\n");
	assert_int_equal(read(served.stop_fd, &told, sizeof(told)), sizeof(told));
	gives("{\"command\":\"crash\"}", "{}");
	called("__wrap_kill (none) 9\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(requests_that_are_none, begin, end),
		cmocka_unit_test_setup_teardown(arguments_are_checked_first, begin, end),
		cmocka_unit_test_setup_teardown(create_wants_whole_vdevs, begin, end),
		cmocka_unit_test_setup_teardown(pools_are_made_as_asked, begin, end),
		cmocka_unit_test_setup_teardown(
			pools_datasets_and_snapshots_are_told_apart, begin, end),
		cmocka_unit_test_setup_teardown(mounted_is_busy, begin, end),
		cmocka_unit_test_setup_teardown(mounts_take_the_daemons_workers, begin, end),
		cmocka_unit_test_setup_teardown(listed_with_the_columns_of_zfs_list, begin, end),
		cmocka_unit_test_setup_teardown(sentences_are_utf8, begin, end),
		cmocka_unit_test_setup_teardown(the_end_is_told, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
