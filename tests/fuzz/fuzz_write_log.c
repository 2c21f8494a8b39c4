/* write_log: any file is read to an end or refused; what comes out keeps the promises of
 * write_log.h. */
#include "fuzz.h"

#include "device/write_log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void read_all(const char *path)
{
	struct write_log_reader *reader = NULL;
	struct write_log_header header;
	struct write_log_record record;
	struct err err = ERR_INIT;
	unsigned int sum = 0;
	int r;

	if (write_log_open(path, &header, &reader, &err) < 0)
		return;
	while ((r = write_log_next(reader, &record, &err)) > 0) {
		if (record.operation == DEVICE_READ || record.operation >= DEVICE_OPERATION_COUNT)
			abort();
		if (record.data)
			sum += record.data[0] + record.data[record.size - 1];
	}
	if (r < 0 && (r != -EBADMSG || err.message[0] == '\0'))
		abort();
	write_log_reader_close(reader);
	if (sum == 1) /* the data was touched */
		fputs("", stderr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char path[40];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_all(path);
	close(fd);
	return 0;
}
