/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program that finds the names of Lua's functions. */
#ifndef SPT_LUA_NAMES_H
#define SPT_LUA_NAMES_H

#include "scripts/program.h"

G_BEGIN_DECLS

typedef enum {
	SPT_LUA_5_4,
	/* A long text is elsewhere, and the names of methods are always constants. */
	SPT_LUA_5_5,
} SptLuaForm;

/* In the order of lua-code.h. */
void spt_lua_add_spans(SptProgram *program, SptLuaForm form);
void spt_lua_add_names(SptProgram *program, SptLuaForm form);

G_END_DECLS

#endif
