/* The command line of plumb-zfsd, as zfsd_protocol.h documents it. */
#ifndef ZFSD_ZFSD_OPTIONS_H
#define ZFSD_ZFSD_OPTIONS_H

#include "base/strbuf.h"
#include "zfsd/daemon.h"

/* --version and --help fill text instead, which is all there is to do then. */
int zfsd_options_parse(int argc, char **argv, struct daemon_options *options, struct strbuf *text,
	struct err *err);
void zfsd_options_release(struct daemon_options *options);

#endif
