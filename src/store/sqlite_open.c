/* Opening a results folder: its lock, the database's own checks, its schema. Everything that can
 * be wrong with a folder is refused here, before a study touches anything. */
#include "store/sqlite_internal.h"

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "store/sqlite_schema.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BUSY_TIMEOUT_MS 5000

static int folder_refused(const char *folder, int error, struct err *err)
{
	err_set_errno(err, error, "cannot write in results folder '%s'", folder);
	return err_hint(err, error,
		"name another one with --results DIR, or make this one writable for this user");
}

/* Who holds the lock: what it wrote into the lock file. */
static int lock_refused(const char *folder, int fd, struct err *err)
{
	struct flock other = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char text[512];
	ssize_t got = pread(fd, text, sizeof(text) - 1, 0);
	const char *pid = "";

	text[MAX(got, (ssize_t)0)] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (fcntl(fd, F_GETLK, &other) < 0)
		pid = " (its process is on another machine)";
	err_set(err, -EBUSY, "results folder '%s' is in use by %s%s", folder,
		*text ? text : "another plumb", pid);
	return err_hint(
		err, -EBUSY, "wait for it or end it, or use another folder with --results DIR");
}

static void write_lock_text(int fd, const char *study)
{
	char text[512], when[32];
	time_t now = time(NULL);
	struct tm utc;
	int length;

	gmtime_r(&now, &utc);
	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", &utc);
	length = snprintf(text, sizeof(text), "plumb, process %ld, since %s%s%s\n", (long)getpid(),
		when, study ? ", study " : "", study ? study : "");
	/* Only a courtesy to whoever is refused: a lock without text still locks. */
	if (ftruncate(fd, 0) < 0 || pwrite(fd, text, (size_t)length, 0) < 0)
		log_debug("cannot write into the lock file");
}

static int take_lock(const char *folder, int *ret_fd, struct err *err)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char *path = memory_format("%s/%s", folder, STORE_LOCK);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	int r = fd < 0 ? folder_refused(folder, -errno, err) : 0;

	free(path);
	if (r < 0)
		return r;
	if (fcntl(fd, F_SETLK, &lock) < 0) {
		r = errno == EACCES || errno == EAGAIN ? lock_refused(folder, fd, err)
						       : folder_refused(folder, -errno, err);
		close(fd);
		return r;
	}
	write_lock_text(fd, NULL);
	*ret_fd = fd;
	return 0;
}

/* "file:PATH?options" with the path's own ? # % hidden from the parser of addresses. */
static char *database_address(const char *folder, const char *options)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_add_text(&text, "file:");
	for (const char *c = folder; *c; c++)
		if (strchr("?#%", *c))
			strbuf_add_format(&text, "%%%02X", *c);
		else
			strbuf_add_char(&text, *c);
	strbuf_add_format(&text, "/%s?%s", STORE_DATABASE, options);
	return strbuf_detach(&text);
}

static int open_database(struct sqlite_store *store, const char *options, struct err *err)
{
	char *address = database_address(store->folder, options);
	int code = sqlite3_open_v2(address, &store->db,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, NULL);

	free(address);
	if (code != SQLITE_OK)
		return sqlite_failed(store, code, err, "open the database");
	sqlite3_extended_result_codes(store->db, 1);
	sqlite3_busy_timeout(store->db, BUSY_TIMEOUT_MS);
	return 0;
}

static int get_pragma(
	struct sqlite_store *store, const char *name, int64_t *ret_value, struct err *err)
{
	char sql[64];
	sqlite3_stmt *statement;
	int r;

	snprintf(sql, sizeof(sql), "PRAGMA %s", name);
	r = sqlite_prepare(store, sql, &statement, err);
	if (r < 0)
		return r;
	r = sqlite_step(store, statement, err);
	if (r > 0)
		*ret_value = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return r < 0 ? r : 0;
}

static int check_owner(struct sqlite_store *store, int64_t *ret_version, struct err *err)
{
	int64_t application = 0, version = 0, tables = 0;
	int r = get_pragma(store, "application_id", &application, err);

	if (r == 0)
		r = get_pragma(store, "user_version", &version, err);
	if (r == 0)
		r = get_pragma(store, "schema_version", &tables, err);
	if (r < 0)
		return r;
	if (tables != 0 && application != SQLITE_APPLICATION_ID) {
		err_set(err, -EEXIST, "'%s/%s' is a database, but not one of plumb's",
			store->folder, STORE_DATABASE);
		return err_hint(err, -EEXIST, "use another --results folder");
	}
	if (version > RECORD_SCHEMA_VERSION) {
		err_set(err, -EPROTONOSUPPORT,
			"'%s/%s' has schema version %lld, written by a newer plumb; this one knows "
			"up to %d",
			store->folder, STORE_DATABASE, (long long)version, RECORD_SCHEMA_VERSION);
		return err_hint(
			err, -EPROTONOSUPPORT, "use that plumb, or another --results folder");
	}
	*ret_version = version;
	return 0;
}

static int execute(struct sqlite_store *store, const char *sql, struct err *err)
{
	int code = sqlite3_exec(store->db, sql, NULL, NULL, NULL);

	return code == SQLITE_OK ? 0 : sqlite_failed(store, code, err, "set up the tables");
}

static int make_schema(struct sqlite_store *store, struct err *err)
{
	char pragmas[128];
	int r = execute(store, "BEGIN IMMEDIATE", err);

	if (r < 0)
		return r;
	snprintf(pragmas, sizeof(pragmas), "PRAGMA application_id = %d; PRAGMA user_version = %d",
		SQLITE_APPLICATION_ID, RECORD_SCHEMA_VERSION);
	r = execute(store, sqlite_schema, err);
	if (r == 0)
		r = execute(store, pragmas, err);
	if (r == 0)
		return execute(store, "COMMIT", err);
	sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL); /* the first error is what counts */
	return r;
}

/* SQLite's own quick look through the tables that every command reads. */
static int check_damage(struct sqlite_store *store, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(sqlite_tables); i++) {
		char sql[64];
		sqlite3_stmt *statement;
		int r;

		snprintf(sql, sizeof(sql), "PRAGMA quick_check('%s')", sqlite_tables[i]);
		r = sqlite_prepare(store, sql, &statement, err);
		if (r < 0)
			return r;
		r = sqlite_step(store, statement, err);
		if (r > 0 && strcmp(sqlite_text(statement, 0), "ok") != 0) {
			err_set(err, -EUCLEAN, "'%s/%s' is damaged, table %s: %s", store->folder,
				STORE_DATABASE, sqlite_tables[i], sqlite_text(statement, 0));
			r = err_hint(err, -EUCLEAN,
				"keep the folder, save what can be read with "
				"'sqlite3 " STORE_DATABASE
				" .recover', and use another --results folder");
		}
		sqlite3_finalize(statement);
		if (r < 0)
			return r;
	}
	return 0;
}

static int open_for_writing(struct sqlite_store *store, struct err *err)
{
	int64_t version = 0;
	int r = file_make_folders(store->folder, 0755, NULL);

	if (r < 0 || access(store->folder, W_OK) < 0)
		return folder_refused(store->folder, r < 0 ? r : -errno, err);
	r = take_lock(store->folder, &store->lock, err);
	if (r == 0)
		r = open_database(store, "mode=rwc", err);
	if (r == 0)
		r = check_owner(store, &version, err);
	if (r == 0)
		r = execute(store,
			"PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys "
			"= ON",
			err);
	if (r == 0)
		r = version == 0 ? make_schema(store, err) : check_damage(store, err);
	return r == 0 && version != 0 ? execute(store, SQLITE_ABSENT_TABLE, err) : r;
}

/* A folder that can only be read has no room for the files that WAL mode shares: without such
 * files nobody is writing, and the database may be read as it lies. */
static const char *reading_options(const char *folder, const char *path)
{
	char *wal = memory_format("%s-wal", path);
	bool shared = file_exists(wal);

	free(wal);
	if (access(folder, W_OK) == 0 && access(path, W_OK) == 0)
		return "mode=rw";
	return shared ? "mode=ro" : "mode=ro&immutable=1";
}

static int open_for_reading(struct sqlite_store *store, struct err *err)
{
	char *path = memory_format("%s/%s", store->folder, STORE_DATABASE);
	const char *options = reading_options(store->folder, path);
	int64_t version = 0;
	int r = 0;

	if (!file_exists(path)) {
		r = err_set(err, -ENOENT, "there are no results in '%s'", store->folder);
		err_hint(
			err, r, "'plumb run STUDY.ini' makes them; --results DIR names the folder");
	}
	free(path);
	if (r == 0)
		r = open_database(store, options, err);
	if (r == 0)
		r = execute(store, "PRAGMA query_only = ON", err);
	if (r == 0)
		r = check_owner(store, &version, err);
	if (r == 0 && version == 0) {
		r = err_set(err, -ENOENT, "there are no results in '%s' yet", store->folder);
		err_hint(err, r, "'plumb run STUDY.ini' makes them");
	}
	return r < 0 ? r : check_damage(store, err);
}

int sqlite_open(const char *path, enum store_mode mode, struct store **ret_store, struct err *err)
{
	struct sqlite_store *store = memory_new(sizeof(*store));
	int r;

	store->base.driver = &sqlite_store;
	store->folder = memory_copy_string(path);
	store->lock = -1;
	r = mode == STORE_WRITE ? open_for_writing(store, err) : open_for_reading(store, err);
	if (r < 0) {
		sqlite_close(&store->base);
		return r;
	}
	*ret_store = &store->base;
	return 0;
}

void sqlite_close(struct store *base)
{
	struct sqlite_store *store = CONTAINER_OF(base, struct sqlite_store, base);

	sqlite3_close(store->db);
	if (store->lock >= 0)
		close(store->lock);
	free(store->folder);
	free(store);
}

void sqlite_name_lock(struct sqlite_store *store, const char *study)
{
	if (store->lock >= 0)
		write_lock_text(store->lock, study);
}
