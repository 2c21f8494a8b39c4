/*
 * What this program's code takes for granted about the memory of the library, one row each: sizes
 * of what it embeds or allocates, places of what it reads or writes, and objects of the library
 * whose sizes the loaded file tells.
 */
#ifndef ZFSD_LAYOUT_LAYOUT_LIST_H
#define ZFSD_LAYOUT_LAYOUT_LIST_H

/* clang-format off */
#define LAYOUT_TYPES(X) \
	X(objset_t) X(spa_t) X(dnode_t) X(dmu_buf_impl_t) X(dmu_tx_t) X(dsl_pool_t) X(zilog_t) \
	X(zio_t) X(vdev_t) X(vdev_ops_t) X(vdev_stat_t) X(abd_t) X(blkptr_t) X(taskq_ent_t) \
	X(kmutex_t) X(krwlock_t) X(zfs_refcount_t) X(zfs_rangelock_t) X(zfs_locked_range_t) \
	X(zil_sums_t) X(zgd_t) X(itx_t) X(lr_t) X(lr_create_t) X(lr_remove_t) X(lr_link_t) \
	X(lr_rename_t) X(lr_write_t) X(lr_truncate_t) X(lr_setattr_t) X(sa_bulk_attr_t) \
	X(sa_attr_reg_t) X(dmu_object_info_t) X(dmu_objset_stats_t) X(dmu_buf_user_t) \
	X(zfs_uio_t) X(zfs_file_info_t) X(zfeature_info_t) X(arc_stats_t) X(arc_sums_t) \
	X(arc_state_t) X(dmu_tx_stats_t)

#define LAYOUT_MEMBERS(X) \
	X(objset_t, os_spa) X(objset_t, os_sync) X(objset_t, os_recordsize) \
	X(objset_t, os_zil) X(objset_t, os_dsl_dataset) \
	X(spa_t, spa_feat_stats) X(spa_t, spa_upgrade_taskq) X(spa_t, spa_name) \
	X(spa_t, spa_dsl_pool) X(spa_t, spa_normal_class) \
	X(dnode_t, dn_num_slots) X(dnode_t, dn_zfetch) X(dnode_t, dn_object) \
	X(dnode_t, dn_objset) X(dnode_t, dn_datablksz) \
	X(dmu_buf_t, db_data) X(dmu_buf_impl_t, db_dirty_records) X(dmu_buf_impl_t, db_dnode) \
	X(dbuf_dirty_record_t, dr_txg) X(dmu_tx_t, tx_txg) \
	X(dsl_pool_t, dp_tx) X(dsl_pool_t, dp_dirty_total) X(dsl_pool_t, dp_spa) \
	X(tx_state_t, tx_open_txg) X(tx_state_t, tx_synced_txg) \
	X(zilog_t, zl_dmu_pool) X(zilog_t, zl_logbias) X(zilog_t, zl_spa) \
	X(zio_t, io_abd) X(zio_t, io_bookmark) X(zio_t, io_error) X(zio_t, io_flags) \
	X(zio_t, io_logical) X(zio_t, io_lsize) X(zio_t, io_offset) X(zio_t, io_priority) \
	X(zio_t, io_prop) X(zio_t, io_size) X(zio_t, io_stage) X(zio_t, io_type) X(zio_t, io_vd) \
	X(zio_t, io_spa) \
	X(vdev_t, vdev_path) X(vdev_t, vdev_tsd) X(vdev_t, vdev_stat) X(vdev_t, vdev_nonrot) \
	X(vdev_t, vdev_has_trim) X(vdev_t, vdev_has_securetrim) X(vdev_t, vdev_reopening) \
	X(vdev_t, vdev_spa) \
	X(vdev_stat_t, vs_aux) X(vdev_stat_t, vs_state) X(vdev_stat_t, vs_alloc) \
	X(vdev_stat_t, vs_space) X(vdev_stat_t, vs_ops) X(vdev_stat_t, vs_bytes) \
	X(itx_t, itx_wr_state) X(itx_t, itx_sync) X(itx_t, itx_private) X(itx_t, itx_gen) \
	X(itx_t, itx_oid) X(itx_t, itx_lr) \
	X(zgd_t, zgd_lwb) X(zgd_t, zgd_bp) X(zgd_t, zgd_db) X(zgd_t, zgd_lr) \
	X(zgd_t, zgd_private) X(zfs_locked_range_t, lr_offset) X(zfs_locked_range_t, lr_length) \
	X(zfs_locked_range_t, lr_type) \
	X(dmu_object_info_t, doi_bonus_type) X(dmu_objset_stats_t, dds_creation_txg) \
	X(dmu_tx_stats_t, dmu_tx_dirty_throttle) X(dmu_tx_stats_t, dmu_tx_delay) \
	X(arc_sums_t, arcstat_size) X(arc_sums_t, arcstat_hits) X(arc_sums_t, arcstat_misses) \
	X(arc_stats_t, arcstat_c) X(arc_stats_t, arcstat_c_max) X(arc_stats_t, arcstat_c_min) \
	X(zfeature_info_t, fi_uname) X(zfeature_info_t, fi_zfs_mod_supported)

/* Name in the library and the size that its declaration gives it: structures, tables whose length
 * is a release's number of features, object types, attributes, ..., and the tunables that we set. */
#define LAYOUT_OBJECTS(X) \
	X(ARC_anon, sizeof(arc_state_t)) X(arc_stats, sizeof(arc_stats_t)) \
	X(arc_sums, sizeof(arc_sums_t)) X(dmu_tx_stats, sizeof(dmu_tx_stats_t)) \
	X(spa_feature_table, sizeof(zfeature_info_t) * SPA_FEATURES) \
	X(zfs_attr_table, sizeof(sa_attr_reg_t) * (ZPL_END + 1)) \
	X(dmu_ot, sizeof(dmu_object_type_info_t) * DMU_OT_NUMTYPES) \
	X(dmu_ot_byteswap, sizeof(dmu_object_byteswap_info_t) * DMU_BSWAP_NUMFUNCS) \
	X(zio_checksum_table, sizeof(zio_checksum_info_t) * ZIO_CHECKSUM_FUNCTIONS) \
	X(zio_compress_table, sizeof(zio_compress_info_t) * ZIO_COMPRESS_FUNCTIONS) \
	X(vdev_mirror_ops, sizeof(vdev_ops_t)) X(vdev_file_ops, sizeof(vdev_ops_t)) \
	X(vdev_disk_ops, sizeof(vdev_ops_t)) X(spa_namespace_lock, sizeof(kmutex_t)) \
	X(spa_namespace_cv, sizeof(kcondvar_t)) X(spa_namespace_avl, sizeof(avl_tree_t)) \
	X(libzpool_config_ops, sizeof(libzpool_config_ops)) \
	X(spa_config_path, sizeof(spa_config_path)) X(zfs_flags, sizeof(zfs_flags)) \
	X(zfs_arc_max, sizeof(zfs_arc_max)) X(zfs_arc_min, sizeof(zfs_arc_min)) \
	X(zfs_dirty_data_max, sizeof(zfs_dirty_data_max)) \
	X(zfs_dirty_data_max_max, sizeof(zfs_dirty_data_max_max)) \
	X(zfs_txg_timeout, sizeof(zfs_txg_timeout)) \
	X(zfs_nocacheflush, sizeof(zfs_nocacheflush)) \
	X(zfs_abd_scatter_enabled, sizeof(zfs_abd_scatter_enabled))
/* clang-format on */

#endif
