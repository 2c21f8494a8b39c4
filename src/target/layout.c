/* Pool layouts (see layout.h). */
#include "target/layout.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define DEVICES_MAX 64

static const struct {
	const char *word;
	size_t min_width; /* parity plus one */
} words[] = {
	[LAYOUT_STRIPE] = { "stripe", 1 },
	[LAYOUT_MIRROR] = { "mirror", 2 },
	[LAYOUT_RAIDZ1] = { "raidz1", 2 },
	[LAYOUT_RAIDZ2] = { "raidz2", 3 },
	[LAYOUT_RAIDZ3] = { "raidz3", 4 },
};

static int fail(struct err *err, const char *text, const char *why)
{
	return err_set(err, -EINVAL,
		"layout '%s': %s; write stripe N, N x mirror M, raidz1 N, raidz2 N or raidz3 N",
		text, why);
}

static int check(const struct layout *layout, const char *text, struct err *err)
{
	char why[80];

	if (layout->groups == 0 || layout->width == 0)
		return fail(err, text, "needs at least one device");
	if (layout->width < words[layout->type].min_width) {
		snprintf(why, sizeof(why), "a %s needs at least %zu devices",
			words[layout->type].word, words[layout->type].min_width);
		return fail(err, text, why);
	}
	if (layout->groups > DEVICES_MAX || layout_devices(layout) > DEVICES_MAX) {
		snprintf(why, sizeof(why), "more than %d devices", DEVICES_MAX);
		return fail(err, text, why);
	}
	return 0;
}

int layout_parse(const char *text, struct layout *ret_layout, struct err *err)
{
	struct layout layout = { .groups = 1 };
	unsigned groups = 1, count;
	char word[16];
	int used = 0, r;

	if (sscanf(text, " %3u x %15[a-z0-9] %4u %n", &groups, word, &count, &used) != 3 ||
		text[used]) {
		groups = 1;
		if (sscanf(text, " %15[a-z0-9] %4u %n", word, &count, &used) != 2 || text[used])
			return fail(err, text, "not understood");
	}
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcmp(words[i].word, word) != 0)
			continue;
		layout.type = (enum layout_type)i;
		layout.groups = i == LAYOUT_STRIPE ? (size_t)groups * count : groups;
		layout.width = i == LAYOUT_STRIPE ? 1 : count;
		r = check(&layout, text, err);
		if (r == 0)
			*ret_layout = layout;
		return r;
	}
	return fail(err, text, "unknown word");
}

size_t layout_devices(const struct layout *layout)
{
	return layout->groups * layout->width;
}

const char *layout_word(const struct layout *layout)
{
	return layout->type == LAYOUT_STRIPE ? NULL : words[layout->type].word;
}

int layout_check(const struct setting *setting UNUSED, const char *text, struct err *err)
{
	struct layout layout;

	return layout_parse(text, &layout, err);
}
