/* Values of a study file: quotes, commas, lists of assignments (see study_internal.h). */
#include "study/study_internal.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* One word up to a separator outside quotes; 0, or -EINVAL when a quote stays open. */
static int take_word(const char **text, const char *separators, struct strbuf *word)
{
	const char *at = *text;
	bool quoted = false;

	for (; *at && (quoted || !strchr(separators, *at)); at++) {
		if (*at != '\'')
			strbuf_add_char(word, *at);
		else if (quoted && at[1] == '\'')
			strbuf_add_char(word, *at++);
		else
			quoted = !quoted;
	}
	*text = at;
	return quoted ? -EINVAL : 0;
}

/* White space at the ends counts only outside quotes, so it is cut before quotes are removed. */
static const char *trimmed_copy(struct arena *arena, const char *start, const char *end)
{
	while (start < end && isspace((unsigned char)*start))
		start++;
	while (end > start && isspace((unsigned char)end[-1]))
		end--;
	return arena_copy_bytes(arena, start, (size_t)(end - start));
}

static const char *level_end(const char *text)
{
	bool quoted = false;

	for (; *text && (quoted || *text != ','); text++)
		if (*text == '\'')
			quoted = !quoted;
	return text;
}

int value_split(const char *text, struct arena *arena, const char ***ret_levels, size_t *ret_count,
	struct err *err)
{
	size_t count = 1;
	const char **levels;

	for (const char *end = level_end(text); *end; end = level_end(end + 1))
		count++;
	levels = arena_new_array(arena, count, sizeof(*levels));
	for (size_t i = 0; i < count; i++) {
		const char *end = level_end(text);
		const char *raw = trimmed_copy(arena, text, end);
		struct strbuf word = STRBUF_INIT;
		bool empty = *raw == '\0';
		int r = take_word(&raw, "", &word);

		levels[i] = arena_copy_string(arena, word.data);
		strbuf_release(&word);
		if (r < 0)
			return err_set(err, r, "a quote is not closed");
		if (empty)
			return err_set(err, -EINVAL,
				count == 1 ? "no value; write '' for an empty one"
					   : "an empty value between commas");
		text = end + 1;
	}
	*ret_levels = levels;
	*ret_count = count;
	return 0;
}

int assignments_split(
	const char *text, int line, struct arena *arena, struct arm *ret_arm, struct err *err)
{
	size_t size = strlen(text) / 2 + 1;

	ret_arm->overrides = arena_new_array(arena, size, sizeof(*ret_arm->overrides));
	ret_arm->line = line;
	for (text += strspn(text, " \t"); *text; text += strspn(text, " \t")) {
		struct override *override = &ret_arm->overrides[ret_arm->override_count];
		struct strbuf word = STRBUF_INIT;
		char *equals;
		int r = take_word(&text, " \t", &word);

		if (r < 0) {
			strbuf_release(&word);
			return err_set(err, r, "a quote is not closed");
		}
		equals = strchr(word.data, '=');
		override->line = line;
		if (equals) {
			override->name =
				arena_copy_bytes(arena, word.data, (size_t)(equals - word.data));
			override->text = arena_copy_string(arena, equals + 1);
		} else {
			override->name = "arm";
			override->text = arena_copy_string(arena, word.data);
		}
		strbuf_release(&word);
		ret_arm->override_count++;
	}
	return 0;
}

int name_split(const struct setting_catalog *catalog, const char *name, struct arena *arena,
	const char **ret_section, const char **ret_key)
{
	for (const char *dot = strrchr(name, '.'); dot;) {
		const char *section = arena_copy_bytes(arena, name, (size_t)(dot - name));

		if (dot[1] && setting_section_exists(catalog, section)) {
			*ret_section = section;
			*ret_key = arena_copy_string(arena, dot + 1);
			return 0;
		}
		do {
			dot--;
		} while (dot > name && *dot != '.');
		if (dot <= name)
			break;
	}
	return -ENOENT;
}
