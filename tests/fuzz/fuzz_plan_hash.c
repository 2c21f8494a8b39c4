/* EXPLAIN's JSON: refused with words, or a hash and one line of structure, the same every time. */
#include "fuzz.h"

#include "base/memory.h"
#include "workload/analytic/plan_hash.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = memory_copy_bytes((const char *)data, size);
	char hash[HASH_TEXT_SIZE] = "untouched", again[HASH_TEXT_SIZE];
	struct strbuf structure = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (plan_hash(text, &structure, hash, &err) < 0) {
		if (err.message[0] == '\0' || structure.length || strcmp(hash, "untouched") != 0)
			abort();
	} else {
		if (strlen(hash) != HASH_TEXT_SIZE - 1 || strspn(hash, "0123456789abcdef") != 32)
			abort();
		for (size_t i = 0; i < structure.length; i++)
			if ((unsigned char)structure.data[i] < ' ')
				abort();
		if (plan_hash(text, NULL, again, &err) < 0 || strcmp(hash, again) != 0)
			abort();
	}
	strbuf_release(&structure);
	free(text);
	return 0;
}
