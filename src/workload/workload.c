/* The list of workloads, and the only caller of their functions (see workload.h). */
#include "workload/workload.h"

#include "workload/workload_drivers.h"

#include <string.h>

const struct workload_driver *const workload_drivers[] = { &pgbench_workload, &sql_workload,
	&load_workload, &analytic_workload, &fio_workload, &dd_workload, &fake_workload, NULL };

const struct workload_driver *workload_find(const char *type)
{
	for (size_t i = 0; workload_drivers[i]; i++)
		if (strcmp(workload_drivers[i]->name, type) == 0)
			return workload_drivers[i];
	return NULL;
}

int workload_open(const struct workload_driver *driver, const struct workload_context *context,
	struct workload **ret_workload, struct err *err)
{
	int r = driver->open(context, ret_workload, err);

	if (r < 0)
		return err_prefix(err, r, "workload %s", driver->name);
	(*ret_workload)->driver = driver;
	(*ret_workload)->context = *context;
	return 0;
}

int workload_load(struct workload *workload, struct trial_record *record, struct err *err)
{
	int r = 0;

	if (workload->driver->load)
		r = workload->driver->load(workload, record, err);
	return r < 0 ? err_prefix(err, r, "load of workload %s", workload->driver->name) : 0;
}

int workload_start(
	struct workload *workload, int64_t warmup_ns, int64_t measure_ns, struct err *err)
{
	return workload->driver->start(workload, warmup_ns, measure_ns, err);
}

int workload_step(
	struct workload *workload, struct workload_progress *ret_progress, struct err *err)
{
	return workload->driver->step(workload, ret_progress, err);
}

void workload_pause(struct workload *workload, bool paused)
{
	if (workload->driver->pause)
		workload->driver->pause(workload, paused);
}

void workload_stop(struct workload *workload)
{
	workload->driver->stop(workload);
}

int workload_collect(struct workload *workload, struct trial_record *record, struct err *err)
{
	return workload->driver->collect(workload, record, err);
}

int workload_verify(struct workload *workload, struct trial_record *record, struct err *err)
{
	return workload->driver->verify ? workload->driver->verify(workload, record, err) : 0;
}

struct workload *workload_close(struct workload *workload)
{
	if (workload)
		workload->driver->close(workload);
	return NULL;
}
