/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Root's opener of perf events, as the recorder sees it (opener-protocol.h): for users whom the
 * kernel lets see only their own processes, once polkit has authorised them.
 */
#ifndef SPT_PERF_DOOR_H
#define SPT_PERF_DOOR_H

#include <glib.h>
#include <stdbool.h>

#include "trace/perf/opener-protocol.h"
#include "trace/perf/open.h"

G_BEGIN_DECLS

typedef struct SptPerfDoor SptPerfDoor;

/* Waits for the user to authenticate. */
SptPerfDoor *spt_perf_door_open(GError **error);
/* Ends the opener, and with it all of its events; other references have a closed door then. */
void spt_perf_door_free(SptPerfDoor *door);
SptPerfDoor *spt_perf_door_ref(SptPerfDoor *door);
void spt_perf_door_unref(void *door);
/* Whether the opener is there still; with an error if not. */
bool spt_perf_door_lives(SptPerfDoor *door, GError **error);
/* Whether what @config requests is among what is opened for others. */
bool spt_perf_door_can(const SptTraceConfig *config, GError **error);

/* These return -1 and errno if they fail.  Any thread may call them. */

/* Closes what the opener holds open. */
int spt_perf_door_begin(SptPerfDoor *door);
/* As spt_perf_open_event(): what is to be mapped, and then joined. */
int spt_perf_door_ticks(SptPerfDoor *door, unsigned cpu, const struct spt_perf_event *event,
			const SptTraceConfig *config);
/* The same for the other kinds. */
int spt_perf_door_waits(SptPerfDoor *door, enum spt_door_kind kind, unsigned cpu,
			size_t watermark_bytes);
/* JOIN, ENABLE, DISABLE, or PERIOD by @number. */
int spt_perf_door_control(SptPerfDoor *door, enum spt_door_what what, enum spt_door_kind kind,
			  unsigned cpu, uint64_t number);
/* /proc/kallsyms, with addresses. */
int spt_perf_door_kallsyms(SptPerfDoor *door);
/* A process's file @name, which can only be "maps"; of @door, a SptPerfDoor. */
int spt_perf_door_open_file(uint32_t pid, const char *name, void *door);
/* What spt_perf_tracepoints_read() gives root. */
void spt_perf_door_tracepoints(SptPerfDoor *door, struct spt_perf_tracepoints *ret);
/* As root: ends the openers of a user.  Returns how many there were. */
unsigned spt_perf_door_end_openers(uid_t uid);

G_END_DECLS

#endif
