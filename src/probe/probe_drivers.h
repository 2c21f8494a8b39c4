/* Every probe driver, each defined in the file of its name. */
#ifndef PROBE_PROBE_DRIVERS_H
#define PROBE_PROBE_DRIVERS_H

#include "probe/probe.h"

extern const struct probe_driver machine_probe, device_probe, disk_probe, process_probe,
	postgres_probe, target_probe;

/* Where a metric of an emulated disk stands in device_statistics(): device, operation (NULL: none)
 * and counter. Read from plumb-diskd by disk_probe, from disks inside plumb-zfsd by target_probe.
 * Ends with a row without metric. */
struct disk_counter {
	const char *metric, *device, *operation, *counter;
};
extern const struct disk_counter disk_counters[];

#endif
