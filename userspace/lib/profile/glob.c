/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What follows the last '*' is tried at each place in turn; an earlier '*' never has to be asked
 * again.
 */
#include "profile/glob.h"

#include <stddef.h>

bool spt_glob_match(const char *pattern, const char *text)
{
	const char *after_star = NULL, *retry = NULL;

	while (*text) {
		if (*pattern == '*') {
			after_star = ++pattern;
			retry = text;
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
