/* SPDX-License-Identifier: GPL-2.0-only */
/* For named.c: why packets are dropped. */
#ifndef _SYSPROF_COMPAT_SKB_H
#define _SYSPROF_COMPAT_SKB_H

#include <linux/skbuff.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 17, 0)
typedef enum skb_drop_reason sysprof_drop_reason_t;
#else
typedef int sysprof_drop_reason_t;
#endif

#endif /* _SYSPROF_COMPAT_SKB_H */
