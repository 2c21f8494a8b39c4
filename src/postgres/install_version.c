/* The installed server's version, which builds are to follow as closely as sources can be had. */
#include "postgres/install_internal.h"

#include "postgres/binaries.h"

#include <stdio.h>
#include <string.h>

int pg_installed_version(int major, struct strbuf *ret_version)
{
	struct settings settings = { 0 };
	struct pg_binaries binaries = { 0 };
	struct setting_value value = { .name = "postgres.version" };
	char wanted[16];
	int found = 0;

	snprintf(wanted, sizeof(wanted), "%d", major);
	value.text = wanted;
	if (major)
		settings_set(&settings, &value);
	/* None, or one that can't be used: no version to follow. */
	if (pg_binaries_find(&settings, &binaries, NULL) == 0) {
		strbuf_add_text(ret_version, binaries.version_text);
		found = pg_version_major(binaries.version_text);
	}
	pg_binaries_release(&binaries);
	settings_release(&settings);
	return found;
}

void pg_install_note(const char *bindir, struct strbuf *ret_note)
{
	struct strbuf installed = STRBUF_INIT;
	const char *folder = bindir + strlen(bindir);
	char version[32];

	/* CACHE/VERSION-bBLOCK-.../bin */
	for (int slashes = 0; folder > bindir && slashes < 2; folder--)
		slashes += folder[-1] == '/';
	folder += *folder == '/';
	snprintf(version, sizeof(version), "%.*s", (int)strcspn(folder, "-/"), folder);
	if (pg_version_major(version) &&
		pg_installed_version(pg_version_major(version), &installed) &&
		pg_version_compare(installed.data, version) != 0)
		strbuf_add_format(ret_note,
			"builds are of PostgreSQL %s, the installed server is %s: no source of "
			"that version can be had (--source takes one)",
			version, installed.data);
	strbuf_release(&installed);
}
