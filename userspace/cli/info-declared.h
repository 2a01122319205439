/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kinds of events that a recording declares, for info.  Nothing if it declares none. */
#ifndef SPT_INFO_DECLARED_H
#define SPT_INFO_DECLARED_H

#include "capture/capture.h"
#include "json.h"

/* Member "declared". */
void spt_info_add_declared(SptJson *json, const SptCapture *capture);
/* A line for each kind, with its fields. */
void spt_info_print_declared(const SptCapture *capture);

#endif
