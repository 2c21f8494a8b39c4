/* zfs_text: texts that OpenZFS 2.3.2 of a 6.1 kernel printed for a pool of two mirrors, a log and
 * a cache device. */
#include "unit/unit.h"

#include "doctor/collect/zfs_text.h"
#include "doctor/facts.h"

#include <stdlib.h>
#include <string.h>

static const char zfs_get[] = "tank\ttype\tfilesystem\t-\n"
			      "tank\tcompressratio\t1.00\t-\n"
			      "tank\tquota\t0\tdefault\n"
			      "tank\trecordsize\t16384\tlocal\n"
			      "tank\tmountpoint\t/var/tmp/tank\tlocal\n"
			      "tank\tcompression\tlz4\tlocal\n"
			      "tank\tatime\ton\tdefault\n"
			      "tank\tlogbias\tlatency\tdefault\n"
			      "tank\tsync\tstandard\tdefault\n"
			      "tank/pg\ttype\tfilesystem\t-\n"
			      "tank/pg\tcompressratio\t1.00\t-\n"
			      "tank/pg\tquota\t0\tdefault\n"
			      "tank/pg\trecordsize\t8192\tlocal\n"
			      "tank/pg\tmountpoint\t/var/tmp/tank/pg\tinherited from tank\n"
			      "tank/pg\tcompression\tlz4\tinherited from tank\n"
			      "tank/pg\tatime\ton\tdefault\n"
			      "tank/pg\tlogbias\tlatency\tdefault\n"
			      "tank/pg\tsync\tstandard\tdefault\n"
			      "tank/pg\tsnapshots_changed\t1796108817\t-\n"
			      "tank/pg\tcom.example:note\tmine\tlocal\n"
			      "other\trecordsize\t512\tlocal\n";
static const char zpool_get[] = "size\t2013265920\n"
				"allocated\t1175552\n"
				"free\t2012090368\n"
				"capacity\t0\n"
				"ashift\t12\n"
				"fragmentation\t1\n"
				"autotrim\toff\n"
				"feature@block_cloning\tenabled\n";
static const char iostat[] = "tank\t1175552\t2012090368\t2\t279\t24483\t6937777\t1887436\t3419392\t"
			     "1887436\t1706902\t55091\t4804318\t-\t454415\t-\t-\t-\n"
			     "mirror-"
			     "0\t667648\t1005965312\t1\t119\t9793\t1247049\t1835008\t1300843\t18350"
			     "08\t921764\t2304\t2816\t-\t442076\t-\t-\t-\n"
			     "/dev/"
			     "loop0\t0\t0\t0\t59\t4896\t623496\t2097152\t1396475\t2097152\t1011479"
			     "\t2560\t3523\t-\t463370\t-\t-\t-\n"
			     "/dev/"
			     "loop1\t0\t0\t0\t59\t4896\t623485\t1572864\t1205210\t1572864\t832049\t"
			     "2048\t2108\t-\t420783\t-\t-\t-\n"
			     "mirror-"
			     "1\t507904\t1006125056\t1\t118\t9792\t1253400\t2097152\t1305625\t20971"
			     "52\t905388\t69120\t2590\t-\t466828\t-\t-\t-\n"
			     "/dev/"
			     "loop2\t0\t0\t0\t59\t4895\t626659\t2097152\t1347159\t2097152\t938984\t"
			     "132608\t3011\t-\t493638\t-\t-\t-\n"
			     "/dev/"
			     "loop3\t0\t0\t0\t58\t4895\t626630\t2097152\t1263671\t2097152\t871451\t"
			     "5632\t2168\t-\t439690\t-\t-\t-\n"
			     "\n"
			     "/dev/"
			     "loop4\t4096\t1006628864\t0\t41\t4895\t4435814\t1572864\t15441217\t157"
			     "2864\t6213632\t132608\t9468745\t-\t-\t-\t-\t-\n"
			     "\n"
			     "/dev/"
			     "loop5\t0\t1069019136\t1\t1\t101152\t9429\t997083\t153600\t997083\t129"
			     "024\t3072\t2194\t-\t98304\t-\t-\t-\n";
static const char objset[] = "62 1 0x01 27 7600 10202369290 13506855440\n"
			     "name                            type data\n"
			     "dataset_name                    7    tank/pg\n"
			     "writes                          4    2448\n"
			     "nwritten                        4    20054016\n"
			     "zil_commit_count                4    51\n"
			     "zil_itx_metaslab_slog_bytes     4    20491592\n";
static const char txgs[] =
	"txg      birth            state ndirty       nread        nwritten     reads    writes   "
	"otime        qtime        wtime        stime       \n"
	"9        9878592110       C     0            0            942080       0        106      "
	"94948420     21140        4075330      112759220   \n"
	"10       9973540530       C     0            0            606208       0        64       "
	"128009610    16910        144140       69037710    \n"
	"11       10101550140      C     721920       0            835584       0        174      "
	"229518730    19630        4078830      59078960    \n"
	"12       10331068870      C     1147392      0            1056768      0        242      "
	"1513159010   20300        199490       26407680    \n"
	"13       11844227880      O     0            0            0            0        0        "
	"0            0            0            0           \n";

static json_t *named(const char *const *names, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list,
			json_pack("{s:s, s:{}, s:{}}", "name", names[i], "properties", "sources"));
	return list;
}

static char *copy(const char *text)
{
	return strdup(text);
}

static void properties_of_datasets(void **state UNUSED)
{
	static const char *const names[] = { "tank", "tank/pg" };
	json_t *datasets = named(names, 2), *pg = json_array_get(datasets, 1);
	char *text = copy(zfs_get);

	zfs_properties_parse(datasets, text);
	assert_int_equal(facts_number(pg, "properties.recordsize", 0), 8192);
	assert_string_equal(facts_text(pg, "sources.recordsize", ""), "local");
	assert_string_equal(facts_text(pg, "properties.compression", ""), "lz4");
	assert_string_equal(facts_text(pg, "sources.compression", ""), "inherited");
	assert_string_equal(facts_text(pg, "sources.sync", ""), "default");
	assert_true(facts_number(pg, "properties.compressratio", 0) == 1.0);
	assert_null(json_object_get(json_object_get(pg, "properties"), "com.example:note"));
	assert_int_equal(
		facts_number(json_array_get(datasets, 0), "properties.recordsize", 0), 16384);
	assert_int_equal(json_array_size(datasets), 2);
	json_decref(datasets);
	free(text);
}

static void snapshots_of_datasets(void **state UNUSED)
{
	static const char *const names[] = { "tank", "tank/pg" };
	json_t *datasets = named(names, 2), *pg = json_array_get(datasets, 1);
	char text[] = "tank/pg@before\t11\ntank/pg@after\t12\nbroken\nother@x\t1\n";

	zfs_snapshots_parse(datasets, text);
	assert_int_equal(facts_number(pg, "snapshots", 9), 2);
	assert_int_equal(facts_number(json_array_get(datasets, 0), "snapshots", 9), 0);
	assert_string_equal(
		facts_text(json_array_get(json_object_get(pg, "snapshot_list"), 1), "name", ""),
		"after");
	json_decref(datasets);
}

static void properties_of_a_pool(void **state UNUSED)
{
	json_t *pool = json_object();
	char *text = copy(zpool_get);

	zpool_properties_parse(pool, text);
	assert_int_equal(facts_number(pool, "size_bytes", 0), 2013265920);
	assert_int_equal(facts_number(pool, "ashift_asked", 0), 12);
	assert_string_equal(facts_text(pool, "block_cloning", ""), "enabled");
	json_decref(pool);
	free(text);
}

/* The pool itself, its root vdev and older releases say 0 or "-". */
static void smallest_ashift(void **state UNUSED)
{
	char mixed[] = "0\n13\n12\n-\n", none[] = "0\n-\n", empty[] = "";

	assert_true(zpool_ashift_parse(mixed) == 12);
	assert_true(zpool_ashift_parse(none) == 0);
	assert_true(zpool_ashift_parse(empty) == 0);
}

static void waits_by_vdev(void **state UNUSED)
{
	static const char *const names[] = { "mirror-0", "mirror-1", "/dev/loop4", "/dev/sda" };
	static const double waits[] = { 1300843, 1305625, 15441217, 0 };
	json_t *vdevs = named(names, 4);
	char *text = copy(iostat);

	zpool_waits_parse(vdevs, text);
	for (size_t i = 0; i < 4; i++)
		assert_true(facts_number(json_array_get(vdevs, i), "write_wait_ns", 0) == waits[i]);
	json_decref(vdevs);
	free(text);
}

static void rows_of_a_kstat_file(void **state UNUSED)
{
	char *text = copy(objset);
	json_t *rows = zfs_kstat_parse(text);

	assert_string_equal(facts_text(rows, "dataset_name", ""), "tank/pg");
	assert_int_equal(facts_number(rows, "nwritten", 0), 20054016);
	assert_int_equal(facts_number(rows, "zil_commit_count", 0), 51);
	assert_int_equal(facts_number(rows, "zil_itx_metaslab_slog_bytes", 0), 20491592);
	/* The numbers of the file itself are no row. */
	assert_int_equal(json_object_size(rows), 5);
	json_decref(rows);
	free(text);
}

static void longest_sync(void **state UNUSED)
{
	char *text = copy(txgs), empty[] = "", unknown[] = "txg birth\n1 2\n";

	assert_true(zfs_longest_sync_parse(text) == 112759220);
	assert_true(zfs_longest_sync_parse(empty) == -1);
	assert_true(zfs_longest_sync_parse(unknown) == -1);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(properties_of_datasets),
		cmocka_unit_test(snapshots_of_datasets),
		cmocka_unit_test(properties_of_a_pool),
		cmocka_unit_test(smallest_ashift),
		cmocka_unit_test(waits_by_vdev),
		cmocka_unit_test(rows_of_a_kstat_file),
		cmocka_unit_test(longest_sync),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
