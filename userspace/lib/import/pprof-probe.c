/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/pprof-probe.h"

#include <glib.h>
#include <stdint.h>

/* Types of fields on the wire. */
#define VARINT	     0u
#define FIXED64	     1u
#define BYTES	     2u
#define FIXED32	     5u
#define VARINT_BYTES 10u

/* Letters by field from 1: v a number, s bytes, * numbers or packed ones, a digit a message. */
static const char *const messages[] = {
	"12345sssvv1v*vv",		/* Profile */
	/* ValueType; Perfetto's traces have nothing but other messages at its place. */
	"vvvvvvvvvvvvvvv",
	"**6",				/* Sample */
	"vvvvvvvvvv",			/* Mapping */
	"vvv7v",			/* Location */
	"vvvvv",			/* Function */
	"vvvv",				/* Label */
	"vvv",				/* Line */
};

struct probe_field {
	unsigned number, type;
	const uint8_t *bytes;
	size_t n;
};

struct probe_walk {
	const uint8_t *at, *end;
};

/* False: it is cut off, or too long. */
static bool probe_varint(struct probe_walk *walk, uint64_t *ret)
{
	*ret = 0;
	for (unsigned i = 0; i < VARINT_BYTES && walk->at < walk->end; i++) {
		uint8_t byte = *walk->at++;

		*ret |= i < 9 ? (uint64_t)(byte & 0x7f) << 7 * i : 0;
		if (byte < 0x80)
			return true;
	}
	return false;
}

/* Sets all but its bytes; false: it is cut off, or no field. */
static bool probe_head(struct probe_walk *walk, struct probe_field *ret)
{
	uint64_t tag, n;

	if (!probe_varint(walk, &tag) || tag >> 3 == 0 || tag >> 3 > UINT16_MAX)
		return false;
	ret->number = (unsigned)(tag >> 3);
	ret->type = tag & 7;
	ret->n = ret->type == FIXED64 ? 8 : ret->type == FIXED32 ? 4 : 0;
	if (ret->type == VARINT || ret->type == BYTES) {
		if (!probe_varint(walk, &n))
			return false;
		ret->n = ret->type == BYTES ? (size_t)n : 0;
	}
	return ret->type <= BYTES || ret->type == FIXED32;
}

/* What later versions add is not known, and may be anything. */
static bool suits_field(const struct probe_field *field, char letter)
{
	if (letter == 'v')
		return field->type == VARINT;
	if (letter == '*')
		return field->type == VARINT || field->type == BYTES;
	return letter == '\0' || field->type == BYTES;
}

static char letter_of_field(const char *letters, unsigned number)
{
	unsigned n = 0;

	while (n + 1 < number && letters[n])
		n++;
	return letters[n];
}

static bool probe_numbers(const struct probe_field *field)
{
	struct probe_walk walk = { field->bytes, field->bytes + field->n };
	uint64_t number;

	while (walk.at < walk.end)
		if (!probe_varint(&walk, &number))
			return false;
	return true;
}

/* Whether a whole field is a message of that kind; messages in it are not looked into. */
static bool probe_message(const struct probe_field *field, const char *letters)
{
	struct probe_walk walk = { field->bytes, field->bytes + field->n };

	while (walk.at < walk.end) {
		struct probe_field part;
		char letter;

		if (!probe_head(&walk, &part) || part.n > (size_t)(walk.end - walk.at))
			return false;
		part.bytes = walk.at;
		walk.at += part.n;
		letter = letter_of_field(letters, part.number);
		if (!suits_field(&part, letter) ||
		    (letter == '*' && part.type == BYTES && !probe_numbers(&part)))
			return false;
	}
	return true;
}

bool spt_import_pprof_is(const char *begin, size_t bytes)
{
	struct probe_walk walk = { (const uint8_t *)begin, (const uint8_t *)begin + bytes };
	bool is_sure = false;

	while (walk.at < walk.end) {
		struct probe_field field;
		const uint8_t *at = walk.at;
		char letter;

		if (!probe_head(&walk, &field))
			/* Only the end of what there is may cut it off. */
			return is_sure && walk.at == walk.end && walk.end - at < 2 * VARINT_BYTES;
		letter = letter_of_field(messages[0], field.number);
		if (!suits_field(&field, letter))
			return false;
		if (field.n > (size_t)(walk.end - walk.at))
			return is_sure;
		field.bytes = walk.at;
		walk.at += field.n;
		if (g_ascii_isdigit(letter) && field.n > 0) {
			if (!probe_message(&field, messages[letter - '0']))
				return false;
			is_sure = true;
		}
		/* The first text is empty. */
		is_sure |= field.number == 6 && field.n == 0;
	}
	return is_sure;
}

/* Fields of a packet of Perfetto. */
#define PACKET	 1u
#define TIME	 8u
#define SEQUENCE 10u

/* Whether a whole field is a message; *@ret_is_packet: it has what packets have. */
static bool probe_packet(const struct probe_field *field, bool *ret_is_packet)
{
	struct probe_walk walk = { field->bytes, field->bytes + field->n };

	while (walk.at < walk.end) {
		struct probe_field part;

		if (!probe_head(&walk, &part) || part.n > (size_t)(walk.end - walk.at))
			return false;
		walk.at += part.n;
		*ret_is_packet |= part.type == VARINT &&
				  (part.number == TIME || part.number == SEQUENCE);
	}
	return true;
}

bool spt_import_perfetto_is(const char *begin, size_t bytes)
{
	struct probe_walk walk = { (const uint8_t *)begin, (const uint8_t *)begin + bytes };
	bool is_sure = false;

	while (walk.at < walk.end) {
		struct probe_field field;

		if (!probe_head(&walk, &field))
			/* Only the end of what there is may cut it off. */
			return is_sure && walk.at == walk.end;
		if (field.number != PACKET || field.type != BYTES)
			return false;
		if (field.n > (size_t)(walk.end - walk.at))
			return is_sure;
		field.bytes = walk.at;
		walk.at += field.n;
		if (!probe_packet(&field, &is_sure))
			return false;
	}
	return is_sure;
}
