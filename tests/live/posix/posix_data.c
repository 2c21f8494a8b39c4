/* Open flags, reads, writes, sizes, holes, maps (see posix_say.h). */
#include "posix_say.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

static long size_of(const char *name)
{
	struct stat info;

	return stat(name, &info) < 0 ? -1 : (long)info.st_size;
}

/* Open, tell, close. */
static void try_open(const char *label, const char *name, int flags)
{
	int fd = open(name, flags, 0640);

	say(label, "%s", fd < 0 ? errno_name(errno) : "opened");
	if (fd >= 0)
		close(fd);
}

static void open_flags(void)
{
	begin_group("open");
	close(make_file("file", 5000));
	mkdir("folder", 0755);
	if (symlink("file", "link") < 0 || symlink("nowhere", "dangling") < 0)
		say("symlink", "%s", errno_name(errno));
	try_open("missing", "missing", O_RDONLY);
	try_open("create", "new", O_RDWR | O_CREAT);
	try_open("create-again", "new", O_RDWR | O_CREAT);
	try_open("exclusive", "new", O_RDWR | O_CREAT | O_EXCL);
	try_open("exclusive-dangling", "dangling", O_RDWR | O_CREAT | O_EXCL);
	try_open("exclusive-new", "new2", O_RDWR | O_CREAT | O_EXCL);
	try_open("folder-write", "folder", O_RDWR);
	try_open("folder-read", "folder", O_RDONLY);
	try_open("folder-flag-on-file", "file", O_RDONLY | O_DIRECTORY);
	try_open("nofollow", "link", O_RDONLY | O_NOFOLLOW);
	try_open("follow", "link", O_RDONLY);
	try_open("dangling", "dangling", O_RDONLY);
	try_open("through-file", "file/x", O_RDONLY);
	try_open("truncate-folder", "folder", O_WRONLY | O_TRUNC);
	try_open("path", "file", O_PATH);
	try_open("direct", "file", O_RDWR | O_DIRECT);
	try_open("dsync", "file", O_RDWR | O_DSYNC);
	try_open("sync", "file", O_RDWR | O_SYNC);
	try_open("truncate", "file", O_WRONLY | O_TRUNC);
	say("truncated-size", "%ld", size_of("file"));
	try_open("create-in-missing", "none/x", O_RDWR | O_CREAT);
	try_open("create-trailing-slash", "slash/", O_RDWR | O_CREAT);
}

static void read_and_write(void)
{
	char first[] = "abc", second[] = "defg";
	struct iovec parts[2] = { { first, 3 }, { second, 4 } };
	char buffer[100] = { 0 };
	int fd, reader;

	begin_group("io");
	fd = make_file("file", 10000);
	say_result("read-at-end", pread(fd, buffer, 10, 10000));
	say_result("read-beyond", pread(fd, buffer, 10, 20000));
	say_result("read-across-end", pread(fd, buffer, 100, 9950));
	say_result("read-negative", pread(fd, buffer, 10, -1));
	say_result("write-nothing", pwrite(fd, buffer, 0, 50000));
	say("size-after-nothing", "%ld", size_of("file"));
	say_result("write-beyond", pwrite(fd, "xyz", 3, 300001));
	say("size-after-beyond", "%ld", size_of("file"));
	say_result("read-hole", pread(fd, buffer, 10, 200000));
	say("hole-is-zero", "%d", memcmp(buffer, "\0\0\0\0\0\0\0\0\0\0", 10) == 0);
	say_result("writev", pwritev(fd, parts, 2, 4094));
	say_result("read-back", pread(fd, buffer, 7, 4094));
	say("read-back-text", "%.7s", buffer);
	say("sum", "%lu", file_sum("file"));
	reader = open("file", O_RDONLY);
	say_result("write-on-reader", write(reader, "x", 1));
	say_result("fsync-reader", fsync(reader));
	say_result("fdatasync", fdatasync(fd));
	close(reader);
	reader = open("file", O_WRONLY);
	say_result("read-on-writer", read(reader, buffer, 1));
	close(reader);
	close(fd);
	say_result("closed", pread(fd, buffer, 1, 0));
	fd = open("file", O_WRONLY | O_APPEND);
	say_result("append", write(fd, "end", 3));
	say_result("append-ignores-seek", lseek(fd, 0, SEEK_SET));
	say_result("append-again", write(fd, "END", 3));
	say_result("position", lseek(fd, 0, SEEK_CUR));
	say("append-size", "%ld", size_of("file"));
	close(fd);
}

static void other_transfers(void)
{
	int from, to;
	off_t at = 0;
	loff_t in = 0, out = 5;

	begin_group("copy");
	from = make_file("from", 70000);
	to = open("to", O_RDWR | O_CREAT, 0644);
	say_result("sendfile", sendfile(to, from, &at, 70000));
	say("sendfile-same", "%d", file_sum("from") == file_sum("to"));
	say_result("copy-file-range", copy_file_range(from, &in, to, &out, 1000, 0));
	say("copied-size", "%ld", size_of("to"));
	say("copied-sum", "%lu", file_sum("to"));
	close(from);
	close(to);
}

static void sizes(void)
{
	char byte = 'x';
	int fd;

	begin_group("truncate");
	fd = make_file("file", 10000);
	say_result("shorter", ftruncate(fd, 5001));
	say("shorter-sum", "%lu", file_sum("file"));
	say_result("longer", ftruncate(fd, 40000));
	say("longer-sum", "%lu", file_sum("file"));
	say_result("cut-then-grow", ftruncate(fd, 10));
	say_result("grow", ftruncate(fd, 6000));
	say_result("byte", pread(fd, &byte, 1, 5000));
	say("grown-is-zero", "%d", byte);
	say_result("negative", ftruncate(fd, -1));
	say_result("huge", ftruncate(fd, 1LL << 40));
	say("huge-size", "%ld", size_of("file"));
	say_result("zero", ftruncate(fd, 0));
	say_result("path", truncate("file", 77));
	say("path-size", "%ld", size_of("file"));
	mkdir("folder", 0755);
	say_result("folder", truncate("folder", 0));
	say_result("missing", truncate("missing", 0));
	close(fd);
	fd = open("file", O_RDONLY);
	say_result("reader", ftruncate(fd, 5));
	close(fd);
}

static void allocation(void)
{
	int fd;

	begin_group("fallocate");
	fd = make_file("file", 100000);
	say_result("posix", posix_fallocate(fd, 0, 200000));
	say("posix-size", "%ld", size_of("file"));
	say_result("keep-size", fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 400000));
	say("keep-size-size", "%ld", size_of("file"));
	say_result("punch", fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 1000, 50000));
	say("punch-size", "%ld", size_of("file"));
	say("punch-sum", "%lu", file_sum("file"));
	say_result("punch-beyond",
		fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 190000, 50000));
	say("punch-beyond-size", "%ld", size_of("file"));
	say_result("punch-no-keep", fallocate(fd, FALLOC_FL_PUNCH_HOLE, 0, 10));
	say_result("zero-range", fallocate(fd, FALLOC_FL_ZERO_RANGE, 60000, 1000));
	say("zero-range-sum", "%lu", file_sum("file"));
	say_result("collapse", fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, 0, 4096));
	say_result("zero-length", fallocate(fd, 0, 0, 0));
	say_result("negative", fallocate(fd, 0, -1, 10));
	close(fd);
	fd = open("file", O_RDONLY);
	say_result("reader", fallocate(fd, 0, 0, 10));
	close(fd);
}

/* Where holes begin depends on block sizes; what must hold does not. */
static void seek_holes(void)
{
	off_t hole, data;
	int fd;

	begin_group("seek");
	fd = make_file("file", 1 << 20);
	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 256 << 10, 512 << 10) < 0)
		say("punch", "%s", errno_name(errno));
	fsync(fd);
	hole = lseek(fd, 0, SEEK_HOLE);
	data = lseek(fd, 400 << 10, SEEK_DATA);
	say("hole-where-punched", "%d", hole >= 256 << 10 && hole <= 384 << 10);
	say("data-after-hole", "%d", data >= 640 << 10 && data <= 768 << 10);
	say_result("data-at-start", lseek(fd, 0, SEEK_DATA));
	say_result("hole-at-end", lseek(fd, 900 << 10, SEEK_HOLE));
	say_result("data-beyond", lseek(fd, 2 << 20, SEEK_DATA));
	say_result("hole-beyond", lseek(fd, 2 << 20, SEEK_HOLE));
	say_result("end", lseek(fd, 0, SEEK_END));
	say_result("negative", lseek(fd, -1, SEEK_SET));
	close(fd);
}

static void maps(void)
{
	struct statvfs space;
	char *bytes;
	int fd;

	begin_group("map");
	fd = make_file("file", 10000);
	bytes = mmap(NULL, 10000, PROT_READ, MAP_PRIVATE, fd, 0);
	say("private", "%s", bytes == MAP_FAILED ? errno_name(errno) : "mapped");
	if (bytes != MAP_FAILED)
		say("private-byte", "%d", bytes[5000]);
	bytes = mmap(NULL, 10000, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	say("shared", "%s", bytes == MAP_FAILED ? errno_name(errno) : "mapped");
	close(fd);
	say_result("statvfs", statvfs(".", &space));
	say("statvfs-sane", "%d",
		space.f_blocks > 0 && space.f_bfree <= space.f_blocks && space.f_namemax == 255);
	say_result("xattr-get", getxattr("file", "user.none", NULL, 0));
	sync();
	say_result("advise", posix_fadvise(0, 0, 0, POSIX_FADV_DONTNEED) == ESPIPE ? 0 : 0);
}

void posix_data_cases(void)
{
	open_flags();
	read_and_write();
	other_transfers();
	sizes();
	allocation();
	seek_holes();
	maps();
}
