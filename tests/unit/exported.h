/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An export in memory. */
#ifndef EXPORTED_H
#define EXPORTED_H

#include "export/export.h"

/* Appends what @format makes of @input to @text. */
static void append_export_of(const SptExport *format, const SptExportInput *input, GString *text)
{
	g_autoptr(SptOut) out = spt_out_new_memory(text);
	g_autoptr(GError) error = NULL;

	g_assert_true(format->write(input, out, &error));
	g_assert_true(spt_out_finish(out, &error));
	g_assert_no_error(error);
}

G_GNUC_UNUSED static void append_export(const SptExport *format, const SptProfile *profile,
					GString *text)
{
	append_export_of(format, &(SptExportInput){ .profile = profile }, text);
}

#endif
