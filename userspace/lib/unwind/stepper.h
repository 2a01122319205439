/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From registers and a copy of the stack to the stack's frames, by the unwind tables of their
 * objects.
 */
#ifndef SPT_UNWIND_STEPPER_H
#define SPT_UNWIND_STEPPER_H

#include "sysprof.h"
#include "unwind/table.h"

G_BEGIN_DECLS

typedef struct {
	uint64_t ip;			/* a call's: the address it returns to */
	/* It was there when it was interrupted, by the tick or by a signal */
	bool is_exact;
} SptUnwindFrame;

/* Why a stack has no more frames. */
typedef enum {
	SPT_UNWIND_ROOT = 0,		/* the thread starts here: it is whole */
	SPT_UNWIND_LIMIT,		/* more than there was room for */
	SPT_UNWIND_CUT,			/* the copy of the stack is too short */
	/* Nothing is known of the last frame's function, and it does not keep a frame pointer */
	SPT_UNWIND_NO_INFO,
	/* What the last frame's function should have left is not on the stack, or leads back */
	SPT_UNWIND_BAD_MEMORY,
	SPT_UNWIND_UNMAPPED,		/* the caller would be in no code */
} SptUnwindEnd;
#define SPT_UNWIND_ENDS 6

typedef struct {
	SptUnwindTable *table;		/* of the object, NULL if it has none; not a reference */
	uint64_t offset;		/* in the object's file */
} SptUnwindPlace;

/*
 * What lies at @address of @space.  False: no code.  A space is a number for all that is mapped
 * somewhere at a time: it has to be another one as soon as something else lies there.
 */
typedef bool (*SptUnwindFind)(uint64_t space, uint64_t address, SptUnwindPlace *ret, void *data);

typedef struct SptUnwinder SptUnwinder;

/*
 * For one thread at a time.  Remembers what @find said of an address of a space, until it has
 * to forget.
 */
SptUnwinder *spt_unwinder_new(SptUnwindFind find, void *data);
void spt_unwinder_free(SptUnwinder *unwinder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptUnwinder, spt_unwinder_free)

/* A table has been freed, or the numbers of spaces begin again. */
void spt_unwinder_forget(SptUnwinder *unwinder);

/* Whether @bytes hold as much as @raw says they do, of a machine that is known. */
bool spt_unwind_raw_is_whole(const struct sysprof_raw *raw, size_t bytes);
/*
 * The frames of @raw, which is whole, innermost first: at least one, at most @max (which is not 0).
 * Takes time in proportion to the frames; nothing of the stack's content can make it more.
 */
unsigned spt_unwinder_walk(SptUnwinder *unwinder, uint64_t space, const struct sysprof_raw *raw,
			   SptUnwindFrame *frames, unsigned max, SptUnwindEnd *ret_end);
/* How much of the stack lies below the last frame of the last walk. */
uint64_t spt_unwinder_depth(const SptUnwinder *unwinder);

G_END_DECLS

#endif
