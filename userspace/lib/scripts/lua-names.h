/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program that finds the names of Lua's functions. */
#ifndef SPT_LUA_NAMES_H
#define SPT_LUA_NAMES_H

#include "scripts/program.h"

G_BEGIN_DECLS

/* In the order of lua-code.h. */
void spt_lua_add_spans(SptProgram *program);
void spt_lua_add_names(SptProgram *program);

G_END_DECLS

#endif
