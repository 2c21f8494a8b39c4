/* Small macros that every folder uses. */
#ifndef BASE_MACROS_H
#define BASE_MACROS_H

#include <stddef.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* The struct of TYPE whose MEMBER is at POINTER: how a driver finds its private part. */
#define CONTAINER_OF(pointer, type, member) ((type *)((char *)(pointer)-offsetof(type, member)))

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

#define UNUSED			 __attribute__((unused))
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))

#define NS_PER_S  1000000000LL
#define NS_PER_MS 1000000LL
#define NS_PER_US 1000LL

#endif
