/*
 * The end of a mount whose pool is lost: threads that wait inside the library never return, so the
 * kernel gets its answers from here, by the numbers of the requests. A second answer to the same
 * request is refused by the kernel, so nothing can go wrong if a thread does come back.
 */
#include "zfsd/front/front_internal.h"
#include "zfsd/front/ring.h"

#include <errno.h>
#include <linux/fuse.h>
#include <unistd.h>

static bool wants_answer(uint32_t operation)
{
	return operation != FUSE_FORGET && operation != FUSE_BATCH_FORGET &&
	       operation != FUSE_INTERRUPT;
}

static void answer_error(const struct zfsd_mount *mount, uint64_t unique)
{
	struct fuse_out_header header = { .len = sizeof(header), .error = -EIO, .unique = unique };

	if (write(fuse_session_fd(mount->session), &header, sizeof(header)) < 0)
		return; /* answered already, or the mount is gone */
}

bool front_note_request(struct zfsd_mount *mount, struct worker_slot *slot, const void *bytes)
{
	const struct fuse_in_header *header = bytes;
	uint64_t unique = wants_answer(header->opcode) ? header->unique : 0;

	__atomic_store_n(&slot->unique, unique, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&mount->given_up, __ATOMIC_SEQ_CST))
		return false;
	if (unique)
		answer_error(mount, unique);
	return true;
}

void front_forget_request(struct worker_slot *slot)
{
	__atomic_store_n(&slot->unique, 0, __ATOMIC_RELEASE);
}

void mount_give_up(struct zfsd_mount *mount)
{
	pthread_mutex_lock(&mount->lock);
	__atomic_store_n(&mount->given_up, true, __ATOMIC_SEQ_CST);
	for (unsigned i = 0; i < mount->thread_count; i++) {
		uint64_t unique = __atomic_load_n(&mount->slots[i].unique, __ATOMIC_SEQ_CST);

		if (unique)
			answer_error(mount, unique);
	}
	/* All workers may be stuck: one more answers what is still to come. */
	front_start_worker(mount, mount->options.workers + 1);
	pthread_mutex_unlock(&mount->lock);
	front_ring_give_up(mount);
}
