/*
 * Properties of datasets: check, set, read. The library sets whatever it is told, so every check is
 * made here, with the library's own tables of names and words.
 */
#include "zfsd/pool/pool_internal.h"
#include "zfsd/pool/property_internal.h"

#include "base/strbuf.h"
#include "setting/setting.h"

#define RECORD_MIN_BYTES 512
#define RECORD_MAX_BYTES (16ULL << 20)

/* What this program carries out, or keeps for the kernel. Others are refused: to accept a property
 * that does nothing would make a study lie. */
static const zfs_prop_t settable[] = { ZFS_PROP_RECORDSIZE, ZFS_PROP_COMPRESSION, ZFS_PROP_ATIME,
	ZFS_PROP_RELATIME, ZFS_PROP_LOGBIAS, ZFS_PROP_SYNC, ZFS_PROP_PRIMARYCACHE,
	ZFS_PROP_CHECKSUM, ZFS_PROP_REDUNDANT_METADATA, ZFS_PROP_COPIES, ZFS_PROP_QUOTA,
	ZFS_PROP_RESERVATION, ZFS_PROP_REFQUOTA, ZFS_PROP_REFRESERVATION, ZFS_PROP_XATTR,
	ZFS_PROP_DNODESIZE, ZFS_PROP_CANMOUNT, ZFS_PROP_MOUNTPOINT, ZFS_PROP_READONLY,
	ZFS_PROP_SNAPDIR, ZFS_PROP_PREFETCH };

static bool is_settable(zfs_prop_t property)
{
	for (size_t i = 0; i < ARRAY_SIZE(settable); i++) {
		if (settable[i] == property)
			return true;
	}
	return false;
}

static bool is_size_or_none(zfs_prop_t property)
{
	return property == ZFS_PROP_QUOTA || property == ZFS_PROP_RESERVATION ||
	       property == ZFS_PROP_REFQUOTA || property == ZFS_PROP_REFRESERVATION;
}

static int parse_number(
	zfs_prop_t property, const char *name, const char *text, uint64_t *ret, struct err *err)
{
	if (is_size_or_none(property) && strcmp(text, "none") == 0) {
		*ret = 0;
		return 0;
	}
	if (size_parse(text, ret) < 0)
		return err_set(err, -EINVAL, "%s: '%s' is not a size", name, text);
	if (property == ZFS_PROP_RECORDSIZE &&
		(!ISP2(*ret) || *ret < RECORD_MIN_BYTES || *ret > RECORD_MAX_BYTES))
		return err_set(err, -EINVAL,
			"recordsize '%s' is not a power of two from 512 to 16M", text);
	return 0;
}

/* One property as the library stores it. *ret_text is lent, NULL for numbers. */
static int parse_one(
	const char *name, const json_t *value, struct property_value *ret, struct err *err)
{
	const char *text = json_string_value(value);

	if (!text)
		return err_set(err, -EINVAL, "property %s: its value must be a text", name);
	ret->property = zfs_name_to_prop(name);
	ret->text = NULL;
	if (ret->property == ZPROP_INVAL) {
		if (!zfs_prop_user(name))
			return err_set(err, -EINVAL, "there is no property '%s'", name);
		ret->text = text;
		return 0;
	}
	if (zfs_prop_readonly(ret->property) && !zfs_prop_setonce(ret->property))
		return err_set(err, -EINVAL, "property '%s' is read-only", name);
	if (!is_settable(ret->property))
		return err_set(err, -ENOTSUP, "property '%s' is not carried out here", name);
	switch (zfs_prop_get_type(ret->property)) {
	case PROP_TYPE_NUMBER:
		return parse_number(ret->property, name, text, &ret->number, err);
	case PROP_TYPE_INDEX:
		if (zfs_prop_string_to_index(ret->property, text, &ret->number) != 0)
			return err_set(err, -EINVAL, "%s: '%s' is not one of %s", name, text,
				zprop_values(ret->property, ZFS_TYPE_DATASET));
		return 0;
	default:
		ret->text = text;
		return 0;
	}
}

int property_check(const char *dataset, const json_t *values, struct err *err)
{
	struct property_value parsed;
	const char *name;
	json_t *value;

	(void)dataset;
	json_object_foreach((json_t *)values, name, value)
	{
		int r = parse_one(name, value, &parsed, err);

		if (r < 0)
			return r;
	}
	return 0;
}

static int apply_one(
	const char *dataset, const char *name, const struct property_value *value, struct err *err)
{
	zprop_source_t source = ZPROP_SRC_LOCAL;
	int r;

	switch (value->property) {
	case ZFS_PROP_QUOTA:
		r = dsl_dir_set_quota(dataset, source, value->number);
		break;
	case ZFS_PROP_RESERVATION:
		r = dsl_dir_set_reservation(dataset, source, value->number);
		break;
	case ZFS_PROP_REFQUOTA:
		r = dsl_dataset_set_refquota(dataset, source, value->number);
		break;
	case ZFS_PROP_REFRESERVATION:
		r = dsl_dataset_set_refreservation(dataset, source, value->number);
		break;
	case ZFS_PROP_COMPRESSION:
		r = dsl_dataset_set_compression(dataset, source, value->number);
		if (r == 0)
			r = dsl_prop_set_int(dataset, name, source, value->number);
		break;
	default:
		r = value->text ? dsl_prop_set_string(dataset, name, source, value->text)
				: dsl_prop_set_int(dataset, name, source, value->number);
	}
	if (r == ENOSPC)
		return err_set(err, -r, "%s of '%s': more is used already, or less is free", name,
			dataset);
	if (r == ENOENT)
		return err_set(err, -r, "there is no dataset '%s'", dataset);
	return r ? err_set_errno(err, -r, "set %s of '%s'", name, dataset) : 0;
}

int property_set(const char *dataset, const json_t *values, struct err *err)
{
	const char *name;
	json_t *value;
	int r = property_check(dataset, values, err);

	if (r < 0)
		return r;
	json_object_foreach((json_t *)values, name, value)
	{
		struct property_value parsed = { 0 };

		r = parse_one(name, value, &parsed, err);
		if (r == 0)
			r = apply_one(dataset, name, &parsed, err);
		if (r < 0)
			return r;
	}
	return 0;
}

int property_inherit(const char *dataset, const char *name, struct err *err)
{
	zfs_prop_t property = zfs_name_to_prop(name);
	int r;

	if (property == ZPROP_INVAL && !zfs_prop_user(name))
		return err_set(err, -EINVAL, "there is no property '%s'", name);
	if (property != ZPROP_INVAL && !zfs_prop_inheritable(property))
		return err_set(err, -EINVAL, "property '%s' can't be inherited", name);
	r = -dsl_prop_inherit(dataset, name, ZPROP_SRC_INHERITED);
	return r < 0 ? err_set_errno(err, r, "inherit %s of '%s'", name, dataset) : 0;
}

/* ---- reading ---- */

static json_t *make_reply(const char *value, const char *raw, const char *source)
{
	return json_pack("{s:s, s:s, s:s}", "value", value, "raw", raw, "source", source);
}

static json_t *format_number(zfs_prop_t property, uint64_t number, const char *source)
{
	char nice[64], raw[64];
	time_t when = (time_t)number;
	struct tm parts;

	(void)snprintf(raw, sizeof(raw), "%llu", (unsigned long long)number);
	switch (property) {
	case ZFS_PROP_COMPRESSRATIO:
	case ZFS_PROP_REFRATIO:
		(void)snprintf(raw, sizeof(raw), "%llu.%02llu", (unsigned long long)number / 100,
			(unsigned long long)number % 100);
		(void)snprintf(nice, sizeof(nice), "%sx", raw);
		break;
	case ZFS_PROP_CREATION:
		(void)strftime(nice, sizeof(nice), "%a %b %e %k:%M %Y", localtime_r(&when, &parts));
		break;
	case ZFS_PROP_GUID:
	case ZFS_PROP_CREATETXG:
	case ZFS_PROP_OBJSETID:
	case ZFS_PROP_VERSION:
	case ZFS_PROP_USERREFS:
		(void)strlcpy(nice, raw, sizeof(nice));
		break;
	default:
		if (is_size_or_none(property) && number == 0)
			(void)strlcpy(nice, "none", sizeof(nice));
		else
			zfs_nicebytes(number, nice, sizeof(nice));
	}
	return make_reply(nice, raw, source);
}

static json_t *format_value(
	zfs_prop_t property, uint64_t number, const char *text, const char *source)
{
	const char *word;

	if (text)
		return make_reply(text, text, source);
	if (zfs_prop_get_type(property) == PROP_TYPE_INDEX) {
		if (zfs_prop_index_to_string(property, number, &word) != 0)
			word = "?";
		return make_reply(word, word, source);
	}
	return format_number(property, number, source);
}

/* What the library tells of one property: number or text, and where it was set. */
static void lookup(nvlist_t *all, const char *dataset, zfs_prop_t property,
	struct property_value *ret, char *source)
{
	const char *name = zfs_prop_to_name(property), *setpoint = NULL;
	nvlist_t *entry;

	ret->text = NULL;
	ret->number = 0;
	(void)strlcpy(source, zfs_prop_readonly(property) ? "-" : "default", PROPERTY_SOURCE_SIZE);
	if (nvlist_lookup_nvlist(all, name, &entry) != 0) {
		ret->number = zfs_prop_default_numeric(property);
		if (zfs_prop_get_type(property) == PROP_TYPE_STRING)
			ret->text = zfs_prop_default_string(property);
		return;
	}
	if (nvlist_lookup_uint64(entry, ZPROP_VALUE, &ret->number) != 0)
		(void)nvlist_lookup_string(entry, ZPROP_VALUE, &ret->text);
	if (zfs_prop_readonly(property) ||
		nvlist_lookup_string(entry, ZPROP_SOURCE, &setpoint) != 0 || !setpoint[0])
		return;
	if (strcmp(setpoint, dataset) == 0)
		(void)strlcpy(source, "local", PROPERTY_SOURCE_SIZE);
	else if (setpoint[0] != '$')
		(void)snprintf(source, PROPERTY_SOURCE_SIZE, "inherited from %s", setpoint);
}

static const zfs_prop_t shown[] = { ZFS_PROP_TYPE, ZFS_PROP_CREATION, ZFS_PROP_USED,
	ZFS_PROP_AVAILABLE, ZFS_PROP_REFERENCED, ZFS_PROP_COMPRESSRATIO, ZFS_PROP_REFRATIO,
	ZFS_PROP_LOGICALUSED, ZFS_PROP_LOGICALREFERENCED, ZFS_PROP_USEDSNAP, ZFS_PROP_USEDDS,
	ZFS_PROP_USEDCHILD, ZFS_PROP_WRITTEN, ZFS_PROP_GUID, ZFS_PROP_CREATETXG, ZFS_PROP_OBJSETID,
	ZFS_PROP_RECORDSIZE, ZFS_PROP_COMPRESSION, ZFS_PROP_CHECKSUM, ZFS_PROP_ATIME,
	ZFS_PROP_RELATIME, ZFS_PROP_LOGBIAS, ZFS_PROP_SYNC, ZFS_PROP_PRIMARYCACHE,
	ZFS_PROP_PREFETCH, ZFS_PROP_REDUNDANT_METADATA, ZFS_PROP_COPIES, ZFS_PROP_QUOTA,
	ZFS_PROP_RESERVATION, ZFS_PROP_REFQUOTA, ZFS_PROP_REFRESERVATION, ZFS_PROP_XATTR,
	ZFS_PROP_DNODESIZE, ZFS_PROP_CANMOUNT, ZFS_PROP_MOUNTPOINT, ZFS_PROP_READONLY,
	ZFS_PROP_SNAPDIR };

/* As zfs(8) shows it: below the dataset where it was set, by default below the root folder. */
static json_t *format_mountpoint(
	const char *dataset, const struct property_value *value, const char *source)
{
	static const char inherited[] = "inherited from ";
	const char *rest = "", *text = value->text ? value->text : "-";
	char path[MAXPATHLEN + ZFS_MAX_DATASET_NAME_LEN];

	if (strcmp(source, "default") == 0)
		rest = dataset;
	else if (strncmp(source, inherited, strlen(inherited)) == 0)
		rest = dataset + strlen(source) - strlen(inherited) + 1;
	if (text[0] != '/' || !rest[0])
		return make_reply(text, text, source);
	(void)snprintf(path, sizeof(path), "%s/%s", strcmp(text, "/") == 0 ? "" : text, rest);
	return make_reply(path, path, source);
}

static json_t *read_one(nvlist_t *all, const char *dataset, zfs_prop_t property)
{
	struct property_value value;
	char source[PROPERTY_SOURCE_SIZE];

	if (property == ZFS_PROP_TYPE)
		return make_reply(strchr(dataset, '@') ? "snapshot" : "filesystem",
			strchr(dataset, '@') ? "snapshot" : "filesystem", "-");
	if (strchr(dataset, '@') && !zfs_prop_valid_for_type(property, ZFS_TYPE_SNAPSHOT, B_FALSE))
		return make_reply("-", "-", "-");
	lookup(all, dataset, property, &value, source);
	if (property == ZFS_PROP_MOUNTPOINT)
		return format_mountpoint(dataset, &value, source);
	return format_value(property, value.number, value.text, source);
}

static json_t *read_user(nvlist_t *all, const char *dataset, const char *name)
{
	const char *text = "-", *setpoint = "-";
	nvlist_t *entry;

	if (nvlist_lookup_nvlist(all, name, &entry) == 0) {
		(void)nvlist_lookup_string(entry, ZPROP_VALUE, &text);
		(void)nvlist_lookup_string(entry, ZPROP_SOURCE, &setpoint);
	}
	return make_reply(text, text, strcmp(setpoint, dataset) == 0 ? "local" : "-");
}

static int read_named(
	nvlist_t *all, const char *dataset, const json_t *names, json_t *result, struct err *err)
{
	const json_t *item;
	size_t i;

	json_array_foreach(names, i, item)
	{
		const char *name = json_string_value(item);
		zfs_prop_t property = name ? zfs_name_to_prop(name) : ZPROP_INVAL;

		if (!name || (property == ZPROP_INVAL && !zfs_prop_user(name)))
			return err_set(err, -EINVAL, "there is no property '%s'",
				name ? name : "(not a text)");
		json_object_set_new(result, name,
			property == ZPROP_INVAL ? read_user(all, dataset, name)
						: read_one(all, dataset, property));
	}
	return 0;
}

static int read_all(const char *dataset, nvlist_t **ret_all, struct err *err)
{
	objset_t *os;
	int r = -dmu_objset_hold(dataset, FTAG, &os);

	if (r == -ENOENT)
		return err_set(err, r, "there is no dataset '%s'", dataset);
	if (r < 0)
		return err_set_errno(err, r, "dataset '%s'", dataset);
	r = -dsl_prop_get_all(os, ret_all);
	if (r == 0)
		dmu_objset_stats(os, *ret_all);
	dmu_objset_rele(os, FTAG);
	return r < 0 ? err_set_errno(err, r, "properties of '%s'", dataset) : 0;
}

int property_get(const char *dataset, const json_t *names, json_t **ret_properties, struct err *err)
{
	nvlist_t *all;
	json_t *result;
	int r = read_all(dataset, &all, err);

	if (r < 0)
		return r;
	result = json_object();
	if (names) {
		r = read_named(all, dataset, names, result, err);
	} else {
		for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
			json_object_set_new(result, zfs_prop_to_name(shown[i]),
				read_one(all, dataset, shown[i]));
	}
	nvlist_free(all);
	if (r < 0)
		json_decref(result);
	else
		*ret_properties = result;
	return r;
}
