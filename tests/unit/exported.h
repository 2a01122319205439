/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An export in memory. */
#ifndef EXPORTED_H
#define EXPORTED_H

#include "export/export.h"

/* Appends @profile as @format to @text. */
static void append_export(const SptExport *format, const SptProfile *profile, GString *text)
{
	g_autoptr(SptOut) out = spt_out_new_memory(text);
	g_autoptr(GError) error = NULL;

	g_assert_true(format->write(&(SptExportInput){ .profile = profile }, out, &error));
	g_assert_true(spt_out_finish(out, &error));
	g_assert_no_error(error);
}

#endif
