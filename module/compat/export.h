/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Symbols that sysprof.ko exports for sysprof-sources.ko, in a namespace of their own: to any other
 * module they mean nothing.
 */
#ifndef _SYSPROF_COMPAT_EXPORT_H
#define _SYSPROF_COMPAT_EXPORT_H

#include <linux/export.h>
#include <linux/version.h>

/* The name of a namespace is a string since 6.13. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define SYSPROF_EXPORT(symbol) EXPORT_SYMBOL_NS_GPL(symbol, "SYSPROF")
#define SYSPROF_IMPORT	       MODULE_IMPORT_NS("SYSPROF")
#else
#define SYSPROF_EXPORT(symbol) EXPORT_SYMBOL_NS_GPL(symbol, SYSPROF)
#define SYSPROF_IMPORT	       MODULE_IMPORT_NS(SYSPROF)
#endif

#endif /* _SYSPROF_COMPAT_EXPORT_H */
