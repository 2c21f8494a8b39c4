/* Loading a stored study (see stored_study.h). */
#include "cmd/stored_study.h"

#include "base/memory.h"
#include "base/near.h"
#include "run/catalog.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct search {
	struct stored_study *stored;
	const char *name; /* NULL: any */
	struct strbuf names;
	const char *near;
	char near_text[72];
	size_t count;
};

static int look_at(void *context, const struct store_study *study)
{
	struct search *search = context;
	struct stored_study *stored = search->stored;

	search->count++;
	strbuf_add_format(&search->names, "%s%s", search->names.length ? ", " : "", study->name);
	if (search->name && near_better(search->name, search->near, study->name) == study->name) {
		snprintf(search->near_text, sizeof(search->near_text), "%s", study->name);
		search->near = search->near_text;
	}
	if (stored->text || (search->name && strcmp(search->name, study->name) != 0))
		return 0;
	stored->name = memory_copy_string(study->name);
	stored->text = memory_copy_string(study->text);
	stored->small = study->small;
	stored->seed = study->seed;
	stored->created_utc_ns = study->created_utc_ns;
	return 0;
}

static int judge_search(const struct search *search, const char *folder, struct err *err)
{
	if (search->count == 0) {
		err_set(err, -ENOENT, "there is no study in '%s' yet", folder);
		return err_hint(err, -ENOENT, "'plumb run STUDY.ini' makes one");
	}
	if (!search->name && search->count > 1) {
		err_set(err, -EINVAL, "'%s' holds %zu studies: which one?", folder, search->count);
		return err_hint(err, -EINVAL, "one of %s", search->names.data);
	}
	if (search->stored->text)
		return 0;
	err_set(err, -ENOENT, "there is no study '%s' in '%s'", search->name, folder);
	if (search->near)
		err_hint(err, -ENOENT, "did you mean '%s'?", search->near);
	return err_hint(err, -ENOENT, "it holds %s", search->names.data);
}

/* A file that is given is read for its name only: what was run is in the store. */
static int name_of(const char *which, char **ret_name, struct err *err)
{
	struct study_options options = { .path = which, .catalog = catalog_get() };
	struct study study;
	size_t length = strlen(which);
	int r;

	if (!strchr(which, '/') && (length < 4 || strcmp(which + length - 4, ".ini") != 0)) {
		*ret_name = memory_copy_string(which);
		return 0;
	}
	r = study_load(&study, &options, err);
	if (r < 0)
		return r;
	*ret_name = memory_copy_string(study.name);
	study_release(&study);
	return 0;
}

static int find_study(
	struct stored_study *stored, const char *folder, const char *which, struct err *err)
{
	struct search search = { .stored = stored, .names = STRBUF_INIT };
	char *name = NULL;
	int r = which ? name_of(which, &name, err) : 0;

	search.name = name;
	if (r == 0)
		r = store_studies(stored->store, look_at, &search, err);
	if (r == 0)
		r = judge_search(&search, folder, err);
	strbuf_release(&search.names);
	free(name);
	return r;
}

/* The study's own text, read as it was when it ran. */
static int read_back(struct stored_study *stored, struct err *err)
{
	char seed[24], *path = memory_format("%s (as stored)", stored->name);
	const struct override override = { "design.seed", seed, 0 };
	struct study_options options = {
		.path = path,
		.catalog = catalog_get(),
		.small = stored->small,
		.overrides = &override,
		.override_count = 1,
	};
	int r;

	snprintf(seed, sizeof(seed), "%" PRIu64, stored->seed);
	r = study_parse(&stored->study, &options, stored->text, err);
	if (r == 0)
		r = matrix_build(&stored->matrix, &stored->study, err);
	free(path);
	return r;
}

int stored_study_load(
	struct stored_study *stored, const char *folder, const char *which, struct err *err)
{
	struct store_query query;
	int r;

	*stored = (struct stored_study){ 0 };
	results_init(&stored->results);
	r = store_open(&sqlite_store, folder, STORE_READ, &stored->store, err);
	if (r == 0)
		r = find_study(stored, folder, which, err);
	if (r == 0)
		r = read_back(stored, err);
	query = (struct store_query){ .study = stored->name };
	if (r == 0)
		r = store_scan(stored->store, &query, results_add, &stored->results, err);
	if (r == 0)
		r = store_get_absent(stored->store, stored->name, &stored->results.absent, err);
	if (r == 0)
		r = findings_build(
			&stored->findings, &stored->results, &stored->study, &stored->matrix, err);
	if (r < 0)
		stored_study_release(stored);
	return r;
}

void stored_study_release(struct stored_study *stored)
{
	findings_release(&stored->findings);
	results_release(&stored->results);
	matrix_release(&stored->matrix);
	study_release(&stored->study);
	stored->store = store_close(stored->store);
	free(stored->name);
	free(stored->text);
	stored->name = stored->text = NULL;
}
