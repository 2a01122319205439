/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of the kernel that runs, as /proc/kallsyms has them.  The kernel takes 40 ms to
 * print that, which was a third of an import: so the user's cache has what it printed last.
 */
#ifndef SPT_IMPORT_KERNEL_SYMBOLS_H
#define SPT_IMPORT_KERNEL_SYMBOLS_H

#include <glib.h>

G_BEGIN_DECLS

/* A descriptor of their lines, or -1. */
int spt_import_kernel_symbols(void);
/*
 * The same of @symbols, a file as /proc/kallsyms.  They are kept in the file @kept, and taken from
 * it as long as it was written under an equal @state, which ends with its only blank line.  Those
 * without addresses are not kept, nor is code that was made in the running kernel, as of BPF.
 */
int spt_import_kept_symbols(const char *kept, const char *state, const char *symbols);
/*
 * Of @modules, a text as /proc/modules has it, what symbols depend on: names, sizes, states (those
 * that are not loaded yet have more) and addresses.
 */
char *spt_import_modules_state(const char *modules);

G_END_DECLS

#endif
