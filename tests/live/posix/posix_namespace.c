/* Links, renames, folders, symbolic links, long names (see posix_say.h). */
#include "posix_say.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static long links_of(const char *name)
{
	struct stat info;

	return lstat(name, &info) < 0 ? -1 : (long)info.st_nlink;
}

static void links(void)
{
	begin_group("link");
	close(make_file("a", 100));
	mkdir("folder", 0755);
	say_result("new", link("a", "b"));
	say("count", "%ld", links_of("a"));
	say_result("existing", link("a", "b"));
	say_result("missing", link("none", "c"));
	say_result("folder", link("folder", "c"));
	say_result("into-missing", link("a", "none/c"));
	say_result("remove-one", unlink("a"));
	say("count-left", "%ld", links_of("b"));
	say("content", "%lu", file_sum("b"));
	say_result("symlink-itself", symlink("b", "s"));
	say_result("link-of-symlink", linkat(AT_FDCWD, "s", AT_FDCWD, "t", 0));
	say("symlink-count", "%ld", links_of("s"));
}

static void removal(void)
{
	char byte = 0;
	struct stat info;
	int fd;

	begin_group("unlink");
	fd = make_file("open", 5000);
	mkdir("folder", 0755);
	say_result("while-open", unlink("open"));
	say_result("gone", access("open", F_OK));
	say_result("still-readable", pread(fd, &byte, 1, 100));
	say_result("still-writable", pwrite(fd, "new", 3, 7000));
	say_result("fstat", fstat(fd, &info));
	say("links", "%ld", (long)info.st_nlink);
	say("size", "%ld", (long)info.st_size);
	say_result("truncate", ftruncate(fd, 10));
	say_result("fsync", fsync(fd));
	close(fd);
	say_result("missing", unlink("open"));
	say_result("folder", unlink("folder"));
	say_result("through-file", (close(make_file("f", 1)), unlink("f/x")));
	say_result("again-same-name", (close(make_file("open", 1)), unlink("open")));
}

static void folders(void)
{
	struct stat info;
	long count = 0;
	char name[32];
	DIR *dir;

	begin_group("folder");
	say_result("make", mkdir("a", 0755));
	say_result("again", mkdir("a", 0755));
	say_result("nested", mkdir("a/b", 0700));
	say("links", "%ld", links_of("a"));
	say_result("not-empty", rmdir("a"));
	say_result("remove-nested", rmdir("a/b"));
	say("links-after", "%ld", links_of("a"));
	say_result("remove", rmdir("a"));
	say_result("missing", rmdir("a"));
	close(make_file("f", 1));
	say_result("file", rmdir("f"));
	say_result("dot", rmdir("."));
	say_result("in-missing", mkdir("none/a", 0755));
	say_result("in-file", mkdir("f/a", 0755));
	mkdir("many", 0755);
	for (int i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "many/%06d", i);
		close(open(name, O_CREAT | O_WRONLY, 0644));
	}
	dir = opendir("many");
	for (const struct dirent *entry; (entry = readdir(dir));)
		if (entry->d_name[0] != '.') {
			snprintf(name, sizeof(name), "many/%.20s", entry->d_name);
			count += unlink(name) == 0; /* while reading, as rm -r does */
		}
	closedir(dir);
	say("read-and-removed", "%ld", count);
	say_result("empty-again", rmdir("many"));
	say_result("fsync", ({
		int fd = open(".", O_RDONLY | O_DIRECTORY);
		int r = fsync(fd);
		close(fd);
		r;
	}));
	say_result("type", stat(".", &info));
	say("is-folder", "%d", S_ISDIR(info.st_mode));
}

static void renames(void)
{
	begin_group("rename");
	close(make_file("a", 100));
	close(make_file("b", 200));
	mkdir("d", 0755);
	mkdir("e", 0755);
	mkdir("full", 0755);
	close(make_file("full/x", 1));
	say_result("over-file", rename("a", "b"));
	say("over-file-sum", "%lu", file_sum("b"));
	say_result("missing", rename("a", "c"));
	say_result("file-over-folder", rename("b", "d"));
	say_result("folder-over-file", rename("d", "b"));
	say_result("folder-over-empty", rename("d", "e"));
	say_result("folder-over-full", rename("e", "full"));
	say_result("into-itself", rename("full", "full/y"));
	say_result("same", rename("b", "b"));
	say_result("other-folder", rename("b", "full/b"));
	say_result("folder-to-other", rename("e", "full/e"));
	say("links-of-new-parent", "%ld", links_of("full"));
	close(make_file("a", 1));
	close(make_file("b", 2));
	say_result("noreplace", renameat2(AT_FDCWD, "a", AT_FDCWD, "b", RENAME_NOREPLACE));
	say_result("noreplace-new", renameat2(AT_FDCWD, "a", AT_FDCWD, "z", RENAME_NOREPLACE));
	say_result("exchange", renameat2(AT_FDCWD, "z", AT_FDCWD, "b", RENAME_EXCHANGE));
	say_result("hard-links-of-one", (link("z", "z2"), rename("z", "z2")));
	say_result("both-there", access("z", F_OK));
	say_result("to-missing-folder", rename("z", "none/z"));
	say_result("dot", rename(".", "x"));
	say_result("open-target", ({
		int fd = open("z2", O_RDONLY);
		int r = rename("b", "z2");
		close(fd);
		r;
	}));
}

static void symbolic_links(void)
{
	char target[4200], buffer[5000];
	struct stat info;

	begin_group("symlink");
	memset(target, 'x', sizeof(target));
	target[250] = '\0';
	say_result("long", symlink(target, "long"));
	say_result("long-read", readlink("long", buffer, sizeof(buffer)));
	say_result("long-size", lstat("long", &info) < 0 ? -1 : (long)info.st_size);
	target[250] = 'x';
	target[4095] = '\0';
	say_result("longest", symlink(target, "longest"));
	target[4095] = 'x';
	target[4096] = '\0';
	say_result("too-long", symlink(target, "toolong"));
	say_result("empty", symlink("", "empty"));
	say_result("existing", symlink("a", "long"));
	say_result("read-short", readlink("long", buffer, 10));
	say_result("read-file", (close(make_file("f", 1)), readlink("f", buffer, 10)));
	say_result("loop",
		symlink("l2", "l1") < 0 || symlink("l1", "l2") < 0 ? -2 : open("l1", O_RDONLY));
	say_result("rename", rename("long", "moved"));
	say_result("remove", unlink("moved"));
}

static void names(void)
{
	char name[300];

	begin_group("names");
	memset(name, 'n', sizeof(name));
	name[255] = '\0';
	say_result("longest", mkdir(name, 0755));
	say_result("longest-remove", rmdir(name));
	name[255] = 'n';
	name[256] = '\0';
	say_result("too-long", mkdir(name, 0755));
	say_result("odd-bytes", mkdir("a\xff b\nc", 0755));
	say_result("utf8", mkdir("\xc3\xa4", 0755));
	say_result("case", mkdir("Case", 0755));
	say_result("other-case", mkdir("case", 0755));
	say_result("fifo", mkfifo("fifo", 0644));
	say_result("empty", mkdir("", 0755));
}

void posix_namespace_cases(void)
{
	links();
	removal();
	folders();
	renames();
	symbolic_links();
	names();
}
