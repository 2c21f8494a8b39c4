/* Numbers for people (see report.h). */
#include "report/report.h"

#include "setting/setting.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Four digits, as many of them after the point as there is room for. */
static void four_digits(double number, struct strbuf *out)
{
	double size = fabs(number);
	int decimals = size >= 999.95 ? 0 : size >= 99.995 ? 1 : size >= 9.9995 ? 2 : 3;

	strbuf_add_format(out, "%.*f", decimals, number);
}

void report_number(double number, enum report_unit unit, struct strbuf *out)
{
	if (!isfinite(number)) {
		strbuf_add_char(out, '-');
		return;
	}
	switch (unit) {
	case REPORT_COUNT:
		strbuf_add_format(out, "%.0f", number);
		break;
	case REPORT_ORDINAL:
		strbuf_add_format(out, "%.0f", number + 1);
		break;
	case REPORT_SECONDS:
		duration_format_human(number * NS_PER_S, out);
		break;
	case REPORT_NANOSECONDS:
		duration_format_human(number, out);
		break;
	case REPORT_BYTES:
		size_format_human(number, out);
		break;
	case REPORT_BYTES_PER_SECOND:
		size_format_human(number, out);
		strbuf_add_text(out, "/s");
		break;
	case REPORT_RATIO:
		strbuf_add_format(out, "%.3f", number);
		break;
	case REPORT_PERCENT:
		strbuf_add_format(out, "%.1f %%", number);
		break;
	case REPORT_WORDS:
	case REPORT_ID:
	case REPORT_PER_SECOND:
	case REPORT_PLAIN:
		four_digits(number, out);
		break;
	}
}

void report_machine_number(double number, enum report_unit unit, struct strbuf *out)
{
	char text[40];

	if (fabs(number) < 1e12 && number == trunc(number)) {
		strbuf_add_format(out, "%.0f", number);
		return;
	}
	snprintf(text, sizeof(text), "%.*g", unit == REPORT_PLAIN ? 15 : 12, number);
	if (unit == REPORT_PLAIN && strtod(text, NULL) != number)
		snprintf(text, sizeof(text), "%.17g", number);
	strbuf_add_text(out, text);
}

enum report_unit report_unit_of(const char *metric_unit)
{
	static const struct {
		const char *word;
		enum report_unit unit;
	} units[] = {
		{ "1/s", REPORT_PER_SECOND },
		{ "bytes/s", REPORT_BYTES_PER_SECOND },
		{ "s", REPORT_SECONDS },
		{ "ns", REPORT_NANOSECONDS },
		{ "bytes", REPORT_BYTES },
		{ "count", REPORT_COUNT },
		{ "ratio", REPORT_RATIO },
		{ "percent", REPORT_PERCENT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strcmp(units[i].word, metric_unit) == 0)
			return units[i].unit;
	return REPORT_PLAIN;
}
