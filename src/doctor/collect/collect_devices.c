/* Block devices below the cluster, from sysfs. Layers (LVM, md, dm-crypt) bring what is below
 * them along. */
#include "doctor/collect/collect_internal.h"
#include "doctor/facts.h"
#include "base/macros.h"
#include <dirent.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static json_t *device_list(struct collector *collector)
{
	json_t *list = facts_at(collector->facts, "devices");

	if (!list) {
		list = json_array();
		facts_put(collector->facts, "devices", list);
	}
	return list;
}

static const char *add_name(struct collector *collector, const char *name)
{
	json_t *list = device_list(collector);
	size_t i;
	json_t *device;

	json_array_foreach(list, i, device) if (strcmp(facts_text(device, "name", ""), name) ==
						0) return facts_text(device, "name", NULL);
	device = json_object();
	facts_put_text(device, "name", name);
	json_array_append_new(list, device);
	return facts_text(device, "name", NULL);
}

const char *collect_device_numbered(struct collector *collector, unsigned major, unsigned minor)
{
	char link[64], path[PATH_MAX], partition[PATH_MAX + 16];

	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major, minor);
	if (!realpath(link, path))
		return NULL;
	snprintf(partition, sizeof(partition), "%s/partition", path);
	if (access(partition, F_OK) == 0)
		*strrchr(path, '/') = '\0';
	return add_name(collector, strrchr(path, '/') + 1);
}

const char *collect_device_named(struct collector *collector, const char *path)
{
	struct stat info;

	if (stat(path, &info) != 0 || !S_ISBLK(info.st_mode))
		return NULL;
	return collect_device_numbered(collector, major(info.st_rdev), minor(info.st_rdev));
}

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static void add_queue(json_t *device, const char *name)
{
	static const struct {
		const char *file, *member;
	} numbers[] = {
		{ "logical_block_size", "logical_bytes" },
		{ "physical_block_size", "physical_bytes" },
		{ "optimal_io_size", "optimal_bytes" },
		{ "minimum_io_size", "minimum_bytes" },
		{ "nr_requests", "queue_requests" },
	};
	char path[PATH_MAX];
	double number;
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		snprintf(path, sizeof(path), "/sys/block/%s/queue/%s", name, numbers[i].file);
		if (collect_number(path, &number))
			facts_put_number(device, numbers[i].member, number);
	}
	snprintf(path, sizeof(path), "/sys/block/%s/queue/rotational", name);
	if (collect_number(path, &number))
		facts_put_bool(device, "rotational", number != 0);
	snprintf(path, sizeof(path), "/sys/block/%s/size", name);
	if (collect_number(path, &number))
		facts_put_number(device, "size_bytes", 512 * number);
	if (collect_text_at(&text, "/sys/block/%s/queue/write_cache", name))
		facts_put_text(device, "write_cache", text.data);
	if (collect_text_at(&text, "/sys/block/%s/queue/scheduler", name)) {
		char *begin = strchr(text.data, '['), *end = strchr(text.data, ']');
		if (begin && end > begin)
			*end = '\0';
		facts_put_text(device, "scheduler", begin && end > begin ? begin + 1 : text.data);
	}
	strbuf_release(&text);
}

/* What the disk itself says of its cache, where the system tells that apart from how it treats
 * it: SCSI and SATA do. */
static void add_cache(struct collector *collector, json_t *device, const char *name)
{
	char pattern[PATH_MAX];
	glob_t found = { 0 };
	struct strbuf text = STRBUF_INIT;

	snprintf(pattern, sizeof(pattern), "/sys/block/%s/device/scsi_disk/*/cache_type", name);
	if (glob(pattern, 0, NULL, &found) == 0 && collect_text(found.gl_pathv[0], &text))
		facts_put_bool(device, "cache_volatile", strstr(text.data, "write back") != NULL);
	else if (!facts_why_unseen(collector->facts, "devices.cache"))
		facts_unseen(collector->facts, "devices.cache",
			"only SCSI and SATA disks tell what cache they have");
	globfree(&found);
	strbuf_release(&text);
}

static void add_kind(json_t *device, const char *name)
{
	static const char *const virtual_models[] = { "QEMU", "VBOX", "VMware", "Virtual" };
	static const char *const cloud_models[] = { "Amazon Elastic Block Store", "PersistentDisk",
		"nvme_card-pd", "Msft Virtual", "MSFT NVMe Accelerator", "BlockVolume" };
	struct strbuf text = STRBUF_INIT;
	bool virtual = starts_with(name, "vd") || starts_with(name, "xvd") ||
		       starts_with(name, "loop") || starts_with(name, "dm-") ||
		       starts_with(name, "nbd") || starts_with(name, "zram");
	bool cloud = false;

	if (collect_text_at(&text, "/sys/block/%s/device/model", name)) {
		facts_put_text(device, "model", text.data);
		for (size_t i = 0; i < ARRAY_SIZE(virtual_models); i++)
			virtual = virtual || strstr(text.data, virtual_models[i]);
		for (size_t i = 0; i < ARRAY_SIZE(cloud_models); i++)
			cloud = cloud || strstr(text.data, cloud_models[i]);
	}
	/* Xen disks of that cloud have no model. */
	if (starts_with(name, "xvd") && collect_text("/sys/class/dmi/id/sys_vendor", &text))
		cloud = cloud || strstr(text.data, "Amazon");
	facts_put_bool(device, "virtual", virtual || cloud);
	facts_put_bool(device, "cloud", cloud);
	facts_put_bool(device, "loop", starts_with(name, "loop"));
	facts_put_bool(device, "zvol", starts_with(name, "zd"));
	facts_put_bool(device, "nvme", starts_with(name, "nvme"));
	if (collect_text_at(&text, "/sys/block/%s/loop/backing_file", name))
		facts_put_text(device, "backing_file", text.data);
	strbuf_release(&text);
}

/* Sector formats of an NVMe namespace: only its own tool knows, and only for root. */
static void add_nvme(struct collector *collector, json_t *device, const char *name)
{
	char path[PATH_MAX];
	struct strbuf output = STRBUF_INIT;
	const char *const arguments[] = { "nvme", "id-ns", "-o", "json", path, NULL };

	snprintf(path, sizeof(path), "/dev/%s", name);
	if (facts_bool(device, "nvme", false) &&
		collect_program(collector, "devices.nvme", arguments, &output)) {
		json_t *answer = json_loads(output.data, 0, NULL);
		json_t *formats = json_object_get(answer, "lbafs");
		double used = facts_number(answer, "flbas", 0);
		json_t *current = json_array_get(formats, (size_t)used & 15);
		double current_power = facts_number(current, "ds", 0);
		double rank = facts_number(current, "rp", 0);
		bool better = false;
		size_t i;
		json_t *format;
		json_array_foreach(formats, i, format) better =
			better || (facts_number(format, "ds", 0) == 12 &&
					  facts_number(format, "ms", 0) == 0 &&
					  facts_number(format, "rp", 9) < rank);
		if (current_power >= 9 && current_power <= 16)
			facts_put_number(
				device, "nvme_lba_bytes", (double)(1 << (int)current_power));
		facts_put_bool(device, "nvme_better_4k", better);
		json_decref(answer);
	}
	strbuf_release(&output);
}

static void add_slaves(struct collector *collector, const char *name)
{
	char path[PATH_MAX];
	struct dirent *entry;

	snprintf(path, sizeof(path), "/sys/block/%s/slaves", name);
	DIR *slaves = opendir(path);
	if (!slaves)
		return;
	while ((entry = readdir(slaves))) {
		snprintf(path, sizeof(path), "/dev/%s", entry->d_name);
		if (entry->d_name[0] != '.')
			collect_device_named(collector, path);
	}
	closedir(slaves);
}

void collect_devices(struct collector *collector)
{
	json_t *list = device_list(collector);

	/* The list grows while it is walked: slaves are devices too. */
	for (size_t i = 0; i < json_array_size(list) && i < 1024; i++) {
		json_t *device = json_array_get(list, i);
		const char *name = facts_text(device, "name", "");

		add_queue(device, name);
		add_cache(collector, device, name);
		add_kind(device, name);
		add_nvme(collector, device, name);
		add_slaves(collector, name);
	}
}
