/*
 * The commands of the admin socket: each row of the table says which arguments it takes and who
 * carries it out. Arguments are checked against the table before anything is touched.
 */
#include "zfsd/admin_internal.h"
#include "zfsd/zfsd_protocol.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/strbuf.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM_VERSION ZFSD_PROGRAM " " PLUMB_VERSION

/* Types: s text, b boolean, a array, o object, i whole number; an upper-case letter is required. */
struct command {
	const char *word;
	bool changes;
	const char *arguments; /* "Sname bforce" */
	int (*run)(
		struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err);
};

const char *admin_text(const json_t *request, const char *name)
{
	return json_string_value(json_object_get(request, name));
}

bool admin_flag(const json_t *request, const char *name, bool fallback)
{
	const json_t *value = json_object_get(request, name);

	return value ? json_is_true(value) : fallback;
}

/* Take the members of found over into reply. */
static void give(json_t *reply, json_t *found)
{
	json_object_update(reply, found);
	json_decref(found);
}

static int run_ping(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err)
{
	const struct kernel_options *kernel = &daemon->options.kernel;
	int64_t up_ns = clock_system()->now_ns(clock_system()) - daemon->start_ns;

	(void)request;
	(void)err;
	give(reply, json_pack("{s:s, s:s, s:s, s:i, s:I, s:I, s:I, s:I, s:i, s:i}", "program",
			    PROGRAM_VERSION, "library", daemon->library.version, "library_hash",
			    daemon->library.hash, "pid", (int)getpid(), "uptime_s",
			    (json_int_t)(up_ns / NS_PER_S), "arc_max_bytes",
			    (json_int_t)kernel->arc_max_bytes, "arc_min_bytes",
			    (json_int_t)kernel->arc_min_bytes, "dirty_data_max_bytes",
			    (json_int_t)kernel->dirty_data_max_bytes, "txg_timeout_s",
			    (int)kernel->txg_timeout_s, "workers", (int)daemon->options.workers));
	return 0;
}

static int run_export(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err)
{
	const char *name = admin_text(request, "name");
	bool force = admin_flag(request, "force", false);
	int r;

	(void)reply;
	if (!force && daemon_is_mounted(daemon, name, true))
		return err_set(err, -EBUSY, "pool '%s' has mounted datasets", name);
	r = daemon_unmount(daemon, name, true, force, err);
	return r < 0 ? r : pool_export(name, force, err);
}

static int run_destroy(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err)
{
	const char *name = admin_text(request, "name");
	bool force = admin_flag(request, "force", false);
	bool recursive = admin_flag(request, "recursive", false);
	bool pool = !strpbrk(name, "/@");
	int r;

	(void)reply;
	if (!force && daemon_is_mounted(daemon, name, pool || recursive))
		return err_set(err, -EBUSY, "'%s' is mounted", name);
	r = daemon_unmount(daemon, name, pool || recursive, force, err);
	if (r < 0)
		return r;
	return pool ? pool_destroy(name, err) : dataset_destroy(name, recursive, err);
}

static int run_scrub(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err)
{
	const char *action = admin_text(request, "action");

	(void)daemon;
	(void)reply;
	return pool_scrub(admin_text(request, "name"), action ? action : "start", err);
}

static int run_snapshot(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err)
{
	(void)daemon;
	(void)reply;
	return dataset_snapshot(
		admin_text(request, "name"), admin_flag(request, "recursive", false), err);
}

static int run_rollback(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err)
{
	const char *name = admin_text(request, "name");
	char *dataset = memory_copy_bytes(name, strcspn(name, "@"));
	bool mounted = daemon_is_mounted(daemon, dataset, false);

	(void)reply;
	free(dataset);
	if (mounted)
		return err_set(err, -EBUSY, "the dataset of '%s' is mounted", name);
	return dataset_rollback(name, admin_flag(request, "destroy_newer", false), err);
}

static int run_unmount(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err)
{
	const char *name = admin_text(request, "name");

	(void)reply;
	if (!daemon_find_mount(daemon, name))
		return err_set(err, -ENOENT, "'%s' is not mounted", name);
	return daemon_unmount(daemon, name, false, admin_flag(request, "force", false), err);
}

static int run_sync(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err)
{
	uint64_t txg;
	int r = pool_sync(admin_text(request, "name"), &txg, err);

	(void)daemon;
	if (r == 0)
		json_object_set_new(reply, "txg", json_integer((json_int_t)txg));
	return r;
}

static int run_clock(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err)
{
	(void)daemon;
	(void)reply;
	return pool_set_clock(
		admin_text(request, "name"), admin_flag(request, "running", false), err);
}

static int run_status(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err)
{
	json_t *found = NULL;
	int r = pool_status(admin_text(request, "name"), &found, err);

	(void)daemon;
	if (r == 0)
		give(reply, found);
	return r;
}

static int run_iostat(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err)
{
	json_t *found = NULL;
	int r = pool_iostat(admin_text(request, "name"), &found, err);

	(void)daemon;
	if (r == 0)
		give(reply, found);
	return r;
}

static json_t *front_statistics(void)
{
	struct front_counters counters;
	json_t *object = json_object();

	mount_counters(&counters);
#define ADD_COUNTER(name) \
	json_object_set_new(object, #name, json_integer((json_int_t)counters.name));
	FRONT_COUNTERS(ADD_COUNTER)
#undef ADD_COUNTER
	return object;
}

static int run_stats(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err)
{
	int64_t now_ns = clock_system()->now_ns(clock_system());

	(void)daemon;
	(void)err;
	json_object_set_new(reply, "time_ns", json_integer(now_ns));
	json_object_set_new(reply, "arc", statistics_arc());
	json_object_set_new(reply, "fuse", front_statistics());
	json_object_set_new(reply, "process", statistics_process());
	json_object_set_new(reply, "pools", statistics_pools(admin_text(request, "name")));
	return 0;
}

static int run_shutdown(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err)
{
	uint64_t one = 1;
	int r = daemon_stop_all(daemon, admin_flag(request, "force", false), err);

	(void)reply;
	if (r == 0 && write(daemon->stop_fd, &one, sizeof(one)) != (ssize_t)sizeof(one))
		r = err_set_errno(err, -errno, "tell the main thread");
	return r;
}

static int run_crash(
	struct zfsd_daemon *daemon, const json_t *request, json_t *reply, struct err *err)
{
	(void)daemon;
	(void)reply;
	(void)err;
	if (admin_flag(request, "assertion", false))
		pool_fail_assertion();
	kill(getpid(), SIGKILL);
	return 0;
}

static const struct command commands[] = {
	{ "ping", false, "", run_ping },
	{ "create", true, "Sname avdevs oproperties odataset_properties bforce bparents adestroy",
		admin_run_create },
	{ "import", true, "Adevices sname breadonly bforce bdestroyed", admin_run_import },
	{ "export", true, "Sname bforce", run_export },
	{ "destroy", true, "Sname bforce brecursive", run_destroy },
	{ "list", false, "stype sname brecursive aproperties", admin_run_list },
	{ "get", false, "Sname Aproperties bpool", admin_run_get },
	{ "set", true, "Sname Oproperties bpool", admin_run_set },
	{ "inherit", true, "Sname Sproperty", admin_run_inherit },
	{ "status", false, "sname", run_status },
	{ "iostat", false, "Sname", run_iostat },
	{ "scrub", false, "Sname saction", run_scrub },
	{ "snapshot", true, "Sname brecursive", run_snapshot },
	{ "rollback", true, "Sname bdestroy_newer", run_rollback },
	{ "mount", true, "Sname Smountpoint ooptions", admin_run_mount },
	{ "unmount", true, "Sname bforce", run_unmount },
	{ "mounts", false, "", admin_run_mounts },
	{ "sync", false, "Sname", run_sync },
	{ "clock", true, "Sname Brunning", run_clock },
	{ "record_sizes", true, "Sname spath", admin_run_record_sizes },
	{ "stats", false, "sname", run_stats },
	{ "shutdown", true, "bforce", run_shutdown },
	{ "crash", false, "bassertion", run_crash },
};

static bool type_matches(char letter, const json_t *value)
{
	switch (letter | 0x20) {
	case 's':
		return json_is_string(value);
	case 'b':
		return json_is_boolean(value);
	case 'a':
		return json_is_array(value);
	case 'o':
		return json_is_object(value);
	default:
		return json_is_integer(value);
	}
}

/* The letter and name of the next argument in the row; false at its end. */
static bool next_argument(const char **row, char *ret_letter, char *name, size_t size)
{
	size_t length = strcspn(*row, " ");

	if (length == 0)
		return false;
	*ret_letter = **row;
	length = MIN(length, size);
	memcpy(name, *row + 1, length - 1);
	name[length - 1] = '\0';
	*row += length;
	*row += **row == ' ';
	return true;
}

int admin_check_arguments(const char *row, const json_t *request, const char *what, struct err *err)
{
	size_t known = 0;
	char letter, name[64];
	const char *rest = row, *key;
	json_t *value;

	while (next_argument(&rest, &letter, name, sizeof(name))) {
		value = json_object_get(request, name);
		if (!value && letter < 'a')
			return err_set(err, -EINVAL, "%s: argument '%s' is missing", what, name);
		if (value && !type_matches(letter, value))
			return err_set(
				err, -EINVAL, "%s: argument '%s' has the wrong type", what, name);
		known += value != NULL;
	}
	if (json_object_size(request) == known)
		return 0;
	json_object_foreach((json_t *)request, key, value)
	{
		bool found = false;

		rest = row;
		while (!found && next_argument(&rest, &letter, name, sizeof(name)))
			found = strcmp(name, key) == 0;
		if (!found)
			return err_set(err, -EINVAL, "%s: there is no argument '%s'", what, key);
	}
	return 0;
}

static int run_command(struct zfsd_daemon *daemon, json_t *request, json_t *reply, struct err *err)
{
	const json_t *protocol = json_object_get(request, "protocol");
	const char *word = admin_text(request, "command");
	char name[64];
	int r;

	if (protocol && json_integer_value(protocol) != ZFSD_PROTOCOL_VERSION)
		return err_set(
			err, -EPROTO, "this daemon speaks protocol %d", ZFSD_PROTOCOL_VERSION);
	if (!word)
		return err_set(err, -EINVAL, "the request has no command");
	(void)snprintf(name, sizeof(name), "%s", word);
	json_object_del(request, "protocol");
	json_object_del(request, "command");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		const struct command *command = &commands[i];

		if (strcmp(command->word, name) != 0)
			continue;
		r = admin_check_arguments(command->arguments, request, name, err);
		if (r < 0)
			return r;
		if (command->changes)
			pthread_mutex_lock(&daemon->change_lock);
		r = command->run(daemon, request, reply, err);
		if (command->changes)
			pthread_mutex_unlock(&daemon->change_lock);
		return r;
	}
	return err_set(err, -EINVAL, "there is no command '%s'", name);
}

/* A sentence that was cut inside a character, or holds a name of the disk's, may be no UTF-8. */
static json_t *make_sentence(const char *text)
{
	json_t *sentence = json_string(text);
	char *plain;

	if (sentence)
		return sentence;
	plain = memory_copy_string(text);
	for (char *c = plain; *c; c++)
		*c = *c & 0x80 ? '?' : *c;
	sentence = json_string(plain);
	free(plain);
	return sentence;
}

static json_t *describe_failure(int r, const struct err *err)
{
	const char *name = strerrorname_np(-r);

	return json_pack("{s:i, s:s, s:o}", "errno", -r, "name", name ? name : "EUNKNOWN",
		"message", make_sentence(err->message[0] ? err->message : strerror(-r)));
}

void admin_handle(struct zfsd_daemon *daemon, const char *line, size_t length, char **ret_reply)
{
	json_error_t json_error;
	json_t *request = json_loadb(line, length, JSON_REJECT_DUPLICATES, &json_error);
	json_t *result = json_object(), *reply;
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *dumped;
	int r;

	if (!json_is_object(request))
		r = err_set(&err, -EINVAL, "the request is not a JSON object: %s",
			request ? "another value" : json_error.text);
	else
		r = run_command(daemon, request, result, &err);
	if (r < 0)
		reply = json_pack("{s:b, s:o}", "ok", 0, "error", describe_failure(r, &err));
	else
		reply = json_pack("{s:b, s:O}", "ok", 1, "result", result);
	dumped = json_dumps(reply, JSON_COMPACT);
	strbuf_add_text(&text, dumped ? dumped : "{\"ok\":false}");
	strbuf_add_char(&text, '\n');
	free(dumped);
	json_decref(reply);
	json_decref(result);
	json_decref(request);
	*ret_reply = strbuf_detach(&text);
}
