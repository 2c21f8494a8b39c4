/* Allocation that does not fail: out of memory ends the process here and only here. The undo
 * journal makes that safe (`plumb clean` finishes what was cut short). Free with free(). */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include "base/macros.h"
#include <stddef.h>

void *memory_new(size_t size);			   /* zeroed */
void *memory_new_array(size_t count, size_t size); /* zeroed, overflow checked */
void *memory_resize(void *old, size_t count, size_t size);
char *memory_copy_string(const char *text); /* NULL gives NULL */
char *memory_copy_bytes(const char *text, size_t length);
char *memory_format(const char *format, ...) PRINTF_LIKE(1, 2);

#endif
