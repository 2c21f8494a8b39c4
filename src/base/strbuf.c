/* Growing strings (see strbuf.h). */
#include "base/strbuf.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char strbuf_empty[1];

void strbuf_init(struct strbuf *buf)
{
	buf->data = strbuf_empty;
	buf->length = 0;
	buf->size = 0;
}

void strbuf_release(struct strbuf *buf)
{
	if (buf->size)
		free(buf->data);
	strbuf_init(buf);
}

void strbuf_clear(struct strbuf *buf)
{
	buf->length = 0;
	if (buf->size)
		buf->data[0] = '\0';
}

static void reserve(struct strbuf *buf, size_t extra)
{
	size_t want = buf->length + extra + 1;
	size_t size = buf->size ? buf->size : 64;

	if (want <= buf->size)
		return;
	while (size < want)
		size *= 2;
	buf->data = memory_resize(buf->size ? buf->data : NULL, size, 1);
	buf->size = size;
}

void strbuf_add(struct strbuf *buf, const char *bytes, size_t length)
{
	reserve(buf, length);
	memcpy(buf->data + buf->length, bytes, length);
	buf->length += length;
	buf->data[buf->length] = '\0';
}

void strbuf_add_text(struct strbuf *buf, const char *text)
{
	strbuf_add(buf, text, strlen(text));
}

void strbuf_add_char(struct strbuf *buf, char c)
{
	strbuf_add(buf, &c, 1);
}

void strbuf_add_format_args(struct strbuf *buf, const char *format, va_list args)
{
	va_list again;
	int length;

	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, args);
	if (length > 0) {
		reserve(buf, (size_t)length);
		vsnprintf(buf->data + buf->length, (size_t)length + 1, format, again);
		buf->length += (size_t)length;
	}
	va_end(again);
}

void strbuf_add_format(struct strbuf *buf, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	strbuf_add_format_args(buf, format, args);
	va_end(args);
}

void strbuf_trim(struct strbuf *buf)
{
	size_t start = 0;

	while (start < buf->length && isspace((unsigned char)buf->data[start]))
		start++;
	while (buf->length > start && isspace((unsigned char)buf->data[buf->length - 1]))
		buf->length--;
	if (!buf->size)
		return;
	memmove(buf->data, buf->data + start, buf->length - start);
	buf->length -= start;
	buf->data[buf->length] = '\0';
}

char *strbuf_detach(struct strbuf *buf)
{
	char *text;

	reserve(buf, 0);
	buf->data[buf->length] = '\0';
	text = buf->data;
	strbuf_init(buf);
	return text;
}
