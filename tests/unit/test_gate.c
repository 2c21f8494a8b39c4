/* gate: conditions as people write them, and what an interval makes of each. */
#include "unit/close.h"

#include "analysis/gate.h"
#include <errno.h>
#include <string.h>

static void conditions(void **state UNUSED)
{
	static const char *const bad[] = { "", "tps", "tps slower", "tps slower 3", "tps slower 0%",
		"tps slower 100%", "tps slower -3%", "tps slower 3% more", "tps slowly 3%",
		"tps slower three" };
	struct gate gate;
	struct err err = ERR_INIT;

	assert_int_equal(gate_parse("  tps   slower\t3% ", &gate, NULL), 0);
	assert_string_equal(gate.metric, "tps");
	assert_int_equal(gate.way, GATE_SLOWER);
	assert_close(gate.share, 0.03, 1e-12);
	assert_int_equal(gate_parse("closing.wal_bytes larger 0.5%", &gate, NULL), 0);
	assert_int_equal(gate.way, GATE_LARGER);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct gate untouched = { .share = 7 };

		err_clear(&err);
		assert_int_equal(gate_parse(bad[i], &untouched, &err), -EINVAL);
		assert_true(err.message[0] != '\0');
		assert_close(untouched.share, 7, 0);
	}
}

/* A change of a metric where more is better, unless said otherwise. */
static enum gate_result result_of(
	const char *condition, double low, double high, bool lower_is_better)
{
	struct cell_change change = {
		.effect = { EFFECT_OK, 6, sqrt(low * high), low, high, low, high },
	};
	struct gate gate;

	assert_int_equal(gate_parse(condition, &gate, NULL), 0);
	change.verdict = verdict_of(&change.effect, gate.share, lower_is_better);
	return gate_judge(&gate, &change);
}

static void whole_interval_decides(void **state UNUSED)
{
	assert_int_equal(result_of("tps slower 3%", 0.90, 0.96, false), GATE_FAILED);
	assert_int_equal(result_of("tps slower 3%", 0.90, 0.98, false), GATE_PASSED);
	assert_int_equal(result_of("tps slower 3%", 0.80, 1.20, false), GATE_PASSED);
	assert_int_equal(result_of("tps slower 3%", 1.10, 1.20, false), GATE_PASSED);
	assert_int_equal(result_of("tps faster 3%", 1.10, 1.20, false), GATE_FAILED);
	assert_int_equal(result_of("latency_p99_ns worse 3%", 1.10, 1.20, true), GATE_FAILED);
	assert_int_equal(result_of("latency_p99_ns worse 3%", 0.80, 0.90, true), GATE_PASSED);
	assert_int_equal(result_of("latency_p99_ns larger 3%", 1.10, 1.20, true), GATE_FAILED);
	assert_int_equal(result_of("latency_p99_ns smaller 3%", 0.80, 0.90, true), GATE_FAILED);
	assert_int_equal(result_of("tps larger 3%", 1.10, 1.20, false), GATE_FAILED);
	assert_int_equal(result_of("tps smaller 3%", 1.10, 1.20, false), GATE_PASSED);
}

static void no_interval_is_unknown(void **state UNUSED)
{
	const struct cell_change change = {
		.effect = { EFFECT_TOO_FEW, 2, 0.5, NAN, NAN, NAN, NAN },
	};
	struct gate gate;

	assert_int_equal(gate_parse("tps slower 3%", &gate, NULL), 0);
	assert_int_equal(gate_judge(&gate, &change), GATE_UNKNOWN);
	assert_int_equal(gate_parse("tps larger 3%", &gate, NULL), 0);
	assert_int_equal(gate_judge(&gate, &change), GATE_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conditions),
		cmocka_unit_test(whole_interval_decides),
		cmocka_unit_test(no_interval_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
