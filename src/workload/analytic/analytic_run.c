/* Running the queries of the analytic workload (see analytic_run.h). */
#include "workload/analytic/analytic_run.h"

#include "base/macros.h"
#include "base/memory.h"
#include "workload/analytic/plan_hash.h"
#include "workload/analytic/session.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct analytic_run {
	struct analytic_run_options options;
	struct analytic_query_result results[ANALYTIC_QUERIES];
	pthread_t thread;
	bool joined;
	atomic_bool ended, stop;
	atomic_int current; /* index of the query that runs, -1: none */
	atomic_int done;    /* executions, of all passes */
	int total;
	int code; /* valid once ended */
	struct err err;
	pthread_mutex_t cancel_lock;
	PGcancel *cancel; /* while connected; under cancel_lock */
};

static int64_t now_ns(const struct analytic_run *run)
{
	return run->options.clock->now_ns(run->options.clock);
}

/* Everything that would make plans differ for reasons that are not the storage's. */
static int prepare_session(const struct analytic_run *run, PGconn *session, struct err *err)
{
	const struct analytic_run_options *options = &run->options;
	char *settings = memory_format("SET jit = %s; SET max_parallel_workers_per_gather = %d; "
				       "SET statement_timeout = %lld; SET DateStyle = ISO",
		options->jit ? "on" : "off", options->workers,
		(long long)(options->timeout_ns / NS_PER_MS));
	int r = session_run(session, settings, err);

	free(settings);
	return r;
}

static void keep_hash(char kept[HASH_TEXT_SIZE], const char *hash, bool *changed)
{
	if (kept[0] && strcmp(kept, hash) != 0)
		*changed = true;
	else
		memcpy(kept, hash, HASH_TEXT_SIZE);
}

static int note_plan(struct analytic_run *run, PGconn *session, size_t index)
{
	struct analytic_query_result *result = &run->results[index];
	struct strbuf json = STRBUF_INIT, structure = STRBUF_INIT;
	char hash[HASH_TEXT_SIZE];
	char *explain =
		memory_format("EXPLAIN (FORMAT JSON, COSTS OFF) %s", analytic_queries[index].sql);
	int r = session_query(session, explain, &json, NULL, &run->err);

	if (r == 0)
		r = plan_hash(json.data, &structure, hash, &run->err);
	if (r == 0) {
		keep_hash(result->plan, hash, &result->plan_changed);
		if (!result->structure)
			result->structure = strbuf_detach(&structure);
	}
	free(explain);
	strbuf_release(&json);
	strbuf_release(&structure);
	return r;
}

/* One timed execution. A time limit that strikes is the query's result, not a failure. */
static int run_query(struct analytic_run *run, PGconn *session, size_t index, int pass)
{
	struct analytic_query_result *result = &run->results[index];
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	char hash[HASH_TEXT_SIZE];
	int64_t start_ns = now_ns(run);
	int r = session_query(session, analytic_queries[index].sql, &text, &result->rows, &err);

	if (r == 0) {
		result->time_ns[pass] = MAX(now_ns(run) - start_ns, 1);
		result->passes++;
		hash_format(hash_bytes(text.data, text.length), hash);
		keep_hash(result->result, hash, &result->result_changed);
	} else if (r == -ETIMEDOUT && !atomic_load(&run->stop)) {
		result->timed_out = true;
		r = 0;
	} else {
		err_set(&run->err, r, "query %s: %s", analytic_queries[index].name, err.message);
	}
	strbuf_release(&text);
	return r;
}

/* Plans are looked at outside the timed executions, once before each. */
static int run_pass(struct analytic_run *run, PGconn *session, int pass)
{
	int r = 0;

	for (size_t i = 0; i < ANALYTIC_QUERIES && r == 0; i++) {
		if (!run->options.chosen[i])
			continue;
		if (atomic_load(&run->stop))
			return err_set(&run->err, -EINTR, "stopped");
		atomic_store(&run->current, (int)i);
		if (!run->results[i].timed_out) {
			r = note_plan(run, session, i);
			if (r == 0)
				r = run_query(run, session, i, pass);
		}
		atomic_fetch_add(&run->done, 1);
	}
	return r;
}

static void set_cancel(struct analytic_run *run, PGcancel *cancel)
{
	pthread_mutex_lock(&run->cancel_lock);
	if (run->cancel)
		PQfreeCancel(run->cancel);
	run->cancel = cancel;
	pthread_mutex_unlock(&run->cancel_lock);
}

static void *run_main(void *argument)
{
	struct analytic_run *run = argument;
	PGconn *session = NULL;
	int r = session_open(run->options.connection, &session, &run->err);

	if (r == 0) {
		set_cancel(run, PQgetCancel(session));
		r = prepare_session(run, session, &run->err);
	}
	for (int pass = 0; pass < run->options.passes && r == 0; pass++)
		r = run_pass(run, session, pass);
	set_cancel(run, NULL);
	session_close(session);
	run->code = r;
	atomic_store(&run->current, -1);
	atomic_store(&run->ended, true);
	return NULL;
}

int analytic_run_start(
	const struct analytic_run_options *options, struct analytic_run **ret_run, struct err *err)
{
	struct analytic_run *run = memory_new(sizeof(*run));
	int r;

	run->options = *options;
	run->options.passes = MIN(options->passes, ANALYTIC_PASSES_MAX);
	atomic_store(&run->current, -1);
	for (size_t i = 0; i < ANALYTIC_QUERIES; i++)
		run->total += options->chosen[i] ? run->options.passes : 0;
	pthread_mutex_init(&run->cancel_lock, NULL);
	r = -pthread_create(&run->thread, NULL, run_main, run);
	if (r < 0) {
		pthread_mutex_destroy(&run->cancel_lock);
		free(run);
		return err_set_errno(err, r, "cannot start a thread");
	}
	*ret_run = run;
	return 0;
}

static void join(struct analytic_run *run)
{
	if (!run->joined)
		pthread_join(run->thread, NULL);
	run->joined = true;
}

int analytic_run_poll(struct analytic_run *run, double *ret_fraction,
	const struct analytic_query **ret_query, struct err *err)
{
	int current = atomic_load(&run->current);

	*ret_fraction = run->total ? (double)atomic_load(&run->done) / run->total : 1;
	*ret_query = current >= 0 ? &analytic_queries[current] : NULL;
	if (!atomic_load(&run->ended))
		return 0;
	join(run);
	return run->code < 0 ? err_set(err, run->code, "%s", run->err.message) : 1;
}

void analytic_run_stop(struct analytic_run *run)
{
	char words[256];

	atomic_store(&run->stop, true);
	pthread_mutex_lock(&run->cancel_lock);
	if (run->cancel)
		(void)PQcancel(run->cancel, words, sizeof(words)); /* a dead server needs none */
	pthread_mutex_unlock(&run->cancel_lock);
	join(run);
}

const struct analytic_query_result *analytic_run_result(const struct analytic_run *run, size_t i)
{
	return &run->results[i];
}

void analytic_run_close(struct analytic_run *run)
{
	if (!run)
		return;
	analytic_run_stop(run);
	for (size_t i = 0; i < ANALYTIC_QUERIES; i++)
		free(run->results[i].structure);
	pthread_mutex_destroy(&run->cancel_lock);
	free(run);
}
