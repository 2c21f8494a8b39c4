/* The mounts that the cluster's folders lie on. */
#include "doctor/collect/collect_internal.h"
#include "doctor/facts.h"
#include "platform/os_mount.h"
#include <stdio.h>
#include <string.h>

static json_t *mount_named(const struct collector *collector, const char *path)
{
	size_t i;
	json_t *mount;

	json_array_foreach(facts_at(collector->facts, "mounts"), i,
		mount) if (strcmp(facts_text(mount, "path", ""), path) == 0) return mount;
	return NULL;
}

/* All options in force, defaults too, where a filesystem tells them: ext4 does, in one file a
 * device. They stand in for what the mount table leaves out. */
static void add_parameters(json_t *mount)
{
	struct strbuf text = STRBUF_INIT;
	const char *device = strrchr(facts_text(mount, "source", ""), '/');

	if (strncmp(facts_text(mount, "type", ""), "ext", 3) == 0 && device &&
		collect_text_at(&text, "/proc/fs/ext4/%s/options", device + 1)) {
		for (char *c = text.data; *c; c++)
			if (*c == '\n')
				*c = ',';
		facts_put_text(mount, "parameters", text.data);
	}
	strbuf_release(&text);
}

static void add_mount(struct collector *collector, const struct os_mount *row)
{
	json_t *mount = json_object();
	struct strbuf options = STRBUF_INIT;
	struct os_space space;

	strbuf_add_format(&options, "%s,%s", row->options, row->super_options);
	facts_put_text(mount, "path", row->path);
	facts_put_text(mount, "type", row->type);
	facts_put_text(mount, "source", row->source);
	facts_put_text(mount, "options", options.data);
	if (os_space(row->path, &space) == 0) {
		facts_put_number(mount, "total_bytes", (double)space.total_bytes);
		facts_put_number(mount, "available_bytes", (double)space.available_bytes);
		facts_put_number(mount, "block_bytes", (double)space.block_bytes);
	}
	/* btrfs has no device number of its own, its source names a device. */
	facts_put_text(mount, "device",
		row->major != 0 ? collect_device_numbered(collector, row->major, row->minor)
		: strncmp(row->source, "/dev/", 5) == 0
			? collect_device_named(collector, row->source)
			: NULL);
	add_parameters(mount);
	json_array_append_new(facts_at(collector->facts, "mounts"), mount);
	strbuf_release(&options);
}

void collect_mounts(struct collector *collector)
{
	struct os_mount_table table;
	struct err err = ERR_INIT;
	size_t i;
	json_t *location;

	if (os_mount_table_read(&table, &err) < 0) {
		facts_unseen(collector->facts, "mounts", "%s", err.message);
		return;
	}
	facts_put(collector->facts, "mounts", json_array());
	json_array_foreach(facts_at(collector->facts, "locations"), i, location)
	{
		const char *path =
			facts_text(location, "real_path", facts_text(location, "path", "/"));
		const struct os_mount *row = os_mount_table_above(&table, path);
		if (!row)
			continue;
		facts_put_text(location, "mount_path", row->path);
		if (!mount_named(collector, row->path))
			add_mount(collector, row);
	}
	os_mount_table_release(&table);
}
