/*
 * A suspended pool blocks its callers inside the library for ever. This thread notices, waits for
 * the time that the user allows (the pool may come back), then has every request answered EIO and
 * ends the process, so that PostgreSQL sees an error, as from a broken disk, and not silence.
 */
#include "zfsd/daemon.h"
#include "zfsd/zfsd_protocol.h"

#include "base/clock.h"
#include "base/log.h"

#include <errno.h>

#define LOOK_EVERY_NS (NS_PER_S / 2)
#define LAST_WORDS_NS (2 * NS_PER_S) /* answers reach the kernel, clients see them */

static void *watch(void *argument)
{
	struct zfsd_daemon *daemon = argument;
	struct clock *clock = clock_system();
	int64_t since_ns = 0;
	char pool[256];

	for (;;) {
		int64_t now_ns = clock->now_ns(clock);

		if (!pool_any_suspended(pool, sizeof(pool))) {
			since_ns = 0;
		} else if (since_ns == 0) {
			since_ns = now_ns;
			log_error("pool '%s' is suspended: its devices fail", pool);
		} else if (now_ns - since_ns >= daemon->options.suspend_timeout_s * NS_PER_S) {
			break;
		}
		clock->sleep_until(clock, now_ns + LOOK_EVERY_NS);
	}
	log_error("pool '%s' stayed suspended for %u s: giving up", pool,
		daemon->options.suspend_timeout_s);
	daemon_give_up(daemon);
	clock->sleep_until(clock, clock->now_ns(clock) + LAST_WORDS_NS);
	daemon_end_now(ZFSD_EXIT_SUSPENDED);
}

int watchdog_start(struct zfsd_daemon *daemon, struct err *err)
{
	pthread_t thread;
	int r = -pthread_create(&thread, NULL, watch, daemon);

	if (r < 0)
		return err_set_errno(err, r, "start the watchdog");
	pthread_detach(thread);
	return 0;
}
