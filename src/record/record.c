/* Trial records: growing lists whose strings an arena owns (see record.h). */
#include "record/record.h"

#include "base/memory.h"
#include "record/metric.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const state_words[] = {
#define AS_WORD(id, word) [TRIAL_##id] = word,
	TRIAL_STATES(AS_WORD)
};

const char *trial_state_word(enum trial_state state)
{
	return state_words[state];
}

int trial_state_parse(const char *word, enum trial_state *ret_state)
{
	for (int state = 0; state < TRIAL_STATE_COUNT; state++)
		if (strcmp(state_words[state], word) == 0) {
			*ret_state = state;
			return 0;
		}
	return -EINVAL;
}

void trial_record_init(struct trial_record *record)
{
	*record = (struct trial_record){ .state = TRIAL_PLANNED };
}

void trial_record_release(struct trial_record *record)
{
	free(record->samples);
	free(record->notes);
	free(record->files);
	free(record->facts);
	arena_release(&record->arena);
	trial_record_init(record);
}

/* Room for one more element; list is a struct's pointer, count and size. */
#define GROW(list, count, capacity)                                                  \
	do {                                                                         \
		if ((count) == (capacity)) {                                         \
			(capacity) = (capacity) ? (capacity)*2 : 16;                 \
			(list) = memory_resize((list), (capacity), sizeof(*(list))); \
		}                                                                    \
	} while (0)

void trial_record_sample(struct trial_record *record, const struct sample *sample)
{
	struct sample *copy;

	if (!isfinite(sample->value)) {
		trial_record_note(record, NOTE_WARNING, "not-a-number",
			"%s of %s gave no finite number for %s", sample->source, sample->phase,
			sample->metric);
		return;
	}
	assert(metric_find(sample->metric));
	GROW(record->samples, record->sample_count, record->sample_size);
	copy = &record->samples[record->sample_count++];
	*copy = *sample;
	copy->metric = arena_copy_string(&record->arena, sample->metric);
	copy->phase = arena_copy_string(&record->arena, sample->phase);
	copy->source = arena_copy_string(&record->arena, sample->source);
}

void trial_record_note(struct trial_record *record, enum note_level level, const char *code,
	const char *format, ...)
{
	struct strbuf text = STRBUF_INIT;
	struct note *note;
	va_list args;

	va_start(args, format);
	strbuf_add_format_args(&text, format, args);
	va_end(args);
	GROW(record->notes, record->note_count, record->note_size);
	note = &record->notes[record->note_count++];
	note->level = level;
	note->code = arena_copy_string(&record->arena, code);
	note->text = arena_copy_string(&record->arena, text.data);
	strbuf_release(&text);
}

void trial_record_file(struct trial_record *record, const char *kind, const char *path)
{
	struct raw_file *file;

	GROW(record->files, record->file_count, record->file_size);
	file = &record->files[record->file_count++];
	file->kind = arena_copy_string(&record->arena, kind);
	file->path = arena_copy_string(&record->arena, path);
}

void trial_record_fact(
	struct trial_record *record, const char *name, const char *asked, const char *value)
{
	struct fact *fact;

	GROW(record->facts, record->fact_count, record->fact_size);
	fact = &record->facts[record->fact_count++];
	fact->name = arena_copy_string(&record->arena, name);
	fact->asked = arena_copy_string(&record->arena, asked);
	fact->value = arena_copy_string(&record->arena, value);
}

bool trial_record_find(
	const struct trial_record *record, const char *phase, const char *metric, double *ret_value)
{
	for (size_t i = 0; i < record->sample_count; i++) {
		const struct sample *sample = &record->samples[i];

		if (sample->at_ns == SAMPLE_WHOLE && strcmp(sample->metric, metric) == 0 &&
			strcmp(sample->phase, phase) == 0) {
			*ret_value = sample->value;
			return true;
		}
	}
	return false;
}
