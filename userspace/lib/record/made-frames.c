/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/made-frames.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"
#include "record/script-names.h"
#include "scripts/chain-steps.h"
#include "unwind/arch.h"
#include "unwind/straight.h"

#define PAGE 4096u
#define PAGES 512u
/* What is so near above the end of the copy is the rest of the stack, which has changed since. */
#define STACK_BYTES (128u << 10)
#define SPACES 64u
#define OWNERS 64u
/* The frame pointer, by its DWARF number. */
#define FP_BIT (1ULL << 6)
#define TRAMPOLINES 256u
/* What a page that has to be read takes of a stack's fuel: a stranger chooses how many. */
#define PAGE_FUEL 64
#define PAGE_OF_OTHERS_FUEL 512
#define NUMBERS_MAX (1u << 16)

/* Code is made all the time: only what was read after a tick has what was there by then. */
struct page {
	uint64_t mm, number;
	uint64_t read_ns;		/* 0: never */
	bool is_there;
	bool is_refused;		/* the process may not be read, or has ended */
	uint8_t bytes[PAGE];
};

/* Which chain a space has, by its version. */
struct known_space {
	uint64_t version;		/* 0: none yet */
	unsigned n_chains;		/* that were known then */
	const SptChainSteps *steps;	/* NULL: none */
	uint64_t bias;
	uint32_t object;
};

/* What the code at an address does until it returns. */
struct trampoline {
	uint64_t mm, ip;
	uint64_t read_ns;		/* 0: nothing yet */
	bool is_known;
	SptStraight straight;
};

/* Whose a process is. */
struct owner {
	uint64_t mm;
	bool is_own;			/* the user's who records */
};

struct made_code {
	uint64_t mm, code, identity;
};

struct SptMadeFrames {
	SptOutput *output;
	SptProcFiles *files;
	bool keeps_native;
	GHashTable *chains;		/* object -> SptChainSteps */
	struct known_space spaces[SPACES];
	struct owner owners[OWNERS];
	struct trampoline trampolines[TRAMPOLINES];
	GHashTable *numbers;		/* struct made_code -> uint64_t */
	struct page *pages;		/* NULL: nothing was read yet */
	/* The present stack: */
	const struct known_space *space;
	uint64_t mm, base, copied;
	uint32_t pid;
	const uint8_t *stack;
	uint64_t time;			/* of its tick */
	bool is_cut;			/* something beyond the copy was asked for */
	bool is_x86;
	bool is_refused;		/* the process may not be read, or has ended */
	SptChainMemo *memo;
	SptChainRun run;
};

static unsigned hash_made_code(const void *key)
{
	const struct made_code *code = key;

	return (unsigned)((code->mm ^ code->code ^ code->identity) * 0x9e3779b97f4a7c15u >> 32);
}

static gboolean is_same_made_code(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct made_code)) == 0;
}

SptMadeFrames *spt_made_frames_new(SptOutput *output, SptProcFiles *files, bool keeps_native)
{
	SptMadeFrames *frames = g_new0(SptMadeFrames, 1);

	frames->output = output;
	frames->files = files;
	frames->keeps_native = keeps_native;
	frames->chains = g_hash_table_new_full(NULL, NULL, NULL,
					       (GDestroyNotify)spt_chain_steps_free);
	frames->numbers =
		g_hash_table_new_full(hash_made_code, is_same_made_code, g_free, g_free);
	return frames;
}

void spt_made_frames_free(SptMadeFrames *frames)
{
	if (!frames)
		return;
	g_hash_table_unref(frames->chains);
	g_hash_table_unref(frames->numbers);
	g_free(frames->pages);
	spt_chain_memo_free(frames->memo);
	g_free(frames);
}

void spt_made_frames_chain(SptMadeFrames *frames, uint32_t object, GBytes *chain)
{
	SptChainSteps *steps = spt_chain_steps_new(chain);

	if (!steps)
		return;
	/* Stacks refer to those that are here. */
	if (g_hash_table_contains(frames->chains, GUINT_TO_POINTER(object)))
		spt_chain_steps_free(steps);
	else
		g_hash_table_insert(frames->chains, GUINT_TO_POINTER(object), steps);
	if (!frames->memo)
		frames->memo = spt_chain_memo_new();
}

/* NULL: it has no chain. */
static const struct known_space *made_frames_space(SptMadeFrames *frames, const SptSpace *space)
{
	uint64_t version = spt_space_version(space);
	unsigned n, n_chains = g_hash_table_size(frames->chains);
	struct known_space *known = &frames->spaces[version % SPACES];
	const SptMap *maps;

	if (!n_chains)
		return NULL;
	if (known->version == version && known->n_chains == n_chains)
		return known->steps ? known : NULL;
	*known = (struct known_space){ .version = version, .n_chains = n_chains };
	maps = spt_space_maps(space, &n);
	for (unsigned i = 0; i < n && !known->steps; i++) {
		known->steps =
			g_hash_table_lookup(frames->chains, GUINT_TO_POINTER(maps[i].object));
		known->object = maps[i].object;
		known->bias = maps[i].start - maps[i].offset;
	}
	if (!known->steps)
		return NULL;
	known->bias -= (uint64_t)spt_chain_steps_difference(known->steps);
	return known;
}

bool spt_made_frames_are_in(SptMadeFrames *frames, const SptSpace *space)
{
	return made_frames_space(frames, space) != NULL;
}

/* Memory. */

/*
 * By all of its ids: "Uid:\t1000\t1000\t1000\t1000".  That file needs no lock which the process can
 * hold.  False: it has ended.
 */
static bool made_frames_find_owner(const SptMadeFrames *frames, struct owner *ret)
{
	g_autofree char *path = g_strdup_printf("/proc/%u/status", frames->pid), *status = NULL;
	char *at = NULL;

	if (g_file_get_contents(path, &status, NULL, NULL))
		at = strstr(status, "\nUid:");
	if (!at)
		return false;
	at += strlen("\nUid:");
	*ret = (struct owner){ frames->mm, true };
	for (unsigned i = 0; i < 4; i++)
		ret->is_own &= strtoul(at, &at, 10) == geteuid();
	return true;
}

static bool made_frames_is_own(SptMadeFrames *frames)
{
	struct owner *owner = &frames->owners[frames->mm % OWNERS];

	if (owner->mm == frames->mm)
		return owner->is_own;
	return made_frames_find_owner(frames, owner) && owner->is_own;
}

static bool made_frames_read_page(SptMadeFrames *frames, struct page *page, bool is_own)
{
	struct iovec to = { page->bytes, PAGE },
		     from = { (void *)(uintptr_t)(page->number * PAGE), PAGE };
	g_autofree char *data = NULL;
	gsize bytes;

	if (is_own) {
		ssize_t n = process_vm_readv((pid_t)frames->pid, &to, 1, &from, 1, 0);

		page->is_refused = n < 0 && errno != EFAULT;
		return n == (ssize_t)PAGE;
	}
	data = spt_proc_files_read_at(frames->files, frames->pid, "mem", page->number * PAGE, PAGE,
				      &bytes);
	page->is_refused = !data;
	if (!data || bytes != PAGE)
		return false;
	memcpy(page->bytes, data, PAGE);
	return true;
}

static const struct page *made_frames_page(SptMadeFrames *frames, uint64_t number)
{
	struct page *page;
	bool is_own;

	if (!frames->pages)
		frames->pages = g_new0(struct page, PAGES);
	page = &frames->pages[(number ^ frames->mm * 7) % PAGES];
	if (page->number == number && page->mm == frames->mm && page->read_ns > frames->time)
		return page;
	page->number = number;
	page->mm = frames->mm;
	page->read_ns = spt_clock_ns(CLOCK_MONOTONIC);
	is_own = made_frames_is_own(frames);
	frames->run.fuel -= is_own ? PAGE_FUEL : PAGE_OF_OTHERS_FUEL;
	page->is_there = made_frames_read_page(frames, page, is_own);
	return page;
}

static bool made_frames_read(uint64_t address, void *to, unsigned bytes, void *data)
{
	SptMadeFrames *frames = data;
	uint64_t at = address - frames->base;
	uint8_t *next = to;

	/* Below the stack pointer nothing is kept. */
	if (-at <= STACK_BYTES && at)
		return false;
	if (at < frames->copied + STACK_BYTES) {
		if (at >= frames->copied || frames->copied - at < bytes) {
			frames->is_cut = true;
			return false;
		}
		memcpy(to, frames->stack + at, bytes);
		return true;
	}
	while (bytes > 0) {
		const struct page *page = made_frames_page(frames, address / PAGE);
		unsigned n = MIN(bytes, PAGE - (unsigned)(address % PAGE));

		if (!page->is_there) {
			frames->is_refused |= page->is_refused;
			return false;
		}
		memcpy(next, page->bytes + address % PAGE, n);
		next += n;
		address += n;
		bytes -= n;
	}
	return true;
}

/* A stack. */

bool spt_made_frames_begin(SptMadeFrames *frames, const SptSpace *space,
			   const struct sysprof_sample *sample, const struct sysprof_raw *raw)
{
	const SptUnwindArch *arch = spt_unwind_arch(raw->arch);

	frames->run.n = 0;
	if (!arch)
		return false;
	frames->space = made_frames_space(frames, space);
	frames->mm = sample->mm;
	frames->pid = sample->record.pid;
	frames->base = raw->regs[arch->raw[arch->sp]];
	frames->copied = raw->stack_bytes;
	frames->stack = (const uint8_t *)&raw->regs[raw->n_regs];
	frames->time = sample->record.time;
	frames->is_cut = false;
	frames->is_refused = false;
	frames->is_x86 = raw->arch == EM_X86_64;
	if (!frames->space)
		return true;
	spt_chain_begin(&frames->run, frames->space->steps, frames->space->bias,
			made_frames_read, frames);
	spt_chain_remember(&frames->run, frames->memo, frames->mm);
	return true;
}

static const struct trampoline *made_frames_trampoline(SptMadeFrames *frames, uint64_t ip)
{
	struct trampoline *trampoline =
		&frames->trampolines[(ip ^ ip >> 12 ^ frames->mm) % TRAMPOLINES];
	uint8_t code[SPT_STRAIGHT_BYTES];
	unsigned n = sizeof(code);

	if (trampoline->mm == frames->mm && trampoline->ip == ip &&
	    trampoline->read_ns > frames->time)
		return trampoline;
	*trampoline = (struct trampoline){ .mm = frames->mm,
					   .ip = ip,
					   .read_ns = spt_clock_ns(CLOCK_MONOTONIC) };
	/* The next page may be none. */
	if (!made_frames_read(ip, code, n, frames)) {
		n = PAGE - (unsigned)(ip % PAGE);
		if (n >= sizeof(code) || !made_frames_read(ip, code, n, frames))
			return trampoline;
	}
	trampoline->is_known = spt_straight_find(code, n, &trampoline->straight);
	return trampoline;
}

/* What was called, and whose code leads straight to its return. */
static SptUnwindMadeIs made_frames_find_straight(SptMadeFrames *frames, SptUnwindMade *made)
{
	const struct trampoline *trampoline;
	const SptStraight *straight;
	uint64_t base, fp = 0, at;

	if (!frames->is_x86 || made->is_exact || !made_frames_is_own(frames))
		return SPT_UNWIND_MADE_UNKNOWN;
	trampoline = made_frames_trampoline(frames, made->ip);
	straight = &trampoline->straight;
	if (!trampoline->is_known || (straight->from_fp && !made->fp))
		return SPT_UNWIND_MADE_UNKNOWN;
	base = straight->from_fp ? made->fp : made->sp;
	at = base + (uint64_t)(int64_t)straight->return_offset;
	if (at < made->sp || at % 8)
		return SPT_UNWIND_MADE_UNKNOWN;
	frames->is_cut = false;
	if (!made_frames_read(at, &made->ip, sizeof(made->ip), frames) ||
	    (straight->has_fp &&
	     !made_frames_read(base + (uint64_t)(int64_t)straight->fp_offset, &fp, sizeof(fp),
			       frames)))
		return frames->is_cut ? SPT_UNWIND_MADE_CUT : SPT_UNWIND_MADE_UNKNOWN;
	/* Of those that calls preserve both have the same numbers, but for the frame pointer. */
	made->known &= ~(uint64_t)straight->writes | FP_BIT;
	if (straight->has_fp) {
		made->fp = fp;
		made->known |= FP_BIT;
	} else if (!straight->keeps_fp) {
		made->known &= ~FP_BIT;
	}
	made->sp = at + 8;
	return SPT_UNWIND_MADE_CALLER;
}

static SptUnwindMadeIs made_frames_find_by_chain(SptMadeFrames *frames, SptUnwindMade *made)
{
	SptChainPlace place = { made->fp, made->sp, made->ip, made->is_exact };
	SptChainEnd end = spt_chain_step(&frames->run, &place, made->registers, made->known,
					 made->number);

	if (end == SPT_CHAIN_UNKNOWN || (end == SPT_CHAIN_ENDS && frames->is_refused))
		return SPT_UNWIND_MADE_UNKNOWN;
	if (end == SPT_CHAIN_ENDS)
		return frames->is_cut ? SPT_UNWIND_MADE_CUT : SPT_UNWIND_MADE_BAD;
	made->known = FP_BIT;
	made->fp = place.fp;
	made->sp = place.sp;
	made->ip = place.ip;
	return SPT_UNWIND_MADE_CALLER;
}

bool spt_made_frames_has_any(const SptMadeFrames *frames)
{
	return frames->run.n > 0;
}

/* A space may make any number of codes: their numbers are given anew from time to time. */
static void made_frames_forget(SptMadeFrames *frames)
{
	SptScriptNames *names = spt_output_scripts(frames->output);
	GHashTableIter iter;
	void *value;

	g_hash_table_iter_init(&iter, frames->numbers);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		spt_script_names_drop(names, *(uint64_t *)value);
	g_hash_table_remove_all(frames->numbers);
}

/* The number of the function; 0: there are no more. */
static uint64_t made_frames_number(SptMadeFrames *frames, const SptChainFrame *frame)
{
	SptScriptNames *names = spt_output_scripts(frames->output);
	struct made_code key = { frames->mm, frame->code, frame->identity };
	uint64_t *number = g_hash_table_lookup(frames->numbers, &key), next;
	g_autofree struct sysprof_code *code = NULL;
	SptObjectRow row;

	if (number)
		return *number;
	if (g_hash_table_size(frames->numbers) >= NUMBERS_MAX)
		made_frames_forget(frames);
	next = spt_script_names_new_number(names);
	if (!next)
		return 0;
	code = spt_chain_names(frames->space->steps, frames->space->bias, frame->code,
			       made_frames_read, frames);
	code->code = next;
	code->object = frames->space->object;
	if (spt_script_names_take(names, code, &row))
		spt_output_object(frames->output, &row, 0);
	g_hash_table_insert(frames->numbers, g_memdup2(&key, sizeof(key)),
			    g_memdup2(&next, sizeof(next)));
	return next;
}

SptUnwindMadeIs spt_made_frames_find(SptMadeFrames *frames, SptUnwindMade *made)
{
	SptUnwindMadeIs is = frames->space ? made_frames_find_by_chain(frames, made) :
					     SPT_UNWIND_MADE_UNKNOWN;

	return is == SPT_UNWIND_MADE_UNKNOWN ? made_frames_find_straight(frames, made) : is;
}

unsigned spt_made_frames_put(SptMadeFrames *frames, const SptUnwindFrame *native, unsigned n,
			     __u64 *to, unsigned most)
{
	unsigned n_put = 0, at = 0;

	for (unsigned i = 0; i < n && n_put < most; i++) {
		unsigned first = at;

		for (; at < frames->run.n && frames->run.frames[at].native <= i && n_put < most;
		     at++) {
			const SptChainFrame *frame = &frames->run.frames[at];

			to[n_put++] = SYSPROF_FRAME_SCRIPT |
				      made_frames_number(frames, frame)
					      << SYSPROF_FRAME_CODE_SHIFT |
				      MIN(frame->position, SYSPROF_POSITION_NOT_TOLD);
		}
		/* Behind another frame it is taken for a return address. */
		if ((at == first || frames->keeps_native) && n_put < most) {
			to[n_put] = native[i].ip + (n_put > 0 && native[i].is_exact);
			n_put++;
		}
	}
	return n_put;
}
