/* Bytes of the write log (see write_log.h and docs/format.md): all numbers little-endian. */
#include "device/write_log.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define HEADER_BYTES   64
#define RECORD_BYTES   64
#define HEADER_MAGIC   "PLUMBLOG"
#define RECORD_MAGIC   0x52574c50U /* "PLWR" */
#define FLAG_DURABLE   1U
#define MOST_DATA      (64U << 20) /* a larger size is damage, not data */
#define CHECKSUM_PLACE 56

struct write_log_writer {
	int fd;
	pthread_mutex_t lock;
	uint64_t stamp;
	uint64_t bytes;
	int error;
};

struct write_log_reader {
	FILE *file;
	char *path;
	uint64_t place;
	unsigned char *data;
	size_t data_size;
	bool cut;
};

static void put_number(unsigned char *place, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		place[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get_number(const unsigned char *place, int bytes)
{
	uint64_t value = 0;

	for (int i = 0; i < bytes; i++)
		value |= (uint64_t)place[i] << (8 * i);
	return value;
}

/* Over the bytes before the checksum, and the data. */
static uint64_t checksum(const unsigned char *head, const void *data, size_t data_size)
{
	struct hash_state *state = hash_new();
	struct hash128 hash;

	hash_add(state, head, CHECKSUM_PLACE);
	hash_add(state, data, data_size);
	hash = hash_finish(state);
	hash_free(state);
	return hash.low;
}

static int write_whole(int fd, struct iovec *vectors, int count)
{
	while (count > 0) {
		ssize_t put = writev(fd, vectors, count);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		for (; count > 0 && (size_t)put >= vectors->iov_len; vectors++, count--)
			put -= (ssize_t)vectors->iov_len;
		if (count > 0) {
			vectors->iov_base = (char *)vectors->iov_base + put;
			vectors->iov_len -= (size_t)put;
		}
	}
	return 0;
}

int write_log_create(const char *path, const struct write_log_header *header,
	struct write_log_writer **ret_writer, struct err *err)
{
	unsigned char head[HEADER_BYTES] = { 0 };
	struct iovec vector = { head, sizeof(head) };
	struct write_log_writer *writer;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int r;

	if (fd < 0)
		return err_set_errno(err, -errno, "cannot make the write log '%s'", path);
	memcpy(head, HEADER_MAGIC, 8);
	put_number(head + 8, WRITE_LOG_VERSION, 4);
	put_number(head + 12, header->sector_bytes, 4);
	put_number(head + 16, header->size_bytes, 8);
	put_number(head + 24, (uint64_t)header->created_utc_ns, 8);
	put_number(head + CHECKSUM_PLACE, checksum(head, "", 0), 8);
	r = write_whole(fd, &vector, 1);
	if (r < 0) {
		close(fd);
		unlink(path);
		return err_set_errno(err, r, "cannot write the write log '%s'", path);
	}
	writer = memory_new(sizeof(*writer));
	writer->fd = fd;
	writer->bytes = sizeof(head);
	pthread_mutex_init(&writer->lock, NULL);
	*ret_writer = writer;
	return 0;
}

static void encode_record(const struct write_log_record *record, unsigned char *head)
{
	size_t data_size = record->data ? record->size : 0;

	memset(head, 0, RECORD_BYTES);
	put_number(head, RECORD_MAGIC, 4);
	head[4] = (unsigned char)record->kind;
	head[5] = (unsigned char)record->operation;
	head[6] = record->force_unit_access ? FLAG_DURABLE : 0;
	put_number(head + 8, record->stamp, 8);
	put_number(head + 16, record->submit_stamp, 8);
	put_number(head + 24, record->offset, 8);
	put_number(head + 32, record->size, 8);
	put_number(head + 40, data_size, 8);
	put_number(head + 48, (uint64_t)(uint32_t)-record->result, 8);
	put_number(head + CHECKSUM_PLACE, checksum(head, record->data, data_size), 8);
}

int write_log_append(struct write_log_writer *writer, struct write_log_record *record)
{
	unsigned char head[RECORD_BYTES];
	struct iovec vectors[2] = { { head, sizeof(head) },
		{ (void *)record->data, record->data ? record->size : 0 } };
	int r;

	pthread_mutex_lock(&writer->lock);
	record->stamp = ++writer->stamp;
	if (record->kind == WRITE_LOG_SUBMIT)
		record->submit_stamp = record->stamp;
	encode_record(record, head);
	if (writer->error == 0)
		writer->error = write_whole(writer->fd, vectors, record->data ? 2 : 1);
	r = writer->error;
	if (r == 0)
		writer->bytes += sizeof(head) + (record->data ? record->size : 0);
	pthread_mutex_unlock(&writer->lock);
	return r;
}

uint64_t write_log_bytes(struct write_log_writer *writer)
{
	uint64_t bytes;

	pthread_mutex_lock(&writer->lock);
	bytes = writer->bytes;
	pthread_mutex_unlock(&writer->lock);
	return bytes;
}

void write_log_writer_close(struct write_log_writer *writer)
{
	if (!writer)
		return;
	close(writer->fd);
	pthread_mutex_destroy(&writer->lock);
	free(writer);
}

static int decode_header(
	const unsigned char *head, struct write_log_header *ret_header, struct err *err)
{
	if (memcmp(head, HEADER_MAGIC, 8) != 0)
		return err_set(err, -EBADMSG, "not a write log");
	if (get_number(head + CHECKSUM_PLACE, 8) != checksum(head, "", 0))
		return err_set(err, -EBADMSG, "its header is damaged");
	if (get_number(head + 8, 4) != WRITE_LOG_VERSION)
		return err_set(err, -EBADMSG, "version %" PRIu64 ", this program reads %d",
			get_number(head + 8, 4), WRITE_LOG_VERSION);
	ret_header->sector_bytes = (uint32_t)get_number(head + 12, 4);
	ret_header->size_bytes = get_number(head + 16, 8);
	ret_header->created_utc_ns = (int64_t)get_number(head + 24, 8);
	return 0;
}

int write_log_open(const char *path, struct write_log_header *ret_header,
	struct write_log_reader **ret_reader, struct err *err)
{
	unsigned char head[HEADER_BYTES];
	struct write_log_reader *reader;
	FILE *file = fopen(path, "rbe");
	int r;

	if (!file)
		return err_set_errno(err, -errno, "cannot open the write log '%s'", path);
	if (fread(head, sizeof(head), 1, file) != 1)
		r = err_set(err, -EBADMSG, "too short");
	else
		r = decode_header(head, ret_header, err);
	if (r < 0) {
		fclose(file);
		return err_prefix(err, r, "write log '%s'", path);
	}
	reader = memory_new(sizeof(*reader));
	reader->file = file;
	reader->path = memory_copy_string(path);
	reader->place = sizeof(head);
	*ret_reader = reader;
	return 0;
}

static bool decode_record(const unsigned char *head, struct write_log_record *record)
{
	record->kind = (enum write_log_kind)head[4];
	record->operation = (enum device_operation)head[5];
	record->force_unit_access = head[6] & FLAG_DURABLE;
	record->stamp = get_number(head + 8, 8);
	record->submit_stamp = get_number(head + 16, 8);
	record->offset = get_number(head + 24, 8);
	record->size = get_number(head + 32, 8);
	record->result = -(int)get_number(head + 48, 4);
	record->data = NULL;
	return get_number(head, 4) == RECORD_MAGIC &&
	       (record->kind == WRITE_LOG_SUBMIT || record->kind == WRITE_LOG_COMPLETE) &&
	       record->operation > DEVICE_READ && record->operation < DEVICE_OPERATION_COUNT;
}

static bool read_data(struct write_log_reader *reader, size_t size)
{
	if (size > reader->data_size) {
		reader->data = memory_resize(reader->data, size, 1);
		reader->data_size = size;
	}
	return fread(reader->data, size, 1, reader->file) == 1;
}

int write_log_next(
	struct write_log_reader *reader, struct write_log_record *ret_record, struct err *err)
{
	unsigned char head[RECORD_BYTES];
	struct write_log_record record;
	size_t got = fread(head, 1, sizeof(head), reader->file);
	uint64_t data_size;

	if (got < sizeof(head)) {
		reader->cut |= got > 0;
		return 0;
	}
	data_size = get_number(head + 40, 8);
	if (!decode_record(head, &record) || data_size > MOST_DATA ||
		(data_size > 0 && (data_size != record.size || record.operation != DEVICE_WRITE)))
		goto damaged;
	if (data_size > 0 && !read_data(reader, data_size)) {
		reader->cut = true;
		return 0;
	}
	if (get_number(head + CHECKSUM_PLACE, 8) !=
		checksum(head, data_size > 0 ? reader->data : NULL, data_size))
		goto damaged;
	if (data_size > 0)
		record.data = reader->data;
	reader->place += sizeof(head) + data_size;
	*ret_record = record;
	return 1;

damaged:
	return err_set(err, -EBADMSG, "write log '%s': damaged at byte %" PRIu64, reader->path,
		reader->place);
}

bool write_log_was_cut(const struct write_log_reader *reader)
{
	return reader->cut;
}

void write_log_reader_close(struct write_log_reader *reader)
{
	if (!reader)
		return;
	fclose(reader->file);
	free(reader->path);
	free(reader->data);
	free(reader);
}
