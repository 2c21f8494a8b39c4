/*
 * One row of COPY, in binary or text form, written straight into a buffer. Inline because it is
 * the generator's inner loop. The caller keeps ROW_BYTES_MAX free before each row.
 *
 * Binary form: PostgreSQL documentation, "COPY", section "Binary Format": a row is an int16 count
 * of fields, each an int32 length (-1: NULL) and the type's send form, all big-endian. A date is
 * days since 2000-01-01; a numeric is ndigits, weight, sign, dscale (int16 each) and digits of
 * base 10000 (src/backend/utils/adt/numeric.c, numeric_send).
 */
#ifndef WORKLOAD_ANALYTIC_ROW_ENCODER_H
#define WORKLOAD_ANALYTIC_ROW_ENCODER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define ROW_BYTES_MAX 1024

struct row_encoder {
	char *at;
	bool text;
	bool first; /* of the row: no tab before it */
};

static inline void put_be16(struct row_encoder *row, uint16_t value)
{
	value = __builtin_bswap16(value);
	memcpy(row->at, &value, 2);
	row->at += 2;
}

static inline void put_be32(struct row_encoder *row, uint32_t value)
{
	value = __builtin_bswap32(value);
	memcpy(row->at, &value, 4);
	row->at += 4;
}

static inline void put_be64(struct row_encoder *row, uint64_t value)
{
	value = __builtin_bswap64(value);
	memcpy(row->at, &value, 8);
	row->at += 8;
}

static inline void put_tab(struct row_encoder *row)
{
	if (!row->first)
		*row->at++ = '\t';
	row->first = false;
}

static inline void put_digits(struct row_encoder *row, uint64_t value)
{
	char digits[20];
	int count = 0;

	do {
		digits[count++] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	while (count)
		*row->at++ = digits[--count];
}

static inline void row_begin(struct row_encoder *row, uint16_t fields)
{
	row->first = true;
	if (!row->text)
		put_be16(row, fields);
}

static inline void row_end(struct row_encoder *row)
{
	if (row->text)
		*row->at++ = '\n';
}

static inline void row_int2(struct row_encoder *row, uint16_t value)
{
	if (row->text) {
		put_tab(row);
		put_digits(row, value);
		return;
	}
	put_be32(row, 2);
	put_be16(row, value);
}

static inline void row_int4(struct row_encoder *row, uint32_t value)
{
	if (row->text) {
		put_tab(row);
		put_digits(row, value);
		return;
	}
	put_be32(row, 4);
	put_be32(row, value);
}

static inline void row_int8(struct row_encoder *row, uint64_t value)
{
	if (row->text) {
		put_tab(row);
		put_digits(row, value);
		return;
	}
	put_be32(row, 8);
	put_be64(row, value);
}

/* Text without tabs, newlines and backslashes. */
static inline void row_text(struct row_encoder *row, const char *text, uint32_t length)
{
	if (row->text)
		put_tab(row);
	else
		put_be32(row, length);
	memcpy(row->at, text, length);
	row->at += length;
}

static inline void row_null(struct row_encoder *row)
{
	if (row->text) {
		put_tab(row);
		*row->at++ = '\\';
		*row->at++ = 'N';
		return;
	}
	put_be32(row, UINT32_MAX);
}

/* numeric with two digits after the point, from hundredths */
void row_cents(struct row_encoder *row, uint64_t cents);
/* date, from days since 2000-01-01 (not negative) */
void row_date(struct row_encoder *row, uint32_t days);

#endif
