/* The system clock and a fake one (see clock.h). */
#include "base/clock.h"

#include "base/macros.h"

#include <time.h>

static int64_t read_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static int64_t system_now_ns(struct clock *clock UNUSED)
{
	return read_ns(CLOCK_MONOTONIC);
}

static int64_t system_utc_ns(struct clock *clock UNUSED)
{
	return read_ns(CLOCK_REALTIME);
}

static void system_sleep_until(struct clock *clock UNUSED, int64_t until_ns)
{
	struct timespec until = { .tv_sec = until_ns / NS_PER_S, .tv_nsec = until_ns % NS_PER_S };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

struct clock *clock_system(void)
{
	static struct clock system = { system_now_ns, system_utc_ns, system_sleep_until };

	return &system;
}

static int64_t fake_now_ns(struct clock *clock)
{
	return CONTAINER_OF(clock, struct fake_clock, base)->now_ns;
}

static int64_t fake_utc_ns(struct clock *clock)
{
	struct fake_clock *fake = CONTAINER_OF(clock, struct fake_clock, base);

	return fake->now_ns + fake->utc_offset_ns;
}

static void fake_sleep_until(struct clock *clock, int64_t until_ns)
{
	struct fake_clock *fake = CONTAINER_OF(clock, struct fake_clock, base);

	fake->now_ns = MAX(fake->now_ns, until_ns);
}

void fake_clock_init(struct fake_clock *fake)
{
	fake->base = (struct clock){ fake_now_ns, fake_utc_ns, fake_sleep_until };
	fake->now_ns = 0;
	fake->utc_offset_ns = 1767225600LL * NS_PER_S; /* 2026-01-01 */
}

void fake_clock_advance(struct fake_clock *fake, int64_t by_ns)
{
	fake->now_ns += by_ns;
}
