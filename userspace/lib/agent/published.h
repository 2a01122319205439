/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What processes publish of themselves: the process context of OpenTelemetry (OTEP 4719), a mapping
 * "OTEL_CTX" with a header, which leads to a ProcessContext of protocol buffers.  Of its resource
 * attributes those that name a service become labels: service.name, service.namespace,
 * service.version, service.instance.id and deployment.environment.name.  A process says nothing
 * of the host, its container or its unit.  Keys of attributes of spans, which records of threads
 * have as numbers, are in threadlocal.attribute_key_map.
 */
#ifndef SPT_AGENT_PUBLISHED_H
#define SPT_AGENT_PUBLISHED_H

#include "export/labels.h"

G_BEGIN_DECLS

typedef struct SptPublished SptPublished;

/* @root: "/proc".  For one thread at a time. */
SptPublished *spt_published_new(const char *root);
void spt_published_free(SptPublished *published);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptPublished, spt_published_free)

/*
 * Looks again at processes of @capture, a window that has just ended: at a new one at once, then
 * after 10 s and ever longer times, up to 10 minutes; each minute if it has published something.
 * At most SPT_PUBLISHED_LOOKS of them, and for some 2 s in all; what is not in @capture is
 * forgotten, unless a later window had it.  16 MiB are kept of all that they say.  Labels that
 * find() has given are of no use any more.
 */
void spt_published_look(SptPublished *published, const SptCapture *capture);
#define SPT_PUBLISHED_LOOKS 256

/* An SptLabelSource's function: what the process has published. */
const SptLabelSet *spt_published_find(const SptProcessRow *process, void *published);
/* Likewise, what number @key means in records of its threads; NULL: it does not say. */
const char *spt_published_find_key(const SptProcessRow *process, unsigned key, void *published);

G_END_DECLS

#endif
