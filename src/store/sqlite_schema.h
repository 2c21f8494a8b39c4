/*
 * Tables of the results database. RECORD_SCHEMA_VERSION is its user_version; whoever changes a
 * table raises it and adds the step from the old one.
 *
 * Sets of settings and facts are shared: thousands of trials have the same few, found by a hash of
 * their text. Samples of one moment lie in series, one row a metric, so that a scan of whole-window
 * values never reads past them; times and values are arrays of little-endian int64 and double.
 */
#ifndef STORE_SQLITE_SCHEMA_H
#define STORE_SQLITE_SCHEMA_H

/* "PLMB": `file` and other programs can tell whose database it is. */
#define SQLITE_APPLICATION_ID 0x504c4d42

/* Came later than the others: a reader does without it, a writer adds it. */
#define SQLITE_ABSENT_TABLE                                                             \
	"CREATE TABLE IF NOT EXISTS absent(study TEXT NOT NULL REFERENCES study(name)," \
	" cell INTEGER NOT NULL, cell_label TEXT NOT NULL, reason TEXT NOT NULL,"       \
	" PRIMARY KEY(study, cell)) WITHOUT ROWID;"

static const char sqlite_schema[] =
	"CREATE TABLE study(name TEXT PRIMARY KEY, text TEXT NOT NULL, small INTEGER NOT NULL,"
	" seed INTEGER NOT NULL, created_utc_ns INTEGER NOT NULL, program_version TEXT NOT NULL);"
	"CREATE TABLE setting_set(id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE);"
	"CREATE TABLE setting(setting_set INTEGER NOT NULL REFERENCES setting_set(id),"
	" name TEXT NOT NULL, value TEXT NOT NULL, reload INTEGER NOT NULL, line INTEGER NOT NULL,"
	" PRIMARY KEY(setting_set, name)) WITHOUT ROWID;"
	"CREATE TABLE fact_set(id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE);"
	"CREATE TABLE fact(fact_set INTEGER NOT NULL REFERENCES fact_set(id),"
	" position INTEGER NOT NULL, name TEXT NOT NULL, asked TEXT, value TEXT NOT NULL,"
	" PRIMARY KEY(fact_set, position)) WITHOUT ROWID;"
	"CREATE TABLE setup(id INTEGER PRIMARY KEY, setup_id TEXT NOT NULL UNIQUE,"
	" study TEXT NOT NULL REFERENCES study(name), label TEXT NOT NULL,"
	" block INTEGER NOT NULL, position INTEGER NOT NULL,"
	" setting_set INTEGER NOT NULL REFERENCES setting_set(id));"
	"CREATE TABLE trial(id INTEGER PRIMARY KEY, trial_id TEXT NOT NULL,"
	" attempt INTEGER NOT NULL, setup INTEGER NOT NULL REFERENCES setup(id),"
	" cell INTEGER NOT NULL, cell_label TEXT NOT NULL, role INTEGER NOT NULL,"
	" run INTEGER NOT NULL, position INTEGER NOT NULL,"
	" setting_set INTEGER NOT NULL REFERENCES setting_set(id),"
	" fact_set INTEGER NOT NULL REFERENCES fact_set(id), state TEXT NOT NULL, reason TEXT,"
	" started_utc_ns INTEGER NOT NULL, finished_utc_ns INTEGER NOT NULL,"
	" program_version TEXT NOT NULL, UNIQUE(trial_id, attempt));"
	"CREATE INDEX trial_setup ON trial(setup);"
	"CREATE TABLE note(trial INTEGER NOT NULL REFERENCES trial(id), position INTEGER NOT NULL,"
	" level INTEGER NOT NULL, code TEXT NOT NULL, text TEXT NOT NULL,"
	" PRIMARY KEY(trial, position)) WITHOUT ROWID;"
	"CREATE TABLE file(trial INTEGER NOT NULL REFERENCES trial(id), position INTEGER NOT NULL,"
	" kind TEXT NOT NULL, path TEXT NOT NULL, PRIMARY KEY(trial, position)) WITHOUT ROWID;"
	"CREATE TABLE sample_kind(id INTEGER PRIMARY KEY, phase TEXT NOT NULL,"
	" metric TEXT NOT NULL, source TEXT NOT NULL, UNIQUE(phase, metric, source));"
	"CREATE TABLE sample(trial INTEGER NOT NULL REFERENCES trial(id),"
	" position INTEGER NOT NULL, kind INTEGER NOT NULL REFERENCES sample_kind(id),"
	" value REAL NOT NULL, PRIMARY KEY(trial, position)) WITHOUT ROWID;"
	"CREATE TABLE series(trial INTEGER NOT NULL REFERENCES trial(id),"
	" kind INTEGER NOT NULL REFERENCES sample_kind(id), count INTEGER NOT NULL,"
	" times_ns BLOB NOT NULL, samples BLOB NOT NULL, PRIMARY KEY(trial, "
	"kind));" SQLITE_ABSENT_TABLE
	"CREATE TABLE number(name TEXT PRIMARY KEY, value REAL NOT NULL);"
	/* For people with the sqlite3 shell. */
	"CREATE VIEW samples AS SELECT study, trial_id, attempt, state, cell_label, block, run,"
	" phase, metric, value, source FROM sample JOIN sample_kind ON kind = sample_kind.id"
	" JOIN trial ON trial = trial.id JOIN setup ON setup = setup.id;";

/* Those that a scan reads: looked through when a database is opened. The series are not: they may
 * be gigabytes, and damage in them shows when they are read. */
static const char *const sqlite_tables[] = { "study", "setting_set", "setting", "fact_set", "fact",
	"setup", "trial", "note", "file", "sample_kind", "sample", "number" };

#endif
