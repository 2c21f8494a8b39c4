/* Published ratios beside measured ones (see published.h). */
#include "analysis/published.h"

#include "analysis/finding_internal.h"
#include "analysis/published_data.h"
#include "base/memory.h"
#include "stats/ratio.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMN_ID    0
#define COLUMN_VALUE 26
#define COLUMN_UNIT  27

static const char section[] = "published.";

/* Text of field i of a line; NULL: the line has fewer. */
static char *field(struct arena *arena, const char *line, int i)
{
	for (; i > 0; i--) {
		line += strcspn(line, ",\n");
		if (*line++ != ',')
			return NULL;
	}
	return arena_copy_bytes(arena, line, strcspn(line, ",\n"));
}

int published_row_find(const char *csv, long id, struct arena *arena, struct published_row *ret_row,
	struct err *err)
{
	for (const char *line = csv ? csv : published_data; line && *line;
		line = strchr(line, '\n')) {
		struct published_row row;
		char *value, *end;

		line += *line == '\n';
		if (strtol(line, &end, 10) != id || end == line || *end != ',')
			continue;
		value = field(arena, line, COLUMN_VALUE);
		row = (struct published_row){ .id = id,
			.value = value ? strtod(value, NULL) : 0,
			.unit = field(arena, line, COLUMN_UNIT) };
		if (row.value > 0 && isfinite(row.value) && row.unit) {
			*ret_row = row;
			return 0;
		}
		return err_set(err, -EINVAL, "row %ld of published.csv has no positive value", id);
	}
	return err_set(err, -ENOENT, "published.csv has no row %ld", id);
}

/* "25 27 29" */
static int parse_ids(
	const char *text, long ids[PUBLISHED_IDS_MAX], size_t *ret_count, struct err *err)
{
	*ret_count = 0;
	while (*text) {
		char *end;
		long id = strtol(text, &end, 10);

		if (end == text || id < 1 || (*end && *end != ' ') ||
			*ret_count == PUBLISHED_IDS_MAX)
			return err_set(err, -EINVAL, "'%s' is no list of at most %d row numbers",
				text, PUBLISHED_IDS_MAX);
		ids[(*ret_count)++] = id;
		text = end + strspn(end, " ");
	}
	return *ret_count ? 0 : err_set(err, -EINVAL, "no row numbers");
}

/* Cut text at " / " into two; NULL second where there is none. */
static char *cut_slash(char *text)
{
	char *slash = strstr(text, " / ");

	if (!slash)
		return NULL;
	*slash = '\0';
	return slash + 3;
}

int published_pair_parse(
	const char *text, struct arena *arena, struct published_pair *ret_pair, struct err *err)
{
	struct published_pair pair = { 0 };
	char *copy = arena_copy_string(arena, text);
	char *cells = strstr(copy, " cells "), *rows, *under;
	int r;

	if (!cells)
		return err_set(err, -EINVAL, "'%s' names no cells", text);
	*cells = '\0';
	pair.over_cells = cells + 7;
	pair.under_cells = cut_slash(cells + 7);
	rows = strchr(copy, ' ');
	if (!pair.under_cells || !rows)
		return err_set(err, -EINVAL,
			"'%s' is not METRIC rows|ratio IDS cells SETTINGS / SETTINGS", text);
	*rows++ = '\0';
	pair.metric = copy;
	pair.is_ratio = strncmp(rows, "ratio ", 6) == 0;
	if (!pair.is_ratio && strncmp(rows, "rows ", 5) != 0)
		return err_set(err, -EINVAL, "'%s': 'rows' or 'ratio' follows the metric", text);
	rows += pair.is_ratio ? 6 : 5;
	under = pair.is_ratio ? NULL : cut_slash(rows);
	if (!pair.is_ratio && !under)
		return err_set(err, -EINVAL, "'%s': rows of two sides are needed", text);
	r = parse_ids(rows, pair.over_ids, &pair.over_count, err);
	if (r == 0 && under)
		r = parse_ids(under, pair.under_ids, &pair.under_count, err);
	if (r == 0)
		*ret_pair = pair;
	return r;
}

/* The rows of one side. */
struct side_rows {
	double values[PUBLISHED_IDS_MAX];
	const char *unit; /* of the last */
	size_t count;
};

static int read_rows(const long *ids, size_t count, struct arena *arena, struct side_rows *ret_rows,
	struct err *err)
{
	ret_rows->count = count;
	for (size_t i = 0; i < count; i++) {
		struct published_row row;
		int r = published_row_find(NULL, ids[i], arena, &row, err);

		if (r < 0)
			return r;
		ret_rows->values[i] = row.value;
		ret_rows->unit = row.unit;
	}
	return 0;
}

static double log_mean(const struct side_rows *rows)
{
	double sum = 0;

	for (size_t i = 0; i < rows->count; i++)
		sum += log(rows->values[i]);
	return sum / (double)rows->count;
}

/* The author's own ratios: one, or the ends of a range. */
static int stated_ratio(const struct published_pair *pair, struct arena *arena,
	struct published_finding *finding, struct err *err)
{
	double low = INFINITY, high = 0;
	struct side_rows rows;
	int r = read_rows(pair->over_ids, pair->over_count, arena, &rows, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < rows.count; i++) {
		double ratio =
			strcmp(rows.unit, "%") == 0 ? 1 + rows.values[i] / 100 : rows.values[i];

		low = MIN(low, ratio);
		high = MAX(high, ratio);
	}
	finding->published = sqrt(low * high);
	if (high > low) {
		finding->published_low = low;
		finding->published_high = high;
	}
	return 0;
}

/* Runs of one set-up each, so this interval is narrower than the truth; the report says so. */
static int ratio_of_rows(const struct published_pair *pair, struct arena *arena,
	struct published_finding *finding, struct err *err)
{
	struct side_rows over, under;
	struct ratio ratio;
	int r = read_rows(pair->over_ids, pair->over_count, arena, &over, err);

	if (r == 0)
		r = read_rows(pair->under_ids, pair->under_count, arena, &under, err);
	if (r < 0)
		return r;
	finding->published = exp(log_mean(&over) - log_mean(&under));
	finding->published_values = MIN(over.count, under.count);
	if (finding->published_values >= 2 &&
		ratio_welch((struct ratio_sample){ under.values, under.count },
			(struct ratio_sample){ over.values, over.count }, FINDING_CONFIDENCE,
			&ratio, NULL) == 0) {
		finding->published_low = ratio.low;
		finding->published_high = ratio.high;
	}
	return 0;
}

/* Is "section.key=value" true of the cell? Values are compared in their canonical spelling. */
static bool holds(
	const struct study *study, const struct cell *cell, char *assignment, struct arena *arena)
{
	char *equals = strchr(assignment, '='), *key;
	const struct setting *row;
	const char *have, *want;
	size_t length;

	if (!equals)
		return false;
	*equals = '\0';
	want = equals + 1;
	length = strlen(want);
	if (length >= 2 && want[0] == '\'' && want[length - 1] == '\'')
		want = arena_copy_bytes(arena, want + 1, length - 2);
	if (strcmp(assignment, "arm") == 0)
		return cell->arm && strcmp(cell->arm, want) == 0;
	have = settings_text(&cell->settings, assignment, NULL);
	if (have && strcmp(have, want) == 0)
		return true;
	key = strrchr(assignment, '.');
	if (!have || !key)
		return false;
	row = setting_find(study->catalog,
		arena_copy_bytes(arena, assignment, (size_t)(key - assignment)), key + 1, NULL);
	return row && setting_canonical(row, want, arena, &want, NULL) == 0 &&
	       strcmp(have, want) == 0;
}

/* Next assignment of a list, spaces inside '...' kept. */
static char *next_assignment(char **rest)
{
	char *start = *rest + strspn(*rest, " "), *at = start;
	bool quoted = false;

	if (!*start)
		return NULL;
	for (; *at && (quoted || *at != ' '); at++)
		quoted ^= *at == '\'';
	*rest = at + (*at == ' ');
	if (*at)
		*at = '\0';
	return start;
}

static bool picked(const struct study *study, const struct cell *cell, const char *selector,
	struct arena *arena)
{
	char *rest = arena_copy_string(arena, selector), *assignment;

	if (cell->role != CELL_STUDIED)
		return false;
	while ((assignment = next_assignment(&rest)))
		if (!holds(study, cell, assignment, arena))
			return false;
	return true;
}

/* Geometric mean of a metric over the trials of picked cells in one block; NAN: none. Which phase
 * has it (load or run) is the metric's own affair: the first that does. */
static double block_value(const struct results *results, const bool *cells, size_t cell_count,
	const char *metric, size_t block)
{
	double log_sum = 0;
	size_t count = 0;

	for (size_t m = 0; m < results->metric_count && count == 0; m++) {
		if (strcmp(results->metrics[m].name, metric) != 0)
			continue;
		for (size_t t = 0; t < results->trial_count; t++) {
			const struct results_trial *trial = &results->trials[t];
			double value = results_value(trial, m);

			if (trial->block != block || trial->cell >= cell_count ||
				!cells[trial->cell] || !finding_is_usable(trial) || !(value > 0))
				continue;
			log_sum += log(value);
			count++;
		}
	}
	return count ? exp(log_sum / (double)count) : NAN;
}

struct sides {
	bool *over, *under;
	size_t over_count, under_count;
};

static struct sides pick_cells(const struct published_pair *pair, const struct study *study,
	const struct matrix *matrix, struct arena *arena)
{
	struct sides sides = { .over = arena_new_array(arena, matrix->count, sizeof(bool)),
		.under = arena_new_array(arena, matrix->count, sizeof(bool)) };

	for (size_t i = 0; i < matrix->count; i++) {
		sides.over[i] = picked(study, &matrix->cells[i], pair->over_cells, arena);
		sides.under[i] = picked(study, &matrix->cells[i], pair->under_cells, arena);
		sides.over_count += sides.over[i];
		sides.under_count += sides.under[i];
	}
	return sides;
}

static void measure(struct published_finding *finding, const struct results *results,
	const struct sides *sides, size_t cell_count, size_t block_count)
{
	double *over = memory_new_array(block_count + 1, sizeof(*over));
	double *under = memory_new_array(block_count + 1, sizeof(*under));
	double log_sum = 0;
	struct ratio ratio;

	for (size_t block = 0; block < block_count; block++) {
		double a = block_value(results, sides->over, cell_count, finding->metric, block);
		double b = block_value(results, sides->under, cell_count, finding->metric, block);

		if (!isfinite(a) || !isfinite(b))
			continue;
		over[finding->setups] = a;
		under[finding->setups++] = b;
		log_sum += log(a / b);
	}
	if (finding->setups)
		finding->measured = exp(log_sum / (double)finding->setups);
	if (finding->setups >= 3 && ratio_paired((struct ratio_sample){ under, finding->setups },
					    (struct ratio_sample){ over, finding->setups },
					    FINDING_CONFIDENCE, &ratio, NULL) == 0) {
		finding->low = ratio.low;
		finding->high = ratio.high;
	}
	free(over);
	free(under);
}

enum agreement published_agreement(
	double published_low, double published_high, double low, double high, double margin)
{
	double slack = 1 + margin;
	bool overlap = published_low <= high * slack && published_high >= low / slack;
	bool published_none = published_low <= slack && published_high >= 1 / slack;
	bool measured_any = low <= 1 && high >= 1;

	if (!isfinite(low) || !isfinite(high))
		return AGREEMENT_CANT_TELL;
	if (!overlap)
		return AGREEMENT_DISAGREE;
	/* An interval that holds both "no difference" and what was published decides nothing,
	 * unless it says "no difference" as narrowly as is asked for. */
	if (measured_any && !(published_none && low >= 1 / slack && high <= slack))
		return AGREEMENT_CANT_TELL;
	return AGREEMENT_AGREE;
}

static void judge(struct published_finding *finding, const struct sides *sides, double margin)
{
	double low = isfinite(finding->published_low) ? finding->published_low : finding->published;
	double high =
		isfinite(finding->published_high) ? finding->published_high : finding->published;

	finding->agreement = published_agreement(low, high, finding->low, finding->high, margin);
	if (!sides->over_count || !sides->under_count)
		finding->why = "these cells are not in this form of the study";
	else if (finding->setups == 0)
		finding->why = "nothing measured";
	else if (!isfinite(finding->low))
		finding->why = "an interval needs three set-ups";
	else if (finding->agreement == AGREEMENT_CANT_TELL)
		finding->why = "the interval holds both no difference and the published ratio";
	else if (finding->agreement == AGREEMENT_DISAGREE &&
		 (finding->published - 1) * (finding->measured - 1) > 0)
		finding->why = "same direction, another size";
}

/* What every pair is compared with. */
struct measured {
	struct findings *findings;
	const struct results *results;
	const struct study *study;
	const struct matrix *matrix;
};

static int build_one(const struct measured *measured, const struct factor *factor,
	struct published_finding *finding, struct err *err)
{
	struct findings *findings = measured->findings;
	const struct matrix *matrix = measured->matrix;
	struct arena *arena = &findings->arena;
	struct published_pair pair;
	struct sides sides;
	int r = published_pair_parse(factor->levels[0], arena, &pair, err);

	*finding = (struct published_finding){ .published_low = NAN,
		.published_high = NAN,
		.measured = NAN,
		.low = NAN,
		.high = NAN };
	if (r < 0)
		return r;
	finding->name = arena_copy_string(arena, factor->name + strlen(section));
	finding->metric = pair.metric;
	r = pair.is_ratio ? stated_ratio(&pair, arena, finding, err)
			  : ratio_of_rows(&pair, arena, finding, err);
	if (r < 0)
		return r;
	sides = pick_cells(&pair, measured->study, matrix, arena);
	measure(finding, measured->results, &sides, matrix->count, findings->block_count);
	judge(finding, &sides, findings->margin);
	return 0;
}

int published_build(struct findings *findings, const struct results *results,
	const struct study *study, const struct matrix *matrix, struct err *err)
{
	struct measured measured = { findings, results, study, matrix };
	int r = 0;

	findings->published = arena_new_array(
		&findings->arena, study->factor_count, sizeof(*findings->published));
	for (size_t i = 0; r == 0 && i < study->factor_count; i++) {
		const struct factor *factor = &study->factors[i];

		if (strncmp(factor->name, section, strlen(section)) != 0)
			continue;
		r = build_one(
			&measured, factor, &findings->published[findings->published_count++], err);
		if (r < 0)
			err_prefix(err, r, "%s:%d: %s", study->path, factor->line, factor->name);
	}
	return r;
}
