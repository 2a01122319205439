/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In the order in which they are seen. */
#include "pages.h"

#include <glib/gi18n.h>

#include "source-pane.h"
#include "stacks-pane.h"

static const SptPage pages[] = {
	{ "source", N_("Source"), "<Alt>5", spt_source_pane_new, spt_source_pane_show },
	{ "stacks", N_("Stacks"), "<Alt>6", spt_stacks_pane_new, spt_stacks_pane_show },
};

const SptPage *spt_pages(unsigned *ret_n)
{
	*ret_n = G_N_ELEMENTS(pages);
	return pages;
}
