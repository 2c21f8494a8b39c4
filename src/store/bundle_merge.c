/* Rows of one results database into another. Numbers of rows differ between databases, so whatever
 * refers to a row finds it again by what names it: hashes of sets, names of samples, ids. */
#include "store/bundle_internal.h"

static const char *const steps[] = {
	"INSERT INTO main.study SELECT * FROM taken.study",
	"INSERT INTO main.absent SELECT * FROM taken.absent",
	"INSERT OR IGNORE INTO main.setting_set(hash) SELECT hash FROM taken.setting_set",
	"INSERT OR IGNORE INTO main.setting SELECT n.id, s.name, s.value, s.reload, s.line"
	" FROM taken.setting s JOIN taken.setting_set o ON o.id = s.setting_set"
	" JOIN main.setting_set n ON n.hash = o.hash",
	"INSERT OR IGNORE INTO main.fact_set(hash) SELECT hash FROM taken.fact_set",
	"INSERT OR IGNORE INTO main.fact SELECT n.id, f.position, f.name, f.asked, f.value"
	" FROM taken.fact f JOIN taken.fact_set o ON o.id = f.fact_set"
	" JOIN main.fact_set n ON n.hash = o.hash",
	"INSERT OR IGNORE INTO main.sample_kind(phase, metric, source)"
	" SELECT phase, metric, source FROM taken.sample_kind",
	"INSERT INTO main.setup(setup_id, study, label, block, position, setting_set)"
	" SELECT s.setup_id, s.study, s.label, s.block, s.position, n.id FROM taken.setup s"
	" JOIN taken.setting_set o ON o.id = s.setting_set"
	" JOIN main.setting_set n ON n.hash = o.hash ORDER BY s.id",
	"INSERT INTO main.trial(trial_id, attempt, setup, cell, cell_label, role, run, position,"
	" setting_set, fact_set, state, reason, started_utc_ns, finished_utc_ns, program_version)"
	" SELECT t.trial_id, t.attempt, u.id, t.cell, t.cell_label, t.role, t.run, t.position, "
	"n.id,"
	" g.id, t.state, t.reason, t.started_utc_ns, t.finished_utc_ns, t.program_version"
	" FROM taken.trial t JOIN taken.setup s ON s.id = t.setup"
	" JOIN main.setup u ON u.setup_id = s.setup_id"
	" JOIN taken.setting_set o ON o.id = t.setting_set"
	" JOIN main.setting_set n ON n.hash = o.hash"
	" JOIN taken.fact_set f ON f.id = t.fact_set"
	" JOIN main.fact_set g ON g.hash = f.hash ORDER BY t.id",
	"CREATE TEMP TABLE renumbered AS SELECT o.id AS old, n.id AS new FROM taken.trial o"
	" JOIN main.trial n ON n.trial_id = o.trial_id AND n.attempt = o.attempt",
	"CREATE TEMP TABLE rekinded AS SELECT o.id AS old, n.id AS new FROM taken.sample_kind o"
	" JOIN main.sample_kind n ON n.phase = o.phase AND n.metric = o.metric"
	" AND n.source = o.source",
	"INSERT INTO main.note SELECT new, position, level, code, text FROM taken.note"
	" JOIN renumbered ON old = trial",
	"INSERT INTO main.file SELECT new, position, kind, path FROM taken.file"
	" JOIN renumbered ON old = trial",
	"INSERT INTO main.sample SELECT r.new, s.position, k.new, s.value FROM taken.sample s"
	" JOIN renumbered r ON r.old = s.trial JOIN rekinded k ON k.old = s.kind",
	"INSERT INTO main.series SELECT r.new, k.new, s.count, s.times_ns, s.samples"
	" FROM taken.series s JOIN renumbered r ON r.old = s.trial"
	" JOIN rekinded k ON k.old = s.kind",
	"DROP TABLE renumbered",
	"DROP TABLE rekinded",
};

int bundle_merge(struct sqlite_store *store, const char *from_path, struct err *err)
{
	int r = sqlite_run(store, "ATTACH DATABASE ? AS taken", err, "t", from_path);

	if (r < 0)
		return r;
	r = bundle_execute(store, "BEGIN IMMEDIATE", "import", err);
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(steps); i++)
		r = bundle_execute(store, steps[i], "import", err);
	if (r == 0)
		r = bundle_execute(store, "COMMIT", "import", err);
	else
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL); /* the first error counts */
	sqlite3_exec(store->db, "DETACH DATABASE taken", NULL, NULL, NULL); /* it closes anyway */
	return r;
}
