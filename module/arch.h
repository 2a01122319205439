/* SPDX-License-Identifier: GPL-2.0-only */
/* What stack.c and spaces.c need from each architecture.  The walks run in the sampling context. */
#ifndef _SYSPROF_ARCH_H
#define _SYSPROF_ARCH_H

#include <linux/ptrace.h>
#include <linux/types.h>

/* Process context, once, before the rest. */
void sysprof_arch_init(void);

/* Instruction pointers of the kernel context @regs (NULL: from here), innermost first, into @ips; enum sysprof_end into @end. */
u32 sysprof_arch_walk_kernel(struct pt_regs *regs, unsigned long *ips, u32 max, u8 *end);
/* The same for the user context @regs of current, along frame pointers. */
u32 sysprof_arch_walk_user(struct pt_regs *regs, u64 *ips, u32 max, u8 *end);
bool sysprof_arch_user_is_32bit(struct pt_regs *regs);

/* Text of the kernel image, and where modules and other generated code lie. */
bool sysprof_arch_is_image(unsigned long ip);
bool sysprof_arch_is_module_area(unsigned long ip);
unsigned long sysprof_arch_module_area(void);

/* Address of current's vdso, 0 if it has none. */
unsigned long sysprof_arch_vdso(void);

#endif /* _SYSPROF_ARCH_H */
