/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the entry of an address, and makes a rule of what the interpreter says of it. */
#include "cfi.h"

#include "plain.h"
#include "rules.h"
#include "thread.h"
#include "unwind/cfi-machine.h"

enum { BP = SPT_BP, SP = SPT_SP, RA = SPT_RA };
enum { BREG = 0x70, DEREF = 0x06 };
enum { AS_INT32_OF_TABLE = 0x3b, LEFT_OUT = 0xff };
#define MOST_STATES 8

_Static_assert(SPT_CFI_SAVED_MAX == 1, "rows have the frame pointer, and the return address");

/* Too large for the stacks of programs: it is in the thread's memory. */
struct scratch {
	SptCfiMachine machine;
	SptCfiCommon common;
	SptCfiRow row, initial, remembered[MOST_STATES];
};
_Static_assert(sizeof(struct scratch) <= sizeof(((struct spt_thread *)NULL)->scratch[0]),
	       "there is room for it");

static const uint8_t saved[] = { BP };
static const SptCfiRegisters registers = { saved, 1, RA };

/* "Register + offset", and whether the memory there is meant; false: another expression. */
static bool cfi_is_simple(const SptCfiExpression *expression, unsigned *ret_register,
			  int64_t *ret_offset, bool *ret_is_read)
{
	struct spt_bytes from = spt_bytes_of(expression->bytes, expression->n);
	uint64_t code = spt_take_number(&from, 1);

	if (code != BREG + BP && code != BREG + SP)
		return false;
	*ret_register = (unsigned)code - BREG;
	*ret_offset = spt_take_signed_leb(&from);
	*ret_is_read = from.at + 1 == from.end && *from.at == DEREF;
	return !from.is_bad && (*ret_is_read || from.at == from.end);
}

#ifdef __x86_64__
/* The linkers' expression for their procedure linkage table: sp + 8, + 8 behind its push. */
static bool is_of_plt(const SptCfiExpression *expression)
{
	static const uint8_t plt[] = { BREG + SP, 8, BREG + RA, 0, 0x3f, 0x1a };
	static const uint8_t shift_and_add[] = { 0x2a, 0x33, 0x24, 0x22 };

	return expression->n == sizeof(plt) + 1 + sizeof(shift_and_add) &&
	       memcmp(expression->bytes, plt, sizeof(plt)) == 0 &&
	       memcmp(expression->bytes + sizeof(plt) + 1, shift_and_add,
		      sizeof(shift_and_add)) == 0;
}

/* From where in 16 bytes on the push has been. */
static unsigned plt_push(const SptCfiExpression *expression)
{
	return expression->bytes[6] - 0x30u;
}

#else
static bool is_of_plt(const SptCfiExpression *expression)
{
	(void)expression;
	return false;
}

static unsigned plt_push(const SptCfiExpression *expression)
{
	(void)expression;
	return 0;
}
#endif

/* By convention a call pushes the return address, or leaves it in a register. */
static int64_t ra_offset_of(const SptCfiRegister *ra)
{
#ifdef SPT_HAS_LINK
	return ra->where == SPT_CFI_AT_CFA ? ra->value : 0;
#else
	return ra->where == SPT_CFI_UNSPECIFIED ? SPT_RA_AT : ra->value;
#endif
}

/* False: it is in no place that a rule can name. */
static bool is_ra_known(const SptCfiRegister *ra)
{
#ifdef SPT_HAS_LINK
	return ra->where == SPT_CFI_UNSPECIFIED || ra->where == SPT_CFI_SAME ||
	       (ra->where == SPT_CFI_AT_CFA && ra->value);
#else
	return ra->where == SPT_CFI_UNSPECIFIED || ra->where == SPT_CFI_AT_CFA;
#endif
}

/* Where the caller's frame pointer is; false: in no place that a rule can name. */
static bool find_bp(const SptCfiRegister *bp, unsigned *ret_where, int64_t *ret_offset)
{
	bool is_read;
	unsigned reg;

	*ret_where = SPT_BP_SAME;
	*ret_offset = 0;
	switch (bp->where) {
	case SPT_CFI_AT_CFA:
		*ret_where = SPT_BP_AT_CFA;
		*ret_offset = bp->value;
		return true;
	case SPT_CFI_AT_EXPRESSION:
		*ret_where = SPT_BP_AT_BP;
		return cfi_is_simple(&bp->expression, &reg, ret_offset, &is_read) && !is_read &&
		       reg == BP;
	case SPT_CFI_IN_REGISTER:
	case SPT_CFI_OTHER:
		return false;
	default:
		return true;
	}
}

static uint64_t cfi_rule_of(const SptCfiRow *row, uint64_t pc)
{
	unsigned base = SPT_RULE_UNKNOWN, bp, reg = (unsigned)row->cfa_register;
	int64_t offset = row->cfa_offset, bp_offset, ra_offset = ra_offset_of(&row->ra);
	bool is_read = false;

	if (row->ra.where == SPT_CFI_UNDEFINED)
		return spt_rule(SPT_RULE_END, 0, 0, 0, 0);
	if (row->cfa.n && is_of_plt(&row->cfa)) {
		reg = SP;
		offset = 8 + ((pc & 15) >= plt_push(&row->cfa) ? 8 : 0);
	} else if (row->cfa.n && !cfi_is_simple(&row->cfa, &reg, &offset, &is_read)) {
		reg = RA;
	}
	if (reg == SP)
		base = is_read ? SPT_RULE_AT_SP : SPT_RULE_SP;
	else if (reg == BP)
		base = is_read ? SPT_RULE_AT_BP : SPT_RULE_BP;
	if (!find_bp(&row->saved[0], &bp, &bp_offset) || !is_ra_known(&row->ra) ||
	    !spt_rule_fits(offset, bp_offset, ra_offset))
		base = SPT_RULE_UNKNOWN;
	return spt_rule(base, (int32_t)offset, bp, (int32_t)bp_offset, (int32_t)ra_offset);
}

static uint32_t read_u32(const uint8_t *at)
{
	uint32_t value;

	__builtin_memcpy(&value, at, sizeof(value));
	return value;
}

/* An entry of the section, from behind its length; false: it is longer than any function's. */
static bool take_entry(const uint8_t *at, struct spt_bytes *ret)
{
	uint32_t length = read_u32(at);

	*ret = spt_bytes_of(at + sizeof(length), length);
	return length != UINT32_MAX;
}

/* The entry of the sorted table that may contain @address; NULL: none. */
static const uint8_t *find_fde(const uint8_t *header, uint64_t address)
{
	/* Its two numbers take at most 8 bytes each. */
	struct spt_bytes from = spt_bytes_of(header + 4, 16);
	uint64_t data = (uint64_t)header, n, low = 0, high;
	const int32_t *table;

	/* All linkers make these tables; without them a search from the start would be needed. */
	if (header[0] != 1 || header[2] == LEFT_OUT || header[3] != AS_INT32_OF_TABLE)
		return NULL;
	spt_cfi_take_address(&from, header[1], true, 0);
	n = spt_cfi_take_address(&from, header[2], true, 0);
	table = (const int32_t *)from.at;
	for (high = from.is_bad ? 0 : n; low < high;) {
		uint64_t middle = low + (high - low) / 2;

		if (data + (uint64_t)(int64_t)table[2 * middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? header + table[2 * low - 1] : NULL;
}

/* Runs until the location is beyond @address; false: the instructions are not understood. */
static bool run_until(struct scratch *scratch, struct spt_bytes code, uint64_t address)
{
	SptCfiMachine *machine = &scratch->machine;
	SptCfiStep step = SPT_CFI_MOVES;

	while (step == SPT_CFI_MOVES && machine->location <= address)
		step = spt_cfi_run(machine, &code, &machine->location);
	return step != SPT_CFI_IS_INVALID;
}

/* The rows of a function that begins at @begin, up to @address. */
static bool run_function(struct scratch *scratch, struct spt_bytes code, uint64_t begin,
			 uint64_t address)
{
	SptCfiMachine *machine = &scratch->machine;

	/* The remembered rows stay as they are. */
	memset(&scratch->row, 0, sizeof(scratch->row));
	*machine = (SptCfiMachine){
		.registers = &registers,
		.common = &scratch->common,
		.row = &scratch->row,
		.initial = &scratch->row,
		.remembered = scratch->remembered,
		.most_remembered = MOST_STATES,
	};
	if (!run_until(scratch, scratch->common.program, UINT64_MAX))
		return false;
	scratch->initial = scratch->row;
	machine->initial = &scratch->initial;
	machine->n_remembered = 0;
	machine->location = begin;
	return run_until(scratch, code, address);
}

bool spt_cfi_rule(const uint8_t *eh_frame_hdr, uint64_t address, uint64_t pc, uint64_t *ret_rule)
{
	const uint8_t *fde = find_fde(eh_frame_hdr, address);
	struct scratch *scratch = (void *)spt_self->scratch[spt_self->state == SPT_NESTED];
	SptCfiCommon *common = &scratch->common;
	struct spt_bytes from, body;
	uint64_t begin, bytes;

	if (!fde || !take_entry(fde, &from))
		return false;
	/* Its id is how far back the common entry is. */
	fde = from.at;
	spt_take_number(&from, 4);
	if (from.is_bad || !take_entry(fde - (int32_t)read_u32(fde), &body))
		return false;
	spt_take_number(&body, 4);
	spt_cfi_read_common(body, &registers, common);
	if (common->is_bad)
		return false;
	begin = spt_cfi_take_address(&from, common->encoding, false, 0);
	bytes = spt_cfi_take_address(&from, common->encoding, true, 0);
	if (common->has_augmentation_data)
		spt_take_bytes(&from, spt_take_leb(&from));
	if (from.is_bad || address < begin || address - begin >= bytes)
		return false;
	if (common->is_signal)
		*ret_rule = spt_rule_signal();
	else
		*ret_rule = run_function(scratch, from, begin, address) ?
				    cfi_rule_of(&scratch->row, pc) :
				    spt_rule(SPT_RULE_UNKNOWN, 0, 0, 0, 0);
	return true;
}
