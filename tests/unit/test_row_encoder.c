/* COPY's two forms, field by field, against bytes and texts worked out by hand. */
#include "unit.h"

#include "workload/analytic/row_encoder.h"

static char block[ROW_BYTES_MAX];

static struct row_encoder encoder(bool text)
{
	struct row_encoder row = { .at = block, .text = text };

	row_begin(&row, 1);
	return row;
}

static void check(const struct row_encoder *row, const void *bytes, size_t length)
{
	assert_int_equal((size_t)(row->at - block), length);
	assert_memory_equal(block, bytes, length);
}

/* numeric_send: ndigits, weight, sign, dscale, digits */
static const struct {
	uint64_t cents;
	const char *text;
	size_t length;
	unsigned char binary[24]; /* after the field count */
} numerics[] = {
	{ 0, "0.00", 12, { 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 2 } },
	{ 1, "0.01", 14, { 0, 0, 0, 10, 0, 1, 0xff, 0xff, 0, 0, 0, 2, 0, 100 } },
	{ 50, "0.50", 14, { 0, 0, 0, 10, 0, 1, 0xff, 0xff, 0, 0, 0, 2, 0x13, 0x88 } },
	{ 123, "1.23", 16, { 0, 0, 0, 12, 0, 2, 0, 0, 0, 0, 0, 2, 0, 1, 0x08, 0xfc } },
	{ 1000000, "10000.00", 14, { 0, 0, 0, 10, 0, 1, 0, 1, 0, 0, 0, 2, 0, 1 } },
	{ 1000001, "10000.01", 18, { 0, 0, 0, 14, 0, 3, 0, 1, 0, 0, 0, 2, 0, 1, 0, 0, 0, 100 } },
	{ 999999999999ULL, "9999999999.99", 20,
		{ 0, 0, 0, 16, 0, 4, 0, 2, 0, 0, 0, 2, 0, 99, 0x27, 0x0f, 0x27, 0x0f, 0x26,
			0xac } },
};

static void test_numeric(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(numerics); i++) {
		struct row_encoder row = encoder(false);

		row.at = block;
		row_cents(&row, numerics[i].cents);
		check(&row, numerics[i].binary, numerics[i].length);
		row = encoder(true);
		row_cents(&row, numerics[i].cents);
		check(&row, numerics[i].text, strlen(numerics[i].text));
	}
}

static const struct {
	uint32_t days;
	const char *text;
} dates[] = {
	{ 0, "2000-01-01" },
	{ 58, "2000-02-28" },
	{ 59, "2000-02-29" },
	{ 60, "2000-03-01" },
	{ 365, "2000-12-31" },
	{ 366, "2001-01-01" },
	{ 5479, "2015-01-01" },
	{ 9131, "2024-12-31" },
	{ 36583, "2100-02-28" },
	{ 36584, "2100-03-01" },
	{ 146097, "2400-01-01" },
};

static void test_date(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(dates); i++) {
		struct row_encoder row = encoder(true);

		row_date(&row, dates[i].days);
		check(&row, dates[i].text, strlen(dates[i].text));
	}
}

static void test_row(void **state UNUSED)
{
	static const unsigned char binary[] = { 0, 5, 0, 0, 0, 2, 0, 7, 0, 0, 0, 4, 0, 1, 0, 0, 0,
		0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 'h', 'i', 0xff, 0xff, 0xff, 0xff };
	static const char text[] = "7\t65536\t4294967296\thi\t\\N\n";

	for (int form = 0; form < 2; form++) {
		struct row_encoder row = { .at = block, .text = form };

		row_begin(&row, 5);
		row_int2(&row, 7);
		row_int4(&row, 65536);
		row_int8(&row, 1ULL << 32);
		row_text(&row, "hi", 2);
		row_null(&row);
		row_end(&row);
		if (form)
			check(&row, text, sizeof(text) - 1);
		else
			check(&row, binary, sizeof(binary));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_numeric),
		cmocka_unit_test(test_date), cmocka_unit_test(test_row) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
