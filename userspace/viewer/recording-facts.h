/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The facts in a recording about the machine and itself, for people. */
#ifndef SPT_RECORDING_FACTS_H
#define SPT_RECORDING_FACTS_H

#include "capture/capture.h"

/* Texts: names and values in turn. */
GPtrArray *spt_recording_facts(const SptCapture *capture);

#endif
