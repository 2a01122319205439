/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the doctor looks at, one finding a line, with the command that helps below it. */
#ifndef SPT_DOCTOR_H
#define SPT_DOCTOR_H

#include <glib.h>
#include <stdbool.h>

enum spt_finding {
	SPT_FINDING_OK,
	SPT_FINDING_NOTE,		/* recording works; something is less than it could be */
	SPT_FINDING_MISSING,		/* nothing is recorded before this is repaired */
};

/* Prints a finding.  @fix: the command or the steps that help, or NULL. */
void spt_doctor_tell(enum spt_finding finding, const char *fix, const char *format, ...)
	G_GNUC_PRINTF(3, 4);

/*
 * doctor-module.c: the steps to an open device, in their order.  Stops, false, at
 * the first thing in the way.
 */
bool spt_doctor_check_module(void);

/* doctor-sources.c: which events the module can record here.  Only notes. */
void spt_doctor_check_sources(void);

/* doctor-names.c: what makes stacks short and functions nameless.  Only notes. */
void spt_doctor_check_names(void);

/* doctor-revoke.c: ends the sessions of @user, a name or a number; returns the exit status. */
int spt_doctor_revoke(const char *user);

/* What mends the first thing that is missing; NULL: nothing is. */
const char *spt_doctor_first_fix(void);
/* The verdict, and below it all messages. */
void spt_doctor_print(const char *verdict);

#endif
