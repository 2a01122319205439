/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The owner of one of the names can write anything, at any time and any length: what is there is
 * copied before it is looked at, a bounded part at each step.  Who writes more than that is heard
 * no longer, and has the memory alone.
 */
#include "record/compositor.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/syscap.h"
#include "record/bus-library.h"
#include "record/control.h"
#include "record/dbus.h"

#define INTERFACE "org.gnome.Sysprof3.Profiler"
#define OBJECT	  "/org/gnome/Sysprof3/Profiler"
/* One that does not answer holds up the recording for no longer. */
#define ANSWER_MS 1000
#define PIECE	  (256u << 10)
#define PIECES	  16			/* at a step */
#define LAST_STEPS 64
/* What was written and not read: steps of some seconds. */
#define MOST_BYTES (64u << 20)

static SptBusLibrary gio;

struct SptCompositor {
	GDBusConnection *bus;
	const char *name;
	int fd;
	SptControl *control;		/* understands frames */
	off_t done;			/* so far read */
	bool is_broken;
	uint64_t piece[PIECE / 8];
};

static bool compositor_call(SptCompositor *compositor, const char *method, GVariant *arguments,
			    GUnixFDList *descriptors)
{
	GVariant *answer = gio.g_dbus_connection_call_with_unix_fd_list_sync(
		compositor->bus, compositor->name, OBJECT, INTERFACE, method, arguments, NULL,
		G_DBUS_CALL_FLAGS_NO_AUTO_START, ANSWER_MS, descriptors, NULL, NULL, NULL);

	if (answer)
		g_variant_unref(answer);
	return answer;
}

/* Of the first that has marks: GNOME Shell has both names. */
static bool start_one(SptCompositor *compositor)
{
	static const char *const names[] = { "org.gnome.Shell", "org.gnome.Mutter.DisplayConfig" };
	GVariantBuilder none;

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
		int copy = fcntl(compositor->fd, F_DUPFD_CLOEXEC, 0);
		GUnixFDList *list;
		bool ok;

		if (copy < 0)
			return false;
		list = gio.g_unix_fd_list_new_from_array(&copy, 1);
		g_variant_builder_init(&none, G_VARIANT_TYPE_VARDICT);
		compositor->name = names[i];
		ok = compositor_call(compositor, "Start", g_variant_new("(a{sv}h)", &none, 0),
				     list);
		gio.g_object_unref(list);
		if (ok)
			return true;
	}
	return false;
}

static bool connect_to_session(SptCompositor *compositor)
{
	g_autofree char *address = spt_dbus_session_address();

	if (!address || !spt_bus_library_load(&gio, NULL))
		return false;
	compositor->bus = gio.g_dbus_connection_new_for_address_sync(
		address,
		G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT |
			G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
		NULL, NULL, NULL);
	if (!compositor->bus)
		return false;
	gio.g_dbus_connection_set_exit_on_close(compositor->bus, FALSE);
	return true;
}

SptCompositor *spt_compositor_new(SptSaid *said, const SptThreadIds *threads)
{
	g_autoptr(SptCompositor) compositor = g_new0(SptCompositor, 1);

	compositor->fd = memfd_create("sysprof-compositor", MFD_CLOEXEC);
	compositor->control = spt_control_new(-1, said, threads);
	if (compositor->fd < 0 || !connect_to_session(compositor) || !start_one(compositor))
		return NULL;
	return g_steal_pointer(&compositor);
}

void spt_compositor_free(SptCompositor *compositor)
{
	if (!compositor)
		return;
	if (compositor->bus) {
		gio.g_dbus_connection_close_sync(compositor->bus, NULL, NULL);
		gio.g_object_unref(compositor->bus);
	}
	if (compositor->fd >= 0)
		close(compositor->fd);
	spt_control_free(compositor->control);
	g_free(compositor);
}

/* Whole frames of the @bytes of the piece; how many bytes they have. */
static size_t compositor_take_piece(SptCompositor *compositor, size_t bytes, SptMarksStatus *status)
{
	const char *at = (const char *)compositor->piece;
	size_t done = 0;
	uint16_t length;

	while (bytes - done >= sizeof(struct syscap_frame)) {
		memcpy(&length, at + done, sizeof(length));
		if (length < sizeof(struct syscap_frame) || length % 8) {
			compositor->is_broken = true;
			break;
		}
		if (length > bytes - done)
			break;
		if (!spt_control_take(compositor->control, at + done, length, status)) {
			compositor->is_broken = true;
			break;
		}
		done += length;
	}
	status->broken += compositor->is_broken;
	return done;
}

/* What was read is memory that somebody has to have. */
static void compositor_give_back(SptCompositor *compositor)
{
	int result;

	do
		result = fallocate(compositor->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
				   compositor->done);
	while (result < 0 && errno == EINTR);
}

static bool has_too_much(const SptCompositor *compositor)
{
	struct stat stat_of;

	return fstat(compositor->fd, &stat_of) != 0 ||
	       (uint64_t)stat_of.st_blocks * 512 > MOST_BYTES;
}

/* The memory is the owner's alone, who may fill it anew as he could any other. */
static void compositor_let_go(SptCompositor *compositor)
{
	if (ftruncate(compositor->fd, 0) != 0)
		errno = 0;
	close(compositor->fd);
	compositor->fd = -1;
}

void spt_compositor_step(SptCompositor *compositor, SptMarksStatus *status)
{
	if (compositor->is_broken)
		return;
	if (has_too_much(compositor)) {
		compositor->is_broken = true;
		status->broken++;
	}
	for (unsigned i = 0; i < PIECES && !compositor->is_broken; i++) {
		/* The header has nothing that the recording needs. */
		off_t from = MAX(compositor->done, (off_t)sizeof(struct syscap_header));
		ssize_t got = pread(compositor->fd, compositor->piece, PIECE, from);
		size_t done = got > 0 ? compositor_take_piece(compositor, (size_t)got, status) : 0;

		if (!done)
			break;
		compositor->done = from + (off_t)done;
		compositor_give_back(compositor);
	}
	if (compositor->is_broken)
		compositor_let_go(compositor);
}

void spt_compositor_finish(SptCompositor *compositor, SptMarksStatus *status)
{
	off_t before = -1;

	compositor_call(compositor, "Stop", NULL, NULL);
	for (unsigned i = 0; i < LAST_STEPS && compositor->done > before; i++) {
		before = compositor->done;
		spt_compositor_step(compositor, status);
	}
}
