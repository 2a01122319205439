/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stackstash: a prefix tree of all stacks, in which each distinct stack is one number.
 *
 * It has flat arrays and one open-addressing table on (parent, object, offset, kind): exact, O(1)
 * per frame.  Ids grow from 1 in order of appearance.  A parent's id is below its children's; 0 is
 * the root.
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

/* No offset: only the object is known (the module's others=functions). */
#define SPT_OFFSET_UNKNOWN ((1ULL << 40) - 1)

/*
 * A place in code: @object is an object id of a capture, @offset is as format.md has it for that
 * kind of object.
 */
typedef struct {
	uint64_t offset;
	uint32_t object;
	uint32_t kind;		/* SptFrameKind */
} SptFrame;

typedef struct {
	SptFrame frame;
	uint32_t parent;
	/*
	 * in a stash, its own hash; in a capture, the number of the frame, from 1 in order of
	 * appearance
	 */
	uint32_t key;
} SptNode;

typedef struct SptStash SptStash;

/* The first member of SptStash. */
struct spt_stash_head {
	uint32_t n_nodes;		/* with the root */
};

SptStash *spt_stash_new(void);
void spt_stash_free(SptStash *stash);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptStash, spt_stash_free)

/*
 * The child of @parent for @frame, made if it is not there.  Aborts like g_malloc() if memory runs
 * out.
 */
uint32_t spt_stash_child(SptStash *stash, uint32_t parent, const SptFrame *frame);
/* Stores @node behind the @n - 1 nodes that lead to it: @n of them, the innermost one last. */
void spt_stash_path(const SptStash *stash, uint32_t node, unsigned n, uint32_t *ret_nodes);
/*
 * Adds a whole stack below @parent.  @frames go from the innermost (index 0) to the outermost (n -
 * 1), the order in which the device delivers them.  Returns the innermost frame's node; @parent if
 * @n is 0.
 */
uint32_t spt_stash_add(SptStash *stash, uint32_t parent, const SptFrame *frames, unsigned n);
/* The same.  Unless NULL, @ret_nodes gets the @n nodes of the frames, the outermost first. */
uint32_t spt_stash_add_path(SptStash *stash, uint32_t parent, const SptFrame *frames, unsigned n,
			    uint32_t *ret_nodes);
/* The number of nodes with the root: ids are 0 ...  n - 1. */
static inline uint32_t spt_stash_n_nodes(const SptStash *stash)
{
	return ((const struct spt_stash_head *)stash)->n_nodes;
}
/* The node @id.  Valid until another node is made; nodes with higher ids are behind it. */
const SptNode *spt_stash_node(const SptStash *stash, uint32_t id);

/*
 * Numbers the distinct frames of all nodes, from 1 in the order of their first nodes; 0 is the
 * root's.  Returns how many there are, with the root's.  The functions below know these frames and
 * nodes only.  Costs nothing unless it is called.
 */
uint32_t spt_stash_number_frames(SptStash *stash);
uint32_t spt_stash_frame_of(const SptStash *stash, uint32_t node);
/* Valid until frames are numbered again. */
const SptFrame *spt_stash_frame(const SptStash *stash, uint32_t number);

G_END_DECLS

#endif
