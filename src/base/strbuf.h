/* A string that grows. data is always a valid, NUL-terminated string, also when empty. */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include "base/macros.h"
#include <stdarg.h>
#include <stddef.h>

struct strbuf {
	char *data;
	size_t length;
	size_t size;
};

extern char strbuf_empty[];
#define STRBUF_INIT                \
	{                          \
		strbuf_empty, 0, 0 \
	}

void strbuf_init(struct strbuf *buf);
void strbuf_release(struct strbuf *buf); /* back to empty; fine twice */
void strbuf_clear(struct strbuf *buf);	 /* empty, keeps the memory */
void strbuf_add(struct strbuf *buf, const char *bytes, size_t length);
void strbuf_add_text(struct strbuf *buf, const char *text);
void strbuf_add_char(struct strbuf *buf, char c);
void strbuf_add_format(struct strbuf *buf, const char *format, ...) PRINTF_LIKE(2, 3);
void strbuf_add_format_args(struct strbuf *buf, const char *format, va_list args);
void strbuf_trim(struct strbuf *buf);	 /* white space off both ends */
char *strbuf_detach(struct strbuf *buf); /* the text is the caller's; buf is empty again */

#endif
