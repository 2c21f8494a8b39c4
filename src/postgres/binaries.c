/* Looking for PostgreSQL's programs (see binaries.h). */
#include "postgres/binaries.h"

#include "base/memory.h"
#include "base/subprocess.h"
#include "postgres/install.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int pg_version_parse(const char *text, int *ret_version)
{
	char *end;
	long major, minor = 0;

	while (*text && !isdigit((unsigned char)*text))
		text++;
	major = strtol(text, &end, 10);
	if (end == text || major < 1 || major > 999)
		return -EINVAL;
	if (*end == '.')
		minor = strtol(end + 1, NULL, 10);
	*ret_version = (int)(major * 10000 + minor);
	return 0;
}

/* Ask the server program itself; its words are "postgres (PostgreSQL) 15.18 (Debian ...)". */
static int read_version(struct pg_binaries *binaries, struct err *err)
{
	char *program = memory_format("%s/postgres", binaries->bindir);
	const char *const arguments[] = { program, "--version", NULL };
	struct strbuf output = STRBUF_INIT;
	int r = subprocess_capture(arguments, &output, err);
	const char *number = strstr(output.data, ") ");

	if (r == 0 && (!number || pg_version_parse(number, &binaries->version) < 0))
		r = err_set(err, -EINVAL, "'%s --version' said '%s'", program, output.data);
	if (r == 0) {
		number += 2;
		binaries->version_text = memory_copy_bytes(number, strcspn(number, " \n"));
		if (binaries->version < PG_VERSION_MIN)
			r = err_set(err, -ENOTSUP,
				"PostgreSQL %s in '%s': version 13 or later is needed",
				binaries->version_text, binaries->bindir);
	}
	strbuf_release(&output);
	free(program);
	return r;
}

static bool has_program(const char *bindir, const char *name)
{
	char *program = memory_format("%s/%s", bindir, name);
	bool found = access(program, X_OK) == 0;

	free(program);
	return found;
}

static bool has_server(const char *bindir)
{
	return has_program(bindir, "postgres");
}

/* What every study calls beside the server, and the Debian package of each, less the version. */
static int check_programs(const struct pg_binaries *binaries, struct err *err)
{
	static const struct {
		const char *program, *package;
	} needed[] = { { "initdb", "postgresql" }, { "pgbench", "postgresql" },
		{ "psql", "postgresql-client" } };

	for (size_t i = 0; i < ARRAY_SIZE(needed); i++)
		if (!has_program(binaries->bindir, needed[i].program))
			return err_hint(err,
				err_set(err, -ENOTSUP, "no program '%s' in '%s'", needed[i].program,
					binaries->bindir),
				"on Debian: package %s-%d", needed[i].package,
				binaries->version / 10000);
	return 0;
}

/* Debian's layout: /usr/lib/postgresql/VERSION/bin. The highest version, or the one wanted. */
static char *find_distribution(const char *wanted)
{
	char *best = NULL;
	int best_version = 0, wanted_version = 0;
	glob_t found;

	if (wanted && pg_version_parse(wanted, &wanted_version) < 0)
		return NULL;
	if (glob("/usr/lib/postgresql/*/bin", 0, NULL, &found) != 0)
		return NULL;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *number = found.gl_pathv[i] + strlen("/usr/lib/postgresql/");
		int version;

		if (!has_server(found.gl_pathv[i]) || pg_version_parse(number, &version) < 0)
			continue;
		if (wanted && version != wanted_version / 10000 * 10000)
			continue;
		if (version > best_version) {
			best_version = version;
			free(best);
			best = memory_copy_string(found.gl_pathv[i]);
		}
	}
	globfree(&found);
	return best;
}

static char *find_by_pg_config(void)
{
	static const char *const arguments[] = { "pg_config", "--bindir", NULL };
	struct strbuf output = STRBUF_INIT;
	char *found = NULL;

	if (subprocess_capture(arguments, &output, NULL) == 0) {
		strbuf_trim(&output);
		if (has_server(output.data))
			found = strbuf_detach(&output);
	}
	strbuf_release(&output);
	return found;
}

static char *find_in_path(void)
{
	char *program = subprocess_find("postgres");

	if (program)
		*strrchr(program, '/') = '\0';
	return program;
}

bool pg_binaries_from_source(const struct settings *settings, struct pg_build_spec *ret_spec)
{
	static const char *const sizes[] = { "postgres.block_size", "postgres.wal_block_size",
		"postgres.segment_size" };
	const char *build = settings_text(settings, "postgres.build", NULL);
	bool wanted = build && strcmp(build, "source") == 0;

	for (size_t i = 0; i < ARRAY_SIZE(sizes) && !build; i++)
		wanted |= settings_text(settings, sizes[i], NULL) != NULL;
	*ret_spec = (struct pg_build_spec){
		.version = settings_text(settings, "postgres.version", NULL),
		.block_bytes = settings_size(settings, "postgres.block_size", 0),
		.wal_block_bytes = settings_size(settings, "postgres.wal_block_size", 0),
		.segment_bytes = settings_size(settings, "postgres.segment_size", 0),
	};
	return wanted && !settings_text(settings, "postgres.bindir", NULL);
}

static int find_built(
	const struct pg_build_spec *spec, struct pg_binaries *binaries, struct err *err)
{
	struct strbuf bindir = STRBUF_INIT;
	int r = pg_install_find(spec, &bindir, err);

	if (r == 0) {
		binaries->bindir = strbuf_detach(&bindir);
		binaries->built = true;
	}
	strbuf_release(&bindir);
	return r;
}

static int find_installed(
	const struct settings *settings, struct pg_binaries *binaries, struct err *err)
{
	const char *bindir = settings_text(settings, "postgres.bindir", NULL);
	const char *wanted = settings_text(settings, "postgres.version", NULL);

	if (bindir) {
		if (!has_server(bindir))
			return err_set(err, -ENOENT,
				"postgres.bindir = '%s': no program 'postgres' there", bindir);
		binaries->bindir = memory_copy_string(bindir);
		return 0;
	}
	binaries->bindir = find_distribution(wanted);
	if (!binaries->bindir && !wanted)
		binaries->bindir = find_by_pg_config();
	if (!binaries->bindir && !wanted)
		binaries->bindir = find_in_path();
	if (binaries->bindir)
		return 0;
	err_set(err, -ENOENT, "no PostgreSQL server%s%s found", wanted ? " of version " : "",
		wanted ? wanted : "");
	return err_hint(err, -ENOENT,
		"on Debian: package postgresql%s%s; elsewhere set postgres.bindir",
		wanted ? "-" : "", wanted ? wanted : "");
}

int pg_binaries_find(
	const struct settings *settings, struct pg_binaries *ret_binaries, struct err *err)
{
	struct pg_binaries binaries = { 0 };
	struct pg_build_spec spec;
	int r;

	if (pg_binaries_from_source(settings, &spec))
		r = find_built(&spec, &binaries, err);
	else
		r = find_installed(settings, &binaries, err);
	if (r == 0)
		r = read_version(&binaries, err);
	if (r == 0)
		r = check_programs(&binaries, err);
	if (r < 0)
		pg_binaries_release(&binaries);
	else
		*ret_binaries = binaries;
	return r;
}

void pg_binaries_release(struct pg_binaries *binaries)
{
	free(binaries->bindir);
	free(binaries->version_text);
	*binaries = (struct pg_binaries){ 0 };
}
