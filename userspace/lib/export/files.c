/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/files.h"

#include "profile/glob.h"

const SptObjectRow *spt_export_file_of(const SptCapture *capture, const SptFrame *frame)
{
	const SptObjectRow *object =
		frame->object < capture->n_objects ? &capture->objects[frame->object] : NULL;

	return object && object->kind == SPT_OBJECT_FILE && object->path && *object->path ? object :
											    NULL;
}

const SptObjectRow *spt_export_wanted_file_of(const SptExportInput *input, const SptFrame *frame)
{
	const SptObjectRow *file = spt_export_file_of(input->capture, frame);
	const char *wanted = input->filter ? input->filter->object : NULL;

	if (!file || !wanted)
		return file;
	return spt_glob_match(wanted, spt_symbols_name(input->symbols, frame).object) ? file : NULL;
}
