/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sizes and times as people write them. */
#include "cmd.h"

#include <math.h>
#include <string.h>

struct unit {
	const char *name;
	double worth;
};

/*
 * @text: a number, perhaps with a unit; without one it counts as @plain.  False: it is neither, or
 * more than 2^63.
 */
static bool units_parse(const char *text, const struct unit *units, unsigned n, double plain,
			uint64_t *ret)
{
	char *end;
	double value = g_ascii_strtod(text, &end), worth = *end ? 0 : plain;

	for (unsigned i = 0; i < n && *end; i++)
		if (strcmp(end, units[i].name) == 0)
			worth = units[i].worth;
	if (end == text || worth == 0 || !isfinite(value) || value < 0 || value * worth > 9e18)
		return false;
	*ret = (uint64_t)(value * worth + 0.5);
	return true;
}

bool spt_parse_ns(const char *text, uint64_t *ret)
{
	static const struct unit units[] = {
		{ "ns", 1 },   { "us", 1e3 }, { "\xc2\xb5s", 1e3 },
		{ "ms", 1e6 }, { "s", 1e9 },  { "min", 60e9 },
	};

	return units_parse(text, units, G_N_ELEMENTS(units), 1e9, ret);
}

bool spt_parse_bytes(const char *text, uint64_t *ret)
{
	static const struct unit units[] = {
		{ "K", 1 << 10 },   { "M", 1 << 20 },	{ "G", 1 << 30 },
		{ "KiB", 1 << 10 }, { "MiB", 1 << 20 }, { "GiB", 1 << 30 },
	};

	return units_parse(text, units, G_N_ELEMENTS(units), 1, ret);
}
