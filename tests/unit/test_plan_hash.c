/* Plans that are the same but for figures have one hash; any other difference shows. */
#include "unit.h"

#include "workload/analytic/plan_hash.h"

#include <errno.h>
#include <string.h>

#define PLAN(inside) "[{\"Plan\": {" inside "}}]"
#define SCAN	     "\"Node Type\": \"Seq Scan\", \"Relation Name\": \"parcel\", \"Parallel Aware\": false"

static const struct {
	const char *json, *structure;
} plans[] = {
	{ PLAN(SCAN), "Seq Scan parcel" },
	{ PLAN(SCAN ", \"Total Cost\": 17.5, \"Plan Rows\": 3, \"Filter\": \"(line < 3)\""),
		"Seq Scan parcel" },
	{ PLAN("\"Node Type\": \"Aggregate\", \"Strategy\": \"Hashed\", \"Plans\": [{" SCAN
	       ", \"Parent Relationship\": \"Outer\"}]"),
		"Aggregate Hashed(Seq Scan parcel)" },
	{ PLAN("\"Node Type\": \"Index Scan\", \"Parallel Aware\": true, \"Scan Direction\": "
	       "\"Backward\", \"Index Name\": \"i\", \"Relation Name\": \"parcel\""),
		"Parallel Index Scan Backward parcel i" },
	{ PLAN("\"Node Type\": \"Hash Join\", \"Join Type\": \"Semi\", \"Plans\": [{" SCAN "}, {"
	       "\"Node Type\": \"Hash\", \"Plans\": [{" SCAN "}]}]"),
		"Hash Join Semi(Seq Scan parcel, Hash(Seq Scan parcel))" },
};

static void test_structures(void **state UNUSED)
{
	char hashes[ARRAY_SIZE(plans)][HASH_TEXT_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
		struct strbuf structure = STRBUF_INIT;
		struct err err = ERR_INIT;

		assert_int_equal(plan_hash(plans[i].json, &structure, hashes[i], &err), 0);
		assert_string_equal(structure.data, plans[i].structure);
		strbuf_release(&structure);
	}
	assert_string_equal(hashes[0], hashes[1]);
	for (size_t i = 1; i < ARRAY_SIZE(plans); i++)
		for (size_t k = i + 1; k < ARRAY_SIZE(plans); k++)
			assert_string_not_equal(hashes[i], hashes[k]);
}

static void test_rubbish(void **state UNUSED)
{
	static const char *const texts[] = { "", "{}", "[]", "[{}]", "[{\"Plan\": {}}]",
		"[{\"Plan\"", "[{\"Plan\": {\"Node Type\": 3}}]",
		"[{\"Plan\": {\"Node Type\": \"x\", \"Plans\": [4]}}]" };

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		char hash[HASH_TEXT_SIZE] = "untouched";
		struct err err = ERR_INIT;

		assert_int_equal(plan_hash(texts[i], NULL, hash, &err), -EINVAL);
		assert_string_equal(hash, "untouched");
		assert_true(err.message[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_structures),
		cmocka_unit_test(test_rubbish) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
