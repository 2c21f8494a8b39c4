/* Stable 128-bit fingerprints (XXH3, seed 0) for identities, result sets and file contents. Not
 * cryptographic. The text form is 32 lower-case hex digits, high half first. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_TEXT_SIZE 33

struct hash128 {
	uint64_t high;
	uint64_t low;
};

struct hash128 hash_bytes(const void *bytes, size_t size);
void hash_format(struct hash128 hash, char ret_text[HASH_TEXT_SIZE]);

/* Hash of something that comes in pieces. The same bytes give the same hash however cut. */
struct hash_state;
struct hash_state *hash_new(void);
void hash_add(struct hash_state *state, const void *bytes, size_t size);
/* A field: its length goes in first, so that ("ab","c") and ("a","bc") differ. */
void hash_add_text(struct hash_state *state, const char *text);
struct hash128 hash_finish(const struct hash_state *state);
void hash_free(struct hash_state *state); /* fine with NULL */

#endif
