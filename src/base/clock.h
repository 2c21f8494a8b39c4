/* Time comes from a struct clock that is passed in, so that a flow runs on a fake clock. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

struct clock {
	/* Nanoseconds of a clock that never goes backwards. */
	int64_t (*now_ns)(struct clock *clock);
	/* Nanoseconds since 1970 (UTC), for stamps only, never for durations. */
	int64_t (*utc_ns)(struct clock *clock);
	/* Wait until now_ns() >= until_ns; may return early on a signal. */
	void (*sleep_until)(struct clock *clock, int64_t until_ns);
};

/* The machine's clock: CLOCK_MONOTONIC and CLOCK_REALTIME. Lent, lives for ever. */
struct clock *clock_system(void);

/* A clock that only moves when told or slept on. */
struct fake_clock {
	struct clock base;
	int64_t now_ns;
	int64_t utc_offset_ns;
};
void fake_clock_init(struct fake_clock *fake);
void fake_clock_advance(struct fake_clock *fake, int64_t by_ns);

#endif
