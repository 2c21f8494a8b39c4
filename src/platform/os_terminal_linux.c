/* Size of a terminal by ioctl (see os_terminal.h). */
#include "platform/os_terminal.h"

#include <sys/ioctl.h>

size_t os_terminal_columns(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}
