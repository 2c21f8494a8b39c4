/* The self-test of the OpenZFS library, once for each of its builds (see zfsd_proof.h). */
#include "target/zfsd_proof.h"

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/subprocess.h"
#include "zfsd/zfsd_protocol.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define VERSION_LIMIT_NS (60 * NS_PER_S)
#define TEST_LIMIT_NS	 (15 * 60 * NS_PER_S) /* others may be at it: theirs is waited for */

/* "plumb-zfsd 0.1.0, OpenZFS 2.3.2, library 0123..."; the last line is what went wrong. */
static int ask_version(const char *program, struct strbuf *text, struct err *err)
{
	const char *const arguments[] = { program, "--version", NULL };
	struct subprocess_options options = { .arguments = arguments };
	int r = subprocess_run(&options, VERSION_LIMIT_NS, text, NULL, err);

	strbuf_trim(text);
	return r;
}

int zfsd_proof_check(const char *program, struct err *why)
{
	struct strbuf text = STRBUF_INIT;
	int r = ask_version(program, &text, why);

	strbuf_release(&text);
	if (r < 0 && why)
		why->code = -ENOTSUP;
	return r < 0 ? -ENOTSUP : 0;
}

static int run_test(const char *program, const char *folder, const char *version, struct err *err)
{
	const char *const arguments[] = { program, "--self-test", folder, NULL };
	struct subprocess_options options = { .arguments = arguments, .die_with_parent = true };
	int r;

	log_warning("%s has not been tested on this machine: doing so once (create, write, kill, "
		    "replay, zdb), some 5 s",
		version);
	r = subprocess_run(&options, TEST_LIMIT_NS, NULL, NULL, err);
	return r < 0 ? err_prefix(err, r, "%s can't be used", version) : 0;
}

int zfsd_proof_ensure(const char *program, const char *folder, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int r = ask_version(program, &text, err);
	const char *version = r == 0 ? strstr(text.data, "OpenZFS") : NULL;
	const char *hash = r == 0 ? strstr(text.data, ZFSD_VERSION_HASH) : NULL;
	char *passed;

	if (r == 0 && (!version || !hash))
		r = err_set(err, -EPROTO, "%s --version says '%s'", program, text.data);
	if (r == 0)
		r = file_make_folders(folder, 0755, err);
	if (r == 0) {
		passed = memory_format(
			"%s/" ZFSD_PASSED_NAME "%s", folder, hash + strlen(ZFSD_VERSION_HASH));
		if (!file_exists(passed))
			r = run_test(program, folder, version, err);
		free(passed);
	}
	strbuf_release(&text);
	return r;
}
