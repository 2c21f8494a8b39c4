/* run_line: what a run's events look like on a terminal, in a log, and in --events. */
#include "unit/unit.h"

#include "cmd/run_line.h"
#include <jansson.h>
#include <string.h>

/* The program's table is in main.c; none is needed here. */
#include "cmd/command.h"
const struct command *const commands[] = { NULL };

static const struct run_event measuring = {
	.kind = RUN_PROGRESS,
	.utc_ns = 1767225600000000000,
	.study = "s",
	.trial = 3,
	.trial_count = 4,
	.setup = 2,
	.setup_count = 2,
	.label = "ext4 block=8K",
	.phase = "run",
	.rate = 812.34,
	.unit = "tps",
	.fraction = 0.5,
	.remaining_s = 754.4,
};

static void status_line(void **state UNUSED)
{
	const struct {
		struct run_event event;
		size_t width;
		const char *line;
	} cases[] = {
		{ measuring, 0,
			"[############--------] trial 3 of 4  run 50 %  812.3 tps  12:34 left  "
			"ext4 "
			"block=8K" },
		{ measuring, 40, "[############--------] trial 3 of 4  run" },
		{ { .trial = 1, .trial_count = 8, .phase = "load", .part = "keys", .fraction = -1 },
			0, "[--------------------] trial 1 of 8  load (keys)" },
		{ { .setup = 1, .setup_count = 3, .phase = "initdb" }, 0,
			"[--------------------] set-up 1 of 3  initdb" },
		{ { .trial = 8, .trial_count = 8, .phase = "run", .fraction = 7, .remaining_s = 3 },
			0, "[####################] trial 8 of 8  run 100 %  3 s left" },
		{ { .trial = 1, .trial_count = 1, .remaining_s = 7384 }, 0,
			"[--------------------] trial 1 of 1  2:03:04 left" },
		/* An umlaut is one column and two bytes, and is never cut in half. */
		{ { .label = "\xc3\xbc\xc3\xbc" }, 25, "[--------------------]  \xc3\xbc" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf line = STRBUF_INIT;

		run_line_status(&cases[i].event, cases[i].width, &line);
		assert_string_equal(line.data, cases[i].line);
		strbuf_release(&line);
	}
}

static void plain_lines(void **state UNUSED)
{
	static const struct {
		struct run_event event;
		const char *line; /* NULL: not worth one */
	} cases[] = {
		{ { .kind = RUN_PROGRESS }, NULL },
		{ { .kind = RUN_PHASE, .phase = "load" }, NULL },
		{ { .kind = RUN_MESSAGE }, NULL },
		{ { .kind = RUN_MESSAGE, .text = "swept" }, "swept" },
		{ { .kind = RUN_STUDY_BEGIN, .study = "s", .trial_count = 9, .remaining_s = 90 },
			"study s: 9 trials, about 1:30" },
		{ { .kind = RUN_SETUP_BEGIN, .setup = 1, .setup_count = 2, .label = "xfs" },
			"set-up 1 of 2: xfs" },
		{ { .kind = RUN_TRIAL_END,
			  .trial = 1,
			  .trial_count = 2,
			  .state = TRIAL_DONE,
			  .rate = 99.96,
			  .label = "xfs",
			  .remaining_s = 61 },
			"trial 1 of 2: done  99.96 tps  xfs  1:01 left" },
		{ { .kind = RUN_TRIAL_END,
			  .trial = 2,
			  .trial_count = 2,
			  .state = TRIAL_FAILED,
			  .text = "mkfs failed" },
			"trial 2 of 2: failed\n  mkfs failed" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf line = STRBUF_INIT;

		assert_int_equal(run_line_plain(&cases[i].event, &line), cases[i].line != NULL);
		if (cases[i].line)
			assert_string_equal(line.data, cases[i].line);
		strbuf_release(&line);
	}
}

static json_t *parse(const struct run_event *event)
{
	struct strbuf line = STRBUF_INIT;
	json_t *object;

	run_line_json(event, &line);
	assert_null(strchr(line.data, '\n'));
	object = json_loads(line.data, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(object);
	strbuf_release(&line);
	return object;
}

static void json_lines(void **state UNUSED)
{
	struct run_event event = measuring;
	json_t *object = parse(&event);

	assert_string_equal(json_string_value(json_object_get(object, "event")), "progress");
	assert_int_equal(json_integer_value(json_object_get(object, "trial")), 3);
	assert_true(json_real_value(json_object_get(object, "rate")) == 812.34);
	assert_null(json_object_get(object, "state"));
	assert_null(json_object_get(object, "schema_version"));
	json_decref(object);
	event.kind = RUN_TRIAL_END;
	event.state = TRIAL_VOID;
	event.text = "a \"quoted\"\nreason";
	object = parse(&event);
	assert_string_equal(json_string_value(json_object_get(object, "state")), "void");
	assert_string_equal(json_string_value(json_object_get(object, "text")), event.text);
	assert_null(json_object_get(object, "fraction"));
	json_decref(object);
	event.text = "no UTF-8: \xff\xfe";
	object = parse(&event);
	assert_string_equal(json_string_value(json_object_get(object, "text")), "no UTF-8: ??");
	json_decref(object);
	event = (struct run_event){ .kind = RUN_STUDY_BEGIN };
	object = parse(&event);
	assert_int_equal(json_integer_value(json_object_get(object, "schema_version")),
		RECORD_SCHEMA_VERSION);
	json_decref(object);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(status_line),
		cmocka_unit_test(plain_lines),
		cmocka_unit_test(json_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
