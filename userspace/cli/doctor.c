/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "doctor.h"

#include <stdarg.h>
#include <stdio.h>

#include "cmd.h"
#include "json.h"

#define INDENT 9

/* They are printed after the verdict, which comes first. */
struct finding {
	SptFinding kind;
	char *text, *fix;		/* fix: or NULL */
};

static GArray *findings;

static void clear_finding(gpointer data)
{
	struct finding *finding = data;

	g_free(finding->text);
	g_free(finding->fix);
}

void spt_doctor_tell(SptFinding finding, const char *fix, const char *format, ...)
{
	struct finding found = { .kind = finding, .fix = g_strdup(spt_cli_named(fix)) };
	va_list args;

	if (!findings) {
		findings = g_array_new(FALSE, FALSE, sizeof(struct finding));
		g_array_set_clear_func(findings, clear_finding);
	}
	va_start(args, format);
	found.text = g_strdup_vprintf(spt_cli_named(format), args);
	va_end(args);
	g_array_append_val(findings, found);
}

static const struct finding *finding_at(unsigned i)
{
	return findings && i < findings->len ? &g_array_index(findings, struct finding, i) : NULL;
}

const char *spt_doctor_first_fix(void)
{
	const struct finding *finding;

	for (unsigned i = 0; (finding = finding_at(i)); i++)
		if (finding->kind == SPT_FINDING_MISSING && finding->fix)
			return finding->fix;
	return NULL;
}

static void print_finding(const struct finding *finding)
{
	static const char *const words[] = {
		[SPT_FINDING_OK] = "ok",
		[SPT_FINDING_NOTE] = "note",
		[SPT_FINDING_MISSING] = "MISSING",
	};
	g_autofree char *wrapped = spt_format_wrap(finding->text, INDENT, spt_terminal_width());

	printf("%s%-8s%s %s\n",
	       spt_color(finding->kind == SPT_FINDING_MISSING ? SPT_COLOR_HOT :
			 finding->kind == SPT_FINDING_NOTE    ? SPT_COLOR_WARM :
								SPT_COLOR_GOOD),
	       words[finding->kind], spt_color(SPT_COLOR_OFF), wrapped);
	if (finding->fix)
		printf("%-8s -> %s\n", "", finding->fix);
}

void spt_doctor_print(const char *verdict)
{
	const struct finding *finding;

	printf("%s%s%s\n\n", spt_color(SPT_COLOR_TITLE), verdict, spt_color(SPT_COLOR_OFF));
	for (unsigned i = 0; (finding = finding_at(i)); i++)
		print_finding(finding);
	g_clear_pointer(&findings, g_array_unref);
}

void spt_doctor_print_json(const char *verdict, bool module, bool perf)
{
	static const char *const words[] = {
		[SPT_FINDING_OK] = "ok",
		[SPT_FINDING_NOTE] = "note",
		[SPT_FINDING_MISSING] = "missing",
	};
	const struct finding *finding;
	SptJson *json = &(SptJson){ 0 };

	spt_json_object(json, NULL);
	spt_json_text(json, "verdict", verdict);
	spt_json_flag(json, "module", module);
	spt_json_flag(json, "perf", perf);
	spt_json_array(json, "findings");
	for (unsigned i = 0; (finding = finding_at(i)); i++) {
		spt_json_object(json, NULL);
		spt_json_text(json, "status", words[finding->kind]);
		spt_json_text(json, "text", finding->text);
		spt_json_text(json, "fix", finding->fix);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
	spt_json_end_object(json);
	g_clear_pointer(&findings, g_array_unref);
}
