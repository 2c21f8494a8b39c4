/* What fio and dd share: their folder on the filesystem under test, the warning about zeros. */
#ifndef WORKLOAD_FILE_IO_FILE_FOLDER_H
#define WORKLOAD_FILE_IO_FILE_FOLDER_H

#include "workload/workload.h"

/* Make MOUNT/NAME, owned by the run-as user; one that exists is fine. *ret_path is yours. */
int file_folder_make(
	const struct workload_context *context, const char *name, char **ret_path, struct err *err);

/* Zeros on a filesystem that compresses them away measure nothing: say so in the record. */
void file_folder_note_zeros(const struct settings *settings, struct trial_record *record);

#endif
