/* Every workload driver, each defined in the file of its name. */
#ifndef WORKLOAD_WORKLOAD_DRIVERS_H
#define WORKLOAD_WORKLOAD_DRIVERS_H

#include "workload/workload.h"

extern const struct workload_driver pgbench_workload, sql_workload, load_workload,
	analytic_workload, fio_workload, dd_workload, fake_workload;

#endif
