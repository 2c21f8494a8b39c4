/* Two factors as a map: the ratio to the baseline in each field; coloured only where a difference
 * is shown. */
#include "report/charts.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS_MOST 24

struct field {
	double log_sum; /* of ratios to the baseline */
	size_t cells;
	bool differs; /* for at least one cell in it */
};

struct map {
	const char *names[2];
	const char *levels[2][LEVELS_MOST];
	size_t counts[2];
	struct field fields[LEVELS_MOST][LEVELS_MOST];
};

/* Number of a level, added if new; LEVELS_MOST: no room. */
static size_t level_of(struct map *map, int axis, const char *text)
{
	size_t level = 0;

	while (level < map->counts[axis] && strcmp(map->levels[axis][level], text) != 0)
		level++;
	if (level == map->counts[axis] && level < LEVELS_MOST)
		map->levels[axis][map->counts[axis]++] = text;
	return level;
}

/* The value of a setting in a cell's label "recordsize=8K block_size=8K"; in the arena. */
static const char *label_value(const char *label, const char *name, struct arena *arena)
{
	const char *dot = strrchr(name, '.');
	const char *key = dot ? dot + 1 : name;
	size_t length = strlen(key);

	for (const char *at = label; at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL) {
		const char *end = strchr(at, ' ') ? strchr(at, ' ') : at + strlen(at);
		const char *equals = memchr(at, '=', (size_t)(end - at));

		if (!equals)
			continue;
		const char *start = equals - length;

		if (start >= at && strncmp(start, key, length) == 0 &&
			(start == at || start[-1] == '.'))
			return arena_copy_bytes(arena, equals + 1, (size_t)(end - equals - 1));
	}
	return NULL;
}

static bool fill_map(struct map *map, const struct findings *findings, struct arena *arena)
{
	for (size_t i = 0; i < findings->cell_count; i++) {
		const struct cell_finding *cell = &findings->cells[i];
		size_t at[2];

		if (cell->role != CELL_STUDIED || cell->effect.status != EFFECT_OK)
			continue;
		for (int axis = 0; axis < 2; axis++) {
			const char *text = label_value(cell->label, map->names[axis], arena);

			at[axis] = text ? level_of(map, axis, text) : LEVELS_MOST;
			if (at[axis] == LEVELS_MOST)
				return false;
		}
		struct field *field = &map->fields[at[0]][at[1]];

		field->log_sum += log(cell->effect.ratio);
		field->cells++;
		field->differs = field->differs || verdict_is_difference(cell->verdict);
	}
	return map->counts[0] > 1 && map->counts[1] > 1;
}

/* Green is better, red worse, stronger up to a factor of two; grey where nothing is shown. */
static void colour_of(const struct field *field, bool lower_is_better, char text[8])
{
	double strength = field->log_sum / (double)field->cells / M_LN2;
	bool good = (strength > 0) != lower_is_better;
	double share = 0.25 + 0.75 * fmin(1, fabs(strength));
	int target[2][3] = { { 176, 42, 48 }, { 42, 138, 74 } };
	int rgb[3];

	for (int i = 0; i < 3; i++)
		rgb[i] = field->differs ? (int)(225 + share * (target[good][i] - 225)) : 225;
	snprintf(text, 8, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

static void add_fields(
	struct strbuf *script, const struct map *map, const struct findings *findings)
{
	for (size_t x = 0; x < map->counts[0]; x++) {
		for (size_t y = 0; y < map->counts[1]; y++) {
			const struct field *field = &map->fields[x][y];
			char colour[8];

			if (field->cells == 0)
				continue;
			colour_of(field, findings->lower_is_better, colour);
			strbuf_add_format(script,
				"set object rectangle from %g,%g to %g,%g fillcolor rgb '%s' "
				"fillstyle "
				"solid border lc rgb '#ffffff'\n"
				"set label '%.3f' at %zu,%zu center front tc rgb '#000000'\n",
				(double)x - 0.5, (double)y - 0.5, (double)x + 0.5, (double)y + 0.5,
				colour, exp(field->log_sum / (double)field->cells), x, y);
		}
	}
}

static void add_tics(struct strbuf *script, const struct map *map, int axis, const char *name)
{
	strbuf_add_format(script, "set %slabel ", name);
	gnuplot_quote(script, map->names[axis], false);
	strbuf_add_format(script, "\nset %stics (", name);
	for (size_t level = 0; level < map->counts[axis]; level++) {
		strbuf_add_text(script, level ? ", " : "");
		gnuplot_quote(script, map->levels[axis][level], true);
		strbuf_add_format(script, " %zu", level);
	}
	strbuf_add_format(
		script, ")\nset %srange [-0.5:%g]\n", name, (double)map->counts[axis] - 0.5);
}

void chart_heat(struct charts *charts, const struct report *report)
{
	const struct findings *findings = report->findings;
	struct strbuf *script = &charts->gnuplot.script;
	struct map *map;

	if (findings->factors.reason || findings->factors.name_count < 2 || !findings->has_baseline)
		return;
	map = memory_new(sizeof(*map));
	map->names[0] = findings->factors.names[0];
	map->names[1] = findings->factors.names[1];
	if (fill_map(map, findings, &charts->arena) &&
		charts_begin(charts, REPORT_CHART_HEAT, 110 + 40 * (int)map->counts[1])) {
		struct chart *chart = &charts->kinds[REPORT_CHART_HEAT];

		chart->title = "Two settings together";
		chart->note = findings->factors.name_count > 2
				      ? "Ratio to the baseline, averaged over the other settings. "
					"Grey: no difference shown."
				      : "Ratio to the baseline. Grey: no difference shown.";
		add_tics(script, map, 0, "x");
		add_tics(script, map, 1, "y");
		add_fields(script, map, findings);
		strbuf_add_text(script, "unset grid\nplot NaN notitle\n");
	}
	free(map);
}
