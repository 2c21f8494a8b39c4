/* Writing one trial whole: set-up, trial, notes, files, facts and samples in one transaction. */
#include "store/sqlite_internal.h"

#include "base/hash.h"
#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The id of a row that is found by its unique text; made when it is not there. */
static int find_id(struct sqlite_store *store, const char *sql, const char *key, int64_t *ret_id,
	struct err *err)
{
	sqlite3_stmt *statement;
	int r = sqlite_prepare(store, sql, &statement, err);

	if (r < 0)
		return r;
	sqlite_bind(statement, "t", key);
	r = sqlite_step(store, statement, err);
	if (r > 0)
		*ret_id = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return r;
}

static void hash_settings(const struct settings *settings, char ret_text[HASH_TEXT_SIZE])
{
	struct hash_state *state = hash_new();

	for (size_t i = 0; i < settings->count; i++) {
		hash_add_text(state, settings->values[i].name);
		hash_add_text(state, settings->values[i].text);
		hash_add_text(state, settings->values[i].reload ? "reload" : "");
		hash_add(state, &settings->values[i].line, sizeof(settings->values[i].line));
	}
	hash_format(hash_finish(state), ret_text);
	hash_free(state);
}

static int put_settings(struct sqlite_store *store, const struct settings *settings,
	int64_t *ret_set, struct err *err)
{
	char hash[HASH_TEXT_SIZE];
	sqlite3_stmt *statement;
	int r;

	hash_settings(settings, hash);
	r = find_id(store, "SELECT id FROM setting_set WHERE hash = ?", hash, ret_set, err);
	if (r != 0)
		return r < 0 ? r : 0;
	r = sqlite_run(store, "INSERT INTO setting_set(hash) VALUES(?)", err, "t", hash);
	if (r < 0)
		return r;
	*ret_set = sqlite3_last_insert_rowid(store->db);
	r = sqlite_prepare(store, "INSERT INTO setting VALUES(?, ?, ?, ?, ?)", &statement, err);
	for (size_t i = 0; r == 0 && i < settings->count; i++) {
		const struct setting_value *value = &settings->values[i];

		sqlite_bind(statement, "ittii", *ret_set, value->name, value->text,
			(int64_t)value->reload, (int64_t)value->line);
		r = sqlite_step(store, statement, err);
	}
	sqlite3_finalize(statement);
	return r;
}

static void hash_facts(const struct trial_record *record, char ret_text[HASH_TEXT_SIZE])
{
	struct hash_state *state = hash_new();

	for (size_t i = 0; i < record->fact_count; i++) {
		const struct fact *fact = &record->facts[i];

		hash_add_text(state, fact->name);
		hash_add_text(state, fact->value);
		hash_add_text(state, fact->asked ? "asked" : "");
		hash_add_text(state, fact->asked ? fact->asked : "");
	}
	hash_format(hash_finish(state), ret_text);
	hash_free(state);
}

static int put_facts(struct sqlite_store *store, const struct trial_record *record,
	int64_t *ret_set, struct err *err)
{
	char hash[HASH_TEXT_SIZE];
	sqlite3_stmt *statement;
	int r;

	hash_facts(record, hash);
	r = find_id(store, "SELECT id FROM fact_set WHERE hash = ?", hash, ret_set, err);
	if (r != 0)
		return r < 0 ? r : 0;
	r = sqlite_run(store, "INSERT INTO fact_set(hash) VALUES(?)", err, "t", hash);
	if (r < 0)
		return r;
	*ret_set = sqlite3_last_insert_rowid(store->db);
	r = sqlite_prepare(store, "INSERT INTO fact VALUES(?, ?, ?, ?, ?)", &statement, err);
	for (size_t i = 0; r == 0 && i < record->fact_count; i++) {
		const struct fact *fact = &record->facts[i];

		sqlite_bind(statement, "iittt", *ret_set, (int64_t)i, fact->name, fact->asked,
			fact->value);
		r = sqlite_step(store, statement, err);
	}
	sqlite3_finalize(statement);
	return r;
}

static int put_setup(struct sqlite_store *store, const struct store_setup *setup,
	int64_t *ret_setup, struct err *err)
{
	int64_t set = 0;
	int r = find_id(
		store, "SELECT id FROM setup WHERE setup_id = ?", setup->setup_id, ret_setup, err);

	if (r != 0)
		return r < 0 ? r : 0;
	r = put_settings(store, setup->settings, &set, err);
	if (r == 0)
		r = sqlite_run(store,
			"INSERT INTO setup(setup_id, study, label, block, position, setting_set)"
			" VALUES(?, ?, ?, ?, ?, ?)",
			err, "tttiii", setup->setup_id, setup->study, setup->label,
			(int64_t)setup->block, (int64_t)setup->order, set);
	*ret_setup = sqlite3_last_insert_rowid(store->db);
	return r;
}

/* The number of this attempt; -EEXIST when the trial needs none. */
static int next_attempt(
	struct sqlite_store *store, const char *trial_id, int64_t *ret_attempt, struct err *err)
{
	enum trial_state state = TRIAL_PLANNED;
	int r = store_state(&store->base, trial_id, &state, err);

	if (r < 0)
		return r;
	if (state == TRIAL_DONE || state == TRIAL_FAILED)
		return err_set(err, -EEXIST, "trial %s is sealed already", trial_id);
	*ret_attempt = 1;
	r = find_id(store,
		"SELECT attempt + 1 FROM trial WHERE trial_id = ? ORDER BY attempt DESC LIMIT 1",
		trial_id, ret_attempt, err);
	return r < 0 ? r : 0;
}

static int put_trial(struct sqlite_store *store, const struct store_setup *setup,
	const struct store_trial *trial, const struct trial_record *record, struct err *err)
{
	int64_t attempt = 0, setup_row = 0, settings = 0, facts = 0;
	int r = next_attempt(store, trial->trial_id, &attempt, err);

	if (r == 0)
		r = put_setup(store, setup, &setup_row, err);
	if (r == 0)
		r = put_settings(store, trial->settings, &settings, err);
	if (r == 0)
		r = put_facts(store, record, &facts, err);
	if (r < 0)
		return r;
	return sqlite_run(store,
		"INSERT INTO trial(trial_id, attempt, setup, cell, cell_label, role, run, position,"
		" setting_set, fact_set, state, reason, started_utc_ns, finished_utc_ns,"
		" program_version) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		err, "tiiitiiiiittiit", trial->trial_id, attempt, setup_row, (int64_t)trial->cell,
		trial->cell_label, (int64_t)trial->role, (int64_t)trial->run, (int64_t)trial->order,
		settings, facts, trial_state_word(record->state), record->reason,
		record->started_utc_ns, record->finished_utc_ns, PLUMB_VERSION);
}

static int put_notes_and_files(
	struct sqlite_store *store, int64_t row, const struct trial_record *record, struct err *err)
{
	sqlite3_stmt *statement;
	int r = sqlite_prepare(store, "INSERT INTO note VALUES(?, ?, ?, ?, ?)", &statement, err);

	for (size_t i = 0; r == 0 && i < record->note_count; i++) {
		const struct note *note = &record->notes[i];

		sqlite_bind(statement, "iiitt", row, (int64_t)i, (int64_t)note->level, note->code,
			note->text);
		r = sqlite_step(store, statement, err);
	}
	sqlite3_finalize(statement);
	if (r < 0)
		return r;
	r = sqlite_prepare(store, "INSERT INTO file VALUES(?, ?, ?, ?)", &statement, err);
	for (size_t i = 0; r == 0 && i < record->file_count; i++) {
		const struct raw_file *file = &record->files[i];

		sqlite_bind(statement, "iitt", row, (int64_t)i, file->kind, file->path);
		r = sqlite_step(store, statement, err);
	}
	sqlite3_finalize(statement);
	return r;
}

static int kind_id(
	struct sqlite_store *store, const struct sample *sample, int64_t *ret_id, struct err *err)
{
	sqlite3_stmt *statement;
	int r = sqlite_prepare(store,
		"SELECT id FROM sample_kind WHERE phase = ? AND metric = ? AND source = ?",
		&statement, err);

	if (r < 0)
		return r;
	sqlite_bind(statement, "ttt", sample->phase, sample->metric, sample->source);
	r = sqlite_step(store, statement, err);
	if (r > 0)
		*ret_id = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	if (r != 0)
		return r < 0 ? r : 0;
	r = sqlite_run(store, "INSERT INTO sample_kind(phase, metric, source) VALUES(?, ?, ?)", err,
		"ttt", sample->phase, sample->metric, sample->source);
	*ret_id = sqlite3_last_insert_rowid(store->db);
	return r;
}

static int put_whole_samples(
	struct sqlite_store *store, int64_t row, const struct trial_record *record, struct err *err)
{
	sqlite3_stmt *statement;
	int64_t kind = 0;
	int r = sqlite_prepare(store, "INSERT INTO sample VALUES(?, ?, ?, ?)", &statement, err);

	for (size_t i = 0; r == 0 && i < record->sample_count; i++) {
		const struct sample *sample = &record->samples[i];

		if (sample->at_ns != SAMPLE_WHOLE)
			continue;
		r = kind_id(store, sample, &kind, err);
		if (r < 0)
			break;
		sqlite_bind(statement, "iiir", row, (int64_t)i, kind, sample->value);
		r = sqlite_step(store, statement, err);
	}
	sqlite3_finalize(statement);
	return r;
}

static bool same_kind(const struct sample *a, const struct sample *b)
{
	return strcmp(a->metric, b->metric) == 0 && strcmp(a->phase, b->phase) == 0 &&
	       strcmp(a->source, b->source) == 0;
}

/* A number's bytes, lowest first, whatever the machine. */
static void put_bytes(struct strbuf *out, uint64_t bits)
{
	char bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (char)(bits >> (8 * i));
	strbuf_add(out, bytes, sizeof(bytes));
}

struct series {
	const struct sample *kind; /* one of its samples */
	struct strbuf times, values;
};

static int put_series(
	struct sqlite_store *store, int64_t row, struct series *series, struct err *err)
{
	int64_t kind = 0;
	int r = kind_id(store, series->kind, &kind, err);

	if (r < 0)
		return r;
	return sqlite_run(store, "INSERT INTO series VALUES(?, ?, ?, ?, ?)", err, "iiibb", row,
		kind, (int64_t)(series->times.length / 8), series->times.data,
		(int)series->times.length, series->values.data, (int)series->values.length);
}

/* Series samples, sorted into one list a kind. There are few kinds (tens), and probes give them in
 * the same order every second, so that the one after the last found is nearly always right. */
static size_t group_series(const struct trial_record *record, struct series **ret_series)
{
	struct series *list = NULL;
	size_t count = 0, at = 0;

	for (size_t i = 0; i < record->sample_count; i++) {
		const struct sample *sample = &record->samples[i];
		size_t tried = 0;
		uint64_t bits;

		if (sample->at_ns == SAMPLE_WHOLE)
			continue;
		for (; tried < count && !same_kind(list[at % count].kind, sample); tried++)
			at++;
		if (tried == count) {
			list = memory_resize(list, count + 1, sizeof(*list));
			at = count;
			list[count++] = (struct series){ sample, STRBUF_INIT, STRBUF_INIT };
		}
		at %= count;
		memcpy(&bits, &sample->value, sizeof(bits));
		put_bytes(&list[at].times, (uint64_t)sample->at_ns);
		put_bytes(&list[at].values, bits);
		at++;
	}
	*ret_series = list;
	return count;
}

static int put_all_series(
	struct sqlite_store *store, int64_t row, const struct trial_record *record, struct err *err)
{
	struct series *list;
	size_t count = group_series(record, &list);
	int r = 0;

	for (size_t i = 0; i < count; i++) {
		if (r == 0)
			r = put_series(store, row, &list[i], err);
		strbuf_release(&list[i].times);
		strbuf_release(&list[i].values);
	}
	free(list);
	return r;
}

static int put_all(struct sqlite_store *store, const struct store_setup *setup,
	const struct store_trial *trial, const struct trial_record *record, struct err *err)
{
	int r = put_trial(store, setup, trial, record, err);
	int64_t row = sqlite3_last_insert_rowid(store->db);

	if (r == 0)
		r = put_notes_and_files(store, row, record, err);
	if (r == 0)
		r = put_whole_samples(store, row, record, err);
	if (r == 0)
		r = put_all_series(store, row, record, err);
	return r;
}

int sqlite_seal(struct store *base, const struct store_setup *setup,
	const struct store_trial *trial, const struct trial_record *record, struct err *err)
{
	struct sqlite_store *store = CONTAINER_OF(base, struct sqlite_store, base);
	int r = sqlite_run(store, "BEGIN IMMEDIATE", err, "");

	if (r < 0)
		return r;
	r = put_all(store, setup, trial, record, err);
	if (r == 0)
		r = sqlite_run(store, "COMMIT", err, "");
	if (r < 0)
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL); /* the first error counts */
	return r < 0 ? err_prefix(err, r, "keep trial %s", trial->trial_id) : 0;
}
