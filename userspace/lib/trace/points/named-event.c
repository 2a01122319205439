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
#define EVENT	"begin"

struct SptNamedEvent {
	char *group;			/* of tracefs, with this event alone */
	GPid remover;
	int alive;			/* the end of a pipe that the remover reads */
};

/*
 * Waits until nobody has the other end of its input, and removes the event: perf may have it open
 * for a moment after its user's end.
 */
static const char remover[] = "trap '' HUP INT TERM\n"
			      "while read -r line; do :; done\n"
			      "n=0\n"
			      "while [ -d \"$1/events/$2\" ] && [ $n -lt 200 ]; do\n"
			      "	echo \"-:$2/" EVENT "\" >>\"$1/dynamic_events\"\n"
			      "	n=$((n + 1))\n"
			      "	[ ! -d \"$1/events/$2\" ] || sleep 0.05\n"
			      "done 2>/dev/null\n";

/* What ends this process's group or session is not to end the remover. */
static void remover_leave(G_GNUC_UNUSED gpointer data)
{
	setsid();
}

static bool begin_remover(SptNamedEvent *event, GError **error)
{
	g_autoptr(GError) failed = NULL;
	const char *command[] = { "/bin/sh", "-c", remover, "sysprof-remove-event",
				  SPT_POINT_TRACEFS, event->group, NULL };

	if (g_spawn_async_with_pipes("/", (char **)command, NULL,
				     G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL |
					     G_SPAWN_STDERR_TO_DEV_NULL,
				     remover_leave, NULL, &event->remover, &event->alive, NULL,
				     NULL, &failed)) {
		fcntl(event->alive, F_SETFD, FD_CLOEXEC);
		return true;
	}
	event->alive = -1;
	spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
		      "Cannot start what removes the probe of a function after the recording: %s",
		      failed->message);
	return false;
}

static bool write_event(const SptNamedEvent *event, const char *function,
			const char *const *fetches, GError **error)
{
	g_autoptr(GString) line = g_string_new(NULL);
	int fd = open(DYNAMIC, O_WRONLY | O_APPEND | O_CLOEXEC), number = errno;
	ssize_t got = -1;

	g_string_printf(line, "p:%s/" EVENT " %s", event->group, function);
	for (unsigned i = 0; fetches[i]; i++)
		g_string_append_printf(line, " f%u=%s", i, fetches[i]);
	g_string_append_c(line, '\n');
	if (fd >= 0) {
		got = write(fd, line->str, line->len);
		number = errno;
		close(fd);
	}
	if (got == (ssize_t)line->len)
		return true;
	spt_set_error(error, SPT_TRACE_ERROR,
		      number == EACCES || number == EPERM ? SPT_TRACE_ERROR_NO_PERMISSION :
							    SPT_TRACE_ERROR_FAILED,
		      "The kernel does not read these arguments of %s (%s): what addresses lead to needs root, tracefs (sudo mount -t tracefs nodev /sys/kernel/tracing) and a function that can be probed at its first instruction",
		      function, g_strerror(number));
	return false;
}

/* The fields have the names f0, f1, ... */
static bool find_places(const SptNamedEvent *event, SptPointField *fields, unsigned n,
			uint32_t *ret_id)
{
	g_autofree char *path =
		g_build_filename(SPT_POINT_TRACEFS, "events", event->group, EVENT, "format", NULL);
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

SptNamedEvent *spt_named_event_new(const char *function, const char *const *fetches,
				   SptPointField *fields, uint32_t *ret_id, GError **error)
{
	static unsigned number;
	g_autoptr(SptNamedEvent) event = g_new0(SptNamedEvent, 1);

	event->alive = -1;
	event->group = g_strdup_printf("sysprof_%d_%u", getpid(), number++);
	if (!begin_remover(event, error) || !write_event(event, function, fetches, error))
		return NULL;
	if (find_places(event, fields, g_strv_length((char **)fetches), ret_id))
		return g_steal_pointer(&event);
	spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
		      "The kernel does not say where it has put the arguments of %s", function);
	return NULL;
}

void spt_named_event_free(SptNamedEvent *event)
{
	if (event->alive >= 0) {
		close(event->alive);
		while (waitpid(event->remover, NULL, 0) < 0 && errno == EINTR)
			;
	}
	g_free(event->group);
	g_free(event);
}
