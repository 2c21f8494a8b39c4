/*
 * What makes a build what it is: configure's options, flags, the compiler, and the name in the
 * cache that they give. Apart from install_build.c because nothing here runs a build.
 */
#include "postgres/install_internal.h"

#include "base/hash.h"
#include "base/memory.h"
#include "setting/setting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_PAGE_BYTES    8192
#define DEFAULT_SEGMENT_BYTES (1ULL << 30)
#define OPTIONS_MAX	      20

static bool power_of_two(uint64_t value)
{
	return value && (value & (value - 1)) == 0;
}

static int check_page(const char *what, uint64_t bytes, uint64_t most, struct err *err)
{
	if (bytes == 0 || (power_of_two(bytes) && bytes >= 1024 && bytes <= most))
		return 0;
	return err_set(err, -EINVAL,
		"%s of %llu bytes: PostgreSQL takes 1K to %lluK, a power of two", what,
		(unsigned long long)bytes, (unsigned long long)most / 1024);
}

int pg_build_spec_check(const struct pg_build_spec *spec, struct err *err)
{
	int r = check_page("block size", spec->block_bytes, 32 << 10, err);

	if (r == 0)
		r = check_page("WAL block size", spec->wal_block_bytes, 64 << 10, err);
	if (r == 0 && spec->segment_bytes &&
		(spec->segment_bytes < 1 << 20 || spec->segment_bytes % DEFAULT_PAGE_BYTES))
		r = err_set(err, -EINVAL, "segment size of %llu bytes: at least 1M, whole pages",
			(unsigned long long)spec->segment_bytes);
	if (r == 0 && spec->version && !pg_version_major(spec->version))
		r = err_set(err, -EINVAL, "'%s' is no PostgreSQL version", spec->version);
	return r;
}

/* Value of NAME in pg_config --configure's list of 'NAME=value' words. */
static bool configured_value(const char *configure, const char *name, struct strbuf *ret_value)
{
	char *start = memory_format("'%s=", name);
	const char *found = strstr(configure, start);
	const char *end;

	if (found)
		found += strlen(start);
	free(start);
	if (!found || !(end = strchr(found, '\'')))
		return false;
	strbuf_add(ret_value, found, (size_t)(end - found));
	return true;
}

/* Debug information costs time and space and changes no code. */
static void drop_debug_flags(struct strbuf *flags)
{
	struct strbuf kept = STRBUF_INIT;
	char *rest = flags->data, *word;

	while ((word = strsep(&rest, " ")))
		if (*word && strcmp(word, "-g") != 0 && strncmp(word, "-ffile-prefix-map", 17) != 0)
			strbuf_add_format(&kept, "%s%s", kept.length ? " " : "", word);
	strbuf_release(flags);
	*flags = kept;
}

/* NAME=flags as the distribution's own server was built, fallback where that can't be asked. */
static char *distribution_flags(const char *configure, const char *name, const char *fallback)
{
	struct strbuf flags = STRBUF_INIT;
	char *argument;

	if (!configured_value(configure, name, &flags))
		strbuf_add_text(&flags, fallback);
	drop_debug_flags(&flags);
	argument = memory_format("%s=%s", name, flags.data);
	strbuf_release(&flags);
	return argument;
}

static bool library_present(const char *name)
{
	const char *arguments[] = { "pkg-config", "--exists", name, NULL };

	return subprocess_capture(arguments, NULL, NULL) == 0;
}

static int segment_option(
	const struct pg_build_spec *spec, int major, char **ret_option, struct err *err)
{
	uint64_t bytes = spec->segment_bytes ? spec->segment_bytes : DEFAULT_SEGMENT_BYTES;
	uint64_t block = spec->block_bytes ? spec->block_bytes : DEFAULT_PAGE_BYTES;

	if (bytes % DEFAULT_SEGMENT_BYTES == 0)
		*ret_option = memory_format(
			"--with-segsize=%llu", (unsigned long long)(bytes / DEFAULT_SEGMENT_BYTES));
	else if (major >= 16)
		*ret_option = memory_format(
			"--with-segsize-blocks=%llu", (unsigned long long)(bytes / block));
	else
		return err_set(err, -EINVAL,
			"segment size of %llu bytes: PostgreSQL %d takes whole gigabytes",
			(unsigned long long)bytes, major);
	return 0;
}

int pg_build_options(
	const struct pg_build_spec *spec, int major, char ***ret_options, struct err *err)
{
	static const char *const config[] = { "pg_config", "--configure", NULL };
	uint64_t block = spec->block_bytes ? spec->block_bytes : DEFAULT_PAGE_BYTES;
	uint64_t wal = spec->wal_block_bytes ? spec->wal_block_bytes : DEFAULT_PAGE_BYTES;
	struct strbuf configure = STRBUF_INIT;
	char **options, *segment = NULL;
	size_t used = 0;
	int r = segment_option(spec, major, &segment, err);

	if (r < 0)
		return r;
	subprocess_capture(config, &configure, NULL); /* none: the fallbacks */
	options = memory_new_array(OPTIONS_MAX + 1, sizeof(*options));
	options[used++] = memory_format("--with-blocksize=%llu", (unsigned long long)block / 1024);
	options[used++] =
		memory_format("--with-wal-blocksize=%llu", (unsigned long long)wal / 1024);
	options[used++] = segment;
	options[used++] = memory_copy_string("--without-readline");
	options[used++] = memory_copy_string("--without-icu");
	if (!library_present("zlib"))
		options[used++] = memory_copy_string("--without-zlib");
	if (major >= 14 && library_present("liblz4"))
		options[used++] = memory_copy_string("--with-lz4");
	if (major >= 15 && library_present("libzstd"))
		options[used++] = memory_copy_string("--with-zstd");
	if (major >= 18 && library_present("liburing"))
		options[used++] = memory_copy_string("--with-liburing");
	options[used++] = distribution_flags(configure.data, "CFLAGS", "-O2");
	options[used++] = distribution_flags(configure.data, "CPPFLAGS", "");
	options[used++] = distribution_flags(configure.data, "LDFLAGS", "");
	strbuf_release(&configure);
	*ret_options = options;
	return 0;
}

void pg_options_free(char **options)
{
	for (size_t i = 0; options && options[i]; i++)
		free(options[i]);
	free(options);
}

/* First line of the compiler's --version; empty when there is none. */
static void compiler_version(struct strbuf *ret_text)
{
	static const char *const ask[] = { "gcc", "--version", NULL };

	if (subprocess_capture(ask, ret_text, NULL) == 0 && strchr(ret_text->data, '\n')) {
		ret_text->length = strcspn(ret_text->data, "\n");
		ret_text->data[ret_text->length] = '\0';
	}
}

void pg_build_name(const struct pg_build_spec *spec, const char *version, char *const *options,
	struct strbuf *ret_name)
{
	struct hash_state *state = hash_new();
	struct strbuf compiler = STRBUF_INIT;
	char text[HASH_TEXT_SIZE];

	compiler_version(&compiler);
	hash_add_text(state, compiler.data);
	for (size_t i = 0; options[i]; i++)
		hash_add_text(state, options[i]);
	hash_format(hash_finish(state), text);
	hash_free(state);
	strbuf_release(&compiler);
	strbuf_add_format(ret_name, "%s-b", version);
	size_format(spec->block_bytes ? spec->block_bytes : DEFAULT_PAGE_BYTES, ret_name);
	strbuf_add_text(ret_name, "-w");
	size_format(spec->wal_block_bytes ? spec->wal_block_bytes : DEFAULT_PAGE_BYTES, ret_name);
	strbuf_add_text(ret_name, "-s");
	size_format(spec->segment_bytes ? spec->segment_bytes : DEFAULT_SEGMENT_BYTES, ret_name);
	strbuf_add_format(ret_name, "-%.8s", text);
}
