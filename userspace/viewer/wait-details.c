/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two columns: the thread that waited, and the one that ended the wait, each with its stack. */
#include "wait-details.h"

#include <glib/gi18n.h>

#include "events/facts.h"
#include "lanes-draw.h"
#include "profile/waits.h"
#include "text.h"

#define STACK_WIDTH  300
#define STACK_HEIGHT 180
#define MAX_FRAMES   200

static GtkWidget *label(const char *text, const char *class)
{
	GtkWidget *widget = gtk_label_new(text);

	gtk_label_set_xalign(GTK_LABEL(widget), 0);
	gtk_label_set_wrap(GTK_LABEL(widget), TRUE);
	gtk_label_set_max_width_chars(GTK_LABEL(widget), 44);
	if (class)
		gtk_widget_add_css_class(widget, class);
	return widget;
}

static char *wait_details_name_of(const SptLanes *lanes, uint32_t thread)
{
	const SptLaneLine line = { .wanted = { SPT_LANE_OF_THREAD, lanes->lane_of[thread] } };
	const SptThreadRow *row = &lanes->capture->threads[thread];

	/* A thread that is only in another's waking has no lane. */
	if (lanes->lane_of[thread] == UINT32_MAX)
		return g_strdup_printf("%s (%u)", row->name ? row->name : "", row->tid);
	return spt_lane_line_name(lanes, &line);
}

static void add_frame(GtkWidget *list, const SptStackFrame *frame, const char *class)
{
	g_autofree char *made = NULL;
	GtkWidget *widget = gtk_label_new(spt_text_name(frame->text, &made));

	gtk_label_set_xalign(GTK_LABEL(widget), 0);
	gtk_label_set_ellipsize(GTK_LABEL(widget), PANGO_ELLIPSIZE_END);
	gtk_widget_set_tooltip_text(widget, gtk_label_get_text(GTK_LABEL(widget)));
	if (class)
		gtk_widget_add_css_class(widget, class);
	gtk_box_append(GTK_BOX(list), widget);
}

/* The innermost frame that is the program's own; their number: none is. */
static unsigned find_own(const GPtrArray *frames)
{
	unsigned own = 0;

	while (own < frames->len && ((const SptStackFrame *)frames->pdata[own])->is_machinery)
		own++;
	return own;
}

/* The program's own function is what people look for: it comes before what it called. */
static GtkWidget *wait_details_stack_of(SptDocument *document, uint32_t node)
{
	g_autoptr(GPtrArray) frames = spt_recording_stack(document->recording, node);
	GtkWidget *list = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0),
		  *scrolled = gtk_scrolled_window_new();
	unsigned own = find_own(frames), first = own < frames->len ? own : 0;

	for (unsigned i = first; i < MIN(frames->len, MAX_FRAMES); i++)
		add_frame(list, frames->pdata[i], i == own ? "heading" : NULL);
	if (first)
		gtk_box_append(GTK_BOX(list), label(_("In what that called, innermost first:"),
						    "dim-label"));
	for (unsigned i = 0; i < MIN(first, MAX_FRAMES); i++)
		add_frame(list, frames->pdata[i], "dim-label");
	if (!frames->len)
		gtk_box_append(GTK_BOX(list), label(_("no stack was recorded"), "dim-label"));
	gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), list);
	g_object_set(scrolled, "hscrollbar-policy", GTK_POLICY_NEVER, "max-content-height",
		     STACK_HEIGHT, "propagate-natural-height", TRUE, NULL);
	return scrolled;
}

/* Whether a wait was for a mutex, which its waker has had until then. */
static bool is_for_lock(SptDocument *document, uint32_t node)
{
	g_autoptr(GPtrArray) frames = spt_recording_stack(document->recording, node);
	unsigned own = find_own(frames);

	for (unsigned i = 0; i < own; i++)
		if (((const SptStackFrame *)frames->pdata[i])->takes_lock)
			return true;
	return false;
}

/* "sleeping for 2.00 ms: blocked 1.99 ms, then runnable 10 µs" */
static char *wait_details_describe(const SptLaneMoment *moment, uint64_t end_ns)
{
	g_autofree char *all = spt_text_duration(MIN(moment->end, end_ns) - moment->begin),
			*blocked = NULL, *runnable = NULL;
	const char *state = _(spt_wait_state_name(moment->state));
	uint64_t runnable_ns;

	if (!moment->wait || spt_lane_kind_of_state(moment->state) == SPT_LANE_RUNNABLE)
		return g_strdup_printf(_("%s for %s"), state, all);
	runnable_ns = moment->wait->time - spt_wait_woken(moment->wait);
	blocked = spt_text_duration(moment->wait->duration_ns - runnable_ns);
	runnable = spt_text_duration(runnable_ns);
	return g_strdup_printf(_("%s for %s: blocked %s, then runnable %s"), state, all, blocked,
			       runnable);
}

/* The reason why no thread is shown that ended a wait; NULL: one is, or none was needed. */
static const char *why_nobody(const SptLaneMoment *moment)
{
	const SptWaitRow *wait = moment->wait;

	if (!wait || spt_lane_kind_of_state(wait->state) == SPT_LANE_RUNNABLE || wait->waker)
		return NULL;
	if (wait->flags & SPT_WAIT_CUT_END)
		return _("It had not ended when the recording ended.");
	switch (wait->waker_context) {
	case SPT_IN_SOFTIRQ:
		return _("Woken by a soft interrupt");
	case SPT_IN_IRQ:
	case SPT_IN_NMI:
	case SPT_IN_IDLE:
		return _("Woken by an interrupt");
	default:
		return _("Who woke it is not known.");
	}
}

static GtkWidget *column(GtkWidget *top)
{
	GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);

	/* A wrapping label requests only the width of its longest word. */
	gtk_widget_set_size_request(box, STACK_WIDTH, -1);
	gtk_widget_set_hexpand(box, TRUE);
	gtk_box_append(GTK_BOX(box), top);
	return box;
}

/* The interrupt came during an unrelated thread: its stack shows that thread. */
static GtkWidget *waker_of(SptDocument *document, const SptLanes *lanes,
			   const SptLaneMoment *moment)
{
	const SptWaitRow *wait = moment->wait;
	const char *nobody = why_nobody(moment);
	g_autofree char *name = NULL, *text = NULL;
	GtkWidget *box, *button;

	if (nobody) {
		box = column(label(nobody, "heading"));
		if (wait->waker_node)
			gtk_box_append(GTK_BOX(box),
				       wait_details_stack_of(document, wait->waker_node));
		return box;
	}
	if (!wait || !wait->waker)
		return NULL;
	name = wait_details_name_of(lanes, wait->waker);
	text = g_strdup_printf(is_for_lock(document, wait->node) ?
				       _("Woken by %s, which had the lock until then") :
				       _("Woken by %s"),
			       name);
	box = column(label(text, "heading"));
	gtk_box_append(GTK_BOX(box), wait_details_stack_of(document, wait->waker_node));
	if (lanes->lane_of[wait->waker] == UINT32_MAX)
		return box;
	button = gtk_button_new_with_label(_("Go to the Waker"));
	gtk_widget_set_halign(button, GTK_ALIGN_START);
	gtk_actionable_set_action_target(GTK_ACTIONABLE(button), "(ut)", wait->waker,
					 spt_wait_woken(wait));
	gtk_actionable_set_action_name(GTK_ACTIONABLE(button), "lanes.go-to");
	gtk_box_append(GTK_BOX(box), button);
	return box;
}

static uint32_t node_of(const SptLaneMoment *moment)
{
	return moment->wait ? moment->wait->node : 0;
}

GtkWidget *spt_wait_details_new(SptDocument *document, const SptLanes *lanes, uint32_t lane,
				const SptLaneMoment *moment)
{
	g_autofree char *name = wait_details_name_of(lanes, lanes->threads[lane].thread),
			*cpu = NULL,
			*text = wait_details_describe(moment, document->recording->summary.end_ns);
	GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 18),
		  *left = column(label(name, "heading")),
		  *right = waker_of(document, lanes, moment);

	gtk_box_append(GTK_BOX(left), label(text, NULL));
	if (moment->run) {
		cpu = g_strdup_printf(_("on CPU %u"), moment->run->cpu);
		gtk_box_append(GTK_BOX(left), label(cpu, NULL));
	} else {
		gtk_box_append(GTK_BOX(left), wait_details_stack_of(document, node_of(moment)));
	}
	gtk_box_append(GTK_BOX(box), left);
	if (right)
		gtk_box_append(GTK_BOX(box), right);
	return box;
}
