/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What differs between processors: registers, and where the kernel saves them for a signal. */
#ifndef SPT_PRELOAD_MACHINE_H
#define SPT_PRELOAD_MACHINE_H

#include <stdint.h>

#if defined(__x86_64__)

/* DWARF's numbers of registers: frame pointer, stack pointer, return address. */
#define SPT_BP 6
#define SPT_SP 7
#define SPT_RA 16
/* A call puts the return address right below the caller's stack pointer. */
#define SPT_RA_AT -8
/* In the frame to which a signal handler returns: the kernel's struct ucontext. */
#define SPT_SIGNAL_BP 120
#define SPT_SIGNAL_SP 160
#define SPT_SIGNAL_PC 168

#elif defined(__aarch64__)

#define SPT_BP 29
#define SPT_SP 31
#define SPT_RA 30
/* A call leaves the return address in a register: who calls others saves it somewhere. */
#define SPT_HAS_LINK
/* Behind a struct siginfo of 128 bytes, and 176 up to the saved registers. */
#define SPT_SIGNAL_BP 544
#define SPT_SIGNAL_LR 552
#define SPT_SIGNAL_SP 560
#define SPT_SIGNAL_PC 568

#else
#error "no such processor"
#endif

/* Adds @n to a word that signal handlers of the thread add to as well; what it was before. */
static inline uint32_t spt_reserve(uint32_t *word, uint32_t n)
{
#ifdef __x86_64__
	/* A single instruction suffices: no other thread writes there. */
	__asm__ volatile("xaddl %0, %1" : "+r"(n), "+m"(*word));
	return n;
#else
	return __atomic_fetch_add(word, n, __ATOMIC_RELAXED);
#endif
}

#endif
