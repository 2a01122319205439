/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function is followed from its start along all paths that jumps take.  For every address where
 * paths meet, the contents of registers and stack slots are known as distances from the CFA; where
 * two paths differ, they are unknown.  The result is trusted only if each of its returns, and each
 * of its jumps out of the function, finds the stack as it was at the start, and there is at least
 * one: code that is only jumped to, and continues with a jump by a table, has another function's
 * frame.  The end of a function shows where the next one begins: at the code behind it that no path
 * reaches; symbols show it, too.  Behind a jump through a table that may as well be a target of the
 * table; then it has the state of that jump, if that can be trusted.
 */
#include "unwind/guess.h"

#include <string.h>

#include "unwind/x86.h"

#define SLOTS_MAX 16
/* Limits for one function and for all code, in bytes */
#define INSTRUCTIONS_MAX (1u << 16)
#define WORK_PER_BYTE 64
#define FOUND_MAX	 (1u << 20)

enum kind {
	UNKNOWN = 0,
	CFA,				/* the CFA and an offset */
	ALIGNED,			/* the stack pointer when it was aligned, and an offset */
	ENTRY,				/* value of register offset at the function's start */
};

struct value {
	enum kind kind;
	int32_t offset;
};

struct slot {
	struct value at, what;
};

/* The state before an instruction. */
struct state {
	struct value registers[16];
	struct slot slots[SLOTS_MAX];
	unsigned n_slots;
};

/* LABEL: symbols say that a function starts there, and it does. */
enum { SEEN = 1, LEADER = 2, START = 4, LABEL = 8 };

struct found_rule {
	uint32_t at, bytes;
	struct sysprof_table_rule rule;
};

struct guess {
	const uint8_t *code;
	size_t n;
	uint8_t *flags;			/* by byte of the code */
	GHashTable *states;		/* position of a leader + 1 -> struct state */
	GArray *starts;			/* size_t: targets of calls */
	GArray *found;			/* struct found_rule */
	uint64_t work;			/* work that remains */
	/* Of the present function */
	GArray *seen;			/* size_t: its instructions */
	GArray *todo;			/* size_t */
	struct state somewhere;		/* its jump through a table */
	/*
	 * Number of rules before those that are valid only if the targets of a table are;
	 * UINT32_MAX
	 */
	uint32_t pending;
	uint32_t first_found; /* of the function */
	bool jumps_somewhere, is_bad, has_end;
};

/* Values. */

static bool is_same(struct value a, struct value b)
{
	return a.kind == b.kind && a.offset == b.offset;
}

static bool is_place(struct value value)
{
	return value.kind == CFA || value.kind == ALIGNED;
}

/* Distances this far are none of a stack frame. */
static struct value plus(struct value value, int64_t distance)
{
	int64_t offset = value.offset + distance;

	if (!is_place(value) || distance < -(1 << 28) || distance > 1 << 28 ||
	    offset < -(1 << 28) || offset > 1 << 28)
		return (struct value){ UNKNOWN, 0 };
	value.offset = (int32_t)offset;
	return value;
}

static struct slot *find_slot(struct state *state, struct value at)
{
	for (unsigned i = 0; is_place(at) && i < state->n_slots; i++)
		if (is_same(state->slots[i].at, at))
			return &state->slots[i];
	return NULL;
}

static void drop_slot(struct state *state, struct slot *slot)
{
	*slot = state->slots[--state->n_slots];
	state->slots[state->n_slots] = (struct slot){ 0 };
}

static void store(struct state *state, struct value at, struct value what)
{
	struct slot *slot = find_slot(state, at);

	if (slot && what.kind == UNKNOWN)
		drop_slot(state, slot);
	else if (slot)
		slot->what = what;
	else if (is_place(at) && what.kind != UNKNOWN && state->n_slots < SLOTS_MAX)
		state->slots[state->n_slots++] = (struct slot){ at, what };
}

static struct value guess_load(struct state *state, struct value at)
{
	const struct slot *slot = find_slot(state, at);

	return slot ? slot->what : (struct value){ UNKNOWN, 0 };
}

/* Memory below the stack pointer may be overwritten at any time; in leaf functions it stays. */
static void drop_below(struct state *state, struct value sp)
{
	for (unsigned i = 0; i < state->n_slots;) {
		struct slot *slot = &state->slots[i];

		if (slot->at.kind == sp.kind && slot->at.offset < sp.offset)
			drop_slot(state, slot);
		else
			i++;
	}
}

static void drop_aligned(struct state *state)
{
	for (unsigned i = 0; i < state->n_slots;) {
		struct slot *slot = &state->slots[i];

		if (slot->at.kind == ALIGNED || slot->what.kind == ALIGNED)
			drop_slot(state, slot);
		else
			i++;
	}
	for (unsigned i = 0; i < 16; i++)
		if (state->registers[i].kind == ALIGNED)
			state->registers[i] = (struct value){ UNKNOWN, 0 };
}

static void guess_enter(struct state *state)
{
	*state = (struct state){ 0 };
	for (unsigned i = 0; i < 16; i++)
		state->registers[i] = (struct value){ ENTRY, (int32_t)i };
	state->registers[SPT_X86_SP] = (struct value){ CFA, -8 };
}

static void align(struct state *state, unsigned number)
{
	struct value before = state->registers[number];

	if (before.kind != CFA) {
		state->registers[number] = (struct value){ UNKNOWN, 0 };
		return;
	}
	drop_aligned(state);
	state->registers[number] = (struct value){ ALIGNED, 0 };
}

static void push(struct state *state, struct value what)
{
	struct value *sp = &state->registers[SPT_X86_SP];

	*sp = plus(*sp, -8);
	store(state, *sp, what);
}

static struct value pop(struct state *state)
{
	struct value *sp = &state->registers[SPT_X86_SP];
	struct value what = guess_load(state, *sp);

	*sp = plus(*sp, 8);
	return what;
}

static void guess_call(struct state *state, const SptX86 *x86)
{
	static const uint8_t scratch[] = { 0, 1, 2, 6, 7, 8, 9, 10, 11 };

	/* The instructions by which code gets its own address. */
	if (x86->number == 0 && x86->bytes == 5) {
		push(state, (struct value){ UNKNOWN, 0 });
		return;
	}
	for (unsigned i = 0; i < G_N_ELEMENTS(scratch); i++)
		state->registers[scratch[i]] = (struct value){ UNKNOWN, 0 };
	drop_below(state, state->registers[SPT_X86_SP]);
}

static void guess_execute(struct state *state, const SptX86 *x86)
{
	struct value *registers = state->registers, what = { UNKNOWN, 0 };

	switch (x86->kind) {
	case SPT_X86_PUSH:
		if (x86->from != SPT_X86_NONE)
			what = registers[x86->from];
		push(state, what);
		break;
	case SPT_X86_POP:
		what = pop(state);
		if (x86->to != SPT_X86_NONE)
			registers[x86->to] = what;
		break;
	case SPT_X86_MOVE:
		registers[x86->to] = registers[x86->from];
		break;
	case SPT_X86_LEA:
		registers[x86->to] = plus(registers[x86->from], x86->number);
		break;
	case SPT_X86_LOAD:
		registers[x86->to] = guess_load(state, plus(registers[x86->from], x86->number));
		break;
	case SPT_X86_STORE:
		store(state, plus(registers[x86->to], x86->number), registers[x86->from]);
		break;
	case SPT_X86_ALIGN:
		align(state, x86->to);
		break;
	case SPT_X86_LEAVE:
		registers[SPT_X86_SP] = plus(registers[SPT_X86_BP], 0);
		registers[SPT_X86_BP] = pop(state);
		break;
	case SPT_X86_CALL:
		guess_call(state, x86);
		break;
	default:
		for (unsigned i = 0; i < 16; i++)
			if (x86->writes >> i & 1)
				registers[i] = what;
	}
}

/* Keeps what two paths agree about; returns whether that is less than @state had. */
static bool agree(struct state *state, struct state *other)
{
	bool is_less = false;

	for (unsigned i = 0; i < 16; i++) {
		struct value *value = &state->registers[i];

		if (value->kind == UNKNOWN || is_same(*value, other->registers[i]))
			continue;
		*value = (struct value){ UNKNOWN, 0 };
		is_less = true;
	}
	for (unsigned i = 0; i < state->n_slots;) {
		struct slot *slot = &state->slots[i];

		if (is_same(slot->what, guess_load(other, slot->at))) {
			i++;
			continue;
		}
		drop_slot(state, slot);
		is_less = true;
	}
	return is_less;
}

/* Rules. */

/* By the numbers of DWARF. */
static const uint8_t dwarf[16] = { 0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15 };
/* In the order of the table's list of those that a function has to keep: bx bp r12 ... r15. */
static const uint8_t kept[] = { 3, 5, 12, 13, 14, 15 };

static bool find_cfa_by_register(const struct state *state, unsigned number,
				 struct sysprof_table_rule *rule)
{
	struct value value = state->registers[number];

	if (value.kind != CFA)
		return false;
	rule->cfa = SYSPROF_CFA_REGISTER;
	rule->cfa_register = dwarf[number];
	rule->cfa_offset = -value.offset;
	return true;
}

static bool find_cfa(const struct state *state, struct sysprof_table_rule *rule)
{
	struct value sp = state->registers[SPT_X86_SP];

	/* A callee may take more off the stack than it was given, but keeps this one. */
	if (find_cfa_by_register(state, SPT_X86_BP, rule) ||
	    find_cfa_by_register(state, SPT_X86_SP, rule))
		return true;
	for (unsigned i = 0; i < G_N_ELEMENTS(kept); i++)
		if (find_cfa_by_register(state, kept[i], rule))
			return true;
	for (unsigned i = 0; sp.kind == ALIGNED && i < state->n_slots; i++) {
		const struct slot *slot = &state->slots[i];

		if (slot->at.kind != ALIGNED || slot->what.kind != CFA)
			continue;
		rule->cfa = SYSPROF_CFA_MEMORY;
		rule->cfa_register = dwarf[SPT_X86_SP];
		rule->cfa_offset = slot->at.offset - sp.offset;
		rule->cfa_add = -slot->what.offset;
		return true;
	}
	/* Other registers are valid until the next call, which is enough for interrupted code. */
	for (unsigned i = 0; i < 16; i++)
		if (find_cfa_by_register(state, i, rule))
			return true;
	return false;
}

static void guess_find_kept(const struct state *state, unsigned slot,
			    struct sysprof_table_rule *rule)
{
	const struct value own = { ENTRY, kept[slot] };

	if (is_same(state->registers[kept[slot]], own))
		return;
	for (unsigned i = 0; i < state->n_slots; i++) {
		const struct slot *found = &state->slots[i];

		if (found->at.kind != CFA || !is_same(found->what, own) ||
		    found->at.offset % 8 || found->at.offset / 8 < INT16_MIN)
			continue;
		rule->at_cfa |= 1u << slot;
		rule->saved[slot] = (int16_t)(found->at.offset / 8);
		return;
	}
	rule->lost |= 1u << slot;
}

static bool guess_make_rule(const struct state *state, struct sysprof_table_rule *rule)
{
	*rule = (struct sysprof_table_rule){ .ra = SYSPROF_RA_MEMORY, .ra_offset = -8 };
	if (!find_cfa(state, rule))
		return false;
	for (unsigned i = 0; i < G_N_ELEMENTS(kept); i++)
		guess_find_kept(state, i, rule);
	return true;
}

/* Ways. */

/* Zeros are no code; they are there where the code is not known. */
static bool guess_decode(const struct guess *guess, size_t at, SptX86 *ret)
{
	if (at >= guess->n || (guess->n - at > 1 && !guess->code[at] && !guess->code[at + 1]))
		return false;
	if (!spt_x86_decode(guess->code + at, guess->n - at, ret))
		return false;
	/* Data before a function may look like the beginning of an instruction. */
	for (size_t i = 1; i < ret->bytes; i++)
		if (guess->flags[at + i] & LABEL)
			return false;
	return true;
}

/* The target of a jump; false: it is outside of the code. */
static bool guess_target_of(const struct guess *guess, size_t at, const SptX86 *x86, size_t *ret)
{
	*ret = at + x86->bytes + (size_t)x86->number;
	return *ret < guess->n;
}

static bool ends(const SptX86 *x86)
{
	return x86->kind == SPT_X86_JUMP || x86->kind == SPT_X86_JUMP_SOMEWHERE ||
	       x86->kind == SPT_X86_RETURN || x86->kind == SPT_X86_STOP;
}

static void lead_to(struct guess *guess, size_t at)
{
	if (!(guess->flags[at] & SEEN))
		g_array_append_val(guess->todo, at);
	guess->flags[at] |= LEADER;
}

/* From one address on, until it is known. */
static void walk(struct guess *guess, size_t at)
{
	while (!guess->is_bad && !(guess->flags[at] & SEEN)) {
		size_t target;
		SptX86 x86;

		guess->is_bad = guess->work == 0 || guess->seen->len == INSTRUCTIONS_MAX ||
				!guess_decode(guess, at, &x86);
		if (guess->is_bad)
			return;
		guess->work--;
		guess->flags[at] |= SEEN;
		g_array_append_val(guess->seen, at);
		if ((x86.kind == SPT_X86_JUMP || x86.kind == SPT_X86_BRANCH) &&
		    guess_target_of(guess, at, &x86, &target))
			lead_to(guess, target);
		if (x86.kind == SPT_X86_CALL && x86.number &&
		    guess_target_of(guess, at, &x86, &target))
			g_array_append_val(guess->starts, target);
		if (ends(&x86))
			return;
		at += x86.bytes;
		/* A call that does not return may be the last instruction. */
		if (at >= guess->n) {
			guess->is_bad = x86.kind != SPT_X86_CALL;
			return;
		}
	}
	if (!guess->is_bad)
		guess->flags[at] |= LEADER;
}

static void find_ways(struct guess *guess, size_t start)
{
	g_array_set_size(guess->seen, 0);
	g_array_set_size(guess->todo, 0);
	guess->is_bad = guess->has_end = guess->jumps_somewhere = false;
	guess->flags[start] |= LEADER;
	walk(guess, start);
	while (!guess->is_bad && guess->todo->len > 0) {
		size_t at = g_array_index(guess->todo, size_t, guess->todo->len - 1);

		g_array_set_size(guess->todo, guess->todo->len - 1);
		walk(guess, at);
	}
}

static struct state *state_at(const struct guess *guess, size_t at)
{
	return g_hash_table_lookup(guess->states, GSIZE_TO_POINTER(at + 1));
}

static bool is_as_given(const struct state *state)
{
	return is_same(state->registers[SPT_X86_SP], (struct value){ CFA, -8 });
}

/* A path reaches @at with @state. */
static void guess_arrive(struct guess *guess, size_t at, struct state *state)
{
	struct state *known = state_at(guess, at);

	if (!known && g_hash_table_size(guess->states) == INSTRUCTIONS_MAX) {
		guess->is_bad = true;
	} else if (!known) {
		g_hash_table_insert(guess->states, GSIZE_TO_POINTER(at + 1),
				    g_memdup2(state, sizeof(*state)));
		g_array_append_val(guess->todo, at);
	} else if (agree(known, state)) {
		g_array_append_val(guess->todo, at);
	}
}

static void leave_somewhere(struct guess *guess, struct state *state)
{
	if (guess->jumps_somewhere)
		agree(&guess->somewhere, state);
	else
		guess->somewhere = *state;
	guess->jumps_somewhere = true;
}

/* The path jumps from an instruction to another address. */
static void guess_leave(struct guess *guess, size_t at, const SptX86 *x86, struct state *state)
{
	size_t target;

	switch (x86->kind) {
	case SPT_X86_RETURN:
		guess->has_end = true;
		guess->is_bad |= !is_as_given(state);
		break;
	case SPT_X86_JUMP_SOMEWHERE:
		leave_somewhere(guess, state);
		break;
	case SPT_X86_JUMP:
	case SPT_X86_BRANCH:
		if (guess_target_of(guess, at, x86, &target)) {
			guess_arrive(guess, target, state);
			break;
		}
		guess->has_end = true;
		guess->is_bad |= !is_as_given(state);
		break;
	default:
		break;
	}
}

/* From a leader to the next one. */
static void guess_follow(struct guess *guess, size_t at)
{
	struct state state = *state_at(guess, at);
	SptX86 x86;

	for (;;) {
		if (guess->work == 0 || !guess_decode(guess, at, &x86)) {
			guess->is_bad = true;
			return;
		}
		guess->work--;
		guess_leave(guess, at, &x86, &state);
		if (ends(&x86))
			return;
		guess_execute(&state, &x86);
		at += x86.bytes;
		if (at >= guess->n)
			return;
		if (guess->flags[at] & LEADER) {
			guess_arrive(guess, at, &state);
			return;
		}
	}
}

static void guess_tell_one(struct guess *guess, const struct found_rule *found)
{
	/* Rules of the same function: another function's may be removed again. */
	struct found_rule *last =
		guess->found->len > guess->first_found ?
			&g_array_index(guess->found, struct found_rule, guess->found->len - 1) :
			NULL;

	if (last && last->at + last->bytes == found->at && !(guess->flags[found->at] & START) &&
	    memcmp(&last->rule, &found->rule, sizeof(found->rule)) == 0)
		last->bytes += found->bytes;
	else if (guess->found->len < FOUND_MAX)
		g_array_append_vals(guess->found, found, 1);
}

static void guess_tell(struct guess *guess)
{
	struct state state;
	bool is_known = false;
	size_t next = 0;

	guess->first_found = guess->found->len;
	for (unsigned i = 0; i < guess->seen->len; i++) {
		size_t at = g_array_index(guess->seen, size_t, i);
		const struct state *known = guess->flags[at] & LEADER ? state_at(guess, at) : NULL;
		struct found_rule found = { .at = (uint32_t)at };
		SptX86 x86;

		is_known = known || (is_known && at == next);
		if (known)
			state = *known;
		if (!is_known || !guess_decode(guess, at, &x86))
			continue;
		found.bytes = x86.bytes;
		if (guess_make_rule(&state, &found.rule))
			guess_tell_one(guess, &found);
		guess_execute(&state, &x86);
		next = at + x86.bytes;
	}
}

/* As if it had not been followed. */
static void guess_forget(struct guess *guess)
{
	for (unsigned i = 0; i < guess->seen->len; i++)
		guess->flags[g_array_index(guess->seen, size_t, i)] = 0;
}

/* Follows a function, or a part of one, that begins with @state. */
static bool follow_all(struct guess *guess, size_t start, struct state *state)
{
	find_ways(guess, start);
	g_array_set_size(guess->todo, 0);
	g_hash_table_remove_all(guess->states);
	if (!guess->is_bad)
		guess_arrive(guess, start, state);
	while (!guess->is_bad && guess->todo->len > 0) {
		size_t at = g_array_index(guess->todo, size_t, guess->todo->len - 1);

		g_array_set_size(guess->todo, guess->todo->len - 1);
		guess_follow(guess, at);
	}
	if (guess->is_bad || (!guess->has_end && !guess->jumps_somewhere))
		return false;
	if (guess->has_end)
		guess->pending = UINT32_MAX;
	else
		guess->pending = MIN(guess->pending, guess->found->len);
	guess_tell(guess);
	return true;
}

static void drop_pending(struct guess *guess)
{
	if (guess->pending != UINT32_MAX)
		g_array_set_size(guess->found, guess->pending);
	guess->pending = UINT32_MAX;
}

static void begin_function(struct guess *guess, size_t start)
{
	struct state state;

	drop_pending(guess);
	guess->flags[start] |= START;
	guess_enter(&state);
	follow_all(guess, start, &state);
}

static bool is_padding(const struct guess *guess, size_t at, size_t *ret_bytes)
{
	const uint8_t *code = guess->code + at;
	size_t left = guess->n - at, prefixes = 0;
	SptX86 x86;

	if (*code == 0 || *code == 0xcc) {
		*ret_bytes = 1;
		return true;
	}
	if (!spt_x86_decode(code, left, &x86))
		return false;
	*ret_bytes = x86.bytes;
	while (prefixes < x86.bytes && memchr("\x66\x2e\x48", code[prefixes], 3))
		prefixes++;
	code += prefixes;
	left = x86.bytes - prefixes;
	return (left == 1 && code[0] == 0x90) ||
	       (left >= 3 && code[0] == 0x0f && code[1] == 0x1f) ||
	       (left == 7 && code[0] == 0x8d && code[1] == 0xb4 && code[2] == 0x26) ||
	       (left == 4 && code[0] == 0x8d && code[1] == 0x74 && code[2] == 0x26) ||
	       (left == 2 && code[0] == 0x89 && code[1] == 0xf6);
}

static int by_place(const void *a, const void *b)
{
	const struct found_rule *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static void follow_starts(struct guess *guess)
{
	for (unsigned i = 0; i < guess->starts->len; i++) {
		size_t start = g_array_index(guess->starts, size_t, i);

		if (!(guess->flags[start] & SEEN))
			begin_function(guess, start);
	}
	g_array_set_size(guess->starts, 0);
}

/* Handles the code at @at, which no path has reached. */
static void follow_next(struct guess *guess, size_t at, bool is_padded)
{
	struct state state = guess->somewhere;

	if (guess->jumps_somewhere && (!is_padded || !is_as_given(&state))) {
		uint32_t found = guess->found->len;

		if (follow_all(guess, at, &state) && (guess->has_end || !is_padded)) {
			guess->somewhere = state;
			guess->jumps_somewhere = true;
			return;
		}
		g_array_set_size(guess->found, found);
		guess_forget(guess);
	}
	begin_function(guess, at);
}

static void follow_code(struct guess *guess)
{
	bool is_padded = true;
	size_t at = 0, bytes;

	while (at < guess->n && guess->work) {
		SptX86 x86;

		if (guess->flags[at] & SEEN) {
			at += guess_decode(guess, at, &x86) ? x86.bytes : 1;
			is_padded = false;
		} else if (is_padding(guess, at, &bytes)) {
			at += bytes;
			is_padded = true;
		} else {
			follow_next(guess, at, is_padded);
			/* Not even one instruction. */
			at += guess->flags[at] & SEEN ? 0 : 1;
		}
	}
}

/*
 * Functions that are known to begin there are followed first: what is before them may be no code,
 * and then its end is not known.  If that leads nowhere, it is as if they were not known.
 */
static void follow_labels(struct guess *guess, const SptLabel *labels, unsigned n,
			  bool are_functions)
{
	for (unsigned i = 0; i < n; i++) {
		size_t at = (size_t)labels[i].at;
		struct state state;

		if (labels[i].is_function != are_functions || labels[i].at >= guess->n ||
		    guess->flags[at] & SEEN)
			continue;
		drop_pending(guess);
		guess_enter(&state);
		if (follow_all(guess, at, &state))
			guess->flags[at] |= are_functions ? START | LABEL : START;
		else
			guess_forget(guess);
	}
}

void spt_guess_rules(const uint8_t *code, size_t n, const SptLabel *labels, unsigned n_labels,
		     SptGuessRow row, void *data)
{
	struct guess guess = { .code = code, .n = MIN(n, UINT32_MAX) };
	size_t end = 0;

	guess.work = guess.n * WORK_PER_BYTE;
	guess.flags = g_malloc0(guess.n + 1);
	guess.states = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	guess.starts = g_array_new(FALSE, FALSE, sizeof(size_t));
	guess.found = g_array_new(FALSE, FALSE, sizeof(struct found_rule));
	guess.seen = g_array_new(FALSE, FALSE, sizeof(size_t));
	guess.todo = g_array_new(FALSE, FALSE, sizeof(size_t));
	guess.pending = UINT32_MAX;
	follow_labels(&guess, labels, n_labels, true);
	follow_code(&guess);
	follow_labels(&guess, labels, n_labels, false);
	follow_starts(&guess);
	drop_pending(&guess);
	g_array_sort(guess.found, by_place);
	for (unsigned i = 0; i < guess.found->len; i++) {
		const struct found_rule *found = &g_array_index(guess.found, struct found_rule, i);

		/*
		 * Where two paths decode the same bytes as different instructions, the first one
		 * counts.
		 */
		if (found->at < end)
			continue;
		row(found->at, found->bytes, guess.flags[found->at] & START, &found->rule, data);
		end = found->at + found->bytes;
	}
	g_free(guess.flags);
	g_hash_table_unref(guess.states);
	g_array_unref(guess.starts);
	g_array_unref(guess.found);
	g_array_unref(guess.seen);
	g_array_unref(guess.todo);
}
