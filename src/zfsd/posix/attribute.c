/* Attributes of nodes: reading them from memory, chmod, chown, utimens, truncate. */
#include "zfsd/posix/posix_internal.h"

static struct timespec to_timespec(const uint64_t time[2])
{
	return (struct timespec){ .tv_sec = (time_t)time[0], .tv_nsec = (long)time[1] };
}

void node_attributes(struct zfsd_node *node, struct node_attributes *ret)
{
	u_longlong_t blocks;
	uint32_t block_bytes;

	memset(ret, 0, sizeof(*ret));
	dmu_object_size_from_db(sa_get_db(node->sa), &block_bytes, &blocks);
	mutex_enter(&node->attribute_lock);
	ret->object = node->object;
	ret->generation = node->generation;
	ret->size_bytes = node->size_bytes;
	ret->allocated_512 = blocks;
	ret->record_bytes = node->record_bytes;
	ret->mode = (uint32_t)node->mode;
	ret->user_id = (uint32_t)node->user_id;
	ret->group_id = (uint32_t)node->group_id;
	ret->links = node->links;
	ret->device = node->device;
	ret->access_time = to_timespec(node->times.access);
	ret->modify_time = to_timespec(node->times.modify);
	ret->change_time = to_timespec(node->times.change);
	mutex_exit(&node->attribute_lock);
}

uint32_t node_mode(const struct zfsd_node *node)
{
	return (uint32_t)node->mode;
}

static void set_time(uint64_t place[2], const struct timespec *time, bool now)
{
	if (now) {
		node_clock(place);
	} else {
		place[0] = (uint64_t)time->tv_sec;
		place[1] = (uint64_t)time->tv_nsec;
	}
}

static void set_mode(struct zfsd_node *node, uint64_t mode)
{
	node->mode = (node->mode & S_IFMT) | (mode & 07777);
	node->flags &= ~(uint64_t)(ZFS_NO_EXECS_DENIED | ZFS_ACL_TRIVIAL);
	node->flags |=
		format_birth_flags(node->fs, node->mode) & (ZFS_NO_EXECS_DENIED | ZFS_ACL_TRIVIAL);
}

static void write_acl(struct zfsd_node *node, dmu_tx_t *tx)
{
	const sa_attr_type_t *attributes = node->fs->attributes;
	zfs_ace_hdr_t entries[NODE_ACL_MAX];
	uint64_t acl_count = (uint64_t)format_trivial_acl(node->mode, entries);
	sa_bulk_attr_t bulk[2];
	int count = 0;

	SA_ADD_BULK_ATTR(bulk, count, attributes[ZPL_DACL_COUNT], NULL, &acl_count, 8);
	SA_ADD_BULK_ATTR(bulk, count, attributes[ZPL_DACL_ACES], NULL, entries,
		acl_count * sizeof(entries[0]));
	VERIFY0(sa_bulk_update(node->sa, bulk, count, tx));
}

static void change_values(
	struct zfsd_node *node, unsigned changes, const struct node_attributes *values)
{
	if (changes & NODE_CHANGE_USER)
		node->user_id = values->user_id;
	if (changes & NODE_CHANGE_GROUP)
		node->group_id = values->group_id;
	if (changes & NODE_CHANGE_MODE)
		set_mode(node, values->mode);
	if (changes & NODE_CHANGE_CLEAR_SETID)
		node->mode &= ~(uint64_t)(S_ISUID | (node->mode & S_IXGRP ? S_ISGID : 0));
	if (changes & (NODE_CHANGE_ACCESS_TIME | NODE_CHANGE_ACCESS_NOW))
		set_time(
			node->times.access, &values->access_time, changes & NODE_CHANGE_ACCESS_NOW);
	if (changes & (NODE_CHANGE_MODIFY_TIME | NODE_CHANGE_MODIFY_NOW))
		set_time(
			node->times.modify, &values->modify_time, changes & NODE_CHANGE_MODIFY_NOW);
	node_clock(node->times.change);
}

static int change_attributes(
	struct zfsd_node *node, unsigned changes, const struct node_attributes *values)
{
	dmu_tx_t *tx = dmu_tx_create(node->fs->objset);
	int r;

	dmu_tx_hold_sa(tx, node->sa, (changes & NODE_CHANGE_MODE) || node->has_extras);
	dmu_tx_mark_netfree(tx);
	r = transaction_assign(tx);
	if (r < 0)
		return r;
	mutex_enter(&node->attribute_lock);
	change_values(node, changes, values);
	VERIFY0(node_update_sa(node, tx));
	if (changes & NODE_CHANGE_MODE)
		write_acl(node, tx);
	intent_log_attributes(node, changes, tx);
	mutex_exit(&node->attribute_lock);
	dmu_tx_commit(tx);
	return 0;
}

int node_set_attributes(
	struct zfsd_node *node, unsigned changes, const struct node_attributes *values)
{
	int r = 0;

	if (node->fs->readonly)
		return -EROFS;
	if (changes & NODE_CHANGE_SIZE) {
		if (S_ISDIR(node->mode))
			return -EISDIR;
		r = space_set_size(node, values->size_bytes, true);
		changes &= ~(unsigned)NODE_CHANGE_SIZE;
		if (changes == NODE_CHANGE_CLEAR_SETID && !(node->mode & (S_ISUID | S_ISGID)))
			changes = 0;
	}
	if (r == 0 && changes != 0)
		r = change_attributes(node, changes, values);
	if (r == 0 && node->fs->objset->os_sync == ZFS_SYNC_ALWAYS)
		r = intent_log_commit(node->fs, 0);
	return r;
}
