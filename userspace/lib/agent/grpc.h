/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * As much of gRPC as one message and its answer need, over HTTP/2 by libcurl: a message is behind
 * five bytes, and the status of a call is in a header behind the answer.
 */
#ifndef SPT_AGENT_GRPC_H
#define SPT_AGENT_GRPC_H

#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

#define SPT_GRPC_CONTENT_TYPE "application/grpc"

typedef struct {
	int status;			/* of the call; negative: none came */
	bool has_details;		/* such as when to try again */
	char *message;			/* one line, or NULL */
} SptGrpcStatus;

/* Puts the bytes before a message; @is_packed: its compression has a header. */
void spt_grpc_pack(GString *message, bool is_packed);
/* Takes them off an answer.  False: it is not one whole message as it is. */
bool spt_grpc_unpack(GString *answer);
/* Takes a line of the headers before or behind the answer. */
void spt_grpc_take_line(SptGrpcStatus *status, const char *line, size_t bytes);
/* The status of HTTP that says the same; 0: none came. */
unsigned spt_grpc_http_status(const SptGrpcStatus *status);
void spt_grpc_status_clear(SptGrpcStatus *status);

G_END_DECLS

#endif
