/*
 * file_stress FILE SEED OPERATIONS [CLEAN KILL]: random writes, reads, truncates, holes and syncs
 * of one file against a copy in memory, in the manner of fsx. CLEAN and KILL are commands: the
 * first unmounts and mounts the filesystem again, the second kills its daemon and brings it back.
 * After a clean remount the file must be as the copy says; after a kill it must be as it was at the
 * last sync or at some later operation, never anything else.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_MAX   (1 << 20)
#define PART_MAX   (192 << 10)
#define LOG_MAX	   4000 /* a sync is forced before this many operations */
#define SWITCH_ONE 6000 /* one operation in so many is a remount or a kill */

enum action { WRITE, READ, CUT, PUNCH, ALLOCATE, SYNC, REOPEN, REMOUNT, KILL };

struct operation {
	enum action action;
	uint32_t offset, size;
	uint32_t fill; /* seed of the bytes written */
};

/* The file as it should be. */
struct model {
	uint32_t size;
	unsigned char bytes[FILE_MAX];
};

static struct model now, synced;
static struct operation since[LOG_MAX]; /* changes since the last sync */
static size_t since_count;
static const char *path;
static uint64_t random_state;
static unsigned char buffer[FILE_MAX];

static uint32_t draw(uint32_t below)
{
	random_state += 0x9e3779b97f4a7c15ULL;
	uint64_t z = random_state;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return (uint32_t)((z ^ (z >> 31)) % below);
}

static void fill(unsigned char *bytes, uint32_t size, uint32_t seed)
{
	for (uint32_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)((seed + i) * 2654435761u >> 24);
}

static void apply(struct model *model, const struct operation *operation)
{
	uint32_t end = operation->offset + operation->size;

	switch (operation->action) {
	case WRITE:
		fill(model->bytes + operation->offset, operation->size, operation->fill);
		model->size = end > model->size ? end : model->size;
		break;
	case CUT:
		if (operation->offset < model->size)
			memset(model->bytes + operation->offset, 0,
				model->size - operation->offset);
		model->size = operation->offset;
		break;
	case PUNCH:
		memset(model->bytes + operation->offset, 0, operation->size);
		break;
	case ALLOCATE:
		model->size = end > model->size ? end : model->size;
		break;
	default:
		break;
	}
}

static void fail(const char *what, long number, uint32_t at)
{
	fprintf(stderr, "file_stress: operation %ld: %s (at %u, size %u): %s\n", number, what, at,
		now.size, strerror(errno));
	exit(1);
}

static int open_file(int flags)
{
	int fd = open(path, O_RDWR | flags, 0644);

	if (fd < 0)
		fail("cannot open the file", -1, 0);
	return fd;
}

/* The whole file equals the model? */
static bool same(int fd, const struct model *model)
{
	struct stat info;
	ssize_t got = pread(fd, buffer, FILE_MAX, 0);

	return fstat(fd, &info) == 0 && info.st_size == model->size && got == model->size &&
	       memcmp(buffer, model->bytes, model->size) == 0;
}

/* A truncation frees first and sets the size after that, in two transaction groups perhaps, here as
 * in the kernel: between them the file has its old size and zeros. */
static bool same_half_cut(int fd, const struct model *model, const struct operation *operation)
{
	static struct model half;

	if (operation->action != CUT || operation->offset >= model->size)
		return false;
	memcpy(&half, model, sizeof(half));
	apply(&half, operation);
	half.size = model->size;
	if (!same(fd, &half))
		return false;
	memcpy(&now, &half, sizeof(half));
	return true;
}

/* For whoever looks into a failure: where a candidate and the file part. */
static void describe_difference(int fd, const struct model *model, size_t index)
{
	static const char *const words[] = { "write", "read", "cut", "punch", "allocate" };
	const struct operation *operation = index > 0 ? &since[index - 1] : NULL;
	struct stat info;
	ssize_t got = pread(fd, buffer, FILE_MAX, 0);
	uint32_t first = FILE_MAX, last = 0, count = 0;

	fstat(fd, &info);
	for (uint32_t i = 0; i < model->size && (ssize_t)i < got; i++)
		if (buffer[i] != model->bytes[i]) {
			first = first == FILE_MAX ? i : first;
			last = i;
			count++;
		}
	fprintf(stderr, "  after %zu (%s %u+%u): size %u, file %ld; %u bytes differ, %u to %u\n",
		index, operation ? words[operation->action] : "sync",
		operation ? operation->offset : 0, operation ? operation->size : 0, model->size,
		(long)info.st_size, count, first, last);
}

/* After a kill: find the operation since the last sync up to which the file is there. */
static void settle_after_kill(int fd, long number)
{
	struct model *candidate = malloc(sizeof(*candidate));
	bool found = false;

	memcpy(candidate, &synced, sizeof(synced));
	for (size_t i = 0; !found; i++) {
		if (same(fd, candidate)) {
			memcpy(&now, candidate, sizeof(now));
			break;
		}
		describe_difference(fd, candidate, i);
		if (i == since_count)
			fail("after a kill the file is at no state since its last sync", number, 0);
		found = same_half_cut(fd, candidate, &since[i]);
		apply(candidate, &since[i]);
	}
	free(candidate);
}

static void run_command(const char *command, long number)
{
	pid_t pid = fork();
	int status = -1;

	if (pid == 0) {
		execl("/bin/bash", "bash", command, (char *)NULL);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid || status != 0)
		fail(command, number, 0);
}

static struct operation choose(bool can_switch)
{
	static const enum action common[] = { WRITE, WRITE, WRITE, WRITE, READ, READ, READ, CUT,
		PUNCH, ALLOCATE, REOPEN };
	struct operation operation = { .action = common[draw(11)] };

	if (draw(40) == 0 || since_count == LOG_MAX)
		operation.action = SYNC;
	else if (can_switch && draw(SWITCH_ONE) == 0)
		operation.action = draw(2) ? REMOUNT : KILL;
	operation.offset = draw(FILE_MAX - PART_MAX);
	/* Small and odd mostly, as well as pages of a database. */
	operation.size = draw(4) == 0 ? draw(PART_MAX) + 1 : draw(20000) + 1;
	if (draw(3) == 0) {
		operation.offset = operation.offset / 8192 * 8192;
		operation.size = 8192;
	}
	operation.fill = draw(1 << 30);
	return operation;
}

static long carry_out(int fd, const struct operation *operation)
{
	switch (operation->action) {
	case WRITE:
		fill(buffer, operation->size, operation->fill);
		return pwrite(fd, buffer, operation->size, operation->offset) ==
				       (ssize_t)operation->size
			       ? 0
			       : -1;
	case CUT:
		return ftruncate(fd, operation->offset);
	case PUNCH:
		return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, operation->offset,
			operation->size);
	case ALLOCATE:
		return fallocate(fd, 0, operation->offset, operation->size);
	default:
		return 0;
	}
}

static void check_read(int fd, const struct operation *operation, long number)
{
	ssize_t got = pread(fd, buffer, operation->size, operation->offset);
	uint32_t end = operation->offset + operation->size;
	ssize_t want = operation->offset >= now.size ? 0
		       : end > now.size		     ? now.size - operation->offset
						     : operation->size;

	if (got != want || memcmp(buffer, now.bytes + operation->offset, (size_t)want) != 0)
		fail("a read gave other bytes than were written", number, operation->offset);
}

static void mark_synced(void)
{
	memcpy(&synced, &now, sizeof(now));
	since_count = 0;
}

static int step(int fd, const struct operation *operation, long number, char **commands)
{
	switch (operation->action) {
	case READ:
		check_read(fd, operation, number);
		return fd;
	case SYNC:
		if (fdatasync(fd) < 0)
			fail("sync", number, 0);
		mark_synced();
		return fd;
	case REOPEN:
		close(fd);
		return open_file(0);
	case REMOUNT:
	case KILL:
		if (operation->action == REMOUNT)
			close(fd);
		run_command(commands[operation->action == KILL], number);
		if (operation->action == KILL)
			close(fd);
		fd = open_file(0);
		if (operation->action == KILL)
			settle_after_kill(fd, number);
		else if (!same(fd, &now))
			fail("after a remount the file differs", number, 0);
		mark_synced();
		return fd;
	default:
		if (carry_out(fd, operation) < 0)
			fail("a change was refused", number, operation->offset);
		apply(&now, operation);
		since[since_count++] = *operation;
		return fd;
	}
}

int main(int argc, char **argv)
{
	long operations, kills = 0;
	int fd;

	if (argc != 4 && argc != 6) {
		fprintf(stderr, "usage: file_stress FILE SEED OPERATIONS [CLEAN KILL]\n");
		return 2;
	}
	path = argv[1];
	random_state = strtoull(argv[2], NULL, 10);
	operations = strtol(argv[3], NULL, 10);
	fd = open_file(O_CREAT | O_TRUNC);
	if (fsync(fd) < 0)
		fail("first sync", 0, 0);
	for (long number = 0; number < operations; number++) {
		struct operation operation = choose(argc == 6);

		kills += operation.action == KILL;
		fd = step(fd, &operation, number, argv + 4);
	}
	if (!same(fd, &now))
		fail("at the end the file differs", operations, 0);
	close(fd);
	printf("file_stress: %ld operations, %ld kills, file as it should be\n", operations, kills);
	return 0;
}
