/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pieces of JSON that are written one by one. */
#ifndef SPT_EXPORT_JSON_TEXT_H
#define SPT_EXPORT_JSON_TEXT_H

#include <glib.h>
#include <stdint.h>

/* Any bytes as a string in quotes, one line of valid UTF-8. */
void spt_json_append_text(GString *out, const char *text);
/*
 * The same for a script in a page: nothing in it can end the script.  More than @most_bytes are cut
 * to that, and an ellipsis follows.
 */
void spt_json_append_for_page(GString *out, const char *text, size_t most_bytes);
/* A number with the point moved, exactly: 1234567 ns are 1.234567 ms with 6 @digits, at most 9. */
void spt_json_append_decimal(GString *out, uint64_t value, unsigned digits);
/* A number that is no infinity; what is none is null, as JSON has it. */
void spt_json_append_double(GString *out, double value);
/* @time as milliseconds since @start_ns; 0 if it was earlier. */
void spt_json_append_ms(GString *out, uint64_t time, uint64_t start_ns);

#endif
