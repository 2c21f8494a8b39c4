/* The control socket of plumb-diskd: diskd_protocol.h, served inside the daemon's one event loop.
 */
#ifndef DISKD_CONTROL_H
#define DISKD_CONTROL_H

#include "base/err.h"
#include <jansson.h>
#include <poll.h>

#define CONTROL_CLIENTS_MOST 16
#define CONTROL_POLLS	     (CONTROL_CLIENTS_MOST + 1)

/* Carry out a command. Fills *ret_result (new reference, may stay NULL: {}). */
typedef int control_handler(
	void *context, const char *command, json_t *request, json_t **ret_result, struct err *err);

struct control;

int control_open(const char *path, control_handler *handler, void *context,
	struct control **ret_control, struct err *err);
/* The descriptors to poll: fills CONTROL_POLLS entries. */
void control_polls(const struct control *control, struct pollfd *polls);
/* Serve what has become readable. */
void control_serve(struct control *control, const struct pollfd *polls);
void control_close(struct control *control); /* removes the socket; takes NULL */

#endif
