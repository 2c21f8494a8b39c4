/* The two field types that take more than a line (see row_encoder.h). */
#include "workload/analytic/row_encoder.h"

void row_cents(struct row_encoder *row, uint64_t cents)
{
	uint16_t digits[8];
	int count = 0, weight;
	uint64_t whole = cents / 100;
	uint16_t fraction = (uint16_t)(cents % 100 * 100);

	if (row->text) {
		put_tab(row);
		put_digits(row, whole);
		*row->at++ = '.';
		*row->at++ = (char)('0' + cents % 100 / 10);
		*row->at++ = (char)('0' + cents % 10);
		return;
	}
	/* least significant first; zeros at either end are not sent */
	if (fraction)
		digits[count++] = fraction;
	weight = -1;
	for (uint64_t left = whole; left; left /= 10000) {
		uint16_t digit = (uint16_t)(left % 10000);

		if (digit || count)
			digits[count++] = digit;
		weight++;
	}
	if (count == 0)
		weight = 0;
	put_be32(row, (uint32_t)(8 + 2 * count));
	put_be16(row, (uint16_t)count);
	put_be16(row, (uint16_t)weight);
	put_be16(row, 0); /* positive */
	put_be16(row, 2);
	while (count)
		put_be16(row, digits[--count]);
}

/* Civil date of a day number: the algorithm of Howard Hinnant, "chrono-Compatible Low-Level Date
 * Algorithms" (days_from_civil's inverse), for days from 2000-03-01 on counted in 400-year eras. */
static void civil(uint32_t days, uint32_t *ret_year, uint32_t *ret_month, uint32_t *ret_day)
{
	uint32_t shifted = days + 146097 - 60; /* day 0: 1600-03-01 */
	uint32_t era = shifted / 146097, in_era = shifted % 146097;
	uint32_t year_of_era = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
	uint32_t day_of_year = in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	uint32_t month = (5 * day_of_year + 2) / 153; /* 0: March */

	*ret_day = day_of_year - (153 * month + 2) / 5 + 1;
	*ret_month = month < 10 ? month + 3 : month - 9;
	*ret_year = 1600 + year_of_era + era * 400 + (*ret_month <= 2);
}

static void put_two(struct row_encoder *row, uint32_t value)
{
	*row->at++ = (char)('0' + value / 10);
	*row->at++ = (char)('0' + value % 10);
}

void row_date(struct row_encoder *row, uint32_t days)
{
	uint32_t year, month, day;

	if (!row->text) {
		put_be32(row, 4);
		put_be32(row, days);
		return;
	}
	put_tab(row);
	civil(days, &year, &month, &day);
	put_digits(row, year);
	*row->at++ = '-';
	put_two(row, month);
	*row->at++ = '-';
	put_two(row, day);
}
