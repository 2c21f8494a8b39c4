/*
 * One workload driver against a real server, without the rest of plumb: makes a private cluster in
 * a scratch folder, loads, runs, verifies, prints the record, removes everything.
 *
 *	driver_run SCRATCH TYPE [section.key=value ...]
 *
 * Settings are those of a study. Lines: "sample PHASE METRIC VALUE", "fact NAME VALUE",
 * "note LEVEL CODE TEXT". Exit 0, 2 when the driver failed (its message on stderr).
 */
#include "base/file.h"
#include "base/macros.h"
#include "base/memory.h"
#include "postgres/cluster.h"
#include "workload/workload.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct scene {
	struct arena arena;
	struct settings settings;
	const char *folder;
	struct pg_cluster *cluster;
	bool drop_user;
	uid_t user_id;
	gid_t group_id;
};

static int make_folder(const struct scene *scene, const char *path, struct err *err)
{
	int r = file_make_folders(path, 0700, err);

	if (r == 0 && scene->drop_user && chown(path, scene->user_id, scene->group_id) < 0)
		r = err_set_errno(err, -1, "chown '%s'", path);
	return r;
}

static const struct setting *row_of(
	const struct workload_driver *driver, const char *name, const char *type)
{
	const struct setting *tables[] = { driver->settings, NULL };
	const struct setting_catalog catalog = { tables };

	return strncmp(name, "workload.", 9) == 0
		       ? setting_find(&catalog, "workload", name + 9, type)
		       : NULL;
}

/* Fallbacks of the driver, then the command line; a bad value is refused as in a study. */
static int read_settings(
	struct scene *scene, const struct workload_driver *driver, char **words, struct err *err)
{
	for (const struct setting *row = driver->settings; row->key; row++)
		if (row->fallback)
			settings_set(&scene->settings,
				&(struct setting_value){ .name = arena_format(&scene->arena,
								 "workload.%s", row->key),
					.text = row->fallback });
	for (; *words; words++) {
		char *equals = strchr(*words, '=');
		const char *name =
			arena_copy_bytes(&scene->arena, *words, (size_t)(equals - *words));
		const struct setting *row = row_of(driver, name, driver->name);
		const char *text = equals + 1;
		int r = row ? setting_canonical(row, text, &scene->arena, &text, err) : 0;

		if (r < 0)
			return r;
		settings_set(
			&scene->settings, &(struct setting_value){ .name = name, .text = text });
	}
	return driver->check_settings ? driver->check_settings(&scene->settings, err) : 0;
}

static int start_cluster(struct scene *scene, struct err *err)
{
	struct pg_cluster_options options = {
		.data_directory = arena_format(&scene->arena, "%s/fs/data", scene->folder),
		.socket_directory = arena_format(&scene->arena, "%s/s", scene->folder),
		.log_path = arena_format(&scene->arena, "%s/raw/server.log", scene->folder),
		.settings = &scene->settings,
		.drop_user = scene->drop_user,
		.user_id = scene->user_id,
		.group_id = scene->group_id,
	};
	int r = make_folder(scene, options.socket_directory, err);

	if (r == 0)
		r = pg_cluster_open(&options, &scene->cluster, err);
	if (r == 0)
		r = pg_cluster_init(scene->cluster, err);
	if (r == 0)
		r = pg_cluster_configure(scene->cluster, &scene->settings, err);
	return r == 0 ? pg_cluster_start(scene->cluster, err) : r;
}

static int run_workload(struct workload *workload, struct trial_record *record, struct err *err)
{
	struct workload_progress progress;
	int r = workload_load(workload, record, err);

	if (r == 0)
		r = workload_start(workload, 1 * NS_PER_S, 2 * NS_PER_S, err);
	while (r >= 0 && r != WORKLOAD_ENDED)
		r = workload_step(workload, &progress, err);
	if (r >= 0)
		r = workload_collect(workload, record, err);
	return r < 0 ? r : workload_verify(workload, record, err);
}

static int run_driver(struct scene *scene, const struct workload_driver *driver,
	struct trial_record *record, struct err *err)
{
	struct workload_context context = {
		.settings = &scene->settings,
		.cluster = scene->cluster,
		.mount_path = arena_format(&scene->arena, "%s/fs", scene->folder),
		.raw_folder = arena_format(&scene->arena, "%s/raw", scene->folder),
		.drop_user = scene->drop_user,
		.user_id = scene->user_id,
		.group_id = scene->group_id,
		.seed = 1,
		.clock = clock_system(),
	};
	struct workload *workload;
	int r = workload_open(driver, &context, &workload, err);

	if (r < 0)
		return r;
	r = run_workload(workload, record, err);
	workload_stop(workload);
	workload_close(workload);
	return r;
}

static void print_record(const struct trial_record *record)
{
	for (size_t i = 0; i < record->sample_count; i++)
		if (record->samples[i].at_ns == SAMPLE_WHOLE)
			printf("sample %s %s %.9g\n", record->samples[i].phase,
				record->samples[i].metric, record->samples[i].value);
	for (size_t i = 0; i < record->fact_count; i++)
		printf("fact %s %s\n", record->facts[i].name, record->facts[i].value);
	for (size_t i = 0; i < record->note_count; i++)
		printf("note %d %s %s\n", record->notes[i].level, record->notes[i].code,
			record->notes[i].text);
}

/* Folder, settings, cluster where the driver needs one, run. */
static int play(struct scene *scene, const struct workload_driver *driver, char **words,
	struct trial_record *record, struct err *err)
{
	int r = read_settings(scene, driver, words, err);

	if (r == 0)
		r = make_folder(scene, scene->folder, err);
	if (r == 0)
		r = make_folder(scene, arena_format(&scene->arena, "%s/fs", scene->folder), err);
	if (r == 0)
		r = make_folder(scene, arena_format(&scene->arena, "%s/raw", scene->folder), err);
	if (r == 0 && driver->needs_cluster)
		r = start_cluster(scene, err);
	return r == 0 ? run_driver(scene, driver, record, err) : r;
}

int main(int argc, char **argv)
{
	struct scene scene = { .folder = argc > 1 ? argv[1] : NULL };
	const struct workload_driver *driver = argc > 2 ? workload_find(argv[2]) : NULL;
	const struct passwd *user = getpwnam("postgres");
	struct trial_record record;
	struct err err = ERR_INIT, undo = ERR_INIT;
	int r;

	if (!driver)
		return 1;
	if (geteuid() == 0 && user) {
		scene.drop_user = true;
		scene.user_id = user->pw_uid;
		scene.group_id = user->pw_gid;
	}
	trial_record_init(&record);
	r = play(&scene, driver, argv + 3, &record, &err);
	if (scene.cluster)
		pg_cluster_stop(scene.cluster, PG_STOP_IMMEDIATE, 10 * NS_PER_S, &undo);
	pg_cluster_close(scene.cluster);
	if (file_remove_tree(scene.folder, &undo) < 0)
		fprintf(stderr, "%s\n", undo.message);
	print_record(&record);
	if (r < 0)
		fprintf(stderr, "%s\n", err.message);
	trial_record_release(&record);
	settings_release(&scene.settings);
	arena_release(&scene.arena);
	return r < 0 ? 2 : 0;
}
