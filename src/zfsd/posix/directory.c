/*
 * Names: lookup, create, link, unlink, listing of folders. Renames are in rename.c.
 */
#include "zfsd/posix/directory_internal.h"

int directory_check_name(const char *name)
{
	return strlen(name) > NODE_NAME_MAX ? -ENAMETOOLONG : 0;
}

int directory_lookup(struct zfsd_node *directory, const char *name, uint64_t *ret_object)
{
	uint64_t entry;
	int r = -zap_lookup(directory->fs->objset, directory->object, name, 8, 1, &entry);

	if (r == 0)
		*ret_object = ZFS_DIRENT_OBJ(entry);
	return r;
}

int node_lookup(struct zfsd_node *directory, const char *name, struct zfsd_node **ret_node)
{
	struct zfsd_filesystem *fs = directory->fs;
	uint64_t object;
	int r = directory_check_name(name);

	if (r == 0 && !S_ISDIR(directory->mode))
		r = -ENOTDIR;
	if (r < 0)
		return r;
	rw_enter(&fs->namespace_lock, RW_READER);
	if (strcmp(name, ".") == 0)
		object = directory->object;
	else if (strcmp(name, "..") == 0)
		object = directory->parent;
	else
		r = directory_lookup(directory, name, &object);
	if (r == 0)
		r = node_get(fs, object, ret_node);
	rw_exit(&fs->namespace_lock);
	return r;
}

void directory_changed(struct zfsd_node *directory, int entries, int folders, dmu_tx_t *tx)
{
	mutex_enter(&directory->attribute_lock);
	directory->size_bytes += (uint64_t)(int64_t)entries;
	directory->links += (uint64_t)(int64_t)folders;
	node_stamp(directory, true);
	VERIFY0(node_update_sa(directory, tx));
	mutex_exit(&directory->attribute_lock);
}

void directory_add_entry(
	struct zfsd_node *directory, const char *name, const struct zfsd_node *node, dmu_tx_t *tx)
{
	uint64_t entry = format_entry(node->object, node->mode);

	VERIFY0(zap_add(directory->fs->objset, directory->object, name, 8, 1, &entry, tx));
}

/* A link more or less; the last one puts the object on the delete queue. */
void directory_change_links(struct zfsd_node *node, int by, dmu_tx_t *tx)
{
	mutex_enter(&node->attribute_lock);
	if (by < 0 && S_ISDIR(node->mode))
		node->links = 0; /* 2 counted "." and the entry */
	else
		node->links += (uint64_t)(int64_t)by;
	node_stamp(node, false);
	VERIFY0(node_update_sa(node, tx));
	mutex_exit(&node->attribute_lock);
	if (node->links == 0) {
		node->unlinked = true;
		VERIFY0(zap_add_int(node->fs->objset, node->fs->delete_queue, node->object, tx));
	}
}

static void hold_for_create(
	struct zfsd_node *directory, const char *name, const struct node_birth *birth, dmu_tx_t *tx)
{
	int extra = format_spill_extra(birth->mode) + (birth->target ? strlen(birth->target) : 0);

	dmu_tx_hold_sa_create(tx, ZFS_SA_BASE_ATTR_SIZE + extra);
	dmu_tx_hold_zap(tx, directory->object, TRUE, name);
	dmu_tx_hold_sa(tx, directory->sa, B_FALSE);
	if (S_ISDIR(birth->mode))
		dmu_tx_hold_zap(tx, DMU_NEW_OBJECT, FALSE, NULL);
}

/* Namespace lock held for writing. */
static int create_locked(struct zfsd_node *directory, const char *name, struct node_birth *birth,
	struct zfsd_node **ret_node)
{
	struct zfsd_filesystem *fs = directory->fs;
	uint64_t object;
	dmu_tx_t *tx;
	int r = directory_lookup(directory, name, &object);

	if (r != -ENOENT)
		return r == 0 ? -EEXIST : r;
	if (directory->links == 0)
		return -ENOENT; /* removed while open */
	tx = dmu_tx_create(fs->objset);
	hold_for_create(directory, name, birth, tx);
	r = transaction_assign(tx);
	if (r < 0)
		return r;
	birth->parent = directory->object;
	r = format_make_object(fs, birth, tx, &object);
	if (r == 0)
		r = node_get(fs, object, ret_node);
	if (r == 0) {
		directory_add_entry(directory, name, *ret_node, tx);
		directory_changed(directory, 1, S_ISDIR(birth->mode) ? 1 : 0, tx);
		intent_log_create(directory, *ret_node, birth, name, tx);
	}
	dmu_tx_commit(tx);
	return r;
}

int directory_create(struct zfsd_node *directory, const char *name, struct node_birth *birth,
	struct zfsd_node **ret_node)
{
	struct zfsd_filesystem *fs = directory->fs;
	int r = directory_check_name(name);

	if (r == 0 && !S_ISDIR(directory->mode))
		r = -ENOTDIR;
	if (r < 0)
		return r;
	rw_enter(&fs->namespace_lock, RW_WRITER);
	r = create_locked(directory, name, birth, ret_node);
	rw_exit(&fs->namespace_lock);
	return r;
}

/* Set-group-id folders give their group, and to folders the bit itself. */
static void inherit_group(const struct zfsd_node *directory, struct node_birth *birth)
{
	if (!(directory->mode & S_ISGID))
		return;
	birth->group_id = directory->group_id;
	if (S_ISDIR(birth->mode))
		birth->mode |= S_ISGID;
}

int node_create(
	struct zfsd_node *directory, const struct node_create *create, struct zfsd_node **ret_node)
{
	struct node_birth birth = { .mode = create->mode,
		.user_id = create->owner.user_id,
		.group_id = create->owner.group_id,
		.device = create->device,
		.target = create->target };
	int r;

	if (directory->fs->readonly)
		return -EROFS;
	if (create->target && strlen(create->target) >= MAXPATHLEN)
		return -ENAMETOOLONG;
	inherit_group(directory, &birth);
	node_clock(birth.times);
	r = directory_create(directory, create->name, &birth, ret_node);
	if (r == 0)
		r = directory_commit_if_always(directory->fs);
	return r;
}

int directory_commit_if_always(struct zfsd_filesystem *fs)
{
	return fs->objset->os_sync == ZFS_SYNC_ALWAYS ? intent_log_commit(fs, 0) : 0;
}

int node_link(struct zfsd_node *node, struct zfsd_node *directory, const char *name)
{
	struct zfsd_filesystem *fs = node->fs;
	uint64_t object;
	dmu_tx_t *tx = NULL;
	int r = directory_check_name(name);

	if (r < 0 || fs->readonly)
		return r < 0 ? r : -EROFS;
	if (S_ISDIR(node->mode))
		return -EPERM;
	rw_enter(&fs->namespace_lock, RW_WRITER);
	r = directory_lookup(directory, name, &object);
	if (r == 0)
		r = -EEXIST;
	else if (r == -ENOENT)
		r = node->links == 0 || directory->links == 0 ? -ENOENT : 0;
	if (r == 0) {
		tx = dmu_tx_create(fs->objset);
		dmu_tx_hold_sa(tx, node->sa, node->has_extras);
		dmu_tx_hold_sa(tx, directory->sa, B_FALSE);
		dmu_tx_hold_zap(tx, directory->object, TRUE, name);
		r = transaction_assign(tx);
	}
	if (r == 0) {
		directory_add_entry(directory, name, node, tx);
		directory_change_links(node, 1, tx);
		directory_changed(directory, 1, 0, tx);
		intent_log_link(directory, node, name, tx);
		dmu_tx_commit(tx);
	}
	rw_exit(&fs->namespace_lock);
	return r < 0 ? r : directory_commit_if_always(fs);
}

void directory_hold_for_removal(
	struct zfsd_node *directory, const char *name, struct zfsd_node *node, dmu_tx_t *tx)
{
	dmu_tx_hold_zap(tx, directory->object, FALSE, name);
	dmu_tx_hold_sa(tx, directory->sa, B_FALSE);
	dmu_tx_hold_sa(tx, node->sa, node->has_extras);
	dmu_tx_hold_zap(tx, node->fs->delete_queue, TRUE, NULL);
}

int directory_may_remove(const struct zfsd_node *node, bool folder)
{
	if (folder && !S_ISDIR(node->mode))
		return -ENOTDIR;
	if (!folder && S_ISDIR(node->mode))
		return -EISDIR;
	return folder && node->size_bytes > 2 ? -ENOTEMPTY : 0;
}

/* Namespace lock held for writing. *ret_node is a reference to give back without the lock. */
static int remove_locked(
	struct zfsd_node *directory, const char *name, bool folder, struct zfsd_node **ret_node)
{
	struct zfsd_filesystem *fs = directory->fs;
	uint64_t object;
	dmu_tx_t *tx;
	int r = directory_lookup(directory, name, &object);

	if (r == 0)
		r = node_get(fs, object, ret_node);
	if (r == 0)
		r = directory_may_remove(*ret_node, folder);
	if (r < 0)
		return r;
	tx = dmu_tx_create(fs->objset);
	directory_hold_for_removal(directory, name, *ret_node, tx);
	dmu_tx_mark_netfree(tx);
	r = transaction_assign(tx);
	if (r < 0)
		return r;
	VERIFY0(zap_remove(fs->objset, directory->object, name, tx));
	directory_change_links(*ret_node, -1, tx);
	directory_changed(directory, -1, folder ? -1 : 0, tx);
	intent_log_remove(directory, name, folder, *ret_node, tx);
	dmu_tx_commit(tx);
	return 0;
}

static int remove_entry(struct zfsd_node *directory, const char *name, bool folder)
{
	struct zfsd_filesystem *fs = directory->fs;
	struct zfsd_node *node = NULL;
	int r = directory_check_name(name);

	if (r < 0 || fs->readonly)
		return r < 0 ? r : -EROFS;
	rw_enter(&fs->namespace_lock, RW_WRITER);
	r = remove_locked(directory, name, folder, &node);
	rw_exit(&fs->namespace_lock);
	if (node)
		node_release(node, 1);
	return r < 0 ? r : directory_commit_if_always(fs);
}

int node_unlink(struct zfsd_node *directory, const char *name)
{
	return remove_entry(directory, name, false);
}

int node_remove_folder(struct zfsd_node *directory, const char *name)
{
	return remove_entry(directory, name, true);
}

int node_read_link(struct zfsd_node *node, char *target, size_t size)
{
	uint64_t length = node->size_bytes;
	int r;

	if (!S_ISLNK(node->mode))
		return -EINVAL;
	if (length >= size)
		return -ENAMETOOLONG;
	r = -sa_lookup(node->sa, node->fs->attributes[ZPL_SYMLINK], target, (uint32_t)length);
	target[length] = '\0';
	return r;
}

/* Cookies 1 and 2 continue behind "." and ".."; entries have the ZAP's own, plus 3. */
#define COOKIE_ENTRIES 3

int node_read_folder(struct zfsd_node *node, uint64_t cookie, node_visit *visit, void *context)
{
	struct zfsd_filesystem *fs = node->fs;
	zap_attribute_t *entry;
	zap_cursor_t cursor;
	bool more = true;
	int r = 0;

	if (!S_ISDIR(node->mode))
		return -ENOTDIR;
	if (cookie < 1)
		more = visit(context, ".", node->object, S_IFDIR, 1);
	if (more && cookie < 2)
		more = visit(context, "..", node->parent, S_IFDIR, 2);
	if (!more)
		return 0;
	entry = zap_attribute_alloc();
	zap_cursor_init_serialized(&cursor, fs->objset, node->object,
		cookie < COOKIE_ENTRIES ? 0 : cookie - COOKIE_ENTRIES);
	while (more && (r = zap_cursor_retrieve(&cursor, entry)) == 0) {
		uint64_t value = entry->za_first_integer;

		zap_cursor_advance(&cursor);
		more = visit(context, entry->za_name, ZFS_DIRENT_OBJ(value),
			(uint32_t)DTTOIF(ZFS_DIRENT_TYPE(value)),
			zap_cursor_serialize(&cursor) + COOKIE_ENTRIES);
	}
	zap_cursor_fini(&cursor);
	zap_attribute_free(entry);
	return r == ENOENT ? 0 : -r;
}
