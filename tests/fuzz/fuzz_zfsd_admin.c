/*
 * The admin socket of plumb-zfsd: whatever bytes a client sends, in whatever pieces, each whole
 * line gets one line of JSON back that says ok or has an error with a number and a sentence; the
 * lock on changes is free afterwards. The first byte of an input is the size of the pieces.
 */
#include "fuzz.h"
#include "lib/fake_zfsd.h"

#include "zfsd/admin_internal.h"
#include "zfsd/zfsd_protocol.h"

#include <stdlib.h>
#include <string.h>

static bool check_reply(void *lines, const char *reply)
{
	const char *end = strchr(reply, '\n');
	json_t *parsed = json_loads(reply, 0, NULL);
	const json_t *ok = json_object_get(parsed, "ok"), *error = json_object_get(parsed, "error");

	if (!end || end[1] != '\0' || !json_is_boolean(ok))
		abort();
	if (json_is_true(ok) && !json_is_object(json_object_get(parsed, "result")))
		abort();
	if (json_is_false(ok) && (json_integer_value(json_object_get(error, "errno")) <= 0 ||
					 !json_string_length(json_object_get(error, "message")) ||
					 !json_string_length(json_object_get(error, "name"))))
		abort();
	json_decref(parsed);
	(*(size_t *)lines)++;
	return true;
}

static size_t count_lines(const uint8_t *data, size_t size)
{
	size_t count = 0;

	for (size_t i = 0; i < size; i++)
		count += data[i] == '\n';
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t piece = size > 0 ? (size_t)data[0] * data[0] + 1 : 1, answered = 0;
	struct strbuf pending = STRBUF_INIT;
	struct zfsd_daemon daemon;
	bool good = true;

	if (size <= 1 || size > ZFSD_LINE_MAX_BYTES / 2)
		return 0;
	fake_zfsd_init(&daemon);
	for (size_t at = 1; good && at < size; at += piece) {
		strbuf_add(&pending, (const char *)data + at, MIN(piece, size - at));
		good = admin_answer_lines(&daemon, &pending, check_reply, &answered);
	}
	if (!good || answered != count_lines(data + 1, size - 1) ||
		memchr(pending.data, '\n', pending.length))
		abort();
	if (pthread_mutex_trylock(&daemon.change_lock) != 0 ||
		pthread_mutex_trylock(&daemon.mounts_lock) != 0)
		abort();
	strbuf_release(&pending);
	fake_zfsd_release(&daemon);
	return 0;
}
