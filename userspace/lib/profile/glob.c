/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part after the last '*' is tried at each position in turn; an earlier '*' never has to be
 * tried again.
 */
#include "profile/glob.h"

#include <stddef.h>
#include <string.h>

bool spt_glob_match(const char *pattern, const char *text)
{
	const char *after_star = NULL, *retry = NULL;

	while (*text) {
		if (*pattern == '*') {
			after_star = ++pattern;
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
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}

bool spt_glob_is_called(const char *function, const char *name)
{
	size_t length = strlen(name);

	return strncmp(function, name, length) == 0 &&
	       (function[length] == '\0' || function[length] == '(');
}
