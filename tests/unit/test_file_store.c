/* file_store: contents, alignment, holes, sizes, the lock, an error for each wrong opening. */
#include "unit/unit.h"

#include "device/stores.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[64];

static int make_path(void **state UNUSED)
{
	snprintf(path, sizeof(path), "/var/tmp/plumb-test-XXXXXX");
	close(mkstemp(path));
	return 0;
}

static int remove_path(void **state UNUSED)
{
	unlink(path);
	return 0;
}

static struct device *open_store(uint64_t size_bytes)
{
	struct store_options options = { .size_bytes = size_bytes, .logical_sector_bytes = 4096 };
	struct device *device = NULL;
	struct err err = ERR_INIT;

	if (file_store_open(path, &options, &device, &err) < 0)
		fail_msg("%s", err.message);
	return device;
}

static void unaligned_data_comes_back(void **state UNUSED)
{
	struct device *device = open_store(8 << 20);
	unsigned char *data = malloc(65536 + 1), *got = malloc(65536 + 3);

	for (int i = 0; i < 65536; i++)
		data[1 + i] = (unsigned char)(i * 7 + i / 256);
	assert_int_equal(device_transfer(device, DEVICE_WRITE, 12288, 65536, data + 1), 0);
	assert_int_equal(device_transfer(device, DEVICE_FLUSH, 0, 0, NULL), 0);
	assert_int_equal(device_transfer(device, DEVICE_READ, 12288, 65536, got + 3), 0);
	assert_memory_equal(data + 1, got + 3, 65536);
	device_close(device);
	device = open_store(0);
	assert_int_equal(device_transfer(device, DEVICE_READ, 12288, 65536, got + 3), 0);
	assert_memory_equal(data + 1, got + 3, 65536);
	device_close(device);
	free(data);
	free(got);
}

static uint64_t allocated_bytes(void)
{
	struct stat info;

	assert_int_equal(stat(path, &info), 0);
	return (uint64_t)info.st_blocks * 512;
}

static void discard_gives_zeros_and_space_back(void **state UNUSED)
{
	struct device *device = open_store(8 << 20);
	unsigned char *data = malloc(1 << 20);

	memset(data, 0xa5, 1 << 20);
	assert_int_equal(device_transfer(device, DEVICE_WRITE, 0, 1 << 20, data), 0);
	assert_true(allocated_bytes() >= 1 << 20);
	assert_int_equal(device_transfer(device, DEVICE_ZERO, 4096, 8192, NULL), 0);
	assert_int_equal(device_transfer(device, DEVICE_READ, 0, 16384, data), 0);
	assert_int_equal(data[4095], 0xa5);
	assert_int_equal(data[4096], 0);
	assert_int_equal(data[12287], 0);
	assert_int_equal(data[12288], 0xa5);
	/* Longer than a transfer may be. */
	assert_int_equal(device_transfer(device, DEVICE_DISCARD, 0, 8 << 20, NULL), 0);
	assert_int_equal(device_transfer(device, DEVICE_READ, 0, 4096, data), 0);
	assert_int_equal(data[0], 0);
	device_close(device);
	assert_true(allocated_bytes() < 65536);
	free(data);
}

static void second_attachment_is_refused(void **state UNUSED)
{
	struct device *device = open_store(1 << 20), *second = NULL;
	struct store_options options = { .logical_sector_bytes = 4096 };
	struct err err = ERR_INIT;

	assert_int_equal(file_store_open(path, &options, &second, &err), -EBUSY);
	assert_non_null(strstr(err.message, path));
	assert_non_null(strstr(err.message, "another device"));
	assert_null(second);
	device_close(device);
	device_close(open_store(0));
}

static void wrong_openings_say_why(void **state UNUSED)
{
	static const struct {
		struct store_options options;
		int error;
		const char *word;
	} cases[] = {
		{ { .size_bytes = 0 }, -EINVAL, "no size" },
		{ { .size_bytes = 1 << 20, .logical_sector_bytes = 1024 }, -EINVAL, "512 or 4096" },
		{ { .size_bytes = 1000 }, -EINVAL, "multiple" },
		{ { .size_bytes = 1 << 20, .physical_block_bytes = 3000 }, -EINVAL,
			"power of two" },
		{ { .size_bytes = 1 << 20, .queue_depth = 100000 }, -EINVAL, "queue depth" },
	};
	struct store_options smaller = { .size_bytes = 4096 };
	struct device *device = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = ERR_INIT;

		assert_int_equal(
			file_store_open(path, &cases[i].options, &device, &err), cases[i].error);
		assert_non_null(strstr(err.message, cases[i].word));
		assert_null(device);
	}
	assert_int_equal(truncate(path, 8192), 0);
	assert_int_equal(file_store_open(path, &smaller, &device, NULL), -EINVAL);
	assert_int_equal(file_store_open("/var/tmp", &smaller, &device, NULL), -EISDIR);
	assert_int_equal(file_store_open("/nowhere/x", &smaller, &device, NULL), -ENOENT);
}

static void rules_of_submitters_are_checked(void **state UNUSED)
{
	struct device *device = open_store(1 << 20);
	unsigned char data[8192] = { 0 };

	assert_int_equal(device_transfer(device, DEVICE_READ, 512, 4096, data), -EINVAL);
	assert_int_equal(device_transfer(device, DEVICE_READ, 4096, 0, data), -EINVAL);
	assert_int_equal(device_transfer(device, DEVICE_READ, 1 << 20, 4096, data), -EINVAL);
	assert_int_equal(
		device_transfer(device, DEVICE_WRITE, UINT64_MAX - 4095, 8192, data), -EINVAL);
	assert_int_equal(device_transfer(device, DEVICE_WRITE, 0, 2 << 20, data), -EINVAL);
	assert_int_equal(device_transfer(device, DEVICE_FLUSH, 0, 4096, NULL), -EINVAL);
	device_close(device);
}

static void clone_has_the_contents_and_is_apart(void **state UNUSED)
{
	struct device *device = open_store(1 << 20), *copy = NULL;
	struct store_options options = { .logical_sector_bytes = 4096 };
	unsigned char data[4096], got[4096];
	struct err err = ERR_INIT;
	char clone_path[80];

	snprintf(clone_path, sizeof(clone_path), "%s.clone", path);
	memset(data, 7, sizeof(data));
	assert_int_equal(device_transfer(device, DEVICE_WRITE, 65536, 4096, data), 0);
	assert_int_equal(device_clone(device, clone_path, &err), 0);
	memset(data, 8, sizeof(data));
	assert_int_equal(device_transfer(device, DEVICE_WRITE, 65536, 4096, data), 0);
	assert_int_equal(device_clone(device, clone_path, &err), -EEXIST);
	assert_int_equal(file_store_open(clone_path, &options, &copy, NULL), 0);
	assert_int_equal(device_transfer(copy, DEVICE_READ, 65536, 4096, got), 0);
	assert_int_equal(got[0], 7);
	device_close(copy);
	device_close(device);
	unlink(clone_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(unaligned_data_comes_back, make_path, remove_path),
		cmocka_unit_test_setup_teardown(
			discard_gives_zeros_and_space_back, make_path, remove_path),
		cmocka_unit_test_setup_teardown(
			second_attachment_is_refused, make_path, remove_path),
		cmocka_unit_test_setup_teardown(wrong_openings_say_why, make_path, remove_path),
		cmocka_unit_test_setup_teardown(
			rules_of_submitters_are_checked, make_path, remove_path),
		cmocka_unit_test_setup_teardown(
			clone_has_the_contents_and_is_apart, make_path, remove_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
