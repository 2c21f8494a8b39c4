/*
 * Runs a fuzz target over the files of its corpus folder, so that every build tests inputs that
 * once failed. An empty or missing corpus is a failure: it would test nothing.
 */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static int replay_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t size = 0, room = 0;

	if (!file) {
		perror(path);
		return -1;
	}
	do {
		if (size == room) {
			room = room ? room * 2 : 65536;
			data = realloc(data, room);
			if (!data)
				abort();
		}
		size += fread(data + size, 1, room - size, file);
	} while (size == room);
	fclose(file);
	/* A buffer of the exact size lets the address sanitizer see a read past the end. */
	data = realloc(data, size ? size : 1);
	if (!data)
		abort();
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	struct dirent **entries;
	int found = 0, failed = 0;
	int count = argc == 2 ? scandir(argv[1], &entries, NULL, alphasort) : -1;

	if (count < 0) {
		fprintf(stderr, "usage: %s CORPUS-FOLDER\n", argv[0]);
		return 1;
	}
	for (int i = 0; i < count; i++) {
		char path[4096];

		if (entries[i]->d_name[0] != '.') {
			snprintf(path, sizeof(path), "%s/%s", argv[1], entries[i]->d_name);
			failed |= replay_file(path);
			found++;
		}
		free(entries[i]);
	}
	free(entries);
	printf("%d inputs\n", found);
	return failed || !found;
}
