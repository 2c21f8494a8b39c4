/* Values as people of this field write them: sizes as in postgresql.conf and zfs(8), times as in
 * postgresql.conf. Parsing is whole-text: trailing junk is an error. */
#include "setting/setting.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct unit {
	const char *word;
	int64_t factor;
};

static const struct unit size_units[] = { { "", 1 }, { "B", 1 }, { "K", 1LL << 10 },
	{ "kB", 1LL << 10 }, { "KiB", 1LL << 10 }, { "M", 1LL << 20 }, { "MB", 1LL << 20 },
	{ "MiB", 1LL << 20 }, { "G", 1LL << 30 }, { "GB", 1LL << 30 }, { "GiB", 1LL << 30 },
	{ "T", 1LL << 40 }, { "TB", 1LL << 40 }, { "TiB", 1LL << 40 } };

static const struct unit time_units[] = { { "", NS_PER_S }, { "ns", 1 }, { "us", NS_PER_US },
	{ "ms", NS_PER_MS }, { "s", NS_PER_S }, { "sec", NS_PER_S }, { "min", 60 * NS_PER_S },
	{ "m", 60 * NS_PER_S }, { "h", 3600 * NS_PER_S }, { "d", 86400 * NS_PER_S } };

/* Number (digits, perhaps a fraction) then one of the units. The result is exact or refused. */
static int scaled_parse(
	const char *text, const struct unit *units, size_t unit_count, int64_t *ret_value)
{
	const char *end = text;
	char *number_end;
	double number, scaled;

	while (isdigit((unsigned char)*end) || *end == '.')
		end++;
	if (end == text || *text == '.' || strspn(text, "0123456789.") != (size_t)(end - text))
		return -EINVAL;
	number = strtod(text, &number_end);
	if (number_end != end)
		return -EINVAL;
	while (*end == ' ')
		end++;
	for (size_t i = 0; i < unit_count; i++) {
		if (strcasecmp(end, units[i].word) != 0)
			continue;
		scaled = number * (double)units[i].factor;
		if (scaled >= 0x1p63)
			return -ERANGE;
		if (scaled != floor(scaled))
			return -EINVAL;
		/* Whole numbers below 2^63 keep all digits: do not go through the double. */
		if (!memchr(text, '.', (size_t)(number_end - text))) {
			unsigned long long whole = strtoull(text, NULL, 10);
			int64_t exact;

			if (__builtin_mul_overflow(whole, units[i].factor, &exact))
				return -ERANGE;
			*ret_value = exact;
			return 0;
		}
		*ret_value = (int64_t)scaled;
		return 0;
	}
	return -EINVAL;
}

int size_parse(const char *text, uint64_t *ret_bytes)
{
	int64_t value;
	int r = scaled_parse(text, size_units, ARRAY_SIZE(size_units), &value);

	if (r == 0)
		*ret_bytes = (uint64_t)value;
	return r;
}

int duration_parse(const char *text, int64_t *ret_ns)
{
	return scaled_parse(text, time_units, ARRAY_SIZE(time_units), ret_ns);
}

int boolean_parse(const char *text, bool *ret_value)
{
	static const char *const yes[] = { "on", "yes", "true", "1" };
	static const char *const no[] = { "off", "no", "false", "0" };

	for (size_t i = 0; i < ARRAY_SIZE(yes); i++) {
		if (strcasecmp(text, yes[i]) == 0) {
			*ret_value = true;
			return 0;
		}
		if (strcasecmp(text, no[i]) == 0) {
			*ret_value = false;
			return 0;
		}
	}
	return -EINVAL;
}

int integer_parse(const char *text, int64_t *ret_value)
{
	char *end;
	long long value;

	if (!isdigit((unsigned char)text[*text == '-']))
		return -EINVAL;
	errno = 0;
	value = strtoll(text, &end, 10);
	if (*end != '\0')
		return -EINVAL;
	if (errno == ERANGE)
		return -ERANGE;
	*ret_value = value;
	return 0;
}

int real_parse(const char *text, double *ret_value)
{
	const char *digits = text + (*text == '-');
	char *end;
	double value;

	/* strtod also takes "inf", "nan" and hexadecimal: not here. */
	if (!isdigit((unsigned char)*digits) || strspn(digits, "0123456789.eE+-") != strlen(digits))
		return -EINVAL;
	value = strtod(text, &end);
	if (*end != '\0')
		return -EINVAL;
	if (!isfinite(value))
		return -ERANGE;
	*ret_value = value;
	return 0;
}

int percent_parse(const char *text, double *ret_fraction)
{
	size_t length = strlen(text);
	char number[32];
	double value;
	int r;

	if (length < 2 || length > sizeof(number) || text[length - 1] != '%')
		return -EINVAL;
	memcpy(number, text, length - 1);
	number[length - 1] = '\0';
	r = real_parse(number, &value);
	if (r == 0)
		*ret_fraction = value / 100;
	return r;
}

static void exact_format(
	int64_t value, const struct unit *units, size_t unit_count, struct strbuf *text)
{
	const struct unit *best = &units[0];

	for (size_t i = 0; i < unit_count; i++)
		if (units[i].factor > best->factor && value % units[i].factor == 0)
			best = &units[i];
	strbuf_add_format(text, "%lld%s", (long long)(value / best->factor), best->word);
}

void size_format(uint64_t bytes, struct strbuf *text)
{
	static const struct unit units[] = { { "", 1 }, { "K", 1LL << 10 }, { "M", 1LL << 20 },
		{ "G", 1LL << 30 }, { "T", 1LL << 40 } };

	if (bytes == 0)
		strbuf_add_text(text, "0");
	else
		exact_format((int64_t)bytes, units, ARRAY_SIZE(units), text);
}

void duration_format(int64_t ns, struct strbuf *text)
{
	static const struct unit units[] = { { "ns", 1 }, { "us", NS_PER_US }, { "ms", NS_PER_MS },
		{ "s", NS_PER_S }, { "min", 60 * NS_PER_S }, { "h", 3600 * NS_PER_S },
		{ "d", 86400 * NS_PER_S } };

	if (ns == 0)
		strbuf_add_text(text, "0s");
	else
		exact_format(ns, units, ARRAY_SIZE(units), text);
}

static void human_format(
	double value, const struct unit *units, size_t unit_count, struct strbuf *text)
{
	const struct unit *best = &units[0];
	double shown;

	for (size_t i = 1; i < unit_count; i++)
		if (fabs(value) >= (double)units[i].factor * 0.9995)
			best = &units[i];
	shown = value / (double)best->factor;
	strbuf_add_format(text,
		fabs(shown) >= 99.95   ? "%.0f %s"
		: fabs(shown) >= 9.995 ? "%.1f %s"
				       : "%.2f %s",
		shown, best->word);
}

void size_format_human(double bytes, struct strbuf *text)
{
	static const struct unit units[] = { { "B", 1 }, { "kB", 1LL << 10 }, { "MB", 1LL << 20 },
		{ "GB", 1LL << 30 }, { "TB", 1LL << 40 } };

	human_format(bytes, units, ARRAY_SIZE(units), text);
}

void duration_format_human(double ns, struct strbuf *text)
{
	static const struct unit units[] = { { "ns", 1 }, { "us", NS_PER_US }, { "ms", NS_PER_MS },
		{ "s", NS_PER_S }, { "min", 60 * NS_PER_S }, { "h", 3600 * NS_PER_S } };

	human_format(ns, units, ARRAY_SIZE(units), text);
}
