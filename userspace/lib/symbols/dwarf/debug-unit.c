/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data for a look-up: the addresses of all functions and inlined calls, cut into intervals, and
 * lines. libdw reads names and call sites when they are first requested, since most never are.
 */
#include "symbols/dwarf/debug-unit.h"

#include <dwarf.h>
#include <string.h>

#include "symbols/dwarf/die-ranges.h"
#include "symbols/dwarf/die-walk.h"

#define NO_SCOPE SPT_DIE_NONE
/* Deeper than any compiler nests. */
#define DEPTH_MAX 256

/* A function or an inlined call. */
struct scope {
	uint32_t die;			/* in the unit, where libdw finds it */
	/* The scope into which it is inlined; NO_SCOPE: it is a function of its own */
	uint32_t parent;
	uint32_t detail;		/* its number, from 1; 0: it is not read yet */
};

struct detail {
	const char *name, *call_file;
	uint32_t call_line;
};

struct spt_unit {
	Dwarf_Die split;
	const char *directory;
	struct spt_line_table *lines;	/* NULL: there are none */
	bool has_lines, is_split;
	GArray *scopes;			/* struct scope */
	GArray *details;		/* struct detail, for the scopes that were requested */
	struct spt_die_ranges ranges;	/* to scopes */
};

/* The scope that @die opens within @scope, or @scope itself if it has no code. */
static uint32_t open_scope(struct spt_unit *unit, const struct spt_die *die, uint32_t parent)
{
	struct scope scope = { .die = (uint32_t)((uint8_t *)die->die - (uint8_t *)unit->split.addr),
			       .parent = parent };
	Dwarf_Die known = { .addr = die->die, .cu = unit->split.cu };

	if (!die->has_code ||
	    !(die->has_span ? spt_die_ranges_add_span(&unit->ranges, die->start, die->end,
						      unit->scopes->len) :
			      spt_die_ranges_add(&unit->ranges, &known, unit->scopes->len)))
		return parent;
	g_array_append_val(unit->scopes, scope);
	return unit->scopes->len - 1;
}

/*
 * Whether there may be code in the children of @die, which is in the scope @scope; then that
 * becomes theirs.
 */
static bool debug_unit_enter(struct spt_unit *unit, const struct spt_die *die, uint32_t *scope)
{
	switch (die->tag) {
	case DW_TAG_subprogram:
		if (die->is_declaration)
			return false;
		*scope = open_scope(unit, die, NO_SCOPE);
		return true;
	case DW_TAG_inlined_subroutine:
		if (*scope == NO_SCOPE)
			return false;
		*scope = open_scope(unit, die, *scope);
		return true;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		return true;
	case DW_TAG_namespace:
	case DW_TAG_module:
	/* Lambdas and local classes have code in types, Rust has in all. */
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		*scope = NO_SCOPE;
		return true;
	default:
		return false;
	}
}

static void read_scopes(struct spt_unit *unit, struct spt_die_walk *walk)
{
	uint32_t scopes[DEPTH_MAX] = { NO_SCOPE };
	unsigned depth = 0;
	struct spt_die die;

	while (spt_die_walk_next(walk, &die)) {
		uint32_t inner = scopes[depth];

		if (die.tag == 0) {
			if (depth-- == 0)
				return;
		} else if (!debug_unit_enter(unit, &die, &inner) || depth + 1 == DEPTH_MAX) {
			if (!spt_die_walk_skip(walk, &die))
				return;
		} else if (die.has_children) {
			scopes[++depth] = inner;
		}
	}
}

static const char *debug_unit_string_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

struct spt_unit *spt_unit_new(Dwarf_Die *cu, Dwarf_Die *split,
			      const struct spt_line_sections *lines, struct spt_shapes **shapes)
{
	struct spt_unit *unit = g_new0(struct spt_unit, 1);
	struct spt_die_walk walk;

	unit->split = *split;
	unit->directory = debug_unit_string_of(cu, DW_AT_comp_dir);
	unit->scopes = g_array_new(FALSE, FALSE, sizeof(struct scope));
	unit->details = g_array_new(FALSE, FALSE, sizeof(struct detail));
	unit->has_lines = lines != NULL;
	unit->is_split = split->cu != cu->cu;
	if (lines)
		unit->lines = spt_line_table_new(lines, cu, unit->directory);
	if (spt_die_walk_begin(&walk, split, *shapes))
		read_scopes(unit, &walk);
	*shapes = walk.shapes;
	spt_die_ranges_finish(&unit->ranges);
	return unit;
}

void spt_unit_free(struct spt_unit *unit)
{
	if (!unit)
		return;
	g_array_unref(unit->scopes);
	g_array_unref(unit->details);
	spt_line_table_free(unit->lines);
	spt_die_ranges_clear(&unit->ranges);
	g_free(unit);
}

static void find_line(struct spt_unit *unit, uint64_t address, SptPlace *ret)
{
	uint64_t file;

	if (!unit->lines || !spt_line_table_find(unit->lines, address, &file, &ret->line))
		return;
	ret->file = spt_line_table_file(unit->lines, file);
	ret->directory = unit->directory;
}

static uint64_t debug_unit_number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value = 0;

	return dwarf_attr(die, name, &attribute) && dwarf_formudata(&attribute, &value) == 0 ?
		       value :
		       0;
}

/* Split units have no lines, and may have files of their own. */
static const char *debug_unit_file_of(struct spt_unit *unit, uint64_t number)
{
	Dwarf_Files *files;
	size_t n;

	if (!unit->is_split || dwarf_getsrcfiles(&unit->split, &files, &n) != 0)
		return unit->lines ? spt_line_table_file(unit->lines, number) : NULL;
	return number < n ? dwarf_filesrc(files, number, NULL, NULL) : NULL;
}

static struct detail read_detail(struct spt_unit *unit, const struct scope *scope)
{
	Dwarf_Die die = { .addr = (uint8_t *)unit->split.addr + scope->die, .cu = unit->split.cu };
	struct detail detail = { .name = debug_unit_string_of(&die, DW_AT_linkage_name) };

	if (!detail.name)
		detail.name = debug_unit_string_of(&die, DW_AT_MIPS_linkage_name);
	if (!detail.name)
		detail.name = debug_unit_string_of(&die, DW_AT_name);
	if (scope->parent == NO_SCOPE || !unit->has_lines)
		return detail;
	detail.call_line = (uint32_t)debug_unit_number_of(&die, DW_AT_call_line);
	detail.call_file = debug_unit_file_of(unit, debug_unit_number_of(&die, DW_AT_call_file));
	return detail;
}

static const struct detail *debug_unit_detail_of(struct spt_unit *unit, struct scope *scope)
{
	if (scope->detail == 0) {
		struct detail detail = read_detail(unit, scope);

		g_array_append_val(unit->details, detail);
		scope->detail = unit->details->len;
	}
	return &g_array_index(unit->details, struct detail, scope->detail - 1);
}

unsigned spt_unit_find(struct spt_unit *unit, uint64_t address, SptPlace ret[SPT_INLINES_MAX])
{
	uint32_t index = spt_die_ranges_find(&unit->ranges, address);
	unsigned n = 0;

	ret[0] = (SptPlace){ 0 };
	find_line(unit, address, &ret[0]);
	while (index != NO_SCOPE) {
		struct scope *scope = &g_array_index(unit->scopes, struct scope, index);
		const struct detail *detail = debug_unit_detail_of(unit, scope);

		ret[n].function = detail->name;
		if (n + 1 < SPT_INLINES_MAX)
			n++;
		if (scope->parent != NO_SCOPE)
			ret[n] = (SptPlace){ .file = detail->call_file,
					     .directory = unit->directory,
					     .line = detail->call_line };
		index = scope->parent;
	}
	return n > 0 ? n : ret[0].file != NULL;
}
