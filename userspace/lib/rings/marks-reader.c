/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rings/marks-reader.h"

#include <string.h>

void spt_marks_reader_init(SptMarksReader *reader, void *marks, uint32_t i)
{
	struct spt_marks_slot *slot = spt_marks_slot(marks, i);
	uint32_t tail = __atomic_load_n(&slot->tail, __ATOMIC_RELAXED);

	*reader = (SptMarksReader){
		.slot = slot,
		.words = spt_marks_words(marks, i),
		.at = tail,
		.end = tail,
	};
}

bool spt_marks_reader_begin(SptMarksReader *reader)
{
	/* Pairs with the release of the head by the writer. */
	uint32_t head = __atomic_load_n(&reader->slot->head, __ATOMIC_ACQUIRE);

	if (head - reader->at > SPT_MARKS_WORDS)
		reader->is_broken = true;
	if (reader->is_broken)
		reader->at = head;
	reader->end = head;
	return reader->at != head;
}

static uint64_t take_word(SptMarksReader *reader)
{
	return __atomic_load_n(&reader->words[reader->at++ & (SPT_MARKS_WORDS - 1)],
			       __ATOMIC_RELAXED);
}

static const char *take_text(SptMarksReader *reader, char *text, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i += 8) {
		uint64_t word = take_word(reader);

		memcpy(text + i, &word, sizeof(word));
	}
	text[bytes] = '\0';
	return text;
}

static unsigned words_of(unsigned bytes)
{
	return (bytes + 7) / 8;
}

/* Takes what the word @first begins. */
static bool take_record(SptMarksReader *reader, uint64_t first, SptMarkRecord *ret)
{
	unsigned n = first >> 5 & 0x7ff, category = first >> 16 & 0xffff,
		 name = first >> 32 & 0xffff, message = first >> 48;

	ret->type = first & 31;
	if (ret->type == SPT_MARK_NOTHING)
		return n == 1;
	if (ret->type >= SPT_MARK_TYPES || category > SPT_MARK_TEXT || name > SPT_MARK_TEXT ||
	    message > SPT_MARK_TEXT || reader->end - reader->at < n - 1 ||
	    n != SPT_MARK_HEAD + words_of(category) + words_of(name) + words_of(message))
		return false;
	ret->stamp = take_word(reader);
	ret->value = take_word(reader);
	ret->category = take_text(reader, reader->texts[0], category);
	ret->name = take_text(reader, reader->texts[1], name);
	ret->message = take_text(reader, reader->texts[2], message);
	return true;
}

bool spt_marks_reader_next(SptMarksReader *reader, SptMarkRecord *ret)
{
	while (reader->at != reader->end) {
		if (!take_record(reader, take_word(reader), ret)) {
			reader->is_broken = true;
			reader->at = reader->end;
		} else if (ret->type != SPT_MARK_NOTHING) {
			return true;
		}
	}
	return false;
}

void spt_marks_reader_end(SptMarksReader *reader)
{
	/* Pairs with the writer's acquire of the tail. */
	__atomic_store_n(&reader->slot->tail, reader->at, __ATOMIC_RELEASE);
}
