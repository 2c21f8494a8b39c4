/* Size of a terminal. */
#ifndef PLATFORM_OS_TERMINAL_H
#define PLATFORM_OS_TERMINAL_H

#include <stddef.h>

/* Columns of the terminal behind fd; 0 when it is none or does not tell. */
size_t os_terminal_columns(int fd);

#endif
