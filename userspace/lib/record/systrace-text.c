/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names may have a "|", so what follows them is cut off from the end. */
#include "record/systrace-text.h"

#include <stdlib.h>
#include <string.h>

#include <glib.h>

static const struct {
	char letter;
	SptSystraceType type;
	bool has_track, has_cookie;
} forms[] = {
	{ 'B', SPT_SYSTRACE_BEGIN, false, false },
	{ 'E', SPT_SYSTRACE_END, false, false },
	{ 'C', SPT_SYSTRACE_COUNTER, false, true },
	{ 'S', SPT_SYSTRACE_START, false, true },
	{ 'F', SPT_SYSTRACE_FINISH, false, true },
	{ 'G', SPT_SYSTRACE_TRACK_START, true, true },
	{ 'H', SPT_SYSTRACE_TRACK_FINISH, true, true },
	{ 'I', SPT_SYSTRACE_INSTANT, false, false },
	{ 'N', SPT_SYSTRACE_TRACK_INSTANT, true, false },
};

/* The text up to the next "|", which it ends, and @rest behind that; NULL: there is none. */
static const char *cut_first(char **rest)
{
	char *text = *rest, *end = text ? strchr(text, '|') : NULL;

	if (!end)
		return NULL;
	*end = '\0';
	*rest = end + 1;
	return text;
}

static bool parse_form(char *line, SptSystraceType type, bool has_track, bool has_cookie,
		       SptSystraceText *ret)
{
	char *rest = line + 2, *last;
	const char *text = cut_first(&rest);

	if (!text)
		return false;
	ret->pid = text;
	if (has_track) {
		text = cut_first(&rest);
		if (!text)
			return false;
		ret->track = text;
	}
	last = has_cookie ? strrchr(rest, '|') : NULL;
	if (last) {
		*last = '\0';
		ret->cookie = last + 1;
	} else if (type == SPT_SYSTRACE_TRACK_FINISH) {
		ret->cookie = rest;
		rest = "";
	} else if (has_cookie) {
		return false;
	}
	ret->name = rest;
	if (type == SPT_SYSTRACE_COUNTER) {
		ret->value = g_ascii_strtod(ret->cookie, &last);
		return last != ret->cookie && !*last;
	}
	return true;
}

void spt_systrace_parse(char *line, SptSystraceText *ret)
{
	g_autofree char *whole = NULL;

	line[strcspn(line, "\n")] = '\0';
	*ret = (SptSystraceText){ .type = SPT_SYSTRACE_LINE, .pid = "", .track = "", .name = line,
				  .cookie = "" };
	if (line[0] == 'E' && (!line[1] || line[1] == '|')) {
		ret->type = SPT_SYSTRACE_END;
		return;
	}
	if (!line[0] || line[1] != '|')
		return;
	whole = g_strdup(line);
	for (unsigned i = 0; i < G_N_ELEMENTS(forms); i++) {
		if (forms[i].letter != line[0])
			continue;
		if (parse_form(line, forms[i].type, forms[i].has_track, forms[i].has_cookie, ret)) {
			ret->type = forms[i].type;
			return;
		}
		/* As it was. */
		strcpy(line, whole);
		*ret = (SptSystraceText){ .pid = "", .track = "", .name = line, .cookie = "" };
		return;
	}
}
