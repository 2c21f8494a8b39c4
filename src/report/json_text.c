/* See json_text.h. */
#include "report/json_text.h"

#include "base/strbuf.h"

json_t *json_text(const char *text)
{
	json_t *string = text ? json_string(text) : json_null();
	struct strbuf clean = STRBUF_INIT;

	if (string)
		return string;
	for (; *text; text++)
		strbuf_add_char(&clean, (unsigned char)*text < 128 ? *text : '?');
	string = json_string(clean.data);
	strbuf_release(&clean);
	return string;
}
