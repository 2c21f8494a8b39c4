/* What the files below a folder of the cluster really look like: sizes, record sizes, extents. */
#ifndef DOCTOR_COLLECT_RELATION_FILES_H
#define DOCTOR_COLLECT_RELATION_FILES_H

#include "base/err.h"
#include <jansson.h>

/*
 * Look at every regular file below folder (stat only; a mount point below is not entered):
 *	{"count", "bytes", "allocated_bytes", "cut_short": BOOL, "largest_relation_bytes",
 *	 "record_sizes": [{"record_bytes", "files", "bytes"}], of files longer than one record,
 *	 "nocow": BOOL and "extents_max" on btrfs only}
 * record_bytes is st_blksize, which on ZFS is the file's real record size. A relation is all
 * segments of one file number. -errno if the folder can't be read.
 */
int relation_files_scan(const char *folder, json_t **ret_files, struct err *err);

#endif
