/* What the files of the admin commands share. */
#ifndef ZFSD_ADMIN_INTERNAL_H
#define ZFSD_ADMIN_INTERNAL_H

#include "zfsd/daemon.h"

#include "base/strbuf.h"
#include <jansson.h>

/* --- admin.c --- */
/* Answer the whole lines that pending holds, in order, and keep the rest there. False: the
 * connection ends, because reply_with said so or the line that has begun is too long. */
bool admin_answer_lines(struct zfsd_daemon *daemon, struct strbuf *pending,
	bool (*reply_with)(void *context, const char *reply), void *context);

/* --- admin_commands.c --- */

const char *admin_text(const json_t *request, const char *name); /* lent; NULL if not given */
bool admin_flag(const json_t *request, const char *name, bool fallback);
/* row as in the table of commands; what is named in messages. -EINVAL. */
int admin_check_arguments(
	const char *row, const json_t *request, const char *what, struct err *err);

/* --- admin_datasets.c: commands that take more than a name --- */
int admin_run_create(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err);
int admin_run_import(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err);
int admin_run_list(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err);
int admin_run_get(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err);
int admin_run_set(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err);
int admin_run_inherit(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err);
int admin_run_mount(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err);
int admin_run_mounts(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err);
int admin_run_record_sizes(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err);

#endif
