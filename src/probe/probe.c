/* The list of probes, and the only caller of their functions (see probe.h). */
#include "probe/probe.h"

#include "probe/probe_drivers.h"

#include <assert.h>

/* Opened and begun in this order, ended in reverse: the windows of the last are the tightest, and
 * what a probe does at its end (pg_waldump, say) is in no figure of those after it. */
const struct probe_driver *const probe_drivers[] = { &postgres_probe, &process_probe, &target_probe,
	&device_probe, &disk_probe, &machine_probe, NULL };

/* Give the failure its probe's name. */
static int told(struct probe_set *set, const struct probe_driver *driver, int r, struct err *err)
{
	if (r >= 0)
		return 0;
	set->failed = driver;
	return err_prefix(err, r, "probe %s", driver->name);
}

int probe_set_open(struct probe_set *set, const struct probe_context *context,
	struct trial_record *record, struct err *err)
{
	const struct probe_driver *const *drivers =
		context->drivers ? context->drivers : probe_drivers;

	*set = (struct probe_set){ 0 };
	for (size_t i = 0; drivers[i]; i++) {
		const struct probe_driver *driver = drivers[i];
		struct err why = ERR_INIT;
		struct probe *probe;
		int r = driver->check(context, &why);

		if (r < 0) {
			trial_record_note(record, NOTE_INFO, "probe-missing",
				"no figures of %s: %s", driver->name, why.message);
			continue;
		}
		assert(set->count < ARRAY_SIZE(set->probes));
		r = driver->open(context, &probe, err);
		if (r < 0) {
			probe_set_close(set);
			return told(set, driver, r, err);
		}
		probe->driver = driver;
		probe->context = *context;
		set->probes[set->count++] = probe;
	}
	return 0;
}

int probe_set_describe(struct probe_set *set, struct trial_record *record, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < set->count; i++) {
		struct probe *probe = set->probes[i];

		if (probe->driver->describe)
			r = told(set, probe->driver, probe->driver->describe(probe, record, err),
				err);
	}
	return r;
}

int probe_set_begin(struct probe_set *set, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < set->count; i++) {
		struct probe *probe = set->probes[i];

		r = told(set, probe->driver, probe->driver->begin(probe, err), err);
	}
	return r;
}

int probe_set_tick(struct probe_set *set, const char *phase, int64_t at_ns,
	struct trial_record *record, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < set->count; i++) {
		struct probe *probe = set->probes[i];

		if (probe->driver->tick)
			r = told(set, probe->driver,
				probe->driver->tick(probe, phase, at_ns, record, err), err);
	}
	return r;
}

int probe_set_end(
	struct probe_set *set, const char *phase, struct trial_record *record, struct err *err)
{
	int r = 0;

	/* The reverse of begin: what was read last is read first, so windows nest. */
	for (size_t i = set->count; r == 0 && i > 0; i--) {
		struct probe *probe = set->probes[i - 1];

		r = told(set, probe->driver, probe->driver->end(probe, phase, record, err), err);
	}
	return r;
}

void probe_set_close(struct probe_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		set->probes[i]->driver->close(set->probes[i]);
	set->count = 0;
}
