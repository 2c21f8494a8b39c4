/* The text of zpool status: layouts, classes of devices, errors, several pools, odd input. */
#include "unit/unit.h"

#include "doctor/collect/zpool_status.h"
#include "doctor/facts.h"

#include <string.h>

static const char two_pools[] =
	"  pool: rpool\n"
	" state: ONLINE\n"
	"  scan: scrub repaired 0B in 00:01:02 with 0 errors on Sun Nov  8 00:25:03 2026\n"
	"config:\n"
	"\n"
	"\tNAME                STATE     READ WRITE CKSUM\n"
	"\trpool               ONLINE       0     0     0\n"
	"\t  /dev/nvme2n1p3    ONLINE       0     0     0\n"
	"\n"
	"errors: No known data errors\n"
	"\n"
	"  pool: tank\n"
	" state: DEGRADED\n"
	"status: One or more devices has experienced an error resulting in data\n"
	"\tcorruption.  Applications may be affected.\n"
	"action: Restore the file in question if possible.\n"
	"   see: https://openzfs.github.io/openzfs-docs/msg/ZFS-8000-8A\n"
	"  scan: scrub in progress since Tue Dec  1 02:00:00 2026\n"
	"\t1048576 / 4194304 scanned, 524288 / 4194304 issued\n"
	"\t0 repaired, 12.50% done, no estimated completion time\n"
	"config:\n"
	"\n"
	"\tNAME                       STATE     READ WRITE CKSUM\n"
	"\ttank                       DEGRADED     0     0     0\n"
	"\t  raidz2-0                 DEGRADED     0     0     0\n"
	"\t    /dev/sda1              ONLINE       0     0     0\n"
	"\t    /dev/sdb1              ONLINE       0     0     3\n"
	"\t    replacing-2            DEGRADED     0     0     0\n"
	"\t      /dev/sdc1            FAULTED      2     1     0  too many errors\n"
	"\t      /dev/sdd1            ONLINE       0     0     0  (resilvering)\n"
	"\t    /dev/sde1              ONLINE       0     0     0\n"
	"\tspecial\n"
	"\t  mirror-1                 ONLINE       0     0     0\n"
	"\t    /dev/nvme0n1p1         ONLINE       0     0     0\n"
	"\t    /dev/nvme1n1p1         ONLINE       0     0     0\n"
	"\tlogs\n"
	"\t  /dev/nvme0n1p2           ONLINE       0     0     0\n"
	"\tcache\n"
	"\t  /dev/nvme1n1p2           ONLINE       0     0     0\n"
	"\tspares\n"
	"\t  /dev/sdf1                AVAIL\n"
	"\n"
	"errors: 4 data errors, use '-v' for a list\n";

/* What zpool 2.3.2 printed; note the tab behind "logs". */
static const char printed_by_a_kernel[] =
	"  pool: tank\n"
	" state: DEGRADED\n"
	"status: One or more devices has been taken offline by the administrator.\n"
	"\tSufficient replicas exist for the pool to continue functioning in a\n"
	"\tdegraded state.\n"
	"action: Online the device using 'zpool online' or replace the device with\n"
	"\t'zpool replace'.\n"
	"  scan: scrub repaired 0B in 00:00:01 with 0 errors on Tue Dec  1 07:07:22 2026\n"
	"config:\n"
	"\n"
	"\tNAME            STATE     READ WRITE CKSUM\n"
	"\ttank            DEGRADED     0     0     0\n"
	"\t  mirror-0      ONLINE       0     0     0\n"
	"\t    /dev/loop0  ONLINE       0     0     0\n"
	"\t    /dev/loop1  ONLINE       0     0     0\n"
	"\t  mirror-1      DEGRADED     0     0     0\n"
	"\t    /dev/loop2  ONLINE       0     0     0\n"
	"\t    /dev/loop3  OFFLINE      0     0     0\n"
	"\tlogs\t\n"
	"\t  /dev/loop4    ONLINE       0     0     0\n"
	"\tcache\n"
	"\t  /dev/loop5    ONLINE       0     0     0\n"
	"\n"
	"errors: No known data errors\n";

static const json_t *vdev(const json_t *pool, size_t i)
{
	return json_array_get(json_object_get(pool, "vdevs"), i);
}

static void reads_two_pools(void **state UNUSED)
{
	json_t *pools = zpool_status_parse(two_pools);

	assert_int_equal(json_array_size(pools), 2);
	const json_t *root = json_array_get(pools, 0), *tank = json_array_get(pools, 1);
	assert_string_equal(facts_text(root, "name", ""), "rpool");
	assert_string_equal(facts_text(root, "state", ""), "ONLINE");
	assert_true(facts_number(root, "errors", -1) == 0);
	assert_false(facts_bool(root, "scan_running", true));
	assert_string_equal(facts_text(vdev(root, 0), "type", ""), "disk");
	assert_true(facts_number(vdev(root, 0), "redundancy", -1) == 0);

	assert_string_equal(facts_text(tank, "state", ""), "DEGRADED");
	assert_true(facts_number(tank, "errors", -1) == 3 + 2 + 1 + 4);
	assert_true(facts_bool(tank, "scan_running", false));
	assert_int_equal(json_array_size(json_object_get(tank, "vdevs")), 5);
	json_decref(pools);
}

static void tells_classes(void **state UNUSED)
{
	static const struct {
		const char *class, *type;
		double redundancy;
		size_t devices;
	} expected[] = {
		{ "data", "raidz2", 2, 5 }, /* the one being replaced and its successor */
		{ "special", "mirror", 1, 2 },
		{ "log", "disk", 0, 1 },
		{ "cache", "disk", 0, 1 },
		{ "spare", "disk", 0, 1 },
	};
	json_t *pools = zpool_status_parse(two_pools);

	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		const json_t *one = vdev(json_array_get(pools, 1), i);

		assert_string_equal(facts_text(one, "class", ""), expected[i].class);
		assert_string_equal(facts_text(one, "type", ""), expected[i].type);
		assert_true(facts_number(one, "redundancy", -1) == expected[i].redundancy);
		assert_int_equal(
			json_array_size(json_object_get(one, "devices")), expected[i].devices);
	}
	json_decref(pools);
}

static void survives_odd_text(void **state UNUSED)
{
	static const char *const texts[] = { "", "\n", "no pools available\n", "config:\n\tx\n",
		"  pool: a\nconfig:\n\t\n\t  \n\t    /dev/sda\n", "  pool: a",
		"  pool: a\nconfig:\n\ta ONLINE\n\t  /srv/pool.img ONLINE 0 0 0\n" };
	static const size_t pools_in[] = { 0, 0, 0, 0, 1, 1, 1 };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		json_t *pools = zpool_status_parse(texts[i]);

		assert_int_equal(json_array_size(pools), pools_in[i]);
		if (i == 6)
			assert_string_equal(
				facts_text(vdev(json_array_get(pools, 0), 0), "type", ""), "file");
		json_decref(pools);
	}
}

static void reads_what_a_kernel_printed(void **state UNUSED)
{
	static const struct {
		const char *class, *name, *type;
		size_t devices;
	} wanted[] = { { "data", "mirror-0", "mirror", 2 }, { "data", "mirror-1", "mirror", 2 },
		{ "log", "/dev/loop4", "disk", 1 }, { "cache", "/dev/loop5", "disk", 1 } };
	json_t *pools = zpool_status_parse(printed_by_a_kernel);
	const json_t *pool = json_array_get(pools, 0);

	assert_int_equal(json_array_size(pools), 1);
	assert_string_equal(facts_text(pool, "state", ""), "DEGRADED");
	assert_int_equal(facts_number(pool, "errors", 9), 0);
	assert_int_equal(json_array_size(json_object_get(pool, "vdevs")), ARRAY_SIZE(wanted));
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		const json_t *one = vdev(pool, i);

		assert_string_equal(facts_text(one, "class", ""), wanted[i].class);
		assert_string_equal(facts_text(one, "name", ""), wanted[i].name);
		assert_string_equal(facts_text(one, "type", ""), wanted[i].type);
		assert_int_equal(
			json_array_size(json_object_get(one, "devices")), wanted[i].devices);
	}
	json_decref(pools);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_a_kernel_printed),
		cmocka_unit_test(reads_two_pools),
		cmocka_unit_test(tells_classes),
		cmocka_unit_test(survives_odd_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
