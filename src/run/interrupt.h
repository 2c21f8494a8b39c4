/* SIGINT and SIGTERM as a flag: the run looks at it and stops in order. Only cmd/ installs it. */
#ifndef RUN_INTERRUPT_H
#define RUN_INTERRUPT_H

#include <stdbool.h>

void interrupt_install(void);
/* The signal that came, 0: none. */
int interrupt_signal(void);

#endif
