/* Rows of the analytic data set (see analytic_generator.h). */
#include "workload/analytic/analytic_generator.h"

#include "base/hash.h"
#include "base/macros.h"
#include "base/memory.h"
#include "base/rng.h"
#include "workload/analytic/analytic_words.h"
#include "workload/analytic/row_encoder.h"

#include <stdlib.h>

#define BLOCK_BYTES (256 << 10)
/* A prime above any table's rows: times it modulo n is a permutation of 0..n-1. */
#define SCATTER_PRIME 2654435761ULL
/* Streams of random numbers beside those of the tables. */
#define STREAM_PRICE 100

/* One call of analytic_generate. */
struct output {
	const struct analytic_generator *generator;
	struct row_encoder row;
	char *block;
	char *row_start;
	analytic_sink *sink;
	void *context;
	struct analytic_checksum *sum;
	int result;
};

/* What shipment and parcel rows both need of a shipment. */
struct shipment {
	uint32_t sender, booked, urgency, parcels;
};
struct parcel {
	uint32_t article, quantity, rebate;
	uint64_t amount_cents;
};

void analytic_generator_init(struct analytic_generator *generator, double scale, bool text)
{
	generator->seed = ANALYTIC_SEED;
	generator->text = text;
	for (int table = 0; table < ANALYTIC_TABLES; table++)
		generator->units[table] = analytic_units(table, scale);
}

/* The random numbers of one row. */
static struct rng row_random(const struct output *output, int stream, uint64_t number)
{
	struct rng random;

	rng_init(&random, output->generator->seed + number * ANALYTIC_TABLES, (uint64_t)stream);
	return random;
}

/* 0 to bound-1 from the high half of one number; the bias is below bound / 2^32. */
static uint32_t below(struct rng *random, uint32_t bound)
{
	return (uint32_t)(((rng_next(random) >> 32) * bound) >> 32);
}

static uint64_t scatter(uint64_t rank, uint64_t rows)
{
	return rank * SCATTER_PRIME % rows;
}

/* Only multiplications: the same on any IEEE machine, no contraction possible. */
static uint32_t skewed_square(struct rng *random, uint64_t rows)
{
	double u = rng_uniform(random);

	return (uint32_t)scatter((uint64_t)(u * u * (double)rows), rows);
}

static uint32_t skewed_cube(struct rng *random, uint64_t rows)
{
	double u = rng_uniform(random);

	return (uint32_t)scatter((uint64_t)(u * u * u * (double)rows), rows);
}

static void flush(struct output *output)
{
	size_t length = (size_t)(output->row.at - output->block);

	if (length && output->sink && output->result == 0)
		output->result = output->sink(output->context, output->block, length);
	output->row.at = output->block;
}

static void begin(struct output *output, uint16_t fields)
{
	if ((size_t)(output->row.at - output->block) > BLOCK_BYTES - ROW_BYTES_MAX)
		flush(output);
	output->row_start = output->row.at;
	row_begin(&output->row, fields);
}

static void end(struct output *output)
{
	size_t length;

	row_end(&output->row);
	length = (size_t)(output->row.at - output->row_start);
	output->sum->rows++;
	output->sum->bytes += length;
	output->sum->sum += hash_bytes(output->row_start, length).low;
}

static void put_word(struct output *output, const struct analytic_word *word)
{
	row_text(&output->row, word->text, word->length);
}

static char *append_word(char *at, const struct analytic_word *word)
{
	memcpy(at, word->text, sizeof(word->text)); /* fixed size: one move */
	return at + word->length;
}

/* fewest to most words of the list, as a sentence without an end */
static void put_remark(struct output *output, struct rng *random, uint32_t fewest, uint32_t most)
{
	char text[20 * 16], *at = text;
	uint64_t bits = rng_next(random);
	uint32_t count = fewest + (uint32_t)(bits >> 58) % (most - fewest + 1);

	for (uint32_t i = 0; i < count; i++) {
		if (i % 9 == 8)
			bits = rng_next(random);
		at = append_word(at, &analytic_remarks[bits & 63]);
		bits >>= 6;
	}
	row_text(&output->row, text, (uint32_t)(at - 1 - text)); /* without the last space */
}

/* Name of three syllables, a number after it so that names are unique. */
static void put_name(struct output *output, struct rng *random, uint64_t number)
{
	char text[64], *at = text;
	struct row_encoder digits;
	uint64_t bits = rng_next(random);

	for (int i = 0; i < 3; i++, bits >>= 5)
		at = append_word(at, &analytic_syllables[bits & 31]);
	text[0] = (char)(text[0] - 'a' + 'A');
	*at++ = ' ';
	digits.at = at;
	put_digits(&digits, number);
	row_text(&output->row, text, (uint32_t)(digits.at - text));
}

static void depot_row(struct output *output, uint64_t number)
{
	struct rng random = row_random(output, ANALYTIC_DEPOT, number);
	uint32_t country = below(&random, ANALYTIC_COUNTRIES);

	begin(output, 6);
	row_int4(&output->row, (uint32_t)number);
	row_int2(&output->row, (uint16_t)(country / 4)); /* six zones of four countries */
	put_word(output, &analytic_countries[country]);
	row_int4(&output->row, 200 + below(&random, 9800));
	row_date(&output->row, below(&random, ANALYTIC_FIRST_DAY));
	put_name(output, &random, number);
	end(output);
}

static void carrier_row(struct output *output, uint64_t number)
{
	struct rng random = row_random(output, ANALYTIC_CARRIER, number);

	begin(output, 6);
	row_int4(&output->row, (uint32_t)number);
	row_int4(&output->row, below(&random, (uint32_t)output->generator->units[ANALYTIC_DEPOT]));
	row_int2(&output->row, (uint16_t)(1 + below(&random, 10)));
	put_word(output, &analytic_modes[below(&random, ANALYTIC_MODES)]);
	put_name(output, &random, number);
	put_remark(output, &random, 3, 9);
	end(output);
}

static uint64_t article_price_cents(const struct output *output, uint32_t article)
{
	struct rng random = row_random(output, STREAM_PRICE, article);
	double u = rng_uniform(&random);

	return 50 + (uint64_t)(u * u * u * 200000.0);
}

static void article_row(struct output *output, uint64_t number)
{
	struct rng random = row_random(output, ANALYTIC_ARTICLE, number);
	const struct analytic_word *family = &analytic_families[below(&random, ANALYTIC_FAMILIES)];
	const struct analytic_word *brand = &analytic_brands[below(&random, ANALYTIC_BRANDS)];

	begin(output, 7);
	row_int4(&output->row, (uint32_t)number);
	row_int4(&output->row, 20 + below(&random, 30000));
	row_int2(&output->row, (uint16_t)(1 + below(&random, 9)));
	row_cents(&output->row, article_price_cents(output, (uint32_t)number));
	put_word(output, family);
	put_word(output, brand);
	put_remark(output, &random, 2, 5);
	end(output);
}

static void sender_row(struct output *output, uint64_t number)
{
	struct rng random = row_random(output, ANALYTIC_SENDER, number);

	begin(output, 7);
	row_int4(&output->row, (uint32_t)number);
	row_int4(&output->row, below(&random, (uint32_t)output->generator->units[ANALYTIC_DEPOT]));
	row_date(&output->row, ANALYTIC_FIRST_DAY - 1 - below(&random, 2000));
	row_cents(&output->row, below(&random, 1000000));
	put_word(output, &analytic_trades[below(&random, ANALYTIC_TRADES)]);
	put_name(output, &random, number);
	put_remark(output, &random, 4, 12);
	end(output);
}

/* A shipment's own facts, from the first numbers of its stream. */
static struct shipment shipment_facts(
	const struct output *output, struct rng *random, uint64_t number)
{
	static const uint8_t parcels[16] = { 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 8, 9, 12 };
	const uint64_t *units = output->generator->units;
	uint64_t bits = rng_next(random);
	double share = (double)number / (double)units[ANALYTIC_SHIPMENT];
	struct shipment shipment;

	shipment.parcels = parcels[bits & 15];
	shipment.urgency = (uint32_t)MIN((bits >> 4 & 7) * (bits >> 7 & 7) / 8, 4);
	shipment.booked = ANALYTIC_FIRST_DAY + (uint32_t)(share * (ANALYTIC_DAYS - 30)) +
			  (uint32_t)((bits >> 32) * 30 >> 32);
	shipment.sender = skewed_square(random, units[ANALYTIC_SENDER]);
	return shipment;
}

/* A parcel's facts that the shipment's total is made of. */
static struct parcel parcel_facts(const struct output *output, struct rng *random)
{
	struct parcel parcel;
	uint64_t bits;

	parcel.article = skewed_cube(random, output->generator->units[ANALYTIC_ARTICLE]);
	bits = rng_next(random);
	parcel.quantity = 1 + (uint32_t)((bits & 0xffffffff) * 40 >> 32);
	parcel.rebate = (uint32_t)(bits >> 32 & 15) > 9 ? 0 : (uint32_t)(bits >> 32 & 15);
	parcel.amount_cents = parcel.quantity * article_price_cents(output, parcel.article);
	return parcel;
}

static struct rng parcel_random(const struct output *output, uint64_t number, uint32_t line)
{
	return row_random(output, ANALYTIC_PARCEL, number * 16 + line);
}

static void shipment_row(struct output *output, uint64_t number)
{
	struct rng random = row_random(output, ANALYTIC_SHIPMENT, number);
	struct shipment shipment = shipment_facts(output, &random, number);
	uint64_t total_cents = 0;

	for (uint32_t line = 1; line <= shipment.parcels; line++) {
		struct rng of_parcel = parcel_random(output, number, line);
		struct parcel parcel = parcel_facts(output, &of_parcel);

		total_cents += parcel.amount_cents * (100 - parcel.rebate) / 100;
	}
	begin(output, 8);
	row_int8(&output->row, number);
	row_int4(&output->row, shipment.sender);
	row_date(&output->row, shipment.booked);
	row_int2(&output->row, (uint16_t)shipment.urgency);
	row_int2(&output->row, (uint16_t)shipment.parcels);
	row_cents(&output->row, total_cents);
	put_word(output, &analytic_channels[below(&random, ANALYTIC_CHANNELS)]);
	put_remark(output, &random, 3, 10);
	end(output);
}

/* Dates and outcome of a parcel, drawn from one number. */
static void put_journey(struct output *output, const struct shipment *shipment, uint64_t bits)
{
	uint32_t sent = shipment->booked + (uint32_t)(bits & 3);
	uint32_t transit = 1 + (uint32_t)(bits >> 2 & 63) % (2 * (5 - shipment->urgency));
	uint32_t due = sent + transit + 1;
	uint32_t chance = (uint32_t)(bits >> 8 & 127); /* of 128 */
	enum analytic_outcome outcome = chance < 12   ? ANALYTIC_LATE
					: chance < 17 ? ANALYTIC_RETURNED
					: chance < 18 ? ANALYTIC_LOST
						      : ANALYTIC_DELIVERED;
	uint32_t received =
		outcome == ANALYTIC_LATE ? due + 1 + (uint32_t)(bits >> 15 & 15) : sent + transit;

	if (received >= ANALYTIC_FIRST_DAY + ANALYTIC_DAYS)
		outcome = ANALYTIC_UNDERWAY;
	row_date(&output->row, sent);
	row_date(&output->row, due);
	if (outcome == ANALYTIC_UNDERWAY || outcome == ANALYTIC_LOST)
		row_null(&output->row);
	else
		row_date(&output->row, received);
	put_word(output, &analytic_outcomes[outcome]);
}

static void parcel_rows(struct output *output, uint64_t number)
{
	const uint64_t *units = output->generator->units;
	struct rng of_shipment = row_random(output, ANALYTIC_SHIPMENT, number);
	struct shipment shipment = shipment_facts(output, &of_shipment, number);

	for (uint32_t line = 1; line <= shipment.parcels; line++) {
		struct rng random = parcel_random(output, number, line);
		struct parcel parcel = parcel_facts(output, &random);

		begin(output, 13);
		row_int8(&output->row, number);
		row_int2(&output->row, (uint16_t)line);
		row_int4(&output->row, parcel.article);
		row_int4(&output->row, below(&random, (uint32_t)units[ANALYTIC_CARRIER]));
		row_int4(&output->row, skewed_square(&random, units[ANALYTIC_DEPOT]));
		row_int4(&output->row, parcel.quantity);
		row_cents(&output->row, parcel.amount_cents);
		row_int2(&output->row, (uint16_t)parcel.rebate);
		put_journey(output, &shipment, rng_next(&random));
		put_remark(output, &random, 2, 8);
		end(output);
	}
}

int analytic_generate(const struct analytic_generator *generator,
	const struct analytic_chunk *chunk, analytic_sink *sink, void *context,
	struct analytic_checksum *sum)
{
	static void (*const rows[ANALYTIC_TABLES])(struct output *, uint64_t) = {
		[ANALYTIC_DEPOT] = depot_row,
		[ANALYTIC_CARRIER] = carrier_row,
		[ANALYTIC_ARTICLE] = article_row,
		[ANALYTIC_SENDER] = sender_row,
		[ANALYTIC_SHIPMENT] = shipment_row,
		[ANALYTIC_PARCEL] = parcel_rows,
	};
	struct output output = { .generator = generator,
		.sink = sink,
		.context = context,
		.sum = sum,
		.row.text = generator->text };

	output.block = memory_new(BLOCK_BYTES);
	output.row.at = output.block;
	for (uint64_t i = 0; i < chunk->count && output.result == 0; i++)
		rows[chunk->table](&output, chunk->first + i);
	flush(&output);
	free(output.block);
	return output.result;
}

void analytic_table_checksum(const struct analytic_generator *generator,
	enum analytic_table_id table, struct analytic_checksum *ret_sum)
{
	struct analytic_chunk all = { table, 0, generator->units[table] };

	*ret_sum = (struct analytic_checksum){ 0, 0, 0 };
	analytic_generate(generator, &all, NULL, NULL, ret_sum); /* no sink: cannot fail */
}
