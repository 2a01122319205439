/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of formats, of the rows in export.h. */
#include <string.h>

#include "export/export.h"

#define ROW(name) &spt_export_##name,
static const SptExport *const formats[] = { SPT_EXPORTS(ROW) };

#define SPT_EXPORT_PART(NAME, text) text,
static const char *const parts[] = { SPT_EXPORT_PARTS(SPT_EXPORT_PART) };
#undef SPT_EXPORT_PART

const char *spt_export_part(unsigned part)
{
	return part < G_N_ELEMENTS(parts) ? parts[part] : NULL;
}

const SptExport *spt_export_format(unsigned i)
{
	return i < G_N_ELEMENTS(formats) ? formats[i] : NULL;
}

const SptExport *spt_export_find(const char *name)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(formats); i++) {
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	}
	return NULL;
}
