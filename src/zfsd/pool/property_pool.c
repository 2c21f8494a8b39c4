/* Properties of pools: check, set, read. */
#include "zfsd/pool/pool_internal.h"

#include "setting/setting.h"

#define ASHIFT_LEAST 9
#define ASHIFT_MOST  16

static const zpool_prop_t settable[] = { ZPOOL_PROP_ASHIFT, ZPOOL_PROP_AUTOTRIM, ZPOOL_PROP_COMMENT,
	ZPOOL_PROP_COMPATIBILITY, ZPOOL_PROP_FAILUREMODE, ZPOOL_PROP_DELEGATION,
	ZPOOL_PROP_AUTOEXPAND, ZPOOL_PROP_CACHEFILE };

static bool is_settable(zpool_prop_t property)
{
	for (size_t i = 0; i < ARRAY_SIZE(settable); i++) {
		if (settable[i] == property)
			return true;
	}
	return false;
}

static int check_special(zpool_prop_t property, const char *text, uint64_t number, struct err *err)
{
	if (property == ZPOOL_PROP_ASHIFT && number != 0 &&
		(number < ASHIFT_LEAST || number > ASHIFT_MOST))
		return err_set(err, -EINVAL, "ashift '%s' is not 0 or from 9 to 16", text);
	if (property == ZPOOL_PROP_AUTOTRIM && number != 0)
		return err_set(err, -ENOTSUP, "autotrim=on is not carried out here");
	if (property == ZPOOL_PROP_CACHEFILE && strcmp(text, "none") != 0)
		return err_set(err, -ENOTSUP, "cachefile is always none here");
	return 0;
}

static int parse_one(const char *name, const char *text, nvlist_t *list, struct err *err)
{
	zpool_prop_t property = zpool_name_to_prop(name);
	uint64_t number = 0;
	int64_t integer;
	int r;

	if (property == ZPOOL_PROP_INVAL)
		return err_set(err, -EINVAL, "there is no pool property '%s'", name);
	if (!text)
		return err_set(err, -EINVAL, "pool property %s: its value must be a text", name);
	if (zpool_prop_readonly(property))
		return err_set(err, -EINVAL, "pool property '%s' is read-only", name);
	if (!is_settable(property))
		return err_set(err, -ENOTSUP, "pool property '%s' is not carried out here", name);
	switch (zpool_prop_get_type(property)) {
	case PROP_TYPE_NUMBER:
		if (integer_parse(text, &integer) < 0 || integer < 0)
			return err_set(err, -EINVAL, "%s: '%s' is not a number", name, text);
		number = (uint64_t)integer;
		break;
	case PROP_TYPE_INDEX:
		if (zpool_prop_string_to_index(property, text, &number) != 0)
			return err_set(err, -EINVAL, "%s: '%s' is not one of %s", name, text,
				zprop_values(property, ZFS_TYPE_POOL));
		break;
	default:
		r = check_special(property, text, number, err);
		if (r == 0)
			fnvlist_add_string(list, name, text);
		return r;
	}
	r = check_special(property, text, number, err);
	if (r == 0)
		fnvlist_add_uint64(list, name, number);
	return r;
}

int property_parse_pool(const json_t *values, bool creating, nvlist_t **ret_list,
	uint64_t *ret_ashift, struct err *err)
{
	nvlist_t *list = fnvlist_alloc();
	const char *name, *compatibility = NULL;
	json_t *value;
	int r = 0;

	if (creating)
		fnvlist_add_string(list, "cachefile", "none");
	json_object_foreach((json_t *)values, name, value)
	{
		r = parse_one(name, json_string_value(value), list, err);
		if (r < 0)
			break;
	}
	(void)nvlist_lookup_string(list, "compatibility", &compatibility);
	if (r == 0 && creating)
		r = pool_config_features(compatibility, list, err);
	if (r < 0) {
		nvlist_free(list);
		return r;
	}
	if (ret_ashift)
		(void)nvlist_lookup_uint64(list, "ashift", ret_ashift);
	*ret_list = list;
	return 0;
}

int property_set_pool(const char *pool, const json_t *values, struct err *err)
{
	nvlist_t *list = NULL;
	spa_t *spa;
	int r = property_parse_pool(values, false, &list, NULL, err);

	if (r == 0)
		r = pool_hold(pool, FTAG, &spa, err);
	if (r == 0) {
		r = -spa_prop_set(spa, list);
		if (r < 0)
			err_set_errno(err, r, "set properties of pool '%s'", pool);
		spa_close(spa, FTAG);
	}
	nvlist_free(list);
	return r;
}

static void format_number(zpool_prop_t property, uint64_t number, char *nice, size_t size)
{
	switch (property) {
	case ZPOOL_PROP_SIZE:
	case ZPOOL_PROP_FREE:
	case ZPOOL_PROP_ALLOCATED:
	case ZPOOL_PROP_FREEING:
	case ZPOOL_PROP_LEAKED:
		zfs_nicebytes(number, nice, size);
		break;
	case ZPOOL_PROP_CAPACITY:
	case ZPOOL_PROP_FRAGMENTATION:
		(void)snprintf(nice, size, "%llu%%", (unsigned long long)number);
		break;
	case ZPOOL_PROP_DEDUPRATIO:
		(void)snprintf(nice, size, "%llu.%02llux", (unsigned long long)number / 100,
			(unsigned long long)number % 100);
		break;
	default:
		(void)snprintf(nice, size, "%llu", (unsigned long long)number);
	}
}

static json_t *read_one(nvlist_t *all, zpool_prop_t property)
{
	const char *name = zpool_prop_to_name(property), *text = NULL, *word = NULL;
	uint64_t number = zpool_prop_default_numeric(property), origin = ZPROP_SRC_DEFAULT;
	char nice[64], raw[32];
	const char *source;
	nvlist_t *entry;

	if (nvlist_lookup_nvlist(all, name, &entry) == 0) {
		(void)nvlist_lookup_uint64(entry, ZPROP_SOURCE, &origin);
		if (nvlist_lookup_uint64(entry, ZPROP_VALUE, &number) != 0)
			(void)nvlist_lookup_string(entry, ZPROP_VALUE, &text);
	} else if (zpool_prop_get_type(property) == PROP_TYPE_STRING) {
		text = zpool_prop_default_string(property);
		text = text ? text : "-";
	}
	source = zpool_prop_readonly(property) ? "-"
		 : origin == ZPROP_SRC_LOCAL   ? "local"
					       : "default";
	if (!text && zpool_prop_get_type(property) == PROP_TYPE_INDEX &&
		zpool_prop_index_to_string(property, number, &word) == 0)
		text = word;
	if (text)
		return json_pack("{s:s, s:s, s:s}", "value", text, "raw", text, "source", source);
	format_number(property, number, nice, sizeof(nice));
	(void)snprintf(raw, sizeof(raw), "%llu", (unsigned long long)number);
	return json_pack("{s:s, s:s, s:s}", "value", nice, "raw", raw, "source", source);
}

/* health is not among what the library reports: its word comes from the state. */
static json_t *read_health(spa_t *spa)
{
	const char *word = spa_state_to_name(spa);

	return json_pack("{s:s, s:s, s:s}", "value", word, "raw", word, "source", "-");
}

static const zpool_prop_t shown[] = { ZPOOL_PROP_SIZE, ZPOOL_PROP_CAPACITY, ZPOOL_PROP_GUID,
	ZPOOL_PROP_ALLOCATED, ZPOOL_PROP_FREE, ZPOOL_PROP_FRAGMENTATION, ZPOOL_PROP_HEALTH,
	ZPOOL_PROP_ASHIFT, ZPOOL_PROP_AUTOTRIM, ZPOOL_PROP_COMMENT, ZPOOL_PROP_COMPATIBILITY,
	ZPOOL_PROP_FAILUREMODE, ZPOOL_PROP_DEDUPRATIO, ZPOOL_PROP_READONLY, ZPOOL_PROP_CACHEFILE,
	ZPOOL_PROP_DELEGATION, ZPOOL_PROP_AUTOEXPAND };

static int read_named(
	spa_t *spa, nvlist_t *all, const json_t *names, json_t *result, struct err *err)
{
	const json_t *item;
	size_t i;

	json_array_foreach(names, i, item)
	{
		const char *name = json_string_value(item);
		zpool_prop_t property = name ? zpool_name_to_prop(name) : ZPOOL_PROP_INVAL;

		if (property == ZPOOL_PROP_INVAL)
			return err_set(err, -EINVAL, "there is no pool property '%s'",
				name ? name : "(not a text)");
		json_object_set_new(result, name,
			property == ZPOOL_PROP_HEALTH ? read_health(spa) : read_one(all, property));
	}
	return 0;
}

int property_get_pool(
	const char *pool, const json_t *names, json_t **ret_properties, struct err *err)
{
	json_t *result = json_object();
	nvlist_t *all;
	spa_t *spa;
	int r = pool_hold(pool, FTAG, &spa, err);

	if (r < 0) {
		json_decref(result);
		return r;
	}
	all = fnvlist_alloc();
	(void)spa_prop_get(spa, all);
	if (names)
		r = read_named(spa, all, names, result, err);
	for (size_t i = 0; !names && i < ARRAY_SIZE(shown); i++)
		json_object_set_new(result, zpool_prop_to_name(shown[i]),
			shown[i] == ZPOOL_PROP_HEALTH ? read_health(spa) : read_one(all, shown[i]));
	nvlist_free(all);
	spa_close(spa, FTAG);
	if (r < 0)
		json_decref(result);
	else
		*ret_properties = result;
	return r;
}
