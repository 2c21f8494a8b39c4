/*
 * An embedded filesystem pays with CPU time for what a kernel one has for nothing, so the two may
 * be compared only where the device was the limit. Apart from finding.c because it is a rule about
 * what ran, not about numbers that differ.
 */
#include "analysis/finding_internal.h"

#include <math.h>
#include <string.h>

#define BUSY_LEAST_PERCENT 90.0 /* of the device */
#define IDLE_LEAST_PERCENT 10.0 /* of the CPUs */

static bool is_embedded(const struct results *results, size_t cell)
{
	const char *engine = cell < results->cell_count ? results->cells[cell].engine : NULL;

	return engine && strcmp(engine, "embedded") == 0;
}

static bool is_device_bound(const struct results *results, size_t cell)
{
	return results_cell_mean(results, cell, "run", "device_busy") >= BUSY_LEAST_PERCENT &&
	       results_cell_mean(results, cell, "run", "cpu_idle") >= IDLE_LEAST_PERCENT;
}

void finding_withdraw_cpu_bound(struct findings *findings, const struct results *results)
{
	for (size_t i = 0; i < findings->cell_count; i++) {
		struct cell_finding *cell = &findings->cells[i];

		if (cell->verdict == VERDICT_NONE ||
			is_embedded(results, i) == is_embedded(results, cell->baseline))
			continue;
		if (is_device_bound(results, i) && is_device_bound(results, cell->baseline))
			continue;
		cell->verdict = VERDICT_NONE;
		cell->reason = "can't tell: CPU-bound";
	}
}
