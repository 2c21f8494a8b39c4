/* Conditions that fail a build (see gate.h). */
#include "analysis/gate.h"

#include "base/near.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define AS_WORD(id, word) [GATE_##id] = word,
static const char *const words[] = { GATE_WAYS(AS_WORD) };

static int parse_way(const char *word, enum gate_way *ret_way, struct err *err)
{
	const char *near = NULL;

	for (size_t i = 0; i < GATE_WAY_COUNT; i++) {
		near = near_better(word, near, words[i]);
		if (strcmp(words[i], word) == 0) {
			*ret_way = (enum gate_way)i;
			return 0;
		}
	}
	err_set(err, -EINVAL, "'%s' is no way that a metric can go", word);
	return err_hint(err, -EINVAL, near ? "did you mean '%s'?" : "one of %s",
		near ? near : "slower, worse, faster, larger, smaller");
}

int gate_parse(const char *text, struct gate *ret_gate, struct err *err)
{
	struct gate gate;
	char way[32], share[32], more;
	int r;

	if (sscanf(text, "%95s %31s %31s %c", gate.metric, way, share, &more) != 3) {
		err_set(err, -EINVAL, "'%s' is no condition", text);
		return err_hint(
			err, -EINVAL, "a condition is METRIC WAY SHARE, as in \"tps slower 3%%\"");
	}
	r = parse_way(way, &gate.way, err);
	if (r < 0)
		return r;
	if (percent_parse(share, &gate.share) < 0 || !(gate.share > 0) || gate.share >= 1)
		return err_set(
			err, -EINVAL, "'%s': the share must be above 0%% and below 100%%", share);
	*ret_gate = gate;
	return 0;
}

enum gate_result gate_judge(const struct gate *gate, const struct cell_change *change)
{
	/* verdict_of() with a direction says "faster" for larger than by the margin if larger is
	 * better, so every way is one of its two words in one of the two directions. */
	bool larger = gate->way == GATE_LARGER;
	bool smaller = gate->way == GATE_SMALLER;
	enum verdict raw = verdict_of(&change->effect, gate->share, false);
	enum verdict verdict = larger || smaller ? raw : change->verdict;
	enum verdict failing = larger || gate->way == GATE_FASTER ? VERDICT_FASTER : VERDICT_SLOWER;

	if (verdict == VERDICT_NONE)
		return GATE_UNKNOWN;
	return verdict == failing ? GATE_FAILED : GATE_PASSED;
}
