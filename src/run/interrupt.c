/* The flag that SIGINT and SIGTERM set (see interrupt.h): a handler can only reach a global. */
#include "run/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t received;

static void take(int signal)
{
	received = signal;
}

void interrupt_install(void)
{
	struct sigaction action = { .sa_handler = take };

	/* No SA_RESTART: a blocking call comes back and the flag is seen. */
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

int interrupt_signal(void)
{
	return received;
}
