/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which methods a compiled one consists of at some place: what is behind its code says, for places
 * in it, which methods were compiled into which, and where in each of them that is.
 */
#include "scripts/hotspot-private.h"

/* Descriptions of places: the first one is of none. */
#define PLACE_SHIFT 4
/* Numbers of several bytes: those whose two highest bits are set are followed by more. */
#define NUMBER_SHIFT   6
#define NUMBER_MORE    3
#define NO_ZEROS_SINCE 20
#define ENTRY_BCI      1

unsigned spt_hotspot_add_method(SptHotspot *h, unsigned position)
{
	unsigned begin = spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_U, R_METHOD,
					 spt_hotspot_at(h, "Method::_constMethod"));

	spt_hotspot_load(h, SYSPROF_CHAIN_LD8, R_IDENTITY, R_U, "ConstMethod::_constants");
	spt_hotspot_add(h, SYSPROF_CHAIN_MIX, R_IDENTITY, R_U, 0);
	/* Its sizes, and numbers of names. */
	spt_hotspot_load(h, SYSPROF_CHAIN_LD8, R_U, R_U, "ConstMethod::_code_size");
	spt_hotspot_add(h, SYSPROF_CHAIN_MIX, R_IDENTITY, R_U, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_EMIT, position, R_METHOD, R_IDENTITY);
	return begin;
}

void spt_hotspot_find_code(SptHotspot *h, unsigned to)
{
	hotspot_load_place(h, to, "CodeBlob::_code_begin", SYSPROF_CHAIN_LD4,
			   "CodeBlob::_code_offset", R_BLOB);
}

/* A method that is given up returns to other code of its own; where it was is in its frame. */
static void hotspot_find_given_up(SptHotspot *h)
{
	SptProgramJumps no = { .n = 0 };

	hotspot_load_place(h, R_T, "CompiledMethod::_deopt_handler_begin", SYSPROF_CHAIN_LD4,
			   "nmethod::_deopt_handler_offset", R_BLOB);
	hotspot_jump_if(h, SYSPROF_CHAIN_JNE, R_T, R_IP, 0, &no);
	spt_hotspot_load(h, SYSPROF_CHAIN_LD4, R_T, R_BLOB, "nmethod::_orig_pc_offset");
	spt_hotspot_add(h, SYSPROF_CHAIN_ADD, R_T, R_SP, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_IP, R_T, 0);
	hotspot_land(h, &no);
}

/* Sets @to to the address of the part of R_BLOB whose offset is called @name. */
static void hotspot_find_part(SptHotspot *h, unsigned to, const char *name)
{
	spt_hotspot_load(h, SYSPROF_CHAIN_LD4, to, R_BLOB, name);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADD, to, R_BLOB, 0);
}

/*
 * Sets R_PLACE and R_COUNT to the descriptions of places in the code and the end of these, R_SCOPES
 * to what they refer to, and R_METADATA to the methods that this refers to.
 */
static void hotspot_find_parts(SptHotspot *h)
{
	if (!hotspot_has(h, "nmethod::_immutable_data")) {
		hotspot_find_part(h, R_PLACE, "nmethod::_scopes_pcs_offset");
		hotspot_find_part(h, R_COUNT, "nmethod::_dependencies_offset");
		hotspot_find_part(h, R_METADATA, "nmethod::_metadata_offset");
		spt_hotspot_load(h, SYSPROF_CHAIN_LD8, R_SCOPES, R_BLOB,
				 "CompiledMethod::_scopes_data_begin");
		return;
	}
	spt_hotspot_load(h, SYSPROF_CHAIN_LD8, R_T, R_BLOB, "nmethod::_immutable_data");
	spt_hotspot_load(h, SYSPROF_CHAIN_LD4, R_PLACE, R_BLOB, "nmethod::_scopes_pcs_offset");
	spt_hotspot_add(h, SYSPROF_CHAIN_ADD, R_PLACE, R_T, 0);
	spt_hotspot_load(h, SYSPROF_CHAIN_LD4, R_COUNT, R_BLOB, "nmethod::_scopes_data_offset");
	spt_hotspot_add(h, SYSPROF_CHAIN_ADD, R_COUNT, R_T, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_SCOPES, R_COUNT, 0);
	spt_hotspot_load(h, SYSPROF_CHAIN_LD8, R_METADATA, R_BLOB, "CodeBlob::_mutable_data");
	spt_hotspot_load(h, SYSPROF_CHAIN_LD4, R_T, R_BLOB, "CodeBlob::_relocation_size");
	spt_hotspot_add(h, SYSPROF_CHAIN_ADD, R_METADATA, R_T, 0);
}

/*
 * Sets R_PLACE to the first description at R_AT or behind.  Where the tick interrupted a method
 * that is the next one; jumps to @none if there are no descriptions.
 */
static void hotspot_find_place(SptHotspot *h, SptProgramJumps *none)
{
	SptProgramJumps found = { .n = 0 }, before = { .n = 0 };
	unsigned loop;

	spt_hotspot_add(h, SYSPROF_CHAIN_SUB, R_COUNT, R_PLACE, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_SHRI, R_COUNT, R_COUNT, PLACE_SHIFT);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_COUNT, 0, none);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_COUNT, R_COUNT, -1);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_PLACE, R_PLACE, 1 << PLACE_SHIFT);
	loop = spt_hotspot_add(h, SYSPROF_CHAIN_SHRI, R_HALF, R_COUNT, 1);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_COUNT, 0, &found);
	spt_hotspot_add(h, SYSPROF_CHAIN_SHLI, R_T, R_HALF, PLACE_SHIFT);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADD, R_T, R_PLACE, 0);
	spt_hotspot_load(h, SYSPROF_CHAIN_LD4, R_U, R_T, "PcDesc::_pc_offset");
	hotspot_jump_if(h, SYSPROF_CHAIN_JLT, R_U, R_AT, 0, &before);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_COUNT, R_HALF, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_LOOP, 0, 0, loop);
	hotspot_land(h, &before);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_PLACE, R_T, 1 << PLACE_SHIFT);
	spt_hotspot_add(h, SYSPROF_CHAIN_SUB, R_COUNT, R_HALF, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_COUNT, R_COUNT, -1);
	spt_hotspot_add(h, SYSPROF_CHAIN_LOOP, 0, 0, loop);
	hotspot_land(h, &found);
	spt_hotspot_load(h, SYSPROF_CHAIN_LD4, R_SENDER, R_PLACE, "PcDesc::_scope_decode_offset");
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_SENDER, 0, none);
}

/* Sets R_VALUE to the number at R_AT.  Returns where that begins. */
static unsigned hotspot_read_number(SptHotspot *h, bool has_zeros)
{
	SptProgramJumps last = { .n = 0 };
	unsigned begin, loop;

	begin = spt_hotspot_add(h, SYSPROF_CHAIN_MOVI, R_VALUE, 0, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_MOVI, R_BITS, 0, 0);
	loop = spt_hotspot_add(h, SYSPROF_CHAIN_LD1, R_T, R_AT, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_AT, R_AT, 1);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_U, R_T, has_zeros ? 0 : -1);
	spt_hotspot_add(h, SYSPROF_CHAIN_SHL, R_U, R_BITS, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADD, R_VALUE, R_U, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_SHRI, R_T, R_T, NUMBER_SHIFT);
	hotspot_jump_if(h, SYSPROF_CHAIN_JNEI, 0, R_T, NUMBER_MORE, &last);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_BITS, R_BITS, NUMBER_SHIFT);
	spt_hotspot_add(h, SYSPROF_CHAIN_LOOP, 0, 0, loop);
	hotspot_land(h, &last);
	return begin;
}

/*
 * The methods at R_PLACE, the innermost first: each says where its caller is described, which
 * method it is, and where in that.  The outermost one alone if there are @none.
 */
static void hotspot_add_scopes(SptHotspot *h, const SptProgramJumps *none)
{
	bool is_own = hotspot_has(h, "nmethod::_method");
	SptProgramJumps not_sender = { .n = 0 }, not_method = { .n = 0 }, unknown = { .n = 0 },
			done = { .n = 0 };
	unsigned scope, number, emit;

	scope = spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_AT, R_SCOPES, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADD, R_AT, R_SENDER, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_MOVI, R_STATE, 0, 0);
	number = hotspot_read_number(h, h->version < NO_ZEROS_SINCE);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_STATE, R_STATE, 1);
	hotspot_jump_if(h, SYSPROF_CHAIN_JNEI, 0, R_STATE, 1, &not_sender);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_SENDER, R_VALUE, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_LOOP, 0, 0, number);
	hotspot_land(h, &not_sender);
	hotspot_jump_if(h, SYSPROF_CHAIN_JNEI, 0, R_STATE, 2, &not_method);
	spt_hotspot_add(h, SYSPROF_CHAIN_SHLI, R_METHOD, R_VALUE, SPT_HOTSPOT_WORD_SHIFT);
	spt_hotspot_add(h, SYSPROF_CHAIN_LOOP, 0, 0, number);
	hotspot_land(h, &not_method);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_BCI, R_VALUE, -ENTRY_BCI);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_METHOD, 0, &unknown);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADD, R_METHOD, R_METADATA, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_LD8, R_METHOD, R_METHOD, -WORD);
	emit = spt_hotspot_add_method(h, R_BCI);
	hotspot_land(h, &unknown);
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQI, 0, R_SENDER, 0, &done);
	spt_hotspot_add(h, SYSPROF_CHAIN_LOOP, 0, 0, scope);
	hotspot_land(h, none);
	spt_hotspot_load(h, SYSPROF_CHAIN_LD8, R_METHOD, R_BLOB,
			 is_own ? "nmethod::_method" : "CompiledMethod::_method");
	spt_hotspot_add(h, SYSPROF_CHAIN_MOVI, R_BCI, 0, -1);
	spt_hotspot_add(h, SYSPROF_CHAIN_MOVI, R_SENDER, 0, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_LOOP, 0, 0, emit);
	hotspot_land(h, &done);
}

void spt_hotspot_add_methods(SptHotspot *h)
{
	SptProgramJumps none = { .n = 0 }, known = { .n = 0 };

	hotspot_find_given_up(h);
	spt_hotspot_load(h, SYSPROF_CHAIN_LD4, R_T, R_BLOB, "nmethod::_compile_id");
	spt_hotspot_add(h, SYSPROF_CHAIN_SHLI, R_T, R_T, 32);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADD, R_T, R_BLOB, 0);
	hotspot_jump_if(h, SYSPROF_CHAIN_RECALL, R_IP, R_T, 0, &known);
	spt_hotspot_find_code(h, R_T);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADDI, R_AT, R_IP, 0);
	spt_hotspot_add(h, SYSPROF_CHAIN_SUB, R_AT, R_T, 0);
	hotspot_find_parts(h);
	hotspot_find_place(h, &none);
	hotspot_add_scopes(h, &none);
	hotspot_land(h, &known);
}
