/*
 * The library as a whole: its tunables, start and stop, and the functions
 * of it that we replace (the dynamic linker prefers the program's): its idea of the machine's
 * memory, and its messages.
 */
#include "zfsd/compat/zfs_headers.h"
#include "zfsd/pool/buffer_stock.h"
#include "zfsd/pool/pool.h"
#include "zfsd/posix/format.h"

#include "base/log.h"

#define MEBIBYTE	(1024ULL * 1024)
#define ARC_MIN_BYTES	(64 * MEBIBYTE)
#define ARC_MAX_BYTES	(256 * MEBIBYTE)
#define DIRTY_MIN_BYTES (16 * MEBIBYTE)
#define TXG_TIMEOUT_S	5

int kernel_options_check(struct kernel_options *options, struct err *err)
{
	if (options->arc_max_bytes == 0)
		options->arc_max_bytes = ARC_MAX_BYTES;
	if (options->arc_min_bytes == 0)
		options->arc_min_bytes = options->arc_max_bytes / 2;
	if (options->dirty_data_max_bytes == 0)
		options->dirty_data_max_bytes = MAX(options->arc_max_bytes / 4, DIRTY_MIN_BYTES);
	if (options->txg_timeout_s == 0)
		options->txg_timeout_s = TXG_TIMEOUT_S;
	if (options->arc_max_bytes < ARC_MIN_BYTES)
		return err_set(err, -EINVAL, "arc-max is below 64M");
	if (options->arc_min_bytes >= options->arc_max_bytes)
		return err_set(err, -EINVAL, "arc-min is not below arc-max");
	if (options->dirty_data_max_bytes < DIRTY_MIN_BYTES)
		return err_set(err, -EINVAL, "dirty-data-max is below 16M");
	return 0;
}

static void set_tunables(const struct kernel_options *options)
{
	/* The system's own pool list is none of our business, neither to read nor to write. */
	spa_config_path = (char *)"/nonexistent/plumb-zfsd/zpool.cache";
	zfs_flags = 0;
	zfs_arc_max = options->arc_max_bytes;
	zfs_arc_min = options->arc_min_bytes;
	zfs_dirty_data_max = options->dirty_data_max_bytes;
	zfs_dirty_data_max_max = options->dirty_data_max_bytes;
	zfs_txg_timeout = options->txg_timeout_s;
	zfs_nocacheflush = options->no_cache_flush;
	zfs_abd_scatter_enabled = B_FALSE;
}

int kernel_start(const struct kernel_options *options, struct err *err)
{
	set_tunables(options);
	format_register();
	kernel_init(SPA_MODE_READ | SPA_MODE_WRITE);
	buffer_stock_start();
	if (arc_c_max != options->arc_max_bytes)
		return err_set(err, -EINVAL, "the library took %llu bytes as arc-max, not %llu",
			(unsigned long long)arc_c_max, (unsigned long long)options->arc_max_bytes);
	return 0;
}

void kernel_stop(void)
{
	buffer_stock_stop();
	kernel_fini();
}

/* ---- replaced functions of the library ---- */

/* The stock one makes up memory pressure at random. Our limit is arc_max and nothing else. */
int64_t arc_available_memory(void)
{
	return INT64_MAX;
}

/* Only bounds defaults; what matters is set above. */
uint64_t arc_all_memory(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
}

void vcmn_err(int level, const char *format, va_list arguments)
{
	char text[1024];

	if (level == CE_PANIC)
		vpanic(format, arguments);
	(void)vsnprintf(text, sizeof(text), format, arguments);
	if (level == CE_WARN)
		log_warning("zfs: %s", text);
	else
		log_debug("zfs: %s", text);
}
