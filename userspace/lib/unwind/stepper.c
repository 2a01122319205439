/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One step: the frame's rule gives the CFA, and from it the return address and the registers that
 * the caller needs.  The rule is looked up once per address and remembered, as most ticks find most
 * functions at calls that were seen before.
 */
#include "unwind/stepper.h"

#include <string.h>

#define REMEMBERED (1u << 12)
/* Beyond this distance from the stack pointer it is not a stack that was cut, but no stack. */
#define STACK_MAX_BYTES (1ULL << 30)
/*
 * The bytes that a function may use below its stack pointer, and the size of a frame whose function
 * does so.
 */
#define RED_ZONE_BYTES 128
#define SEARCHED_BYTES 4096

struct remembered {
	uint64_t space, ip;
	const SptUnwindRule *rule;	/* NULL: no code */
	const SptUnwindRule *behind;	/* spt_unwind_table_behind() */
	bool is_made;
};

struct SptUnwinder {
	SptUnwindFind find;
	SptUnwindFindMade find_made;	/* NULL: nobody knows */
	void *data;
	uint64_t depth;			/* of the last walk */
	struct remembered remembered[REMEMBERED];
};

struct walk {
	SptUnwinder *unwinder;
	uint64_t space;
	const SptUnwindArch *arch;
	uint64_t registers[SPT_UNWIND_REGISTERS];
	uint64_t known;			/* bits: registers that are known */
	uint64_t keeps;			/* those of them that a call preserves */
	uint64_t ip;
	bool is_exact;
	bool is_made;			/* the frame is in code of no file */
	const uint8_t *stack;
	uint64_t base, bytes;		/* address of the copy, and its size */
	bool is_cut;
	SptUnwindEnd end;
};

/* The function has no rules: maybe it keeps a frame pointer.  The same on all machines. */
static const SptUnwindRule by_frame_pointer;

SptUnwinder *spt_unwinder_new(SptUnwindFind find, void *data)
{
	SptUnwinder *unwinder = g_new0(SptUnwinder, 1);

	unwinder->find = find;
	unwinder->data = data;
	return unwinder;
}

void spt_unwinder_ask_made(SptUnwinder *unwinder, SptUnwindFindMade find)
{
	unwinder->find_made = find;
}

void spt_unwinder_free(SptUnwinder *unwinder)
{
	g_free(unwinder);
}

void spt_unwinder_forget(SptUnwinder *unwinder)
{
	/* An empty slot reads as address 0 of space 0: no code, which is correct. */
	memset(unwinder->remembered, 0, sizeof(unwinder->remembered));
}

static size_t stepper_slot_of(uint64_t space, uint64_t ip)
{
	return ((ip ^ space << 40) * 0x9e3779b97f4a7c15u) >> 52 & (REMEMBERED - 1);
}

static const struct remembered *stepper_look_up(SptUnwinder *unwinder, uint64_t space, uint64_t ip)
{
	struct remembered *remembered = &unwinder->remembered[stepper_slot_of(space, ip)];
	SptUnwindPlace place = { 0 };

	if (remembered->ip == ip && remembered->space == space)
		return remembered;
	*remembered = (struct remembered){ .space = space, .ip = ip };
	if (unwinder->find(space, ip, &place, unwinder->data)) {
		remembered->rule = place.table ? spt_unwind_table_find(place.table, place.offset) :
						 &by_frame_pointer;
		if (remembered->rule->cfa == SYSPROF_CFA_UNKNOWN)
			remembered->rule = &by_frame_pointer;
		remembered->is_made = place.is_made;
		if (place.table)
			remembered->behind = spt_unwind_table_behind(place.table, place.offset);
	} else {
		/* It may be found later. */
		remembered->space = 0;
	}
	return remembered;
}

/* NULL: there is no code. */
static const SptUnwindRule *stepper_find_rule(SptUnwinder *unwinder, uint64_t space, uint64_t ip)
{
	return stepper_look_up(unwinder, space, ip)->rule;
}

/*
 * The rule of the frame that @walk is at.  A return address is looked up one byte before, where the
 * call is.  But one that no call has left can be a function's first byte: makecontext() puts
 * __start_context() there, and other libraries with stacks of their own do likewise.  Such a
 * function was not called, so that it is the last one, unless it returns from a signal.  @is_guess:
 * what led here may be wrong, and any function's address may lie on a stack.
 */
static const SptUnwindRule *find_frame(struct walk *walk, bool is_guess)
{
	static const SptUnwindRule put_there = { .cfa = SYSPROF_CFA_REGISTER };
	const struct remembered *found =
		stepper_look_up(walk->unwinder, walk->space, walk->ip - !walk->is_exact);

	walk->is_made = found->is_made;
	if (walk->is_exact || is_guess || !found->behind)
		return found->rule;
	walk->is_exact = true;
	return found->behind->cfa == SYSPROF_CFA_SIGNAL ? found->behind : &put_there;
}

/* The word at @address.  False: it was not copied, and walk->end has the reason. */
static bool stepper_read_word(struct walk *walk, uint64_t address, uint64_t *ret)
{
	uint64_t at = address - walk->base;

	if (at < walk->bytes && walk->bytes - at >= 8) {
		memcpy(ret, walk->stack + at, 8);
		return true;
	}
	walk->end = walk->is_cut && at < STACK_MAX_BYTES ? SPT_UNWIND_CUT : SPT_UNWIND_BAD_MEMORY;
	return false;
}

static bool get_register(struct walk *walk, unsigned number, uint64_t *ret)
{
	*ret = walk->registers[number];
	if (walk->known >> number & 1)
		return true;
	walk->end = SPT_UNWIND_BAD_MEMORY;
	return false;
}

static bool return_from_signal(struct walk *walk)
{
	const SptUnwindArch *arch = walk->arch;
	uint64_t sp = walk->registers[arch->sp];

	if (!stepper_read_word(walk, sp + arch->signal_ip, &walk->ip))
		return false;
	for (unsigned i = 0; i < arch->n_registers; i++)
		if (!stepper_read_word(walk, sp + arch->signal[i], &walk->registers[i]))
			return false;
	walk->known = UINT64_MAX;
	walk->is_exact = true;
	return true;
}

static bool is_return_address(struct walk *walk, uint64_t ip)
{
	const SptUnwindRule *rule =
		ip ? stepper_find_rule(walk->unwinder, walk->space, ip - 1) : NULL;

	return rule && rule != &by_frame_pointer;
}

/*
 * OpenSSL's SHA-512 with AVX2 keeps the stack pointer that it began with below its own, where a
 * copy of the stack does not reach, and once more at the top of its frame.  No other word of that
 * frame leads to a return address.
 */
static bool find_kept_above(struct walk *walk, const SptUnwindRule *rule, uint64_t below,
			    uint64_t *ret)
{
	int64_t to_ip = (int64_t)rule->cfa_add + (int64_t)rule->ra_offset;
	uint64_t sp = walk->registers[walk->arch->sp], ip;
	SptUnwindEnd end = walk->end;
	bool found = false;

	if (!walk->is_exact || rule->ra != SYSPROF_RA_MEMORY || below >= sp ||
	    below < sp - RED_ZONE_BYTES)
		return false;
	for (uint64_t at = sp;
	     !found && at < sp + SEARCHED_BYTES && stepper_read_word(walk, at, ret); at += 8)
		found = *ret > at && *ret < at + SEARCHED_BYTES && *ret % 8 == 0 &&
			stepper_read_word(walk, *ret + to_ip, &ip) && is_return_address(walk, ip);
	walk->end = end;
	return found;
}

static bool get_cfa(struct walk *walk, const SptUnwindRule *rule, uint64_t *ret)
{
	uint64_t based, index = 0;

	if (!get_register(walk, rule->cfa_register, &based))
		return false;
	if (rule->cfa == SYSPROF_CFA_INDEXED && !get_register(walk, rule->index_register, &index))
		return false;
	based += (uint64_t)(int64_t)rule->cfa_offset + 8 * index;
	switch (rule->cfa) {
	case SYSPROF_CFA_REGISTER:
	case SYSPROF_CFA_SWITCH:
		*ret = based;
		return true;
	case SYSPROF_CFA_PLT:
		*ret = based + ((walk->ip & 15) >= rule->plt_from ? 8 : 0);
		return true;
	default:
		if (!stepper_read_word(walk, based, ret) &&
		    !find_kept_above(walk, rule, based, ret))
			return false;
		*ret += (int64_t)rule->cfa_add;
		return true;
	}
}

/* The values that the caller will find in the registers that a function has to keep. */
static void stepper_restore_saved(struct walk *walk, const SptUnwindRule *rule, uint64_t cfa)
{
	uint64_t fp = walk->registers[walk->arch->fp], sp = walk->registers[walk->arch->sp];
	unsigned slots = rule->at_cfa | rule->at_fp;
	SptUnwindEnd end = walk->end;

	for (; slots; slots &= slots - 1) {
		unsigned slot = __builtin_ctz(slots), number = walk->arch->saved[slot];
		uint64_t address = (rule->at_cfa >> slot & 1 ? cfa : fp) + rule->saved[slot] * 8LL;

		/* It is below the stack pointer: it was restored already, and is where it was. */
		if (walk->is_exact && address < sp && address >= sp - 4096)
			continue;
		if (stepper_read_word(walk, address, &walk->registers[number]))
			walk->known |= 1ULL << number;
		else
			walk->known &= ~(1ULL << number);
	}
	for (slots = rule->lost; slots; slots &= slots - 1)
		walk->known &= ~(1ULL << walk->arch->saved[__builtin_ctz(slots)]);
	walk->end = end;
}

/* False: no caller can be found, and walk->end has the reason. */
static bool stepper_step_by_rule(struct walk *walk, const SptUnwindRule *rule)
{
	const SptUnwindArch *arch = walk->arch;
	uint64_t sp = walk->registers[arch->sp], cfa, ip;

	walk->end = SPT_UNWIND_ROOT;
	if (rule->cfa == SYSPROF_CFA_SIGNAL)
		return return_from_signal(walk);
	if (rule->ra == SYSPROF_RA_NONE || !get_cfa(walk, rule, &cfa))
		return false;
	/*
	 * Only interrupted code can have nothing on the stack: a leaf where calls do not push, or
	 * vfork(), which takes its return address off it.
	 */
	if (rule->cfa != SYSPROF_CFA_SWITCH &&
	    (cfa < sp || (cfa == sp && (rule->ra != SYSPROF_RA_REGISTER || !walk->is_exact)))) {
		walk->end = SPT_UNWIND_BAD_MEMORY;
		return false;
	}
	if (rule->ra == SYSPROF_RA_MEMORY ?
		    !stepper_read_word(walk, cfa + (int64_t)rule->ra_offset, &ip) :
		    !get_register(walk, rule->ra_register, &ip))
		return false;
	stepper_restore_saved(walk, rule, cfa);
	walk->known &= walk->keeps;
	walk->registers[arch->sp] = cfa;
	walk->ip = ip & arch->address_mask;
	walk->is_exact = rule->is_signal;
	return walk->ip != 0;
}

/*
 * The frame pointer of a function that keeps one points at the caller's, with the return address
 * above it.  It is 0 in the outermost frame, as the calling conventions ask for: the dynamic
 * linker's first function has no other information.
 */
static bool stepper_step_by_frame_pointer(struct walk *walk)
{
	unsigned fp = walk->arch->fp;
	uint64_t at, sp = walk->registers[walk->arch->sp], next, ip;
	bool is_known = get_register(walk, fp, &at);

	walk->end = SPT_UNWIND_NO_INFO;
	if (is_known && at == 0 && !walk->is_exact)
		walk->end = SPT_UNWIND_ROOT;
	if (!is_known || at < sp || at % 8)
		return false;
	if (!stepper_read_word(walk, at, &next) || !stepper_read_word(walk, at + 8, &ip)) {
		/* A pointer beyond the copy is as good as any. */
		if (walk->end != SPT_UNWIND_CUT)
			walk->end = SPT_UNWIND_NO_INFO;
		return false;
	}
	walk->registers[fp] = next;
	walk->registers[walk->arch->sp] = at + 16;
	walk->known = 1ULL << fp | 1ULL << walk->arch->sp;
	walk->ip = ip & walk->arch->address_mask;
	walk->is_exact = false;
	walk->end = SPT_UNWIND_ROOT;
	return walk->ip != 0;
}

/* The frame with number @number, in code of no file.  False: it is the last one. */
static bool stepper_step_in_made(struct walk *walk, unsigned number, bool *ret_is_known)
{
	unsigned fp = walk->arch->fp, sp = walk->arch->sp;
	SptUnwindMade made = { .number = number,
			       .registers = walk->registers,
			       .known = walk->known,
			       .fp = walk->known >> fp & 1 ? walk->registers[fp] : 0,
			       .sp = walk->registers[sp],
			       .ip = walk->ip,
			       .is_exact = walk->is_exact };
	SptUnwindMadeIs is = walk->unwinder->find_made(&made, walk->unwinder->data);

	*ret_is_known = is != SPT_UNWIND_MADE_UNKNOWN;
	walk->end = is == SPT_UNWIND_MADE_CUT && walk->is_cut ? SPT_UNWIND_CUT :
								SPT_UNWIND_BAD_MEMORY;
	if (is != SPT_UNWIND_MADE_CALLER)
		return false;
	walk->registers[fp] = made.fp;
	walk->registers[sp] = made.sp;
	walk->known = (made.known & walk->keeps) | 1ULL << sp;
	walk->ip = made.ip & walk->arch->address_mask;
	walk->is_exact = false;
	walk->end = SPT_UNWIND_ROOT;
	return walk->ip != 0;
}

bool spt_unwind_raw_is_whole(const struct sysprof_raw *raw, size_t bytes)
{
	const SptUnwindArch *arch = bytes >= sizeof(*raw) ? spt_unwind_arch(raw->arch) : NULL;

	return arch && raw->n_regs == arch->n_raw && raw->stack_bytes <= bytes &&
		bytes - raw->stack_bytes >= sizeof(*raw) + raw->n_regs * sizeof(raw->regs[0]);
}

static void stepper_begin(struct walk *walk, SptUnwinder *unwinder, uint64_t space,
			  const struct sysprof_raw *raw)
{
	const SptUnwindArch *arch = spt_unwind_arch(raw->arch);

	walk->unwinder = unwinder;
	walk->space = space;
	walk->arch = arch;
	for (unsigned i = 0; i < arch->n_registers; i++)
		walk->registers[i] = raw->regs[arch->raw[i]];
	walk->keeps = 1ULL << arch->sp;
	for (unsigned i = 0; i < arch->n_saved; i++)
		walk->keeps |= 1ULL << arch->saved[i];
	walk->known = UINT64_MAX;
	walk->ip = raw->regs[arch->raw_ip];
	walk->is_exact = true;
	walk->stack = (const uint8_t *)&raw->regs[raw->n_regs];
	walk->base = walk->registers[arch->sp];
	walk->bytes = raw->stack_bytes;
	walk->is_cut = raw->stack_bytes >= raw->wanted_bytes;
}

unsigned spt_unwinder_walk(SptUnwinder *unwinder, uint64_t space, const struct sysprof_raw *raw,
			   SptUnwindFrame *frames, unsigned max, SptUnwindEnd *ret_end)
{
	struct walk walk;
	bool is_guess = false, is_known;
	unsigned n = 0;

	stepper_begin(&walk, unwinder, space, raw);
	for (;;) {
		const SptUnwindRule *rule = find_frame(&walk, is_guess);

		if (!rule && n) {
			walk.end = is_guess ? SPT_UNWIND_NO_INFO : SPT_UNWIND_UNMAPPED;
			break;
		}
		if (n == max) {
			walk.end = SPT_UNWIND_LIMIT;
			break;
		}
		frames[n++] = (SptUnwindFrame){ walk.ip, walk.is_exact };
		/*
		 * A call to nowhere has left the return address on top of the stack; other causes
		 * are not known.
		 */
		if (!rule) {
			walk.end = SPT_UNWIND_UNMAPPED;
			break;
		}
		is_guess = rule == &by_frame_pointer;
		if (is_guess && walk.is_made && unwinder->find_made) {
			if (stepper_step_in_made(&walk, n - 1, &is_known)) {
				is_guess = false;
				continue;
			}
			if (is_known)
				break;
		}
		if (is_guess ? !stepper_step_by_frame_pointer(&walk) :
			       !stepper_step_by_rule(&walk, rule))
			break;
	}
	*ret_end = walk.end;
	unwinder->depth = walk.registers[walk.arch->sp] - walk.base;
	return n;
}

/*
 * Whether the frame pointer that the function had when it called leads to its caller's, and to its
 * return address.  Or, as Go's assembly does, it called without a frame of its own; then its caller
 * is missing, whose frame pointer that was.
 */
static bool has_frame_pointer(const SptUnwindArch *arch, const SptUnwindRule *rule)
{
	for (unsigned i = 0; i < arch->n_saved; i++) {
		if (arch->saved[i] != arch->fp)
			continue;
		if (rule->at_cfa >> i & 1)
			return rule->ra == SYSPROF_RA_MEMORY &&
			       rule->saved[i] * 8 + 8 == rule->ra_offset;
		return arch->calls_push && rule->cfa == SYSPROF_CFA_REGISTER &&
		       rule->cfa_register == arch->sp && rule->cfa_offset == 8 &&
		       !((rule->at_fp | rule->lost) >> i & 1);
	}
	return false;
}

/* Where the last of @frames is in @chain: as often as it was called.  @n_chain: it is not there. */
static unsigned place_in_chain(const __u64 *chain, unsigned n_chain,
			       const SptUnwindFrame *frames, unsigned n)
{
	unsigned times = 0, at;

	for (unsigned i = 1; i < n; i++)
		times += frames[i].ip == frames[n - 1].ip;
	for (at = 1; at < n_chain; at++)
		if (chain[at] == frames[n - 1].ip && --times == 0)
			return at;
	return n_chain;
}

unsigned spt_unwinder_follow(SptUnwinder *unwinder, uint64_t space, const struct sysprof_raw *raw,
			     const __u64 *chain, unsigned n_chain, SptUnwindFrame *frames,
			     unsigned n, unsigned max, SptUnwindEnd *end)
{
	const SptUnwindArch *arch = spt_unwind_arch(raw->arch);
	const SptUnwindRule *rule;

	if ((*end != SPT_UNWIND_CUT && *end != SPT_UNWIND_BAD_MEMORY) || n < 2)
		return n;
	rule = stepper_find_rule(unwinder, space, frames[n - 1].ip - 1);
	for (unsigned at = place_in_chain(chain, n_chain, frames, n) + 1;
	     at < n_chain && rule && has_frame_pointer(arch, rule); at++) {
		rule = stepper_find_rule(unwinder, space, chain[at] - 1);
		if (!rule || n == max) {
			*end = rule ? SPT_UNWIND_LIMIT : SPT_UNWIND_UNMAPPED;
			break;
		}
		frames[n++] = (SptUnwindFrame){ .ip = chain[at] };
		if (rule->ra == SYSPROF_RA_NONE)
			*end = SPT_UNWIND_ROOT;
	}
	return n;
}

uint64_t spt_unwinder_depth(const SptUnwinder *unwinder)
{
	return unwinder->depth;
}
