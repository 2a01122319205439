/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The library's own part of <string.h>: it calls no function that others may replace. */
#ifndef SPT_PRELOAD_PLAIN_H
#define SPT_PRELOAD_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void *memset(void *to, int value, size_t bytes);
void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
bool spt_is_same_text(const char *a, const char *b);
bool spt_text_begins(const char *text, const char *with);
/* Length of @text, or @most. */
size_t spt_text_bytes(const char *text, size_t most);

#endif
