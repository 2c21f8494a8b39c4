/* Write ledger of a live server between two looks at its counters: SQL -> WAL -> files -> pool ->
 * device, with the step that multiplies most. */
#ifndef DOCTOR_CROSS_WRITE_LEDGER_H
#define DOCTOR_CROSS_WRITE_LEDGER_H

#include <jansson.h>

/*
 * From facts with "ledger.begin" and "ledger.end":
 *	{"seconds", "rows_changed", "commits", "full_pages", "device_busy_percent",
 *	 "steps": [{"name", "bytes", "factor" (to the step before that is known), "note"}],
 *	 "multiplies": NAME of the step with the largest factor}
 * Steps whose counters were not seen are left out. Counters that went backwards (a reset, a
 * restart) leave their step out with a note. NULL without two looks. Owned.
 */
json_t *write_ledger(const json_t *facts);

#endif
