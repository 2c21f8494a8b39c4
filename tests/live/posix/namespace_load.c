/*
 * namespace_load run FOLDER STATE SEED: create, rename, unlink, truncate, append and sync in FOLDER
 * until an operation fails (the filesystem was killed) or SIGTERM; then the states that are allowed
 * after recovery go to STATE, which lies on another filesystem.
 * namespace_load verify FOLDER STATE: is FOLDER in one of them?
 *
 * Allowed is what was there at the last sync, or after any later operation; a file's size may be
 * any that this file has had since that sync.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAMES	   24
#define SYNC_EVERY 60
#define FILES_MAX  100 /* inodes seen between two syncs */
#define SIZES_MAX  100

/* Which file each name is; -1: none. */
struct state {
	int file[NAMES];
};

struct file {
	long sizes[SIZES_MAX]; /* since the last sync, the one at it first */
	int size_count;
};

static struct state states[SYNC_EVERY * 2 + 2];
static int state_count;
static struct file files[FILES_MAX];
static int file_count;
static const char *folder;
static uint64_t random_state;
static volatile sig_atomic_t stop;

static void on_term(int signal)
{
	(void)signal;
	stop = 1;
}

static unsigned draw(unsigned below)
{
	random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)(random_state >> 33) % below;
}

static void name_of(int name, char *path, size_t size)
{
	snprintf(path, size, "%s/%02d", folder, name);
}

static void add_size(int file, long size)
{
	if (files[file].size_count < SIZES_MAX)
		files[file].sizes[files[file].size_count++] = size;
}

static long last_size(int file)
{
	return files[file].sizes[files[file].size_count - 1];
}

static int new_file(void)
{
	files[file_count].size_count = 0;
	add_size(file_count, 0);
	return file_count++;
}

/* After a sync only the present state and sizes count; files are numbered anew. */
static void forget_past(void)
{
	struct state kept = states[state_count - 1];
	struct file old[FILES_MAX];

	memcpy(old, files, sizeof(files));
	file_count = 0;
	for (int name = 0; name < NAMES; name++) {
		int before = kept.file[name];

		if (before < 0)
			continue;
		kept.file[name] = new_file();
		files[kept.file[name]].sizes[0] = old[before].sizes[old[before].size_count - 1];
	}
	states[0] = kept;
	state_count = 1;
}

static int change_file(int name, struct state *next, unsigned action)
{
	char path[4200];
	static const char block[5000];
	int fd, r = 0;

	name_of(name, path, sizeof(path));
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0644);
	if (fd < 0)
		return -1;
	if (next->file[name] < 0)
		next->file[name] = new_file();
	if (action == 0) {
		size_t size = draw(5000) + 1;

		/* A failed append may have happened. */
		add_size(next->file[name], last_size(next->file[name]) + (long)size);
		r = write(fd, block, size) == (ssize_t)size ? 0 : -1;
	} else if (action == 1) {
		long size = draw(3) ? 0 : draw(20000);

		add_size(next->file[name], size);
		r = ftruncate(fd, size);
	}
	close(fd);
	return r;
}

static int sync_all(const struct state *state)
{
	char path[4200];

	for (int name = 0; name < NAMES; name++) {
		int fd;

		if (state->file[name] < 0)
			continue;
		name_of(name, path, sizeof(path));
		fd = open(path, O_RDONLY);
		if (fd < 0 || fsync(fd) < 0)
			return -1;
		close(fd);
	}
	return 0;
}

/* One operation; the state after it is noted first, because it may happen and still fail here. */
static int operate(void)
{
	struct state *next = &states[state_count];
	char from[4200], to[4200];
	int a = (int)draw(NAMES), b = (int)draw(NAMES);

	*next = states[state_count - 1];
	state_count++;
	name_of(a, from, sizeof(from));
	name_of(b, to, sizeof(to));
	switch (draw(6)) {
	case 0:
		if (next->file[a] < 0)
			return 0;
		next->file[a] = -1;
		return unlink(from);
	case 1:
		if (next->file[a] < 0 || a == b)
			return 0;
		next->file[b] = next->file[a];
		next->file[a] = -1;
		return rename(from, to);
	case 2:
		return change_file(a, next, 1);
	case 3:
		return change_file(a, next, 2);
	default:
		return change_file(a, next, 0);
	}
}

static int write_states(const char *path)
{
	FILE *out = fopen(path, "w");

	if (!out)
		return 1;
	fprintf(out, "%d %d\n", state_count, file_count);
	for (int i = 0; i < state_count; i++) {
		for (int name = 0; name < NAMES; name++)
			fprintf(out, "%d ", states[i].file[name]);
		fputc('\n', out);
	}
	for (int i = 0; i < file_count; i++) {
		fprintf(out, "%d", files[i].size_count);
		for (int j = 0; j < files[i].size_count; j++)
			fprintf(out, " %ld", files[i].sizes[j]);
		fputc('\n', out);
	}
	return fclose(out) == 0 ? 0 : 1;
}

static int read_states(const char *path)
{
	FILE *in = fopen(path, "r");
	int ok = in && fscanf(in, "%d %d", &state_count, &file_count) == 2;

	for (int i = 0; ok && i < state_count; i++)
		for (int name = 0; ok && name < NAMES; name++)
			ok = fscanf(in, "%d", &states[i].file[name]) == 1;
	for (int i = 0; ok && i < file_count; i++) {
		ok = fscanf(in, "%d", &files[i].size_count) == 1;
		for (int j = 0; ok && j < files[i].size_count; j++)
			ok = fscanf(in, "%ld", &files[i].sizes[j]) == 1;
	}
	if (in)
		fclose(in);
	return ok ? 0 : -1;
}

static int run(const char *state_path)
{
	long operations = 0;

	memset(states[0].file, -1, sizeof(states[0].file));
	state_count = 1;
	while (!stop) {
		if (state_count >= SYNC_EVERY || file_count >= FILES_MAX - 2) {
			if (sync_all(&states[state_count - 1]) < 0)
				break;
			forget_past();
		}
		if (operate() < 0)
			break;
		operations++;
	}
	printf("namespace_load: %ld operations\n", operations);
	return write_states(state_path);
}

static bool size_allowed(int file, long size)
{
	for (int i = 0; i < files[file].size_count; i++)
		if (files[file].sizes[i] == size)
			return true;
	return false;
}

static bool in_state(const struct state *state, const long *sizes)
{
	for (int name = 0; name < NAMES; name++)
		if ((state->file[name] >= 0) != (sizes[name] >= 0) ||
			(sizes[name] >= 0 && !size_allowed(state->file[name], sizes[name])))
			return false;
	return true;
}

static int verify(const char *state_path)
{
	long sizes[NAMES];
	int extra = -2 - NAMES; /* "." and ".." */
	struct dirent *entry;
	DIR *dir = opendir(folder);

	if (!dir || read_states(state_path) < 0) {
		fprintf(stderr, "namespace_load: cannot read '%s' or '%s'\n", folder, state_path);
		return 1;
	}
	for (int name = 0; name < NAMES; name++) {
		struct stat info;
		char path[4200];

		name_of(name, path, sizeof(path));
		sizes[name] = stat(path, &info) == 0 ? (long)info.st_size : -1;
		extra += sizes[name] < 0;
	}
	while ((entry = readdir(dir)))
		extra++;
	closedir(dir);
	for (int i = 0; i < state_count; i++)
		if (extra == 0 && in_state(&states[i], sizes))
			return 0;
	fprintf(stderr, "namespace_load: '%s' is in none of %d allowed states (%d extra names)\n",
		folder, state_count, extra);
	for (int name = 0; name < NAMES; name++)
		fprintf(stderr, "  %02d: size %ld, at the last sync file %d, at the end %d\n", name,
			sizes[name], states[0].file[name], states[state_count - 1].file[name]);
	return 1;
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: namespace_load run|verify FOLDER STATE [SEED]\n");
		return 2;
	}
	folder = argv[2];
	if (strcmp(argv[1], "verify") == 0)
		return verify(argv[3]);
	signal(SIGTERM, on_term);
	random_state = argc > 4 ? strtoull(argv[4], NULL, 10) : 1;
	return run(argv[3]);
}
