/* The text form of a stack of devices (see device_spec.h). */
#include "device/device_spec.h"

#include "base/memory.h"
#include "base/near.h"
#include "device/model_table.h"
#include "device/shims.h"
#include "device/stores.h"
#include "setting/setting.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_QUEUE_DEPTH    32
#define DEFAULT_SECTOR_BYTES   512
#define DEFAULT_VOLATILE_BYTES (256ULL << 20)
#define MAX_SLOW	       1e6

/* One word of a spec: how it is read and, when not its default, written. */
struct word {
	const char *key;
	int (*read)(struct device_spec *spec, const char *value, struct err *err);
	/* Append the value; false: it is the default. */
	bool (*write)(const struct device_spec *spec, struct strbuf *text);
};

void device_spec_init(struct device_spec *spec)
{
	*spec = (struct device_spec){ .in_memory = true,
		.queue_depth = DEFAULT_QUEUE_DEPTH,
		.logical_sector_bytes = DEFAULT_SECTOR_BYTES,
		.model = memory_copy_string("none"),
		.slow = 1,
		.seed = 1,
		.count = true };
}

void device_spec_release(struct device_spec *spec)
{
	free(spec->path);
	free(spec->model);
	free(spec->model_parameters);
	free(spec->log_path);
	*spec = (struct device_spec){ 0 };
}

/* "%2C" and the like; the result is the caller's. NULL: broken, or a NUL byte. */
static char *unescape(const char *text)
{
	char *result = memory_copy_string(text), *to = result;

	for (; *text; text++) {
		char digits[3] = { 0 }, *end;
		long byte;

		if (*text != '%') {
			*to++ = *text;
			continue;
		}
		digits[0] = text[1];
		digits[1] = text[1] ? text[2] : '\0';
		byte = strtol(digits, &end, 16);
		if (end != digits + 2 || byte <= 0) {
			free(result);
			return NULL;
		}
		*to++ = (char)byte;
		text += 2;
	}
	*to = '\0';
	return result;
}

static void escape(const char *value, struct strbuf *text)
{
	for (; *value; value++) {
		if (strchr("%;,", *value))
			strbuf_add_format(text, "%%%02X", (unsigned char)*value);
		else
			strbuf_add_char(text, *value);
	}
}

static int read_path(char **place, const char *value, struct err *err)
{
	char *path = unescape(value);

	if (!path || path[0] != '/') {
		free(path);
		return err_set(err, -EINVAL, "'%s' is not an absolute path", value);
	}
	free(*place);
	*place = path;
	return 0;
}

static int read_bytes(uint64_t *place, const char *value, struct err *err)
{
	if (size_parse(value, place) < 0)
		return err_set(err, -EINVAL, "'%s' is not a size", value);
	return 0;
}

static int read_number(int64_t *place, int64_t min, int64_t max, const char *value, struct err *err)
{
	int64_t number;

	if (integer_parse(value, &number) < 0 || number < min || number > max)
		return err_set(err, -EINVAL, "'%s' is not a number from %" PRId64 " to %" PRId64,
			value, min, max);
	*place = number;
	return 0;
}

static int path_read(struct device_spec *spec, const char *value, struct err *err)
{
	if (spec->in_memory)
		return err_set(err, -EINVAL, "memory has no path");
	return read_path(&spec->path, value, err);
}

static bool path_write(const struct device_spec *spec, struct strbuf *text)
{
	if (spec->path)
		escape(spec->path, text);
	return spec->path;
}

static int size_read(struct device_spec *spec, const char *value, struct err *err)
{
	return read_bytes(&spec->size_bytes, value, err);
}

static bool size_write(const struct device_spec *spec, struct strbuf *text)
{
	if (spec->size_bytes > 0)
		size_format(spec->size_bytes, text);
	return spec->size_bytes > 0;
}

static int depth_read(struct device_spec *spec, const char *value, struct err *err)
{
	int64_t depth = 0;
	int r = read_number(&depth, 1, 1024, value, err);

	if (r == 0)
		spec->queue_depth = (uint32_t)depth;
	return r;
}

static bool depth_write(const struct device_spec *spec, struct strbuf *text)
{
	strbuf_add_format(text, "%" PRIu32, spec->queue_depth);
	return spec->queue_depth != DEFAULT_QUEUE_DEPTH;
}

static int sector_read(struct device_spec *spec, const char *value, struct err *err)
{
	uint64_t bytes;
	int r = read_bytes(&bytes, value, err);

	if (r == 0 && bytes != 512 && bytes != 4096)
		r = err_set(err, -EINVAL, "a sector of '%s': must be 512 or 4096", value);
	if (r == 0)
		spec->logical_sector_bytes = (uint32_t)bytes;
	return r;
}

static bool sector_write(const struct device_spec *spec, struct strbuf *text)
{
	strbuf_add_format(text, "%" PRIu32, spec->logical_sector_bytes);
	return spec->logical_sector_bytes != DEFAULT_SECTOR_BYTES;
}

static int physical_read(struct device_spec *spec, const char *value, struct err *err)
{
	uint64_t bytes;
	int r = read_bytes(&bytes, value, err);

	if (r == 0 && (bytes < 512 || bytes > 1 << 20 || (bytes & (bytes - 1)) != 0))
		r = err_set(err, -EINVAL,
			"a physical block of '%s': must be a power of two from "
			"512 to 1M",
			value);
	if (r == 0)
		spec->physical_block_bytes = (uint32_t)bytes;
	return r;
}

static bool physical_write(const struct device_spec *spec, struct strbuf *text)
{
	size_format(spec->physical_block_bytes, text);
	return spec->physical_block_bytes != 0;
}

static int model_read(struct device_spec *spec, const char *value, struct err *err)
{
	struct model_parameters model;
	const char *comma = strchrnul(value, ',');
	char *name = memory_copy_bytes(value, (size_t)(comma - value));
	int r = model_parameters_load(name, *comma ? comma + 1 : NULL, &model, err);

	if (r < 0) {
		free(name);
		return r;
	}
	free(spec->model);
	free(spec->model_parameters);
	spec->model = name;
	spec->model_parameters = comma[0] && comma[1] ? memory_copy_string(comma + 1) : NULL;
	return 0;
}

static bool model_write(const struct device_spec *spec, struct strbuf *text)
{
	strbuf_add_text(text, spec->model);
	if (spec->model_parameters)
		strbuf_add_format(text, ",%s", spec->model_parameters);
	return strcmp(spec->model, "none") != 0 || spec->model_parameters;
}

static int slow_read(struct device_spec *spec, const char *value, struct err *err)
{
	double slow;

	if (real_parse(value, &slow) < 0 || !(slow >= 1 && slow <= MAX_SLOW))
		return err_set(err, -EINVAL, "slow '%s': must be a number from 1 to %.0f", value,
			MAX_SLOW);
	spec->slow = slow;
	return 0;
}

static bool slow_write(const struct device_spec *spec, struct strbuf *text)
{
	strbuf_add_format(text, "%.15g", spec->slow);
	return spec->slow > 1;
}

static int seed_read(struct device_spec *spec, const char *value, struct err *err)
{
	int64_t seed = 0;
	int r = read_number(&seed, 0, INT64_MAX, value, err);

	if (r == 0)
		spec->seed = (uint64_t)seed;
	return r;
}

static bool seed_write(const struct device_spec *spec, struct strbuf *text)
{
	strbuf_add_format(text, "%" PRIu64, spec->seed);
	return spec->seed != 1;
}

static int volatile_read(struct device_spec *spec, const char *value, struct err *err)
{
	bool on;

	if (boolean_parse(value, &on) == 0) {
		spec->volatile_bytes = on ? DEFAULT_VOLATILE_BYTES : 0;
		return 0;
	}
	return read_bytes(&spec->volatile_bytes, value, err);
}

static bool volatile_write(const struct device_spec *spec, struct strbuf *text)
{
	size_format(spec->volatile_bytes, text);
	return spec->volatile_bytes > 0;
}

static int lie_read(struct device_spec *spec, const char *value, struct err *err)
{
	if (boolean_parse(value, &spec->lie) < 0)
		return err_set(err, -EINVAL, "lie '%s': must be yes or no", value);
	return 0;
}

static bool lie_write(const struct device_spec *spec, struct strbuf *text)
{
	strbuf_add_text(text, "yes");
	return spec->lie;
}

static int log_read(struct device_spec *spec, const char *value, struct err *err)
{
	return read_path(&spec->log_path, value, err);
}

static bool log_write_word(const struct device_spec *spec, struct strbuf *text)
{
	if (spec->log_path)
		escape(spec->log_path, text);
	return spec->log_path;
}

static int count_read(struct device_spec *spec, const char *value, struct err *err)
{
	if (boolean_parse(value, &spec->count) < 0)
		return err_set(err, -EINVAL, "count '%s': must be yes or no", value);
	return 0;
}

static bool count_write(const struct device_spec *spec, struct strbuf *text)
{
	strbuf_add_text(text, spec->count ? "yes" : "no");
	return !spec->count;
}

static const struct word store_words[] = {
	{ "path", path_read, path_write },
	{ "size", size_read, size_write },
	{ "depth", depth_read, depth_write },
	{ 0 },
};

static const struct word element_words[] = {
	{ "sector", sector_read, sector_write },
	{ "physical", physical_read, physical_write },
	{ "model", model_read, model_write },
	{ "slow", slow_read, slow_write },
	{ "seed", seed_read, seed_write },
	{ "volatile", volatile_read, volatile_write },
	{ "lie", lie_read, lie_write },
	{ "log", log_read, log_write_word },
	{ "count", count_read, count_write },
	{ 0 },
};

/* Read "key=value"; seen has a bit for each row of words. */
static int read_word(struct device_spec *spec, const struct word *words, char *text, uint32_t *seen,
	struct err *err)
{
	char *value = strchr(text, '=');
	const char *near = NULL;

	if (!value)
		return err_set(err, -EINVAL, "'%s' is not key=value", text);
	*value++ = '\0';
	for (size_t i = 0; words[i].key; i++) {
		if (strcmp(words[i].key, text) != 0) {
			near = near_better(text, near, words[i].key);
			continue;
		}
		if (*seen & 1U << i)
			return err_set(err, -EINVAL, "'%s' is there twice", text);
		*seen |= 1U << i;
		return words[i].read(spec, value, err);
	}
	err_set(err, -EINVAL, "unknown word '%s'", text);
	return near ? err_hint(err, -EINVAL, "did you mean '%s'?", near) : -EINVAL;
}

static int read_store(struct device_spec *spec, char *text, struct err *err)
{
	uint32_t seen = 0;
	char *word;
	int r = 0;

	if (text[0] == '/') {
		spec->in_memory = false;
		return read_path(&spec->path, text, err);
	}
	if (strncmp(text, "file:", 5) == 0)
		spec->in_memory = false;
	else if (strncmp(text, "ram:", 4) != 0)
		return err_set(err, -EINVAL,
			"'%s': must begin with file:, ram: or an absolute path", text);
	text += spec->in_memory ? 4 : 5;
	while (r == 0 && (word = strsep(&text, ",")))
		r = read_word(spec, store_words, word, &seen, err);
	if (r == 0 && !spec->in_memory && !spec->path)
		r = err_set(err, -EINVAL, "file: needs path=");
	if (r == 0 && spec->in_memory && spec->size_bytes == 0)
		r = err_set(err, -EINVAL, "ram: needs size=");
	return r;
}

static int check_spec(const struct device_spec *spec, struct err *err)
{
	if (spec->physical_block_bytes > 0 &&
		spec->physical_block_bytes < spec->logical_sector_bytes)
		return err_set(err, -EINVAL, "physical is less than sector");
	if (spec->size_bytes % spec->logical_sector_bytes != 0)
		return err_set(err, -EINVAL, "size is not a multiple of sector");
	if (spec->lie && spec->volatile_bytes == 0)
		return err_set(err, -EINVAL, "lie needs volatile");
	return 0;
}

int device_spec_parse(const char *text, struct device_spec *spec, struct err *err)
{
	char *copy = memory_copy_string(text), *rest = copy, *word;
	struct device_spec parsed;
	uint32_t seen = 0;
	int r;

	device_spec_init(&parsed);
	r = read_store(&parsed, strsep(&rest, ";"), err);
	while (r == 0 && (word = strsep(&rest, ";")))
		r = read_word(&parsed, element_words, word, &seen, err);
	if (r == 0)
		r = check_spec(&parsed, err);
	free(copy);
	if (r < 0) {
		device_spec_release(&parsed);
		return err_prefix(err, r, "device '%s'", text);
	}
	device_spec_release(spec);
	*spec = parsed;
	return 0;
}

static void write_words(const struct device_spec *spec, const struct word *words,
	const char *separator, struct strbuf *text)
{
	const char *before = words == store_words ? "" : separator;

	for (; words->key; words++) {
		struct strbuf value = STRBUF_INIT;

		if (words->write(spec, &value)) {
			strbuf_add_format(text, "%s%s=%s", before, words->key, value.data);
			before = separator;
		}
		strbuf_release(&value);
	}
}

void device_spec_format(const struct device_spec *spec, struct strbuf *text)
{
	strbuf_add_text(text, spec->in_memory ? "ram:" : "file:");
	write_words(spec, store_words, ",", text);
	write_words(spec, element_words, ";", text);
}

static int open_store(const struct device_spec *spec, const struct model_parameters *model,
	struct device **ret_device, struct err *err)
{
	struct store_options options = { .size_bytes = spec->size_bytes,
		.logical_sector_bytes = spec->logical_sector_bytes,
		.physical_block_bytes = spec->physical_block_bytes,
		.queue_depth = spec->queue_depth,
		.raw = spec->raw };

	if (options.physical_block_bytes == 0)
		options.physical_block_bytes =
			MAX((uint32_t)model->physical_bytes, spec->logical_sector_bytes);
	return spec->in_memory ? ram_store_open(&options, ret_device, err)
			       : file_store_open(spec->path, &options, ret_device, err);
}

/* Stack the shims; device is taken over. */
static int stack(const struct device_spec *spec, const struct model_parameters *model,
	struct device **device, struct err *err)
{
	bool timed = model_has_time(model);
	int r = 0;

	if (spec->volatile_bytes > 0) {
		struct volatile_options options = { .limit_bytes = spec->volatile_bytes,
			.pass_flush = !timed,
			.ignore_flush = spec->lie };

		r = volatile_shim_open(*device, &options, device, err);
	}
	if (r == 0 && timed) {
		struct model_options options = { .slow = spec->slow,
			.seed = spec->seed,
			.pass_flush = spec->volatile_bytes > 0 };

		r = model_shim_open(*device, model, &options, device, err);
	}
	if (r == 0 && spec->log_path)
		r = log_shim_open(*device, spec->log_path, device, err);
	if (r == 0 && spec->count)
		r = count_shim_open(*device, device, err);
	return r;
}

int device_spec_open(const struct device_spec *spec, struct device **ret_device, struct err *err)
{
	struct model_parameters model;
	struct device *device;
	int r = model_parameters_load(spec->model, spec->model_parameters, &model, err);

	if (r == 0)
		r = open_store(spec, &model, &device, err);
	if (r == 0)
		r = stack(spec, &model, &device, err);
	if (r == 0)
		*ret_device = device;
	return r;
}

int device_open_text(const char *text, struct device **ret_device, struct err *err)
{
	struct device_spec spec = { 0 };
	int r = device_spec_parse(text, &spec, err);

	if (r == 0)
		r = device_spec_open(&spec, ret_device, err);
	device_spec_release(&spec);
	return r;
}
