/* format: access lists, flags and directory entries of the ZPL, for every mode there is. */
#include "unit/unit.h"

#include "zfsd/posix/posix_internal.h"

#include <sys/acl.h>

enum class { CLASS_OWNER, CLASS_GROUP, CLASS_OTHER };

/* What a reader of the list does: the first entry for the asker that names the right decides; the
 * group's entries are not for the owner, the everyone entry is for all. */
static bool may(const zfs_ace_hdr_t *entries, int count, enum class who, uint32_t right)
{
	for (int i = 0; i < count; i++) {
		uint16_t kind = entries[i].z_flags & ACE_TYPE_FLAGS;
		bool applies = kind == ACE_EVERYONE || (kind == ACE_OWNER && who == CLASS_OWNER) ||
			       (kind == (ACE_GROUP | ACE_IDENTIFIER_GROUP) && who != CLASS_OTHER);

		if (applies && (entries[i].z_access_mask & right))
			return entries[i].z_type == ACE_ACCESS_ALLOWED_ACE_TYPE;
	}
	return false;
}

/* In a POSIX mode each asker has the bits of one class only. The list is read for an owner who is
 * in the group too, which must not matter. */
static void the_list_says_what_the_mode_says(void **state UNUSED)
{
	const struct {
		uint32_t right;
		unsigned bit;
	} rights[] = { { ACE_READ_DATA, 4 }, { ACE_WRITE_DATA, 2 }, { ACE_APPEND_DATA, 2 },
		{ ACE_EXECUTE, 1 } };
	const uint64_t types[] = { S_IFREG, S_IFDIR };

	for (uint64_t mode = 0; mode < 2 * 01000; mode++) {
		zfs_ace_hdr_t entries[NODE_ACL_MAX];
		uint64_t bits = mode & 0777, type = types[mode / 01000];
		int count = format_trivial_acl(type | bits, entries);

		assert_in_range(count, 3, NODE_ACL_MAX);
		assert_int_equal(format_spill_extra(type | bits), count * (int)sizeof(entries[0]));
		for (int who = CLASS_OWNER; who <= CLASS_OTHER; who++)
			for (size_t i = 0; i < ARRAY_SIZE(rights); i++) {
				bool wanted = bits >> (6 - 3 * who) & rights[i].bit;

				if (may(entries, count, (enum class)who, rights[i].right) != wanted)
					fail_msg("mode %llo, class %d, right %x: not %d",
						(unsigned long long)bits, who, rights[i].right,
						wanted);
			}
		assert_int_equal(may(entries, count, CLASS_OTHER, ACE_DELETE_CHILD),
			type == S_IFDIR && (bits & 2));
		assert_true(may(entries, count, CLASS_OTHER, ACE_READ_ATTRIBUTES));
		assert_true(may(entries, count, CLASS_OWNER, ACE_WRITE_ACL));
		assert_false(may(entries, count, CLASS_GROUP, ACE_WRITE_ACL));
	}
}

/* The three entries every list ends with, and the special ones only where they are needed. */
static void usual_modes_have_three_entries(void **state UNUSED)
{
	const uint64_t three[] = { 0777, 0755, 0750, 0700, 0644, 0640, 0600, 0400, 0 };
	zfs_ace_hdr_t entries[NODE_ACL_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(three); i++)
		assert_int_equal(format_trivial_acl(S_IFREG | three[i], entries), 3);
	assert_int_equal(format_trivial_acl(S_IFREG | 0077, entries), 4);
	assert_int_equal(format_trivial_acl(S_IFREG | 0604, entries), 5);
	assert_int_equal(format_trivial_acl(S_IFREG | 0416, entries), 6);
}

static void flags_at_birth(void **state UNUSED)
{
	struct zfsd_filesystem fs = { .project_quota = false };

	assert_int_equal(format_birth_flags(&fs, S_IFREG | 0600), 0x40800000004);
	assert_int_equal(format_birth_flags(&fs, S_IFDIR | 0755), 0x40800000144);
	assert_int_equal(format_birth_flags(&fs, S_IFLNK | 0777), 0x40800000104);
	fs.project_quota = true;
	assert_int_equal(format_birth_flags(&fs, S_IFREG | 0600), 0x840800000004);
	assert_int_equal(format_birth_flags(&fs, S_IFDIR | 0755), 0x840800000144);
	assert_int_equal(format_birth_flags(&fs, S_IFIFO | 0600), 0x40800000004);
}

static void entries_hold_number_and_type(void **state UNUSED)
{
	assert_int_equal(format_entry(34, S_IFREG | 0644), 34 | 8ULL << 60);
	assert_int_equal(format_entry(34, S_IFDIR | 0755), 34 | 4ULL << 60);
	assert_int_equal(format_entry((1ULL << 48) - 1, S_IFLNK), ((1ULL << 48) - 1) | 10ULL << 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_list_says_what_the_mode_says),
		cmocka_unit_test(usual_modes_have_three_entries),
		cmocka_unit_test(flags_at_birth),
		cmocka_unit_test(entries_hold_number_and_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
