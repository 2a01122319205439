/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pages' table, and the buttons for them. */
#include "pages.h"

#define ROW(name) &spt_page_##name,
static const SptPage *const pages[] = { SPT_PAGES(ROW) };

GtkWidget *spt_pages_switcher(GtkStack *stack)
{
	GtkWidget *switcher = g_object_new(GTK_TYPE_STACK_SWITCHER, "stack", stack, "halign",
					   GTK_ALIGN_START, NULL);

	gtk_widget_add_css_class(switcher, "details-pages");
	return g_object_new(GTK_TYPE_SCROLLED_WINDOW, "child", switcher, "hscrollbar-policy",
			    GTK_POLICY_EXTERNAL, "vscrollbar-policy", GTK_POLICY_NEVER,
			    "propagate-natural-height", TRUE, NULL);
}

const SptPage *spt_page(unsigned i)
{
	return i < G_N_ELEMENTS(pages) ? pages[i] : NULL;
}
