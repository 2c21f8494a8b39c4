/* A facts file may come from anyone: whatever is in it, it is refused with words, or judged and
 * printed in every form without a control character in the text. */
#include "fuzz.h"

#include "doctor/doctor.h"
#include "doctor/facts.h"

#include <stdlib.h>

static void check_text(const struct strbuf *text)
{
	for (size_t i = 0; i < text->length; i++)
		if ((unsigned char)text->data[i] < 0x20 && text->data[i] != '\n')
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = ERR_INIT;
	struct strbuf text = STRBUF_INIT;
	struct doctor doctor;
	json_t *facts;

	if (facts_parse((const char *)data, size, &facts, &err) < 0) {
		if (err.message[0] == '\0')
			abort();
		return 0;
	}
	if (doctor_init(&doctor, facts, &err) < 0)
		abort(); /* the rules' own conditions can't be at fault */
	doctor_text(&doctor, true, &text);
	doctor_fix_script(&doctor, &text);
	check_text(&text);
	doctor_html(&doctor, &text);
	doctor_json(&doctor, &text);
	doctor_nagios(&doctor, &text);
	strbuf_release(&text);
	doctor_release(&doctor);
	json_decref(facts);
	return 0;
}
