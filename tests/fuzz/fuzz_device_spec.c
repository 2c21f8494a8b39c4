/* device_spec: any text is refused or gives a spec whose canonical text gives itself. */
#include "fuzz.h"

#include "base/memory.h"
#include "device/device_spec.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = memory_copy_bytes((const char *)data, size);
	struct strbuf once = STRBUF_INIT, twice = STRBUF_INIT;
	struct device_spec spec = { 0 };
	struct err err = ERR_INIT;

	if (device_spec_parse(text, &spec, &err) == 0) {
		device_spec_format(&spec, &once);
		if (device_spec_parse(once.data, &spec, &err) < 0)
			abort();
		device_spec_format(&spec, &twice);
		if (strcmp(once.data, twice.data) != 0)
			abort();
	} else if (err.message[0] == '\0') {
		abort();
	}
	device_spec_release(&spec);
	strbuf_release(&once);
	strbuf_release(&twice);
	free(text);
	return 0;
}
