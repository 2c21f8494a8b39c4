/* Allocation that ends the process when there is no memory (see memory.h). */
#include "base/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *must(void *pointer, size_t size)
{
	if (!pointer) {
		fprintf(stderr, "plumb: out of memory (asked for %zu bytes)\n", size);
		abort();
	}
	return pointer;
}

void *memory_new(size_t size)
{
	return must(calloc(1, size ? size : 1), size);
}

void *memory_new_array(size_t count, size_t size)
{
	return must(calloc(count ? count : 1, size ? size : 1), count * size);
}

void *memory_resize(void *old, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		return must(NULL, SIZE_MAX);
	return must(realloc(old, bytes ? bytes : 1), bytes);
}

char *memory_copy_bytes(const char *text, size_t length)
{
	char *copy = memory_new(length + 1);

	memcpy(copy, text, length);
	return copy;
}

char *memory_copy_string(const char *text)
{
	return text ? memory_copy_bytes(text, strlen(text)) : NULL;
}

char *memory_format(const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	return must(length < 0 ? NULL : text, 0);
}
