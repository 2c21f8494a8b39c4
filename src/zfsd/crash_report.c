/*
 * A failed assertion of the library ends the process, as a panic ends a machine. The report is made
 * in the signal handler: what it calls is not promised to be safe there, but the process is lost
 * anyway; an alarm ends it should the report itself hang on a lock.
 */
#include "zfsd/crash_report.h"
#include "zfsd/pool/pool.h"
#include "zfsd/zfsd_protocol.h"

#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FRAMES_MOST    64
#define REPORT_LIMIT_S 5

static void report(int signal_number)
{
	void *frames[FRAMES_MOST];
	json_t *state = NULL;
	int count;

	signal(signal_number, SIG_DFL);
	signal(SIGALRM, SIG_DFL);
	alarm(REPORT_LIMIT_S);
	dprintf(STDERR_FILENO, ZFSD_REPORT_LINE "%d (%s), stack:\n", signal_number,
		sigabbrev_np(signal_number));
	count = backtrace(frames, FRAMES_MOST);
	backtrace_symbols_fd(frames, count, STDERR_FILENO);
	if (pool_status(NULL, &state, NULL) == 0)
		json_dumpfd(state, STDERR_FILENO, JSON_INDENT(1));
	dprintf(STDERR_FILENO, "\nplumb-zfsd: end of report\n");
	raise(signal_number);
}

void crash_report_install(void)
{
	const int fatal[] = { SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE };
	struct sigaction action = { .sa_handler = report, .sa_flags = SA_RESETHAND };
	void *frame;

	(void)backtrace(&frame, 1); /* loads the unwinder now, not in the handler */
	for (size_t i = 0; i < ARRAY_SIZE(fatal); i++)
		sigaction(fatal[i], &action, NULL);
}
