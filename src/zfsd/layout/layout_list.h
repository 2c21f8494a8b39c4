/*
 * What this program's code takes for granted about the memory of the library, one row each: sizes
 * of what it embeds or allocates, places of what it reads or writes, and objects of the library
 * whose sizes the loaded file tells. tools/check-layout has clang say what the code uses, and fails
 * where a row is missing.
 */
#ifndef ZFSD_LAYOUT_LAYOUT_LIST_H
#define ZFSD_LAYOUT_LAYOUT_LIST_H

/* clang-format off */
#define LAYOUT_TYPES(X) \
	X(abd_t) X(arc_state_t) X(arc_stats_t) X(arc_sums_t) X(blkptr_t) X(dmu_buf_impl_t) \
	X(dmu_buf_user_t) X(dmu_object_info_t) X(dmu_object_type_info_t) X(dmu_objset_stats_t) \
	X(dmu_tx_stats_t) X(dmu_tx_t) X(dnode_t) X(dsl_pool_t) X(dva_t) X(importargs_t) X(itx_t) \
	X(kmutex_t) X(krwlock_t) X(libpc_handle_t) X(lr_create_t) X(lr_link_t) X(lr_remove_t) \
	X(lr_rename_t) X(lr_setattr_t) X(lr_t) X(lr_truncate_t) X(lr_write_t) X(objset_t) \
	X(pool_config_ops_t) X(sa_attr_reg_t) X(sa_attr_type_t) X(sa_bulk_attr_t) X(spa_t) \
	X(taskq_ent_t) X(timespec_t) X(vdev_ops_t) X(vdev_stat_t) X(vdev_t) X(zap_cursor_t) \
	X(zfeature_info_t) X(zfs_ace_hdr_t) X(zfs_acl_phys_t) X(zfs_file_info_t) \
	X(zfs_locked_range_t) X(zfs_rangelock_t) X(zfs_refcount_t) X(zfs_uio_t) X(zgd_t) \
	X(zil_sums_t) X(zilog_t) X(zio_eck_t) X(zio_flag_t) X(zio_t)

#define LAYOUT_MEMBERS(X) \
	X(_lr_create_t, lr_common) X(_lr_create_t, lr_crtime) X(_lr_create_t, lr_doid) \
	X(_lr_create_t, lr_foid) X(_lr_create_t, lr_gen) X(_lr_create_t, lr_gid) \
	X(_lr_create_t, lr_mode) X(_lr_create_t, lr_rdev) X(_lr_create_t, lr_uid) \
	X(_lr_rename_t, lr_sdoid) X(_lr_rename_t, lr_tdoid) X(arc_stats_t, arcstat_c) \
	X(arc_stats_t, arcstat_c_max) X(arc_stats_t, arcstat_c_min) \
	X(arc_sums_t, arcstat_compressed_size) X(arc_sums_t, arcstat_data_size) \
	X(arc_sums_t, arcstat_deleted) X(arc_sums_t, arcstat_demand_data_hits) \
	X(arc_sums_t, arcstat_demand_data_misses) X(arc_sums_t, arcstat_demand_metadata_hits) \
	X(arc_sums_t, arcstat_demand_metadata_misses) X(arc_sums_t, arcstat_hits) \
	X(arc_sums_t, arcstat_metadata_size) X(arc_sums_t, arcstat_mfu_ghost_hits) \
	X(arc_sums_t, arcstat_mfu_hits) X(arc_sums_t, arcstat_misses) \
	X(arc_sums_t, arcstat_mru_ghost_hits) X(arc_sums_t, arcstat_mru_hits) \
	X(arc_sums_t, arcstat_overhead_size) X(arc_sums_t, arcstat_prefetch_data_hits) \
	X(arc_sums_t, arcstat_prefetch_data_misses) X(arc_sums_t, arcstat_prefetch_metadata_hits) \
	X(arc_sums_t, arcstat_prefetch_metadata_misses) X(arc_sums_t, arcstat_size) \
	X(arc_sums_t, arcstat_uncompressed_size) X(blkptr_t, blk_birth_word) \
	X(blkptr_t, blk_cksum) X(blkptr_t, blk_dva) X(blkptr_t, blk_fill) X(blkptr_t, blk_pad) \
	X(blkptr_t, blk_prop) X(dbuf_dirty_record_t, dr_txg) X(dmu_buf_impl_t, db) \
	X(dmu_buf_impl_t, db_dirty_records) X(dmu_buf_impl_t, db_dnode) X(dmu_buf_t, db_data) \
	X(dmu_object_info_t, doi_bonus_type) X(dmu_object_type_info_t, ot_metadata) \
	X(dmu_objset_stats_t, dds_creation_txg) X(dmu_objset_stats_t, dds_guid) \
	X(dmu_objset_stats_t, dds_inconsistent) X(dmu_objset_stats_t, dds_is_snapshot) \
	X(dmu_objset_stats_t, dds_num_clones) X(dmu_objset_stats_t, dds_origin) \
	X(dmu_objset_stats_t, dds_redacted) X(dmu_objset_stats_t, dds_type) \
	X(dmu_tx_stats_t, dmu_tx_delay) X(dmu_tx_stats_t, dmu_tx_dirty_delay) \
	X(dmu_tx_stats_t, dmu_tx_dirty_throttle) X(dmu_tx_t, tx_txg) X(dnode_t, dn_datablksz) \
	X(dnode_t, dn_maxblkid) X(dnode_t, dn_num_slots) X(dnode_t, dn_object) X(dnode_t, dn_objset) \
	X(dnode_t, dn_zfetch) \
	X(dsl_pool_t, dp_dirty_total) X(dsl_pool_t, dp_root_dir) X(dsl_pool_t, dp_spa) \
	X(dsl_pool_t, dp_tx) X(dva_t, dva_word) X(importargs_t, cachefile) \
	X(importargs_t, can_be_active) X(importargs_t, do_all) X(importargs_t, do_destroyed) \
	X(importargs_t, guid) X(importargs_t, path) X(importargs_t, paths) X(importargs_t, policy) \
	X(importargs_t, poolname) X(importargs_t, scan) X(itx_t, itx_gen) X(itx_t, itx_lr) \
	X(itx_t, itx_oid) X(itx_t, itx_private) X(itx_t, itx_size) X(itx_t, itx_sync) \
	X(itx_t, itx_wr_state) X(kstat_named_t, value) X(kstat_named_t, value.ui64) \
	X(libpc_handle_t, lpc_desc) X(libpc_handle_t, lpc_desc_active) \
	X(libpc_handle_t, lpc_error) X(libpc_handle_t, lpc_lib_handle) \
	X(libpc_handle_t, lpc_open_access_error) X(libpc_handle_t, lpc_ops) \
	X(libpc_handle_t, lpc_printerr) X(lr_create_t, lr_create) X(lr_create_t, lr_data) \
	X(lr_link_t, lr_data) X(lr_link_t, lr_doid) X(lr_link_t, lr_link_obj) \
	X(lr_remove_t, lr_common) X(lr_remove_t, lr_data) X(lr_remove_t, lr_doid) \
	X(lr_rename_t, lr_data) X(lr_rename_t, lr_rename) X(lr_setattr_t, lr_atime) \
	X(lr_setattr_t, lr_foid) X(lr_setattr_t, lr_gid) X(lr_setattr_t, lr_mask) \
	X(lr_setattr_t, lr_mode) X(lr_setattr_t, lr_mtime) X(lr_setattr_t, lr_size) \
	X(lr_setattr_t, lr_uid) X(lr_t, lrc_reclen) X(lr_t, lrc_txg) X(lr_t, lrc_txtype) \
	X(lr_truncate_t, lr_foid) X(lr_truncate_t, lr_length) X(lr_truncate_t, lr_offset) \
	X(lr_write_t, lr_blkoff) X(lr_write_t, lr_blkptr) X(lr_write_t, lr_common) \
	X(lr_write_t, lr_data) X(lr_write_t, lr_foid) X(lr_write_t, lr_length) \
	X(lr_write_t, lr_offset) X(objset_t, os_dsl_dataset) X(objset_t, os_recordsize) \
	X(objset_t, os_spa) X(objset_t, os_sync) X(objset_t, os_zil) \
	X(pool_config_ops_t, pco_pool_active) X(pool_config_ops_t, pco_refresh_config) \
	X(pool_scan_stat_t, pss_end_time) X(pool_scan_stat_t, pss_errors) \
	X(pool_scan_stat_t, pss_examined) X(pool_scan_stat_t, pss_func) \
	X(pool_scan_stat_t, pss_processed) X(pool_scan_stat_t, pss_start_time) \
	X(pool_scan_stat_t, pss_state) X(pool_scan_stat_t, pss_to_examine) \
	X(sa_bulk_attr_t, sa_attr) X(sa_bulk_attr_t, sa_data) X(sa_bulk_attr_t, sa_data_func) \
	X(sa_bulk_attr_t, sa_length) X(sa_hdr_phys_t, sa_magic) X(spa_t, spa_dsl_pool) \
	X(spa_t, spa_feat_stats) X(spa_t, spa_name) X(spa_t, spa_normal_class) \
	X(spa_t, spa_upgrade_taskq) X(tx_state_t, tx_open_txg) X(tx_state_t, tx_synced_txg) \
	X(vdev_ops_t, vdev_op_asize) X(vdev_ops_t, vdev_op_close) \
	X(vdev_ops_t, vdev_op_config_generate) X(vdev_ops_t, vdev_op_fini) \
	X(vdev_ops_t, vdev_op_hold) X(vdev_ops_t, vdev_op_init) X(vdev_ops_t, vdev_op_io_done) \
	X(vdev_ops_t, vdev_op_io_start) X(vdev_ops_t, vdev_op_kobj_evt_post) \
	X(vdev_ops_t, vdev_op_leaf) X(vdev_ops_t, vdev_op_metaslab_init) \
	X(vdev_ops_t, vdev_op_min_alloc) X(vdev_ops_t, vdev_op_min_asize) \
	X(vdev_ops_t, vdev_op_ndisks) X(vdev_ops_t, vdev_op_need_resilver) \
	X(vdev_ops_t, vdev_op_nparity) X(vdev_ops_t, vdev_op_open) \
	X(vdev_ops_t, vdev_op_rebuild_asize) X(vdev_ops_t, vdev_op_rele) \
	X(vdev_ops_t, vdev_op_remap) X(vdev_ops_t, vdev_op_state_change) \
	X(vdev_ops_t, vdev_op_type) X(vdev_ops_t, vdev_op_xlate) X(vdev_stat_t, vs_alloc) \
	X(vdev_stat_t, vs_aux) X(vdev_stat_t, vs_bytes) X(vdev_stat_t, vs_checksum_errors) \
	X(vdev_stat_t, vs_ops) X(vdev_stat_t, vs_read_errors) X(vdev_stat_t, vs_space) \
	X(vdev_stat_t, vs_state) X(vdev_stat_t, vs_timestamp) \
	X(vdev_stat_t, vs_write_errors) X(vdev_t, vdev_has_securetrim) \
	X(vdev_t, vdev_has_trim) X(vdev_t, vdev_nonrot) X(vdev_t, vdev_path) \
	X(vdev_t, vdev_reopening) X(vdev_t, vdev_spa) X(vdev_t, vdev_stat) X(vdev_t, vdev_tsd) \
	X(zap_attribute_t, za_first_integer) X(zap_attribute_t, za_name) \
	X(zbookmark_phys_t, zb_level) X(zfeature_info_t, fi_uname) \
	X(zfeature_info_t, fi_zfs_mod_supported) X(zfs_ace_hdr_t, z_access_mask) \
	X(zfs_ace_hdr_t, z_flags) X(zfs_ace_hdr_t, z_type) X(zfs_file_info_t, zfi_generation) \
	X(zfs_file_info_t, zfi_group) X(zfs_file_info_t, zfi_project) X(zfs_file_info_t, zfi_user) \
	X(zfs_locked_range_t, lr_length) X(zfs_locked_range_t, lr_offset) \
	X(zfs_locked_range_t, lr_type) X(zfs_range_seg32_t, rs_end) X(zfs_range_seg32_t, rs_start) \
	X(zfs_range_seg64_t, rs_end) X(zfs_range_seg64_t, rs_start) X(zfs_range_seg_gap_t, rs_end) \
	X(zfs_range_seg_gap_t, rs_fill) X(zfs_range_seg_gap_t, rs_start) \
	X(zfs_range_tree_t, rt_type) X(zgd_t, zgd_bp) X(zgd_t, zgd_db) X(zgd_t, zgd_lr) \
	X(zgd_t, zgd_lwb) X(zgd_t, zgd_private) X(zil_sums_t, zil_commit_count) \
	X(zil_sums_t, zil_commit_writer_count) X(zil_sums_t, zil_itx_copied_bytes) \
	X(zil_sums_t, zil_itx_copied_count) X(zil_sums_t, zil_itx_count) \
	X(zil_sums_t, zil_itx_indirect_bytes) X(zil_sums_t, zil_itx_indirect_count) \
	X(zil_sums_t, zil_itx_metaslab_normal_alloc) X(zil_sums_t, zil_itx_metaslab_normal_bytes) \
	X(zil_sums_t, zil_itx_metaslab_normal_count) X(zil_sums_t, zil_itx_metaslab_slog_alloc) \
	X(zil_sums_t, zil_itx_metaslab_slog_bytes) X(zil_sums_t, zil_itx_metaslab_slog_count) \
	X(zil_sums_t, zil_itx_needcopy_bytes) X(zil_sums_t, zil_itx_needcopy_count) \
	X(zilog_t, zl_dmu_pool) X(zilog_t, zl_logbias) X(zilog_t, zl_spa) X(zio_cksum_t, zc_word) \
	X(zio_prop_t, zp_compress) X(zio_prop_t, zp_level) X(zio_prop_t, zp_type) X(zio_t, io_abd) \
	X(zio_t, io_bookmark) X(zio_t, io_error) X(zio_t, io_flags) X(zio_t, io_logical) \
	X(zio_t, io_lsize) X(zio_t, io_offset) X(zio_t, io_priority) X(zio_t, io_prop) \
	X(zio_t, io_size) X(zio_t, io_spa) X(zio_t, io_stage) X(zio_t, io_type) X(zio_t, io_vd)

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
	X(system_taskq, sizeof(system_taskq)) \
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
