/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report --tui: the tree of calls, browsed with the arrow keys. */
#include "report-tui.h"

#include <stdio.h>

#include "browse.h"
#include "cmd.h"
#include "screen.h"

static void fill(GString *text, const struct spt_browse_page *page, uint32_t node,
		 G_GNUC_UNUSED unsigned depth)
{
	uint64_t all = page->nodes[0].total;

	g_string_append_printf(text, "%7.2f  %7.2f  ", spt_percent(page->nodes[node].total, all),
			       spt_percent(page->nodes[node].self, all));
}

bool spt_report_tui(const struct spt_report *report)
{
	g_autofree char *samples = spt_format_count(spt_profile_n_samples(report->profile));
	g_autofree char *head =
		g_strdup_printf("%s samples of %s", samples, report->capture->path);
	const char *const heads[] = { head, NULL };
	struct spt_browse_page page = {
		.head = heads,
		.columns = "Total %   Self %  Function  Object",
		.fill = fill,
	};
	g_autoptr(SptBrowser) browser = spt_browser_new();
	uint32_t n;

	page.functions = spt_profile_functions(report->profile, &n);
	page.nodes = spt_profile_tree(report->profile, &page.n_nodes);
	spt_browser_set_page(browser, &page);
	spt_browser_open_heaviest(browser);
	if (spt_browser_is_empty(browser) || !spt_screen_begin()) {
		spt_cli_complain("--tui needs a terminal; --tree prints the same");
		return false;
	}
	do
		spt_browser_draw(browser);
	while (spt_browser_obey(browser, spt_screen_key(-1)));
	spt_screen_end();
	return true;
}
