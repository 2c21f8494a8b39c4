/*
 * The write log: what a device was asked to change, in order, with the data. docs/format.md
 * ("write log") gives every byte. Written by log_shim.c, read by whoever replays it.
 */
#ifndef DEVICE_WRITE_LOG_H
#define DEVICE_WRITE_LOG_H

#include "base/err.h"
#include "device/device.h"
#include <stdbool.h>
#include <stdint.h>

#define WRITE_LOG_VERSION 1

struct write_log_header {
	uint64_t size_bytes; /* of the device */
	uint32_t sector_bytes;
	int64_t created_utc_ns;
};

enum write_log_kind { WRITE_LOG_SUBMIT = 1, WRITE_LOG_COMPLETE = 2 };

/* Stamps come from one counter: an event with a lower stamp happened before. A write whose
 * complete record is missing was under way when the log ended. */
struct write_log_record {
	enum write_log_kind kind;
	uint64_t stamp;
	uint64_t submit_stamp;		 /* complete: of which request; submit: stamp */
	enum device_operation operation; /* never a read */
	bool force_unit_access;
	int result; /* complete: 0 or negative errno */
	uint64_t offset;
	uint64_t size;
	const unsigned char *data; /* submit of a write: size bytes; else NULL */
};

struct write_log_writer;
/* Makes path (-EEXIST). */
int write_log_create(const char *path, const struct write_log_header *header,
	struct write_log_writer **ret_writer, struct err *err);
/* Append, in one piece, and give the record its stamp. Any thread. 0 or negative errno; after an
 * error every later call fails too. */
int write_log_append(struct write_log_writer *writer, struct write_log_record *record);
uint64_t write_log_bytes(struct write_log_writer *writer);
void write_log_writer_close(struct write_log_writer *writer); /* takes NULL */

struct write_log_reader;
int write_log_open(const char *path, struct write_log_header *ret_header,
	struct write_log_reader **ret_reader, struct err *err);
/* 1 and a record, whose data is lent until the next call; 0 at the end; -EBADMSG and where.
 * A last record that was cut off (the writer was killed) is the end. */
int write_log_next(
	struct write_log_reader *reader, struct write_log_record *ret_record, struct err *err);
bool write_log_was_cut(const struct write_log_reader *reader); /* the end was a cut record */
void write_log_reader_close(struct write_log_reader *reader);  /* takes NULL */

#endif
