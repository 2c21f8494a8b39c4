/*
 * Texts of the rules with facts put in. Facts may come from a hostile file, so a value never
 * brings control characters along, is quoted in a shell line, and is a literal's content in SQL.
 */
#ifndef DOCTOR_TEMPLATE_H
#define DOCTOR_TEMPLATE_H

#include "doctor/expression.h"
#include "base/strbuf.h"

enum template_quoting { QUOTE_NONE, QUOTE_SHELL, QUOTE_SQL };

/*
 * Append text with every {...} replaced:
 *	{name}               the value; "(not seen)" if absent
 *	{name:bytes}         a size: 8192 as 8K
 *	{raw:name}           a value that the view made itself and that is a command: not quoted
 *	{reset:GUC}          the SQL that puts a setting back to what it is now
 *	{undo_property:NAME} the zfs command that puts a dataset's property back
 */
void template_expand(struct strbuf *out, const char *text, const struct scope *scope,
	enum template_quoting quoting);

/* A size in the largest unit of 1024 that keeps it whole, else with one decimal: 8K, 1.5M, 700. */
void template_add_bytes(struct strbuf *out, double bytes);

/* Text with control characters replaced by '?', cut to 400 characters. */
void template_add_clean(struct strbuf *out, const char *text);

/* Text as one word of a POSIX shell. */
void template_add_shell_word(struct strbuf *out, const char *text);

/* Call visit for each name that a text's {...} ask for, in order (tests hold them to the list of
 * names). kind is "", "bytes", "raw", "reset" or "undo_property". */
void template_names(const char *text,
	void (*visit)(void *context, const char *kind, const char *name), void *context);

#endif
