/* Every probe driver, each defined in the file of its name. */
#ifndef PROBE_PROBE_DRIVERS_H
#define PROBE_PROBE_DRIVERS_H

#include "probe/probe.h"

extern const struct probe_driver machine_probe, device_probe, disk_probe, process_probe,
	postgres_probe, target_probe;

#endif
