/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The importer notes it (import/stacks.c). */
#include "profile/span.h"

bool spt_span_is_known(const SptCapture *capture)
{
	return g_strcmp0(spt_capture_host(capture, SPT_SPAN_TIMES), SPT_SPAN_NONE) != 0;
}
