/*
 * Errors: a function returns 0 or a negative errno and says once, in struct err, what failed and
 * with which value; callers add where and why on the way up; only cmd/ prints.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/macros.h"

#define ERR_MESSAGE_SIZE 4096

struct err {
	int code; /* negative errno of the first failure, 0 while nothing failed */
	char message[ERR_MESSAGE_SIZE];
};

#define ERR_INIT      \
	{             \
		0, "" \
	}

void err_clear(struct err *err);

/* Say what failed. Keeps an earlier message: a later failure (of an undo, say) is appended after
 * "; also: ", never put in its place. err may be NULL. Returns code. */
int err_set(struct err *err, int code, const char *format, ...) PRINTF_LIKE(3, 4);

/* The same with ": <strerror of -code>" at the end. */
int err_set_errno(struct err *err, int code, const char *format, ...) PRINTF_LIKE(3, 4);

/* Put "<text>: " before the message. err may be NULL. Returns code. */
int err_prefix(struct err *err, int code, const char *format, ...) PRINTF_LIKE(3, 4);

/* Add "\nhint: <text>": what the user can do. err may be NULL. Returns code. */
int err_hint(struct err *err, int code, const char *format, ...) PRINTF_LIKE(3, 4);

#endif
