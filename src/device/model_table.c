/*
 * Parameters of time models and the models that plumb brings (see model_table.h). Where the values
 * come from: docs/models.md.
 */
#include "device/model_table.h"

#include "base/macros.h"
#include "base/memory.h"
#include "base/near.h"
#include "setting/setting.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TIME_NS (1e12)
#define MAX_RATE    (1e12)
#define MAX_BYTES   (1e15)

#define TIME(word, field, text)                                                                   \
	{                                                                                         \
#word, MODEL_TIME, offsetof(struct model_parameters, field), 0, MAX_TIME_NS, text \
	}
#define RATE(word, field, text)                                                                \
	{                                                                                      \
#word, MODEL_RATE, offsetof(struct model_parameters, field), 0, MAX_RATE, text \
	}
#define BYTES(word, field, text)                                                                 \
	{                                                                                        \
#word, MODEL_BYTES, offsetof(struct model_parameters, field), 0, MAX_BYTES, text \
	}
#define NUMBER(word, field, most, text)                                                      \
	{                                                                                    \
#word, MODEL_NUMBER, offsetof(struct model_parameters, field), 0, most, text \
	}
#define SHARE(word, field, most, text)                                                      \
	{                                                                                   \
#word, MODEL_SHARE, offsetof(struct model_parameters, field), 0, most, text \
	}
#define SWITCH(word, field, text)                                                         \
	{                                                                                 \
#word, MODEL_SWITCH, offsetof(struct model_parameters, field), 0, 1, text \
	}

const struct model_row model_rows[] = {
	NUMBER(queue_depth, queue_depth, 65536, "requests worked on at once, others wait; 0: any"),
	SWITCH(shortest_first, shortest_first, "shortest access time first, not first come"),
	TIME(age_limit, age_limit_ns, "a request older than this goes first; 0: none does"),
	TIME(overhead, overhead_ns, "of each command, side by side"),
	TIME(controller, controller_ns, "of each command, one after the other: most IOPS"),
	RATE(iops, iops, "requests a second let in"),
	RATE(iops_per_gib, iops_per_gib, "iops by size of the device, in place of iops"),
	RATE(iops_min, iops_min, "least that iops_per_gib gives"),
	RATE(iops_max, iops_max, "most that iops_per_gib gives"),
	NUMBER(iops_credits, iops_credits, 1e12, "requests saved up, full at the start"),
	RATE(iops_ceiling, iops_ceiling, "requests a second while credits last"),
	RATE(bandwidth, bandwidth, "bytes a second let in"),
	RATE(bandwidth_per_gib, bandwidth_per_gib, "bandwidth by size, in place of bandwidth"),
	RATE(bandwidth_min, bandwidth_min, "least that bandwidth_per_gib gives"),
	RATE(bandwidth_max, bandwidth_max, "most that bandwidth_per_gib gives"),
	BYTES(piece, piece_bytes, "one count of iops: larger are cut, neighbours joined"),
	NUMBER(slack, slack, 1e6, "counts that an idle moment may save up"),
	SHARE(drift, drift, 0.5, "slow change of the rates, up and down"),
	TIME(drift_period, drift_period_ns, "of the drift"),
	NUMBER(units, units, 65536, "that serve side by side; 0: any number"),
	BYTES(stripe, stripe_bytes, "neighbouring bytes in one unit"),
	TIME(read, read_ns, "of a unit, mean, 4K"),
	TIME(read_step, read_step_ns, "more for each further 4K"),
	SHARE(read_spread, read_spread, 10, "SD over mean, lognormal"),
	TIME(write, write_ns, "of a unit where no cache takes it, mean"),
	SHARE(write_spread, write_spread, 10, "SD over mean, lognormal"),
	RATE(transfer, transfer, "bytes a second of one request, side by side"),
	RATE(link, link, "bytes a second each way, in order of the commands"),
	BYTES(cache, cache_bytes, "writes held until they are drained"),
	TIME(ack, ack_ns, "until a write that fits the cache is done"),
	RATE(drain_iops, drain_iops, "indirection units a second, not in sequence"),
	RATE(drain_bandwidth, drain_bandwidth, "bytes a second, in sequence"),
	BYTES(indirection, indirection_bytes, "written as a whole when touched"),
	TIME(flush, flush_ns, "least time of a flush"),
	SWITCH(protected, is_protected, "the cache survives a power cut: a flush need not drain"),
	BYTES(small_span, small_span_bytes, "written area up to which drain_iops holds for ever"),
	BYTES(spare, spare_bytes, "beyond it: bytes until drain_iops falls to steady_iops"),
	RATE(steady_iops, steady_iops, "indirection units a second once spare is used up"),
	SHARE(fast_share, fast_share, 1, "of the size that is written at full speed"),
	RATE(slow_bandwidth, slow_bandwidth, "drain_bandwidth after that"),
	TIME(revolution, revolution_ns, "of the platter; not 0: a disk with an arm"),
	RATE(rate_outer, rate_outer, "bytes a second at the start of the disk"),
	RATE(rate_inner, rate_inner, "bytes a second at its end"),
	TIME(seek_start, seek_start_ns, "seek of distance x, a share of the stroke: start +"),
	TIME(seek_root, seek_root_ns, "root * sqrt(x), up to"),
	SHARE(seek_knee, seek_knee, 1, "this x, and beyond"),
	TIME(seek_knee_time, seek_knee_ns, "this +"),
	TIME(seek_slope, seek_slope_ns, "slope * (x - knee)"),
	TIME(settle, settle_ns, "more for a write that waits for the platter"),
	TIME(switch, switch_ns, "to a neighbouring track"),
	NUMBER(destage_window, destage_window, 65536, "cached writes among which the arm chooses"),
	BYTES(read_ahead, read_ahead_bytes, "read on behind a sequential read"),
	BYTES(physical, physical_bytes, "block size told to the host; 0: the sector"),
	{ 0 },
};

#define NVME_PLP                                                                              \
	"overhead=8us,controller=950ns,units=160,stripe=4K,read=70us,read_step=2us,"          \
	"read_spread=0.1,link=6500e6,drain_iops=200e3,drain_bandwidth=3500e6,indirection=4K," \
	"ack=9us"

const struct model models[] = {
	{ "none", "as fast as the machine; a flush reaches the host's disk", "" },
	{ "hdd-7200", "SATA disk with 7200 revolutions a minute",
		"queue_depth=32,shortest_first=on,age_limit=900ms,overhead=150us,"
		"revolution=8333333ns,rate_outer=150e6,rate_inner=75e6,seek_start=1ms,"
		"seek_root=13030us,seek_knee=0.3,seek_knee_time=8140us,seek_slope=11900us,"
		"settle=500us,switch=800us,cache=64M,ack=150us,destage_window=136,read_ahead=4M,"
		"physical=4K" },
	{ "intel-320", "SATA SSD of 2011, 300 GB, protected cache",
		"queue_depth=32,overhead=12us,units=10,stripe=4K,read=172us,read_step=5us,"
		"read_spread=0.1,link=270e6,cache=64M,ack=63us,drain_iops=23000,"
		"drain_bandwidth=205e6,indirection=4K,flush=150us,protected=on,small_span=8G,"
		"spare=4G,steady_iops=1500" },
	{ "nvme-plp", "data centre NVMe, protected cache",
		NVME_PLP ",cache=64M,flush=15us,protected=on" },
	{ "nvme-consumer", "NVMe of a laptop, volatile cache",
		NVME_PLP ",cache=1G,flush=800us,fast_share=0.1,slow_bandwidth=1400e6" },
	{ "nvme-iu16", "QLC NVMe that writes 16K units",
		"overhead=8us,controller=950ns,units=256,stripe=4K,read=100us,read_step=3us,"
		"read_spread=0.1,link=7000e6,cache=64M,ack=9us,drain_iops=43e3,"
		"drain_bandwidth=3200e6,indirection=16K,flush=15us,protected=on,physical=16K" },
	{ "ebs-gp3", "AWS EBS gp3 at its baseline of 3000 IOPS and 125 MiB/s",
		"iops=3000,bandwidth=131072000,piece=256K,slack=64,read=669us,read_spread=0.74,"
		"write=669us,write_spread=0.74,transfer=131072000" },
	{ "ebs-gp2", "AWS EBS gp2: 3 IOPS a GiB, burst of 3000 while credits last",
		"iops_per_gib=3,iops_min=100,iops_max=16000,iops_credits=5400000,"
		"iops_ceiling=3000,bandwidth_per_gib=786432,bandwidth_min=134217728,"
		"bandwidth_max=262144000,piece=256K,slack=64,read=669us,read_spread=0.74,"
		"write=669us,write_spread=0.74,transfer=131072000" },
	{ 0 },
};

const struct model *model_find(const char *name)
{
	for (const struct model *model = models; model->name; model++)
		if (strcmp(model->name, name) == 0)
			return model;
	return NULL;
}

const char *model_near(const char *name)
{
	const char *best = NULL;

	for (const struct model *model = models; model->name; model++)
		best = near_better(name, best, model->name);
	return best;
}

static double *place_of(const struct model_row *row, struct model_parameters *model)
{
	return (double *)((char *)model + row->place);
}

static int parse_value(const struct model_row *row, const char *text, double *ret_value)
{
	uint64_t bytes;
	int64_t ns;
	bool on;
	int r;

	switch (row->unit) {
	case MODEL_TIME:
		r = duration_parse(text, &ns);
		if (r == 0)
			*ret_value = (double)ns;
		return r;
	case MODEL_BYTES:
		r = size_parse(text, &bytes);
		if (r == 0)
			*ret_value = (double)bytes;
		return r;
	case MODEL_SWITCH:
		r = boolean_parse(text, &on);
		if (r == 0)
			*ret_value = on;
		return r;
	case MODEL_RATE:
	case MODEL_NUMBER:
	case MODEL_SHARE:
		break;
	}
	return real_parse(text, ret_value);
}

static int set_parameter(
	struct model_parameters *model, const char *key, const char *text, struct err *err)
{
	const char *near = NULL;
	double value;

	for (const struct model_row *row = model_rows; row->key; row++) {
		if (strcmp(row->key, key) != 0) {
			near = near_better(key, near, row->key);
			continue;
		}
		if (parse_value(row, text, &value) < 0 || !(value >= row->min && value <= row->max))
			return err_set(err, -EINVAL, "parameter %s of a model: '%s' is %s", key,
				text, "not a value it can have");
		*place_of(row, model) = value;
		return 0;
	}
	err_set(err, -EINVAL, "a model has no parameter '%s'", key);
	return near ? err_hint(err, -EINVAL, "did you mean '%s'?", near) : -EINVAL;
}

static int set_parameters(struct model_parameters *model, const char *text, struct err *err)
{
	char *copy = memory_copy_string(text), *rest = copy, *word;
	int r = 0;

	while (r == 0 && (word = strsep(&rest, ","))) {
		char *value = strchr(word, '=');

		if (*word == '\0')
			continue;
		if (!value) {
			r = err_set(err, -EINVAL, "'%s' is not parameter=value", word);
			break;
		}
		*value++ = '\0';
		r = set_parameter(model, word, value, err);
	}
	free(copy);
	return r;
}

static int check_combination(const struct model_parameters *model, struct err *err)
{
	if (model->revolution_ns > 0 && (model->rate_outer <= 0 || model->rate_inner <= 0))
		return err_set(err, -EINVAL, "a disk needs rate_outer and rate_inner");
	if (model->revolution_ns > 0 && model->rate_inner > model->rate_outer)
		return err_set(err, -EINVAL, "rate_inner must not be more than rate_outer");
	if (model->cache_bytes > 0 && model->revolution_ns <= 0 &&
		(model->drain_iops <= 0 || model->drain_bandwidth <= 0))
		return err_set(err, -EINVAL, "a cache needs drain_iops and drain_bandwidth");
	if (model->cache_bytes > 0 && model->cache_bytes < 1 << 20)
		return err_set(err, -EINVAL, "a cache must hold the largest request, 1M");
	if (model->spare_bytes > 0 && model->steady_iops <= 0)
		return err_set(err, -EINVAL, "spare needs steady_iops");
	if (model->fast_share > 0 && model->slow_bandwidth <= 0)
		return err_set(err, -EINVAL, "fast_share needs slow_bandwidth");
	if (model->iops_credits > 0 && model->iops_ceiling <= 0)
		return err_set(err, -EINVAL, "iops_credits need iops_ceiling");
	if (model->drift > 0 && model->drift_period_ns <= 0)
		return err_set(err, -EINVAL, "drift needs drift_period");
	return 0;
}

int model_parameters_load(
	const char *name, const char *text, struct model_parameters *ret_model, struct err *err)
{
	struct model_parameters model = { 0 };
	const struct model *known = model_find(name);
	const char *near;
	int r;

	if (!known) {
		near = model_near(name);
		err_set(err, -EINVAL, "there is no model '%s'", name);
		return err_hint(
			err, -EINVAL, near ? "did you mean '%s'?" : "see plumb disk models", near);
	}
	r = set_parameters(&model, known->values, err);
	if (r == 0 && text)
		r = set_parameters(&model, text, err);
	if (r == 0)
		r = check_combination(&model, err);
	if (r == 0)
		*ret_model = model;
	return r;
}

void model_value_format(
	const struct model_row *row, const struct model_parameters *model, struct strbuf *text)
{
	double value = *(const double *)((const char *)model + row->place);

	if (row->unit == MODEL_BYTES)
		size_format((uint64_t)value, text);
	else if (row->unit == MODEL_TIME)
		duration_format((int64_t)value, text);
	else if (row->unit == MODEL_SWITCH)
		strbuf_add_text(text, value > 0 ? "on" : "off");
	else
		strbuf_add_format(text, "%.10g", value);
}

void model_parameters_format(const struct model_parameters *model, struct strbuf *text)
{
	for (const struct model_row *row = model_rows; row->key; row++) {
		struct strbuf value = STRBUF_INIT;

		if (*(const double *)((const char *)model + row->place) == 0)
			continue;
		model_value_format(row, model, &value);
		strbuf_add_format(text, "%-17s = %-12s ; %s\n", row->key, value.data, row->help);
		strbuf_release(&value);
	}
}

bool model_is_disk(const struct model_parameters *model)
{
	return model->revolution_ns > 0;
}

bool model_has_time(const struct model_parameters *model)
{
	const struct model_parameters none = { 0 };

	/* No times of minus zero here. NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
	return memcmp(model, &none, sizeof(none)) != 0;
}

static double command_ns(const struct model_parameters *model)
{
	return model->overhead_ns + model->controller_ns;
}

double model_read_ns(const struct model_parameters *model)
{
	return command_ns(model) + model->read_ns;
}

double model_fastest_ns(const struct model_parameters *model)
{
	double write_ns = model->cache_bytes > 0 ? model->ack_ns : model->write_ns;

	if (model_is_disk(model))
		return command_ns(model);
	return command_ns(model) + MIN(model->read_ns, write_ns);
}
