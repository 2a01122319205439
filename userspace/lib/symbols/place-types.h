/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types of parameters, as debug information has them, and members of what they lead to. */
#ifndef SPT_PLACE_TYPES_H
#define SPT_PLACE_TYPES_H

#include <elfutils/libdw.h>
#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

/* The type of @die, without names for it and qualifiers.  False: there is none. */
bool spt_place_plain_type(Dwarf_Die *die, Dwarf_Die *ret);
bool spt_place_is_float(Dwarf_Die *type);
/* Below 0: signed; 0: it is no number or address. */
int spt_place_type_bytes(Dwarf_Die *type);
/*
 * What is before the place of such a value: its bytes, below 0 for signed numbers, with a "p" in
 * front for an address, an "s" for that of a text, and a "t" for a text itself; to be freed.  NULL:
 * it is none of these.
 */
char *spt_place_kind(Dwarf_Die *type);

/*
 * Where a number, address or text is that the argument of @type at @place leads to, by @path:
 * "-4@+16(+8({%rdi}))" for "request.client.id"; to be freed.  NULL: it is not known, and "!PATH"
 * with what there is instead is in @missing.
 */
char *spt_place_member(Dwarf_Die *type, const char *place, const char *path, GString *missing);

G_END_DECLS

#endif
