/*
 * What a trial leaves behind: samples with unit, time and source; notes; files; its verdict. Filled
 * by workload and probe, kept by store, read by analysis and report.
 */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include "base/arena.h"
#include "setting/setting.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of store files, CSV and JSON alike: raise it when a reader of the old form would be wrong. */
#define RECORD_SCHEMA_VERSION 1

#define TRIAL_STATES(X)                                                 \
	X(PLANNED, "planned")                                           \
	X(RUNNING, "running")                                           \
	X(DONE, "done")	    /* measured */                              \
	X(FAILED, "failed") /* the system under test broke: a result */ \
	X(VOID, "void")	    /* we or the machine broke: kept, not analysed, may be repeated */
#define TRIAL_AS_ENUM(id, word) TRIAL_##id,
enum trial_state { TRIAL_STATES(TRIAL_AS_ENUM) TRIAL_STATE_COUNT };
const char *trial_state_word(enum trial_state state);
int trial_state_parse(const char *word, enum trial_state *ret_state); /* -EINVAL */

/* A time of -1 means: of the whole window (or phase), not of one moment. */
#define SAMPLE_WHOLE (-1)

struct sample {
	const char *metric; /* a row of record/metric.h; the unit is the row's */
	const char *phase;  /* "load", "run", "closing", ... */
	const char *source; /* "pgbench", "pg_stat_wal", "/proc/diskstats" ... */
	double value;	    /* finite: a probe that has none leaves the sample out */
	int64_t at_ns;	    /* since the phase began, or SAMPLE_WHOLE */
};

/* Marks that make a trial spoiled (kept, shown, not analysed) or that a reader must see. */
enum note_level { NOTE_INFO, NOTE_WARNING, NOTE_SPOILED };
struct note {
	enum note_level level;
	const char *code; /* stable word: "steal", "checkpoint-missing", "setting-differs" ... */
	const char *text; /* a sentence with the figures */
};

struct raw_file {
	const char *kind; /* "pgbench-log", "server-log" ... */
	const char *path; /* relative to the results folder */
};

/* One fact of the environment or effective setting: "kernel.release", "postgresql.conf.fsync". */
struct fact {
	const char *name;
	const char *asked; /* NULL: not asked for */
	const char *value; /* as read back */
};

struct trial_record {
	struct arena arena; /* owns every string below */
	enum trial_state state;
	const char *reason; /* FAILED, VOID: what broke, with the tail of the right log */
	int64_t started_utc_ns;
	int64_t finished_utc_ns;
	struct sample *samples;
	size_t sample_count, sample_size;
	struct note *notes;
	size_t note_count, note_size;
	struct raw_file *files;
	size_t file_count, file_size;
	struct fact *facts;
	size_t fact_count, fact_size;
};

void trial_record_init(struct trial_record *record);
void trial_record_release(struct trial_record *record);
/* Strings are copied. A value that is not finite becomes a warning note instead of a sample. */
void trial_record_sample(struct trial_record *record, const struct sample *sample);
void trial_record_note(struct trial_record *record, enum note_level level, const char *code,
	const char *format, ...) PRINTF_LIKE(4, 5);
void trial_record_file(struct trial_record *record, const char *kind, const char *path);
void trial_record_fact(
	struct trial_record *record, const char *name, const char *asked, const char *value);
/* The whole-window sample of a metric in a phase; false if there is none. */
bool trial_record_find(const struct trial_record *record, const char *phase, const char *metric,
	double *ret_value);

#endif
