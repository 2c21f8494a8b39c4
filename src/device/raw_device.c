/*
 * Real disks. Whoever writes to one destroys what was there, so this is the only place that opens
 * one for writing, and only for a caller whose user gave that disk up by name.
 */
#include "device/stores.h"

#include "base/macros.h"
#include "platform/os_disk.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

static int fit(struct store_options *options, const struct os_block_limits *limits, struct err *err)
{
	if (options->size_bytes == 0)
		options->size_bytes = limits->size_bytes;
	if (options->size_bytes > limits->size_bytes)
		return err_set(err, -EINVAL,
			"the device has %" PRIu64 " bytes, less than the size of %" PRIu64
			" asked for",
			limits->size_bytes, options->size_bytes);
	options->logical_sector_bytes =
		MAX(options->logical_sector_bytes, limits->logical_sector_bytes);
	options->physical_block_bytes = MAX(options->physical_block_bytes,
		MAX(limits->physical_block_bytes, options->logical_sector_bytes));
	options->size_bytes -= options->size_bytes % options->logical_sector_bytes;
	if (options->size_bytes == 0)
		return err_set(err, -EINVAL, "the device is empty");
	return 0;
}

int raw_device_open(const char *path, struct store_options *options, int *ret_fd, struct err *err)
{
	struct os_block_limits limits;
	int fd, r;

	if (!options->raw)
		return err_set(err, -EPERM,
			"'%s' is a block device: what is on it would be lost, and nobody asked for "
			"that (--destroy DEVICE does)",
			path);
	r = os_block_open(path, &fd, &limits);
	if (r == -EBUSY)
		return err_set(err, r, "'%s' is in use: mounted, or held by another program", path);
	if (r < 0)
		return err_set_errno(err, r, "cannot open '%s'", path);
	r = fit(options, &limits, err);
	if (r < 0) {
		close(fd);
		return err_prefix(err, r, "'%s'", path);
	}
	*ret_fd = fd;
	return 0;
}
