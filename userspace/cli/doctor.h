/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The doctor's findings, one in each line, with the command that helps below it. */
#ifndef SPT_DOCTOR_H
#define SPT_DOCTOR_H

#include <glib.h>
#include <stdbool.h>

#include "trace/module-check.h"
#include "trace/trace.h"

/* Prints a finding.  @fix: the command or the steps that help, or NULL. */
void spt_doctor_tell(SptFinding finding, const char *fix, const char *format, ...)
	G_GNUC_PRINTF(3, 4);

/* doctor-sources.c: reports which events @source can record here.  Only notes. */
void spt_doctor_check_sources(SptTraceSource source);

/* doctor-scripts.c: reports whether functions of scripts are recorded.  Only notes. */
void spt_doctor_check_scripts(void);

/* doctor-symbols.c: reports what makes stacks short and functions nameless.  Only notes. */
void spt_doctor_check_names(void);

/* doctor-revoke.c: ends the sessions of @user, a name or a number; returns the exit status. */
int spt_doctor_revoke(const char *user);

/* The fix for the first missing thing; NULL: nothing is missing. */
const char *spt_doctor_first_fix(void);
/* Prints the verdict, and below it all findings. */
void spt_doctor_print(const char *verdict);
/* The same as JSON.  @module, @perf: whether these record. */
void spt_doctor_print_json(const char *verdict, bool module, bool perf);

#endif
