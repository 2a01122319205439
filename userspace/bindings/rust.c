/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of spt_mark.rs that is C, and so for other languages that call C: texts have lengths.
 *
 *	cc -O2 -c rust.c && ar rcs libspt_mark.a rust.o
 */
#include <spt/mark.h>

static inline uint64_t cut_text(size_t bytes)
{
	return bytes > SPT_MARK_TEXT ? SPT_MARK_TEXT : bytes;
}

/* True while somebody records. */
bool spt_mark_c_is_recorded(void);
uint64_t spt_mark_c_now(void);
/* @type: enum spt_mark_type; @value: as there. */
void spt_mark_c_put(uint32_t type, uint64_t value, const char *category, size_t category_bytes,
		    const char *name, size_t name_bytes, const char *message, size_t message_bytes);

bool spt_mark_c_is_recorded(void)
{
	return spt_mark_is_recorded();
}

uint64_t spt_mark_c_now(void)
{
	return spt_mark_now();
}

void spt_mark_c_put(uint32_t type, uint64_t value, const char *category, size_t category_bytes,
		    const char *name, size_t name_bytes, const char *message, size_t message_bytes)
{
	if (spt_mark_is_recorded())
		spt_mark_write(type, spt_mark_stamp(), value, category, name, message,
			       cut_text(category_bytes) | cut_text(name_bytes) << 16 |
				       cut_text(message_bytes) << 32);
}
