/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes of any content, which are somebody else's. */
#ifndef SPT_CAPTURE_BYTE_SPAN_H
#define SPT_CAPTURE_BYTE_SPAN_H

#include <stddef.h>

typedef struct {
	const void *data;
	size_t bytes;
} SptBytes;

#endif
