/*
 * The bytes of the ZPL's on-disk format: a new dataset's master node and root folder, new objects
 * with their attributes and access list, directory entries, space accounting. Apart because this
 * is what another OpenZFS reads; it knows nothing of nodes, locks or logs.
 */
#include "zfsd/posix/posix_internal.h"

#include <sys/acl.h>

struct right {
	uint32_t user_bit, group_bit, other_bit; /* of the mode */
	uint32_t mask;				 /* of the access entry */
};

static int add_entry(zfs_ace_hdr_t *entries, int count, const zfs_ace_hdr_t *entry)
{
	entries[count] = *entry;
	return count + 1;
}

/* Deny and early-allow entries exist only where a later class has a right an earlier one lacks. */
int format_trivial_acl(uint64_t mode, zfs_ace_hdr_t *entries)
{
	const struct right rights[] = {
		{ S_IRUSR, S_IRGRP, S_IROTH, ACE_READ_DATA },
		{ S_IWUSR, S_IWGRP, S_IWOTH,
			ACE_WRITE_DATA | ACE_APPEND_DATA | (S_ISDIR(mode) ? ACE_DELETE_CHILD : 0) },
		{ S_IXUSR, S_IXGRP, S_IXOTH, ACE_EXECUTE },
	};
	const uint32_t everybody =
		ACE_READ_ACL | ACE_READ_ATTRIBUTES | ACE_READ_NAMED_ATTRS | ACE_SYNCHRONIZE;
	const uint16_t group_flags = ACE_GROUP | ACE_IDENTIFIER_GROUP;
	zfs_ace_hdr_t owner_first = { ACE_ACCESS_ALLOWED_ACE_TYPE, ACE_OWNER, 0 };
	zfs_ace_hdr_t owner_deny = { ACE_ACCESS_DENIED_ACE_TYPE, ACE_OWNER, 0 };
	zfs_ace_hdr_t group_deny = { ACE_ACCESS_DENIED_ACE_TYPE, group_flags, 0 };
	zfs_ace_hdr_t owner = { ACE_ACCESS_ALLOWED_ACE_TYPE, ACE_OWNER,
		everybody | ACE_WRITE_ATTRIBUTES | ACE_WRITE_OWNER | ACE_WRITE_ACL |
			ACE_WRITE_NAMED_ATTRS };
	zfs_ace_hdr_t group = { ACE_ACCESS_ALLOWED_ACE_TYPE, group_flags, everybody };
	zfs_ace_hdr_t everyone = { ACE_ACCESS_ALLOWED_ACE_TYPE, ACE_EVERYONE, everybody };
	int count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rights); i++) {
		bool user_has = mode & rights[i].user_bit;
		bool group_has = mode & rights[i].group_bit;
		bool other_has = mode & rights[i].other_bit;
		uint32_t mask = rights[i].mask;

		if (!user_has && (group_has || other_has))
			owner_deny.z_access_mask |= mask;
		if (!group_has && other_has)
			group_deny.z_access_mask |= mask;
		if (user_has && !group_has && other_has)
			owner_first.z_access_mask |= mask;
		owner.z_access_mask |= user_has ? mask : 0;
		group.z_access_mask |= group_has ? mask : 0;
		everyone.z_access_mask |= other_has ? mask : 0;
	}
	if (owner_first.z_access_mask)
		count = add_entry(entries, count, &owner_first);
	if (owner_deny.z_access_mask)
		count = add_entry(entries, count, &owner_deny);
	if (group_deny.z_access_mask)
		count = add_entry(entries, count, &group_deny);
	count = add_entry(entries, count, &owner);
	count = add_entry(entries, count, &group);
	return add_entry(entries, count, &everyone);
}

int format_spill_extra(uint64_t mode)
{
	zfs_ace_hdr_t entries[NODE_ACL_MAX];

	return format_trivial_acl(mode, entries) * (int)sizeof(entries[0]);
}

static uint64_t no_exec_denied(uint64_t mode)
{
	return (mode & 0111) == 0111 ? ZFS_NO_EXECS_DENIED : 0;
}

uint64_t format_birth_flags(const struct zfsd_filesystem *fs, uint64_t mode)
{
	uint64_t flags = ZFS_ARCHIVE | ZFS_AV_MODIFIED | ZFS_ACL_TRIVIAL | no_exec_denied(mode);

	if (S_ISDIR(mode))
		flags |= ZFS_ACL_AUTO_INHERIT;
	if (fs->project_quota && (S_ISDIR(mode) || S_ISREG(mode)))
		flags |= ZFS_PROJID;
	return flags;
}

uint64_t format_entry(uint64_t object, uint64_t mode)
{
	return object | (uint64_t)IFTODT(mode) << 60;
}

static int allocate_object(struct zfsd_filesystem *fs, const struct node_birth *birth, dmu_tx_t *tx,
	uint64_t *ret_object)
{
	objset_t *os = fs->objset;
	int dnode_bytes =
		birth->object ? birth->dnode_slots << DNODE_SHIFT : (int)dmu_objset_dnodesize(os);
	dmu_object_type_t type =
		S_ISDIR(birth->mode) ? DMU_OT_DIRECTORY_CONTENTS : DMU_OT_PLAIN_FILE_CONTENTS;
	bool folder = S_ISDIR(birth->mode);
	int bonus_bytes, r = 0;

	if (dnode_bytes == 0)
		dnode_bytes = DNODE_MIN_SIZE;
	bonus_bytes = DN_BONUS_SIZE(dnode_bytes);
	*ret_object = birth->object;
	if (birth->object && folder)
		r = zap_create_claim_norm_dnsize(
			os, birth->object, 0, type, DMU_OT_SA, bonus_bytes, dnode_bytes, tx);
	else if (birth->object)
		r = dmu_object_claim_dnsize(
			os, birth->object, type, 0, DMU_OT_SA, bonus_bytes, dnode_bytes, tx);
	else if (folder)
		*ret_object = zap_create_norm_dnsize(
			os, 0, type, DMU_OT_SA, bonus_bytes, dnode_bytes, tx);
	else
		*ret_object = dmu_object_alloc_dnsize(
			os, type, 0, DMU_OT_SA, bonus_bytes, dnode_bytes, tx);
	return -r;
}

#define ADD(kind, value) \
	SA_ADD_BULK_ATTR(bulk, count, fs->attributes[kind], NULL, (void *)&(value), sizeof(value))

/* The order of the attributes is part of the format. */
static void write_attributes(struct zfsd_filesystem *fs, const struct node_birth *birth,
	uint64_t object, sa_handle_t *handle, dmu_tx_t *tx)
{
	bool folder = S_ISDIR(birth->mode);
	bool special = S_ISCHR(birth->mode) || S_ISBLK(birth->mode);
	uint64_t size = folder ? 2 : birth->target ? strlen(birth->target) : 0;
	uint64_t links = folder ? 2 : 1;
	uint64_t generation = birth->generation ? birth->generation : dmu_tx_get_txg(tx);
	uint64_t parent = birth->parent ? birth->parent : object;
	uint64_t flags = format_birth_flags(fs, birth->mode);
	uint64_t project = ZFS_DEFAULT_PROJID;
	zfs_ace_hdr_t entries[NODE_ACL_MAX];
	uint64_t acl_count = (uint64_t)format_trivial_acl(birth->mode, entries);
	sa_bulk_attr_t bulk[ZPL_END];
	int count = 0;

	ADD(ZPL_MODE, birth->mode);
	ADD(ZPL_SIZE, size);
	ADD(ZPL_GEN, generation);
	ADD(ZPL_UID, birth->user_id);
	ADD(ZPL_GID, birth->group_id);
	ADD(ZPL_PARENT, parent);
	ADD(ZPL_FLAGS, flags);
	ADD(ZPL_ATIME, birth->times);
	ADD(ZPL_MTIME, birth->times);
	ADD(ZPL_CTIME, birth->times);
	ADD(ZPL_CRTIME, birth->times);
	ADD(ZPL_LINKS, links);
	if (flags & ZFS_PROJID)
		ADD(ZPL_PROJID, project);
	if (special)
		ADD(ZPL_RDEV, birth->device);
	ADD(ZPL_DACL_COUNT, acl_count);
	SA_ADD_BULK_ATTR(bulk, count, fs->attributes[ZPL_DACL_ACES], NULL, entries,
		acl_count * sizeof(entries[0]));
	VERIFY0(sa_replace_all_by_template(handle, bulk, count, tx));
	if (birth->target)
		VERIFY0(sa_update(handle, fs->attributes[ZPL_SYMLINK], (void *)birth->target,
			(uint32_t)strlen(birth->target), tx));
}

int format_make_object(struct zfsd_filesystem *fs, const struct node_birth *birth, dmu_tx_t *tx,
	uint64_t *ret_object)
{
	sa_handle_t *handle;
	uint64_t object;
	int r = allocate_object(fs, birth, tx, &object);

	if (r < 0)
		return r;
	VERIFY0(sa_handle_get(fs->objset, object, NULL, SA_HDL_PRIVATE, &handle));
	write_attributes(fs, birth, object, handle, tx);
	sa_handle_destroy(handle);
	*ret_object = object;
	return 0;
}

static void add_word(objset_t *os, const char *name, uint64_t value, dmu_tx_t *tx)
{
	VERIFY0(zap_update(os, MASTER_NODE_OBJ, name, 8, 1, &value, tx));
}

void format_create(objset_t *os, void *unused, cred_t *cred, dmu_tx_t *tx)
{
	struct zfsd_filesystem *fs = kmem_zalloc(sizeof(*fs), KM_SLEEP);
	struct node_birth birth = { .mode = S_IFDIR | 0755 };
	uint64_t sa_object, queue, root;

	(void)unused;
	(void)cred;
	VERIFY0(zap_create_claim(os, MASTER_NODE_OBJ, DMU_OT_MASTER_NODE, DMU_OT_NONE, 0, tx));
	add_word(os, ZPL_VERSION_STR, ZPL_VERSION, tx);
	add_word(os, "normalization", 0, tx);
	add_word(os, "utf8only", 0, tx);
	add_word(os, "casesensitivity", 0, tx);
	sa_object = zap_create(os, DMU_OT_SA_MASTER_NODE, DMU_OT_NONE, 0, tx);
	add_word(os, ZFS_SA_ATTRS, sa_object, tx);
	queue = zap_create(os, DMU_OT_UNLINKED_SET, DMU_OT_NONE, 0, tx);
	add_word(os, ZFS_UNLINKED_SET, queue, tx);

	fs->objset = os;
	VERIFY0(sa_setup(os, sa_object, zfs_attr_table, ZPL_END, &fs->attributes));
	fs->project_quota = dmu_objset_projectquota_enabled(os);
	birth.user_id = geteuid();
	birth.group_id = getegid();
	node_clock(birth.times);
	VERIFY0(format_make_object(fs, &birth, tx, &root));
	add_word(os, ZFS_ROOT_OBJ, root, tx);
	kmem_free(fs, sizeof(*fs));
}

/*
 * Owner, group and project of an object, read at fixed places of its bonus, for space accounting:
 * the library calls this for each dnode it writes. ENOENT: the object is not accounted.
 */
static int accounting_info(
	dmu_object_type_t bonus_type, const void *data, zfs_file_info_t *ret_info)
{
	const char *attributes = data;
	const sa_hdr_phys_t *header = data;
	uint64_t flags;

	if (bonus_type != DMU_OT_SA)
		return ENOENT;
	ret_info->zfi_project = ZFS_DEFAULT_PROJID;
	if (!data)
		return EEXIST;
	if (header->sa_magic == 0) {
		/* Claimed in this transaction group and freed again before its attributes came. */
		ret_info->zfi_user = 0;
		ret_info->zfi_group = 0;
		ret_info->zfi_generation = 0;
		return 0;
	}
	VERIFY3U(header->sa_magic, ==, SA_MAGIC);
	attributes += sa_hdrsize((void *)header);
	ret_info->zfi_user = *(const uint64_t *)(attributes + SA_UID_OFFSET);
	ret_info->zfi_group = *(const uint64_t *)(attributes + SA_GID_OFFSET);
	ret_info->zfi_generation = *(const uint64_t *)(attributes + SA_GEN_OFFSET);
	flags = *(const uint64_t *)(attributes + SA_FLAGS_OFFSET);
	if (flags & ZFS_PROJID)
		ret_info->zfi_project = *(const uint64_t *)(attributes + SA_PROJID_OFFSET);
	return 0;
}

void format_register(void)
{
	dmu_objset_register_type(DMU_OST_ZFS, accounting_info);
}

void format_disown(objset_t *os, const void *tag)
{
	taskq_wait(os->os_spa->spa_upgrade_taskq);
	dmu_objset_disown(os, B_FALSE, tag);
}
