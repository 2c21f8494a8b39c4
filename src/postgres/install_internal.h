/* Between the files of install.c: where a source comes from, how it is built. */
#ifndef POSTGRES_INSTALL_INTERNAL_H
#define POSTGRES_INSTALL_INTERNAL_H

#include "base/subprocess.h"
#include "postgres/install.h"

#include <sys/types.h>

/* One build under way. */
struct pg_build_job {
	const struct pg_build_spec *spec;
	const struct pg_build_request *request;
	const char *cache; /* the cache folder */
	char *work;	   /* cache/.build-XXXXXX, removed at the end */
	char *source;	   /* folder of the unpacked source */
	char *version;	   /* of the source: "15.18" */
	char *name;	   /* of the finished build */
	char *log_path;
	double started_s;
	double fraction;     /* done so far */
	size_t log_position; /* how far the log was read for compile lines */
	size_t compiled;     /* compile lines seen */
};

/* Tell the listener; -EINTR when it wants to stop. */
int pg_build_tell(struct pg_build_job *job, const char *step);

/* Run a program, its output to the job's log, telling the listener meanwhile. environment and
 * directory may be NULL. -ECHILD: it failed; err has the log's tail. */
int pg_build_call(struct pg_build_job *job, const char *step, const char *directory,
	const char *const *arguments, struct err *err);

/* Put the source tree of the request at job->source and its version in job->version. A package is
 * downloaded once and kept as cache/source/FILE. */
int pg_source_prepare(struct pg_build_job *job, struct err *err);

/* The tarball of a major version in folder whose version is the highest; NULL: none. Yours. */
char *pg_source_newest(const char *folder, int major);

/* Version of a source tarball by its name: "15.18" of ".../postgresql-15_15.18.orig.tar.bz2". */
void pg_source_tarball_version(const char *tarball, struct strbuf *ret_version);

/* Download the distribution's newest source package of a major version that can be had and keep
 * its tarball in the cache; *ret_tarball is yours. newer_than: older ones and itself are of no use
 * (-ENOENT); NULL: any is. */
int pg_source_fetch(struct pg_build_job *job, int major, const char *newer_than, char **ret_tarball,
	struct err *err);

/* Version of the installed server of a major version, of any with 0; returns its major version,
 * 0: there is none. */
int pg_installed_version(int major, struct strbuf *ret_version);

/* apt entries of source packages derived from the text of this machine's own: one-line style and
 * deb822 style alike. Only entries of this release (suite = codename, or codename-something) are
 * taken: other archives seldom have sources. Pure. */
void pg_source_entries(
	const char *text, bool deb822, const char *codename, struct strbuf *ret_entries);

/* "15.18" out of the text of a source tree's configure script. -EINVAL: not PostgreSQL's. Pure. */
int pg_source_version(const char *configure_text, struct strbuf *ret_version);

/* Major version of "15.18", "17beta1", "19devel"; 0: none. Pure. */
int pg_version_major(const char *version);
/* Is version the one wanted: "15" takes any of that major, "15.18" only itself? Pure. */
bool pg_version_matches(const char *wanted, const char *version);
/* Order of versions as with strcmp: devel < alpha < beta < rc < release. Pure. */
int pg_version_compare(const char *a, const char *b);

/* Options of configure (without the prefix) and flags for a spec, one argument each. The caller
 * frees with pg_options_free. */
int pg_build_options(
	const struct pg_build_spec *spec, int major, char ***ret_options, struct err *err);
void pg_options_free(char **options);
/* Name of the build in the cache. */
void pg_build_name(const struct pg_build_spec *spec, const char *version, char *const *options,
	struct strbuf *ret_name);

/* Say in words what a failed program of a build most often means, and where its log is. */
void pg_build_explain(struct pg_build_job *job, struct err *err);

/* Configure, compile, install below job->work/stage; returns the path of the installed prefix
 * there. */
int pg_build_make(struct pg_build_job *job, char *const *options, const char *prefix,
	struct strbuf *ret_stage, struct err *err);

#endif
