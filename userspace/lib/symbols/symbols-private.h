/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of SptSymbols, which its finders (finder.h) share. */
#ifndef SPT_SYMBOLS_PRIVATE_H
#define SPT_SYMBOLS_PRIVATE_H

#include "base/intervals.h"
#include "base/pairs.h"
#include "symbols/bundled.h"
#include "symbols/files.h"
#include "symbols/finder.h"
#include "symbols/kernel.h"

G_BEGIN_DECLS

/* A name that the capture carries. */
struct spt_recorded {
	const SptNameRow *row;
	SptRange range;			/* the range in which it is valid */
	/* interned; NULL until it is requested, and if there is none */
	const char *function, *module;
	bool is_ready;
};

struct spt_named_object {
	const char *label;		/* interned base name */
	bool shares_label;		/* with another object */
	struct spt_recorded *recorded;	/* of this object, by place */
	uint32_t n_recorded;
	SptIntervals *intervals; /* from recorded names; NULL until the first request */
};

/* The finders that are asked for one kind of objects, with NULL behind the last one. */
struct spt_finder_chain {
	const SptSymbolFinder *find[SPT_N_FINDERS + 1], *places[SPT_N_FINDERS + 1];
};

struct SptSymbols {
	const SptCapture *capture;
	struct spt_finder_chain chains[SPT_FINDER_KINDS];
	SptFiles *files;
	SptBundled *bundled;		/* NULL: none is */
	char **debug_dirs, *vmlinux;	/* as they were given */
	SptKernel *kernel;		/* once a detail of it is requested */
	unsigned detail;
	GHashTable *strings;		/* text -> itself */
	/* of these, demangled ones -> the language of the mangled name (language.h) */
	GHashTable *languages;
	/* A file's name of a function, by its address -> demangled */
	GHashTable *plain;
	GStringChunk *texts;		/* holds them */
	/* (label, offset) -> text for an address without a symbol, in place_names */
	struct spt_pairs places;
	GPtrArray *place_names;
	struct spt_recorded *recorded;
	struct spt_named_object *objects;		/* by id */
	uint32_t n_objects;
};

/* The object of an id; NULL: there is none. */
static inline const SptObjectRow *spt_symbols_row_of(const SptSymbols *symbols, uint32_t id)
{
	return id != 0 && id < symbols->capture->n_objects &&
			       symbols->capture->objects[id].id == id ?
		       &symbols->capture->objects[id] :
		       NULL;
}

static inline bool spt_symbols_is_kernel(const SptObjectRow *row)
{
	return row->kind == SPT_OBJECT_KERNEL || row->kind == SPT_OBJECT_MODULES;
}

/* The name that views show for the linker's @name, interned. */
const char *spt_symbols_demangled(SptSymbols *symbols, const char *name);

/* Sorts the capture's names, which were loaded or have become more. */
void spt_recorded_sort(SptSymbols *symbols);
/* The capture's facts about a place; NULL: there are none. */
const struct spt_recorded *spt_recorded_find(SptSymbols *symbols,
					     struct spt_named_object *object, uint64_t offset);

/*
 * The instructions of a kernel frame and its address there; NULL, with the reason in @ret_problem.
 */
SptKernelCode *spt_finder_kernel_code(SptSymbols *symbols, const SptFrame *frame,
				      uint64_t *ret_address, const char **ret_problem);
/* The kernel's files, opened when they are first needed. */
SptKernel *spt_finder_kernel_files(SptSymbols *symbols);

G_END_DECLS

#endif
