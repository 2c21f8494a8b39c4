/* How much raw space a record takes on a pool, for other record sizes than the present one too:
 * sectors, RAID-Z parity and padding, mirrors, compression. */
#ifndef DOCTOR_CROSS_SPACE_FORECAST_H
#define DOCTOR_CROSS_SPACE_FORECAST_H

#include "doctor/view.h"
#include <stdint.h>

/*
 * Bytes that a block of psize bytes takes on RAID-Z: its sectors, parity for each row of
 * width - parity sectors, and all rounded up to parity + 1 sectors (vdev_raidz_asize in OpenZFS's
 * vdev_raidz.c). width > parity >= 1.
 */
uint64_t raidz_allocated_bytes(
	uint64_t psize_bytes, unsigned ashift, unsigned width, unsigned parity);

/* Bytes a record of that size takes before redundancy when its data shrinks by ratio: whole
 * sectors, and not compressed at all if less than one eighth is saved. */
uint64_t record_stored_bytes(uint64_t record_bytes, double ratio, unsigned ashift);

/*
 * One table a ZFS location with known pool: [{"location", "pool_kind", "ashift", "ratio",
 * "rows": [{"record_bytes", "raw_per_byte", "current": BOOL, "suggested": BOOL}]}], owned.
 * ratio is the dataset's compressratio, taken as if it held for every record size: an estimate.
 */
json_t *space_forecasts(const struct view *view);

#endif
