/* Terminals (see terminal.h). */
#include "cmd/terminal.h"

#include "platform/os_terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool terminal_is(FILE *file)
{
	return isatty(fileno(file)) == 1;
}

size_t terminal_width(FILE *file)
{
	return terminal_is(file) ? os_terminal_columns(fileno(file)) : 0;
}

bool terminal_wants_colour(FILE *file)
{
	const char *none = getenv("NO_COLOR"), *kind = getenv("TERM");

	return terminal_is(file) && !(none && *none) && kind && strcmp(kind, "dumb") != 0;
}
