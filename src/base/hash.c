/* XXH3-128 from libxxhash behind a small face (see hash.h). */
#include "base/hash.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

struct hash128 hash_bytes(const void *bytes, size_t size)
{
	XXH128_hash_t hash = XXH3_128bits(bytes, size);

	return (struct hash128){ hash.high64, hash.low64 };
}

void hash_format(struct hash128 hash, char ret_text[HASH_TEXT_SIZE])
{
	snprintf(ret_text, HASH_TEXT_SIZE, "%016llx%016llx", (unsigned long long)hash.high,
		(unsigned long long)hash.low);
}

struct hash_state *hash_new(void)
{
	XXH3_state_t *state = XXH3_createState();

	if (!state)
		state = memory_resize(NULL, (size_t)-1, 2); /* ends the process */
	XXH3_128bits_reset(state);
	return (struct hash_state *)state;
}

void hash_add(struct hash_state *state, const void *bytes, size_t size)
{
	XXH3_128bits_update((XXH3_state_t *)state, bytes, size);
}

void hash_add_text(struct hash_state *state, const char *text)
{
	uint64_t length = strlen(text);
	unsigned char prefix[8];

	for (int i = 0; i < 8; i++)
		prefix[i] = (unsigned char)(length >> (8 * i));
	hash_add(state, prefix, sizeof(prefix));
	hash_add(state, text, length);
}

struct hash128 hash_finish(const struct hash_state *state)
{
	XXH128_hash_t hash = XXH3_128bits_digest((const XXH3_state_t *)state);

	return (struct hash128){ hash.high64, hash.low64 };
}

void hash_free(struct hash_state *state)
{
	if (state)
		XXH3_freeState((XXH3_state_t *)state);
}
