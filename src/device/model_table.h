/*
 * Time models: the parameters of one (a row each, so that parser, help and printing agree) and
 * those that plumb brings along. A model is a list "key = value"; a user's own is a copy of one of
 * ours with other values.
 */
#ifndef DEVICE_MODEL_TABLE_H
#define DEVICE_MODEL_TABLE_H

#include "base/err.h"
#include "base/strbuf.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Times in nanoseconds, rates in units or bytes a second; 0 switches a block off unless the row's
 * help says otherwise. The rows in model_table.c say what each is. */
struct model_parameters {
	/* queue */
	double queue_depth, shortest_first, age_limit_ns;
	/* command */
	double overhead_ns, controller_ns;
	/* token buckets */
	double iops, iops_per_gib, iops_min, iops_max, iops_credits, iops_ceiling;
	double bandwidth, bandwidth_per_gib, bandwidth_min, bandwidth_max;
	double piece_bytes, slack, drift, drift_period_ns;
	/* service units */
	double units, stripe_bytes, read_ns, read_step_ns, read_spread, write_ns, write_spread;
	double transfer;
	/* link */
	double link;
	/* write cache */
	double cache_bytes, ack_ns, drain_iops, drain_bandwidth, indirection_bytes, flush_ns;
	double is_protected, small_span_bytes, spare_bytes, steady_iops, fast_share, slow_bandwidth;
	/* moving parts */
	double revolution_ns, rate_outer, rate_inner, seek_start_ns, seek_root_ns, seek_knee;
	double seek_knee_ns, seek_slope_ns, settle_ns, switch_ns, destage_window, read_ahead_bytes;
	/* told to the host */
	double physical_bytes;
};

enum model_unit { MODEL_TIME, MODEL_RATE, MODEL_BYTES, MODEL_NUMBER, MODEL_SHARE, MODEL_SWITCH };

struct model_row {
	const char *key;
	enum model_unit unit;
	size_t place;
	double min, max;
	const char *help;
};

struct model {
	const char *name;
	const char *summary;
	const char *values; /* "key=value,key=value": what differs from 0 */
};

extern const struct model_row model_rows[]; /* ends with a row without key */
extern const struct model models[];	    /* ends with one without name */

const struct model *model_find(const char *name);
const char *model_near(const char *name); /* NULL: nothing near */

/* Parameters of a model with the replacements of text ("key=value,...", may be NULL). -EINVAL
 * unknown model, unknown parameter (with a near miss), impossible value or combination. */
int model_parameters_load(
	const char *name, const char *text, struct model_parameters *ret_model, struct err *err);

/* Print as lines "key = value" with the rows' help as comments: a section to copy. */
void model_parameters_format(const struct model_parameters *model, struct strbuf *text);
/* One value as model_parameters_load reads it. */
void model_value_format(
	const struct model_row *row, const struct model_parameters *model, struct strbuf *text);

bool model_has_time(const struct model_parameters *model); /* false: none */
bool model_is_disk(const struct model_parameters *model);  /* has moving parts */

double model_read_ns(const struct model_parameters *model); /* mean of a 4K read alone */
/* The shortest time a request can take by it: what a path must beat to carry the model. */
double model_fastest_ns(const struct model_parameters *model);

#endif
