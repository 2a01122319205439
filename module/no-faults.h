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
 * @number, which was found to be below @end, and is so where speculation passes that check, too: a
 * program chooses what is read, and what is read chooses further reads.
 */
static __always_inline u64 sysprof_surely_below(u64 number, u64 end)
{
	/* In a register: some kernels would compare a constant. */
	OPTIMIZER_HIDE_VAR(end);
	return array_index_nospec(number, end);
}

#endif /* _SYSPROF_NO_FAULTS_H */
