/* What is left in the log when the process dies of itself. */
#ifndef ZFSD_CRASH_REPORT_H
#define ZFSD_CRASH_REPORT_H

/* From now on a failed assertion or a bad access writes the thread's stack and the state of the
 * pools to stderr before the process ends by its signal. */
void crash_report_install(void);

#endif
