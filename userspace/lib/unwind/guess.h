/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How to get to the caller from x86-64 code that does not describe it, which is mostly assembly: by
 * what its own instructions did to the stack since the function began.
 */
#ifndef SPT_UNWIND_GUESS_H
#define SPT_UNWIND_GUESS_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sysprof-table.h"

G_BEGIN_DECLS

/*
 * The instructions in @bytes from @at on have the rule, and a function begins with them or not;
 * nothing is known of the others.  By rising places.
 */
typedef void (*SptGuessRow)(size_t at, size_t bytes, bool is_start,
			    const struct sysprof_table_rule *rule, void *data);

/*
 * Code that begins with a function, or with padding before one.  Takes time in proportion to @n,
 * whatever the bytes are.
 */
void spt_guess_rules(const uint8_t *code, size_t n, SptGuessRow row, void *data);

G_END_DECLS

#endif
