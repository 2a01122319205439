/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends the requests of a spool to a target, in a thread of its own, oldest first.  What fails for
 * now (no connection, 408, 429, 5xx, an expired token) is tried again, later each time, with some
 * chance in it, so that hosts do not return all at once.  What is refused for good is dropped and
 * counted.
 */
#ifndef SPT_AGENT_SENDER_H
#define SPT_AGENT_SENDER_H

#include "agent/http-client.h"
#include "agent/spool.h"
#include "agent/target.h"

G_BEGIN_DECLS

typedef struct {
	uint64_t sent, sent_bytes;	/* requests that were taken, and their bytes */
	uint64_t retries;		/* attempts that failed for now */
	uint64_t unauthorized;		/* a part of them: answers 401 and 403 */
	uint64_t refused;		/* requests that were dropped as refused */
	uint64_t rejected;		/* profiles of requests that were taken, dropped there */
	unsigned status;		/* of the last answer */
	SptSpoolStatus spool;
} SptSenderStatus;

typedef struct SptSender SptSender;

/* Gets a sentence that people should read, in the sender's thread. */
typedef void (*SptSenderTell)(const char *sentence, void *data);

/* Takes @target over.  @spool: a directory; @http outlives it. */
SptSender *spt_sender_new(SptTarget *target, const char *spool, uint64_t spool_bytes,
			  const SptHttpOptions *http, SptSenderTell tell, void *data,
			  GError **error);
/*
 * What waits stays in the spool.  Before that, tries for at most @patience_ms to send it, if the
 * last attempt went well.
 */
void spt_sender_free(SptSender *sender, unsigned patience_ms);

const SptTarget *spt_sender_target(const SptSender *sender);
void spt_sender_put(SptSender *sender, const void *bytes, size_t n);
void spt_sender_status(SptSender *sender, SptSenderStatus *ret);

/* How long to wait after @failures attempts that failed (from 1 on), with @chance from 0 to 1. */
uint64_t spt_sender_backoff_us(unsigned failures, unsigned retry_after_s, double chance);
/* Whether what was answered with @status (0: nothing) is worth another attempt. */
bool spt_sender_is_for_now(unsigned status);

G_END_DECLS

#endif
