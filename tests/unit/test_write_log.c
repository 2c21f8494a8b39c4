/* write_log and log_shim: what goes in comes out in order; cut and damaged logs are told apart. */
#include "unit/unit.h"

#include "device/device_spec.h"
#include "device/write_log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], path[80];

static int make_folder(void **state UNUSED)
{
	snprintf(folder, sizeof(folder), "/var/tmp/plumb-test-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/log", folder);
	return 0;
}

static int remove_folder(void **state UNUSED)
{
	unlink(path);
	rmdir(folder);
	return 0;
}

/* A device whose log has a write, a flush, a discard. */
static void write_some(void)
{
	struct device *device = NULL;
	struct err err = ERR_INIT;
	unsigned char data[8192];
	char text[160];

	snprintf(text, sizeof(text), "ram:size=1M;log=%s", path);
	if (device_open_text(text, &device, &err) < 0)
		fail_msg("%s", err.message);
	memset(data, 0x5a, sizeof(data));
	assert_int_equal(device_transfer(device, DEVICE_WRITE, 4096, 8192, data), 0);
	assert_int_equal(device_transfer(device, DEVICE_READ, 4096, 8192, data), 0);
	assert_int_equal(device_transfer(device, DEVICE_FLUSH, 0, 0, NULL), 0);
	assert_int_equal(device_transfer(device, DEVICE_DISCARD, 0, 65536, NULL), 0);
	device_close(device);
}

static void events_come_back_in_order(void **state UNUSED)
{
	static const struct {
		enum write_log_kind kind;
		enum device_operation operation;
		uint64_t offset, size;
	} want[] = {
		{ WRITE_LOG_SUBMIT, DEVICE_WRITE, 4096, 8192 },
		{ WRITE_LOG_COMPLETE, DEVICE_WRITE, 4096, 8192 },
		{ WRITE_LOG_SUBMIT, DEVICE_FLUSH, 0, 0 },
		{ WRITE_LOG_COMPLETE, DEVICE_FLUSH, 0, 0 },
		{ WRITE_LOG_SUBMIT, DEVICE_DISCARD, 0, 65536 },
		{ WRITE_LOG_COMPLETE, DEVICE_DISCARD, 0, 65536 },
	};
	struct write_log_header header;
	struct write_log_reader *reader;
	struct write_log_record record;

	write_some();
	assert_int_equal(write_log_open(path, &header, &reader, NULL), 0);
	assert_int_equal(header.size_bytes, 1 << 20);
	assert_int_equal(header.sector_bytes, 512);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		assert_int_equal(write_log_next(reader, &record, NULL), 1);
		assert_int_equal(record.kind, want[i].kind);
		assert_int_equal(record.operation, want[i].operation);
		assert_int_equal(record.offset, want[i].offset);
		assert_int_equal(record.size, want[i].size);
		assert_int_equal(record.stamp, i + 1);
		assert_int_equal(record.submit_stamp, i / 2 * 2 + 1);
		assert_int_equal(record.result, 0);
		if (i == 0)
			assert_true(record.data[0] == 0x5a && record.data[8191] == 0x5a);
		else
			assert_null(record.data);
	}
	assert_int_equal(write_log_next(reader, &record, NULL), 0);
	assert_false(write_log_was_cut(reader));
	write_log_reader_close(reader);
}

static void an_existing_log_is_kept(void **state UNUSED)
{
	struct write_log_header header = { .size_bytes = 1 };
	struct write_log_writer *writer = NULL;

	write_some();
	assert_int_equal(write_log_create(path, &header, &writer, NULL), -EEXIST);
}

static int count_records(bool *ret_cut)
{
	struct write_log_header header;
	struct write_log_reader *reader;
	struct write_log_record record;
	int count = 0, r;

	r = write_log_open(path, &header, &reader, NULL);
	if (r < 0)
		return r;
	while ((r = write_log_next(reader, &record, NULL)) > 0)
		count++;
	*ret_cut = write_log_was_cut(reader);
	write_log_reader_close(reader);
	return r < 0 ? r : count;
}

static void cut_at_any_byte_it_ends_cleanly(void **state UNUSED)
{
	struct stat info;
	bool cut;

	write_some();
	assert_int_equal(stat(path, &info), 0);
	/* Six records of 64 bytes behind the header, and 8192 bytes behind the first. */
	assert_int_equal(info.st_size, 64 + 6 * 64 + 8192);
	for (off_t length = info.st_size; length >= 0; length -= length > 8800 ? 1 : 61) {
		off_t behind = length - 64, whole = 0;

		assert_int_equal(truncate(path, length), 0);
		if (length < 64) {
			assert_int_equal(count_records(&cut), -EBADMSG);
			continue;
		}
		if (behind >= 64 + 8192)
			whole = 1 + (behind - 64 - 8192) / 64;
		assert_int_equal(count_records(&cut), whole);
		assert_int_equal(cut, behind > 0 && (whole == 0 || (behind - 8192) % 64 != 0));
	}
}

static void damage_is_found(void **state UNUSED)
{
	static const long places[] = { 0, 8, 20, 56, 64, 68, 72, 90, 104, 120, 128, 5000, 8320 };

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		bool cut;
		FILE *file;
		int byte;

		unlink(path);
		write_some();
		file = fopen(path, "r+b");
		assert_non_null(file);
		fseek(file, places[i], SEEK_SET);
		byte = fgetc(file);
		fseek(file, places[i], SEEK_SET);
		fputc(byte ^ 1, file);
		fclose(file);
		assert_int_equal(count_records(&cut), -EBADMSG);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			events_come_back_in_order, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			an_existing_log_is_kept, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			cut_at_any_byte_it_ends_cleanly, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(damage_is_found, make_folder, remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
