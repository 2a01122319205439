/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/points/named-event.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/words.h"
#include "trace/points/point.h"
#include "trace/trace.h"

#define DYNAMIC SPT_POINT_TRACEFS "/dynamic_events"
/* Calls of a function of the kernel that have not returned yet; of programs there is no limit. */
#define RETURNS "128"

struct SptNamedEvent {
	unsigned number;		/* of its name in the group */
};

/* This process's group of tracefs, while it has events. */
static struct {
	char *name;
	unsigned n_events, number;	/* number: of the next one */
	GPid remover;
	int alive;			/* the end of a pipe that the remover reads */
} group = { .alive = -1 };

/*
 * Waits until nobody has the other end of its input, and removes the events: perf may have them
 * open for a moment after their user's end.
 */
static const char remover[] = "trap '' HUP INT TERM\n"
			      "while read -r line; do :; done\n"
			      "n=0\n"
			      "while [ -d \"$1/events/$2\" ] && [ $n -lt 200 ]; do\n"
			      "	for event in \"$1/events/$2\"/*/; do\n"
			      "		event=${event%/}\n"
			      "		echo \"-:$2/${event##*/}\" >>\"$1/dynamic_events\"\n"
			      "	done\n"
			      "	n=$((n + 1))\n"
			      "	[ ! -d \"$1/events/$2\" ] || sleep 0.05\n"
			      "done 2>/dev/null\n";

/* What ends this process's group or session is not to end the remover. */
static void remover_leave(G_GNUC_UNUSED gpointer data)
{
	setsid();
}

static bool begin_group(GError **error)
{
	static unsigned n_groups;
	g_autoptr(GError) failed = NULL;
	g_autofree char *name = g_strdup_printf("sysprof_%d_%u", getpid(), n_groups);
	const char *command[] = { "/bin/sh", "-c", remover, "sysprof-remove-events",
				  SPT_POINT_TRACEFS, name, NULL };

	if (group.name)
		return true;
	if (g_spawn_async_with_pipes("/", (char **)command, NULL,
				     G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL |
					     G_SPAWN_STDERR_TO_DEV_NULL,
				     remover_leave, NULL, &group.remover, &group.alive, NULL,
				     NULL, &failed)) {
		fcntl(group.alive, F_SETFD, FD_CLOEXEC);
		group.name = g_steal_pointer(&name);
		group.number = 0;
		n_groups++;
		return true;
	}
	group.alive = -1;
	spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
		      "Cannot start what removes the probe of a function after the recording: %s",
		      failed->message);
	return false;
}

/* If it has no events. */
static void end_group(void)
{
	if (!group.name || group.n_events)
		return;
	close(group.alive);
	group.alive = -1;
	while (waitpid(group.remover, NULL, 0) < 0 && errno == EINTR)
		;
	g_clear_pointer(&group.name, g_free);
}

/* An error number; 0: none. */
static int write_line(const char *line)
{
	int fd = open(DYNAMIC, O_WRONLY | O_APPEND | O_CLOEXEC), number = errno;
	ssize_t got;

	if (fd < 0)
		return number;
	got = write(fd, line, strlen(line));
	number = errno;
	close(fd);
	return got == (ssize_t)strlen(line) ? 0 : got < 0 ? number : EIO;
}

static int write_event(const SptNamedEvent *event, bool is_return, const char *place,
		       const char *const *fetches)
{
	g_autoptr(GString) line = g_string_new(NULL);
	/* By itself a kernel may follow as many calls of a function at a time as it has CPUs. */
	const char *type = !is_return ? "p" : strchr(place, ':') ? "r" : "r" RETURNS;

	g_string_printf(line, "%s:%s/e%u %s", type, group.name, event->number, place);
	for (unsigned i = 0; fetches && fetches[i]; i++)
		g_string_append_printf(line, " f%u=%s", i, fetches[i]);
	g_string_append_c(line, '\n');
	return write_line(line->str);
}

/* The fields have the names f0, f1, ... */
static bool find_places(const SptNamedEvent *event, SptPointField *fields, unsigned n,
			uint32_t *ret_id)
{
	g_autofree char *path = g_strdup_printf(SPT_POINT_TRACEFS "/events/%s/e%u/format",
						group.name, event->number);
	g_autofree char *text = NULL;
	SptPointFormat format;
	unsigned found = 0;

	if (!g_file_get_contents(path, &text, NULL, NULL) ||
	    !spt_point_format_parse(text, &format, ret_id))
		return false;
	for (unsigned i = 0; i < format.n_fields && found < n; i++) {
		const SptPointField *place = &format.fields[i];
		g_autofree char *name = g_strdup_printf("f%u", found);

		if (strcmp(place->field.name, name) != 0)
			continue;
		fields[found].form = place->form;
		fields[found].at = place->at;
		fields[found++].bytes = place->bytes;
	}
	return found == n;
}

static SptNamedEvent *named_event_begin(GError **error)
{
	SptNamedEvent *event;

	if (!begin_group(error))
		return NULL;
	event = g_new0(SptNamedEvent, 1);
	event->number = group.number++;
	group.n_events++;
	return event;
}

SptNamedEvent *spt_named_event_new(const char *place, const char *const *fetches,
				   SptPointField *fields, uint32_t *ret_id, GError **error)
{
	g_autoptr(SptNamedEvent) event = named_event_begin(error);
	int number;

	if (!event)
		return NULL;
	number = write_event(event, false, place, fetches);
	if (number)
		spt_set_error(error, SPT_TRACE_ERROR,
			      number == EACCES || number == EPERM ? SPT_TRACE_ERROR_NO_PERMISSION :
								    SPT_TRACE_ERROR_FAILED,
			      "The kernel does not read these arguments of %s (%s): what addresses lead to needs root, tracefs (sudo mount -t tracefs nodev /sys/kernel/tracing) and a function that can be probed at its first instruction",
			      place, g_strerror(number));
	else if (find_places(event, fields, g_strv_length((char **)fetches), ret_id))
		return g_steal_pointer(&event);
	else
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
			      "The kernel does not say where it has put the arguments of %s", place);
	return NULL;
}

SptNamedEvent *spt_named_event_bare(const char *place, bool is_return, uint32_t *ret_id)
{
	g_autoptr(SptNamedEvent) event = named_event_begin(NULL);

	if (event && !write_event(event, is_return, place, NULL) &&
	    find_places(event, NULL, 0, ret_id))
		return g_steal_pointer(&event);
	return NULL;
}

void spt_named_event_free(SptNamedEvent *event)
{
	g_free(event);
	group.n_events--;
	end_group();
}
