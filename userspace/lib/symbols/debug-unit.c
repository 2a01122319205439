/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libdw decodes; here lies what a look-up needs: the addresses of all functions and inlined calls, cut into intervals.  Names and
 * call sites are read when they are first asked for, since most never are.
 */
#include "symbols/debug-unit.h"

#include <dwarf.h>
#include <string.h>

#include "symbols/die-ranges.h"

#define NO_SCOPE SPT_DIE_NONE
/* Deeper than any compiler nests. */
#define DEPTH_MAX 256

/* A function or an inlined call. */
struct scope {
	void *die;			/* where libdw finds it */
	uint32_t parent;		/* what it is inlined into; NO_SCOPE: it is a function of its own */
	bool is_ready;			/* what follows is read */
	uint32_t call_line;
	const char *name, *call_file;
};

struct spt_unit {
	Dwarf *dwarf;
	Dwarf_Die split;
	const char *directory;
	Dwarf_Lines *lines;
	size_t n_lines;
	bool has_lines;
	GArray *scopes;			/* struct scope */
	struct spt_die_ranges ranges;	/* to scopes */
};

struct walk {
	struct spt_unit *unit;
	unsigned depth;
};

/* Told by the abbreviation alone: most functions are declarations, and to look for their ranges would cost more than all else. */
static bool may_have_code(Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges);
}

/* The scope that @die opens within @scope, or @scope itself if it has no code. */
static uint32_t open_scope(struct walk *walk, Dwarf_Die *die, uint32_t parent)
{
	GArray *scopes = walk->unit->scopes;
	struct scope scope = { .die = die->addr, .parent = parent };

	if (!may_have_code(die) || !spt_die_ranges_add(&walk->unit->ranges, die, scopes->len))
		return parent;
	g_array_append_val(scopes, scope);
	return scopes->len - 1;
}

static void walk_children(struct walk *walk, Dwarf_Die *die, uint32_t scope);

static void walk_die(struct walk *walk, Dwarf_Die *die, uint32_t scope)
{
	uint32_t inner;

	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		if (dwarf_hasattr(die, DW_AT_declaration))
			break;
		inner = open_scope(walk, die, NO_SCOPE);
		walk_children(walk, die, inner);
		break;
	case DW_TAG_inlined_subroutine:
		if (scope != NO_SCOPE)
			walk_children(walk, die, open_scope(walk, die, scope));
		break;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		walk_children(walk, die, scope);
		break;
	case DW_TAG_namespace:
	case DW_TAG_module:
	/* Lambdas and local classes have code in types, Rust has in all. */
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		walk_children(walk, die, NO_SCOPE);
		break;
	default:
		break;
	}
}

static void walk_children(struct walk *walk, Dwarf_Die *die, uint32_t scope)
{
	Dwarf_Die child, next;

	if (walk->depth >= DEPTH_MAX || dwarf_child(die, &child) != 0)
		return;
	walk->depth++;
	for (;;) {
		walk_die(walk, &child, scope);
		if (dwarf_siblingof(&child, &next) != 0)
			break;
		child = next;
	}
	walk->depth--;
}

static const char *string_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

struct spt_unit *spt_unit_new(Dwarf *dwarf, Dwarf_Die *cu, Dwarf_Die *split, bool lines)
{
	struct spt_unit *unit = g_new0(struct spt_unit, 1);
	struct walk walk = { .unit = unit };

	unit->dwarf = dwarf;
	unit->split = *split;
	unit->directory = string_of(cu, DW_AT_comp_dir);
	unit->scopes = g_array_new(FALSE, FALSE, sizeof(struct scope));
	unit->has_lines = lines;
	if (!lines || dwarf_getsrclines(cu, &unit->lines, &unit->n_lines) != 0)
		unit->n_lines = 0;
	walk_children(&walk, split, NO_SCOPE);
	spt_die_ranges_finish(&unit->ranges);
	return unit;
}

void spt_unit_free(struct spt_unit *unit)
{
	if (!unit)
		return;
	g_array_unref(unit->scopes);
	spt_die_ranges_clear(&unit->ranges);
	g_free(unit);
}

/* The last line that begins at or before @address, unless its sequence ends there. */
static void find_line(const struct spt_unit *unit, uint64_t address, SptPlace *ret)
{
	size_t low = 0, high = unit->n_lines;
	Dwarf_Line *line;
	bool is_end = true;
	int number = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		Dwarf_Addr start = 0;

		dwarf_lineaddr(dwarf_onesrcline(unit->lines, middle), &start);
		if (start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	line = low > 0 ? dwarf_onesrcline(unit->lines, low - 1) : NULL;
	if (!line || dwarf_lineendsequence(line, &is_end) != 0 || is_end)
		return;
	dwarf_lineno(line, &number);
	ret->line = MAX(number, 0);
	ret->file = dwarf_linesrc(line, NULL, NULL);
	ret->directory = unit->directory;
}

static uint64_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value = 0;

	return dwarf_attr(die, name, &attribute) && dwarf_formudata(&attribute, &value) == 0 ? value : 0;
}

static struct scope *scope_at(struct spt_unit *unit, uint32_t index)
{
	struct scope *scope = &g_array_index(unit->scopes, struct scope, index);
	Dwarf_Files *files;
	Dwarf_Die die;
	uint64_t file;
	size_t n;

	if (scope->is_ready || !dwarf_die_addr_die(unit->dwarf, scope->die, &die))
		return scope;
	scope->is_ready = true;
	scope->name = string_of(&die, DW_AT_linkage_name);
	if (!scope->name)
		scope->name = string_of(&die, DW_AT_MIPS_linkage_name);
	if (!scope->name)
		scope->name = string_of(&die, DW_AT_name);
	if (scope->parent == NO_SCOPE || !unit->has_lines)
		return scope;
	scope->call_line = (uint32_t)number_of(&die, DW_AT_call_line);
	file = number_of(&die, DW_AT_call_file);
	if (dwarf_getsrcfiles(&unit->split, &files, &n) == 0 && file < n)
		scope->call_file = dwarf_filesrc(files, file, NULL, NULL);
	return scope;
}

unsigned spt_unit_find(struct spt_unit *unit, uint64_t address, SptPlace ret[SPT_INLINES_MAX])
{
	uint32_t index = spt_die_ranges_find(&unit->ranges, address);
	unsigned n = 0;

	ret[0] = (SptPlace){ 0 };
	find_line(unit, address, &ret[0]);
	while (index != NO_SCOPE) {
		const struct scope *scope = scope_at(unit, index);

		ret[n].function = scope->name;
		if (n + 1 < SPT_INLINES_MAX)
			n++;
		if (scope->parent != NO_SCOPE)
			ret[n] = (SptPlace){ .file = scope->call_file, .directory = unit->directory, .line = scope->call_line };
		index = scope->parent;
	}
	return n > 0 ? n : ret[0].file != NULL;
}
