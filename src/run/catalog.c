/* Putting the drivers' rows together (see catalog.h). */
#include "run/catalog.h"

#include "study/study.h"
#include "target/target.h"
#include "workload/workload.h"

#include <pthread.h>
#include <string.h>

#define TABLES_MAX 64

/* The disks of [filesystem] log = N; what is not given here is as in [device]. */
static const struct setting log_device_settings[] = {
	{ .section = "device.log",
		.key = "model",
		.type = SETTING_TEXT,
		.reload = true,
		.help = "emulated disk of log devices; unset: as [device]" },
	{ .section = "device.log",
		.key = "store",
		.type = SETTING_WORD,
		.words = "file ram",
		.reload = true,
		.help = "where a log device's bytes lie; unset: as [device]" },
	{ .section = "device.log",
		.key = "size",
		.type = SETTING_SIZE,
		.min = 64 << 20,
		.max = 1LL << 48,
		.reload = true,
		.help = "size of each log device; unset: as [device]" },
	{ .section = "device.log",
		.key = "slow",
		.type = SETTING_REAL,
		.min = 1,
		.max = 10000,
		.reload = true,
		.help = "slows a log device's model; unset: as [device]" },
	{ .section = "device.log",
		.key = "sector",
		.type = SETTING_SIZE,
		.min = 512,
		.max = 4096,
		.power_of_two = true,
		.reload = true,
		.help = "logical sector of a log device; unset: as [device]" },
	{ 0 },
};

static const struct setting *tables[TABLES_MAX + 1];
static const struct setting_catalog catalog = { tables };
static pthread_once_t filled = PTHREAD_ONCE_INIT;

/* Drivers of one file share one table: once is enough. */
static void add(size_t *count, const struct setting *table)
{
	if (!table || *count == TABLES_MAX)
		return;
	for (size_t i = 0; i < *count; i++)
		if (tables[i] == table)
			return;
	tables[(*count)++] = table;
}

static void fill(void)
{
	size_t count = 0;

	add(&count, study_settings);
	add(&count, log_device_settings);
	for (size_t i = 0; target_drivers[i]; i++)
		add(&count, target_drivers[i]->settings);
	for (size_t i = 0; workload_drivers[i]; i++)
		add(&count, workload_drivers[i]->settings);
}

const struct setting_catalog *catalog_get(void)
{
	pthread_once(&filled, fill);
	return &catalog;
}
