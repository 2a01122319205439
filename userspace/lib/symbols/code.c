/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A piece of code and its references. */
#include "symbols/code.h"

static void clear_reference(gpointer reference)
{
	g_free(((SptReference *)reference)->name);
}

SptCode *spt_code_new(uint64_t address, uint16_t machine, unsigned bits)
{
	SptCode *code = g_new0(SptCode, 1);

	code->address = address;
	code->machine = machine;
	code->bits = bits;
	code->bytes = g_byte_array_new();
	code->references = g_array_new(FALSE, FALSE, sizeof(SptReference));
	g_array_set_clear_func(code->references, clear_reference);
	return code;
}

void spt_code_free(SptCode *code)
{
	if (!code)
		return;
	g_byte_array_unref(code->bytes);
	g_array_unref(code->references);
	g_free(code);
}

const char *spt_code_reference(const SptCode *code, uint64_t address, uint64_t bytes)
{
	unsigned low = 0, high = code->references->len;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (g_array_index(code->references, SptReference, middle).address < address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == code->references->len ||
	    g_array_index(code->references, SptReference, low).address - address >= bytes)
		return NULL;
	return g_array_index(code->references, SptReference, low).name;
}
