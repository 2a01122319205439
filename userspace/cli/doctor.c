/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "doctor.h"

#include <stdarg.h>
#include <stdio.h>

#include "cmd.h"

#define INDENT 9

/* These lines are printed after the verdict, which comes first. */
static GString *findings;
static char *first_fix;

void spt_doctor_tell(SptFinding finding, const char *fix, const char *format, ...)
{
	static const char *const words[] = {
		[SPT_FINDING_OK] = "ok",
		[SPT_FINDING_NOTE] = "note",
		[SPT_FINDING_MISSING] = "MISSING",
	};
	g_autofree char *text = NULL, *wrapped = NULL;
	va_list args;

	fix = spt_cli_named(fix);
	if (!findings)
		findings = g_string_new(NULL);
	g_string_append_printf(findings, "%s%-8s%s ",
			       spt_color(finding == SPT_FINDING_MISSING ? SPT_COLOR_HOT :
					 finding == SPT_FINDING_NOTE	? SPT_COLOR_WARM :
									  SPT_COLOR_GOOD),
			       words[finding], spt_color(SPT_COLOR_OFF));
	va_start(args, format);
	text = g_strdup_vprintf(spt_cli_named(format), args);
	va_end(args);
	wrapped = spt_format_wrap(text, INDENT, spt_terminal_width());
	g_string_append_printf(findings, "%s\n", wrapped);
	if (fix)
		g_string_append_printf(findings, "%-8s -> %s\n", "", fix);
	if (fix && finding == SPT_FINDING_MISSING && !first_fix)
		first_fix = g_strdup(fix);
}

const char *spt_doctor_first_fix(void)
{
	return first_fix;
}

void spt_doctor_print(const char *verdict)
{
	printf("%s%s%s\n\n%s", spt_color(SPT_COLOR_TITLE), verdict, spt_color(SPT_COLOR_OFF),
	       findings ? findings->str : "");
	if (findings)
		g_string_free(findings, TRUE);
	findings = NULL;
	g_clear_pointer(&first_fix, g_free);
}
