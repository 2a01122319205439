/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User memory is read only as far as it is there.  The kernel's count for that is the task's, also
 * in interrupts and NMIs, which leave it as it was: KCSAN would call that a race.
 */
#ifndef _SYSPROF_NO_FAULTS_H
#define _SYSPROF_NO_FAULTS_H

#include <linux/kcsan-checks.h>
#include <linux/nospec.h>
#include <linux/uaccess.h>

static __always_inline void sysprof_no_faults_begin(void)
{
	kcsan_disable_current();
	pagefault_disable();
	kcsan_enable_current();
}

static __always_inline void sysprof_no_faults_end(void)
{
	kcsan_disable_current();
	pagefault_enable();
	kcsan_enable_current();
}

/*
 * @number if it is below @end, else 0, and so where speculation guesses the branches that follow: a
 * program chooses what is read, and what is read chooses further reads.
 */
static __always_inline u64 sysprof_below_or_0(u64 number, u64 end)
{
	/* In a register: some kernels would compare a constant. */
	OPTIMIZER_HIDE_VAR(end);
	return number & array_index_mask_nospec(number, end);
}

#endif /* _SYSPROF_NO_FAULTS_H */
