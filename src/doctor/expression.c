/* Parser (recursive descent) and evaluator of rule conditions; the language is in the header. */
#include "doctor/expression.h"
#include "doctor/facts.h"
#include "base/macros.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 40 /* of parentheses and nots; rules are far below */

enum node_kind {
	NODE_OR,
	NODE_AND,
	NODE_NOT,
	NODE_COMPARE,
	NODE_IN,
	NODE_ARITHMETIC,
	NODE_NUMBER,
	NODE_TEXT,
	NODE_NAME,
};

enum value_kind { VALUE_UNKNOWN, VALUE_TRUTH, VALUE_NUMBER, VALUE_TEXT };

struct value {
	enum value_kind kind;
	double number; /* of truth: 0 or 1 */
	const char *text;
};

struct expression {
	enum node_kind kind;
	char operator[3];
	double number;
	const char *text; /* name or literal */
	struct expression *left;
	struct expression *right; /* of IN: chain of literals through their own right */
};

struct parser {
	const char *text;
	const char *at;
	struct arena *arena;
	struct err *err;
	int depth;
};

static struct expression *parse_or(struct parser *parser);

static struct expression *fail(struct parser *parser, const char *what)
{
	if (parser->err && parser->err->code == 0)
		err_set(parser->err, -EINVAL, "%s at column %d of '%s'", what,
			(int)(parser->at - parser->text) + 1, parser->text);
	return NULL;
}

static struct expression *node_new(struct parser *parser, enum node_kind kind)
{
	struct expression *node = arena_new(parser->arena, sizeof(*node));

	node->kind = kind;
	return node;
}

static void skip_space(struct parser *parser)
{
	while (isspace((unsigned char)*parser->at))
		parser->at++;
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static bool take_word(struct parser *parser, const char *word)
{
	size_t length = strlen(word);

	skip_space(parser);
	if (strncmp(parser->at, word, length) != 0 || is_name_char(parser->at[length]))
		return false;
	parser->at += length;
	return true;
}

static bool take_char(struct parser *parser, char c)
{
	skip_space(parser);
	if (*parser->at != c)
		return false;
	parser->at++;
	return true;
}

static struct expression *parse_number(struct parser *parser)
{
	static const char suffixes[] = "KMGT";
	char *end;
	struct expression *node = node_new(parser, NODE_NUMBER);

	node->number = strtod(parser->at, &end);
	parser->at = end;
	const char *suffix = *end ? strchr(suffixes, *end) : NULL;
	if (suffix) {
		node->number = ldexp(node->number, 10 * (int)(suffix - suffixes + 1));
		parser->at++;
	}
	if (is_name_char(*parser->at))
		return fail(parser, "bad number");
	return node;
}

static struct expression *parse_text(struct parser *parser)
{
	struct expression *node = node_new(parser, NODE_TEXT);
	const char *end = strchr(++parser->at, '\'');

	if (!end)
		return fail(parser, "text without end");
	node->text = arena_copy_bytes(parser->arena, parser->at, (size_t)(end - parser->at));
	parser->at = end + 1;
	return node;
}

static struct expression *parse_name(struct parser *parser)
{
	static const char *const reserved[] = { "and", "or", "not", "in" };
	const char *start = parser->at;

	while (is_name_char(*parser->at))
		parser->at++;
	const char *word = arena_copy_bytes(parser->arena, start, (size_t)(parser->at - start));
	for (size_t i = 0; i < ARRAY_SIZE(reserved); i++)
		if (strcmp(reserved[i], word) == 0)
			return fail(parser, "expected a value");
	if (word[0] == 'v' && isdigit((unsigned char)word[1])) {
		struct expression *node = node_new(parser, NODE_NUMBER);
		node->number = (double)expression_version(word + 1);
		return node;
	}
	struct expression *node = node_new(parser, NODE_NAME);
	node->text = word;
	return node;
}

static struct expression *parse_atom(struct parser *parser)
{
	skip_space(parser);
	if (take_char(parser, '(')) {
		struct expression *inner = parse_or(parser);
		if (inner && !take_char(parser, ')'))
			return fail(parser, "missing ')'");
		return inner;
	}
	if (*parser->at == '\'')
		return parse_text(parser);
	if (isdigit((unsigned char)*parser->at))
		return parse_number(parser);
	if (isalpha((unsigned char)*parser->at))
		return parse_name(parser);
	return fail(parser, "expected a value");
}

static struct expression *join(struct parser *parser, enum node_kind kind, struct expression *left,
	struct expression *right)
{
	if (!left || !right)
		return NULL;
	struct expression *node = node_new(parser, kind);
	node->left = left;
	node->right = right;
	return node;
}

/* One level of left-associative + - or * /. */
static struct expression *parse_arithmetic(struct parser *parser, bool product)
{
	struct expression *left = product ? parse_atom(parser) : parse_arithmetic(parser, true);

	while (left) {
		skip_space(parser);
		char c = *parser->at;
		if (product ? c != '*' && c != '/' : c != '+' && c != '-')
			break;
		parser->at++;
		struct expression *right =
			product ? parse_atom(parser) : parse_arithmetic(parser, true);
		left = join(parser, NODE_ARITHMETIC, left, right);
		if (left)
			left->operator[0] = c;
	}
	return left;
}

static struct expression *parse_in(struct parser *parser, struct expression *left)
{
	struct expression *node = node_new(parser, NODE_IN);
	struct expression **tail = &node->right;

	node->left = left;
	if (!take_char(parser, '('))
		return fail(parser, "expected '(' after in");
	do {
		skip_space(parser);
		if (*parser->at != '\'')
			return fail(parser, "expected a text in the list");
		*tail = parse_text(parser);
		if (!*tail)
			return NULL;
		tail = &(*tail)->right;
	} while (take_char(parser, ','));
	return take_char(parser, ')') ? node : fail(parser, "missing ')'");
}

static struct expression *parse_comparison(struct parser *parser)
{
	static const char *const operators[] = { "!=", "<=", ">=", "=", "<", ">" };
	struct expression *left = parse_arithmetic(parser, false);

	if (!left)
		return NULL;
	if (take_word(parser, "in"))
		return parse_in(parser, left);
	skip_space(parser);
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++) {
		size_t length = strlen(operators[i]);
		if (strncmp(parser->at, operators[i], length) != 0)
			continue;
		parser->at += length;
		struct expression *node =
			join(parser, NODE_COMPARE, left, parse_arithmetic(parser, false));
		if (node)
			memcpy(node->operator, operators[i], length);
		return node;
	}
	return left;
}

static struct expression *parse_not(struct parser *parser)
{
	if (++parser->depth > DEPTH_MAX)
		return fail(parser, "nested too deep");
	struct expression *node;
	if (take_word(parser, "not")) {
		struct expression *inner = parse_not(parser);
		node = inner ? node_new(parser, NODE_NOT) : NULL;
		if (node)
			node->left = inner;
	} else {
		node = parse_comparison(parser);
	}
	parser->depth--;
	return node;
}

static struct expression *parse_and(struct parser *parser)
{
	struct expression *left = parse_not(parser);

	while (left && take_word(parser, "and"))
		left = join(parser, NODE_AND, left, parse_not(parser));
	return left;
}

static struct expression *parse_or(struct parser *parser)
{
	struct expression *left = parse_and(parser);

	while (left && take_word(parser, "or"))
		left = join(parser, NODE_OR, left, parse_and(parser));
	return left;
}

int expression_parse(
	const char *text, struct arena *arena, struct expression **ret_expression, struct err *err)
{
	struct err local = ERR_INIT;
	struct parser parser = { .text = text, .at = text, .arena = arena, .err = &local };
	struct expression *root = parse_or(&parser);

	skip_space(&parser);
	if (root && *parser.at)
		root = fail(&parser, "unexpected text");
	if (!root)
		return err_set(err, -EINVAL, "%s", local.message);
	*ret_expression = root;
	return 0;
}

const json_t *scope_find(const struct scope *scope, const char *name)
{
	const json_t *value = facts_at(scope->subject, name);

	return value ? value : facts_at(scope->root, name);
}

static void note_missing(struct missing *missing, const char *name)
{
	if (!missing)
		return;
	for (size_t i = 0; i < missing->count; i++)
		if (strcmp(missing->names[i], name) == 0)
			return;
	if (missing->count < MISSING_MAX)
		missing->names[missing->count++] = name;
}

static struct value truth_value(enum truth truth)
{
	if (truth == TRUTH_UNKNOWN)
		return (struct value){ .kind = VALUE_UNKNOWN };
	return (struct value){ .kind = VALUE_TRUTH, .number = truth == TRUTH_YES };
}

static struct value name_value(
	const struct expression *node, const struct scope *scope, struct missing *missing)
{
	const json_t *found = scope_find(scope, node->text);

	if (json_is_boolean(found))
		return truth_value(json_is_true(found) ? TRUTH_YES : TRUTH_NO);
	if (json_is_number(found))
		return (struct value){ .kind = VALUE_NUMBER, .number = json_number_value(found) };
	if (json_is_string(found))
		return (struct value){ .kind = VALUE_TEXT, .text = json_string_value(found) };
	note_missing(missing, node->text);
	return (struct value){ .kind = VALUE_UNKNOWN };
}

/* Both sides are known but of kinds that can't be compared: whatever name stands there is not
 * usable, so it counts as missing. */
static struct value wrong_kind(const struct expression *node, struct missing *missing)
{
	if (node->left->kind == NODE_NAME)
		note_missing(missing, node->left->text);
	if (node->right && node->right->kind == NODE_NAME)
		note_missing(missing, node->right->text);
	return (struct value){ .kind = VALUE_UNKNOWN };
}

static bool compare_numbers(double left, const char *operator, double right)
{
	switch (operator[0]) {
	case '=':
		return left == right;
	case '!':
		return left != right;
	case '<':
		return operator[1] ? left <= right : left<right;
	default:
		return operator[1] ? left >= right : left> right;
	}
}

static struct value compare(const struct expression *node, struct value left, struct value right,
	struct missing *missing)
{
	if (left.kind == VALUE_UNKNOWN || right.kind == VALUE_UNKNOWN)
		return truth_value(TRUTH_UNKNOWN);
	if (left.kind != right.kind)
		return wrong_kind(node, missing);
	if (left.kind == VALUE_TEXT) {
		int order = strcmp(left.text, right.text);
		return truth_value(
			compare_numbers(order, node->operator, 0) ? TRUTH_YES : TRUTH_NO);
	}
	return truth_value(
		compare_numbers(left.number, node->operator, right.number) ? TRUTH_YES : TRUTH_NO);
}

static struct value arithmetic(const struct expression *node, struct value left, struct value right,
	struct missing *missing)
{
	double result;

	if (left.kind == VALUE_UNKNOWN || right.kind == VALUE_UNKNOWN)
		return (struct value){ .kind = VALUE_UNKNOWN };
	if (left.kind != VALUE_NUMBER || right.kind != VALUE_NUMBER)
		return wrong_kind(node, missing);
	switch (node->operator[0]) {
	case '+':
		result = left.number + right.number;
		break;
	case '-':
		result = left.number - right.number;
		break;
	case '*':
		result = left.number * right.number;
		break;
	default:
		result = left.number / right.number;
	}
	if (!isfinite(result))
		return wrong_kind(node, missing);
	return (struct value){ .kind = VALUE_NUMBER, .number = result };
}

static struct value evaluate(
	const struct expression *node, const struct scope *scope, struct missing *missing);

static enum truth evaluate_truth(
	const struct expression *node, const struct scope *scope, struct missing *missing)
{
	struct value value = evaluate(node, scope, missing);

	if (value.kind == VALUE_TRUTH)
		return value.number != 0 ? TRUTH_YES : TRUTH_NO;
	if (value.kind != VALUE_UNKNOWN && node->kind == NODE_NAME)
		note_missing(missing, node->text);
	return TRUTH_UNKNOWN;
}

/* and, or: deciding is the value that settles the result whatever the other side is. */
static struct value connect(const struct expression *node, const struct scope *scope,
	enum truth deciding, struct missing *missing)
{
	enum truth left = evaluate_truth(node->left, scope, missing);

	if (left == deciding)
		return truth_value(deciding);
	enum truth right = evaluate_truth(node->right, scope, missing);
	if (right == deciding)
		return truth_value(deciding);
	if (left == TRUTH_UNKNOWN || right == TRUTH_UNKNOWN)
		return truth_value(TRUTH_UNKNOWN);
	return truth_value(deciding == TRUTH_YES ? TRUTH_NO : TRUTH_YES);
}

static struct value in_list(
	const struct expression *node, const struct scope *scope, struct missing *missing)
{
	struct value left = evaluate(node->left, scope, missing);

	if (left.kind == VALUE_UNKNOWN)
		return left;
	if (left.kind != VALUE_TEXT)
		return wrong_kind(node, missing);
	for (const struct expression *item = node->right; item; item = item->right)
		if (strcmp(item->text, left.text) == 0)
			return truth_value(TRUTH_YES);
	return truth_value(TRUTH_NO);
}

static struct value evaluate(
	const struct expression *node, const struct scope *scope, struct missing *missing)
{
	switch (node->kind) {
	case NODE_OR:
		return connect(node, scope, TRUTH_YES, missing);
	case NODE_AND:
		return connect(node, scope, TRUTH_NO, missing);
	case NODE_NOT: {
		enum truth inner = evaluate_truth(node->left, scope, missing);
		if (inner == TRUTH_UNKNOWN)
			return truth_value(TRUTH_UNKNOWN);
		return truth_value(inner == TRUTH_YES ? TRUTH_NO : TRUTH_YES);
	}
	case NODE_COMPARE:
		return compare(node, evaluate(node->left, scope, missing),
			evaluate(node->right, scope, missing), missing);
	case NODE_IN:
		return in_list(node, scope, missing);
	case NODE_ARITHMETIC:
		return arithmetic(node, evaluate(node->left, scope, missing),
			evaluate(node->right, scope, missing), missing);
	case NODE_NUMBER:
		return (struct value){ .kind = VALUE_NUMBER, .number = node->number };
	case NODE_TEXT:
		return (struct value){ .kind = VALUE_TEXT, .text = node->text };
	case NODE_NAME:
		break;
	}
	return name_value(node, scope, missing);
}

enum truth expression_evaluate(
	const struct expression *expression, const struct scope *scope, struct missing *missing)
{
	return evaluate_truth(expression, scope, missing);
}

void expression_names(const struct expression *expression,
	void (*visit)(void *context, const char *name), void *context)
{
	if (!expression)
		return;
	if (expression->kind == NODE_NAME)
		visit(context, expression->text);
	if (expression->kind == NODE_TEXT)
		return; /* its right is the next of an in list */
	expression_names(expression->left, visit, context);
	expression_names(expression->right, visit, context);
}

long expression_version(const char *text)
{
	long parts[3] = { 0, 0, 0 };

	while (*text && !isdigit((unsigned char)*text))
		text++;
	if (!*text)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		char *end;
		parts[i] = strtol(text, &end, 10);
		text = end;
		if (*text != '.' || !isdigit((unsigned char)text[1]))
			break;
		text++;
	}
	return MIN(parts[0], 9999) * 10000 + MIN(parts[1], 99) * 100 + MIN(parts[2], 99);
}
