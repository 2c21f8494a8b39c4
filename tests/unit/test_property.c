/* property, property_pool: what is taken and what is refused, by the library's own tables. */
#include "unit/unit.h"

#include "zfsd/pool/pool_internal.h"

static int begin(void **state UNUSED)
{
	zfs_prop_init();
	zpool_prop_init();
	zpool_feature_init();
	return 0;
}

static int check(const char *name, json_t *value, struct err *err)
{
	json_t *values = json_pack("{s:o}", name, value);
	int r = property_check(NULL, values, err);

	json_decref(values);
	return r;
}

static void takes(const char *name, const char *value)
{
	struct err err = ERR_INIT;

	if (check(name, json_string(value), &err) < 0)
		fail_msg("%s=%s: %s", name, value, err.message);
}

static void refuses(const char *name, const char *value, int code)
{
	struct err err = ERR_INIT;
	int r = check(name, json_string(value), &err);

	if (r != code || !strstr(err.message, name))
		fail_msg("%s=%s: %d '%s'", name, value, r, err.message);
}

static void record_sizes_are_powers_of_two(void **state UNUSED)
{
	takes("recordsize", "512");
	takes("recordsize", "8K");
	takes("recordsize", "1M");
	takes("recordsize", "16M");
	refuses("recordsize", "5K", -EINVAL);
	refuses("recordsize", "256", -EINVAL);
	refuses("recordsize", "32M", -EINVAL);
	refuses("recordsize", "0", -EINVAL);
	refuses("recordsize", "-8K", -EINVAL);
	refuses("recordsize", "large", -EINVAL);
	refuses("recordsize", "", -EINVAL);
	refuses("recordsize", "none", -EINVAL);
}

static void words_are_those_of_zfs(void **state UNUSED)
{
	takes("compression", "lz4");
	takes("compression", "zstd-19");
	takes("compression", "gzip-9");
	takes("compression", "off");
	refuses("compression", "zip", -EINVAL);
	refuses("compression", "zstd-20", -EINVAL);
	takes("logbias", "throughput");
	refuses("logbias", "fast", -EINVAL);
	takes("sync", "always");
	refuses("sync", "yes", -EINVAL);
	takes("primarycache", "metadata");
	takes("redundant_metadata", "some");
	takes("checksum", "blake3");
	takes("copies", "3");
	refuses("copies", "4", -EINVAL);
	takes("dnodesize", "auto");
	refuses("atime", "8K", -EINVAL);
	takes("xattr", "sa");
}

static void sizes_may_be_none(void **state UNUSED)
{
	takes("quota", "none");
	takes("quota", "10G");
	takes("refreservation", "0");
	refuses("quota", "10X", -EINVAL);
	refuses("reservation", "much", -EINVAL);
}

static void others_are_refused(void **state UNUSED)
{
	struct err err = ERR_INIT;

	takes("org.example:note", "anything");
	refuses("nosuch", "1", -EINVAL);
	refuses("used", "5G", -EINVAL);
	refuses("creation", "0", -EINVAL);
	refuses("dedup", "on", -ENOTSUP);
	refuses("secondarycache", "all", -ENOTSUP);
	assert_int_equal(check("recordsize", json_integer(8192), &err), -EINVAL);
	assert_int_equal(check("atime", json_false(), &err), -EINVAL);
}

static int parse_pool(const char *name, const char *value, uint64_t *ret_ashift, struct err *err)
{
	json_t *values = json_pack("{s:s}", name, value);
	nvlist_t *list = NULL;
	int r = property_parse_pool(values, true, &list, ret_ashift, err);

	if (r == 0) {
		assert_string_equal(fnvlist_lookup_string(list, "cachefile"), "none");
		nvlist_free(list);
	}
	json_decref(values);
	return r;
}

static void pools(void **state UNUSED)
{
	const struct {
		const char *name, *value;
		int code;
	} rows[] = { { "ashift", "9", 0 }, { "ashift", "16", 0 }, { "ashift", "0", 0 },
		{ "ashift", "8", -EINVAL }, { "ashift", "17", -EINVAL },
		{ "ashift", "-12", -EINVAL }, { "ashift", "4K", -EINVAL }, { "autotrim", "off", 0 },
		{ "autotrim", "on", -ENOTSUP }, { "autotrim", "maybe", -EINVAL },
		{ "cachefile", "none", 0 }, { "cachefile", "/etc/zfs/zpool.cache", -ENOTSUP },
		{ "comment", "a pool", 0 }, { "failmode", "wait", 0 }, { "size", "1G", -EINVAL },
		{ "bootfs", "a", -ENOTSUP }, { "nosuch", "1", -EINVAL },
		{ "compatibility", "off", 0 }, { "compatibility", "legacy", 0 },
		{ "compatibility", "../passwd", -EINVAL },
		{ "compatibility", "no-such-system", -EINVAL } };
	uint64_t ashift = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err err = ERR_INIT;
		int r = parse_pool(rows[i].name, rows[i].value, &ashift, &err);

		if (r != rows[i].code || (r < 0 && !strstr(err.message, rows[i].name)))
			fail_msg("%s=%s: %d '%s'", rows[i].name, rows[i].value, r, err.message);
	}
	assert_int_equal(parse_pool("ashift", "13", &ashift, NULL), 0);
	assert_int_equal(ashift, 13);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(record_sizes_are_powers_of_two),
		cmocka_unit_test(words_are_those_of_zfs),
		cmocka_unit_test(sizes_may_be_none),
		cmocka_unit_test(others_are_refused),
		cmocka_unit_test(pools),
	};

	return cmocka_run_group_tests(tests, begin, NULL);
}
