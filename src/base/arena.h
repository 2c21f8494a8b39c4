/* Memory that is freed all at once: one arena a study, one a trial. Not thread-safe. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/macros.h"
#include <stddef.h>

struct arena_chunk;
struct arena {
	struct arena_chunk *chunks;
};

#define ARENA_INIT   \
	{            \
		NULL \
	}

void arena_release(struct arena *arena);	   /* frees everything; fine twice */
void *arena_new(struct arena *arena, size_t size); /* zeroed, aligned for any type */
void *arena_new_array(struct arena *arena, size_t count, size_t size);
char *arena_copy_string(struct arena *arena, const char *text); /* NULL gives NULL */
char *arena_copy_bytes(struct arena *arena, const char *bytes, size_t length);
char *arena_format(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
