/* Finding a stored study (see study_place.h). */
#include "cmd/study_place.h"

#include "base/file.h"
#include "base/memory.h"
#include "store/bundle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int open_file(struct study_place *place, const char *path, struct err *err)
{
	const char *parent = getenv("TMPDIR");
	struct bundle_info info;
	int r;

	place->scratch =
		memory_format("%s/plumb-study.XXXXXX", parent && *parent ? parent : "/tmp");
	if (!mkdtemp(place->scratch)) {
		r = err_set_errno(err, -errno, "cannot make a folder '%s'", place->scratch);
		free(place->scratch);
		place->scratch = NULL;
		return r;
	}
	r = bundle_unpack(path, place->scratch, &info, err);
	if (r == 0)
		r = stored_study_load(&place->stored, place->scratch, info.study, err);
	if (r < 0) {
		/* What failed first counts; a left-over folder in TMPDIR is not worth more words.
		 */
		(void)file_remove_tree(place->scratch, NULL);
		free(place->scratch);
		place->scratch = NULL;
	}
	return r;
}

int study_place_open(
	struct study_place *place, const char *which, const char *folder, struct err *err)
{
	const char *colon = strrchr(which, ':');
	struct stat status;
	char *other;
	int r;

	*place = (struct study_place){ .scratch = NULL };
	if (stat(which, &status) == 0 && S_ISREG(status.st_mode) && !strstr(which, ".ini"))
		return open_file(place, which, err);
	if (stat(which, &status) == 0 && S_ISDIR(status.st_mode))
		return stored_study_load(&place->stored, which, NULL, err);
	if (!colon)
		return stored_study_load(&place->stored, folder, which, err);
	other = memory_copy_bytes(which, (size_t)(colon - which));
	r = stored_study_load(&place->stored, other, colon + 1, err);
	free(other);
	return r;
}

void study_place_release(struct study_place *place)
{
	stored_study_release(&place->stored);
	if (place->scratch)
		(void)file_remove_tree(place->scratch, NULL); /* as above */
	free(place->scratch);
	place->scratch = NULL;
}
