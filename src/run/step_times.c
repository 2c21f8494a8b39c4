/* Step times in the store (see step_times.h). */
#include "run/step_times.h"

#include <stddef.h>

#define WEIGHT_OF_NEW 0.3

#define NAME_SETUP "step.setup_s"
#define NAME_LOAD  "step.load_s_per_scale"
#define NAME_RUN   "step.overhead_run_s"

/* Guesses of a 2-core virtual machine, until there is a measurement. */
#define GUESS_SETUP_S 6
#define GUESS_LOAD_S  0.15
#define GUESS_RUN_S   3

static double number(struct store *store, const char *name, double fallback, bool *measured)
{
	double value;

	if (!store || store_get_number(store, name, &value, NULL) < 0)
		return fallback;
	*measured = true;
	return value;
}

void step_times_load(struct store *store, struct plan_step_times *ret_times)
{
	bool measured = false;

	ret_times->setup_s = number(store, NAME_SETUP, GUESS_SETUP_S, &measured);
	ret_times->load_s_per_scale = number(store, NAME_LOAD, GUESS_LOAD_S, &measured);
	ret_times->overhead_run_s = number(store, NAME_RUN, GUESS_RUN_S, &measured);
	ret_times->measured = measured;
}

static void mix(struct store *store, const char *name, double value)
{
	double old;

	if (value <= 0)
		return;
	if (store_get_number(store, name, &old, NULL) == 0)
		value = old + WEIGHT_OF_NEW * (value - old);
	(void)store_put_number(store, name, value, NULL); /* an estimate is lost, no more */
}

void step_times_add_setup(struct store *store, double seconds)
{
	mix(store, NAME_SETUP, seconds);
}

void step_times_add_load(struct store *store, double seconds, int64_t scale)
{
	if (scale > 0)
		mix(store, NAME_LOAD, seconds / (double)scale);
}

void step_times_add_run(struct store *store, double overhead_seconds)
{
	mix(store, NAME_RUN, overhead_seconds);
}
