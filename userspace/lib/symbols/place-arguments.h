/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a function of a program has its arguments when it begins, by its debug information.  Runs
 * in the helper.
 */
#ifndef SPT_PLACE_ARGUMENTS_H
#define SPT_PLACE_ARGUMENTS_H

#include <elfutils/libdw.h>
#include <glib.h>

G_BEGIN_DECLS

/*
 * Where @wanted (names with commas between them, and paths: place-types.h) are in the function at
 * @address, in the form of SDT notes with names, a "p" for addresses, and an "s" for those of texts:
 * "len=-4@%rdi text=s8@%rsi"; to be freed.  If one of them cannot be had it is "!NAME" and behind a
 * blank those that can be, as "len,text"; "!" alone: the function is not in @dwarf (which may be
 * NULL).
 */
char *spt_place_arguments(Dwarf *dwarf, uint64_t address, const char *wanted);

G_END_DECLS

#endif
