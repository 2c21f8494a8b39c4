/* Writing a study as one file (see bundle.h). */
#include "store/bundle_internal.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/tar.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int bundle_hash_file(const char *path, char ret_text[33], struct err *err)
{
	struct hash_state *state = hash_new();
	FILE *file = fopen(path, "rbe");
	char buffer[65536];
	size_t got;
	int r = 0;

	if (!file) {
		hash_free(state);
		return err_set_errno(err, -errno, "cannot read '%s'", path);
	}
	while ((got = fread(buffer, 1, sizeof(buffer), file)) > 0)
		hash_add(state, buffer, got);
	if (ferror(file))
		r = err_set_errno(err, -EIO, "cannot read '%s'", path);
	else
		hash_format(hash_finish(state), ret_text);
	fclose(file);
	hash_free(state);
	return r;
}

int bundle_execute(struct sqlite_store *store, const char *sql, const char *doing, struct err *err)
{
	int code = sqlite3_exec(store->db, sql, NULL, NULL, NULL);

	return code == SQLITE_OK ? 0 : sqlite_failed(store, code, err, doing);
}

/* What an export is made of. */
struct export
{
	const char *folder; /* of the results */
	const char *study;
	char *scratch; /* holds the database with this study alone */
	json_t *files;
	struct tar_writer writer;
	struct bundle_info *info;
	struct err *err;
};

/* SQLite's own way to copy a database that others may be reading or writing. */
static int back_up(struct sqlite_store *from, const char *path, struct err *err)
{
	sqlite3 *to = NULL;
	sqlite3_backup *backup = NULL;
	int code = sqlite3_open(path, &to);

	if (code == SQLITE_OK)
		backup = sqlite3_backup_init(to, "main", from->db, "main");
	if (backup) {
		(void)sqlite3_backup_step(backup, -1); /* its code comes back from finish */
		code = sqlite3_backup_finish(backup);
	} else if (code == SQLITE_OK) {
		code = sqlite3_errcode(to);
	}
	sqlite3_close(to);
	return code == SQLITE_OK ? 0 : sqlite_failed(from, code, err, "copy the database");
}

static int copy_database(struct export *export, struct err *err)
{
	struct store *opened;
	char *path = memory_format("%s/%s", export->scratch, STORE_DATABASE);
	int r = store_open(&sqlite_store, export->folder, STORE_READ, &opened, err);

	if (r == 0) {
		r = back_up(CONTAINER_OF(opened, struct sqlite_store, base), path, err);
		store_close(opened);
	}
	free(path);
	return r;
}

/* Rows of other studies, and what only they needed. */
static const char delete_others[] =
	"CREATE TEMP TABLE gone AS SELECT trial.id FROM trial JOIN setup ON setup = setup.id WHERE"
	" study NOT IN (SELECT name FROM kept);"
	"DELETE FROM note WHERE trial IN gone; DELETE FROM file WHERE trial IN gone;"
	"DELETE FROM sample WHERE trial IN gone; DELETE FROM series WHERE trial IN gone;"
	"DELETE FROM trial WHERE id IN gone;"
	"DELETE FROM setup WHERE study NOT IN (SELECT name FROM kept);"
	"DELETE FROM absent WHERE study NOT IN (SELECT name FROM kept);"
	"DELETE FROM study WHERE name NOT IN (SELECT name FROM kept);"
	"DELETE FROM setting WHERE setting_set NOT IN (SELECT setting_set FROM setup UNION SELECT"
	" setting_set FROM trial);"
	"DELETE FROM setting_set WHERE id NOT IN (SELECT setting_set FROM setup UNION SELECT"
	" setting_set FROM trial);"
	"DELETE FROM fact WHERE fact_set NOT IN (SELECT fact_set FROM trial);"
	"DELETE FROM fact_set WHERE id NOT IN (SELECT fact_set FROM trial);"
	"DELETE FROM sample_kind WHERE id NOT IN (SELECT kind FROM sample UNION SELECT kind FROM"
	" series);"
	"DELETE FROM number; DROP TABLE gone; DROP TABLE kept; VACUUM; PRAGMA journal_mode = "
	"DELETE;";

static int keep_one_study(struct export *export, struct err *err)
{
	struct store *opened;
	int r = store_open(&sqlite_store, export->scratch, STORE_WRITE, &opened, err);

	if (r < 0)
		return r;
	struct sqlite_store *store = CONTAINER_OF(opened, struct sqlite_store, base);

	r = bundle_execute(store, "CREATE TEMP TABLE kept(name TEXT)", "export", err);
	if (r == 0)
		r = sqlite_run(store, "INSERT INTO kept SELECT name FROM study WHERE name = ?", err,
			"t", export->study);
	if (r >= 0)
		r = bundle_execute(store, delete_others, "export", err);
	store_close(opened);
	return r < 0 ? r : 0;
}

static int list_file(struct export *export, const char *name, const char *path, struct err *err)
{
	char hash[HASH_TEXT_SIZE];
	int r = bundle_hash_file(path, hash, err);

	if (r < 0)
		return r;
	json_array_append_new(
		export->files, json_pack("{s:s, s:s}", "name", name, "xxh3_128", hash));
	return tar_add_file(&export->writer, name, path, err);
}

/* Raw files of every trial, those that are gone are counted. */
static int add_raw_files(void *context, const struct store_result *result)
{
	struct export *export = context;

	for (size_t i = 0; i < result->record->file_count; i++) {
		const char *name = result->record->files[i].path;
		char *path = memory_format("%s/%s", export->folder, name);
		bool plain = tar_name_is_plain(name) && strncmp(name, "raw/", 4) == 0;
		int r = 0;

		if (!plain || !file_exists(path)) {
			export->info->missing++;
		} else {
			export->info->files++;
			r = list_file(export, name, path, export->err);
		}
		free(path);
		if (r < 0)
			return r;
	}
	return 0;
}

static int add_manifest(struct export *export, struct err *err)
{
	json_t *manifest = json_pack("{s:i, s:i, s:s, s:s, s:O}", "plumb_bundle", BUNDLE_FORMAT,
		"schema_version", RECORD_SCHEMA_VERSION, "study", export->study, "program_version",
		PLUMB_VERSION, "files", export->files);
	char *text = json_dumps(manifest, JSON_INDENT(1));
	int r = tar_add_text(&export->writer, BUNDLE_MANIFEST, text, strlen(text), err);

	free(text);
	json_decref(manifest);
	return r;
}

/* The manifest comes last: it lists what was really written. */
static int write_archive(struct export *export, struct err *err)
{
	struct store_query query = { .study = export->study };
	char *database = memory_format("%s/%s", export->scratch, STORE_DATABASE);
	struct store *opened;
	int r = list_file(export, STORE_DATABASE, database, err);

	free(database);
	if (r == 0)
		r = store_open(&sqlite_store, export->scratch, STORE_READ, &opened, err);
	if (r < 0)
		return r;
	r = store_scan(opened, &query, add_raw_files, export, err);
	store_close(opened);
	if (r == 0)
		r = add_manifest(export, err);
	return r == 0 ? tar_finish(&export->writer, err) : r;
}

static int export_to(struct export *export, const char *path, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	int r;

	if (fd < 0)
		return err_set_errno(err, -errno, "cannot make '%s'", path);
	export->writer = (struct tar_writer){ fdopen(fd, "wb"), path };
	r = write_archive(export, err);
	if (r == 0 && fsync(fd) < 0)
		r = err_set_errno(err, -errno, "cannot write '%s'", path);
	if (fclose(export->writer.file) != 0 && r == 0)
		r = err_set_errno(err, -errno, "cannot write '%s'", path);
	if (r < 0)
		(void)unlink(path); /* half a bundle helps nobody; the first error counts */
	return r;
}

int bundle_export(const char *folder, const char *study, const char *path,
	struct bundle_info *ret_info, struct err *err)
{
	struct bundle_info info = { .files = 0 };
	struct export export = {
		.folder = folder,
		.study = study,
		.scratch = memory_format("%s.parts.XXXXXX", path),
		.files = json_array(),
		.info = &info,
		.err = err,
	};
	int r, removed;

	if (!mkdtemp(export.scratch)) {
		r = err_set_errno(err, -errno, "cannot make a folder beside '%s'", path);
	} else {
		r = copy_database(&export, err);
		if (r == 0)
			r = keep_one_study(&export, err);
		if (r == 0)
			r = export_to(&export, path, err);
		removed = file_remove_tree(export.scratch, err);
		r = r < 0 ? r : removed;
	}
	json_decref(export.files);
	free(export.scratch);
	if (r == 0) {
		snprintf(info.study, sizeof(info.study), "%s", study);
		*ret_info = info;
	}
	return r;
}
