/* Reading trials back in plan order. Sets of settings and facts are shared by many trials, so the
 * last ones read are kept; names of samples are read once. */
#include "store/sqlite_internal.h"

#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Sets kept at a time. Beyond, all are dropped and read anew: memory stays small whatever the
 * study. */
#define SETS_MAX 1024

struct kept_set {
	int64_t id;
	struct settings settings;
	struct fact *facts;
	size_t fact_count;
};

struct set_cache {
	struct arena arena;
	struct kept_set *sets;
	size_t count;
};

struct sample_kind {
	int64_t id;
	struct sample sample; /* its names */
};

struct scan {
	struct sqlite_store *store;
	struct err *err;
	bool with_series;
	struct set_cache settings, facts;
	struct arena arena; /* names of samples */
	struct sample_kind *kinds;
	size_t kind_count;
	sqlite3_stmt *read_trial, *read_settings, *read_facts, *read_notes, *read_files;
	sqlite3_stmt *read_samples, *read_series;
	struct store_result result;
	struct trial_record record;
};

static void cache_clear(struct set_cache *cache)
{
	for (size_t i = 0; i < cache->count; i++) {
		settings_release(&cache->sets[i].settings);
		free(cache->sets[i].facts);
	}
	cache->count = 0;
	arena_release(&cache->arena);
}

static void cache_release(struct set_cache *cache)
{
	cache_clear(cache);
	free(cache->sets);
}

/* The kept set of that id, or a new empty one (*ret_new). */
static struct kept_set *cache_get(struct set_cache *cache, int64_t id, bool *ret_new)
{
	for (size_t i = cache->count; i-- > 0;)
		if (cache->sets[i].id == id) {
			*ret_new = false;
			return &cache->sets[i];
		}
	if (!cache->sets)
		cache->sets = memory_new_array(SETS_MAX, sizeof(*cache->sets));
	cache->sets[cache->count] = (struct kept_set){ .id = id };
	*ret_new = true;
	return &cache->sets[cache->count++];
}

/* Room for the sets of one more trial; what earlier trials lent is over by now. */
static void cache_reserve(struct set_cache *cache, size_t sets)
{
	if (cache->count + sets > SETS_MAX)
		cache_clear(cache);
}

static int get_settings(struct scan *scan, int64_t id, const struct settings **ret_settings)
{
	bool is_new;
	struct kept_set *set = cache_get(&scan->settings, id, &is_new);
	struct arena *arena = &scan->settings.arena;
	int r = 0;

	*ret_settings = &set->settings;
	if (!is_new)
		return 0;
	sqlite_bind(scan->read_settings, "i", id);
	while ((r = sqlite_step(scan->store, scan->read_settings, scan->err)) > 0) {
		struct setting_value value = {
			.name = arena_copy_string(arena, sqlite_text(scan->read_settings, 0)),
			.text = arena_copy_string(arena, sqlite_text(scan->read_settings, 1)),
			.reload = sqlite3_column_int(scan->read_settings, 2) != 0,
			.line = sqlite3_column_int(scan->read_settings, 3),
		};

		settings_set(&set->settings, &value);
	}
	return r;
}

static int get_facts(struct scan *scan, int64_t id)
{
	bool is_new;
	struct kept_set *set = cache_get(&scan->facts, id, &is_new);
	struct arena *arena = &scan->facts.arena;
	size_t size = 0;
	int r = 0;

	if (is_new)
		sqlite_bind(scan->read_facts, "i", id);
	while (is_new && (r = sqlite_step(scan->store, scan->read_facts, scan->err)) > 0) {
		const char *asked = (const char *)sqlite3_column_text(scan->read_facts, 1);

		if (set->fact_count == size) {
			size = size ? size * 2 : 64;
			set->facts = memory_resize(set->facts, size, sizeof(*set->facts));
		}
		set->facts[set->fact_count++] = (struct fact){
			.name = arena_copy_string(arena, sqlite_text(scan->read_facts, 0)),
			.asked = arena_copy_string(arena, asked),
			.value = arena_copy_string(arena, sqlite_text(scan->read_facts, 2)),
		};
	}
	scan->record.facts = set->facts;
	scan->record.fact_count = set->fact_count;
	return r;
}

static int read_kinds(struct scan *scan)
{
	sqlite3_stmt *statement;
	size_t size = 0;
	int r = sqlite_prepare(scan->store,
		"SELECT id, phase, metric, source FROM sample_kind ORDER BY id", &statement,
		scan->err);

	while (r >= 0 && (r = sqlite_step(scan->store, statement, scan->err)) > 0) {
		if (scan->kind_count == size) {
			size = size ? size * 2 : 128;
			scan->kinds = memory_resize(scan->kinds, size, sizeof(*scan->kinds));
		}
		scan->kinds[scan->kind_count++] = (struct sample_kind){
			.id = sqlite3_column_int64(statement, 0),
			.sample = {
				.phase = arena_copy_string(&scan->arena, sqlite_text(statement, 1)),
				.metric = arena_copy_string(&scan->arena, sqlite_text(statement, 2)),
				.source = arena_copy_string(&scan->arena, sqlite_text(statement, 3)),
			},
		};
	}
	sqlite3_finalize(statement);
	return r;
}

static const struct sample *find_kind(const struct scan *scan, int64_t id)
{
	size_t low = 0, high = scan->kind_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (scan->kinds[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < scan->kind_count && scan->kinds[low].id == id ? &scan->kinds[low].sample
								   : NULL;
}

static int damaged(struct scan *scan, const char *what)
{
	err_set(scan->err, -EUCLEAN, "'%s/%s' is damaged: %s of trial %s", scan->store->folder,
		STORE_DATABASE, what, scan->result.trial.trial_id);
	return err_hint(scan->err, -EUCLEAN,
		"keep the folder, save what can be read with 'sqlite3 " STORE_DATABASE
		" .recover', and use another --results folder");
}

static struct sample *add_sample(struct trial_record *record, const struct sample *kind)
{
	if (record->sample_count == record->sample_size) {
		record->sample_size = record->sample_size ? record->sample_size * 2 : 128;
		record->samples = memory_resize(
			record->samples, record->sample_size, sizeof(*record->samples));
	}
	record->samples[record->sample_count] = *kind;
	return &record->samples[record->sample_count++];
}

static int get_samples(struct scan *scan, int64_t row)
{
	int r;

	sqlite_bind(scan->read_samples, "i", row);
	while ((r = sqlite_step(scan->store, scan->read_samples, scan->err)) > 0) {
		const struct sample *kind =
			find_kind(scan, sqlite3_column_int64(scan->read_samples, 0));
		struct sample *sample;

		if (!kind)
			return damaged(scan, "a sample without a name");
		sample = add_sample(&scan->record, kind);
		sample->value = sqlite3_column_double(scan->read_samples, 1);
		sample->at_ns = SAMPLE_WHOLE;
	}
	return r;
}

static uint64_t get_bytes(const unsigned char *bytes)
{
	uint64_t bits = 0;

	for (int i = 0; i < 8; i++)
		bits |= (uint64_t)bytes[i] << (8 * i);
	return bits;
}

static int get_series(struct scan *scan, int64_t row)
{
	sqlite3_stmt *statement = scan->read_series;
	int r;

	sqlite_bind(statement, "i", row);
	while ((r = sqlite_step(scan->store, statement, scan->err)) > 0) {
		const struct sample *kind = find_kind(scan, sqlite3_column_int64(statement, 0));
		int64_t count = sqlite3_column_int64(statement, 1);
		const unsigned char *times = sqlite3_column_blob(statement, 2);
		const unsigned char *values = sqlite3_column_blob(statement, 3);

		if (!kind || count < 0 || sqlite3_column_bytes(statement, 2) != count * 8 ||
			sqlite3_column_bytes(statement, 3) != count * 8)
			return damaged(scan, "a series");
		for (int64_t i = 0; i < count; i++) {
			struct sample *sample = add_sample(&scan->record, kind);
			uint64_t bits = get_bytes(values + 8 * i);

			memcpy(&sample->value, &bits, sizeof(bits));
			sample->at_ns = (int64_t)get_bytes(times + 8 * i);
		}
	}
	return r;
}

static int get_notes(struct scan *scan, int64_t row)
{
	sqlite3_stmt *statement = scan->read_notes;
	int r;

	sqlite_bind(statement, "i", row);
	while ((r = sqlite_step(scan->store, statement, scan->err)) > 0) {
		int level = sqlite3_column_int(statement, 0);

		if (level < NOTE_INFO || level > NOTE_SPOILED)
			return damaged(scan, "a note's level");
		trial_record_note(&scan->record, (enum note_level)level, sqlite_text(statement, 1),
			"%s", sqlite_text(statement, 2));
	}
	return r;
}

static int get_files(struct scan *scan, int64_t row)
{
	sqlite3_stmt *statement = scan->read_files;
	int r;

	sqlite_bind(statement, "i", row);
	while ((r = sqlite_step(scan->store, statement, scan->err)) > 0)
		trial_record_file(
			&scan->record, sqlite_text(statement, 0), sqlite_text(statement, 1));
	return r;
}

/* Columns of read_trial, in the order of its SELECT. */
enum {
	ROW,
	TRIAL_ID,
	ATTEMPT,
	CELL,
	CELL_LABEL,
	ROLE,
	RUN,
	POSITION,
	SETTING_SET,
	FACT_SET,
	STATE,
	REASON,
	STARTED,
	FINISHED,
	VERSION,
	SETUP_ID,
	STUDY,
	LABEL,
	BLOCK,
	SETUP_POSITION,
	SETUP_SETTINGS,
};
#define SELECT_TRIAL                                                                       \
	"SELECT trial.id, trial_id, attempt, cell, cell_label, role, run, trial.position," \
	" trial.setting_set, fact_set, state, reason, started_utc_ns, finished_utc_ns,"    \
	" trial.program_version, setup_id, study, label, block, setup.position,"           \
	" setup.setting_set FROM trial JOIN setup ON setup = setup.id"                     \
	" JOIN study ON study = study.name"                                                \
	" WHERE (?1 IS NULL OR study = ?1)"                                                \
	" AND (?2 IS NULL OR substr(trial_id, 1, length(?2)) = ?2)"                        \
	" ORDER BY study.rowid, trial.position, attempt"

static int fill_head(struct scan *scan)
{
	sqlite3_stmt *row = scan->read_trial;
	struct trial_record *record = &scan->record;
	const char *reason = (const char *)sqlite3_column_text(row, REASON);

	scan->result.trial = (struct store_trial){
		.trial_id = sqlite_text(row, TRIAL_ID),
		.setup_id = sqlite_text(row, SETUP_ID),
		.cell = (size_t)sqlite3_column_int64(row, CELL),
		.cell_label = sqlite_text(row, CELL_LABEL),
		.role = sqlite3_column_int(row, ROLE),
		.run = (size_t)sqlite3_column_int64(row, RUN),
		.order = (size_t)sqlite3_column_int64(row, POSITION),
		.attempt = (size_t)sqlite3_column_int64(row, ATTEMPT),
		.program_version = sqlite_text(row, VERSION),
	};
	scan->result.setup = (struct store_setup){
		.setup_id = scan->result.trial.setup_id,
		.study = sqlite_text(row, STUDY),
		.label = sqlite_text(row, LABEL),
		.block = (size_t)sqlite3_column_int64(row, BLOCK),
		.order = (size_t)sqlite3_column_int64(row, SETUP_POSITION),
	};
	record->reason = arena_copy_string(&record->arena, reason);
	record->started_utc_ns = sqlite3_column_int64(row, STARTED);
	record->finished_utc_ns = sqlite3_column_int64(row, FINISHED);
	if (trial_state_parse(sqlite_text(row, STATE), &record->state) < 0)
		return damaged(scan, "the state");
	return 0;
}

/* Empty again, but the lists keep their memory: thousands of trials follow. The facts are lent by
 * the cache. */
static void record_reuse(struct trial_record *record)
{
	arena_release(&record->arena);
	record->sample_count = record->note_count = record->file_count = record->fact_count = 0;
	record->facts = NULL;
	record->reason = NULL;
}

static int fill_result(struct scan *scan)
{
	sqlite3_stmt *row = scan->read_trial;
	int64_t id = sqlite3_column_int64(row, ROW);
	int r;

	record_reuse(&scan->record);
	cache_reserve(&scan->settings, 2);
	cache_reserve(&scan->facts, 1);
	r = fill_head(scan);
	if (r == 0)
		r = get_settings(
			scan, sqlite3_column_int64(row, SETTING_SET), &scan->result.trial.settings);
	if (r == 0)
		r = get_settings(scan, sqlite3_column_int64(row, SETUP_SETTINGS),
			&scan->result.setup.settings);
	if (r == 0)
		r = get_facts(scan, sqlite3_column_int64(row, FACT_SET));
	if (r == 0)
		r = get_notes(scan, id);
	if (r == 0)
		r = get_files(scan, id);
	if (r == 0)
		r = get_samples(scan, id);
	if (r == 0 && scan->with_series)
		r = get_series(scan, id);
	return r;
}

static int prepare_all(struct scan *scan)
{
	const struct {
		const char *sql;
		sqlite3_stmt **statement;
	} list[] = {
		{ SELECT_TRIAL, &scan->read_trial },
		{ "SELECT name, value, reload, line FROM setting WHERE setting_set = ?",
			&scan->read_settings },
		{ "SELECT name, asked, value FROM fact WHERE fact_set = ? ORDER BY position",
			&scan->read_facts },
		{ "SELECT level, code, text FROM note WHERE trial = ? ORDER BY position",
			&scan->read_notes },
		{ "SELECT kind, path FROM file WHERE trial = ? ORDER BY position",
			&scan->read_files },
		{ "SELECT kind, value FROM sample WHERE trial = ? ORDER BY position",
			&scan->read_samples },
		{ "SELECT kind, count, times_ns, samples FROM series WHERE trial = ? ORDER BY kind",
			&scan->read_series },
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(list); i++)
		r = sqlite_prepare(scan->store, list[i].sql, list[i].statement, scan->err);
	return r;
}

static int visit_all(
	struct scan *scan, const struct store_query *query, store_visit *visit, void *context)
{
	int r;

	sqlite_bind(scan->read_trial, "tt", query->study, query->trial_id);
	while ((r = sqlite_step(scan->store, scan->read_trial, scan->err)) > 0) {
		r = fill_result(scan);
		if (r == 0)
			r = visit(context, &scan->result);
		if (r != 0)
			break;
	}
	return r;
}

static void scan_release(struct scan *scan)
{
	sqlite3_stmt *const statements[] = { scan->read_trial, scan->read_settings,
		scan->read_facts, scan->read_notes, scan->read_files, scan->read_samples,
		scan->read_series };

	for (size_t i = 0; i < ARRAY_SIZE(statements); i++)
		sqlite3_finalize(statements[i]);
	scan->record.facts = NULL; /* the cache's */
	trial_record_release(&scan->record);
	cache_release(&scan->settings);
	cache_release(&scan->facts);
	free(scan->kinds);
	arena_release(&scan->arena);
}

int sqlite_scan(struct store *base, const struct store_query *query, store_visit *visit,
	void *context, struct err *err)
{
	struct scan scan = {
		.store = CONTAINER_OF(base, struct sqlite_store, base),
		.err = err,
		.with_series = query->with_series,
	};
	int r;

	trial_record_init(&scan.record);
	scan.result.record = &scan.record;
	/* One moment of the database, whatever a running study seals meanwhile. */
	r = sqlite_run(scan.store, "BEGIN", err, "");
	if (r < 0)
		return r;
	r = prepare_all(&scan);
	if (r == 0)
		r = read_kinds(&scan);
	if (r == 0)
		r = visit_all(&scan, query, visit, context);
	scan_release(&scan);
	sqlite3_exec(scan.store->db, "COMMIT", NULL, NULL, NULL); /* nothing was written */
	return r;
}
