/* The SQLite store: studies, states, numbers, and the driver's table. Opening, sealing and scanning
 * have files of their own. */
#include "store/sqlite_internal.h"

#include "store/study_change.h"

#include <errno.h>

static void fill_study(sqlite3_stmt *row, struct store_study *ret_study)
{
	*ret_study = (struct store_study){
		.name = sqlite_text(row, 0),
		.text = sqlite_text(row, 1),
		.small = sqlite3_column_int(row, 2) != 0,
		.seed = (uint64_t)sqlite3_column_int64(row, 3),
		.created_utc_ns = sqlite3_column_int64(row, 4),
		.program_version = sqlite_text(row, 5),
	};
}

#define SELECT_STUDY "SELECT name, text, small, seed, created_utc_ns, program_version FROM study "

static int insert_study(
	struct sqlite_store *store, const struct store_study *study, struct err *err)
{
	return sqlite_run(store, "INSERT INTO study VALUES(?, ?, ?, ?, ?, ?)", err, "ttiiit",
		study->name, study->text, (int64_t)study->small, (int64_t)study->seed,
		study->created_utc_ns,
		study->program_version ? study->program_version : PLUMB_VERSION);
}

static int put_study(struct store *base, const struct store_study *study, struct err *err)
{
	struct sqlite_store *store = CONTAINER_OF(base, struct sqlite_store, base);
	struct store_study kept;
	sqlite3_stmt *statement;
	int r = sqlite_prepare(store, SELECT_STUDY "WHERE name = ?", &statement, err);

	if (r < 0)
		return r;
	sqlite_bind(statement, "t", study->name);
	r = sqlite_step(store, statement, err);
	if (r > 0) {
		fill_study(statement, &kept);
		r = study_change_check(&kept, study, err);
	} else if (r == 0) {
		r = insert_study(store, study, err);
	}
	sqlite3_finalize(statement);
	if (r == 0)
		sqlite_name_lock(store, study->name);
	return r;
}

static int studies(struct store *base, int (*visit)(void *context, const struct store_study *study),
	void *context, struct err *err)
{
	struct sqlite_store *store = CONTAINER_OF(base, struct sqlite_store, base);
	sqlite3_stmt *statement;
	int r = sqlite_prepare(store, SELECT_STUDY "ORDER BY rowid", &statement, err);

	while (r >= 0 && (r = sqlite_step(store, statement, err)) > 0) {
		struct store_study study;

		fill_study(statement, &study);
		r = visit(context, &study);
		if (r != 0)
			break;
	}
	sqlite3_finalize(statement);
	return r;
}

static int insert_absent(struct sqlite_store *store, const char *study,
	const struct absent_cells *absent, struct err *err)
{
	int r = sqlite_run(store, "DELETE FROM absent WHERE study = ?", err, "t", study);

	for (size_t i = 0; r >= 0 && i < absent->count; i++)
		r = sqlite_run(store, "INSERT INTO absent VALUES(?, ?, ?, ?)", err, "titt", study,
			(int64_t)absent->cells[i].cell, absent->cells[i].label,
			absent->cells[i].reason);
	return r;
}

static int put_absent(
	struct store *base, const char *study, const struct absent_cells *absent, struct err *err)
{
	struct sqlite_store *store = CONTAINER_OF(base, struct sqlite_store, base);
	int r = sqlite_run(store, "BEGIN IMMEDIATE", err, "");

	if (r < 0)
		return r;
	r = insert_absent(store, study, absent, err);
	if (r >= 0)
		r = sqlite_run(store, "COMMIT", err, "");
	if (r < 0)
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL); /* the first error counts */
	return r < 0 ? r : 0;
}

static int get_absent(
	struct store *base, const char *study, struct absent_cells *absent, struct err *err)
{
	struct sqlite_store *store = CONTAINER_OF(base, struct sqlite_store, base);
	sqlite3_stmt *statement;
	int r = sqlite_prepare(
		store, "SELECT 1 FROM sqlite_schema WHERE name = 'absent'", &statement, err);

	if (r == 0)
		r = sqlite_step(store, statement, err);
	sqlite3_finalize(statement);
	if (r <= 0)
		return r;
	r = sqlite_prepare(store,
		"SELECT cell, cell_label, reason FROM absent WHERE study = ? ORDER BY cell",
		&statement, err);
	if (r < 0)
		return r;
	sqlite_bind(statement, "t", study);
	while ((r = sqlite_step(store, statement, err)) > 0)
		absent_cells_add(absent, (size_t)sqlite3_column_int64(statement, 0),
			sqlite_text(statement, 1), sqlite_text(statement, 2));
	sqlite3_finalize(statement);
	return r;
}

static int state(
	struct store *base, const char *trial_id, enum trial_state *ret_state, struct err *err)
{
	struct sqlite_store *store = CONTAINER_OF(base, struct sqlite_store, base);
	enum trial_state found = TRIAL_PLANNED;
	sqlite3_stmt *statement;
	/* Only the last attempt can be anything but VOID. */
	int r = sqlite_prepare(store,
		"SELECT state FROM trial WHERE trial_id = ? ORDER BY attempt DESC LIMIT 1",
		&statement, err);

	if (r < 0)
		return r;
	sqlite_bind(statement, "t", trial_id);
	r = sqlite_step(store, statement, err);
	if (r > 0 && trial_state_parse(sqlite_text(statement, 0), &found) < 0)
		r = err_set(err, -EUCLEAN, "trial %s has an unknown state '%s'", trial_id,
			sqlite_text(statement, 0));
	sqlite3_finalize(statement);
	if (r >= 0)
		*ret_state = found;
	return r < 0 ? r : 0;
}

static int put_number(struct store *base, const char *name, double value, struct err *err)
{
	return sqlite_run(CONTAINER_OF(base, struct sqlite_store, base),
		"INSERT INTO number VALUES(?, ?)"
		" ON CONFLICT(name) DO UPDATE SET value = excluded.value",
		err, "tr", name, value);
}

static int get_number(struct store *base, const char *name, double *ret_value, struct err *err)
{
	struct sqlite_store *store = CONTAINER_OF(base, struct sqlite_store, base);
	sqlite3_stmt *statement;
	int r = sqlite_prepare(store, "SELECT value FROM number WHERE name = ?", &statement, err);

	if (r < 0)
		return r;
	sqlite_bind(statement, "t", name);
	r = sqlite_step(store, statement, err);
	if (r > 0)
		*ret_value = sqlite3_column_double(statement, 0);
	else if (r == 0)
		r = err_set(err, -ENOENT, "no number '%s' is kept", name);
	sqlite3_finalize(statement);
	return r < 0 ? r : 0;
}

const struct store_driver sqlite_store = {
	.name = "sqlite",
	.open = sqlite_open,
	.put_study = put_study,
	.studies = studies,
	.put_absent = put_absent,
	.get_absent = get_absent,
	.seal = sqlite_seal,
	.state = state,
	.scan = sqlite_scan,
	.put_number = put_number,
	.get_number = get_number,
	.close = sqlite_close,
};
