/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In the order in which they are shown. */
#include "pages.h"

#include <glib/gi18n.h>

#include "hits-pane.h"
#include "locks-pane.h"
#include "logs-pane.h"
#include "marks-pane.h"
#include "memory-pane.h"
#include "source-pane.h"
#include "stacks-pane.h"
#include "wakeups-pane.h"

static const SptPage pages[] = {
	{ "source", N_("Source"), "<Alt>3", spt_source_pane_new, spt_source_pane_show,
	  "spt-source-symbolic", NULL },
	{ "memory", N_("Memory"), "<Alt>9", spt_memory_pane_new, spt_memory_pane_show,
	  "spt-memory-symbolic", spt_memory_pane_is_for },
	{ "stacks", N_("Stacks"), "<Alt>7", spt_stacks_pane_new, spt_stacks_pane_show, NULL, NULL },
	{ "wakeups", N_("Wake-ups"), "<Alt>8", spt_wakeups_pane_new, spt_wakeups_pane_show, NULL,
	  NULL },
	{ "locks", N_("Locks"), "<Alt>0", spt_locks_pane_new, spt_locks_pane_show, NULL,
	  spt_locks_pane_is_for },
	{ "marks", N_("Marks"), "<Ctrl><Alt>m", spt_marks_pane_new, spt_marks_pane_show, NULL,
	  spt_marks_pane_is_for },
	{ "hits", N_("Hits"), "<Ctrl><Alt>e", spt_hits_pane_new, spt_hits_pane_show, NULL,
	  spt_hits_pane_is_for },
	{ "logs", N_("Logs"), "<Ctrl><Alt>l", spt_logs_pane_new, spt_logs_pane_show, NULL,
	  spt_logs_pane_is_for },
};

GtkWidget *spt_pages_switcher(GtkStack *stack)
{
	GtkWidget *switcher = g_object_new(GTK_TYPE_STACK_SWITCHER, "stack", stack, "halign",
					   GTK_ALIGN_START, NULL);

	gtk_widget_add_css_class(switcher, "details-pages");
	return g_object_new(GTK_TYPE_SCROLLED_WINDOW, "child", switcher, "hscrollbar-policy",
			    GTK_POLICY_EXTERNAL, "vscrollbar-policy", GTK_POLICY_NEVER,
			    "propagate-natural-height", TRUE, NULL);
}

const SptPage *spt_pages(unsigned *ret_n)
{
	*ret_n = G_N_ELEMENTS(pages);
	return pages;
}
