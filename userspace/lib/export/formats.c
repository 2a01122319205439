/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of formats, of the rows in export.h. */
#include <string.h>

#include "export/export.h"
#include "base/words.h"

#define FORMAT(name, ending, help, menu) { #name, ending, help, menu, spt_export_##name, NULL },
static const SptExportFormat formats[] = {
	SPT_EXPORT_FORMATS(FORMAT)
	{ "lanes", ".svg", "what CPUs and threads did at each time, as a picture",
	  SPT_WORDS("Export _Lanes (SVG)…"), NULL, spt_export_lanes },
};

const SptExportFormat *spt_export_format(unsigned i)
{
	return i < G_N_ELEMENTS(formats) ? &formats[i] : NULL;
}

const SptExportFormat *spt_export_find(const char *name)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(formats); i++) {
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	}
	return NULL;
}
