/* zfs_counters: the kernel's kstat files. */
#include "unit/unit.h"

#include "target/zfs_counters.h"
#include <string.h>

static json_int_t number(const json_t *counters, const char *name)
{
	return json_integer_value(json_object_get(counters, name));
}

static void only_what_counts(void **state UNUSED)
{
	char text[] = "13 1 0x01 147 39984 8262183465 1121929131364\n"
		      "name                            type data\n"
		      "hits                            4    1234567890123\n"
		      "misses                          4    0\n"
		      "deleted                         4    7\n"
		      "c_max                           4    1073741824\n"
		      "data_size                       4    409600\n"
		      "arc_no_grow                     3    0\n"
		      "memory_available_bytes          3    -5\n"
		      "mru_hits                        7    ONLINE\n"
		      "broken\n";
	json_t *counters = json_object();

	zfs_counters_parse(counters, ZFS_KSTAT_ARC, text);
	assert_int_equal(json_object_size(counters), 3);
	assert_int_equal(number(counters, "arc.hits"), 1234567890123LL);
	assert_int_equal(number(counters, "arc.evicted"), 7);
	json_decref(counters);
}

static void datasets_add_up(void **state UNUSED)
{
	static const char objset[] = "62 1 0x01 27 7600 10202369290 13506855440\n"
				     "name                            type data\n"
				     "dataset_name                    7    tank/pg\n"
				     "nwritten                        4    20054016\n"
				     "zil_commit_count                4    51\n"
				     "zil_itx_needcopy_bytes          4    19988480\n"
				     "zil_itx_metaslab_slog_alloc     4    21307392\n";
	json_t *counters = json_object();
	char text[sizeof(objset)];

	for (int i = 0; i < 2; i++) {
		memcpy(text, objset, sizeof(text));
		zfs_counters_parse(counters, ZFS_KSTAT_ZIL, text);
	}
	assert_int_equal(json_object_size(counters), 4);
	assert_int_equal(number(counters, "zil.commits"), 102);
	assert_int_equal(number(counters, "zil.need_copy_bytes"), 39976960);
	assert_int_equal(number(counters, "zil.slog_alloc_bytes"), 42614784);
	assert_int_equal(number(counters, "dataset.write_bytes"), 40108032);
	json_decref(counters);
}

static void newest_committed_group(void **state UNUSED)
{
	char text[] = "txg      birth            state ndirty       nread        nwritten\n"
		      "11       10101550140      C     721920       0            835584\n"
		      "12       10331068870      C     1147392      0            1056768\n"
		      "13       11844227880      S     0            0            0\n"
		      "14       11844227990      O     0            0            0\n";
	char none[] = "";
	json_t *counters = json_object();

	zfs_counters_parse_txgs(counters, none);
	assert_int_equal(json_object_size(counters), 0);
	zfs_counters_parse_txgs(counters, text);
	assert_int_equal(number(counters, "txg.count"), 12);
	json_decref(counters);
}

static void a_missing_pool_adds_nothing_of_it(void **state UNUSED)
{
	json_t *counters = json_object();

	zfs_counters_read(counters, "no-such-pool");
	assert_null(json_object_get(counters, "zil.commits"));
	assert_null(json_object_get(counters, "txg.count"));
	json_decref(counters);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_counts),
		cmocka_unit_test(datasets_add_up),
		cmocka_unit_test(newest_committed_group),
		cmocka_unit_test(a_missing_pool_adds_nothing_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
