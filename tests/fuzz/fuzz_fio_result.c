/* The report of another program: refused with words and the result untouched, or rates that can
 * be. */
#include "fuzz.h"

#include "base/memory.h"
#include "workload/file_io/fio_result.h"

#include <math.h>
#include <stdlib.h>

static void check_direction(const struct fio_direction *direction)
{
	const double rates[] = { direction->bytes_per_s, direction->iops, direction->bytes };

	for (size_t i = 0; i < ARRAY_SIZE(rates); i++)
		if (!isfinite(rates[i]) || rates[i] < 0)
			abort();
	if (direction->latency_max_ns < 0 || direction->latency_p999_ns < 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = memory_copy_bytes((const char *)data, size);
	struct fio_result result = { .errors = -1 };
	struct err err = ERR_INIT;

	if (fio_result_parse(text, &result, &err) < 0) {
		if (err.message[0] == '\0' || result.errors != -1)
			abort();
	} else {
		if (result.errors < 0)
			abort();
		check_direction(&result.read);
		check_direction(&result.write);
	}
	free(text);
	return 0;
}
