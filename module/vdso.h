/* SPDX-License-Identifier: GPL-2.0-only */
/* The vdso: code that the kernel maps into every process, without a file. */
#ifndef _SYSPROF_VDSO_H
#define _SYSPROF_VDSO_H

#include <linux/types.h>

struct sysprof_object;
struct vm_area_struct;

/* Call this once, before all others here, in a process that has a vdso. */
void sysprof_vdso_init(void);

/* Whether @vma maps a vdso.  Any context. */
bool sysprof_vdso_is(const struct vm_area_struct *vma);
/*
 * The OBJECT record of the vdso of programs of the kernel's own word size; NULL if nothing is
 * known.
 */
const struct sysprof_object *sysprof_vdso_record(void);

#endif /* _SYSPROF_VDSO_H */
