/*
 * The library hands every stage of an I/O to another thread: right in a kernel with many cores and
 * slow disks, and most of the cost of a commit in a process, where each hand-over is two system
 * calls and a wake-up. This function takes the place of the library's own and runs a stage at once
 * where nothing is gained by another thread; the rest goes the library's way. Measured:
 * docs/performance.md.
 */
#include "zfsd/pool/zio_inline.h"

#include <dlfcn.h>
#include <stdbool.h>

/* Stages run inside each other: a completion may start the next I/O. The stack must hold them. */
#define NESTING_MOST 12

/* Compression and checksums of larger blocks are worth a thread of their own. */
#define SMALL_BLOCK_BYTES 32768

typedef void dispatch_function(taskq_t *, task_func_t, void *, uint_t, taskq_ent_t *);

static _Thread_local unsigned nesting;
static _Thread_local bool elsewhere;
static _Thread_local bool reads_one_block;
static _Thread_local bool has_transferred; /* since reads_one_block was set */

static dispatch_function *library_function(void)
{
	static dispatch_function *found;

	if (!found)
		found = (dispatch_function *)dlsym(RTLD_NEXT, "taskq_dispatch_ent");
	return found;
}

/* Writes of a transaction group that cost CPU: spread them over the library's threads. */
static bool is_bulk_write(const zio_t *zio)
{
	return zio->io_type == ZIO_TYPE_WRITE && zio->io_priority == ZIO_PRIORITY_ASYNC_WRITE &&
	       zio->io_stage <= ZIO_STAGE_ISSUE_ASYNC &&
	       (zio->io_lsize > SMALL_BLOCK_BYTES || zio->io_prop.zp_compress != ZIO_COMPRESS_OFF);
}

static bool runs_here(task_func_t function, const zio_t *zio)
{
	return function == zio_execute && !elsewhere && nesting < NESTING_MOST &&
	       (zio->io_type <= ZIO_TYPE_WRITE || zio->io_type == ZIO_TYPE_FLUSH) &&
	       !is_bulk_write(zio);
}

void taskq_dispatch_ent(
	taskq_t *queue, task_func_t function, void *argument, uint_t flags, taskq_ent_t *entry)
{
	if (!runs_here(function, argument)) {
		library_function()(queue, function, argument, flags, entry);
		return;
	}
	nesting++;
	function(argument);
	nesting--;
}

void zio_inline_interrupt_elsewhere(zio_t *zio)
{
	elsewhere = true;
	zio_interrupt(zio);
	elsewhere = false;
}

void zio_inline_begin_one_block(void)
{
	reads_one_block = true;
	has_transferred = false;
}

bool zio_inline_end_one_block(void)
{
	reads_one_block = false;
	return has_transferred;
}

bool zio_inline_takes_read(void)
{
	has_transferred = true;
	return reads_one_block;
}
