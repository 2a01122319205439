/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording says of the machine and itself, for people. */
#ifndef SPT_RECORDING_FACTS_H
#define SPT_RECORDING_FACTS_H

#include "capture/capture.h"

/* Texts: a name, then its value, and so on. */
GPtrArray *spt_recording_facts(const SptCapture *capture);

#endif
