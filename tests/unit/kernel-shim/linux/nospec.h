/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_LINUX_NOSPEC_H
#define SHIM_LINUX_NOSPEC_H

#define array_index_nospec(index, size) ((void)(size), (index))
#define array_index_mask_nospec(index, size) ((u64)(index) < (u64)(size) ? ~0ull : 0)

#endif
