/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinds a stack from registers and a copy of the stack's memory, by the unwind tables of the
 * objects.
 */
#ifndef SPT_UNWIND_STEPPER_H
#define SPT_UNWIND_STEPPER_H

#include "sysprof.h"
#include "unwind/table.h"

G_BEGIN_DECLS

typedef struct {
	uint64_t ip;			/* of a call: the return address */
	/* The tick or a signal interrupted the function here. */
	bool is_exact;
} SptUnwindFrame;

/* Why a stack has no more frames. */
typedef enum {
	SPT_UNWIND_ROOT = 0,		/* the thread starts here: the stack is whole */
	SPT_UNWIND_LIMIT,		/* there was no room for more */
	SPT_UNWIND_CUT,			/* the copy of the stack is too short */
	/* The last frame's function has no unwind information, and keeps no frame pointer. */
	SPT_UNWIND_NO_INFO,
	/*
	 * The stack does not have what the last frame's function should have left there, or it
	 * leads back.
	 */
	SPT_UNWIND_BAD_MEMORY,
	SPT_UNWIND_UNMAPPED,		/* the caller's address is in no code */
} SptUnwindEnd;
#define SPT_UNWIND_ENDS 6

typedef struct {
	SptUnwindTable *table;		/* of the object; NULL: it has none; not a reference */
	uint64_t offset;		/* in the object's file */
	bool is_made;			/* code of no file, which a program has made at run time */
} SptUnwindPlace;

/*
 * Finds what is at @address of @space.  False: no code.  A space is a number for one set of
 * mappings: it must change as soon as something else is mapped.
 */
typedef bool (*SptUnwindFind)(uint64_t space, uint64_t address, SptUnwindPlace *ret, void *data);

/* A frame in code of no file. */
typedef struct {
	unsigned number;		/* of the frame, from 0 */
	/*
	 * By DWARF number, and bits: those that are known; then those that are the caller's, and of
	 * them the frame pointer if it is in @fp.
	 */
	const uint64_t *registers;
	uint64_t known;
	uint64_t fp, sp, ip;		/* fp 0: not known; all three become the caller's */
	bool is_exact;
} SptUnwindMade;

typedef enum {
	SPT_UNWIND_MADE_UNKNOWN,	/* it may keep a frame pointer */
	SPT_UNWIND_MADE_CALLER,
	SPT_UNWIND_MADE_BAD,		/* the stack does not lead on */
	SPT_UNWIND_MADE_CUT,		/* nor would it, as its copy is too short */
} SptUnwindMadeIs;

/* Finds the caller of @made. */
typedef SptUnwindMadeIs (*SptUnwindFindMade)(SptUnwindMade *made, void *data);

typedef struct SptUnwinder SptUnwinder;

/* For one thread at a time.  It caches the results of @find. */
SptUnwinder *spt_unwinder_new(SptUnwindFind find, void *data);
void spt_unwinder_free(SptUnwinder *unwinder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptUnwinder, spt_unwinder_free)

/* From now on @find knows the callers of code of no file; its @data is that of the unwinder. */
void spt_unwinder_ask_made(SptUnwinder *unwinder, SptUnwindFindMade find);
/* Clears the cache: a table has been freed, or space numbers begin again. */
void spt_unwinder_forget(SptUnwinder *unwinder);

/* Whether @raw is complete in @bytes, and is of a known machine. */
bool spt_unwind_raw_is_whole(const struct sysprof_raw *raw, size_t bytes);
/*
 * The frames of @raw, which is whole, innermost first: at least one, at most @max (which is not 0).
 * Takes time in proportion to the frames, whatever the stack contains.
 */
unsigned spt_unwinder_walk(SptUnwinder *unwinder, uint64_t space, const struct sysprof_raw *raw,
			   SptUnwindFrame *frames, unsigned max, SptUnwindEnd *ret_end);
/*
 * Goes on from the last of the @n @frames of @raw, where the walk ended at *@end, along @chain: the
 * addresses that the kernel found by frame pointers, innermost first, beyond what was copied.  It
 * does so only through functions that have a frame pointer.  Returns how many frames there are, at
 * most @max, and changes *@end.
 */
unsigned spt_unwinder_follow(SptUnwinder *unwinder, uint64_t space, const struct sysprof_raw *raw,
			     const __u64 *chain, unsigned n_chain, SptUnwindFrame *frames,
			     unsigned n, unsigned max, SptUnwindEnd *end);
/* Bytes of the stack below the last frame of the last walk. */
uint64_t spt_unwinder_depth(const SptUnwinder *unwinder);

G_END_DECLS

#endif
