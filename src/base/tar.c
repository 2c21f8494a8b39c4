/* Archives in the ustar format (see tar.h). */
#include "base/tar.h"

#include "base/macros.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK		512
#define COMPONENTS_MOST 8

struct header {
	char name[100];
	char mode[8];
	char uid[8];
	char gid[8];
	char size[12];
	char mtime[12];
	char checksum[8];
	char type;
	char linkname[100];
	char magic[6];
	char version[2];
	char uname[32];
	char gname[32];
	char major[8];
	char minor[8];
	char prefix[155];
	char padding[12];
};

_Static_assert(sizeof(struct header) == BLOCK, "a header is one block");

bool tar_name_is_plain(const char *name)
{
	size_t components = 1;
	bool at_start = true;

	if (!*name || strlen(name) > TAR_NAME_MOST)
		return false;
	for (; *name; name++) {
		if (*name == '/') {
			if (at_start || ++components > COMPONENTS_MOST)
				return false;
			at_start = true;
			continue;
		}
		if (!isalnum((unsigned char)*name) && !strchr("._-+@,=:", *name))
			return false;
		if (at_start && (*name == '.' || *name == '-'))
			return false;
		at_start = false;
	}
	return !at_start;
}

static unsigned checksum_of(const struct header *header)
{
	const unsigned char *bytes = (const unsigned char *)header;
	unsigned sum = 0;

	for (size_t i = 0; i < BLOCK; i++)
		sum += i >= offsetof(struct header, checksum) && i < offsetof(struct header, type)
			       ? ' '
			       : bytes[i];
	return sum;
}

/* Split at a slash so that both parts fit their fields. */
static bool set_name(struct header *header, const char *name)
{
	size_t length = strlen(name);
	const char *slash = name;

	if (length <= sizeof(header->name)) {
		memcpy(header->name, name, length);
		return true;
	}
	while ((slash = strchr(slash + 1, '/'))) {
		size_t before = (size_t)(slash - name);

		if (before <= sizeof(header->prefix) &&
			length - before - 1 <= sizeof(header->name)) {
			memcpy(header->prefix, name, before);
			memcpy(header->name, slash + 1, length - before - 1);
			return true;
		}
	}
	return false;
}

static int write_failed(const struct tar_writer *writer, struct err *err)
{
	return err_set_errno(err, errno ? -errno : -EIO, "cannot write '%s'", writer->path);
}

static int write_header(struct tar_writer *writer, const char *name, uint64_t size, struct err *err)
{
	struct header header;
	char text[16];

	memset(&header, 0, sizeof(header));
	if (!tar_name_is_plain(name) || !set_name(&header, name))
		return err_set(err, -EINVAL, "'%s' is no plain file name for an archive", name);
	if (size > 077777777777)
		return err_set(err, -EFBIG, "'%s' is too large for an archive", name);
	memcpy(header.mode, "0000644", 8);
	memcpy(header.uid, "0000000", 8);
	memcpy(header.gid, "0000000", 8);
	snprintf(text, sizeof(text), "%011llo", (unsigned long long)size);
	memcpy(header.size, text, sizeof(header.size));
	memcpy(header.mtime, "00000000000", 12);
	header.type = '0';
	memcpy(header.magic, "ustar", 6);
	memcpy(header.version, "00", 2);
	snprintf(text, sizeof(text), "%06o", checksum_of(&header));
	memcpy(header.checksum, text, 7);
	header.checksum[7] = ' ';
	return fwrite(&header, BLOCK, 1, writer->file) == 1 ? 0 : write_failed(writer, err);
}

static int write_padding(struct tar_writer *writer, uint64_t size, struct err *err)
{
	static const char zeros[BLOCK];
	size_t rest = (size_t)(-size % BLOCK);

	return rest == 0 || fwrite(zeros, rest, 1, writer->file) == 1 ? 0
								      : write_failed(writer, err);
}

int tar_add_text(struct tar_writer *writer, const char *name, const char *text, size_t length,
	struct err *err)
{
	int r = write_header(writer, name, length, err);

	if (r == 0 && length > 0 && fwrite(text, length, 1, writer->file) != 1)
		r = write_failed(writer, err);
	return r == 0 ? write_padding(writer, length, err) : r;
}

int tar_add_file(struct tar_writer *writer, const char *name, const char *path, struct err *err)
{
	FILE *file = fopen(path, "rbe");
	long size;
	int r;

	if (!file)
		return err_set_errno(err, -errno, "cannot read '%s'", path);
	if (fseek(file, 0, SEEK_END) < 0 || (size = ftell(file)) < 0 ||
		fseek(file, 0, SEEK_SET) < 0) {
		r = err_set_errno(err, -errno, "cannot read '%s'", path);
	} else {
		r = write_header(writer, name, (uint64_t)size, err);
		if (r == 0)
			r = tar_copy(file, writer->file, (uint64_t)size, err);
		if (r == 0)
			r = write_padding(writer, (uint64_t)size, err);
		else
			err_prefix(err, r, "put '%s' into '%s'", path, writer->path);
	}
	fclose(file);
	return r;
}

int tar_finish(struct tar_writer *writer, struct err *err)
{
	static const char zeros[2 * BLOCK];

	if (fwrite(zeros, sizeof(zeros), 1, writer->file) != 1 || fflush(writer->file) != 0)
		return write_failed(writer, err);
	return 0;
}

int tar_copy(FILE *from, FILE *to, uint64_t size, struct err *err)
{
	char buffer[65536];

	while (size > 0) {
		size_t part = (size_t)MIN(size, (uint64_t)sizeof(buffer));

		if (fread(buffer, part, 1, from) != 1)
			return err_set(err, -EBADMSG, "it ends in the middle of a file");
		if (to && fwrite(buffer, part, 1, to) != 1)
			return err_set_errno(err, errno ? -errno : -EIO, "cannot write");
		size -= part;
	}
	return 0;
}

static bool parse_octal(const char *field, size_t size, uint64_t *ret_value)
{
	uint64_t value = 0;
	size_t i = 0;

	for (; i < size && field[i] >= '0' && field[i] <= '7'; i++)
		value = value * 8 + (uint64_t)(field[i] - '0');
	if (i == 0 || (i < size && field[i] != '\0' && field[i] != ' '))
		return false;
	*ret_value = value;
	return true;
}

static int parse_header(const struct header *header, struct tar_entry *ret_entry, struct err *err)
{
	struct tar_entry entry;
	uint64_t checksum;
	int prefix = (int)strnlen(header->prefix, sizeof(header->prefix));
	int length;

	if (!parse_octal(header->checksum, sizeof(header->checksum), &checksum) ||
		checksum != checksum_of(header) || memcmp(header->magic, "ustar", 5) != 0)
		return err_set(err, -EBADMSG, "a header is damaged");
	length = snprintf(entry.name, sizeof(entry.name), "%.*s%s%.*s", prefix, header->prefix,
		prefix ? "/" : "", (int)strnlen(header->name, sizeof(header->name)), header->name);
	if (length < 0 || length > TAR_NAME_MOST || !tar_name_is_plain(entry.name))
		return err_set(err, -EBADMSG,
			"it holds a name that is not plain: only files in folders below are taken");
	if (header->type != '0' && header->type != '\0')
		return err_set(err, -EBADMSG, "'%s' is not a regular file", entry.name);
	if (!parse_octal(header->size, sizeof(header->size), &entry.size))
		return err_set(err, -EBADMSG, "the size of '%s' is damaged", entry.name);
	*ret_entry = entry;
	return 0;
}

static bool is_empty(const struct header *header)
{
	const char *bytes = (const char *)header;

	for (size_t i = 0; i < BLOCK; i++)
		if (bytes[i])
			return false;
	return true;
}

int tar_read(const struct tar_reader *reader, struct err *err)
{
	struct header header;
	int r = 0;

	while (r == 0) {
		struct tar_entry entry;

		if (fread(&header, BLOCK, 1, reader->file) != 1) {
			r = err_set(err, -EBADMSG, "its end is missing");
			break;
		}
		if (is_empty(&header))
			break;
		r = parse_header(&header, &entry, err);
		if (r == 0)
			r = reader->extract(reader->context, &entry, reader->file, err);
		if (r == 0)
			r = tar_copy(reader->file, NULL, -entry.size % BLOCK, err);
	}
	return r < 0 ? err_prefix(err, r, "'%s'", reader->path) : 0;
}
