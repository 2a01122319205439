/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stackstash: a prefix tree into which all stacks go, so that each distinct stack is one
 * number.
 *
 * Flat arrays and one open-addressing table on (parent, object, offset, kind): exact, O(1) per
 * frame.  Ids grow from 1 in order of appearance; a parent's id is below its children's; 0 is the
 * root.
 */
#ifndef SPT_STASH_H
#define SPT_STASH_H

#include <glib.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef enum {
	SPT_FRAME_CALL = 0,	/* a return address less one: inside the call */
	SPT_FRAME_EXACT = 1,	/* the very instruction */
} SptFrameKind;

/* No offset: only the object is known, others=functions of the module. */
#define SPT_OFFSET_NOT_TOLD ((1ULL << 40) - 1)

/* A place in code: @object is a capture's object id, @offset as format.md says for its kind. */
typedef struct {
	uint64_t offset;
	uint32_t object;
	uint32_t kind;		/* SptFrameKind */
} SptFrame;

typedef struct {
	SptFrame frame;
	uint32_t parent;
	/*
	 * of a stash: its own hash; of a capture: the number of the frame, from 1 in order of
	 * appearance
	 */
	uint32_t key;
} SptNode;

typedef struct SptStash SptStash;

SptStash *spt_stash_new(void);
void spt_stash_free(SptStash *stash);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptStash, spt_stash_free)

/* The child of @parent for @frame, made if need be.  Aborts like g_malloc() when memory ends. */
uint32_t spt_stash_child(SptStash *stash, uint32_t parent, const SptFrame *frame);
/*
 * A whole stack below @parent, @frames from the innermost (index 0) to the outermost (n - 1), which
 * is how the device delivers them.  Returns the innermost frame's node; @parent if @n is 0.
 */
uint32_t spt_stash_add(SptStash *stash, uint32_t parent, const SptFrame *frames, unsigned n);
/*
 * The same, and in @ret_nodes, unless NULL, @n of them: the node of each frame, the outermost
 * first.
 */
uint32_t spt_stash_add_path(SptStash *stash, uint32_t parent, const SptFrame *frames, unsigned n,
			    uint32_t *ret_nodes);
/* Nodes with the root: valid ids are 0 ... n - 1. */
uint32_t spt_stash_n_nodes(const SptStash *stash);
/* Valid until the next node is made; those with higher ids lie behind it. */
const SptNode *spt_stash_node(const SptStash *stash, uint32_t id);

/*
 * The distinct frames of all nodes there are, numbered from 1 in the order of the first node of
 * each; 0 is the root's.  Costs nothing until it is asked for.  Returns how many there are, with
 * the root's: what follows is known of these, and of these nodes.
 */
uint32_t spt_stash_number_frames(SptStash *stash);
uint32_t spt_stash_frame_of(const SptStash *stash, uint32_t node);
/* Valid until frames are numbered again. */
const SptFrame *spt_stash_frame(const SptStash *stash, uint32_t number);

G_END_DECLS

#endif
