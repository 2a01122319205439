/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line has any bytes, so a pattern is matched byte by byte. */
#include "report-log-lines.h"

#include <string.h>

#include "cmd.h"

static const char *const severities[] = { "emergency", "alert",	 "critical", "error",
					  "warning",   "notice", "info",     "debug" };

void spt_log_options_add(struct spt_log_options *options, GArray *entries)
{
	const GOptionEntry ours[] = {
		{ "severity", 0, 0, G_OPTION_ARG_STRING, &options->severity,
		  "With --logs: only lines of this severity or a worse one, such as warning, or 4",
		  "SEVERITY" },
		{ "grep", 0, 0, G_OPTION_ARG_STRING, &options->pattern,
		  "With --logs: only lines in which this regular expression (as in Perl) is found",
		  "REGEX" },
	};

	g_array_append_vals(entries, ours, G_N_ELEMENTS(ours));
}

const char *spt_log_severity_name(uint64_t severity)
{
	return severity < G_N_ELEMENTS(severities) ? severities[severity] : "?";
}

static bool log_options_parse_severity(struct spt_log_options *options)
{
	guint64 number;

	options->most = UINT64_MAX;
	if (!options->severity)
		return true;
	for (options->most = 0; options->most < G_N_ELEMENTS(severities); options->most++)
		if (strcmp(options->severity, severities[options->most]) == 0)
			return true;
	if (!g_ascii_string_to_unsigned(options->severity, 10, 0, G_N_ELEMENTS(severities) - 1,
					&number, NULL)) {
		spt_cli_complain("--severity takes emergency, alert, critical, error, warning, notice, info or debug, or 0 to 7, not \"%s\"",
				 options->severity);
		return false;
	}
	options->most = number;
	return true;
}

bool spt_log_options_check(struct spt_log_options *options, bool is_logs)
{
	g_autoptr(GError) error = NULL;

	if (!is_logs && (options->severity || options->pattern)) {
		spt_cli_complain("--severity and --grep choose lines of logs: they go with --logs");
		return false;
	}
	if (!log_options_parse_severity(options))
		return false;
	if (options->pattern)
		options->regex = g_regex_new(options->pattern, G_REGEX_RAW | G_REGEX_OPTIMIZE, 0,
					     &error);
	if (error)
		spt_cli_complain("--grep takes a regular expression: %s", error->message);
	return !error;
}

bool spt_log_options_meet(const struct spt_log_options *options, uint64_t severity,
			  const char *text)
{
	return severity <= options->most &&
	       (!options->regex || g_regex_match(options->regex, text, 0, NULL));
}

void spt_log_options_clear(struct spt_log_options *options)
{
	g_free(options->severity);
	g_free(options->pattern);
	g_clear_pointer(&options->regex, g_regex_unref);
}
