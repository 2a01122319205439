/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An interpreter of call frame information, as far as it can be needed at a call: the stack
 * pointer, the frame pointer, and the form in which GCC and Clang align stacks.
 */
#include "rules.h"

#include "cfi.h"
#include "code.h"
#include "plain.h"

struct spt_known_rule spt_known_rules[2 * SPT_MOST_RULES];
uint32_t spt_rule_places = SPT_LEAST_RULES;
uint32_t spt_generation;
/* Rules that were put into the latest table. */
static uint32_t n_learned;

/*
 * The code to which a signal handler returns, where no rule describes it: mov $15, %rax; syscall,
 * or mov x8, #139; svc #0.
 */
static bool is_sigreturn(uint64_t address)
{
#ifdef __x86_64__
	static const uint8_t code[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
#else
	static const uint8_t code[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 };
#endif

	return memcmp((const void *)address, code, sizeof(code)) == 0;
}

/* The same where the kernel has put it beside all files. */
static bool is_sigreturn_of_no_file(uint64_t address)
{
#ifdef SPT_HAS_LINK
	return is_sigreturn(address);
#else
	/* The kernel does not, and there may be nothing to read. */
	(void)address;
	return false;
#endif
}

static uint64_t make(uint64_t pc)
{
	bool is_exact = pc & SPT_NODE_EXACT;
	uint64_t address = pc & ~SPT_NODE_EXACT;
	const uint8_t *eh_frame_hdr;
	uint64_t rule;

	if (!address)
		return spt_rule(SPT_RULE_END, 0, 0, 0, 0);
	if (!spt_code_information(address - !is_exact, &eh_frame_hdr))
		return is_sigreturn_of_no_file(address) ?
			spt_rule_signal() : spt_rule(SPT_RULE_CHAIN, 0, 0, 0, 0);
	if (!eh_frame_hdr && !is_sigreturn(address))
		return spt_rule(SPT_RULE_CHAIN, 0, 0, 0, 0);
	if (eh_frame_hdr && spt_cfi_rule(eh_frame_hdr, address - !is_exact, address, &rule))
		return rule;
	return is_sigreturn(address) ?
		spt_rule_signal() : spt_rule(SPT_RULE_UNKNOWN, 0, 0, 0, 0);
}

uint64_t spt_rule_learn(uint64_t pc, uint64_t key, uint32_t n)
{
	struct spt_known_rule *known = spt_rule_place(key, n);
	uint64_t rule;

	/* The table before this one may have it. */
	if (n == SPT_LEAST_RULES || !spt_rule_find(spt_rule_place(key, n / 2), key, &rule))
		rule = make(pc);
	__atomic_store_n(&known->rule, rule, __ATOMIC_RELAXED);
	__atomic_store_n(&known->mixed, rule ^ key, __ATOMIC_RELAXED);
	/* With half of the places taken, many rules displace another one. */
	if (__atomic_add_fetch(&n_learned, 1, __ATOMIC_RELAXED) > n / 2 && n < SPT_MOST_RULES &&
	    __atomic_compare_exchange_n(&spt_rule_places, &n, 2 * n, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		__atomic_store_n(&n_learned, 0, __ATOMIC_RELAXED);
	return rule;
}

void spt_rules_forget(void)
{
	/* Rules from that many generations ago would seem valid again. */
	if ((__atomic_add_fetch(&spt_generation, 1, __ATOMIC_RELEASE) & SPT_RULE_GENERATIONS) == 0)
		memset(spt_known_rules, 0, sizeof(spt_known_rules));
}
