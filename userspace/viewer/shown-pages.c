/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hidden page gets the function as well; its query waits until the page is shown. */
#include "shown-pages.h"

#include <glib/gi18n.h>
#include <string.h>

#include "events.h"

struct shown_page {
	const SptPage *page;
	GtkWidget *widget;		/* borrowed */
	bool waits;			/* has yet to show the document */
};

struct SptShownPages {
	AdwViewStack *views;		/* borrowed */
	GtkStack *events;		/* borrowed */
	GArray *all;			/* struct shown_page */
	SptDocument *document;
	uint32_t function;
	unsigned tick;			/* 0: there is none */
	bool is_first_tick;
};

static struct shown_page *shown_page_at(SptShownPages *pages, unsigned i)
{
	return &g_array_index(pages->all, struct shown_page, i);
}

static struct shown_page *shown_page_find(SptShownPages *pages, const char *name)
{
	for (unsigned i = 0; i < pages->all->len; i++)
		if (strcmp(shown_page_at(pages, i)->page->name, name) == 0)
			return shown_page_at(pages, i);
	return NULL;
}

static void set_visible(SptShownPages *pages, const struct shown_page *shown, bool is_visible)
{
	if (shown->page->icon)
		adw_view_stack_page_set_visible(
			adw_view_stack_get_page(pages->views, shown->widget), is_visible);
	else
		gtk_stack_page_set_visible(gtk_stack_get_page(pages->events, shown->widget),
					   is_visible);
}

static bool is_visible(SptShownPages *pages, const struct shown_page *shown)
{
	return shown->page->icon ?
		       adw_view_stack_page_get_visible(
			       adw_view_stack_get_page(pages->views, shown->widget)) :
		       gtk_stack_page_get_visible(
			       gtk_stack_get_page(pages->events, shown->widget));
}

static void place(SptShownPages *pages, const struct shown_page *shown)
{
	const SptPage *page = shown->page;

	if (page->icon)
		adw_view_stack_add_titled_with_icon(pages->views, shown->widget, page->name,
						    _(page->title), page->icon);
	else
		gtk_stack_add_titled(pages->events, shown->widget, page->name, _(page->title));
	if (page->is_mode)
		set_visible(pages, shown, false);
}

static void settle(SptShownPages *pages, struct shown_page *shown)
{
	if (!shown->waits || !pages->document)
		return;
	shown->waits = false;
	shown->page->show_document(shown->widget, pages->document);
}

static bool is_seen(SptShownPages *pages, const struct shown_page *shown)
{
	return adw_view_stack_get_visible_child(pages->views) == shown->widget;
}

/* What is seen, or comes to be seen. */
static void catch_up(SptShownPages *pages)
{
	for (unsigned i = 0; i < pages->all->len; i++)
		if (is_seen(pages, shown_page_at(pages, i)))
			settle(pages, shown_page_at(pages, i));
}

/* Called first in the present frame. */
static gboolean shown_pages_on_tick(G_GNUC_UNUSED GtkWidget *widget,
				    G_GNUC_UNUSED GdkFrameClock *clock, gpointer data)
{
	SptShownPages *pages = data;

	pages->is_first_tick = !pages->is_first_tick;
	if (!pages->is_first_tick)
		return G_SOURCE_CONTINUE;
	pages->tick = 0;
	catch_up(pages);
	return G_SOURCE_REMOVE;
}

SptShownPages *spt_shown_pages_new(AdwViewStack *views)
{
	SptShownPages *pages = g_new0(SptShownPages, 1);
	const SptPage *page;

	pages->views = views;
	pages->all = g_array_new(FALSE, FALSE, sizeof(struct shown_page));
	for (unsigned i = 0; (page = spt_page(i)); i++) {
		struct shown_page shown = { .page = page, .widget = page->new() };

		g_array_append_val(pages->all, shown);
		if (SPT_IS_EVENTS(shown.widget))
			pages->events = spt_events_stack(SPT_EVENTS(shown.widget));
	}
	for (unsigned i = 0; i < pages->all->len; i++)
		place(pages, shown_page_at(pages, i));
	g_signal_connect_swapped(views, "notify::visible-child", G_CALLBACK(catch_up), pages);
	return pages;
}

void spt_shown_pages_free(SptShownPages *pages)
{
	if (pages->tick)
		gtk_widget_remove_tick_callback(GTK_WIDGET(pages->views), pages->tick);
	g_signal_handlers_disconnect_by_data(pages->views, pages);
	g_clear_pointer(&pages->document, spt_document_unref);
	g_array_unref(pages->all);
	g_free(pages);
}

/*
 * When a range begins to be dragged the crumbs come, and everything below them moves: no more is
 * done in that frame.
 */
static bool begins(const SptDocument *before, const SptDocument *document)
{
	return document->look.is_passing &&
	       spt_restrictions_n(document->look.restrictions) !=
		       spt_restrictions_n(before->look.restrictions);
}

static void choose_visible(SptShownPages *pages)
{
	for (unsigned i = 0; i < pages->all->len; i++) {
		const struct shown_page *shown = shown_page_at(pages, i);
		const SptPage *page = shown->page;

		if (!page->is_mode)
			set_visible(pages, shown,
				    !page->is_for || page->is_for(pages->document));
	}
}

void spt_shown_pages_set_document(SptShownPages *pages, SptDocument *document)
{
	SptDocument *before = pages->document;
	/* Not of the same functions. */
	bool is_another = !before || !spt_document_is_arranged_as(document, before),
	     is_beginning = !is_another && begins(before, document),
	     is_same = before && spt_document_is_same(document, before);

	spt_document_replace(&pages->document, document);
	if (!is_same)
		choose_visible(pages);
	for (unsigned i = 0; i < pages->all->len; i++) {
		struct shown_page *shown = shown_page_at(pages, i);

		shown->waits = shown->page->show_document != NULL;
		if (is_another || !shown->page->may_wait ||
		    (!is_beginning && is_seen(pages, shown)))
			settle(pages, shown);
	}
	if (is_beginning && !pages->tick) {
		pages->is_first_tick = true;
		pages->tick = gtk_widget_add_tick_callback(GTK_WIDGET(pages->views),
							   shown_pages_on_tick, pages, NULL);
	}
}

void spt_shown_pages_set_path(SptShownPages *pages, GArray *path)
{
	for (unsigned i = 0; i < pages->all->len; i++) {
		const struct shown_page *shown = shown_page_at(pages, i);

		if (shown->page->show)
			shown->page->show(shown->widget, pages->document, pages->function, path);
	}
}

void spt_shown_pages_set_function(SptShownPages *pages, uint32_t function)
{
	g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	pages->function = function < pages->document->calls.n_functions ? function : UINT32_MAX;
	if (pages->function != UINT32_MAX)
		g_array_append_val(path, function);
	spt_shown_pages_set_path(pages, path);
}

const SptPage *spt_shown_pages_seen(SptShownPages *pages, GtkWidget **ret_widget)
{
	unsigned i = 0;

	while (!is_seen(pages, shown_page_at(pages, i)))
		i++;
	*ret_widget = shown_page_at(pages, i)->widget;
	return shown_page_at(pages, i)->page;
}

GtkWidget *spt_shown_pages_get(SptShownPages *pages, const char *name)
{
	struct shown_page *shown = shown_page_find(pages, name);

	if (!shown)
		return NULL;
	settle(pages, shown);
	return shown->widget;
}

void spt_shown_pages_show(SptShownPages *pages, const char *name)
{
	const struct shown_page *shown = shown_page_find(pages, name);
	GtkWidget *focus;

	/* The key of a page that is not for this recording. */
	if (!shown || !is_visible(pages, shown))
		return;
	if (!shown->page->icon)
		gtk_stack_set_visible_child(pages->events, shown->widget);
	adw_view_stack_set_visible_child_name(pages->views, shown->page->icon ? name : "events");
	focus = gtk_root_get_focus(gtk_widget_get_root(shown->widget));
	/* The widget that has the focus already keeps it. */
	if ((!focus || !gtk_widget_is_ancestor(focus, shown->widget)) &&
	    !gtk_widget_grab_focus(shown->widget))
		gtk_widget_child_focus(shown->widget, GTK_DIR_TAB_FORWARD);
}

void spt_shown_pages_set_mode(SptShownPages *pages, const char *name, bool is_on)
{
	set_visible(pages, shown_page_find(pages, name), is_on);
}
