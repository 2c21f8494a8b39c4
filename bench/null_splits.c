/*
 * The planted null: published read-only runs in which the WAL page size can't act, so that the
 * seven WAL page sizes of one cell are seven set-ups of the same thing. Reads published.csv, splits
 * every cell's set-ups into two arms of three in every way, and counts what the verdict engine says
 * about them as they are and with a known effect put on one arm. Prints "name value unit" a line.
 */
#include "base/file.h"
#include "base/memory.h"
#include "stats/effect.h"
#include "stats/ratio.h"
#include "stats/summary.h"
#include "stats/verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS_MOST  200
#define SETUPS	    7
#define RUNS	    3
#define FIELDS_MOST 32
#define ARM	    3
#define PLANTED	    1.05

enum {
	SOURCE = 1,
	SYSTEM = 5,
	PAGE = 12,
	WAL_PAGE = 13,
	FPW = 16,
	WORKLOAD = 19,
	SCALE = 22,
	RUN = 24,
	METRIC = 25,
	VALUE = 26
};

struct cell {
	char name[200];
	double tps[SETUPS][RUNS]; /* 0: missing */
};

struct tally {
	double splits;
	double differences;
	double verdicts[VERDICT_COUNT];
	double excluded; /* the interval does not hold 1 */
};

static struct cell cells[CELLS_MOST];
static size_t cell_count;

static struct cell *cell_named(const char *name)
{
	for (size_t i = 0; i < cell_count; i++)
		if (strcmp(cells[i].name, name) == 0)
			return &cells[i];
	if (cell_count == CELLS_MOST)
		return NULL;
	snprintf(cells[cell_count].name, sizeof(cells[0].name), "%s", name);
	return &cells[cell_count++];
}

/* Set-up 0 to 6 from WAL pages of 1 to 64 kB; SETUPS for anything else. */
static size_t setup_of(int wal_page_kb)
{
	size_t setup = 0;

	while (setup < SETUPS && 1 << setup != wal_page_kb)
		setup++;
	return setup;
}

static void take_line(char *line)
{
	char *fields[FIELDS_MOST] = { line };
	char name[200];
	size_t count = 1;

	for (char *c = line; *c && count < FIELDS_MOST; c++) {
		if (*c == ',') {
			*c = '\0';
			fields[count++] = c + 1;
		}
	}
	if (count <= VALUE || strcmp(fields[SOURCE], "tvondra_block_pgbench") != 0 ||
		strncmp(fields[WORKLOAD], "pgbench-select-only", 19) != 0 ||
		strcmp(fields[METRIC], "tps") != 0)
		return;
	snprintf(name, sizeof(name), "%s, scale %s, page %s kB, fpw %s", fields[SYSTEM],
		fields[SCALE], fields[PAGE], fields[FPW]);
	struct cell *cell = cell_named(name);
	size_t setup = setup_of(atoi(fields[WAL_PAGE]));
	int run = atoi(fields[RUN]);

	if (cell && setup < SETUPS && run >= 1 && run <= RUNS)
		cell->tps[setup][run - 1] = atof(fields[VALUE]);
}

static void count_verdict(struct tally *tally, const double values[2 * ARM])
{
	const struct effect_table table = { 2, ARM, values, .unblocked = true };
	struct effect effects[2];

	if (effect_against_baseline(&table, 0, 0.95, effects, NULL) < 0)
		abort();
	enum verdict verdict = verdict_of(&effects[1], VERDICT_MARGIN, false);

	tally->splits++;
	tally->verdicts[verdict]++;
	tally->differences += verdict_is_difference(verdict);
	tally->excluded += effects[1].low > 1 || effects[1].high < 1;
}

/* Every way to put three of the seven set-ups in one arm and three of the rest in the other. */
static void split(const struct cell *cell, struct tally *null, struct tally *planted)
{
	for (unsigned a = 0; a < 1u << SETUPS; a++) {
		for (unsigned b = a + 1; b < 1u << SETUPS; b++) {
			double values[2 * ARM];
			size_t at[2] = { 0, ARM };

			if (a & b || __builtin_popcount(a) != ARM || __builtin_popcount(b) != ARM)
				continue;
			for (size_t setup = 0; setup < SETUPS; setup++)
				if ((a | b) >> setup & 1)
					values[at[b >> setup & 1]++] =
						summary_geometric_mean(cell->tps[setup], RUNS);
			count_verdict(null, values);
			for (size_t i = ARM; i < 2 * ARM; i++)
				values[i] *= PLANTED;
			count_verdict(planted, values);
		}
	}
}

/* What others do: a t-test on the runs of one set-up against those of another. */
static double naive_rate(void)
{
	double pairs = 0, called = 0;

	for (size_t i = 0; i < cell_count; i++) {
		for (size_t a = 0; a < SETUPS; a++) {
			for (size_t b = a + 1; b < SETUPS; b++) {
				struct ratio ratio;

				if (ratio_welch((struct ratio_sample){ cells[i].tps[a], RUNS },
					    (struct ratio_sample){ cells[i].tps[b], RUNS }, 0.95,
					    &ratio, NULL) < 0)
					continue;
				pairs++;
				called += ratio.p < 0.05;
			}
		}
	}
	return 100 * called / pairs;
}

static int measure(void)
{
	struct tally null = { 0 }, planted = { 0 };
	size_t complete = 0;

	for (size_t i = 0; i < cell_count; i++) {
		bool whole = true;

		for (size_t run = 0; run < SETUPS * RUNS; run++)
			whole = whole && cells[i].tps[run / RUNS][run % RUNS] > 0;
		if (whole) {
			split(&cells[i], &null, &planted);
			complete++;
		}
	}
	if (complete == 0)
		return 1;
	printf("cells %zu count\n", complete);
	printf("splits %.0f count\n", null.splits);
	printf("naive_t_test_false %.2f percent\n", naive_rate());
	printf("null_false_verdicts %.2f percent\n", 100 * null.differences / null.splits);
	printf("null_false_by_margin %.2f percent\n",
		100 * (null.verdicts[VERDICT_FASTER] + null.verdicts[VERDICT_SLOWER]) /
			null.splits);
	printf("null_equivalent %.2f percent\n",
		100 * null.verdicts[VERDICT_EQUIVALENT] / null.splits);
	printf("planted_excluded %.2f percent\n", 100 * planted.excluded / planted.splits);
	printf("planted_faster %.2f percent\n",
		100 * planted.verdicts[VERDICT_FASTER] / planted.splits);
	return 0;
}

int main(int argc, char **argv)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (argc != 2 || file_read(argv[1], &text, &err) < 0) {
		fprintf(stderr, "%s: %s\n", argv[0],
			argc == 2 ? err.message : "usage: null_splits CSV");
		return 1;
	}
	for (char *line = strtok(text.data, "\n"); line; line = strtok(NULL, "\n"))
		take_line(line);
	strbuf_release(&text);
	int r = measure();

	if (r != 0)
		fprintf(stderr, "%s: no read-only cell with all set-ups and runs in %s\n", argv[0],
			argv[1]);
	return r;
}
