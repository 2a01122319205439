/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The accounts of the sources of a recording, for info. */
#ifndef SPT_INFO_SOURCES_H
#define SPT_INFO_SOURCES_H

#include "capture/capture.h"
#include "json.h"

/* Member "sources". */
void spt_info_add_sources(SptJson *json, const SptCapture *capture);
/* A line for each that lost events. */
void spt_info_print_source_losses(const SptCapture *capture);

#endif
