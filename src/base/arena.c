/* Arena of chunks, newest first (see arena.h). */
#include "base/arena.h"

#include "base/memory.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_SIZE 65536

struct arena_chunk {
	struct arena_chunk *next;
	size_t used;
	size_t size;
	alignas(max_align_t) char data[];
};

void arena_release(struct arena *arena)
{
	struct arena_chunk *chunk = arena->chunks;

	while (chunk) {
		struct arena_chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
	arena->chunks = NULL;
}

void *arena_new(struct arena *arena, size_t size)
{
	struct arena_chunk *chunk = arena->chunks;
	size_t align = alignof(max_align_t);
	void *result;

	size = (size + align - 1) / align * align;
	if (!chunk || chunk->size - chunk->used < size) {
		size_t room = MAX(size, (size_t)CHUNK_SIZE);

		chunk = memory_new(sizeof(*chunk) + room);
		chunk->size = room;
		chunk->next = arena->chunks;
		arena->chunks = chunk;
	}
	result = chunk->data + chunk->used;
	chunk->used += size;
	return result;
}

void *arena_new_array(struct arena *arena, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		bytes = SIZE_MAX / 2; /* ends the process in memory_new */
	return arena_new(arena, bytes);
}

char *arena_copy_bytes(struct arena *arena, const char *bytes, size_t length)
{
	char *copy = arena_new(arena, length + 1);

	memcpy(copy, bytes, length);
	return copy;
}

char *arena_copy_string(struct arena *arena, const char *text)
{
	return text ? arena_copy_bytes(arena, text, strlen(text)) : NULL;
}

char *arena_format(struct arena *arena, const char *format, ...)
{
	va_list args;
	int length;
	char *text;

	va_start(args, format);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	text = arena_new(arena, (size_t)length + 1);
	va_start(args, format);
	vsnprintf(text, (size_t)length + 1, format, args);
	va_end(args);
	return text;
}
