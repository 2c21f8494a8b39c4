/* The daemon behind `plumb zfs`: one for each user, started with the first pool and ended with the
 * last, so that nothing of it stays when no pool is in use. */
#include "cmd/zfs/zfs_internal.h"

#include "base/file.h"
#include "base/memory.h"
#include "run/folders.h"
#include "setting/setting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* $PLUMB_ZFS_FOLDER: a daemon apart from the user's own, for scripts and tests. */
static int use_folder(struct zfs_session *session, const char *folder, struct err *err)
{
	session->folder = memory_copy_string(folder);
	session->socket_path = memory_format("%s/socket", folder);
	session->log_path = memory_format("%s/plumb-zfsd.log", folder);
	return file_make_folders(folder, 0700, err);
}

static int find_folder(struct zfs_session *session, struct err *err)
{
	const char *chosen = getenv("PLUMB_ZFS_FOLDER");
	struct folders folders = { 0 };
	int r = folders_init(&folders, NULL, err);

	if (r < 0)
		return r;
	session->proof_folder = memory_format("%s/zfsd", folders.cache);
	if (chosen && *chosen) {
		folders_release(&folders);
		return use_folder(session, chosen, err);
	}
	r = folders_make(&folders, err);
	if (r == 0) {
		session->folder = memory_format("%s/zfs", folders.runtime);
		session->socket_path = memory_format("%s/socket", session->folder);
		session->log_path = memory_format("%s/plumb-zfsd.log", folders.scratch);
		r = file_make_folders(session->folder, 0700, err);
	}
	folders_release(&folders);
	return r;
}

static int start_daemon(
	struct zfs_session *session, const struct zfs_options *options, struct err *err)
{
	struct zfsd_options daemon = { .socket_path = session->socket_path,
		.log_path = session->log_path,
		.proof_folder = session->proof_folder };

	if (options->arc_max && size_parse(options->arc_max, &daemon.arc_max_bytes) < 0)
		return err_set(
			err, -EINVAL, "--arc-max: '%s' is no size such as 512M", options->arc_max);
	return zfsd_start(&daemon, &session->zfsd, err);
}

int zfs_session_open(
	struct zfs_session *session, bool start, const struct zfs_options *options, struct err *err)
{
	int r;

	*session = (struct zfs_session){ 0 };
	r = find_folder(session, err);
	if (r < 0)
		return r;
	if (zfsd_connect(session->socket_path, 0, &session->zfsd, NULL) == 0)
		return 0;
	if (start)
		return start_daemon(session, options, err);
	err_set(err, -ENOENT, "no pools available");
	return err_hint(err, -ENOENT, "'plumb zfs create' makes one, 'plumb zfs import' finds one");
}

/* Pools that the daemon has; negative if it does not answer. */
static int pool_count(struct zfs_session *session)
{
	json_t *result;
	int count;

	if (zfsd_request(session->zfsd, "status", NULL, &result, NULL) < 0)
		return -1;
	count = (int)json_array_size(json_object_get(result, "pools"));
	json_decref(result);
	return count;
}

void zfs_session_close(struct zfs_session *session)
{
	if (session->zfsd && pool_count(session) == 0)
		zfsd_stop(session->zfsd, NULL);
	zfsd_close(session->zfsd);
	free(session->folder);
	free(session->socket_path);
	free(session->log_path);
	free(session->proof_folder);
}

int zfs_request_name(struct zfs_session *session, const char *command, const char *name,
	json_t **ret_result, struct err *err)
{
	return zfsd_request(
		session->zfsd, command, json_pack("{s:s}", "name", name), ret_result, err);
}
