/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules for x86-64 code without unwind information, which is mostly assembly: follows what its
 * instructions do to the stack from the start of the function.
 */
#ifndef SPT_UNWIND_GUESS_H
#define SPT_UNWIND_GUESS_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sysprof-table.h"
#include "unwind/labels.h"

G_BEGIN_DECLS

/*
 * Gives the rule of the instructions in @bytes from @at on, and whether a function begins there.
 * Nothing is known of instructions without a rule.  By rising places.
 */
typedef void (*SptGuessRow)(size_t at, size_t bytes, bool is_start,
			    const struct sysprof_table_rule *rule, void *data);

/*
 * @code begins with a function, or with padding before one; the @n_labels @labels, by rising
 * positions in it, may begin others.  Takes time in proportion to @n for any bytes.
 */
void spt_guess_rules(const uint8_t *code, size_t n, const SptLabel *labels, unsigned n_labels,
		     SptGuessRow row, void *data);

G_END_DECLS

#endif
