/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Three shortcuts, all exact: frames are compared, not hashes alone, and addresses only with those
 * of the same mappings.
 *
 *  - Stacks met lately, in a ring of words, each behind the one before of the same hash: what is
 *    overwritten there is forgotten.
 *  - Of each CPU, the last stack that was looked up, with the node of every frame: what runs on
 *    comes back to the same callers.
 *  - The same of each place of outer frames that stacks refer to: a thread's, mostly.  Outer frames
 *    with the number of the stack before are not even compared.  Those of another thread are looked
 *    for among the stacks met lately.
 */
#include "record/stacks.h"

#include <string.h>

#include "capture/format.h"

#define MAX_FRAMES 2048
#define LAST_FRAMES 320			/* deeper stacks are looked up in full */
#define RECENT_HEADS (1u << 14)
#define RECENT_WORDS (1u << 18)
/* This many outer frames are rather looked up than looked for. */
#define FEW_FRAMES 2
/* Stacks of one hash that are looked at, which a program may have chosen. */
#define RECENT_STEPS 8

#define EXACT (SYSPROF_SAMPLE_KERNEL_EXACT | SYSPROF_SAMPLE_USER_EXACT)

#define IS_UNKNOWN (1u << 0)	/* a user part without frames, which is different from none */
#define IS_IN_EXEC (1u << 1)

/* Under equal values of these, equal frames mean the same.  It has no gaps. */
struct shape {
	/* Version of the address space; 0 if frames are no addresses */
	uint64_t mappings;
	uint32_t outer; /* node of the outermost user frames that have a number, or 0 */
	uint32_t code;			/* epoch of the code that the process has made */
	uint16_t n_kernel, n_user;
	uint16_t flags;
	/* Object that represents the unknown callers, or 0 */
	uint8_t caller;
	uint8_t is;			/* IS_... */
};

/* In the ring of words. */
struct recent {
	uint64_t before;		/* position of the one before of the same head */
	struct shape shape;
	uint32_t hash, node;
	uint64_t n_cut;
	__u64 frames[];			/* those that are not of shape.outer */
};

#define RECENT_HEAD_WORDS (sizeof(struct recent) / 8)

/* Outermost frame first. */
struct last {
	struct shape shape;		/* n_kernel and n_user 0: nothing yet */
	/* Frames that do not count: the innermost of them is in no mapping */
	unsigned n_cut;
	uint64_t serial;		/* of a place's outer frames */
	uint64_t frames[LAST_FRAMES];
	uint32_t nodes[LAST_FRAMES];
};

struct cpu {
	struct last *last;		/* NULL: none yet */
	struct last *places[SYSPROF_STACK_PLACES];	/* likewise */
};

struct SptStacks {
	const SptSpaces *spaces;
	const SptJit *jit;
	const SptScriptNames *scripts;	/* NULL: there are none */
	/* For the present view, if its frames are addresses and it is known */
	const SptSpace *space;
	struct cpu **cpus;		/* NULL: nothing was seen of it, as of most of a file's */
	unsigned n_cpus;
	uint64_t *heads;		/* by hash: the position of the last one that was met */
	uint64_t *words;
	/* Number of words ever written, from RECENT_WORDS on, so that 0 is overwritten */
	uint64_t n_words;
	SptFrame frames[MAX_FRAMES];
};

SptStacks *spt_stacks_new(const SptSpaces *spaces, const SptJit *jit, const SptScriptNames *scripts,
			  unsigned n_cpus)
{
	SptStacks *stacks = g_new0(SptStacks, 1);

	stacks->spaces = spaces;
	stacks->jit = jit;
	stacks->scripts = scripts;
	stacks->n_cpus = n_cpus;
	stacks->cpus = g_new0(struct cpu *, n_cpus);
	spt_stacks_forget(stacks);
	return stacks;
}

static void stacks_free_cpu(struct cpu *cpu)
{
	g_free(cpu->last);
	for (unsigned i = 0; i < SYSPROF_STACK_PLACES; i++)
		g_free(cpu->places[i]);
	g_free(cpu);
}

static void stacks_clear(SptStacks *stacks)
{
	for (unsigned cpu = 0; cpu < stacks->n_cpus; cpu++)
		g_clear_pointer(&stacks->cpus[cpu], stacks_free_cpu);
	g_clear_pointer(&stacks->heads, g_free);
	g_clear_pointer(&stacks->words, g_free);
}

void spt_stacks_forget(SptStacks *stacks)
{
	stacks_clear(stacks);
	stacks->heads = g_new0(uint64_t, RECENT_HEADS);
	stacks->words = g_new(uint64_t, RECENT_WORDS);
	stacks->n_words = RECENT_WORDS + 1;
}

void spt_stacks_free(SptStacks *stacks)
{
	if (!stacks)
		return;
	stacks_clear(stacks);
	g_free(stacks->cpus);
	g_free(stacks);
}

/* Only unwound stacks are known to be whole or not. */
static uint8_t unknown_caller(const SptStackView *view)
{
	if ((view->user_mode != SYSPROF_USER_RAW && view->user_mode != SYSPROF_USER_TABLE) ||
	    !view->n_user || view->user_end == SYSPROF_END_ROOT ||
	    (view->n_user == 1 && view->user_end == SYSPROF_END_UNMAPPED))
		return 0;
	return view->user_end == SPT_END_CUT ? SPT_STACKS_CUT : SPT_STACKS_INCOMPLETE;
}

static struct shape stacks_shape_of(const SptStacks *stacks, const SptStackView *view,
				    bool is_in_exec)
{
	return (struct shape){
		.mappings = stacks->space ? spt_space_version(stacks->space) : 0,
		.code = spt_jit_epoch(stacks->jit, view->record->pid, view->record->time),
		.n_kernel = view->n_kernel,
		.n_user = view->n_user,
		.flags = view->record->flags &
			 (EXACT | SYSPROF_SAMPLE_USER_32BIT | SYSPROF_SAMPLE_ADDRESSES |
			  SYSPROF_SAMPLE_SCRIPT),
		.caller = unknown_caller(view),
		.is = (!view->n_user && view->user_end == SYSPROF_END_UNMAPPED ? IS_UNKNOWN : 0) |
		      (is_in_exec ? IS_IN_EXEC : 0),
	};
}

static bool is_same_shape(const struct shape *a, const struct shape *b)
{
	G_STATIC_ASSERT(sizeof(*a) == 24);
	return !memcmp(a, b, sizeof(*a));
}

static bool is_same_but_depth(const struct shape *a, const struct shape *b)
{
	return a->mappings == b->mappings && a->code == b->code &&
	       a->caller == b->caller && a->is == b->is;
}

/* Recent stacks. */

/* The upper half of a product has of all bits; the next one begins with it. */
static inline uint64_t half_turn(uint64_t value)
{
	return value << 32 | value >> 32;
}

static inline uint32_t hash_stack(const struct shape *shape, const __u64 *frames, unsigned n)
{
	const uint64_t factor = 0x9e3779b97f4a7c15u;
	uint64_t a = (shape->mappings ^ shape->outer) * factor,
		 b = (uint64_t)shape->n_kernel << 32 | n;

	/* Two at a time, so that the multiplications need not wait for each other. */
	for (unsigned left = n / 2; left; left--, frames += 2) {
		a = (half_turn(a) ^ frames[0]) * factor;
		b = (half_turn(b) ^ frames[1]) * factor;
	}
	if (n % 2)
		a = (half_turn(a) ^ frames[0]) * factor;
	a ^= half_turn(b) * 31;
	return (uint32_t)((half_turn(a) ^ a) * factor >> 32);
}

/* Where the stack is among the recent ones; NULL: it is not. */
static inline struct recent *stacks_find(const SptStacks *stacks, uint32_t hash,
					 const struct shape *shape, const __u64 *frames,
					 unsigned n)
{
	uint64_t at = stacks->heads[hash % RECENT_HEADS];

	for (unsigned i = 0; i < RECENT_STEPS && at + RECENT_WORDS >= stacks->n_words; i++) {
		struct recent *recent = (void *)&stacks->words[at % RECENT_WORDS];

		if (recent->hash == hash && is_same_shape(&recent->shape, shape) &&
		    !memcmp(recent->frames, frames, n * sizeof(*frames)))
			return recent;
		at = recent->before;
	}
	return NULL;
}

/* It was not there. */
static void stacks_remember(SptStacks *stacks, uint32_t hash, const struct shape *shape,
			    const __u64 *frames, unsigned n, uint32_t node, unsigned n_cut)
{
	uint64_t left = RECENT_WORDS - stacks->n_words % RECENT_WORDS, *head;
	unsigned n_words = RECENT_HEAD_WORDS + n;
	struct recent *recent;

	if (n_words > left)
		stacks->n_words += left;
	head = &stacks->heads[hash % RECENT_HEADS];
	recent = (void *)&stacks->words[stacks->n_words % RECENT_WORDS];
	*recent = (struct recent){ *head, *shape, hash, node, n_cut };
	memcpy(recent->frames, frames, n * sizeof(*frames));
	*head = stacks->n_words;
	stacks->n_words += n_words;
}

/* Resolving. */

static SptFrame stacks_frame_of(uint64_t value, bool is_exact)
{
	SptFrame frame = { .object = value >> SYSPROF_FRAME_OBJECT_SHIFT,
			   .offset = value & SYSPROF_FRAME_OFFSET_MASK,
			   .kind = is_exact ? SPT_FRAME_EXACT : SPT_FRAME_CALL };

	if (frame.offset != SPT_OFFSET_UNKNOWN)
		frame.offset -= !is_exact;
	return frame;
}

/* False: the address is in no executable mapping. */
static bool resolve(const SptStacks *stacks, unsigned flags, uint64_t value, bool is_exact,
		    SptFrame *frame)
{
	const SptMap *map;

	if (flags & SYSPROF_SAMPLE_SCRIPT && spt_script_names_is(value)) {
		if (!stacks->scripts || !spt_script_names_frame(stacks->scripts, value, frame))
			*frame = (SptFrame){ .object = SPT_STACKS_SCRIPT,
					     .kind = SPT_FRAME_EXACT };
		return true;
	}
	*frame = stacks_frame_of(value, is_exact);
	if (flags & SYSPROF_SAMPLE_ADDRESSES) {
		map = stacks->space ? spt_space_find(stacks->space, value - !is_exact) : NULL;
		if (!map || map->object == SYSPROF_OBJECT_UNKNOWN)
			return false;
		frame->object = map->object;
		frame->offset = value - map->start + map->offset;
		if (frame->offset != SPT_OFFSET_UNKNOWN)
			frame->offset -= !is_exact;
	}
	if (frame->object == SYSPROF_OBJECT_VDSO && flags & SYSPROF_SAMPLE_USER_32BIT)
		frame->object = SPT_STACKS_VDSO32;
	return true;
}

/* The same with the code that the process has made. */
static bool resolve_user(const SptStacks *stacks, const struct shape *shape,
			 const SptStackView *view, uint64_t value, bool is_exact,
			 SptFrame *frame)
{
	if (!resolve(stacks, view->record->flags, value, is_exact, frame))
		return false;
	if (shape->code && frame->offset != SPT_OFFSET_UNKNOWN)
		frame->offset = spt_jit_offset(stacks->jit, frame->object, frame->offset,
					       view->record->time);
	return true;
}

/* Whether frames are positions that nothing has to be known of. */
static bool stacks_are_plain(const struct shape *shape)
{
	return !shape->code && !(shape->flags & ~EXACT);
}

/* @n calls; __u64 and uint64_t are the same number. */
static void resolve_calls(const void *values, unsigned n, SptFrame *frames)
{
	const __u64 *value = values;

	for (unsigned i = 0; i < n; i++)
		frames[i] = stacks_frame_of(value[i], false);
}

/*
 * The innermost @n frames of the view, as far as they are known; returns their number.
 * *@ret_n_cut: the frames from the outermost to the unknown one.
 */
static unsigned resolve_stack(SptStacks *stacks, const struct shape *shape,
			      const SptStackView *view, unsigned n, unsigned *ret_n_cut)
{
	unsigned n_kernel = MIN(view->n_kernel, n), n_user = n - n_kernel;
	const __u64 *user = view->frames + view->n_kernel;

	*ret_n_cut = 0;
	for (unsigned i = 0; i < n_kernel; i++) {
		uint64_t value = view->frames[i];
		bool is_exact = i == 0 && view->record->flags & SYSPROF_SAMPLE_KERNEL_EXACT;

		stacks->frames[i] = (SptFrame){
			.object = value >> SYSPROF_FRAME_OBJECT_SHIFT,
			.kind = is_exact ? SPT_FRAME_EXACT : SPT_FRAME_CALL,
			.offset = (value - (value && !is_exact)) & SYSPROF_FRAME_OFFSET_MASK,
		};
	}
	if (n_user && stacks_are_plain(shape)) {
		stacks->frames[n_kernel] = stacks_frame_of(
			user[0], view->record->flags & SYSPROF_SAMPLE_USER_EXACT);
		resolve_calls(user + 1, n_user - 1, &stacks->frames[n_kernel + 1]);
		return n;
	}
	for (unsigned i = 0; i < n_user; i++) {
		bool is_exact = i == 0 && view->record->flags & SYSPROF_SAMPLE_USER_EXACT;
		SptFrame *frame = &stacks->frames[n_kernel + i];

		if (resolve_user(stacks, shape, view, user[i], is_exact, frame))
			continue;
		*ret_n_cut = view->n_user - i;
		/*
		 * The innermost frame must be shown, even if it is unknown; other addresses outside
		 * of code are no callers.
		 */
		if (i > 0 || (shape->is & IS_IN_EXEC))
			return n_kernel + i;
		*frame = (SptFrame){ .kind = frame->kind };
		return n_kernel + 1;
	}
	return n;
}

/* The last stack of a CPU or a place. */

/* @frames: @n, innermost first. */
static unsigned common_with(const struct last *last, unsigned common, unsigned most,
			    const void *frames, unsigned n)
{
	const uint64_t *ours = last->frames + common, *its = (const uint64_t *)frames + n - common;

	/* Four at a time. */
	for (; common + 4 <= most; common += 4, ours += 4, its -= 4)
		if (((ours[0] ^ its[-1]) | (ours[1] ^ its[-2])) |
		    ((ours[2] ^ its[-3]) | (ours[3] ^ its[-4])))
			break;
	for (; common < most && *ours == its[-1]; ours++, its--)
		common++;
	return common;
}

/*
 * The number of frames, from the outermost, that the last stack has in common with the sample's, as
 * far as its nodes are the sample's.  @known: how many are known to be.
 */
static unsigned common_frames(const struct last *last, const struct shape *shape,
			      const SptStackView *view, unsigned known)
{
	unsigned n = shape->n_kernel + shape->n_user, common,
		 most = MIN(last->shape.n_user, shape->n_user),
		 changed = last->shape.flags ^ shape->flags;

	if (!is_same_but_depth(&last->shape, shape) || changed & ~EXACT)
		return known;
	/* The innermost frame of a part is resolved differently from those further out. */
	if ((last->shape.n_user != shape->n_user || changed & SYSPROF_SAMPLE_USER_EXACT) &&
	    most > 0)
		most--;
	common = common_with(last, known, most, view->frames, n);
	if (common == shape->n_user && shape->n_user == last->shape.n_user) {
		most = common + MIN(last->shape.n_kernel, shape->n_kernel);
		if ((last->shape.n_kernel != shape->n_kernel ||
		     changed & SYSPROF_SAMPLE_KERNEL_EXACT) &&
		    most > common)
			most--;
		common = common_with(last, common, most, view->frames, n);
	}
	/*
	 * The frame at which the last one was cut off must be among them, or it does not determine
	 * the position of this one.
	 */
	return common < last->n_cut ? 0 : common;
}

/* The node of the outermost frame's parent. */
static uint32_t root_of(SptStash *stash, const struct shape *shape)
{
	if (shape->caller)
		return spt_stash_child(
			stash, 0, &(SptFrame){ .object = shape->caller, .kind = SPT_FRAME_EXACT });
	return (shape->is & (IS_UNKNOWN | IS_IN_EXEC)) == IS_UNKNOWN ?
		       spt_stash_child(stash, 0, &(SptFrame){ .kind = SPT_FRAME_EXACT }) :
		       0;
}

/*
 * Starts from the frames in common with the last stack, which this one replaces.  @known: how many
 * of these are known.
 */
static uint32_t stacks_look_up(SptStacks *stacks, SptStash *stash, const struct shape *shape,
			       const SptStackView *view, struct last *last,
			       unsigned known, unsigned *ret_n_cut)
{
	unsigned n = shape->n_kernel + shape->n_user,
		 common = common_frames(last, shape, view, known), n_cut;
	unsigned kept = resolve_stack(stacks, shape, view, n - common, &n_cut);
	uint32_t node;

	if (common && !n_cut) {
		node = last->nodes[common - 1];
	} else {
		node = root_of(stash, shape);
		last->n_cut = n_cut;
	}
	for (unsigned i = common; i < n - kept; i++) {
		last->frames[i] = view->frames[n - 1 - i];
		last->nodes[i] = node;
	}
	for (unsigned i = n - kept; i < n; i++)
		last->frames[i] = view->frames[n - 1 - i];
	node = spt_stash_add_path(stash, node, stacks->frames, kept, &last->nodes[n - kept]);
	last->shape = *shape;
	*ret_n_cut = last->n_cut;
	return node;
}

/* Too deep to be kept. */
static uint32_t look_up_in_full(SptStacks *stacks, SptStash *stash, const struct shape *shape,
				const SptStackView *view, unsigned *ret_n_cut)
{
	unsigned n = resolve_stack(stacks, shape, view,
				   MIN(view->n_kernel + view->n_user, MAX_FRAMES), ret_n_cut);

	return spt_stash_add(stash, root_of(stash, shape), stacks->frames, n);
}

static SptStackEnd stacks_end_of(const struct shape *shape, const SptStackView *view,
				 unsigned n_cut)
{
	SptStackEnd end = { view->user_end, shape->n_user && n_cut < shape->n_user };

	if (shape->is & IS_IN_EXEC && !end.has_user && (n_cut || shape->is & IS_UNKNOWN))
		end.user_end = SYSPROF_END_NONE;
	else if (n_cut)
		end.user_end = SYSPROF_END_UNMAPPED;
	return end;
}

static struct cpu *stacks_cpu(SptStacks *stacks, unsigned cpu)
{
	struct cpu **at = &stacks->cpus[cpu];

	return *at ? *at : (*at = g_new0(struct cpu, 1));
}

static struct last *stacks_last_at(struct last **at)
{
	return *at ? *at : (*at = g_new0(struct last, 1));
}

/* It was not met lately. */
static G_GNUC_NO_INLINE uint32_t stacks_new_node(SptStacks *stacks, SptStash *stash, uint32_t hash,
						 const struct shape *shape,
						 const SptStackView *view, struct last *last,
						 unsigned known, unsigned *ret_n_cut)
{
	unsigned n = shape->n_kernel + shape->n_user - known;
	uint32_t node = stacks_look_up(stacks, stash, shape, view, last, known, ret_n_cut);

	stacks_remember(stacks, hash, shape, view->frames, n, node, *ret_n_cut);
	return node;
}

/* The outermost @known frames are in @last already, with the nodes that they have here. */
static inline uint32_t stacks_node_of(SptStacks *stacks, SptStash *stash, const struct shape *shape,
				      const SptStackView *view, struct last *last, unsigned known,
				      unsigned *ret_n_cut)
{
	unsigned n = shape->n_kernel + shape->n_user - known;
	uint32_t hash = hash_stack(shape, view->frames, n);
	const struct recent *recent = stacks_find(stacks, hash, shape, view->frames, n);

	if (!recent)
		return stacks_new_node(stacks, stash, hash, shape, view, last, known, ret_n_cut);
	*ret_n_cut = (unsigned)recent->n_cut;
	return recent->node;
}

uint32_t spt_stacks_node(SptStacks *stacks, SptStash *stash, const SptStackView *view,
			 bool is_in_exec, SptStackEnd *ret_end)
{
	bool has_addresses = view->record->flags & SYSPROF_SAMPLE_ADDRESSES;
	struct shape shape;
	unsigned n_cut;
	uint32_t node;

	stacks->space = has_addresses ? spt_spaces_get(stacks->spaces, view->mm) : NULL;
	shape = stacks_shape_of(stacks, view, is_in_exec);
	if (view->n_kernel + view->n_user > LAST_FRAMES)
		node = look_up_in_full(stacks, stash, &shape, view, &n_cut);
	else
		node = stacks_node_of(stacks, stash, &shape, view,
				      stacks_last_at(&stacks_cpu(stacks, view->record->cpu)->last),
				      0, &n_cut);
	*ret_end = stacks_end_of(&shape, view, n_cut);
	return node;
}

/* Outer frames. */

/* Whether frames under both shapes are resolved alike, and those of a place's nodes are good. */
static bool is_same_place(const struct shape *a, const struct shape *b)
{
	return is_same_but_depth(a, b) && !((a->flags ^ b->flags) & ~EXACT);
}

/* They become the last ones of the place, with the node @node.  The @common outermost ones are. */
static void stacks_set_outer(const SptStash *stash, const SptOuter *outer, uint32_t node,
			     unsigned common, struct last *last)
{
	for (unsigned i = common; i < outer->n; i++)
		last->frames[i] = outer->frames[outer->n - 1 - i];
	spt_stash_path(stash, node, outer->n - common, last->nodes + common);
}

/* Looks up all but the @common outermost ones, which are in @last. */
static void stacks_add_outer(SptStacks *stacks, SptStash *stash, const struct shape *shape,
			     const SptStackView *view, const SptOuter *outer, unsigned common,
			     struct last *last)
{
	unsigned n = outer->n;

	if (stacks_are_plain(shape))
		resolve_calls(outer->frames, n - common, stacks->frames);
	else
		for (unsigned i = 0; i < n - common; i++)
			resolve_user(stacks, shape, view, outer->frames[i], false,
				     &stacks->frames[i]);
	for (unsigned i = common; i < n; i++)
		last->frames[i] = outer->frames[n - 1 - i];
	spt_stash_add_path(stash, common ? last->nodes[common - 1] : 0, stacks->frames,
			   n - common, last->nodes + common);
}

/* Those of another thread, or of one that runs on elsewhere.  They are calls. */
static G_GNUC_NO_INLINE uint32_t stacks_next_outer(SptStacks *stacks, SptStash *stash,
						   const struct shape *shape,
						   const SptStackView *view,
						   const SptOuter *outer, struct last *last)
{
	const __u64 *frames = (const void *)outer->frames;
	unsigned n = outer->n, common = 0, most;
	struct shape calls = *shape;
	const struct recent *recent = NULL;
	bool is_looked_for;
	uint32_t hash = 0;

	/* They are calls, also the innermost one, which may have been none in a stack. */
	most = is_same_place(&last->shape, shape) ? MIN(n + 1u, last->shape.n_user) : 0;
	if (most)
		common = common_with(last, 0, most - 1, frames, n);
	last->serial = outer->serial;
	calls.n_kernel = 0;
	calls.n_user = (uint16_t)n;
	calls.flags &= ~EXACT;
	if (common == n)
		return last->nodes[n - 1];
	is_looked_for = n - common > FEW_FRAMES;
	if (is_looked_for) {
		hash = hash_stack(&calls, frames, n);
		recent = stacks_find(stacks, hash, &calls, frames, n);
	}
	if (recent)
		stacks_set_outer(stash, outer, recent->node, common, last);
	else
		stacks_add_outer(stacks, stash, shape, view, outer, common, last);
	if (is_looked_for && !recent)
		stacks_remember(stacks, hash, &calls, frames, n, last->nodes[n - 1], 0);
	last->shape = calls;
	return last->nodes[n - 1];
}

bool spt_stacks_node_by_outer(SptStacks *stacks, SptStash *stash, const SptStackView *view,
			      const SptOuter *outer, uint32_t *ret_node)
{
	const unsigned others = SYSPROF_SAMPLE_ADDRESSES | SYSPROF_SAMPLE_SCRIPT |
				SYSPROF_SAMPLE_THREAD | SYSPROF_SAMPLE_NO_TABLE;
	unsigned n_user = view->n_user + (outer->is_there ? 0 : outer->n), n_cut;
	struct shape shape;
	struct last *last;

	if (view->user_mode != SYSPROF_USER_TABLE || view->user_end != SYSPROF_END_ROOT ||
	    view->record->flags & others || view->raw_bytes || n_user <= outer->n ||
	    view->n_kernel + n_user > LAST_FRAMES)
		return false;
	last = stacks_last_at(&stacks_cpu(stacks, view->record->cpu)
				       ->places[outer->place % SYSPROF_STACK_PLACES]);
	/* As stacks_shape_of(): it is whole, and its frames are positions, which need no space. */
	shape = (struct shape){
		.code = spt_jit_epoch(stacks->jit, view->record->pid, view->record->time),
		.n_kernel = view->n_kernel,
		.n_user = (uint16_t)n_user,
		.flags = view->record->flags & (EXACT | SYSPROF_SAMPLE_USER_32BIT),
	};
	if (last->serial == outer->serial && is_same_place(&last->shape, &shape))
		shape.outer = last->nodes[outer->n - 1];
	else
		shape.outer = stacks_next_outer(stacks, stash, &shape, view, outer, last);
	*ret_node = stacks_node_of(stacks, stash, &shape, view, last, outer->n, &n_cut);
	return true;
}
