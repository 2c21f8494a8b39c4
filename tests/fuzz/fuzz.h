/* What every fuzz target includes: the one function that libFuzzer and replay_main.c call. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Feed one input to the parser; abort on a broken promise. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
