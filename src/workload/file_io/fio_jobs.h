/* The shipped fio jobs, and the job file that fio is given. Pure. */
#ifndef WORKLOAD_FILE_IO_FIO_JOBS_H
#define WORKLOAD_FILE_IO_FIO_JOBS_H

#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

struct fio_job {
	const char *name; /* "rand-read" */
	const char *rw;	  /* fio's word */
	const char *block;
	bool reads; /* needs a file with data in it */
	const char *help;
};
extern const struct fio_job fio_jobs[];		      /* ends with a row without name */
const struct fio_job *fio_job_find(const char *name); /* NULL: none */

struct fio_plan {
	const char *directory; /* under the filesystem that is tested */
	const struct fio_job *job;
	const char *options; /* further "key=value key=value", may override; may be NULL */
	uint64_t file_bytes;
	int jobs, io_depth;
	bool direct, zeros;
	int64_t warmup_ns, measure_ns;
};

/* Text of the job file that measures. */
void fio_plan_text(const struct fio_plan *plan, struct strbuf *text);
/* Text of the job file that lays the files out, once a set-up. */
void fio_layout_text(const struct fio_plan *plan, struct strbuf *text);

/* "key=value key=value" with nothing that would begin a new section or line. -EINVAL. */
int fio_options_check(const char *options, struct err *err);

#endif
