// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86-64: kernel stacks by the exported unwinder (ORC or frame pointers, as the kernel was built), user stacks of 64-bit and 32-bit
 * programs by frame pointers.
 */
#include <asm/processor.h>
#include <asm/ptrace.h>
#include <asm/unwind.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>

#include "arch.h"
#include "sysprof.h"

void sysprof_arch_init(void)
{
}

u32 sysprof_arch_walk_kernel(struct pt_regs *regs, unsigned long *ips, u32 max, u8 *end)
{
	struct unwind_state state;
	unsigned long ip;
	u32 n = 0;

	/* The unwinder begins with the caller of what @regs interrupted. */
	if (regs && max)
		ips[n++] = regs->ip;
	for (unwind_start(&state, current, regs, NULL); !unwind_done(&state); unwind_next_frame(&state)) {
		ip = unwind_get_return_address(&state);
		if (!ip)
			break;
		if (n == max) {
			*end = SYSPROF_END_LIMIT;
			return n;
		}
		ips[n++] = ip;
	}
	*end = unwind_error(&state) ? SYSPROF_END_UNRELIABLE : SYSPROF_END_ROOT;
	return n;
}

/*
 * One checked window for the whole walk: every frame pointer is compared against it, so that user_access_begin() need not
 * look at each.  A stack grows by no more than this from one frame pointer to the last.
 */
#define USER_WINDOW SZ_1G
#define LOWEST_IP 4096

/* Walks frames of two words of type @word from @fp, all within [low, low + window). */
#define WALK_USER(word, low, window, fp, ips, n, max, end)						\
do {													\
	word __next, __ip;										\
	u64 __fp = (fp);										\
													\
	for (;;) {											\
		if (!__fp) {										\
			*(end) = SYSPROF_END_ROOT;							\
			break;										\
		}											\
		if ((__fp & (sizeof(word) - 1)) || __fp - (low) > (window) - 2 * sizeof(word)) {	\
			*(end) = SYSPROF_END_BAD;							\
			break;										\
		}											\
		if ((n) == (max)) {									\
			*(end) = SYSPROF_END_LIMIT;							\
			break;										\
		}											\
		unsafe_get_user(__next, (word __user *)__fp, fault);					\
		unsafe_get_user(__ip, (word __user *)__fp + 1, fault);					\
		if (!__ip) {										\
			*(end) = SYSPROF_END_ROOT;							\
			break;										\
		}											\
		if (__ip < LOWEST_IP || __ip >= TASK_SIZE_MAX) {					\
			*(end) = SYSPROF_END_BAD;							\
			break;										\
		}											\
		(ips)[(n)++] = __ip;									\
		if (__next && __next <= __fp) {								\
			*(end) = SYSPROF_END_BAD;							\
			break;										\
		}											\
		__fp = __next;										\
	}												\
} while (0)

u32 sysprof_arch_walk_user(struct pt_regs *regs, u64 *ips, u32 max, u8 *end)
{
	u64 low = regs->sp, fp = regs->bp, window;
	bool is_64bit = user_64bit_mode(regs);
	u32 n = 0;

	ips[n++] = regs->ip;
	if (!is_64bit) {
		low = (u32)low;
		fp = (u32)fp;
	}
	if (low < LOWEST_IP || low >= TASK_SIZE_MAX - PAGE_SIZE) {
		*end = SYSPROF_END_BAD;
		return n;
	}
	window = min_t(u64, USER_WINDOW, TASK_SIZE_MAX - low);

	*end = SYSPROF_END_FAULT;
	pagefault_disable();
	if (!user_read_access_begin((void __user *)low, window))
		goto out;
	if (is_64bit)
		WALK_USER(u64, low, window, fp, ips, n, max, end);
	else
		WALK_USER(u32, low, window, fp, ips, n, max, end);
fault:
	user_read_access_end();
out:
	pagefault_enable();
	return n;
}

bool sysprof_arch_user_is_32bit(struct pt_regs *regs)
{
	return !user_64bit_mode(regs);
}

bool sysprof_arch_is_image(unsigned long ip)
{
	return ip >= __START_KERNEL_map && ip < MODULES_VADDR;
}

bool sysprof_arch_is_module_area(unsigned long ip)
{
	return ip >= MODULES_VADDR && ip < MODULES_END;
}

unsigned long sysprof_arch_module_area(void)
{
	return MODULES_VADDR;
}

unsigned long sysprof_arch_vdso(void)
{
	return current->mm ? (unsigned long)current->mm->context.vdso : 0;
}
