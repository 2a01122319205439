/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statuses that the protocol of OpenTelemetry calls worth another attempt are 503 and 429 here. */
#include "agent/grpc.h"

#include <string.h>

#include "base/words.h"

#define PREFIX_BYTES  5
#define MESSAGE_BYTES 200

void spt_grpc_pack(GString *message, bool is_packed)
{
	guint32 bytes = GUINT32_TO_BE((guint32)message->len);
	char prefix[PREFIX_BYTES] = { is_packed };

	memcpy(prefix + 1, &bytes, sizeof(bytes));
	g_string_prepend_len(message, prefix, PREFIX_BYTES);
}

bool spt_grpc_unpack(GString *answer)
{
	guint32 bytes;

	if (answer->len < PREFIX_BYTES || answer->str[0])
		return false;
	memcpy(&bytes, answer->str + 1, sizeof(bytes));
	if (GUINT32_FROM_BE(bytes) != answer->len - PREFIX_BYTES)
		return false;
	g_string_erase(answer, 0, PREFIX_BYTES);
	return true;
}

/* The value of a header, the caller's; NULL: it is another one. */
static char *grpc_value(const char *line, size_t bytes, const char *name)
{
	size_t length = strlen(name);

	if (bytes <= length || g_ascii_strncasecmp(line, name, length) != 0 || line[length] != ':')
		return NULL;
	return g_strstrip(g_strndup(line + length + 1, bytes - length - 1));
}

void spt_grpc_take_line(SptGrpcStatus *status, const char *line, size_t bytes)
{
	g_autofree char *number = grpc_value(line, bytes, "grpc-status"),
			*text = grpc_value(line, bytes, "grpc-message"),
			*details = grpc_value(line, bytes, "grpc-status-details-bin");
	guint64 value;

	if (number)
		status->status = g_ascii_string_to_unsigned(number, 10, 0, 16, &value, NULL) ?
					 (int)value :
					 2;
	if (text) {
		g_autofree char *cut = g_strndup(text, MESSAGE_BYTES);

		g_free(status->message);
		status->message = spt_one_line(cut);
	}
	status->has_details |= details != NULL;
}

unsigned spt_grpc_http_status(const SptGrpcStatus *status)
{
	static const unsigned statuses[] = {
		[0] = 200,  [1] = 503,	/* cancelled */
		[4] = 503,		/* too late */
		[7] = 403,  [10] = 503, /* aborted */
		[11] = 503,		/* out of range */
		[12] = 404,		/* there is no such service */
		[14] = 503, [15] = 503, /* unavailable, lost data */
		[16] = 401,
	};

	if (status->status < 0)
		return 0;
	/* A queue that is full says when to try again; a message that is too large never fits. */
	if (status->status == 8)
		return status->has_details ? 429 : 413;
	return status->status < (int)G_N_ELEMENTS(statuses) && statuses[status->status] ?
		       statuses[status->status] :
		       400;
}

void spt_grpc_status_clear(SptGrpcStatus *status)
{
	g_free(status->message);
}
