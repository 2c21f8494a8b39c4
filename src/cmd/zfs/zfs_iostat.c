/* What pools do, once or again and again, in the words of zpool-iostat(8). */
#include "cmd/zfs/zfs_internal.h"

#include "base/clock.h"
#include "setting/setting.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static double number(const json_t *object, const char *name)
{
	return json_number_value(json_object_get(object, name));
}

/* Rates between two replies; before NULL: since the import, as zpool iostat's first lines are. */
static void iostat_row(struct zfs_table *table, const struct zfs_options *options,
	const json_t *before, const json_t *now)
{
	static const char *const rates[] = { "read_ops", "write_ops", "read_bytes", "write_bytes" };
	const json_t *vdevs = json_object_get(now, "vdevs");
	const json_t *old = json_object_get(before, "vdevs");
	double seconds = (before ? number(now, "time_ns") - number(before, "time_ns")
				 : number(vdevs, "counted_ns")) /
			 NS_PER_S;

	zfs_table_add(table, json_string_value(json_object_get(now, "name")));
	zfs_table_add(table, zfs_size_text(options, number(vdevs, "alloc_bytes")));
	zfs_table_add(table, zfs_size_text(options, number(vdevs, "free_bytes")));
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++)
		zfs_table_add(table,
			zfs_size_text(options,
				seconds > 0 ? (number(vdevs, rates[i]) - number(old, rates[i])) /
						      seconds
					    : 0));
}

struct iostat {
	struct zfs_session *session;
	const struct zfs_options *options;
	json_t *pools;	/* names */
	json_t *before; /* replies of the round before by pool; NULL in the first */
};

/* One round: a line for each pool, or a JSON object for each. */
static int iostat_round(const struct iostat *iostat, json_t *ret_now, struct err *err)
{
	static const char *const names[] = { "pool", "alloc", "free", "read ops/s", "write ops/s",
		"read B/s", "write B/s" };
	struct zfs_table table = { .columns = ARRAY_SIZE(names),
		.no_head = iostat->before != NULL };
	json_t *pool, *now;
	size_t i;
	int r = 0;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		zfs_table_add(&table, names[i]);
	json_array_foreach(iostat->pools, i, pool)
	{
		const char *name = json_string_value(pool);

		r = zfs_request_name(iostat->session, "iostat", name, &now, err);
		if (r < 0)
			break;
		json_object_set_new(ret_now, name, now);
		if (iostat->options->json)
			zfs_print_json(now);
		else
			iostat_row(&table, iostat->options, json_object_get(iostat->before, name),
				now);
	}
	if (r == 0 && !iostat->options->json)
		zfs_table_print(&table, iostat->options);
	else
		free(table.cells);
	fflush(stdout);
	return r;
}

/* The one that is named, or all. */
static int iostat_pools(
	struct zfs_session *session, const char *name, json_t *ret_pools, struct err *err)
{
	json_t *result, *pool;
	size_t i;
	int r;

	if (name) {
		json_array_append_new(ret_pools, json_string(name));
		return 0;
	}
	r = zfsd_request(session->zfsd, "status", NULL, &result, err);
	if (r < 0)
		return r;
	json_array_foreach(json_object_get(result, "pools"), i, pool)
		json_array_append(ret_pools, json_object_get(pool, "name"));
	json_decref(result);
	return 0;
}

static int iostat_rounds(struct iostat *iostat, int64_t interval_ns, int64_t count, struct err *err)
{
	struct clock *clock = clock_system();
	int r = 0;

	for (int64_t i = 0; r == 0 && i < count; i++) {
		json_t *now = json_object();

		if (i > 0)
			clock->sleep_until(clock, clock->now_ns(clock) + interval_ns);
		r = iostat_round(iostat, now, err);
		json_decref(iostat->before);
		iostat->before = now;
	}
	json_decref(iostat->before);
	return r;
}

/* "[POOL] [INTERVAL [COUNT]]": without an interval one round, rates since the import. No pool's
 * name begins with a digit. */
int zfs_iostat(struct zfs_session *session, struct zfs_options *options, struct err *err)
{
	const char *const *left = (const char *const *)options->arguments;
	int left_count = options->argument_count;
	const char *name = left_count > 0 && !isdigit((unsigned char)left[0][0]) ? left[0] : NULL;
	int64_t interval_ns = 0, count;
	struct iostat iostat = { .session = session, .options = options };
	int r;

	left += name ? 1 : 0;
	left_count -= name ? 1 : 0;
	count = left_count > 0 ? INT64_MAX : 1;
	if (left_count > 0 && (duration_parse(left[0], &interval_ns) < 0 || interval_ns <= 0))
		return err_set(err, -EINVAL, "interval '%s': must be seconds above 0", left[0]);
	if (left_count > 1 && (integer_parse(left[1], &count) < 0 || count < 1))
		return err_set(err, -EINVAL, "count '%s': must be a whole number above 0", left[1]);
	if (left_count > 2)
		return err_set(err, -EINVAL, "'%s' is no interval", left[0]);
	iostat.pools = json_array();
	r = iostat_pools(session, name, iostat.pools, err);
	if (r == 0)
		r = iostat_rounds(&iostat, interval_ns, count, err);
	json_decref(iostat.pools);
	return r;
}
