/* Comparing computed numbers with tabled ones; prints both when they differ. */
#ifndef TESTS_CLOSE_H
#define TESTS_CLOSE_H

#include "unit/unit.h"

#include <math.h>

static inline void check_close(double actual, double expected, double tolerance, const char *text)
{
	if (!(fabs(actual - expected) <= tolerance))
		fail_msg(
			"%s is %.15g, expected %.15g within %g", text, actual, expected, tolerance);
}

#define assert_close(actual, expected, tolerance) \
	check_close((double)(actual), (double)(expected), tolerance, #actual)
/* The tolerance is a share of the expected value. */
#define assert_near(actual, expected, share) \
	assert_close(actual, expected, fabs((double)(expected)) * (share))

#endif
