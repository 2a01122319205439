/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the loop of an interpreter whose function has no name in the file.  Such a loop jumps to
 * the code of the next instruction by a table of addresses within itself, one for each instruction.
 */
#ifndef SPT_SCRIPT_LOOP_H
#define SPT_SCRIPT_LOOP_H

#include "base/intervals.h"
#include "object/object.h"

G_BEGIN_DECLS

/*
 * The function, in offsets in the file, with the longest table of at least @least addresses within
 * it.  False: there is none.
 */
bool spt_script_loop_find(const SptObject *object, unsigned least, SptRange *ret);

G_END_DECLS

#endif
