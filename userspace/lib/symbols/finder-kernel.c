/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names that the kernel gave while it was recorded, as its addresses are different after each boot.
 * Lines and inlined functions come from the files of the kernel and its modules by these names.
 */
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "symbols/symbols-private.h"

static int symbols_compare_offsets(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* A SptKernelLister. */
static GArray *list_kernel_places(const char *module, void *data)
{
	SptSymbols *symbols = data;
	GArray *offsets = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	unsigned n = 0;

	for (uint32_t i = 1; i < symbols->capture->n_nodes; i++) {
		const SptFrame *frame = &symbols->capture->nodes[i].frame;
		const SptObjectRow *row = spt_symbols_row_of(symbols, frame->object);
		const struct spt_recorded *recorded =
			row && spt_symbols_is_kernel(row) ?
				spt_recorded_find(symbols, &symbols->objects[row->id],
						  frame->offset) :
				NULL;

		if (recorded &&
		    strcmp(recorded->row->module ? recorded->row->module : "", module) == 0)
			g_array_append_val(offsets, frame->offset);
	}
	if (offsets->len > 0)
		qsort(offsets->data, offsets->len, sizeof(uint64_t), symbols_compare_offsets);
	for (unsigned i = 0; i < offsets->len; i++)
		if (n == 0 ||
		    g_array_index(offsets, uint64_t, i) != g_array_index(offsets, uint64_t, n - 1))
			g_array_index(offsets, uint64_t, n++) = g_array_index(offsets, uint64_t, i);
	g_array_set_size(offsets, n);
	return offsets;
}

SptKernel *spt_finder_kernel_files(SptSymbols *symbols)
{
	if (!symbols->kernel)
		symbols->kernel =
			spt_kernel_new(symbols->capture, (const char *const *)symbols->debug_dirs,
				       symbols->vmlinux, list_kernel_places, symbols);
	return symbols->kernel;
}

static unsigned find_kernel_places(SptSymbols *symbols, const SptFrame *frame,
				   SptPlace ret[SPT_INLINES_MAX], const char **ret_problem)
{
	const struct spt_recorded *recorded =
		spt_recorded_find(symbols, &symbols->objects[frame->object], frame->offset);

	*ret_problem = SPT_WORDS("has no name for this address");
	return recorded && recorded->function ?
		       spt_kernel_places(spt_finder_kernel_files(symbols), recorded->row,
					 frame->offset, ret, ret_problem) :
		       0;
}

SptKernelCode *spt_finder_kernel_code(SptSymbols *symbols, const SptFrame *frame,
				       uint64_t *ret_address, const char **ret_problem)
{
	const struct spt_recorded *recorded =
		spt_recorded_find(symbols, &symbols->objects[frame->object], frame->offset);
	SptKernelCode *code = NULL;

	*ret_problem = SPT_WORDS("has no name for this address");
	if (recorded && recorded->function)
		code = spt_kernel_get(spt_finder_kernel_files(symbols), recorded->row, ret_problem);
	if (!code || spt_kernel_code_address(code, recorded->row, frame->offset, ret_address))
		return code;
	*ret_problem = SPT_WORDS("has no function of this name");
	return NULL;
}

static bool find_lines_of_kernel(SptSymbols *symbols, const SptFinderPlace *place,
				 SptPlace ret[SPT_INLINES_MAX], unsigned *ret_n)
{
	const SptFrame frame = { .object = place->row->id, .offset = place->offset };
	const char *problem;

	*ret_n = find_kernel_places(symbols, &frame, ret, &problem);
	return true;
}

const SptSymbolFinder spt_finder_kernel = {
	.name = "kernel",
	.knows = "what the kernel said of itself and its modules",
	.kinds = SPT_FINDER_KIND(SPT_OBJECT_KERNEL) | SPT_FINDER_KIND(SPT_OBJECT_MODULES),
	.find = spt_recorded_symbol,
	.places = find_lines_of_kernel,
};

char *spt_symbols_kernel_target(SptSymbols *symbols, const SptFrame *frame, uint64_t address)
{
	const SptObjectRow *row = spt_symbols_row_of(symbols, frame->object);
	const char *problem;
	uint64_t own;
	SptKernelCode *kernel = row && spt_symbols_is_kernel(row) ?
					spt_finder_kernel_code(symbols, frame, &own, &problem) :
					NULL;

	return kernel ? spt_kernel_code_name(kernel, address) : NULL;
}

void spt_symbols_set_vmlinux(SptSymbols *symbols, const char *path)
{
	symbols->vmlinux = g_strdup(path);
}

const char *spt_symbols_vmlinux_problem(SptSymbols *symbols)
{
	const char *problem = SPT_WORDS("is of no use: the recording has no kernel functions");
	SptPlace places[SPT_INLINES_MAX];

	for (uint64_t i = 0; i < symbols->capture->n_names; i++) {
		const SptNameRow *name = &symbols->capture->names[i];
		const SptObjectRow *row = spt_symbols_row_of(symbols, name->object);
		SptFrame frame = { .object = name->object, .offset = name->offset };

		if (row && row->kind == SPT_OBJECT_KERNEL)
			return find_kernel_places(symbols, &frame, places, &problem) > 0 ? NULL :
											   problem;
	}
	return problem;
}
