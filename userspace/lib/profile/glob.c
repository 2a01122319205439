/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part after the last '*' is tried at each position in turn; an earlier '*' never has to be
 * tried again.
 */
#include "profile/glob.h"

#include <stddef.h>
#include <string.h>

/* Names that are shown are shorter. */
#define MOST_BYTES 512

/* Bytes of what matches anything: a '*', or what names have in place of arguments; 0: none. */
static size_t any_bytes(const char *pattern)
{
	return *pattern == '*' ? 1 :
	       pattern[0] == '.' && pattern[1] == '.' && pattern[2] == '.' ? 3 : 0;
}

static bool glob_match(const char *pattern, const char *text)
{
	const char *after_star = NULL, *retry = NULL;

	while (*text) {
		size_t any = any_bytes(pattern);

		if (any) {
			after_star = pattern += any;
			retry = text;
			if (!*pattern)
				return true;
		} else if (*pattern == '?' || *pattern == *text) {
			pattern++;
			text++;
		} else if (after_star) {
			pattern = after_star;
			text = ++retry;
		} else {
			return false;
		}
	}
	for (size_t any; (any = any_bytes(pattern)) > 0;)
		pattern += any;
	return *pattern == '\0';
}

bool spt_glob_match(const char *pattern, const char *text)
{
	size_t length = strlen(pattern);
	char whole[MOST_BYTES];

	if (glob_match(pattern, text))
		return true;
	if (!strstr(pattern, "...") || length + 3 > sizeof(whole))
		return false;
	/* A name without arguments, or without what is behind them. */
	memcpy(whole, pattern, length);
	memcpy(whole + length, pattern[length - 1] == ')' ? "*\0" : "(*", 3);
	return glob_match(whole, text);
}

bool spt_glob_is_pattern(const char *name)
{
	return strpbrk(name, "*?") || strstr(name, "<...>") || strstr(name, "(...)");
}

bool spt_glob_is_called(const char *function, const char *name)
{
	size_t length = strlen(name);

	return strncmp(function, name, length) == 0 &&
	       (function[length] == '\0' || function[length] == '(');
}
