/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Titles come from the library's tables. */
#include "metrics.h"

#include <glib/gi18n.h>

#include "profile/groups.h"
#include "text.h"

void spt_metrics_offer(GtkDropDown *choice, const SptDocument *document)
{
	g_autoptr(GtkStringList) titles = gtk_string_list_new(NULL);
	const SptMetric *metric;

	for (unsigned i = 0; (metric = spt_recording_metric(document->recording, i)); i++)
		gtk_string_list_append(titles, _(metric->title));
	gtk_drop_down_set_model(choice, G_LIST_MODEL(titles));
	gtk_widget_set_visible(GTK_WIDGET(choice),
			       g_list_model_get_n_items(G_LIST_MODEL(titles)) > 1);
}

void spt_metrics_choose(GtkDropDown *choice, const SptDocument *document, const char *name)
{
	const SptMetric *metric;

	for (unsigned i = 0; (metric = spt_recording_metric(document->recording, i)); i++)
		if (g_strcmp0(metric->name, name) == 0)
			gtk_drop_down_set_selected(choice, i);
}

static void offer_roots(GMenu *menu, int at, const char *title, const char *name)
{
	g_autoptr(GMenuItem) item = g_menu_item_new(title, NULL);

	g_menu_item_set_action_and_target(item, "views.roots", "s", name);
	g_menu_insert_item(menu, at, item);
}

void spt_metrics_offer_groupings(GMenu *roots, const SptMetric *metric, const SptCapture *capture,
				 const SptCategories *categories)
{
	const SptGrouping *grouping;
	int at = 1;

	while (g_menu_model_get_n_items(G_MENU_MODEL(roots)) > 2)
		g_menu_remove(roots, 1);
	for (unsigned i = 0; (grouping = spt_grouping(i)); i++) {
		if (!grouping->menu || !spt_grouping_fits(grouping, metric) ||
		    spt_grouping_lacks(grouping, capture))
			continue;
		offer_roots(roots, at++, _(grouping->menu), grouping->name);
	}
	if (categories)
		offer_roots(roots, at, _("By Categor_y"), spt_roots_name(SPT_ROOTS_CATEGORY));
}

char *spt_metrics_part(SptDocument *document)
{
	const SptMetric *metric = document->look.metric;
	g_autofree char *part = NULL, *all = NULL;

	if (!metric->is_cpu) {
		part = spt_text_weight(metric, document->calls.total);
		all = spt_text_weight(metric, spt_profile_total(document->whole->profile));
		return g_strdup_printf(_("%s of %s"), part, all);
	}
	part = spt_text_count(spt_profile_n_samples(document->profile));
	all = spt_text_count(document->recording->summary.samples);
	return g_strdup_printf(_("%s of %s samples"), part, all);
}
