/* The structure of a plan out of EXPLAIN's JSON (see plan_hash.h). */
#include "workload/analytic/plan_hash.h"

#include "base/macros.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

/* A plan this deep is no plan of ours but an attack on the stack. */
#define DEPTH_MAX 200

/* Keys whose words are part of what a node is. */
static const char *const parts[] = { "Strategy", "Partial Mode", "Join Type", "Operation",
	"Command", "Scan Direction", "Parent Relationship", "Subplan Name", "Relation Name",
	"Index Name", "CTE Name", "Function Name" };

/* A relation's name may hold anything: the structure stays one line. */
static void add_word(const char *word, struct strbuf *text)
{
	for (; *word; word++)
		strbuf_add_char(text, (unsigned char)*word < ' ' ? ' ' : *word);
}

static void add_part(const json_t *node, const char *key, struct strbuf *text)
{
	const char *word = json_string_value(json_object_get(node, key));

	/* Ordinary children and directions say nothing. */
	if (!word || strcmp(word, "Outer") == 0 || strcmp(word, "Inner") == 0 ||
		strcmp(word, "Forward") == 0 || strcmp(word, "Simple") == 0 ||
		strcmp(word, "Plain") == 0)
		return;
	strbuf_add_char(text, ' ');
	add_word(word, text);
}

static int add_node(const json_t *node, int depth, struct strbuf *text)
{
	const char *type = json_string_value(json_object_get(node, "Node Type"));
	const json_t *children = json_object_get(node, "Plans");
	int r = 0;

	if (!type || depth > DEPTH_MAX)
		return -EINVAL;
	if (json_is_true(json_object_get(node, "Parallel Aware")))
		strbuf_add_text(text, "Parallel ");
	add_word(type, text);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		add_part(node, parts[i], text);
	for (size_t i = 0; r == 0 && i < json_array_size(children); i++) {
		strbuf_add_text(text, i ? ", " : "(");
		r = add_node(json_array_get(children, i), depth + 1, text);
	}
	if (json_array_size(children))
		strbuf_add_char(text, ')');
	return r;
}

int plan_hash(const char *explain_json, struct strbuf *ret_structure, char ret_hash[HASH_TEXT_SIZE],
	struct err *err)
{
	json_error_t where;
	json_t *root = json_loads(explain_json, 0, &where);
	struct strbuf text = STRBUF_INIT;
	int r = -EINVAL;

	if (root)
		r = add_node(json_object_get(json_array_get(root, 0), "Plan"), 0, &text);
	if (r == 0) {
		hash_format(hash_bytes(text.data, text.length), ret_hash);
		if (ret_structure)
			strbuf_add(ret_structure, text.data, text.length);
	} else {
		err_set(err, r, "EXPLAIN gave no plan in JSON%s%s", root ? "" : ": ",
			root ? "" : where.text);
	}
	json_decref(root);
	strbuf_release(&text);
	return r;
}
