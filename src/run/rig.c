/* Bringing a rig up and down, and what is asked of one that is up (see rig.h). */
#include "run/rig.h"

#include "base/file.h"
#include "base/memory.h"
#include "device/diskd_client.h"
#include "platform/os_mount.h"
#include "run/rig_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define STOP_NS	      (60 * NS_PER_S)
#define STOP_HURRY_NS (5 * NS_PER_S)

/* A fake target's rig touches nothing, so it has nothing to undo. */
static int null_note(struct undo_sink *sink UNUSED, const struct undo_record *record UNUSED,
	uint64_t *ret_id, struct err *err UNUSED)
{
	*ret_id = 0;
	return 0;
}

static int null_amend(struct undo_sink *sink UNUSED, uint64_t id UNUSED,
	const struct undo_record *record UNUSED, struct err *err UNUSED)
{
	return 0;
}

static int null_forget(struct undo_sink *sink UNUSED, uint64_t id UNUSED, struct err *err UNUSED)
{
	return 0;
}

static struct undo_sink null_sink = { null_note, null_amend, null_forget };

static void choose_id(struct rig *rig)
{
	uint32_t number;

	/* Not from the study's seed: two plumbs must never meet. */
	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		number = (uint32_t)getpid();
	snprintf(rig->id, sizeof(rig->id), "plumb-%08x", number);
}

static bool is_fake(const struct rig *rig)
{
	return rig->driver->base == TARGET_ON_FAKE;
}

static int begin(struct rig *rig, const struct rig_options *options, struct err *err)
{
	const char *type = settings_text(options->settings, "filesystem.type", "directory");

	*rig = (struct rig){ .options = *options, .awake_fd = -1 };
	choose_id(rig);
	rig->blame = RIG_OURS;
	rig->undo = &null_sink;
	rig->driver = target_find(type);
	if (!rig->driver)
		return err_set(err, -EINVAL, "filesystem.type = %s: there is no such target", type);
	if (is_fake(rig))
		return 0;
	int r = journal_create(
		options->folders->journal, rig->id, options->study, &rig->journal, err);
	if (r == 0)
		rig->undo = &rig->journal->sink;
	return r;
}

static int step_up(struct rig *rig, const struct rig_step *step, double *ret_s, struct err *err)
{
	struct clock *clock = rig->options.clock;
	int64_t start_ns = clock->now_ns(clock);
	int r;

	if (rig->options.step && rig->options.step(rig->options.listener, step->name)) {
		rig->blame = RIG_OURS;
		return err_set(err, -EINTR, "stopped by the user");
	}
	rig->blame = step->blame;
	r = step->up(rig, err);
	*ret_s = (double)(clock->now_ns(clock) - start_ns) / NS_PER_S;
	return r < 0 ? err_prefix(err, r, "%s", step->name) : 0;
}

int rig_up(struct rig *rig, const struct rig_options *options, struct err *err)
{
	int r = begin(rig, options, err);

	while (r == 0 && rig->done < rig_step_count) {
		const struct rig_step *step = &rig_steps[rig->done];

		/* Counted before it is tried: down accepts half-done work. */
		rig->done++;
		if (step->with_fake || !is_fake(rig))
			r = step_up(rig, step, &rig->step_s[rig->done - 1], err);
	}
	return r;
}

int rig_down(struct rig *rig, bool hurry, struct err *err)
{
	int first = rig->driver ? rig_stop(rig, hurry, err) : 0;

	for (; rig->done > 0; rig->done--) {
		const struct rig_step *step = &rig_steps[rig->done - 1];
		int r = 0;

		if (step->down && (step->with_fake || !is_fake(rig)))
			r = step->down(rig, err);
		if (first == 0)
			first = r;
	}
	rig->cluster = pg_cluster_close(rig->cluster);
	rig->target = target_close(rig->target);
	rig->journal = journal_close(rig->journal);
	arena_release(&rig->arena);
	return first;
}

int rig_start(struct rig *rig, const struct settings *settings, struct err *err)
{
	int r;

	if (!rig->cluster)
		return 0;
	rig->blame = RIG_SYSTEM;
	r = pg_cluster_configure(rig->cluster, settings, err);
	if (r == 0)
		r = pg_cluster_start(rig->cluster, err);
	rig->server_runs = r == 0;
	return r;
}

int rig_stop(struct rig *rig, bool hurry, struct err *err)
{
	enum pg_stop_mode mode = hurry ? PG_STOP_IMMEDIATE : PG_STOP_FAST;

	if (!rig->server_runs)
		return 0;
	rig->server_runs = false;
	return pg_cluster_stop(rig->cluster, mode, hurry ? STOP_HURRY_NS : STOP_NS, err);
}

int rig_set_clock(struct rig *rig, bool running, struct err *err)
{
	int first = 0;

	if (rig->target && rig->target->mounted && rig->driver->set_clock)
		first = rig->driver->set_clock(rig->target, running, err);
	for (size_t i = 0; i < rig->disk_count; i++) {
		int r = rig_disk_set_clock(&rig->disks[i], running, err);

		if (first == 0)
			first = r;
	}
	return first;
}

int rig_check(struct rig *rig, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < rig->disk_count; i++)
		r = rig_disk_check(&rig->disks[i], err);
	/* Before the server, which does not outlive its filesystem for long. */
	if (r == 0 && rig->target && rig->target->mounted)
		r = target_alive(rig->target, err);
	if (r == 0 && rig->server_runs && !pg_cluster_alive(rig->cluster, err)) {
		rig->server_runs = false;
		r = -EPIPE;
	}
	return r;
}

static void machine_facts(struct rig *rig, struct trial_record *record)
{
	const struct settings *settings = rig->options.settings;
	const char *memory = settings_text(settings, "machine.memory", NULL);
	const char *cpus = settings_text(settings, "machine.cpus", NULL);
	struct os_cgroup_limits limits;
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	trial_record_fact(record, "machine.processors",
		settings_text(settings, "machine.processors", NULL),
		rig->awake_fd >= 0 ? "awake" : "asleep");
	if (!rig->has_cgroup)
		return;
	if (os_cgroup_read(&rig->cgroup, &limits, &err) < 0) {
		trial_record_note(record, NOTE_WARNING, "limits-unknown", "%s", err.message);
		return;
	}
	if (limits.memory_bytes)
		size_format(limits.memory_bytes, &text);
	trial_record_fact(record, "machine.memory", memory, text.length ? text.data : "none");
	strbuf_clear(&text);
	strbuf_add_format(&text, "%g", limits.cpus);
	trial_record_fact(record, "machine.cpus", cpus, limits.cpus > 0 ? text.data : "none");
	strbuf_clear(&text);
	strbuf_add_format(&text, "%d", rig->cgroup.version);
	trial_record_fact(record, "machine.cgroup_version", NULL, text.data);
	strbuf_release(&text);
}

static void device_facts(struct rig *rig, struct trial_record *record)
{
	for (size_t i = 0; i < rig->disk_count; i++) {
		const struct rig_disk *disk = &rig->disks[i];
		struct strbuf text = STRBUF_INIT;
		char name[64];

		snprintf(name, sizeof(name), "device.%zu", i);
		size_format(disk->size_bytes, &text);
		strbuf_add_format(&text, " sector %u %s", disk->sector_bytes,
			disk->spec ? disk->spec : "loop device with direct I/O over a sparse file");
		trial_record_fact(record, name, NULL, text.data);
		strbuf_release(&text);
	}
}

static void step_samples(struct rig *rig, struct trial_record *record)
{
	for (size_t i = 0; i < rig_step_count; i++) {
		char name[64];
		struct sample sample = { .metric = name,
			.phase = "setup",
			.source = "plumb",
			.value = rig->step_s[i],
			.at_ns = SAMPLE_WHOLE };

		if (rig->step_s[i] <= 0)
			continue;
		snprintf(name, sizeof(name), "step_%s_s", rig_steps[i].name);
		trial_record_sample(record, &sample);
	}
}

/* What was asked for and is not in force: a warning in every report. */
static void note_differences(struct trial_record *record, size_t first_fact)
{
	for (size_t i = first_fact; i < record->fact_count; i++) {
		const struct fact *fact = &record->facts[i];

		if (fact->asked && strcmp(fact->asked, fact->value) != 0)
			trial_record_note(record, NOTE_WARNING, "setting-differs",
				"%s: asked for %s, in force is %s", fact->name, fact->asked,
				fact->value);
	}
}

int rig_describe(struct rig *rig, struct trial_record *record, struct err *err)
{
	size_t first_fact = record->fact_count;
	int r = 0;

	machine_facts(rig, record);
	device_facts(rig, record);
	step_samples(rig, record);
	trial_record_fact(record, "rig.restore", NULL, rig_restore_word(rig));
	if (rig->target)
		r = target_describe(rig->target, record, err);
	note_differences(record, first_fact);
	/* The cluster compares its own: there two spellings may be one value. */
	if (r == 0 && rig->cluster && rig->server_runs)
		r = pg_cluster_describe(rig->cluster, record, err);
	return r;
}

const char *const *rig_block_devices(struct rig *rig)
{
	const char **names = arena_new_array(&rig->arena, rig->disk_count + 1, sizeof(*names));
	size_t count = 0;

	for (size_t i = 0; i < rig->disk_count; i++)
		if (rig->disks[i].loop_path[0])
			names[count++] = strrchr(rig->disks[i].loop_path, '/') + 1;
	return names;
}

struct diskd *const *rig_disk_daemons(struct rig *rig)
{
	struct diskd **daemons =
		arena_new_array(&rig->arena, rig->disk_count + 1, sizeof(*daemons));
	size_t count = 0;

	for (size_t i = 0; i < rig->disk_count; i++)
		if (rig->disks[i].daemon)
			daemons[count++] = rig->disks[i].daemon;
	return daemons;
}

void rig_backing_bytes(struct rig *rig, const char *phase, struct trial_record *record)
{
	struct sample sample = {
		.metric = "backing_bytes", .phase = phase, .source = "stat", .at_ns = SAMPLE_WHOLE
	};
	bool any = false;

	for (size_t i = 0; i < rig->disk_count; i++) {
		struct stat info;

		if (!rig->disks[i].image_path || stat(rig->disks[i].image_path, &info) < 0)
			continue;
		sample.value += (double)info.st_blocks * 512;
		any = true;
	}
	if (any)
		trial_record_sample(record, &sample);
}

const char *rig_step_name(size_t step)
{
	return step < rig_step_count ? rig_steps[step].name : NULL;
}
