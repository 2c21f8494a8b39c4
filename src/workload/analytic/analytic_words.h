/* Words that the analytic data set's text is made of: plumb's own lists. */
#ifndef WORKLOAD_ANALYTIC_WORDS_H
#define WORKLOAD_ANALYTIC_WORDS_H

#include <stdint.h>

/* Padded so that a word is copied in one fixed-size move. */
struct analytic_word {
	char text[15];
	uint8_t length;
};

#define ANALYTIC_COUNTRIES 24
#define ANALYTIC_MODES	   6
#define ANALYTIC_TRADES	   12
#define ANALYTIC_FAMILIES  25
#define ANALYTIC_BRANDS	   40
#define ANALYTIC_CHANNELS  5
#define ANALYTIC_SYLLABLES 32
#define ANALYTIC_REMARKS   64

extern const struct analytic_word analytic_countries[ANALYTIC_COUNTRIES];
extern const struct analytic_word analytic_modes[ANALYTIC_MODES];
extern const struct analytic_word analytic_trades[ANALYTIC_TRADES];
extern const struct analytic_word analytic_families[ANALYTIC_FAMILIES];
extern const struct analytic_word analytic_brands[ANALYTIC_BRANDS];
extern const struct analytic_word analytic_channels[ANALYTIC_CHANNELS];
extern const struct analytic_word analytic_syllables[ANALYTIC_SYLLABLES];
extern const struct analytic_word analytic_remarks[ANALYTIC_REMARKS];

enum analytic_outcome {
	ANALYTIC_DELIVERED,
	ANALYTIC_LATE,
	ANALYTIC_RETURNED,
	ANALYTIC_LOST,
	ANALYTIC_UNDERWAY,
	ANALYTIC_OUTCOMES,
};
extern const struct analytic_word analytic_outcomes[ANALYTIC_OUTCOMES];

#endif
