/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event blocks that were found when the capture was opened, by their offsets. */
#include "capture/events.h"

#include <inttypes.h>
#include <unistd.h>

#include "base/words.h"
#include "capture/block.h"

struct SptEvents {
	const SptCapture *capture;
	SptBlockType type;
	uint32_t stream;
	uint64_t next;			/* of capture->places */
	ZSTD_DCtx *zstd;
	GByteArray *stored, *payload;
	SptTable table;
};

SptEvents *spt_events_new(const SptCapture *capture, SptBlockType type, uint32_t stream)
{
	SptEvents *events = g_new0(SptEvents, 1);

	*events = (SptEvents){
		.capture = capture, .type = type, .stream = stream, .zstd = ZSTD_createDCtx(),
		.stored = g_byte_array_new(), .payload = g_byte_array_new(),
	};
	return events;
}

void spt_events_free(SptEvents *events)
{
	if (!events)
		return;
	ZSTD_freeDCtx(events->zstd);
	g_byte_array_unref(events->stored);
	g_byte_array_unref(events->payload);
	g_free(events);
}

static bool events_read_table(SptEvents *events, const SptBlockPlace *place, GError **error)
{
	uint8_t *stored;
	const uint8_t *payload;
	SptBlockHeader header;

	g_byte_array_set_size(events->stored, place->bytes);
	stored = events->stored->data;
	if (pread(events->capture->fd, stored, place->bytes, (off_t)place->position) !=
		    (ssize_t)place->bytes ||
	    !spt_block_header_parse(&header, stored) ||
	    header.stored_bytes != place->bytes - SPT_BLOCK_HEADER_BYTES ||
	    !spt_block_crc_matches(stored, &header, stored + SPT_BLOCK_HEADER_BYTES)) {
		spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_DAMAGED,
			      "it changed while it was open");
		return false;
	}
	g_byte_array_set_size(events->payload, header.payload_bytes + 1);
	payload = spt_block_unpack(events->zstd, &header, stored + SPT_BLOCK_HEADER_BYTES,
				   events->payload->data, error);
	return payload && spt_table_parse(&events->table, payload, header.payload_bytes, error);
}

const SptTable *spt_events_next(SptEvents *events, GError **error)
{
	const SptCapture *capture = events->capture;
	const SptBlockPlace *place;

	do {
		if (events->next >= capture->n_places)
			return NULL;
		place = &capture->places[events->next++];
	} while (place->type != events->type || place->stream != events->stream);
	if (events_read_table(events, place, error))
		return &events->table;
	g_prefix_error(error, spt_words("Cannot read %s from byte %" PRIu64 " on: "), capture->path,
		       place->position);
	return NULL;
}
