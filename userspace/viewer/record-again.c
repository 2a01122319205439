/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record-again.h"

#include "capture/stream-rows.h"
#include "events/event.h"
#include "profile/wall.h"
#include "state.h"

/* Of the time that it was not kept from running, a program that ran for less has waited. */
#define MUCH_RUN 0.5

static GVariant *last;	/* NULL: no command was recorded */

void spt_record_again_keep(GVariant *command)
{
	GVariant *before = last;

	/* It may be the same one. */
	last = g_variant_ref_sink(command);
	g_clear_pointer(&before, g_variant_unref);
}

/* Among the switches of the form. */
static const SptEventOption *find_waits(void)
{
	const SptEventOption *option;

	for (unsigned i = 0; (option = spt_event_option(i)); i++)
		if (!option->bit && !option->of_command)
			return option;
	return NULL;
}

bool spt_record_again_helps(const SptCapture *capture)
{
	const char *command = NULL;
	SptWall wall;

	if (!last || !find_waits() || spt_capture_has_stream(capture, SPT_ROW_WAIT))
		return false;
	g_variant_get(last, "(&s&s&s)", &command, NULL, NULL);
	return g_strcmp0(spt_capture_host(capture, "command"), command) == 0 &&
	       spt_wall_find(&wall, capture) &&
	       wall.running < MUCH_RUN * (1 - MAX(wall.ready, 0));
}

void spt_record_again(GtkWidget *widget)
{
	spt_state_set(find_waits()->key, 1);
	gtk_widget_activate_action_variant(widget, "win.record-command", last);
}
