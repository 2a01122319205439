/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_LINUX_NOSPEC_H
#define SHIM_LINUX_NOSPEC_H

#define array_index_nospec(index, size) ((void)(size), (index))

#endif
