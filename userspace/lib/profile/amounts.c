/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/amounts.h"

#include "base/micro.h"

#define NO_BREAK "\xc2\xa0"

static char *ns_text(double ns)
{
	if (ns >= 1e9)
		return g_strdup_printf("%.2f" NO_BREAK "s", ns / 1e9);
	if (ns >= 1e6)
		return g_strdup_printf("%.2f" NO_BREAK "ms", ns / 1e6);
	return g_strdup_printf("%.2f" NO_BREAK "%s", ns / 1e3, spt_micro_unit());
}

static char *bytes_text(double bytes)
{
	if (bytes >= 1 << 20)
		return g_strdup_printf("%.1f" NO_BREAK "MiB", bytes / (1 << 20));
	return g_strdup_printf("%.1f" NO_BREAK "KiB", bytes / (1 << 10));
}

char *spt_amount_text(double value, SptUnit unit)
{
	return unit == SPT_UNIT_NS    ? ns_text(value) :
	       unit == SPT_UNIT_BYTES ? bytes_text(value) :
					g_strdup_printf("%.0f", value);
}
