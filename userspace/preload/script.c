/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "script.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include "plain.h"
#include "rules.h"
#include "system.h"

struct spt_interpreter spt_interpreters[SPT_INTERPRETERS];
uint32_t spt_n_interpreters;
const struct spt_chains *spt_chains;
uint32_t spt_chains_seen, spt_chains_codes_seen;

void spt_chains_map(long fd)
{
	struct stat stat = { 0 };
	long at;

	if (spt_call(SYS_fstat, fd, &stat, 0, 0) || stat.st_size != sizeof(*spt_chains))
		return;
	at = spt_call6(SYS_mmap, 0, sizeof(*spt_chains), PROT_READ, MAP_SHARED, fd, 0);
	if (at < 0 && at > -4096)
		return;
	if (((const struct spt_chains *)at)->magic == SPT_CHAINS_MAGIC)
		spt_chains = (const void *)at;
	else
		spt_call(SYS_munmap, at, sizeof(*spt_chains), 0, 0);
}

static bool script_is_it(const struct spt_chains_entry *entry, const struct spt_code *code)
{
	bool is_named = entry->path_hash == spt_chains_hash(spt_code_name(code));

	/* Some file systems have another device in the list of mappings. */
	return code->inode ? entry->inode == code->inode &&
				     (is_named || entry->device == code->device) :
			     is_named;
}

/* Where the parts of the chain are.  The recorder has looked that they fit. */
static void script_fill(struct spt_interpreter *interpreter, const struct spt_code *code,
			const struct spt_chains_entry *entry)
{
	const struct sysprof_chain_header *chain = (const void *)entry->chain;
	const struct sysprof_chain_loop *loops = (const void *)(chain + 1);
	uint64_t begin = code->start - code->offset;

	interpreter->code = code;
	interpreter->chain = chain;
	interpreter->lists = (const void *)(loops + chain->n_loops);
	interpreter->spans = (const void *)(interpreter->lists + chain->n_lists);
	interpreter->insns = (const void *)(interpreter->spans + chain->n_spans);
	interpreter->bias = begin - (uint64_t)chain->address_minus_offset;
	for (unsigned i = 0; i < chain->n_loops && i < SYSPROF_CHAIN_MAX_LOOPS; i++) {
		interpreter->loops[i].start = begin + loops[i].start;
		interpreter->loops[i].end = begin + loops[i].end;
	}
}

/* False: it is known already, or there is no room. */
static bool add_interpreter(const struct spt_code *code, const struct spt_chains_entry *entry)
{
	uint32_t n = spt_n_interpreters;

	for (uint32_t i = 0; i < n; i++)
		if (spt_interpreters[i].code == code)
			return false;
	if (n == SPT_INTERPRETERS)
		return false;
	script_fill(&spt_interpreters[n], code, entry);
	/* Release: pairs with the acquire of those who look for one. */
	__atomic_store_n(&spt_n_interpreters, n + 1, __ATOMIC_RELEASE);
	return true;
}

__attribute__((noinline)) void spt_chains_look(void)
{
	static uint32_t is_looking;
	uint32_t n, n_codes = spt_code_count();
	const struct spt_code *code;
	bool has_new = false;

	/* A thread that comes meanwhile does without. */
	if (__atomic_exchange_n(&is_looking, 1, __ATOMIC_ACQUIRE))
		return;
	/* Acquire: pairs with the release by which the recorder adds one. */
	n = __atomic_load_n(&spt_chains->n, __ATOMIC_ACQUIRE);
	for (uint32_t i = 0; i < n_codes; i++) {
		code = spt_code_nth(i);
		for (uint32_t j = 0; code && j < n && j < SPT_CHAINS_MOST; j++)
			if (script_is_it(&spt_chains->entry[j], code))
				has_new |= add_interpreter(code, &spt_chains->entry[j]);
	}
	spt_chains_seen = n;
	spt_chains_codes_seen = n_codes;
	/* Stacks that are kept were walked without it. */
	if (has_new)
		spt_rules_forget();
	__atomic_store_n(&is_looking, 0, __ATOMIC_RELEASE);
}
