/* The only callers of a store driver's functions (see store.h). */
#include "store/store.h"

#include <assert.h>

int store_open(const struct store_driver *driver, const char *path, enum store_mode mode,
	struct store **ret_store, struct err *err)
{
	return driver->open(path, mode, ret_store, err);
}

int store_put_study(struct store *store, const struct store_study *study, struct err *err)
{
	assert(study->name && study->text);
	return store->driver->put_study(store, study, err);
}

int store_studies(struct store *store, int (*visit)(void *context, const struct store_study *study),
	void *context, struct err *err)
{
	return store->driver->studies(store, visit, context, err);
}

int store_put_absent(
	struct store *store, const char *study, const struct absent_cells *absent, struct err *err)
{
	return store->driver->put_absent(store, study, absent, err);
}

int store_get_absent(
	struct store *store, const char *study, struct absent_cells *absent, struct err *err)
{
	return store->driver->get_absent(store, study, absent, err);
}

int store_seal(struct store *store, const struct store_setup *setup,
	const struct store_trial *trial, const struct trial_record *record, struct err *err)
{
	assert(record->state == TRIAL_DONE || record->state == TRIAL_FAILED ||
		record->state == TRIAL_VOID);
	return store->driver->seal(store, setup, trial, record, err);
}

int store_state(
	struct store *store, const char *trial_id, enum trial_state *ret_state, struct err *err)
{
	return store->driver->state(store, trial_id, ret_state, err);
}

int store_scan(struct store *store, const struct store_query *query, store_visit *visit,
	void *context, struct err *err)
{
	return store->driver->scan(store, query, visit, context, err);
}

int store_put_number(struct store *store, const char *name, double value, struct err *err)
{
	return store->driver->put_number(store, name, value, err);
}

int store_get_number(struct store *store, const char *name, double *ret_value, struct err *err)
{
	return store->driver->get_number(store, name, ret_value, err);
}

struct store *store_close(struct store *store)
{
	if (store)
		store->driver->close(store);
	return NULL;
}
