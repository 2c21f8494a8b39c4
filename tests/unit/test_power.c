/* power: against SciPy's noncentral t, against simulation through the real analysis, and monotone.
 */
#include "unit/close.h"

#include "base/rng.h"
#include "stats/dunnett.h"
#include "stats/effect.h"
#include "stats/power.h"

/* Two cells in n blocks are a paired t: P(T > t) of the noncentral t, one side. */
static void noncentral_t(void **state UNUSED)
{
	const struct power_design five = { 0.03, 2, 5, 0.95 };
	const struct power_design ten = { 0.02, 2, 10, 0.95 };

	/* SciPy 1.10: nct.sf(t.ppf(.975, 4), 4, .05 / (.03 sqrt(2 / 5))), and the like for 10. */
	assert_close(power_of(&five, 0.05, 0), 0.5163648414641746, 1e-6);
	assert_close(power_of(&ten, 0.03, 0), 0.8464217799632412, 1e-6);
}

static void agrees_with_the_analysis(void **state UNUSED)
{
	enum { CELLS = 4, SETUPS = 5, STUDIES = 1500 };
	const struct power_design design = { 0.03, CELLS, SETUPS, 0.95 };
	const double multipliers[] = { dunnett_critical(CELLS - 1, 12, 0.95), 0 };
	double excluded = 0, faster = 0;

	for (uint64_t study = 0; study < STUDIES; study++) {
		double values[CELLS * SETUPS];
		const struct effect_table table = {
			.cells = CELLS, .blocks = SETUPS, .values = values
		};
		struct effect_fit fit;
		struct effect effect;
		struct rng rng;

		rng_init(&rng, 77, study);
		for (int i = 0; i < CELLS * SETUPS; i++)
			values[i] = exp((i / SETUPS == 1 ? 0.07 : 0) + 0.03 * rng_normal(&rng));
		assert_int_equal(effect_fit_init(&fit, &table, NULL), 0);
		effect_fit_compare(&fit, 1, 0, multipliers, &effect);
		effect_fit_release(&fit);
		excluded += effect.low > 1;
		faster += effect.low > 1.02;
	}
	/* Standard error at most 1.3 %; the seed is fixed. */
	assert_close(excluded / STUDIES, power_of(&design, 0.07, 0), 0.03);
	assert_close(faster / STUDIES, power_of(&design, 0.07, log(1.02)), 0.03);
}

static void monotone(void **state UNUSED)
{
	struct power_design design = { 0.02, 3, 5, 0.95 };
	double before = 0;

	for (double effect = 0.01; effect < 0.1; effect += 0.01) {
		double power = power_of(&design, effect, 0);

		assert_true(power > before);
		assert_true(power >= power_of(&design, effect, 0.01));
		before = power;
	}
}

static void setups_named_are_enough(void **state UNUSED)
{
	for (double sd = 0.005; sd < 0.06; sd *= 2) {
		struct power_design design = { sd, 3, 0, 0.95 };

		design.setups = power_setups(&design, 0.05, 0, 0.8);
		assert_true(power_of(&design, 0.05, 0) >= 0.8);
		if (design.setups > 3) {
			design.setups--;
			assert_true(power_of(&design, 0.05, 0) < 0.8);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(noncentral_t),
		cmocka_unit_test(agrees_with_the_analysis),
		cmocka_unit_test(monotone),
		cmocka_unit_test(setups_named_are_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
