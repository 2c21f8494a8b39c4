/* The safety verdict by its links, and that an unseen link is never safe. */
#include "unit/unit.h"

#include "doctor/cross/safety_verdict.h"
#include "doctor/facts.h"

#include <string.h>

/* One location on a filesystem with these members of the facts. */
static json_t *facts_with(const char *members)
{
	char text[4000];
	json_t *facts;
	struct err err = ERR_INIT;

	snprintf(text, sizeof(text),
		"{\"plumb_facts\": 1, \"locations\": [{\"role\": \"data\", \"name\": \"data\","
		" \"path\": \"/d\", \"mount_path\": \"/d\", \"files\": {\"record_sizes\":"
		" [{\"record_bytes\": 32768, \"files\": 5, \"bytes\": 5000000}]}}], %s}",
		members);
	if (facts_parse(text, strlen(text), &facts, &err) < 0)
		fail_msg("%s: %s", err.message, text);
	return facts;
}

static void expect_verdict(const char *members, const char *verdict, const char *commits)
{
	json_t *facts = facts_with(members);
	struct view view;

	view_init(&view, facts);
	json_t *list = safety_verdicts(&view);
	assert_int_equal(json_array_size(list), 1);
	const json_t *entry = json_array_get(list, 0);
	if (!strstr(facts_text(entry, "verdict", ""), verdict))
		fail_msg("%s: %s, not %s", members, facts_text(entry, "verdict", ""), verdict);
	if (!strstr(facts_text(entry, "commits", ""), commits))
		fail_msg("%s: commits %s, not %s", members, facts_text(entry, "commits", ""),
			commits);
	json_decref(list);
	view_release(&view);
	json_decref(facts);
}

#define EXT4 "\"mounts\": [{\"path\": \"/d\", \"type\": \"ext4\", \"options\": \"rw\"}]"
#define ZFS                                                                         \
	"\"mounts\": [{\"path\": \"/d\", \"type\": \"zfs\", \"source\": \"t/d\"}]," \
	"\"zfs\": {\"version\": \"2.3.4\", \"datasets\": [{\"name\": \"t/d\","      \
	" \"properties\": {\"sync\": \"standard\", \"recordsize\": 32768}}],"       \
	" \"parameters\": {\"zfs_nocacheflush\": 0, \"zil_nocacheflush\": 0}}"
#define SETTINGS(more)                                                           \
	"\"postgres\": {\"settings\": {\"fsync\": \"on\", \"block_size\": 8192," \
	" \"synchronous_commit\": \"on\"" more "}}"
#define FPW(word) ", \"full_page_writes\": \"" word "\""

static void follows_the_chain(void **state UNUSED)
{
	expect_verdict(EXT4 "," SETTINGS(FPW("on")), SAFETY_NOT_SHOWN, "kept");
	expect_verdict(EXT4 "," SETTINGS(FPW("off")), SAFETY_POSSIBLE, "kept");
	expect_verdict(ZFS "," SETTINGS(FPW("off")), SAFETY_NOT_SHOWN, "kept");
	expect_verdict(ZFS "," SETTINGS(FPW("off") ", \"fsync \": 1"), SAFETY_NOT_SHOWN, "kept");
	expect_verdict("\"postgres\": {\"settings\": {\"fsync\": \"off\", \"block_size\": 8192,"
		       " \"full_page_writes\": \"on\"}}, " EXT4,
		SAFETY_POSSIBLE, "can be lost: fsync");
	expect_verdict("\"postgres\": {\"settings\": {\"fsync\": \"on\", \"block_size\": 16384,"
		       " \"full_page_writes\": \"off\", \"synchronous_commit\": \"off\"}}, " ZFS,
		SAFETY_POSSIBLE, "the last ones can be lost");
}

static void unseen_is_never_safe(void **state UNUSED)
{
	expect_verdict(EXT4 "," SETTINGS(""), SAFETY_UNKNOWN, "kept");
	expect_verdict(EXT4 ", \"postgres\": {}", SAFETY_UNKNOWN, SAFETY_UNKNOWN);
	expect_verdict("\"mounts\": []," SETTINGS(FPW("off")), SAFETY_UNKNOWN, "kept");
	/* nocacheflush of the kernel's ZFS not seen */
	expect_verdict("\"mounts\": [{\"path\": \"/d\", \"type\": \"zfs\", \"source\": \"t/d\"}],"
		       " \"zfs\": {\"version\": \"2.3.4\"}," SETTINGS(FPW("on")),
		SAFETY_UNKNOWN, "kept");
	/* btrfs whose attributes were not read */
	expect_verdict("\"mounts\": [{\"path\": \"/d\", \"type\": \"btrfs\", \"options\": "
		       "\"rw\"}]," SETTINGS(FPW("off")),
		SAFETY_UNKNOWN, "kept");
}

#define RUN(verdict)                                                                       \
	"\"torture\": [{\"run\": 1, \"class\": \"ext4\", \"full_page_writes\": \"off\","   \
	" \"verdict\": \"safe\"}, {\"run\": 7, \"class\": \"zfs\", \"full_page_writes\":"  \
	" \"off\", \"block_size\": 8192, \"record_bytes\": 32768, \"zfs_version\": 20304," \
	" \"verdict\": \"" verdict "\"}]"

static void torture_runs_count_where_they_fit(void **state UNUSED)
{
	expect_verdict(RUN("safe") "," ZFS "," SETTINGS(FPW("off")), "shown safe by torture run 7",
		"kept");
	expect_verdict(RUN("torn") "," ZFS "," SETTINGS(FPW("off")),
		"torn page possible (torture run 7", "kept");
	/* another stack */
	expect_verdict(RUN("safe") "," ZFS "," SETTINGS(FPW("on")), SAFETY_NOT_SHOWN, "kept");
	/* a run never outweighs a link that is known to tear */
	expect_verdict(RUN("safe") "," EXT4 "," SETTINGS(FPW("off")), SAFETY_POSSIBLE, "kept");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_the_chain),
		cmocka_unit_test(unseen_is_never_safe),
		cmocka_unit_test(torture_runs_count_where_they_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
