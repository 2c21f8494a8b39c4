/* Space by record size. RAID-Z figures are those of the published parity table for raidz (sectors
 * of 4K), worked out by hand: data sectors + parity for each row + padding to parity + 1. */
#include "unit/unit.h"

#include "doctor/cross/space_forecast.h"

static void counts_raidz(void **state UNUSED)
{
	static const struct {
		uint64_t bytes;
		unsigned ashift, width, parity;
		uint64_t allocated;
	} cases[] = {
		{ 4096, 12, 4, 1, 8192 },     /* 1 + 1 */
		{ 8192, 12, 4, 1, 16384 },    /* 2 + 1, padded to 4 */
		{ 12288, 12, 4, 1, 16384 },   /* 3 + 1 */
		{ 16384, 12, 4, 1, 24576 },   /* 4 + 2 */
		{ 131072, 12, 4, 1, 180224 }, /* 32 + 11 = 43, padded to 44 */
		{ 4096, 12, 7, 2, 12288 },    /* 1 + 2 */
		{ 8192, 12, 7, 2, 24576 },    /* 2 + 2, padded to 6 */
		{ 32768, 12, 7, 2, 49152 },   /* 8 + 2 * 2 */
		{ 8192, 12, 8, 3, 32768 },    /* 2 + 3, padded to 8 */
		{ 8192, 9, 4, 1, 11264 },     /* 16 sectors of 512 + 6, even */
		{ 1, 12, 3, 1, 8192 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(raidz_allocated_bytes(cases[i].bytes, cases[i].ashift,
					 cases[i].width, cases[i].parity),
			cases[i].allocated);
}

static void rounds_compression(void **state UNUSED)
{
	/* 8K on sectors of 4K: to one sector or not at all. */
	assert_int_equal(record_stored_bytes(8192, 1.0, 12), 8192);
	assert_int_equal(record_stored_bytes(8192, 1.9, 12), 8192);
	assert_int_equal(record_stored_bytes(8192, 2.0, 12), 4096);
	assert_int_equal(record_stored_bytes(8192, 50, 12), 4096);
	/* Less than an eighth saved is not kept. */
	assert_int_equal(record_stored_bytes(131072, 1.1, 12), 131072);
	assert_int_equal(record_stored_bytes(131072, 1.2, 12), 110592);
	assert_int_equal(record_stored_bytes(8192, 1.9, 9), 4608);
	/* Nonsense ratios do not make records grow. */
	assert_int_equal(record_stored_bytes(8192, 0, 12), 8192);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_raidz),
		cmocka_unit_test(rounds_compression),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
