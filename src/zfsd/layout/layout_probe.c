/*
 * Places inside structures, asked of the library itself: its functions hand out what we read by
 * name. Needs a pool, so the self-test does it. What the library stores itself (sizes of tables) is
 * in library_layout.c.
 */
#include "zfsd/layout/layout_probe.h"

#include "zfsd/compat/zfs_headers.h"

#include <stdbool.h>

struct probe {
	const char *place;
	bool holds;
};

static int judge(const struct probe *probes, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		if (!probes[i].holds)
			return err_set(err, -ENOTSUP,
				"the OpenZFS library has %s elsewhere than its headers: build "
				"plumb again",
				probes[i].place);
	}
	return 0;
}

static int probe_pool(spa_t *spa, struct err *err)
{
	dsl_pool_t *dp = spa_get_dsl(spa);
	zio_t *zio = zio_null(NULL, spa, NULL, NULL, NULL, ZIO_FLAG_CANFAIL);
	vdev_t *top;
	int r;

	spa_config_enter(spa, SCL_ALL, FTAG, RW_READER);
	top = vdev_lookup_top(spa, 0);
	spa_config_exit(spa, SCL_ALL, FTAG);
	const struct probe probes[] = {
		{ "spa_t.spa_name", spa_name(spa) == spa->spa_name },
		{ "spa_t.spa_dsl_pool", dp == spa->spa_dsl_pool },
		{ "spa_t.spa_normal_class", spa_normal_class(spa) == spa->spa_normal_class },
		{ "dsl_pool_t.dp_spa", dp->dp_spa == spa },
		{ "dsl_pool_t.dp_tx", dp->dp_tx.tx_open_txg > dp->dp_tx.tx_synced_txg &&
					      spa_last_synced_txg(spa) <= dp->dp_tx.tx_open_txg },
		{ "zio_t.io_spa", zio->io_spa == spa },
		{ "zio_t.io_type", zio->io_type == ZIO_TYPE_NULL },
		{ "zio_t.io_flags", zio->io_flags & ZIO_FLAG_CANFAIL },
		{ "vdev_t.vdev_spa", top->vdev_spa == spa },
	};

	r = judge(probes, ARRAY_SIZE(probes), err);
	(void)zio_wait(zio);
	return r;
}

static int probe_dataset(objset_t *os, spa_t *spa, struct err *err)
{
	dmu_object_info_t info = { 0 };
	dnode_t *dnode;
	int r = -dnode_hold(os, MASTER_NODE_OBJ, FTAG, &dnode);

	if (r < 0)
		return err_set_errno(err, r, "the master node");
	dmu_object_info_from_dnode(dnode, &info);
	const struct probe probes[] = {
		{ "objset_t.os_spa", dmu_objset_spa(os) == os->os_spa && os->os_spa == spa },
		{ "objset_t.os_zil", dmu_objset_zil(os) == os->os_zil },
		{ "objset_t.os_dsl_dataset", dmu_objset_ds(os) == os->os_dsl_dataset },
		{ "zilog_t.zl_spa", os->os_zil->zl_spa == spa },
		{ "zilog_t.zl_dmu_pool", os->os_zil->zl_dmu_pool == spa_get_dsl(spa) },
		{ "dnode_t.dn_object", dnode->dn_object == MASTER_NODE_OBJ },
		{ "dnode_t.dn_objset", dnode->dn_objset == os },
		{ "dnode_t.dn_datablksz", dnode->dn_datablksz == info.doi_data_block_size },
	};

	r = judge(probes, ARRAY_SIZE(probes), err);
	dnode_rele(dnode, FTAG);
	return r;
}

int layout_probe_pool(const char *name, struct err *err)
{
	objset_t *os;
	spa_t *spa;
	int r = -spa_open(name, &spa, FTAG);

	if (r < 0)
		return err_set_errno(err, r, "open pool '%s'", name);
	r = probe_pool(spa, err);
	if (r == 0) {
		r = -dmu_objset_hold(name, FTAG, &os);
		if (r < 0) {
			err_set_errno(err, r, "hold '%s'", name);
		} else {
			r = probe_dataset(os, spa, err);
			dmu_objset_rele(os, FTAG);
		}
	}
	spa_close(spa, FTAG);
	return r;
}
