/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Libraries that only the agent needs. */
#ifndef SPT_AGENT_CLIENT_H
#define SPT_AGENT_CLIENT_H

#include "base/library.h"

G_BEGIN_DECLS

/* As spt_library_load().  False: a sentence. */
bool spt_client_load(const char *const *names, const SptLibraryFunction *functions, unsigned n,
		     GError **error);

G_END_DECLS

#endif
