/* SPDX-License-Identifier: GPL-2.0-only */
/* For named.c: why packets are dropped. */
#ifndef _SYSPROF_COMPAT_SKB_H
#define _SYSPROF_COMPAT_SKB_H

#include <linux/skbuff.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 17, 0)
#define SYSPROF_DROP_REASON enum skb_drop_reason
#else
#define SYSPROF_DROP_REASON int
#endif

#endif /* _SYSPROF_COMPAT_SKB_H */
