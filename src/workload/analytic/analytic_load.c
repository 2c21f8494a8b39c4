/* Loading the analytic data set (see analytic_load.h). */
#include "workload/analytic/analytic_load.h"

#include "base/macros.h"
#include "base/memory.h"
#include "workload/analytic/session.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOBS_MAX       64
#define CHUNK_UNITS    100000 /* rows (shipments) that one COPY brings */
#define LOOK_AROUND_NS (100 * NS_PER_MS)

const char *const analytic_part_names[ANALYTIC_PARTS] = {
	[ANALYTIC_PART_TABLES] = "tables",
	[ANALYTIC_PART_COPY] = "copy",
	[ANALYTIC_PART_KEYS] = "keys",
	[ANALYTIC_PART_FOREIGN_KEYS] = "foreign_keys",
	[ANALYTIC_PART_INDEXES] = "indexes",
	[ANALYTIC_PART_STATISTICS] = "statistics",
};

/* What the copying threads share. */
struct copy_state {
	const struct analytic_load *load;
	struct analytic_generator generator;
	struct analytic_chunk *chunks;
	size_t chunk_count;
	atomic_size_t next; /* chunk to take */
	atomic_size_t done;
	atomic_int running;
	atomic_bool stop;
};
struct copy_job {
	struct copy_state *state;
	pthread_t thread;
	struct analytic_checksum sums[ANALYTIC_TABLES];
	int64_t generate_ns, send_ns;
	int result;
	struct err err;
};
/* One COPY: what the sink needs. */
struct copy_stream {
	struct copy_job *job;
	PGconn *session;
	int64_t resumed_ns; /* when the generator last got control */
};

static int64_t now_ns(const struct analytic_load *load)
{
	return load->clock->now_ns(load->clock);
}

static int send_block(void *context, const char *bytes, size_t length)
{
	struct copy_stream *stream = context;
	struct copy_job *job = stream->job;
	int64_t start_ns = now_ns(job->state->load);
	int sent;

	job->generate_ns += start_ns - stream->resumed_ns;
	if (atomic_load(&job->state->stop))
		return -EINTR;
	sent = PQputCopyData(stream->session, bytes, (int)length);
	stream->resumed_ns = now_ns(job->state->load);
	job->send_ns += stream->resumed_ns - start_ns;
	if (sent != 1)
		return session_error(stream->session, "COPY", &job->err);
	return 0;
}

/* PostgreSQL documentation, "COPY", "Binary Format": signature, flags, header extension length;
 * a row of -1 fields ends the data. */
static const char binary_header[] = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0";
static const char binary_trailer[] = "\377\377";

static int copy_chunk(struct copy_job *job, PGconn *session, const struct analytic_chunk *chunk)
{
	struct copy_stream stream = { .job = job, .session = session };
	const char *table = analytic_tables[chunk->table].name;
	bool text = job->state->generator.text;
	char *command =
		memory_format("COPY %s FROM STDIN%s", table, text ? "" : " (FORMAT binary)");
	int r = session_copy_begin(session, command, &job->err);

	free(command);
	if (r == 0 && !text)
		r = PQputCopyData(session, binary_header, 19) == 1
			    ? 0
			    : session_error(session, "COPY", &job->err);
	if (r < 0)
		return r;
	stream.resumed_ns = now_ns(job->state->load);
	r = analytic_generate(
		&job->state->generator, chunk, send_block, &stream, &job->sums[chunk->table]);
	if (r == 0 && !text && PQputCopyData(session, binary_trailer, 2) != 1)
		r = session_error(session, "COPY", &job->err);
	return session_copy_end(session, r < 0 ? "stopped" : NULL, r, &job->err);
}

static void *copy_main(void *argument)
{
	struct copy_job *job = argument;
	struct copy_state *state = job->state;
	PGconn *session = NULL;
	int r = session_open(state->load->connection, &session, &job->err);

	while (r == 0) {
		size_t mine = atomic_fetch_add(&state->next, 1);

		if (mine >= state->chunk_count || atomic_load(&state->stop))
			break;
		r = copy_chunk(job, session, &state->chunks[mine]);
		atomic_fetch_add(&state->done, 1);
	}
	session_close(session);
	job->result = r;
	if (r < 0)
		atomic_store(&state->stop, true); /* the others have nothing left to win */
	atomic_fetch_sub(&state->running, 1);
	return NULL;
}

static void cut_chunks(struct copy_state *state)
{
	size_t count = 0;

	for (int table = 0; table < ANALYTIC_TABLES; table++)
		count += (state->generator.units[table] + CHUNK_UNITS - 1) / CHUNK_UNITS;
	state->chunks = memory_new_array(count, sizeof(*state->chunks));
	for (int table = ANALYTIC_TABLES - 1; table >= 0; table--) /* the largest first */
		for (uint64_t first = 0; first < state->generator.units[table];
			first += CHUNK_UNITS)
			state->chunks[state->chunk_count++] = (struct analytic_chunk){ table, first,
				MIN(CHUNK_UNITS, state->generator.units[table] - first) };
}

/* Wait for the threads, telling the listener; it may ask to stop. */
static int watch(struct copy_state *state)
{
	const struct analytic_load *load = state->load;
	int r = 0;

	while (atomic_load(&state->running) > 0) {
		double fraction = (double)atomic_load(&state->done) / (double)state->chunk_count;

		if (load->progress &&
			load->progress(load->listener, ANALYTIC_PART_COPY, fraction)) {
			atomic_store(&state->stop, true);
			r = -EINTR;
		}
		load->clock->sleep_until(load->clock, now_ns(load) + LOOK_AROUND_NS);
	}
	return r;
}

/* Add up what the jobs did; the first failure that is not merely a stop counts. */
static int collect(
	struct copy_job *jobs, int count, struct analytic_load_result *result, struct err *err)
{
	struct copy_job *failed = NULL;

	for (int i = 0; i < count; i++) {
		pthread_join(jobs[i].thread, NULL);
		for (int table = 0; table < ANALYTIC_TABLES; table++) {
			result->tables[table].rows += jobs[i].sums[table].rows;
			result->tables[table].bytes += jobs[i].sums[table].bytes;
			result->tables[table].sum += jobs[i].sums[table].sum;
		}
		result->generate_ns += jobs[i].generate_ns;
		result->send_ns += jobs[i].send_ns;
		if (jobs[i].result < 0 && (!failed || failed->result == -EINTR))
			failed = &jobs[i];
	}
	if (!failed)
		return 0;
	return err_set(err, failed->result, "%s",
		failed->err.message[0] ? failed->err.message : "stopped");
}

static int copy_all(
	const struct analytic_load *load, struct analytic_load_result *result, struct err *err)
{
	struct copy_state state = { .load = load };
	struct copy_job *jobs;
	int started = 0, count = MAX(1, MIN(load->jobs, JOBS_MAX)), r = 0, stopped;

	analytic_generator_init(&state.generator, load->scale, load->text);
	cut_chunks(&state);
	jobs = memory_new_array((size_t)count, sizeof(*jobs));
	for (; started < count && r == 0; started++) {
		jobs[started].state = &state;
		atomic_fetch_add(&state.running, 1);
		r = -pthread_create(&jobs[started].thread, NULL, copy_main, &jobs[started]);
	}
	if (r < 0) {
		started--;
		atomic_fetch_sub(&state.running, 1);
		atomic_store(&state.stop, true);
		err_set_errno(err, r, "cannot start a thread");
	}
	stopped = watch(&state);
	if (r == 0)
		r = collect(jobs, started, result, err);
	else
		collect(jobs, started, result, NULL);
	free(jobs);
	free(state.chunks);
	return r == 0 && stopped < 0 ? err_set(err, stopped, "stopped while loading") : r;
}

static int create_tables(PGconn *session, struct err *err)
{
	int r = 0;

	for (int table = 0; table < ANALYTIC_TABLES && r == 0; table++) {
		char *command = memory_format("CREATE TABLE %s (%s)", analytic_tables[table].name,
			analytic_tables[table].columns);

		r = session_run(session, command, err);
		free(command);
	}
	return r;
}

/* Run statements one after the other, telling the listener between them. */
static int run_all(const struct analytic_load *load, PGconn *session, enum analytic_part part,
	const char *const *statements, struct err *err)
{
	size_t count = 0;
	int r = 0;

	while (statements[count])
		count++;
	for (size_t i = 0; i < count && r == 0; i++) {
		if (load->progress &&
			load->progress(load->listener, part, (double)i / (double)count))
			return err_set(err, -EINTR, "stopped while loading");
		r = session_run(session, statements[i], err);
	}
	return r;
}

static int add_keys(const struct analytic_load *load, PGconn *session, struct err *err)
{
	const char *statements[ANALYTIC_TABLES + 1] = { NULL };

	for (int table = 0; table < ANALYTIC_TABLES; table++)
		statements[table] = analytic_tables[table].primary_key;
	return run_all(load, session, ANALYTIC_PART_KEYS, statements, err);
}

static int gather_statistics(const struct analytic_load *load, PGconn *session, struct err *err)
{
	static const char *const statements[] = { "VACUUM (FREEZE, ANALYZE)", NULL };
	char *target = memory_format("SET default_statistics_target = %d", load->statistics_target);
	int r = session_run(session, target, err);

	free(target);
	return r == 0 ? run_all(load, session, ANALYTIC_PART_STATISTICS, statements, err) : r;
}

static int run_part(const struct analytic_load *load, PGconn *session, enum analytic_part part,
	struct analytic_load_result *result, struct err *err)
{
	switch (part) {
	case ANALYTIC_PART_TABLES:
		return create_tables(session, err);
	case ANALYTIC_PART_COPY:
		return copy_all(load, result, err);
	case ANALYTIC_PART_KEYS:
		return add_keys(load, session, err);
	case ANALYTIC_PART_FOREIGN_KEYS:
		return load->foreign_keys ? run_all(load, session, part, analytic_foreign_keys, err)
					  : 0;
	case ANALYTIC_PART_INDEXES:
		return run_all(load, session, part, analytic_indexes, err);
	default:
		return gather_statistics(load, session, err);
	}
}

int analytic_load_run(
	const struct analytic_load *load, struct analytic_load_result *ret_result, struct err *err)
{
	struct analytic_load_result result = { 0 };
	PGconn *session = NULL;
	int r = session_open(load->connection, &session, err);

	for (int part = 0; part < ANALYTIC_PARTS && r == 0; part++) {
		int64_t start_ns = now_ns(load);

		r = run_part(load, session, part, &result, err);
		result.part_ns[part] = now_ns(load) - start_ns;
		if (r < 0)
			err_prefix(err, r, "load, part '%s'", analytic_part_names[part]);
	}
	session_close(session);
	if (r == 0)
		*ret_result = result;
	return r;
}
