/* Folder and warning shared by fio and dd (see file_folder.h). */
#include "workload/file_io/file_folder.h"

#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int file_folder_make(
	const struct workload_context *context, const char *name, char **ret_path, struct err *err)
{
	char *path = memory_format("%s/%s", context->mount_path, name);
	int r = file_make_folders(path, 0700, err);

	if (r == 0 && context->drop_user && lchown(path, context->user_id, context->group_id) < 0)
		r = err_set_errno(err, -errno, "cannot give '%s' to its user", path);
	if (r < 0) {
		free(path);
		return r;
	}
	*ret_path = path;
	return 0;
}

void file_folder_note_zeros(const struct settings *settings, struct trial_record *record)
{
	const char *compression = settings_text(settings, "filesystem.compression", "off");

	if (strcmp(settings_text(settings, "workload.data", "random"), "zeros") == 0 &&
		strcmp(compression, "off") != 0)
		trial_record_note(record, NOTE_WARNING, "zeros-compressed",
			"zeros on a filesystem with compression = %s take no space: the figures "
			"say nothing about the disk",
			compression);
}
