/* The walk's second part: what the numbers mean. Gates, factor effects, what to choose; apart from
 * report.c, which lists what was measured. */
#include "report/report_internal.h"

#include <math.h>

#define SENTENCES_MOST 24 /* of factor effects, in forms for people */

void report_say(struct report *report, const char *key, const char *text)
{
	if (report->format->text && text)
		report->format->text(report, key, text);
}

void report_controls(struct report *report)
{
	const struct controls *controls = &report->findings->controls;

	report_say(report, "aa_control", controls->aa.text);
	report_say(report, "planted_effect", controls->planted.text);
	report_say(report, "canary", controls->canary.text);
}

/* What the intervals are made of, and what docs/power.md asks for. */
void report_noise(struct report *report)
{
	const struct findings *findings = report->findings;
	struct strbuf text = STRBUF_INIT;

	if (!isfinite(findings->residual_sd))
		return;
	strbuf_add_format(&text,
		"Noise: a set-up's value varies by %.2f %% around its cell and block (residual SD, "
		"%.0f "
		"degrees of freedom)%s.",
		100 * findings->residual_sd, findings->residual_df,
		findings->unequal
			? "; it clearly differs between cells, so each pair is judged by its own"
			: "");
	report_say(report, "noise", text.data);
	strbuf_release(&text);
}

/* The ratios again, by methods that assume less. */
void report_checks(struct report *report)
{
	static const struct report_column columns[] = {
		{ "cell", "cell", REPORT_WORDS, REPORT_VALUE },
		{ "blocks", "blocks", REPORT_COUNT, REPORT_VALUE },
		{ "ratio", "ratio", REPORT_RATIO, REPORT_VALUE },
		{ "bootstrap_low", "bootstrap from", REPORT_RATIO, REPORT_VALUE },
		{ "bootstrap_high", "to", REPORT_RATIO, REPORT_VALUE },
		{ "permutation_p", "permutation p", REPORT_PLAIN, REPORT_VALUE },
		{ 0 },
	};
	const struct findings *findings = report->findings;
	struct table_builder builder;

	report_say(report, "components", findings->robustness.components);
	if (!report->format->for_machines && !report->format->has_room)
		return;
	table_begin(&builder, "checks", "The ratios by methods that assume less", columns);
	for (size_t i = 0; i < findings->cell_count && findings->robustness.cells; i++) {
		const struct cell_check *check = &findings->robustness.cells[i];

		if (findings->cells[i].baseline == i || check->blocks == 0)
			continue;
		table_add_text(&builder, findings->cells[i].label);
		table_add_number(&builder, (double)check->blocks);
		table_add_number(&builder, findings->cells[i].effect.ratio);
		table_add_number(&builder, check->bootstrap_low);
		table_add_number(&builder, check->bootstrap_high);
		table_add_number(&builder, check->permutation_p);
	}
	table_end(&builder, report);
}

static void write_shares(struct report *report)
{
	static const struct report_column columns[] = {
		{ "setting", "setting", REPORT_WORDS, REPORT_VALUE },
		{ "variance_share", "share of the variance", REPORT_PERCENT, REPORT_VALUE },
		{ "f", NULL, REPORT_PLAIN, REPORT_VALUE },
		{ "df", NULL, REPORT_COUNT, REPORT_VALUE },
		{ "error_df", NULL, REPORT_COUNT, REPORT_VALUE },
		{ "p_adjusted", NULL, REPORT_PLAIN, REPORT_VALUE },
		{ 0 },
	};
	const struct factor_findings *factors = &report->findings->factors;
	struct table_builder builder;

	table_begin(&builder, "factors", "Which setting mattered", columns);
	for (size_t i = 0; i < factors->share_count; i++) {
		const struct factor_share *share = &factors->shares[i];

		table_add_text(&builder, share->name);
		table_add_number(&builder, 100 * fmax(0, share->share));
		table_add_number(&builder, share->f);
		table_add_number(&builder, share->df);
		table_add_number(&builder, share->error_df);
		table_add_number(&builder, share->p_adjusted);
	}
	table_end(&builder, report);
}

static void write_effects(struct report *report)
{
	static const struct report_column columns[] = {
		{ "setting", "setting", REPORT_WORDS, REPORT_VALUE },
		{ "level", "level", REPORT_WORDS, REPORT_VALUE },
		{ "reference", "instead of", REPORT_WORDS, REPORT_VALUE },
		{ "by_setting", "depending on", REPORT_WORDS, REPORT_VALUE },
		{ "by_level", "at", REPORT_WORDS, REPORT_VALUE },
		{ "by_reference", "rather than at", REPORT_WORDS, REPORT_VALUE },
		{ "ratio", "ratio", REPORT_RATIO, REPORT_VALUE },
		{ "ratio_low", NULL, REPORT_RATIO, REPORT_LOW },
		{ "ratio_high", NULL, REPORT_RATIO, REPORT_HIGH },
		{ "differs", NULL, REPORT_COUNT, REPORT_VALUE },
		{ "sentence", NULL, REPORT_WORDS, REPORT_VALUE },
		{ 0 },
	};
	const struct factor_findings *factors = &report->findings->factors;
	struct table_builder builder;

	table_begin(&builder, "effects", NULL, columns);
	for (size_t i = 0; i < factors->effect_count; i++) {
		const struct factor_level_effect *effect = &factors->effects[i];
		bool interaction = effect->factor != effect->by_factor;

		table_add_text(&builder, factors->names[effect->factor]);
		table_add_text(&builder, effect->level);
		table_add_text(&builder, effect->reference);
		table_add_text(&builder, interaction ? factors->names[effect->by_factor] : NULL);
		table_add_text(&builder, interaction ? effect->by_level : NULL);
		table_add_text(&builder, interaction ? effect->by_reference : NULL);
		table_add_number(&builder, effect->ratio);
		table_add_number(&builder, effect->low);
		table_add_number(&builder, effect->high);
		table_add_number(&builder, effect->differs);
		table_add_text(&builder, effect->sentence);
	}
	table_end(&builder, report);
}

/* One sentence a finding; what shows no difference is only counted. */
static void say_effects(struct report *report)
{
	const struct factor_findings *factors = &report->findings->factors;
	struct strbuf text = STRBUF_INIT;
	size_t said = 0, rest = 0;

	for (size_t a = 0; a < PHYSICS_ALIGNMENTS; a++)
		report_say(report, "finding", report->findings->physics.alignment[a].sentence);
	for (size_t i = 0; i < factors->effect_count; i++) {
		if (factors->effects[i].differs && said < SENTENCES_MOST) {
			report_say(report, "finding", factors->effects[i].sentence);
			said++;
		} else {
			rest++;
		}
	}
	if (rest) {
		strbuf_add_format(&text, "%zu %s of settings %s no difference beyond the noise.",
			rest, rest == 1 ? "effect" : "effects", rest == 1 ? "shows" : "show");
		if (said == SENTENCES_MOST)
			strbuf_add_text(&text, " (More differ: see the table of effects.)");
		report_say(report, "finding", text.data);
	}
	strbuf_release(&text);
}

void report_factors(struct report *report)
{
	const struct findings *findings = report->findings;

	/* The gates failed, so what differs is not said; or there is nothing to take apart. */
	if (findings->controls.failed || findings->setups_least < EFFECT_SETUPS_LEAST)
		return;
	/* Of one factor the table of cells says all. */
	if (findings->factors.name_count < 2 && !report->format->for_machines)
		return;
	write_shares(report);
	if (report->format->for_people && findings->factors.name_count > 1)
		say_effects(report);
	if (report->format->for_machines)
		write_effects(report);
}

/* The recommended cell, and those whose speed is not shown to differ from the fastest. */
static const char *choice_words(const struct findings *findings, size_t index)
{
	const struct recommendation *recommendation = &findings->recommendation;

	if (recommendation->found && recommendation->cell == index)
		return "recommended";
	if (recommendation->cells[index].with_fastest)
		return "as fast";
	return NULL;
}

static void write_choices(struct report *report)
{
	static const struct report_column columns[] = {
		{ "cell", "cell", REPORT_WORDS, REPORT_VALUE },
		{ "choice", "choice", REPORT_WORDS, REPORT_VALUE },
		{ "pareto", NULL, REPORT_COUNT, REPORT_VALUE },
		{ "beaten_by", "beaten by", REPORT_WORDS, REPORT_VALUE },
		{ "safety", "after a power cut", REPORT_WORDS, REPORT_VALUE },
		{ "safety_reason", "because", REPORT_WORDS, REPORT_VALUE },
		{ 0 },
	};
	const struct findings *findings = report->findings;
	struct table_builder builder;

	table_begin(
		&builder, "choices", "Speed, space, device writes and safety together", columns);
	for (size_t i = 0; i < findings->cell_count && findings->recommendation.cells; i++) {
		const struct cell_choice *choice = &findings->recommendation.cells[i];

		if (findings->cells[i].role != CELL_STUDIED ||
			(findings->cells[i].absent && findings->cells[i].setups == 0))
			continue;
		table_add_text(&builder, findings->cells[i].label);
		table_add_text(&builder, choice_words(findings, i));
		table_tone(&builder, REPORT_GOOD);
		table_add_number(&builder, choice->beaten_by == i);
		table_add_text(&builder,
			choice->beaten_by == i ? NULL : findings->cells[choice->beaten_by].label);
		table_add_text(&builder, safety_word(choice->safety));
		table_tone(&builder,
			choice->safety == SAFETY_DURABLE ? REPORT_NEUTRAL : REPORT_DOUBTFUL);
		table_add_text(&builder, choice->safety_reason);
	}
	table_end(&builder, report);
}

void report_choices(struct report *report)
{
	const struct findings *findings = report->findings;
	bool any = findings->recommendation.found || report->format->for_machines;
	size_t studied = 0;

	for (size_t i = 0; i < findings->cell_count && findings->recommendation.cells; i++) {
		any = any || findings->recommendation.cells[i].safety != SAFETY_DURABLE;
		studied += findings->cells[i].role == CELL_STUDIED;
	}
	/* Below that nothing may be said to beat anything. */
	if (any && studied > 1 && findings->setups_least >= EFFECT_SETUPS_LEAST)
		write_choices(report);
}
