/* Error text: built in place, cut at ERR_MESSAGE_SIZE, never allocated (see err.h). */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void err_clear(struct err *err)
{
	err->code = 0;
	err->message[0] = '\0';
}

static void append(struct err *err, const char *format, va_list args)
{
	size_t used = strlen(err->message);

	vsnprintf(err->message + used, sizeof(err->message) - used, format, args);
}

static void begin(struct err *err, int code)
{
	if (err->code == 0)
		err->code = code;
	if (err->message[0] != '\0') {
		size_t used = strlen(err->message);

		snprintf(err->message + used, sizeof(err->message) - used, "; also: ");
	}
}

int err_set(struct err *err, int code, const char *format, ...)
{
	va_list args;

	if (!err)
		return code;
	begin(err, code);
	va_start(args, format);
	append(err, format, args);
	va_end(args);
	return code;
}

int err_set_errno(struct err *err, int code, const char *format, ...)
{
	va_list args;
	size_t used;

	if (!err)
		return code;
	begin(err, code);
	va_start(args, format);
	append(err, format, args);
	va_end(args);
	used = strlen(err->message);
	snprintf(err->message + used, sizeof(err->message) - used, ": %s", strerror(-code));
	return code;
}

int err_prefix(struct err *err, int code, const char *format, ...)
{
	char text[ERR_MESSAGE_SIZE];
	size_t length;
	va_list args;

	if (!err)
		return code;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	length = strlen(text);
	snprintf(text + length, sizeof(text) - length, ": %s", err->message);
	memcpy(err->message, text, sizeof(text));
	if (err->code == 0)
		err->code = code;
	return code;
}

int err_hint(struct err *err, int code, const char *format, ...)
{
	va_list args;
	size_t used;

	if (!err)
		return code;
	used = strlen(err->message);
	snprintf(err->message + used, sizeof(err->message) - used, "\nhint: ");
	va_start(args, format);
	append(err, format, args);
	va_end(args);
	return code;
}
