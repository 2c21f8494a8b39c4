/* Modes, owners, times, permissions of other users, locks (see posix_say.h). */
#include "posix_say.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct stat look(const char *name)
{
	struct stat info;

	memset(&info, 0, sizeof(info));
	if (lstat(name, &info) < 0)
		info.st_size = -1;
	return info;
}

static void modes(void)
{
	begin_group("mode");
	umask(027);
	close(open("file", O_CREAT | O_WRONLY, 0666));
	mkdir("folder", 0777);
	umask(022);
	say("file-umask", "%o", look("file").st_mode);
	say("folder-umask", "%o", look("folder").st_mode);
	for (int mode = 0; mode <= 07777; mode += 0111 + 01000) {
		char name[16];

		snprintf(name, sizeof(name), "chmod-%o", mode);
		if (chmod("file", (mode_t)mode) < 0)
			say_result(name, -1);
		else
			say(name, "%o", look("file").st_mode);
	}
	say_result("missing", chmod("none", 0644));
	chmod("folder", 02775);
	if (chown("folder", (uid_t)-1, 7) < 0)
		say_result("chown-group", -1);
	mkdir("folder/in", 0755);
	close(open("folder/file", O_CREAT | O_WRONLY, 0644));
	say("sgid-folder-mode", "%o", look("folder/in").st_mode);
	say("sgid-file-group", "%d", (int)look("folder/file").st_gid);
}

static void owners(void)
{
	begin_group("owner");
	close(make_file("file", 10));
	say_result("chown", chown("file", 12, 34));
	say("ids", "%d:%d", (int)look("file").st_uid, (int)look("file").st_gid);
	say_result("keep", chown("file", (uid_t)-1, (gid_t)-1));
	chmod("file", 06755);
	say_result("clears-suid", chown("file", 13, 34));
	say("mode-after", "%o", look("file").st_mode);
	say_result("symlink", symlink("file", "link"));
	say_result("lchown", lchown("link", 5, 6));
	say("link-ids", "%d:%d", (int)look("link").st_uid, (int)look("file").st_uid);
}

static void set_times(void)
{
	const struct timespec both[2] = { { 1000000001, 123456789 }, { 1500000002, 987654321 } };
	const struct timespec omit[2] = { { 0, UTIME_OMIT }, { 1600000003, 5 } };
	const struct timespec early[2] = { { -5, 0 }, { 1, 1 } };

	begin_group("times");
	close(make_file("file", 10));
	say_result("set", utimensat(AT_FDCWD, "file", both, 0));
	say("atime", "%ld.%09ld", (long)look("file").st_atim.tv_sec, look("file").st_atim.tv_nsec);
	say("mtime", "%ld.%09ld", (long)look("file").st_mtim.tv_sec, look("file").st_mtim.tv_nsec);
	say_result("omit", utimensat(AT_FDCWD, "file", omit, 0));
	say("atime-kept", "%ld", (long)look("file").st_atim.tv_sec);
	say("mtime-new", "%ld.%09ld", (long)look("file").st_mtim.tv_sec,
		look("file").st_mtim.tv_nsec);
	say_result("before-1970", utimensat(AT_FDCWD, "file", early, 0));
	say("before-1970-atime", "%ld", (long)look("file").st_atim.tv_sec);
	say_result("missing", utimensat(AT_FDCWD, "none", both, 0));
}

/* Did a call change a time? Compared with an old time set before, not with the clock. */
static void set_old(const char *name)
{
	const struct timespec old[2] = { { 1000000000, 0 }, { 1000000000, 0 } };

	utimensat(AT_FDCWD, name, old, AT_SYMLINK_NOFOLLOW);
}

static void changed_times(void)
{
	int fd;

	begin_group("changes");
	fd = make_file("file", 10000);
	set_old("file");
	say_result("write", pwrite(fd, "x", 1, 5));
	say("write-mtime", "%d", look("file").st_mtime > 1000000000);
	set_old("file");
	say_result("truncate", ftruncate(fd, 500));
	say("truncate-mtime", "%d", look("file").st_mtime > 1000000000);
	set_old("file");
	chmod("file", 0600);
	say("chmod-mtime", "%d", look("file").st_mtime > 1000000000);
	set_old(".");
	close(open("new", O_CREAT | O_WRONLY, 0644));
	say("create-folder-mtime", "%d", look(".").st_mtime > 1000000000);
	set_old(".");
	say_result("rename", rename("new", "newer"));
	say("rename-folder-mtime", "%d", look(".").st_mtime > 1000000000);
	set_old(".");
	unlink("newer");
	say("unlink-folder-mtime", "%d", look(".").st_mtime > 1000000000);
	set_old("file");
	say_result("futimens-now", futimens(fd, NULL));
	say("futimens-now-mtime", "%d", look("file").st_mtime > 1000000000);
	close(fd);
}

static void other_user(void)
{
	say_result("read-private", open("private", O_RDONLY));
	say_result("read-public", access("public", R_OK));
	say_result("write-public", open("public", O_WRONLY));
	say_result("open-group", open("group", O_RDONLY));
	say_result("enter-closed", open("closed/file", O_RDONLY));
	say_result("list-closed", open("closed", O_RDONLY | O_DIRECTORY));
	say_result("search-only", access("search/file", R_OK));
	say_result("list-search-only", open("search", O_RDONLY | O_DIRECTORY));
	say_result("create-in-readonly", mkdir("readonly/x", 0755));
	say_result("unlink-in-readonly", unlink("readonly/file"));
	say_result("unlink-sticky", unlink("sticky/file"));
	say_result("rename-sticky", rename("sticky/file", "sticky/other"));
	say_result("chmod-foreign", chmod("public", 0777));
	say_result("chown-foreign", chown("public", 65534, (gid_t)-1));
	say_result("utimes-foreign", utimensat(AT_FDCWD, "public", NULL, 0));
	say_result("truncate-foreign", truncate("public", 0));
	say_result("create-open", ({
		int fd = open("open/mine", O_CREAT | O_RDWR, 0400);
		long r = fd < 0 ? -1 : write(fd, "x", 1); /* opened for writing before the mode */
		close(fd);
		r;
	}));
	say_result("own-chown", chown("open/mine", 0, (gid_t)-1));
	say_result("own-readonly", open("open/mine", O_WRONLY));
	say_result("write-suid", ({
		int fd = open("suid", O_WRONLY);
		long r = write(fd, "x", 1);
		close(fd);
		r;
	}));
	say("suid-cleared", "%o", look("suid").st_mode);
}

static void permissions(void)
{
	static const struct {
		const char *name;
		mode_t mode;
	} made[] = { { "closed", 0700 }, { "search", 0711 }, { "readonly", 0755 },
		{ "sticky", 01777 }, { "open", 0777 } };
	char name[64];

	begin_group("permission");
	close(make_file("private", 10));
	chmod("private", 0600);
	close(make_file("public", 10));
	close(make_file("group", 10));
	chmod("group", 0640);
	close(make_file("suid", 10));
	chmod("suid", 06777);
	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
		mkdir(made[i].name, 0755);
		snprintf(name, sizeof(name), "%s/file", made[i].name);
		close(make_file(name, 10));
		chmod(made[i].name, made[i].mode);
	}
	as_other_user(other_user);
}

/* Can another process take the lock now? */
static int other_process(int (*take)(int fd))
{
	pid_t pid;
	int status = 0;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		int fd = open("file", O_RDWR);

		_exit(take(fd) == 0 ? 0 : errno);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static int take_flock(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB);
}

static int take_range(int fd)
{
	struct flock range = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 50, .l_len = 10
	};

	return fcntl(fd, F_SETLK, &range);
}

static void locks(void)
{
	struct flock range = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 55 };
	int fd;

	begin_group("lock");
	fd = make_file("file", 100);
	say_result("flock", flock(fd, LOCK_EX));
	say("flock-other", "%s", errno_name(other_process(take_flock)));
	say_result("unlock", flock(fd, LOCK_UN));
	say("flock-other-after", "%d", other_process(take_flock));
	say_result("range", fcntl(fd, F_SETLK, &range));
	say("range-other", "%s", errno_name(other_process(take_range)));
	range.l_type = F_UNLCK;
	say_result("range-unlock", fcntl(fd, F_SETLK, &range));
	say("range-other-after", "%d", other_process(take_range));
	close(fd);
}

void posix_attribute_cases(void)
{
	modes();
	owners();
	set_times();
	changed_times();
	permissions();
	locks();
}
