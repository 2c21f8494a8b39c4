/* The sentence at the end of a report. It says no more than the intervals do. */
#include "analysis/finding_internal.h"

#include <math.h>

static const char *interval_text(struct findings *findings, const struct effect *effect)
{
	return arena_format(&findings->arena, "%.3f times, 95 %% interval %.3f to %.3f",
		effect->ratio, effect->low, effect->high);
}

static const char *setups_text(struct findings *findings)
{
	if (findings->setups_least == findings->setups_most)
		return arena_format(&findings->arena,
			findings->setups_least == 1 ? "%zu set-up a cell" : "%zu set-ups a cell",
			findings->setups_least);
	return arena_format(&findings->arena, "%zu to %zu set-ups a cell", findings->setups_least,
		findings->setups_most);
}

/* Without a comparison: what there is, and why it is not compared. */
static const char *nothing_to_say(struct findings *findings)
{
	struct arena *arena = &findings->arena;

	if (findings->trials_done + findings->trials_failed + findings->trials_void == 0)
		return "No verdict: no trial has been run yet.";
	if (!findings->primary)
		return arena_format(arena,
			"No verdict: no trial is usable (%zu failed, %zu void, %zu spoiled).",
			findings->trials_failed, findings->trials_void, findings->trials_spoiled);
	if (findings->cell_count == 1)
		return "No verdict: the study has one cell, and nothing to compare it with.";
	if (!findings->has_baseline)
		return "No verdict: the study names no baseline.";
	if (findings->setups_most < EFFECT_SETUPS_LEAST)
		return arena_format(arena,
			"No verdict: %s; below %d there is no interval, and no claim.",
			setups_text(findings), EFFECT_SETUPS_LEAST);
	return NULL;
}

/* A gate failed: which, with its figures. */
static const char *cannot_tell(struct findings *findings)
{
	const struct control *const all[] = { &findings->controls.aa, &findings->controls.planted,
		&findings->controls.canary };
	const char *text = "No verdict: this machine can't tell.";

	if (!findings->controls.failed)
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i]->state == CONTROL_FAILED)
			text = arena_format(&findings->arena, "%s %s", text, all[i]->text);
	return text;
}

struct absent_sentences {
	struct arena *arena;
	const char *text;
};

static void add_absent(void *context, const char *sentence)
{
	struct absent_sentences *sentences = context;

	sentences->text = arena_format(sentences->arena, "%s%s%s", sentences->text,
		*sentences->text ? "; " : "", sentence);
}

const char *finding_absent_text(struct findings *findings, const struct results *results)
{
	struct absent_sentences sentences = { &findings->arena, "" };

	if (results->absent.count == 0)
		return NULL;
	absent_cells_say(&results->absent, add_absent, &sentences);
	return arena_format(&findings->arena, "Could not run on this machine: %s.", sentences.text);
}

struct tally {
	const struct cell_finding *best; /* the largest gain whose interval excludes 1 */
	size_t compared, better, worse, equivalent, undecided;
};

static double gain_of(const struct findings *findings, const struct cell_finding *cell)
{
	return findings->lower_is_better ? 1 / cell->effect.ratio : cell->effect.ratio;
}

static struct tally tally_cells(const struct findings *findings)
{
	struct tally tally = { 0 };

	for (size_t i = 0; i < findings->cell_count; i++) {
		const struct cell_finding *cell = &findings->cells[i];

		if (cell->role != CELL_STUDIED || cell->baseline == i ||
			cell->verdict == VERDICT_NONE)
			continue;
		tally.compared++;
		tally.equivalent += cell->verdict == VERDICT_EQUIVALENT;
		tally.undecided += cell->verdict == VERDICT_UNDECIDED;
		tally.worse +=
			verdict_is_difference(cell->verdict) && !verdict_is_better(cell->verdict);
		if (!verdict_is_better(cell->verdict))
			continue;
		tally.better++;
		if (!tally.best || gain_of(findings, cell) > gain_of(findings, tally.best))
			tally.best = cell;
	}
	return tally;
}

/* "; other cells: 2 slower, 1 undecided" */
static const char *others_text(struct findings *findings, const struct tally *tally)
{
	struct arena *arena = &findings->arena;
	const char *text = "";
	size_t better = tally->better - (tally->best ? 1 : 0);

	if (tally->compared < 2)
		return "";
	if (better)
		text = arena_format(arena, ", %zu faster", better);
	if (tally->worse)
		text = arena_format(arena, "%s, %zu slower", text, tally->worse);
	if (tally->equivalent)
		text = arena_format(arena, "%s, %zu equivalent", text, tally->equivalent);
	if (tally->undecided)
		text = arena_format(arena, "%s, %zu undecided", text, tally->undecided);
	if (!*text)
		return "";
	return arena_format(arena, "; %s%s", tally->best ? "other cells: " : "", text + 2);
}

#define SETUPS_WORTH_SAYING 1000

const char *finding_setups_words(size_t setups, struct arena *arena)
{
	if (setups > SETUPS_WORTH_SAYING)
		return arena_format(arena, "more than %d set-ups", SETUPS_WORTH_SAYING);
	return arena_format(arena, "%zu set-ups", setups);
}

static const char *needed_text(struct findings *findings, const struct tally *tally)
{
	size_t needed = findings->setups_needed;

	if (tally->undecided == 0 || needed <= findings->setups_most)
		return "";
	return arena_format(&findings->arena, "; %s%s a cell would decide",
		needed > SETUPS_WORTH_SAYING ? "" : "about ",
		finding_setups_words(needed, &findings->arena));
}

const char *finding_verdict_text(struct findings *findings)
{
	struct arena *arena = &findings->arena;
	const char *unable = cannot_tell(findings);
	const char *nothing = unable ? unable : nothing_to_say(findings);
	struct tally tally = tally_cells(findings);
	const char *screening = findings->setups_least < EFFECT_SETUPS_SETTLED ? "Screening: " : "";
	const char *counts = setups_text(findings);

	if (nothing)
		return nothing;
	if (tally.compared == 0)
		return "No verdict: no cell has enough valid set-ups beside its baseline.";
	if (tally.best)
		return arena_format(arena, "%s%s is %s than %s (%s; %s)%s%s.", screening,
			tally.best->label, verdict_word(tally.best->verdict),
			findings->cells[tally.best->baseline].label,
			interval_text(findings, &tally.best->effect), counts,
			others_text(findings, &tally), needed_text(findings, &tally));
	if (tally.worse == tally.compared)
		return arena_format(arena, "%sNo cell beats its baseline: all %zu are slower (%s).",
			screening, tally.compared, counts);
	if (tally.equivalent == tally.compared)
		return arena_format(arena,
			"%sAll cells are equivalent to their baseline within %.3g %% (%s).",
			screening, findings->margin * 100, counts);
	return arena_format(arena, "%sNo cell is shown to be faster than its baseline (%s%s)%s.",
		screening, counts, others_text(findings, &tally), needed_text(findings, &tally));
}
