/*
 * Solid state and cloud volumes: token buckets, controller, units, link, write cache. Each is a
 * place that is free again at some time; a request passes them in order, and since requests arrive
 * in order of time, its whole way can be computed when it is admitted.
 *
 * The link carries answers in the order of the commands, as the tables of docs/models.md assume.
 *
 * The write cache is a fluid: dirty bytes drain at the pace of the writes that made them.
 */
#include "device/model_internal.h"

#include "base/macros.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

#define PAGE_BYTES	  4096.0
#define NS		  1e9
#define REGION_COUNT_MOST 65536
#define GIB		  1073741824.0
#define BITS_PER_WORD	  64

/* What bucket_take waits for: count tokens at rate a second, after those taken before. Gives the
 * time at which they are there. */
double bucket_take(struct token_bucket *bucket, double count, double now_ns)
{
	if (bucket->rate <= 0)
		return now_ns;
	if (now_ns > bucket->updated_ns) {
		bucket->tokens += (now_ns - bucket->updated_ns) / NS * bucket->rate;
		bucket->tokens = MIN(bucket->tokens, bucket->burst);
		bucket->updated_ns = now_ns;
	}
	bucket->tokens -= count;
	return bucket->tokens >= 0 ? now_ns
				   : bucket->updated_ns - bucket->tokens / bucket->rate * NS;
}

/* Does a request go on where an earlier one began or ended? Remembers it either way. */
bool streams_continue(struct streams *streams, uint64_t offset, uint64_t size)
{
	int found = -1;

	for (int i = 0; i < MODEL_STREAM_COUNT && found < 0; i++)
		if (streams->ends[i] > streams->starts[i] && offset >= streams->starts[i] &&
			offset <= streams->ends[i])
			found = i;
	if (found >= 0) {
		streams->starts[found] = offset;
		streams->ends[found] = MAX(streams->ends[found], offset + size);
		return true;
	}
	streams->starts[streams->oldest] = offset;
	streams->ends[streams->oldest] = offset + size;
	streams->oldest = (streams->oldest + 1) % MODEL_STREAM_COUNT;
	return false;
}

static double by_size(double per_gib, double min, double max, uint64_t size_bytes)
{
	return MIN(MAX(per_gib * (double)size_bytes / GIB, min), max > 0 ? max : INFINITY);
}

static void init_buckets(struct model_core *core)
{
	const struct model_parameters *model = &core->model;
	double iops = model->iops, bandwidth = model->bandwidth;

	if (model->iops_per_gib > 0)
		iops = by_size(
			model->iops_per_gib, model->iops_min, model->iops_max, core->size_bytes);
	if (model->bandwidth_per_gib > 0)
		bandwidth = by_size(model->bandwidth_per_gib, model->bandwidth_min,
			model->bandwidth_max, core->size_bytes);
	core->bytes.rate = bandwidth;
	core->bytes.burst = model->slack * PAGE_BYTES * 4;
	core->credits.rate = iops;
	core->credits.burst = model->slack;
	if (model->iops_credits > 0 && iops < model->iops_ceiling) {
		core->credits.burst = model->iops_credits;
		core->ceiling.rate = model->iops_ceiling;
		core->ceiling.burst = model->slack;
	}
	core->credits.tokens = core->credits.burst;
	core->ceiling.tokens = core->ceiling.burst;
	core->bytes.tokens = core->bytes.burst;
}

/* Sigma of the logarithm of a lognormal whose SD is spread times its mean. */
static double sigma_of(double spread)
{
	return sqrt(log1p(spread * spread));
}

void model_flow_init(struct model_core *core)
{
	const struct model_parameters *model = &core->model;

	init_buckets(core);
	core->read_sigma = sigma_of(model->read_spread);
	core->write_sigma = sigma_of(model->write_spread);
	if (model->units > 0)
		core->unit_free_ns =
			memory_new_array((size_t)model->units, sizeof(*core->unit_free_ns));
	core->spare_left = model->spare_bytes;
	if (model->spare_bytes > 0) {
		core->region_bytes = MAX(core->size_bytes / REGION_COUNT_MOST, 65536);
		core->region_count = core->size_bytes / core->region_bytes + 1;
		core->regions = memory_new_array(
			core->region_count / BITS_PER_WORD + 1, sizeof(*core->regions));
	}
}

void model_flow_release(struct model_core *core)
{
	free(core->unit_free_ns);
	free(core->regions);
}

/* A factor with mean 1. */
static double draw_factor(
	const struct model_core *core, const struct model_ticket *ticket, double sigma)
{
	struct rng rng;

	if (sigma <= 0)
		return 1;
	rng_init(&rng, core->seed, ticket->number << 2 | DRAW_SERVICE);
	return exp(sigma * rng_normal(&rng) - sigma * sigma / 2);
}

static double drift_factor(const struct model_core *core, double now_ns)
{
	if (core->model.drift <= 0)
		return 1;
	return 1 + core->model.drift * sin(2 * M_PI * now_ns / core->model.drift_period_ns);
}

/* Wait for the buckets; when the request is let in. */
static double pass_buckets(
	struct model_core *core, const struct model_ticket *ticket, bool continues, double now_ns)
{
	double piece = core->model.piece_bytes;
	double size = (double)ticket->size;
	double count = 1, in_ns, ceiling_ns, bytes_ns;

	if (piece > 0)
		count = continues ? size / piece : ceil(size / piece);
	core->statistics.counted_requests += (uint64_t)ceil(count);
	count /= drift_factor(core, now_ns);
	in_ns = bucket_take(&core->credits, count, now_ns);
	ceiling_ns = bucket_take(&core->ceiling, count, now_ns);
	bytes_ns = bucket_take(&core->bytes, size / drift_factor(core, now_ns), now_ns);
	return MAX(in_ns, MAX(ceiling_ns, bytes_ns));
}

static double pass_controller(struct model_core *core, double now_ns)
{
	core->controller_free_ns =
		MAX(core->controller_free_ns, now_ns) + core->model.controller_ns;
	return core->controller_free_ns + core->model.overhead_ns;
}

static double pass_unit(
	struct model_core *core, const struct model_ticket *ticket, double work_ns, double now_ns)
{
	uint64_t stripe = ticket->offset / (uint64_t)MAX(core->model.stripe_bytes, PAGE_BYTES);
	double *free_ns;

	if (!core->unit_free_ns)
		return now_ns + work_ns;
	free_ns = &core->unit_free_ns[rng_at(core->seed, DRAW_UNIT, stripe) %
				      (uint64_t)core->model.units];
	*free_ns = MAX(*free_ns, now_ns) + work_ns;
	return *free_ns;
}

static double pass_link(const struct model_core *core, double *free_ns, double size, double now_ns)
{
	if (core->model.link <= 0)
		return now_ns;
	*free_ns = MAX(*free_ns, now_ns) + size / core->model.link * NS;
	return *free_ns;
}

static double transfer_ns(const struct model_core *core, double size)
{
	return core->model.transfer > 0 ? size / core->model.transfer * NS : 0;
}

static double admit_read(struct model_core *core, struct model_ticket *ticket, double at_ns)
{
	double size = (double)ticket->size;
	bool continues = streams_continue(&core->reads, ticket->offset, ticket->size);
	double work_ns = core->model.read_ns * draw_factor(core, ticket, core->read_sigma) +
			 core->model.read_step_ns * MAX(ceil(size / PAGE_BYTES) - 1, 0);
	double now_ns = pass_buckets(core, ticket, continues, at_ns);

	now_ns = pass_controller(core, now_ns);
	now_ns = pass_unit(core, ticket, work_ns, now_ns) + transfer_ns(core, size);
	return pass_link(core, &core->read_link_free_ns, size, now_ns);
}

void model_cache_advance(struct model_core *core, double now_ns)
{
	double backlog_ns = core->drained_until_ns - core->cache_now_ns;

	if (now_ns <= core->cache_now_ns)
		return;
	if (now_ns >= core->drained_until_ns)
		core->dirty_bytes = 0;
	else
		core->dirty_bytes *= 1 - (now_ns - core->cache_now_ns) / backlog_ns;
	core->cache_now_ns = now_ns;
}

/* Spare area: its use begins when more than small_span has been written to. */
static double random_units_per_s(struct model_core *core, const struct model_ticket *ticket)
{
	const struct model_parameters *model = &core->model;
	uint64_t region;

	if (model->spare_bytes <= 0)
		return model->drain_iops;
	region = ticket->offset / core->region_bytes;
	if (!(core->regions[region / BITS_PER_WORD] >> (region % BITS_PER_WORD) & 1)) {
		core->regions[region / BITS_PER_WORD] |= UINT64_C(1) << (region % BITS_PER_WORD);
		core->regions_written++;
	}
	if ((double)(core->regions_written * core->region_bytes) > model->small_span_bytes)
		core->spare_left -= (double)ticket->size;
	return core->spare_left > 0 ? model->drain_iops : model->steady_iops;
}

/* What it costs the medium to take a write that the cache holds. */
static double drain_ns(struct model_core *core, const struct model_ticket *ticket)
{
	const struct model_parameters *model = &core->model;
	bool continues = streams_continue(&core->writes, ticket->offset, ticket->size);
	double bandwidth = model->drain_bandwidth, size = (double)ticket->size;
	double unit = model->indirection_bytes > 0 ? model->indirection_bytes : PAGE_BYTES;
	double first = floor((double)ticket->offset / unit);
	double last = ceil((double)(ticket->offset + ticket->size) / unit);
	double slower = 1, units_s;

	core->written_bytes += size;
	if (model->fast_share > 0 &&
		core->written_bytes > model->fast_share * (double)core->size_bytes) {
		slower = bandwidth / model->slow_bandwidth;
		bandwidth = model->slow_bandwidth;
	}
	core->statistics.host_write_bytes += ticket->size;
	if (continues) {
		core->statistics.medium_write_bytes += ticket->size;
		return size / bandwidth * NS;
	}
	core->statistics.medium_write_bytes += (uint64_t)((last - first) * unit);
	core->statistics.indirection_requests += (last - first) * unit > size;
	units_s = (last - first) / random_units_per_s(core, ticket) * slower;
	return MAX(units_s, size / bandwidth) * NS;
}

/* When the cache has room for size bytes more. */
static double room_ns(const struct model_core *core, double size, double now_ns)
{
	double too_many = core->dirty_bytes + size - core->model.cache_bytes;

	if (too_many <= 0 || core->dirty_bytes <= 0)
		return now_ns;
	return now_ns + (core->drained_until_ns - now_ns) * too_many / core->dirty_bytes;
}

static double write_cached(struct model_core *core, struct model_ticket *ticket, double now_ns)
{
	double size = (double)ticket->size;
	double cost_ns = drain_ns(core, ticket);
	double taken_ns, drained_ns;

	now_ns = MAX(now_ns, core->cache_now_ns); /* behind a write that waited for room */
	model_cache_advance(core, now_ns);
	taken_ns = room_ns(core, size, now_ns);
	model_cache_advance(core, taken_ns);
	core->dirty_bytes += size;
	drained_ns = MAX(core->drained_until_ns, taken_ns) + cost_ns;
	core->drained_until_ns = drained_ns;
	taken_ns += core->model.ack_ns;
	if (ticket->durable && core->model.is_protected <= 0)
		taken_ns = MAX(taken_ns, drained_ns) + core->model.flush_ns;
	return taken_ns;
}

static double admit_write(struct model_core *core, struct model_ticket *ticket, double at_ns)
{
	double size = (double)ticket->size, now_ns, work_ns;
	bool continues = false;

	if (core->model.cache_bytes <= 0)
		continues = streams_continue(&core->writes, ticket->offset, ticket->size);
	now_ns = pass_buckets(core, ticket, continues, at_ns);
	now_ns = pass_controller(core, now_ns) + transfer_ns(core, size);
	now_ns = pass_link(core, &core->write_link_free_ns, size, now_ns);
	if (core->model.cache_bytes > 0)
		return write_cached(core, ticket, now_ns);
	core->statistics.host_write_bytes += ticket->size;
	core->statistics.medium_write_bytes += ticket->size;
	work_ns = core->model.write_ns * draw_factor(core, ticket, core->write_sigma);
	return pass_unit(core, ticket, work_ns, now_ns);
}

static double admit_flush(struct model_core *core, double at_ns)
{
	double now_ns = at_ns;

	if (core->model.is_protected <= 0 && core->model.cache_bytes > 0) {
		model_cache_advance(core, at_ns);
		now_ns = MAX(at_ns, core->drained_until_ns);
	}
	return now_ns + core->model.flush_ns;
}

void model_flow_admit(struct model_core *core, struct model_ticket *ticket, double at_ns)
{
	double due_ns = at_ns;

	switch (ticket->operation) {
	case DEVICE_READ:
		due_ns = admit_read(core, ticket, at_ns);
		break;
	case DEVICE_WRITE:
		due_ns = admit_write(core, ticket, at_ns);
		break;
	case DEVICE_FLUSH:
		due_ns = admit_flush(core, at_ns);
		break;
	case DEVICE_DISCARD:
	case DEVICE_ZERO:
		due_ns = pass_controller(core, at_ns);
		break;
	case DEVICE_OPERATION_COUNT:
		break;
	}
	model_complete_at(core, ticket, due_ns);
}
