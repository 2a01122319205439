/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "doctor.h"

#include <stdarg.h>
#include <stdio.h>

#include "cmd.h"

/* They wait for the verdict, which comes first. */
static GString *findings;
static char *first_fix;

void spt_doctor_tell(SptFinding finding, const char *fix, const char *format, ...)
{
	static const char *const words[] = {
		[SPT_FINDING_OK] = "ok",
		[SPT_FINDING_NOTE] = "note",
		[SPT_FINDING_MISSING] = "MISSING",
	};
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
	g_string_append_vprintf(findings, spt_cli_named(format), args);
	va_end(args);
	g_string_append_c(findings, '\n');
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
