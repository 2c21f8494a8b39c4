/* volatile_shim: what was flushed stays, what was not can be dropped, reads see both. */
#include "unit/unit.h"

#include "device/shims.h"
#include "device/stores.h"

#include <stdlib.h>
#include <string.h>

static struct device *store, *device;

static int open_stack(void **state UNUSED)
{
	struct store_options options = { .size_bytes = 1 << 20 };
	struct volatile_options cache = { .limit_bytes = 64 << 10, .pass_flush = true };

	assert_int_equal(ram_store_open(&options, &store, NULL), 0);
	assert_int_equal(volatile_shim_open(store, &cache, &device, NULL), 0);
	return 0;
}

static int close_stack(void **state UNUSED)
{
	device_close(device);
	return 0;
}

static void put(uint64_t offset, uint64_t size, int value)
{
	unsigned char data[65536];

	memset(data, value, size);
	assert_int_equal(device_transfer(device, DEVICE_WRITE, offset, size, data), 0);
}

static int get(struct device *from, uint64_t offset)
{
	unsigned char data[512];

	assert_int_equal(device_transfer(from, DEVICE_READ, offset, 512, data), 0);
	for (int i = 1; i < 512; i++)
		assert_int_equal(data[i], data[0]);
	return data[0];
}

static void flush(void)
{
	assert_int_equal(device_transfer(device, DEVICE_FLUSH, 0, 0, NULL), 0);
}

static void unflushed_is_lost_flushed_is_not(void **state UNUSED)
{
	put(0, 4096, 1);
	assert_int_equal(get(device, 512), 1);
	assert_int_equal(get(store, 512), 0);
	flush();
	assert_int_equal(get(store, 512), 1);
	put(512, 512, 2);
	assert_int_equal(get(device, 512), 2);
	device_drop_unflushed(device);
	assert_int_equal(get(device, 512), 1);
	flush();
	assert_int_equal(get(store, 512), 1);
}

static void a_read_sees_cache_and_store(void **state UNUSED)
{
	unsigned char data[4096];

	put(0, 4096, 1);
	flush();
	put(1024, 1024, 2);
	assert_int_equal(device_transfer(device, DEVICE_READ, 0, 4096, data), 0);
	assert_int_equal(data[1023], 1);
	assert_int_equal(data[1024], 2);
	assert_int_equal(data[2047], 2);
	assert_int_equal(data[2048], 1);
}

static void lent_done(struct device_request *request, int result)
{
	assert_int_equal(result, 0);
	*(const unsigned char **)request->context = request->data;
}

/* What a read that may be lent memory points at when it is done. */
static const unsigned char *lent(struct device *from, unsigned char *data, uint64_t size)
{
	const unsigned char *shown = NULL;
	struct device_request request = { .operation = DEVICE_READ,
		.may_lend = true,
		.size = size,
		.data = data,
		.done = lent_done,
		.context = (void *)&shown };

	device_submit(from, &request);
	return shown;
}

static void memory_is_lent_but_not_what_is_cached(void **state UNUSED)
{
	unsigned char data[4096];
	const unsigned char *shown;

	put(0, 4096, 1);
	flush();
	shown = lent(store, data, 4096);
	assert_ptr_not_equal(shown, data);
	assert_int_equal(shown[4095], 1);
	put(1024, 1024, 2);
	shown = lent(device, data, 4096);
	assert_ptr_equal(shown, data);
	assert_int_equal(shown[1023], 1);
	assert_int_equal(shown[1024], 2);
	assert_int_equal(get(store, 1024), 1);
}

static void a_discard_takes_cached_sectors_along(void **state UNUSED)
{
	put(0, 8192, 3);
	assert_int_equal(device_transfer(device, DEVICE_DISCARD, 0, 1 << 20, NULL), 0);
	assert_int_equal(get(device, 4096), 0);
	put(4096, 512, 4);
	assert_int_equal(device_transfer(device, DEVICE_ZERO, 0, 4096, NULL), 0);
	assert_int_equal(get(device, 4096), 4);
	device_drop_unflushed(device);
	assert_int_equal(get(device, 4096), 0);
}

static void more_than_the_limit_is_written_back(void **state UNUSED)
{
	put(0, 512, 4);
	for (uint64_t i = 0; i < 3; i++)
		put(65536 * i, 65536, 6);
	device_drop_unflushed(device);
	assert_int_equal(get(device, 0), 6);
}

static void an_orderly_end_loses_nothing(void **state UNUSED)
{
	struct store_options options = { .size_bytes = 1 << 20 };
	struct volatile_options cache = { .pass_flush = false };
	json_t *statistics;

	device_close(device);
	assert_int_equal(ram_store_open(&options, &store, NULL), 0);
	assert_int_equal(volatile_shim_open(store, &cache, &device, NULL), 0);
	put(0, 4096, 7);
	statistics = device->driver->statistics(device);
	assert_int_equal(json_integer_value(json_object_get(statistics, "unflushed_bytes")), 4096);
	json_decref(statistics);
	flush();
	statistics = device->driver->statistics(device);
	assert_int_equal(json_integer_value(json_object_get(statistics, "unflushed_bytes")), 0);
	assert_int_equal(
		json_integer_value(json_object_get(statistics, "written_back_bytes")), 4096);
	json_decref(statistics);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			unflushed_is_lost_flushed_is_not, open_stack, close_stack),
		cmocka_unit_test_setup_teardown(
			a_read_sees_cache_and_store, open_stack, close_stack),
		cmocka_unit_test_setup_teardown(
			memory_is_lent_but_not_what_is_cached, open_stack, close_stack),
		cmocka_unit_test_setup_teardown(
			a_discard_takes_cached_sectors_along, open_stack, close_stack),
		cmocka_unit_test_setup_teardown(
			more_than_the_limit_is_written_back, open_stack, close_stack),
		cmocka_unit_test_setup_teardown(
			an_orderly_end_loses_nothing, open_stack, close_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
