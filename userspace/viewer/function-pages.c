/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hidden page gets the function as well; its query waits until the page is shown. */
#include "function-pages.h"

#include <glib/gi18n.h>

#include "pages.h"

struct SptFunctionPages {
	AdwViewStack *views;		/* borrowed */
	GtkStack *events;		/* borrowed */
	GPtrArray *widgets;		/* by the number of their page; borrowed */
	SptDocument *document;
	uint32_t function;
};

static GtkWidget *function_pages_add(const SptPage *page, AdwViewStack *views, GtkStack *events)
{
	GtkWidget *widget = page->new();

	if (page->icon)
		adw_view_stack_add_titled_with_icon(views, widget, page->name, _(page->title),
						    page->icon);
	else
		gtk_stack_add_titled(events, widget, page->name, _(page->title));
	return widget;
}

SptFunctionPages *spt_function_pages_new(AdwViewStack *views, GtkStack *events)
{
	SptFunctionPages *pages = g_new0(SptFunctionPages, 1);
	const SptPage *page;

	pages->views = views;
	pages->events = events;
	pages->widgets = g_ptr_array_new();
	for (unsigned i = 0; (page = spt_page(i)); i++)
		g_ptr_array_add(pages->widgets, function_pages_add(page, views, events));
	return pages;
}

void spt_function_pages_free(SptFunctionPages *pages)
{
	g_clear_pointer(&pages->document, spt_document_unref);
	g_ptr_array_unref(pages->widgets);
	g_free(pages);
}

void spt_function_pages_set_document(SptFunctionPages *pages, SptDocument *document)
{
	const SptPage *page;
	bool is_same = pages->document && spt_document_is_same(document, pages->document);

	spt_document_replace(&pages->document, document);
	for (unsigned i = 0; !is_same && (page = spt_page(i)); i++) {
		GtkWidget *widget = g_ptr_array_index(pages->widgets, i);
		bool is_for = !page->is_for || page->is_for(document);

		if (page->icon)
			adw_view_stack_page_set_visible(
				adw_view_stack_get_page(pages->views, widget), is_for);
		else
			gtk_stack_page_set_visible(gtk_stack_get_page(pages->events, widget),
						   is_for);
	}
}

void spt_function_pages_set_path(SptFunctionPages *pages, GArray *path)
{
	const SptPage *page;

	for (unsigned i = 0; (page = spt_page(i)); i++)
		page->show(g_ptr_array_index(pages->widgets, i), pages->document, pages->function,
			   path);
}

void spt_function_pages_set_function(SptFunctionPages *pages, uint32_t function)
{
	g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	pages->function = function < pages->document->calls.n_functions ? function : UINT32_MAX;
	if (pages->function != UINT32_MAX)
		g_array_append_val(path, function);
	spt_function_pages_set_path(pages, path);
}
