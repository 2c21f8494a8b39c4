/* What a command knows about where it prints to. */
#ifndef CMD_TERMINAL_H
#define CMD_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

bool terminal_is(FILE *file);
size_t terminal_width(FILE *file); /* 0: no terminal, or not known */
/* A terminal that is not "dumb", and NO_COLOR is not set (no-color.org). */
bool terminal_wants_colour(FILE *file);

#endif
