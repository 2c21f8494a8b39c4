/*
 * The rules, as rows. To add one: put a row into the group's file in checks/ (its id starts with
 * the group's letters), give every field its contract below asks for, add its cases to
 * tests/golden/doctor/cases.json (firing, not firing, at the boundary), and run
 * tools/check-generated --update, which prints docs/rules.md anew. A name in a condition must be in
 * fact_names.c, which says where the fact comes from.
 */
#ifndef DOCTOR_CHECK_LIST_H
#define DOCTOR_CHECK_LIST_H

enum severity { SEVERITY_HINT, SEVERITY_COST, SEVERITY_DANGER };

/* What one evaluation of the condition looks at. */
enum check_scope {
	CHECK_CLUSTER,	/* once: the server and the machine */
	CHECK_LOCATION, /* each folder: data, wal, every tablespace, with what lies under it */
	CHECK_POOL,	/* each ZFS pool under a location */
	CHECK_DEVICE,	/* each block device under a location */
};

/*
 * Templates (set, fix, undo): {name} is the fact's value; {name:bytes} prints a size as 8K;
 * {reset:GUC} is the SQL that gives a setting its present value back. Lines of fix and undo start
 * with their kind and end with \n:
 *	"sql: "      on the running server, works at once or after the reload that is part of it
 *	"restart: "  SQL that acts after a restart of the server
 *	"sh: "       shell command as root, on the running machine
 *	"offline: "  shell command that needs the server stopped or a new load: never in the active
 *	             part of a script
 *	"note: "     words
 */
struct check {
	const char *id;
	const char *title; /* one line, without values */
	enum check_scope scope;
	const char *when;	 /* expression.h */
	enum severity severity;	 /* where none of the next two holds */
	const char *cost_when;	 /* optional: raises the severity to cost */
	const char *danger_when; /* optional: raises the severity to danger */
	char grade;		 /* A manual or published numbers, B several field reports,
				    C one report or source reading, D folklore */
	long postgres_from, postgres_before; /* server_version_num; 0: no limit */
	long zfs_from, zfs_before;	     /* as expression_version(); 0: no limit */
	const char *set;		     /* what is set here */
	const char *why;		     /* why that matters */
	const char *risk;		     /* what it costs or risks */
	const char *fix;
	const char *undo;
	const char *source;
	/* Rules that must not guess: what the two camps say and the study that decides here. A
	 * study is a name under studies/; "torture" is the crash lab. All three or none. */
	const char *camp_for;
	const char *camp_against;
	const char *study;
};

struct check_group {
	const char *title;
	const struct check *checks; /* ends with {0} */
};

/* checks/, one file a group; each ends with {0}. */
extern const struct check durability_checks[];
extern const struct check layout_checks[];
extern const struct check wal_checks[];
extern const struct check memory_checks[];
extern const struct check io_checks[];

/* All groups, in the order of the documentation. */
#define CHECK_GROUP_COUNT 5
extern const struct check_group check_groups[CHECK_GROUP_COUNT];

/* The rule of that id in any case of letters, or NULL. */
const struct check *check_find(const char *id);

const char *severity_word(enum severity severity);    /* "hint", "cost", "danger" */
const char *check_scope_word(enum check_scope scope); /* "cluster", "location", ... */
const char *grade_words(char grade);		      /* what the letter means */

#endif
