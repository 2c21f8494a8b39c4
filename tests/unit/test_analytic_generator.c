/*
 * The analytic data set: fixed checksums however it is cut, references that hold, totals that add
 * up, skew as documented.
 */
#include "unit.h"

#include "base/memory.h"
#include "workload/analytic/analytic_generator.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Known values: a change of the generator changes data that users compare. */
static const struct {
	double scale;
	enum analytic_table_id table;
	uint64_t rows, bytes, sum;
} known[] = {
	{ 0.001, ANALYTIC_DEPOT, 400, 21761, 0x804da15e8e68a857ULL },
	{ 0.001, ANALYTIC_CARRIER, 28, 2362, 0x132d7feb83018936ULL },
	{ 0.001, ANALYTIC_ARTICLE, 220, 18027, 0x2ee70eb897c3cc6aULL },
	{ 0.001, ANALYTIC_SENDER, 300, 35434, 0x8f54c9d1d9b75a3bULL },
	{ 0.001, ANALYTIC_SHIPMENT, 1200, 131900, 0xcd75845351364a33ULL },
	{ 0.001, ANALYTIC_PARCEL, 5818, 830529, 0xdcc64ea9e8cb18aULL },
	{ 0.01, ANALYTIC_DEPOT, 400, 21761, 0x804da15e8e68a857ULL },
	{ 0.01, ANALYTIC_CARRIER, 100, 8547, 0x8f8ea333acc8bfadULL },
	{ 0.01, ANALYTIC_ARTICLE, 1300, 106107, 0xc59bef52ce84c54bULL },
	{ 0.01, ANALYTIC_SENDER, 2100, 250579, 0xc120d40111d6ce52ULL },
	{ 0.01, ANALYTIC_SHIPMENT, 10200, 1114771, 0x2883792a4e62ba64ULL },
	{ 0.01, ANALYTIC_PARCEL, 49742, 7106619, 0xe45470c524a1004cULL },
	{ 0.1, ANALYTIC_DEPOT, 400, 21761, 0x804da15e8e68a857ULL },
	{ 0.1, ANALYTIC_CARRIER, 820, 71483, 0x802c88b366c0e39aULL },
	{ 0.1, ANALYTIC_ARTICLE, 12100, 989350, 0xe1c702c997ce0e70ULL },
	{ 0.1, ANALYTIC_SENDER, 20100, 2427932, 0xb4f1721a6f957657ULL },
	{ 0.1, ANALYTIC_SHIPMENT, 100200, 10978452, 0xe352b4521c06f003ULL },
	{ 0.1, ANALYTIC_PARCEL, 490356, 70091101, 0x9072000ebf03e102ULL },
};

static void test_checksums(void **state UNUSED)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		struct analytic_generator generator;
		struct analytic_checksum sum;

		analytic_generator_init(&generator, known[i].scale, false);
		analytic_table_checksum(&generator, known[i].table, &sum);
		if (sum.rows != known[i].rows || sum.bytes != known[i].bytes ||
			sum.sum != known[i].sum)
			fail_msg("{ %g, %d, %llu, %llu, 0x%llxULL },", known[i].scale,
				known[i].table, (unsigned long long)sum.rows,
				(unsigned long long)sum.bytes, (unsigned long long)sum.sum);
	}
}

static void test_chunk_counts(void **state UNUSED)
{
	static const uint64_t cuts[] = { 1, 2, 3, 7, 64 };
	struct analytic_generator generator;

	analytic_generator_init(&generator, 0.003, false);
	for (int table = 0; table < ANALYTIC_TABLES; table++) {
		struct analytic_checksum whole;

		analytic_table_checksum(&generator, table, &whole);
		for (size_t i = 0; i < ARRAY_SIZE(cuts); i++) {
			struct analytic_checksum sum = { 0, 0, 0 };
			uint64_t units = generator.units[table];

			for (uint64_t part = cuts[i]; part > 0; part--) {
				struct analytic_chunk chunk = { table, units * (part - 1) / cuts[i],
					units * part / cuts[i] - units * (part - 1) / cuts[i] };

				assert_int_equal(
					analytic_generate(&generator, &chunk, NULL, NULL, &sum), 0);
			}
			assert_int_equal(sum.rows, whole.rows);
			assert_int_equal(sum.bytes, whole.bytes);
			assert_int_equal(sum.sum, whole.sum);
		}
	}
}

/* A whole table in COPY's text form. */
struct text {
	char *bytes;
	size_t length;
};

static int collect(void *context, const char *bytes, size_t length)
{
	struct text *text = context;

	text->bytes = memory_resize(text->bytes, text->length + length + 1, 1);
	memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
	text->bytes[text->length] = '\0';
	return 0;
}

static struct text table_text(const struct analytic_generator *generator, int table)
{
	struct analytic_chunk all = { table, 0, generator->units[table] };
	struct analytic_checksum sum = { 0, 0, 0 };
	struct text text = { NULL, 0 };

	assert_int_equal(analytic_generate(generator, &all, collect, &text, &sum), 0);
	assert_int_equal(sum.bytes, text.length);
	return text;
}

#define FIELDS_MAX 16

/* Split the next line into fields; number of fields, 0 at the end. */
static size_t next_row(char **rest, char *fields[FIELDS_MAX])
{
	char *line = strsep(rest, "\n");
	size_t count = 0;

	if (!line || !*line)
		return 0;
	while (count < FIELDS_MAX && (fields[count] = strsep(&line, "\t")))
		count++;
	return count;
}

static uint64_t number(const char *text)
{
	return strtoull(text, NULL, 10);
}

static uint64_t cents(const char *text)
{
	const char *point = strchr(text, '.');

	assert_non_null(point);
	assert_int_equal(strlen(point), 3);
	return number(text) * 100 + number(point + 1);
}

struct shipment_seen {
	uint64_t parcels, total_cents;
	char booked[11];
};

static struct shipment_seen *read_shipments(const struct analytic_generator *generator)
{
	uint64_t units = generator->units[ANALYTIC_SHIPMENT];
	struct shipment_seen *seen = memory_new_array(units, sizeof(*seen));
	struct text text = table_text(generator, ANALYTIC_SHIPMENT);
	char *rest = text.bytes, *fields[FIELDS_MAX];
	uint64_t expected = 0;

	while (next_row(&rest, fields) == 8) {
		uint64_t id = number(fields[0]);

		assert_int_equal(id, expected);
		expected++;
		assert_true(number(fields[1]) < generator->units[ANALYTIC_SENDER]);
		assert_true(number(fields[3]) <= 4);
		seen[id].parcels = number(fields[4]);
		seen[id].total_cents = cents(fields[5]);
		strncpy(seen[id].booked, fields[2], 10);
	}
	assert_int_equal(expected, units);
	free(text.bytes);
	return seen;
}

/* One parcel against its shipment; dates in ISO form compare as text. */
static void check_parcel(const struct analytic_generator *generator, char *const *fields,
	struct shipment_seen *shipment)
{
	bool open = strcmp(fields[11], "underway") == 0 || strcmp(fields[11], "lost") == 0;

	assert_true(number(fields[2]) < generator->units[ANALYTIC_ARTICLE]);
	assert_true(number(fields[3]) < generator->units[ANALYTIC_CARRIER]);
	assert_true(number(fields[4]) < generator->units[ANALYTIC_DEPOT]);
	assert_in_range(number(fields[5]), 1, 40);
	assert_true(strcmp(fields[8], shipment->booked) >= 0);
	assert_true(strcmp(fields[9], fields[8]) > 0);
	assert_int_equal(strcmp(fields[10], "\\N") == 0, open);
	if (!open)
		assert_int_equal(
			strcmp(fields[10], fields[9]) > 0, strcmp(fields[11], "late") == 0);
	shipment->total_cents -= cents(fields[6]) * (100 - number(fields[7])) / 100;
	shipment->parcels--;
}

static void test_references(void **state UNUSED)
{
	struct analytic_generator generator;
	struct shipment_seen *shipments;
	struct text text;
	char *rest, *fields[FIELDS_MAX];
	uint64_t last = UINT64_MAX, line = 0;

	analytic_generator_init(&generator, 0.01, true);
	shipments = read_shipments(&generator);
	text = table_text(&generator, ANALYTIC_PARCEL);
	rest = text.bytes;
	while (next_row(&rest, fields) == 13) {
		uint64_t id = number(fields[0]);

		assert_true(id < generator.units[ANALYTIC_SHIPMENT]);
		line = id == last ? line + 1 : 1;
		last = id;
		assert_int_equal(number(fields[1]), line);
		check_parcel(&generator, fields, &shipments[id]);
	}
	assert_null(rest && *rest ? rest : NULL);
	for (uint64_t id = 0; id < generator.units[ANALYTIC_SHIPMENT]; id++) {
		assert_int_equal(shipments[id].parcels, 0);
		assert_int_equal(shipments[id].total_cents, 0);
	}
	free(text.bytes);
	free(shipments);
}

static int descending(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return *a < *b ? 1 : *a > *b ? -1 : 0;
}

/* Share of all rows that the most frequent fraction of keys has. */
static double share(uint64_t *counts, uint64_t keys, double fraction)
{
	uint64_t all = 0, top = 0;

	qsort(counts, keys, sizeof(*counts), descending);
	for (uint64_t i = 0; i < keys; i++) {
		all += counts[i];
		if ((double)i < (double)keys * fraction)
			top += counts[i];
	}
	return (double)top / (double)all;
}

static double skew_of(const struct analytic_generator *generator, int table, size_t field,
	int keys_table, double fraction)
{
	uint64_t keys = generator->units[keys_table];
	uint64_t *counts = memory_new_array(keys, sizeof(*counts));
	struct text text = table_text(generator, table);
	char *rest = text.bytes, *fields[FIELDS_MAX];
	double result;

	while (next_row(&rest, fields) > field)
		counts[number(fields[field])]++;
	result = share(counts, keys, fraction);
	free(counts);
	free(text.bytes);
	return result;
}

static void assert_near(double value, double expected, double within)
{
	if (value < expected - within || value > expected + within)
		fail_msg("%f is not within %f of %f", value, within, expected);
}

/* Expected: fraction^(1/3) and fraction^(1/2). Picking the most frequent keys of a sample sees a
 * little more than the law; 0.03 covers that and four standard errors. */
static void test_skew(void **state UNUSED)
{
	struct analytic_generator generator;

	analytic_generator_init(&generator, 0.05, true);
	assert_near(skew_of(&generator, ANALYTIC_PARCEL, 2, ANALYTIC_ARTICLE, 0.01), 0.215, 0.03);
	assert_near(skew_of(&generator, ANALYTIC_PARCEL, 2, ANALYTIC_ARTICLE, 0.10), 0.464, 0.03);
	assert_near(skew_of(&generator, ANALYTIC_PARCEL, 4, ANALYTIC_DEPOT, 0.10), 0.316, 0.03);
	assert_near(skew_of(&generator, ANALYTIC_SHIPMENT, 1, ANALYTIC_SENDER, 0.10), 0.316, 0.06);
}

static int refuse(void *context, const char *bytes UNUSED, size_t length UNUSED)
{
	int *calls = context;

	(*calls)++;
	return -ENOSPC;
}

static void test_sink_failure(void **state UNUSED)
{
	struct analytic_generator generator;
	struct analytic_checksum sum = { 0, 0, 0 };
	int calls = 0;

	analytic_generator_init(&generator, 0.01, false);
	assert_int_equal(
		analytic_generate(&generator, &(struct analytic_chunk){ ANALYTIC_PARCEL, 0, 9000 },
			refuse, &calls, &sum),
		-ENOSPC);
	assert_int_equal(calls, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_checksums),
		cmocka_unit_test(test_chunk_counts), cmocka_unit_test(test_references),
		cmocka_unit_test(test_skew), cmocka_unit_test(test_sink_failure) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
