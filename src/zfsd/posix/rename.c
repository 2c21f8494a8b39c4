/* Rename, also over an existing target: one transaction, one log record. */
#include "zfsd/posix/directory_internal.h"

/* Flags of renameat2(2); its header clashes with stdio.h of older C libraries. */
#define FLAG_NOREPLACE 1u

struct rename_state {
	struct rename_names names;
	struct zfsd_node *moved;
	struct zfsd_node *replaced; /* NULL: nothing was there */
};

/* A folder can't go below itself. */
static int check_not_below(const struct rename_state *state)
{
	struct zfsd_filesystem *fs = state->moved->fs;
	uint64_t object = state->names.to->object;
	int r = 0;

	if (!S_ISDIR(state->moved->mode))
		return 0;
	while (r == 0 && object != fs->root_object) {
		struct zfsd_node *node;

		if (object == state->moved->object)
			return -EINVAL;
		r = node_get(fs, object, &node);
		if (r == 0) {
			object = node->parent;
			node_release(node, 1);
		}
	}
	return r;
}

static int find_nodes(struct rename_state *state, unsigned flags)
{
	struct zfsd_filesystem *fs = state->names.from->fs;
	uint64_t object;
	int r = directory_lookup(state->names.from, state->names.from_name, &object);

	if (r == 0)
		r = node_get(fs, object, &state->moved);
	if (r < 0)
		return r;
	if (state->names.to->links == 0)
		return -ENOENT;
	r = directory_lookup(state->names.to, state->names.to_name, &object);
	if (r == -ENOENT)
		return 0;
	if (r == 0 && (flags & FLAG_NOREPLACE))
		r = -EEXIST;
	if (r == 0)
		r = node_get(fs, object, &state->replaced);
	if (r == 0 && state->replaced != state->moved)
		r = directory_may_remove(state->replaced, S_ISDIR(state->moved->mode));
	return r;
}

static void hold(const struct rename_state *state, dmu_tx_t *tx)
{
	const struct rename_names *names = &state->names;

	dmu_tx_hold_sa(tx, state->moved->sa, state->moved->has_extras);
	dmu_tx_hold_sa(tx, names->from->sa, B_FALSE);
	dmu_tx_hold_zap(tx, names->from->object, FALSE, names->from_name);
	dmu_tx_hold_zap(tx, names->to->object, TRUE, names->to_name);
	if (names->to != names->from)
		dmu_tx_hold_sa(tx, names->to->sa, B_FALSE);
	if (state->replaced)
		directory_hold_for_removal(names->to, names->to_name, state->replaced, tx);
}

static void move(const struct rename_state *state, dmu_tx_t *tx)
{
	const struct rename_names *names = &state->names;
	struct zfsd_node *moved = state->moved;
	objset_t *os = moved->fs->objset;
	int folders = S_ISDIR(moved->mode) ? 1 : 0;

	if (state->replaced) {
		VERIFY0(zap_remove(os, names->to->object, names->to_name, tx));
		directory_change_links(state->replaced, -1, tx);
		directory_changed(names->to, -1, -folders, tx);
	}
	VERIFY0(zap_remove(os, names->from->object, names->from_name, tx));
	directory_add_entry(names->to, names->to_name, moved, tx);
	directory_changed(names->from, -1, -folders, tx);
	directory_changed(names->to, 1, folders, tx);
	mutex_enter(&moved->attribute_lock);
	moved->parent = names->to->object;
	node_stamp(moved, false);
	VERIFY0(node_update_sa(moved, tx));
	mutex_exit(&moved->attribute_lock);
	intent_log_rename(names, moved, tx);
}

static int rename_locked(struct rename_state *state, unsigned flags)
{
	dmu_tx_t *tx;
	int r = find_nodes(state, flags);

	if (r == 0 && state->replaced == state->moved)
		return 0; /* two names of one file: nothing to do, says POSIX */
	if (r == 0)
		r = check_not_below(state);
	if (r < 0)
		return r;
	tx = dmu_tx_create(state->moved->fs->objset);
	hold(state, tx);
	r = transaction_assign(tx);
	if (r < 0)
		return r;
	move(state, tx);
	dmu_tx_commit(tx);
	return 0;
}

int node_rename(struct zfsd_node *from, const char *from_name, struct zfsd_node *to,
	const char *to_name, unsigned flags)
{
	struct rename_state state = { .names = { from, from_name, to, to_name } };
	struct zfsd_filesystem *fs = from->fs;
	int r = directory_check_name(to_name);

	if (r == 0)
		r = directory_check_name(from_name);
	if (r == 0 && (flags & ~FLAG_NOREPLACE))
		r = -EINVAL;
	if (r == 0 && fs->readonly)
		r = -EROFS;
	if (r < 0)
		return r;
	rw_enter(&fs->namespace_lock, RW_WRITER);
	r = rename_locked(&state, flags);
	rw_exit(&fs->namespace_lock);
	if (state.moved)
		node_release(state.moved, 1);
	if (state.replaced)
		node_release(state.replaced, 1);
	return r < 0 ? r : directory_commit_if_always(fs);
}
