/* Reading a study from one file (see bundle.h): unpack, check, then move or merge. */
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
#include <sys/stat.h>
#include <unistd.h>

#define MANIFEST_MOST (64 << 20)

struct import {
	const char *path;   /* of the bundle */
	const char *folder; /* unpacked here */
	struct strbuf manifest;
	struct bundle_info info;
};

static bool is_expected(const char *name)
{
	return strcmp(name, BUNDLE_MANIFEST) == 0 || strcmp(name, STORE_DATABASE) == 0 ||
	       strncmp(name, "raw/", 4) == 0;
}

/* Folders above a file. The name is plain, so none of them leaves the import's own folder. */
static int make_parents(const char *path, struct err *err)
{
	char *folder = memory_copy_string(path);
	int r;

	*strrchr(folder, '/') = '\0';
	r = file_make_folders(folder, 0755, err);
	free(folder);
	return r;
}

static int extract_file(
	const struct import *import, const struct tar_entry *entry, FILE *from, struct err *err)
{
	char *path = memory_format("%s/%s", import->folder, entry->name);
	int r = make_parents(path, err);
	int fd = r == 0 ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644)
			: -1;

	if (r == 0 && fd < 0)
		r = errno == EEXIST ? err_set(err, -EBADMSG, "'%s' is in it twice", entry->name)
				    : err_set_errno(err, -errno, "cannot make '%s'", path);
	if (r == 0) {
		FILE *file = fdopen(fd, "wb");

		r = tar_copy(from, file, entry->size, err);
		if (fclose(file) != 0 && r == 0)
			r = err_set_errno(err, -errno, "cannot write '%s'", path);
	}
	free(path);
	return r;
}

static int extract(void *context, const struct tar_entry *entry, FILE *from, struct err *err)
{
	struct import *import = context;

	if (!is_expected(entry->name))
		return err_set(err, -EBADMSG, "'%s' does not belong into a study", entry->name);
	if (strcmp(entry->name, BUNDLE_MANIFEST) != 0) {
		import->info.files += strncmp(entry->name, "raw/", 4) == 0;
		return extract_file(import, entry, from, err);
	}
	if (entry->size > MANIFEST_MOST || import->manifest.length > 0)
		return err_set(err, -EBADMSG, "its manifest is no manifest");
	char *text = memory_new(entry->size + 1);
	bool whole = entry->size == 0 || fread(text, entry->size, 1, from) == 1;

	strbuf_add(&import->manifest, text, whole ? entry->size : 0);
	free(text);
	return whole ? 0 : err_set(err, -EBADMSG, "it ends in the middle of its manifest");
}

static int check_version(const json_t *manifest, struct err *err)
{
	json_int_t format = json_integer_value(json_object_get(manifest, "plumb_bundle"));
	json_int_t schema = json_integer_value(json_object_get(manifest, "schema_version"));

	if (format != BUNDLE_FORMAT)
		return err_set(err, -EPROTONOSUPPORT,
			"it has bundle format %lld, this plumb reads %d", (long long)format,
			BUNDLE_FORMAT);
	if (schema != RECORD_SCHEMA_VERSION) {
		err_set(err, -EPROTONOSUPPORT,
			"its results have schema version %lld, this plumb has %d",
			(long long)schema, RECORD_SCHEMA_VERSION);
		return err_hint(err, -EPROTONOSUPPORT,
			"export it anew with this plumb, or read it with the one that wrote it");
	}
	return 0;
}

static int check_file(const struct import *import, const json_t *file, struct err *err)
{
	const char *name = json_string_value(json_object_get(file, "name"));
	const char *wanted = json_string_value(json_object_get(file, "xxh3_128"));
	char hash[HASH_TEXT_SIZE];
	char *path;
	int r;

	if (!name || !wanted || !tar_name_is_plain(name))
		return err_set(err, -EBADMSG, "its manifest is damaged");
	path = memory_format("%s/%s", import->folder, name);
	r = file_exists(path) ? bundle_hash_file(path, hash, err)
			      : err_set(err, -EBADMSG, "'%s' is missing from it", name);
	if (r == 0 && strcmp(hash, wanted) != 0)
		r = err_set(err, -EBADMSG, "'%s' in it is damaged: its hash is %s, not %s", name,
			hash, wanted);
	free(path);
	return r;
}

static int check_manifest(struct import *import, struct err *err)
{
	json_t *manifest = json_loadb(import->manifest.data, import->manifest.length, 0, NULL);
	const json_t *files = json_object_get(manifest, "files");
	const char *study = json_string_value(json_object_get(manifest, "study"));
	int r = manifest && study && json_is_array(files)
			? check_version(manifest, err)
			: err_set(err, -EBADMSG, "it has no manifest of a study");

	if (r == 0 && json_array_size(files) != import->info.files + 1)
		r = err_set(err, -EBADMSG, "it holds other files than its manifest lists");
	for (size_t i = 0; r == 0 && i < json_array_size(files); i++)
		r = check_file(import, json_array_get(files, i), err);
	if (r == 0)
		snprintf(import->info.study, sizeof(import->info.study), "%s", study);
	json_decref(manifest);
	return r;
}

int bundle_unpack(
	const char *path, const char *folder, struct bundle_info *ret_info, struct err *err)
{
	struct import import = { .path = path, .folder = folder, .manifest = STRBUF_INIT };
	struct tar_reader reader = { fopen(path, "rbe"), path, extract, &import };
	int r;

	if (!reader.file)
		return err_set_errno(err, -errno, "cannot read '%s'", path);
	r = tar_read(&reader, err);
	fclose(reader.file);
	if (r == 0) {
		r = check_manifest(&import, err);
		if (r < 0)
			err_prefix(err, r, "'%s'", path);
	}
	if (r == 0)
		*ret_info = import.info;
	strbuf_release(&import.manifest);
	return r;
}

/* Raw files of the study into the results folder; nothing there is replaced. */
static int move_raw(const char *from, const char *folder, const char *study, struct err *err)
{
	char *source = memory_format("%s/raw/%s", from, study);
	char *parent = memory_format("%s/raw", folder);
	char *target = memory_format("%s/%s", parent, study);
	int r = 0;

	if (file_exists(source)) {
		r = file_make_folders(parent, 0755, err);
		if (r == 0 && rename(source, target) < 0)
			r = err_set_errno(err, -errno, "cannot move raw files to '%s'", target);
	}
	free(target);
	free(parent);
	free(source);
	return r;
}

static int has_study(
	struct sqlite_store *store, const char *folder, const char *study, struct err *err)
{
	sqlite3_stmt *statement;
	int r = sqlite_prepare(store, "SELECT 1 FROM study WHERE name = ?", &statement, err);

	if (r < 0)
		return r;
	sqlite_bind(statement, "t", study);
	r = sqlite_step(store, statement, err);
	sqlite3_finalize(statement);
	if (r <= 0)
		return r;
	err_set(err, -EEXIST, "'%s' has a study '%s' already", folder, study);
	return err_hint(err, -EEXIST, "import it into another folder with --results DIR");
}

static int take_in(const struct import *import, const char *folder, struct err *err)
{
	char *database = memory_format("%s/%s", import->folder, STORE_DATABASE);
	struct store *unpacked = NULL, *opened = NULL;
	/* Opened like any results folder: damage and other schemas are refused in its words, and
	 * tables that an older plumb did not have are added. */
	int r = store_open(&sqlite_store, import->folder, STORE_WRITE, &unpacked, err);

	store_close(unpacked);
	if (r == 0)
		r = store_open(&sqlite_store, folder, STORE_WRITE, &opened, err);
	if (r == 0) {
		struct sqlite_store *store = CONTAINER_OF(opened, struct sqlite_store, base);

		r = has_study(store, folder, import->info.study, err);
		if (r == 0)
			r = move_raw(import->folder, folder, import->info.study, err);
		if (r == 0)
			r = bundle_merge(store, database, err);
	}
	store_close(opened);
	free(database);
	return r;
}

int bundle_import(
	const char *path, const char *folder, struct bundle_info *ret_info, struct err *err)
{
	char *scratch = memory_format("%s/.import.XXXXXX", folder);
	struct import import = { .path = path };
	int r = file_make_folders(folder, 0755, err);
	int removed;

	if (r == 0 && !mkdtemp(scratch))
		r = err_set_errno(err, -errno, "cannot make a folder in '%s'", folder);
	if (r < 0) {
		free(scratch);
		return r;
	}
	import.folder = scratch;
	r = bundle_unpack(path, scratch, &import.info, err);
	if (r == 0)
		r = take_in(&import, folder, err);
	removed = file_remove_tree(scratch, err);
	free(scratch);
	if (r == 0 && removed == 0)
		*ret_info = import.info;
	return r < 0 ? r : removed;
}
