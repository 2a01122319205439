/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where CPython keeps a thread's own state. */
#ifndef SPT_CPYTHON_ROOT_H
#define SPT_CPYTHON_ROOT_H

#include <stdbool.h>
#include <stdint.h>

#include "object/object.h"

/*
 * Where a thread's own state is: a pthread key, or, since 3.15, a variable of the thread at a fixed
 * distance from its thread pointer.
 */
typedef struct {
	uint64_t key;			/* address of the key; 0: there is none */
	int32_t variable;
} SptCpythonRoot;

/* False: @file is built otherwise than those that are known. */
bool spt_cpython_find_root(const SptObject *file, SptCpythonRoot *ret);

#endif
