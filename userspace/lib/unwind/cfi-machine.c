/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/cfi-machine.h"

/* DWARF's numbers: its own header is not there where programs for other machines are compiled. */
enum {
	PE_UDATA2 = 0x02, PE_UDATA4 = 0x03, PE_UDATA8 = 0x04, PE_ULEB = 0x01,
	PE_SDATA2 = 0x0a, PE_SDATA4 = 0x0b, PE_SDATA8 = 0x0c, PE_SLEB = 0x09,
	PE_ABSOLUTE = 0x00, PE_RELATIVE = 0x10, PE_ALIGNED = 0x50,
};

enum {
	CFA_ADVANCE_LOC = 0x40, CFA_OFFSET = 0x80, CFA_RESTORE = 0xc0, CFA_OPERAND = 0x3f,
	CFA_NOP = 0x00, CFA_SET_LOC = 0x01,
	CFA_ADVANCE_LOC1 = 0x02, CFA_ADVANCE_LOC2 = 0x03, CFA_ADVANCE_LOC4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05, CFA_RESTORE_EXTENDED = 0x06, CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08, CFA_REGISTER = 0x09,
	CFA_REMEMBER_STATE = 0x0a, CFA_RESTORE_STATE = 0x0b,
	CFA_DEF_CFA = 0x0c, CFA_DEF_CFA_REGISTER = 0x0d, CFA_DEF_CFA_OFFSET = 0x0e,
	CFA_DEF_CFA_EXPRESSION = 0x0f, CFA_EXPRESSION = 0x10, CFA_OFFSET_EXTENDED_SF = 0x11,
	CFA_DEF_CFA_SF = 0x12, CFA_DEF_CFA_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14, CFA_VAL_OFFSET_SF = 0x15, CFA_VAL_EXPRESSION = 0x16,
	CFA_WINDOW_SAVE = 0x2d, CFA_ARGS_SIZE = 0x2e, CFA_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

/* Functions have no addresses that need more than the section. */
uint64_t spt_cfi_take_address(struct spt_bytes *from, uint8_t encoding, bool is_length,
			      uint64_t shift)
{
	uint64_t here = shift + (uint64_t)(uintptr_t)from->at, value;

	switch (encoding & 0x0f) {
	case PE_ABSOLUTE:
	case PE_UDATA8:
	case PE_SDATA8:
		value = spt_take_number(from, 8);
		break;
	case PE_UDATA4:
		value = spt_take_number(from, 4);
		break;
	case PE_SDATA4:
		value = (uint64_t)(int64_t)(int32_t)spt_take_number(from, 4);
		break;
	case PE_UDATA2:
		value = spt_take_number(from, 2);
		break;
	case PE_SDATA2:
		value = (uint64_t)(int64_t)(int16_t)spt_take_number(from, 2);
		break;
	case PE_ULEB:
		value = spt_take_leb(from);
		break;
	case PE_SLEB:
		value = (uint64_t)spt_take_signed_leb(from);
		break;
	default:
		from->is_bad = true;
		return 0;
	}
	if (is_length || (encoding & 0xf0) == PE_ABSOLUTE)
		return value;
	if ((encoding & 0xf0) == PE_RELATIVE)
		return value + here;
	from->is_bad = true;
	return 0;
}

static SptCfiRegister *cfi_slot_of(const SptCfiMachine *machine, uint64_t number)
{
	const SptCfiRegisters *registers = machine->registers;

	if (number == registers->ra)
		return &machine->row->ra;
	for (unsigned i = 0; i < registers->n_saved; i++)
		if (registers->saved[i] == number)
			return &machine->row->saved[i];
	return NULL;
}

static void cfi_set(const SptCfiMachine *machine, uint64_t number, SptCfiWhere where, int64_t value)
{
	SptCfiRegister *slot = cfi_slot_of(machine, number);

	if (!slot)
		return;
	slot->where = where;
	slot->value = value;
	slot->expression.n = 0;
}

static void cfi_restore(const SptCfiMachine *machine, uint64_t number)
{
	SptCfiRegister *slot = cfi_slot_of(machine, number);

	if (slot)
		*slot = *(const SptCfiRegister *)((const char *)machine->initial +
						  ((char *)slot - (char *)machine->row));
}

static void set_expression(const SptCfiMachine *machine, struct spt_bytes *from, SptCfiWhere where)
{
	uint64_t number = spt_take_leb(from);
	SptCfiRegister *slot = cfi_slot_of(machine, number);
	struct spt_bytes expression = spt_take_bytes(from, spt_take_leb(from));

	if (!slot)
		return;
	slot->where = where;
	slot->value = 0;
	slot->expression.bytes = expression.at;
	slot->expression.n = (size_t)(expression.end - expression.at);
}

static void set_cfa(const SptCfiMachine *machine, uint64_t number, int64_t offset)
{
	machine->row->has_cfa = true;
	machine->row->cfa_register = number;
	machine->row->cfa_offset = offset;
	machine->row->cfa.n = 0;
}

static void set_cfa_expression(const SptCfiMachine *machine, struct spt_bytes *from)
{
	struct spt_bytes expression = spt_take_bytes(from, spt_take_leb(from));

	machine->row->has_cfa = true;
	machine->row->cfa.bytes = expression.at;
	machine->row->cfa.n = (size_t)(expression.end - expression.at);
}

/* A factored offset, from any source: without overflow. */
static int64_t factored(const SptCfiMachine *machine, int64_t value)
{
	return (int64_t)((uint64_t)value * (uint64_t)machine->common->data_align);
}

/* Where the registers of the caller are.  False: it is unknown. */
static bool execute_place(SptCfiMachine *machine, uint8_t code, struct spt_bytes *from)
{
	uint64_t number;

	switch (code) {
	case CFA_OFFSET_EXTENDED:
		number = spt_take_leb(from);
		cfi_set(machine, number, SPT_CFI_AT_CFA,
			factored(machine, (int64_t)spt_take_leb(from)));
		return true;
	case CFA_OFFSET_EXTENDED_SF:
		number = spt_take_leb(from);
		cfi_set(machine, number, SPT_CFI_AT_CFA,
			factored(machine, spt_take_signed_leb(from)));
		return true;
	case CFA_NEGATIVE_OFFSET_EXTENDED:
		number = spt_take_leb(from);
		cfi_set(machine, number, SPT_CFI_AT_CFA,
			(int64_t)(0 - (uint64_t)factored(machine, (int64_t)spt_take_leb(from))));
		return true;
	case CFA_VAL_OFFSET:
	case CFA_VAL_OFFSET_SF:
		cfi_set(machine, spt_take_leb(from), SPT_CFI_OTHER, 0);
		spt_take_leb(from);
		return true;
	case CFA_RESTORE_EXTENDED:
		cfi_restore(machine, spt_take_leb(from));
		return true;
	case CFA_UNDEFINED:
		cfi_set(machine, spt_take_leb(from), SPT_CFI_UNDEFINED, 0);
		return true;
	case CFA_SAME_VALUE:
		cfi_set(machine, spt_take_leb(from), SPT_CFI_SAME, 0);
		return true;
	case CFA_REGISTER:
		number = spt_take_leb(from);
		cfi_set(machine, number, SPT_CFI_IN_REGISTER, (int64_t)spt_take_leb(from));
		return true;
	case CFA_EXPRESSION:
		set_expression(machine, from, SPT_CFI_AT_EXPRESSION);
		return true;
	case CFA_VAL_EXPRESSION:
		set_expression(machine, from, SPT_CFI_OTHER);
		return true;
	default:
		return false;
	}
}

/* The CFA, and rows that are kept.  False: another one, or more than there is room for. */
static bool execute_row(SptCfiMachine *machine, uint8_t code, struct spt_bytes *from)
{
	SptCfiRow *row = machine->row;
	uint64_t number;

	switch (code) {
	case CFA_NOP:
	/* On AArch64: the return address is signed from here on, or no longer. */
	case CFA_WINDOW_SAVE:
		return true;
	case CFA_REMEMBER_STATE:
		if (machine->n_remembered == machine->most_remembered)
			return false;
		machine->remembered[machine->n_remembered++] = *row;
		return true;
	case CFA_RESTORE_STATE:
		if (!machine->n_remembered)
			return false;
		*row = machine->remembered[--machine->n_remembered];
		return true;
	case CFA_DEF_CFA:
		number = spt_take_leb(from);
		set_cfa(machine, number, (int64_t)spt_take_leb(from));
		return true;
	case CFA_DEF_CFA_SF:
		number = spt_take_leb(from);
		set_cfa(machine, number, factored(machine, spt_take_signed_leb(from)));
		return true;
	case CFA_DEF_CFA_REGISTER:
		set_cfa(machine, spt_take_leb(from), row->cfa_offset);
		return true;
	case CFA_DEF_CFA_OFFSET:
		set_cfa(machine, row->cfa_register, (int64_t)spt_take_leb(from));
		return true;
	case CFA_DEF_CFA_OFFSET_SF:
		set_cfa(machine, row->cfa_register, factored(machine, spt_take_signed_leb(from)));
		return true;
	case CFA_DEF_CFA_EXPRESSION:
		set_cfa_expression(machine, from);
		return true;
	case CFA_ARGS_SIZE:
		spt_take_leb(from);
		return true;
	default:
		return false;
	}
}

/* Moves whose operands are behind them, and where to.  False: it is another instruction. */
static bool is_move(const SptCfiMachine *machine, uint8_t code, struct spt_bytes *from,
		    uint64_t *ret_to)
{
	uint64_t factor = machine->common->code_align;

	switch (code) {
	case CFA_ADVANCE_LOC1:
		*ret_to = machine->location + spt_take_number(from, 1) * factor;
		return true;
	case CFA_ADVANCE_LOC2:
		*ret_to = machine->location + spt_take_number(from, 2) * factor;
		return true;
	case CFA_ADVANCE_LOC4:
		*ret_to = machine->location + spt_take_number(from, 4) * factor;
		return true;
	case CFA_SET_LOC:
		*ret_to = spt_cfi_take_address(from, machine->common->encoding, false,
					       machine->shift);
		return true;
	default:
		return false;
	}
}

SptCfiStep spt_cfi_run(SptCfiMachine *machine, struct spt_bytes *code, uint64_t *ret_to)
{
	while (code->at < code->end) {
		uint8_t byte = *code->at++, low = byte & CFA_OPERAND;
		bool is_known = true, moves = false;

		switch (byte & ~CFA_OPERAND) {
		case CFA_ADVANCE_LOC:
			*ret_to = machine->location + low * machine->common->code_align;
			return SPT_CFI_MOVES;
		case CFA_OFFSET:
			cfi_set(machine, low, SPT_CFI_AT_CFA,
				factored(machine, (int64_t)spt_take_leb(code)));
			break;
		case CFA_RESTORE:
			cfi_restore(machine, low);
			break;
		default:
			moves = is_move(machine, byte, code, ret_to);
			is_known = moves || execute_row(machine, byte, code) ||
				   execute_place(machine, byte, code);
		}
		if (!is_known || code->is_bad)
			return SPT_CFI_IS_INVALID;
		if (moves)
			return SPT_CFI_MOVES;
	}
	return SPT_CFI_ENDS;
}

/* The meaning of the letters of the augmentation; data of unknown letters ends it. */
static void read_augmentation(SptCfiCommon *common, const char *letters, struct spt_bytes *body)
{
	struct spt_bytes data;

	if (*letters != 'z') {
		common->is_bad |= *letters != '\0';
		return;
	}
	common->has_augmentation_data = true;
	data = spt_take_bytes(body, spt_take_leb(body));
	for (letters++; *letters; letters++) {
		uint8_t encoding;

		switch (*letters) {
		case 'L':
			spt_take_number(&data, 1);
			break;
		case 'P':
			encoding = (uint8_t)spt_take_number(&data, 1);
			common->is_bad |= encoding == PE_ALIGNED;
			spt_cfi_take_address(&data, encoding & 0x0f, true, 0);
			break;
		case 'R':
			common->encoding = (uint8_t)spt_take_number(&data, 1);
			break;
		case 'S':
			common->is_signal = true;
			break;
		case 'B':		/* return addresses are signed with the other key */
		case 'G':		/* memory tags */
			break;
		default:
			common->is_bad = true;
		}
	}
	common->is_bad |= data.is_bad;
}

void spt_cfi_read_common(struct spt_bytes body, const SptCfiRegisters *registers,
			 SptCfiCommon *ret)
{
	unsigned version = (unsigned)spt_take_number(&body, 1);
	const char *letters = (const char *)body.at;
	uint64_t ra;

	*ret = (SptCfiCommon){ .encoding = PE_ABSOLUTE };
	while (body.at < body.end && *body.at)
		body.at++;
	if (body.at == body.end || (version != 1 && version != 3 && version != 4)) {
		ret->is_bad = true;
		return;
	}
	body.at++;
	if (version == 4)
		ret->is_bad = spt_take_number(&body, 1) != 8 || spt_take_number(&body, 1) != 0;
	ret->code_align = spt_take_leb(&body);
	ret->data_align = spt_take_signed_leb(&body);
	ra = version == 1 ? spt_take_number(&body, 1) : spt_take_leb(&body);
	ret->is_bad |= ra != registers->ra;
	read_augmentation(ret, letters, &body);
	ret->is_bad |= body.is_bad;
	ret->program = body;
}
