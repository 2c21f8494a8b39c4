/*
 * One text form for a stack of devices, for plumb-diskd, plumb-zfsd (one a vdev) and plumb.
 *
 *   spec    = store { ";" element }
 *   store   = "file:" parameter { "," parameter } | "ram:" parameter { "," parameter }
 *           | an absolute path, which is a file store of that path
 *   element = key "=" value { "," parameter }
 *
 *   store parameters  path=PATH (file), size=SIZE (file: default its own; ram: needed),
 *                     depth=N transfers at once (32)
 *   sector=512|4096   logical sector (512)
 *   physical=SIZE     physical block (the sector; a model may have its own)
 *   model=NAME[,parameter=value...]   time model (none); parameters replace those of the model
 *   slow=N            divides the model's rates, multiplies its times (1)
 *   seed=N            of the model's random draws (1)
 *   volatile=SIZE     a write cache of that size which a kill loses; "yes": 256M, "no": none
 *   lie=yes|no        with volatile: a flush is done at once and saves nothing (no)
 *   log=PATH          write log of every request that changes data (docs/format.md)
 *   count=yes|no      count requests (yes)
 *
 * Example: file:path=/x/y,size=48G;model=ebs-gp3;slow=2;sector=4096;volatile=yes;log=/z;seed=7
 *
 * In values "%" and two hex digits stand for a byte: needed for "%", ";" and ",". Each key once, in
 * any order; sizes as in setting/setting.h. Unknown words are errors with a near miss.
 */
#ifndef DEVICE_DEVICE_SPEC_H
#define DEVICE_DEVICE_SPEC_H

#include "base/err.h"
#include "base/strbuf.h"
#include "device/device.h"
#include <stdbool.h>
#include <stdint.h>

struct device_spec {
	bool in_memory;
	char *path; /* NULL in memory */
	uint64_t size_bytes;
	uint32_t queue_depth;
	uint32_t logical_sector_bytes;
	uint32_t physical_block_bytes; /* 0: not given */
	char *model;		       /* name; never NULL after init */
	char *model_parameters;	       /* "key=value,key=value" or NULL */
	double slow;
	uint64_t seed;
	uint64_t volatile_bytes; /* 0: none */
	bool lie;		 /* flushes are ignored; only with volatile_bytes */
	char *log_path;		 /* NULL: none */
	bool count;
	bool raw; /* never read from a text: see stores.h */
};

void device_spec_init(struct device_spec *spec);    /* the defaults, in memory, no size */
void device_spec_release(struct device_spec *spec); /* fine twice */

/* Parse text into an initialised spec; untouched on failure. -EINVAL. */
int device_spec_parse(const char *text, struct device_spec *spec, struct err *err);

/* The canonical text: parsing it gives the same spec; values that are defaults are left out. */
void device_spec_format(const struct device_spec *spec, struct strbuf *text);

/* Open the whole stack. The model's clock is off: device_set_clock(). */
int device_spec_open(const struct device_spec *spec, struct device **ret_device, struct err *err);

/* Parse and open. */
int device_open_text(const char *text, struct device **ret_device, struct err *err);

#endif
