/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * C++ names as a programmer writes them, by the demangler every C++ runtime carries.
 *
 * A mangled name may repeat earlier parts of itself by reference, so that a name of 300 bytes can stand for a
 * gigabyte; the runtime would write it all.  Names with more references than real ones have are left as they are.
 */
#include "symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

/* Three references a level triple the size: 32 make at most some megabytes.  One in ten thousand names of LLVM has more. */
#define REFERENCES_MAX 32
/* A pack expansion repeats what it holds once per element. */
#define PACK_COST 8

char *__cxa_demangle(const char *mangled, char *buffer, size_t *bytes, int *status);

/* References look like S_, S1F_, T_, T0_; letters of identifiers that look so too only make the count too high. */
static unsigned count_references(const char *name)
{
	unsigned n = 0;

	for (const char *c = name; *c; c++) {
		if (c[0] == 'D' && c[1] == 'p')
			n += PACK_COST;
		if (*c != 'S' && *c != 'T')
			continue;

		const char *end = c + 1;

		while (g_ascii_isdigit(*end) || g_ascii_isupper(*end))
			end++;
		if (*end == '_')
			n++;
	}
	return n;
}

char *spt_demangle(const char *name)
{
	int status = 0;
	char *plain, *copy;

	/* The demangler also takes bare types: the C function "i" is not "int". */
	if (strncmp(name, "_Z", 2) != 0 || count_references(name) > REFERENCES_MAX)
		return g_strdup(name);
	plain = __cxa_demangle(name, NULL, NULL, &status);
	copy = g_strdup(plain && status == 0 ? plain : name);
	free(plain);
	return copy;
}
