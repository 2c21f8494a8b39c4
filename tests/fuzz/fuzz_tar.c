/* tar: any file is read to its end or refused with words; every name that comes out is plain. */
#include "fuzz.h"

#include "base/tar.h"

#include <errno.h>
#include <stdlib.h>

static int take(void *context, const struct tar_entry *entry, FILE *file, struct err *err)
{
	uint64_t *total = context;

	if (!tar_name_is_plain(entry->name))
		abort();
	*total += entry->size;
	return tar_copy(file, NULL, entry->size, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = ERR_INIT;
	uint64_t total = 0;
	struct tar_reader reader = { NULL, "input", take, &total };
	int r;

	if (size == 0)
		return 0;
	reader.file = fmemopen((void *)(uintptr_t)data, size, "rb");
	if (!reader.file)
		abort();
	r = tar_read(&reader, &err);
	if (r < 0 && (r != -EBADMSG || err.message[0] == '\0'))
		abort();
	if (r == 0 && total > size)
		abort();
	fclose(reader.file);
	return 0;
}
