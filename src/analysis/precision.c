/* Enough blocks? (see precision.h) */
#include "analysis/precision.h"

#include <math.h>

double precision_widest(const struct findings *findings)
{
	double widest = NAN;

	for (size_t i = 0; i < findings->cell_count; i++) {
		const struct cell_finding *cell = &findings->cells[i];

		if (cell->role != CELL_STUDIED || cell->baseline == i ||
			(cell->setups == 0 && cell->trials > 0))
			continue;
		if (cell->effect.status != EFFECT_OK || isnan(cell->effect.low))
			return INFINITY;
		widest = fmax(
			isnan(widest) ? 0 : widest, sqrt(cell->effect.high / cell->effect.low) - 1);
	}
	return widest;
}
