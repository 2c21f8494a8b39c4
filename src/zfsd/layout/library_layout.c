/* The library's symbols against the headers (see library_layout.h). */
#include "zfsd/layout/library_layout.h"

#include "zfsd/compat/zfs_headers.h"
#include <sys/zio_checksum.h>
#include <sys/zio_compress.h>
#include "zfsd/layout/layout_list.h"

#include <dlfcn.h>
#include <link.h>

const char *layout_library_path(void)
{
	Dl_info info;

	return dladdr(dlsym(RTLD_DEFAULT, "spa_create"), &info) ? info.dli_fname : NULL;
}

/* Size of an object by the library's own table; 0: there is no such object. */
static size_t size_in(void *library, const char *name)
{
	const ElfW(Sym) *symbol = NULL;
	void *place = dlsym(library, name);
	Dl_info info;

	if (!place || !dladdr1(place, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol)
		return 0;
	return info.dli_saddr == place ? (size_t)symbol->st_size : 0;
}

int layout_check(struct err *err)
{
#define ROW(name, size) { #name, size },
	static const struct {
		const char *name;
		size_t size;
	} rows[] = { LAYOUT_OBJECTS(ROW) };
#undef ROW
	const char *path = layout_library_path();
	void *library = path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	int r = 0;

	if (!library)
		return err_set(err, -ENOTSUP, "the OpenZFS library's file is not known");
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(rows); i++) {
		size_t size = size_in(library, rows[i].name);

		if (size != rows[i].size)
			r = err_set(err, -ENOTSUP,
				"OpenZFS library '%s' differs from the headers that plumb-zfsd was "
				"built with: %s has %zu bytes, not %zu",
				path, rows[i].name, size, rows[i].size);
	}
	dlclose(library);
	return r < 0 ? err_hint(err, r, "build plumb again, with the headers of this library") : 0;
}
