/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cfi.h"

#include "plain.h"
#include "rules.h"
#include "thread.h"

enum { BP = SPT_BP, SP = SPT_SP, RA = SPT_RA };
enum { BREG = 0x70, DEREF = 0x06 };
#define MOST_STATES 8
/* Of a CIE's augmentation. */
#define MOST_LETTERS 64u

struct place {
	enum { SAME, AT_CFA, EXPRESSION, OTHER } kind;
	int64_t offset;
	const uint8_t *expression;
};

struct row {
	unsigned cfa_register;
	int64_t cfa_offset;
	const uint8_t *cfa_expression;	/* NULL: the register and offset */
	struct place bp, ra;
	bool ra_is_undefined;
};

struct cie {
	uint64_t code_align;
	int64_t data_align;
	unsigned encoding;
	bool is_signal, has_augmentation;
	const uint8_t *program, *end;
};

static uint64_t read_unsigned(const uint8_t **at)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = *(*at)++;
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return value;
}

static int64_t read_signed(const uint8_t **at)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = *(*at)++;
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (shift < 64 && byte & 0x40)
		value |= ~0ULL << shift;
	return (int64_t)value;
}

#define READ(type, at)                                 \
	({                                             \
		type value_;                           \
		memcpy(&value_, *(at), sizeof(type));  \
		*(at) += sizeof(type);                 \
		value_;                                \
	})

/* A pointer in one of the encodings; @data is its base where it is not itself. */
static uint64_t read_pointer(const uint8_t **at, unsigned encoding, uint64_t data)
{
	uint64_t here = (uint64_t)*at, value;

	switch (encoding & 0x0f) {
	case 0x00:
	case 0x04:
	case 0x0c:
		value = READ(uint64_t, at);
		break;
	case 0x01:
		value = read_unsigned(at);
		break;
	case 0x02:
		value = READ(uint16_t, at);
		break;
	case 0x03:
		value = READ(uint32_t, at);
		break;
	case 0x09:
		value = (uint64_t)read_signed(at);
		break;
	case 0x0a:
		value = (uint64_t)(int64_t)READ(int16_t, at);
		break;
	default:
		value = (uint64_t)(int64_t)READ(int32_t, at);
	}
	if ((encoding & 0x70) == 0x10)
		value += here;
	else if ((encoding & 0x70) == 0x30)
		value += data;
	return value;
}

static void parse_augmentation(struct cie *cie, const char *letters, const uint8_t *at)
{
	for (; *letters; letters++) {
		switch (*letters) {
		case 'R':
			cie->encoding = *at++;
			break;
		case 'P': {
			unsigned encoding = *at++;

			read_pointer(&at, encoding & 0x0f, 0);
			break;
		}
		case 'L':
			at++;
			break;
		case 'S':
			cie->is_signal = true;
			break;
		}
	}
}

static bool parse_cie(const uint8_t *at, struct cie *cie)
{
	uint32_t length = READ(uint32_t, &at);
	const char *letters;
	uint8_t version;

	*cie = (struct cie){ .end = at + length };
	at += 4;
	version = *at++;
	letters = (const char *)at;
	at += spt_text_bytes(letters, MOST_LETTERS) + 1;
	if (length == UINT32_MAX || (version != 1 && version != 3) || spt_text_begins(letters, "eh"))
		return false;
	cie->code_align = read_unsigned(&at);
	cie->data_align = read_signed(&at);
	if (version == 1)
		at++;
	else
		read_unsigned(&at);
	if (*letters == 'z') {
		uint64_t bytes = read_unsigned(&at);

		cie->has_augmentation = true;
		parse_augmentation(cie, letters + 1, at);
		at += bytes;
	}
	cie->program = at;
	return true;
}

static void set_place(struct row *row, uint64_t reg, struct place place)
{
	if (reg == BP)
		row->bp = place;
	if (reg != RA)
		return;
	row->ra = place;
	row->ra_is_undefined = false;
}

static void restore(struct row *row, uint64_t reg, const struct row *initial)
{
	if (reg == BP)
		row->bp = initial->bp;
	if (reg == RA)
		row->ra = initial->ra;
}

static void undefine(struct row *row, uint64_t reg)
{
	if (reg == RA)
		row->ra_is_undefined = true;
}

/* Too large for the stacks of programs: it is in the thread's memory. */
struct machine {
	struct cie cie;
	struct row row, initial;
	struct row saved[MOST_STATES];
	unsigned n_saved;
	uint64_t location;
	bool is_bad;
};
_Static_assert(sizeof(struct machine) <= sizeof(((struct spt_thread *)NULL)->scratch[0]),
	       "there is room for it");

static struct place at_cfa(int64_t offset)
{
	return (struct place){ .kind = AT_CFA, .offset = offset };
}

/* The opcodes that have no operand in their own byte. */
static void extended(struct machine *machine, uint8_t op, const uint8_t **at)
{
	struct row *row = &machine->row;
	int64_t align = machine->cie.data_align;
	uint64_t reg;

	switch (op) {
	case 0x00:		/* nop */
		break;
	case 0x01:		/* set_loc */
		machine->location = read_pointer(at, machine->cie.encoding, 0);
		break;
	case 0x02:
		machine->location += READ(uint8_t, at) * machine->cie.code_align;
		break;
	case 0x03:
		machine->location += READ(uint16_t, at) * machine->cie.code_align;
		break;
	case 0x04:
		machine->location += READ(uint32_t, at) * machine->cie.code_align;
		break;
	case 0x05:		/* offset_extended */
		reg = read_unsigned(at);
		set_place(row, reg, at_cfa((int64_t)read_unsigned(at) * align));
		break;
	case 0x06:		/* restore_extended */
		restore(row, read_unsigned(at), &machine->initial);
		break;
	case 0x07:
		undefine(row, read_unsigned(at));
		break;
	case 0x08:		/* same_value */
		set_place(row, read_unsigned(at), (struct place){ .kind = SAME });
		break;
	case 0x09:		/* register: saved in another one, which is not followed */
		reg = read_unsigned(at);
		read_unsigned(at);
		set_place(row, reg, (struct place){ .kind = OTHER });
		break;
	case 0x0a:
		if (machine->n_saved < MOST_STATES)
			machine->saved[machine->n_saved] = *row;
		machine->n_saved++;
		break;
	case 0x0b:
		machine->is_bad |= !machine->n_saved || machine->n_saved > MOST_STATES;
		if (!machine->is_bad)
			*row = machine->saved[--machine->n_saved];
		break;
	case 0x0c:		/* def_cfa */
		row->cfa_register = (unsigned)read_unsigned(at);
		row->cfa_offset = (int64_t)read_unsigned(at);
		row->cfa_expression = NULL;
		break;
	case 0x0d:
		row->cfa_register = (unsigned)read_unsigned(at);
		row->cfa_expression = NULL;
		break;
	case 0x0e:
		row->cfa_offset = (int64_t)read_unsigned(at);
		break;
	case 0x0f:
		row->cfa_expression = *at;
		reg = read_unsigned(at);
		*at += reg;
		break;
	case 0x10:		/* expression: the address of the saved register */
	case 0x16: {		/* val_expression: its value */
		struct place place = { .kind = op == 0x10 ? EXPRESSION : OTHER };

		reg = read_unsigned(at);
		place.expression = *at;
		set_place(row, reg, place);
		reg = read_unsigned(at);
		*at += reg;
		break;
	}
	case 0x11:		/* offset_extended_sf */
		reg = read_unsigned(at);
		set_place(row, reg, at_cfa(read_signed(at) * align));
		break;
	case 0x12:		/* def_cfa_sf */
		row->cfa_register = (unsigned)read_unsigned(at);
		row->cfa_offset = read_signed(at) * align;
		row->cfa_expression = NULL;
		break;
	case 0x13:
		row->cfa_offset = read_signed(at) * align;
		break;
	case 0x14:		/* val_offset */
	case 0x15:
		reg = read_unsigned(at);
		read_unsigned(at);
		set_place(row, reg, (struct place){ .kind = OTHER });
		break;
	case 0x2e:		/* GNU_args_size */
		read_unsigned(at);
		break;
	case 0x2f:		/* GNU_negative_offset_extended */
		reg = read_unsigned(at);
		set_place(row, reg, at_cfa(-(int64_t)read_unsigned(at) * align));
		break;
#ifdef SPT_HAS_LINK
	case 0x2d:		/* the return address is signed from here on, or no longer */
		break;
#endif
	default:
		machine->is_bad = true;
	}
}

/* Runs until the location is beyond @address: what moves it changes nothing else. */
static void cfi_run(struct machine *machine, const uint8_t *at, const uint8_t *end,
		    uint64_t address)
{
	while (at < end && machine->location <= address && !machine->is_bad) {
		uint8_t op = *at++;

		switch (op >> 6) {
		case 1:
			machine->location += (op & 0x3f) * machine->cie.code_align;
			break;
		case 2:
			set_place(&machine->row, op & 0x3f,
				  at_cfa((int64_t)read_unsigned(&at) * machine->cie.data_align));
			break;
		case 3:
			restore(&machine->row, op & 0x3f, &machine->initial);
			break;
		default:
			extended(machine, op, &at);
		}
	}
}

/* "Register + offset", and whether the memory there is meant; false: another expression. */
static bool cfi_is_simple(const uint8_t *expression, unsigned *ret_register, int64_t *ret_offset,
			  bool *ret_is_read)
{
	uint64_t bytes = read_unsigned(&expression);
	const uint8_t *end = expression + bytes;

	if (!bytes || (*expression != BREG + BP && *expression != BREG + SP))
		return false;
	*ret_register = *expression++ - BREG;
	*ret_offset = read_signed(&expression);
	*ret_is_read = expression + 1 == end && *expression == DEREF;
	return *ret_is_read || expression == end;
}

#ifdef __x86_64__
/* The linkers' expression for their procedure linkage table: sp + 8, + 8 behind its push. */
static bool is_of_plt(const uint8_t *expression)
{
	static const uint8_t plt[] = { 11, BREG + SP, 8, BREG + RA, 0, 0x3f, 0x1a };
	static const uint8_t shift_and_add[] = { 0x2a, 0x33, 0x24, 0x22 };

	return memcmp(expression, plt, sizeof(plt)) == 0 &&
	       memcmp(expression + sizeof(plt) + 1, shift_and_add, sizeof(shift_and_add)) == 0;
}

#else
static bool is_of_plt(const uint8_t *expression)
{
	(void)expression;
	return false;
}
#endif

static struct place initial_ra(void)
{
#ifdef SPT_HAS_LINK
	return (struct place){ .kind = SAME };
#else
	return at_cfa(SPT_RA_AT);
#endif
}

/* False: it is in no place that a rule can name. */
static bool is_ra_known(const struct place *ra)
{
#ifdef SPT_HAS_LINK
	return ra->kind == SAME || (ra->kind == AT_CFA && ra->offset);
#else
	return ra->kind == AT_CFA;
#endif
}

static uint64_t cfi_rule_of(const struct row *row, uint64_t pc)
{
	unsigned base = SPT_RULE_UNKNOWN, bp = SPT_BP_SAME, reg = row->cfa_register;
	int64_t offset = row->cfa_offset, bp_offset = 0, ra_offset = row->ra.offset;
	bool is_read = false;

	if (row->ra_is_undefined)
		return spt_rule(SPT_RULE_END, 0, 0, 0, 0);
	if (row->cfa_expression && is_of_plt(row->cfa_expression)) {
		reg = SP;
		offset = 8 + ((pc & 15) >= row->cfa_expression[7] - 0x30u ? 8 : 0);
	} else if (row->cfa_expression &&
		   !cfi_is_simple(row->cfa_expression, &reg, &offset, &is_read)) {
		reg = RA;
	}
	if (reg == SP)
		base = is_read ? SPT_RULE_AT_SP : SPT_RULE_SP;
	else if (reg == BP)
		base = is_read ? SPT_RULE_AT_BP : SPT_RULE_BP;
	if (row->bp.kind == AT_CFA) {
		bp = SPT_BP_AT_CFA;
		bp_offset = row->bp.offset;
	} else if (row->bp.kind == EXPRESSION) {
		bool is_indirect;

		bp = SPT_BP_AT_BP;
		if (!cfi_is_simple(row->bp.expression, &reg, &bp_offset, &is_indirect) ||
		    is_indirect || reg != BP)
			base = SPT_RULE_UNKNOWN;
	} else if (row->bp.kind == OTHER) {
		base = SPT_RULE_UNKNOWN;
	}
	if (!is_ra_known(&row->ra) || !spt_rule_fits(offset, bp_offset, ra_offset))
		base = SPT_RULE_UNKNOWN;
	return spt_rule(base, (int32_t)offset, bp, (int32_t)bp_offset, (int32_t)ra_offset);
}

/* The entry of the sorted table that may contain @address; NULL: none. */
static const uint8_t *find_fde(const uint8_t *header, uint64_t address)
{
	const uint8_t *at = header + 4;
	uint64_t data = (uint64_t)header, n, low = 0, high;
	const int32_t *table;

	/* All linkers make these tables; without them a search from the start would be needed. */
	if (header[0] != 1 || header[2] == 0xff || header[3] != 0x3b)
		return NULL;
	read_pointer(&at, header[1], data);
	n = read_pointer(&at, header[2], data);
	table = (const int32_t *)at;
	for (high = n; low < high;) {
		uint64_t middle = low + (high - low) / 2;

		if (data + (uint64_t)(int64_t)table[2 * middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? header + table[2 * low - 1] : NULL;
}

bool spt_cfi_rule(const uint8_t *eh_frame_hdr, uint64_t address, uint64_t pc, uint64_t *ret_rule)
{
	const uint8_t *at = find_fde(eh_frame_hdr, address), *end;
	struct machine *machine = (void *)spt_self->scratch[spt_self->state == SPT_NESTED];
	struct cie *cie = &machine->cie;
	uint64_t begin, bytes;
	uint32_t length;

	if (!at)
		return false;
	length = READ(uint32_t, &at);
	end = at + length;
	if (length == UINT32_MAX || !parse_cie(at - *(const int32_t *)at, cie))
		return false;
	at += 4;
	begin = read_pointer(&at, cie->encoding, 0);
	bytes = read_pointer(&at, cie->encoding & 0x0f, 0);
	if (address < begin || address - begin >= bytes)
		return false;
	if (cie->is_signal) {
		*ret_rule = spt_rule_signal();
		return true;
	}
	if (cie->has_augmentation) {
		uint64_t skip = read_unsigned(&at);

		at += skip;
	}
	/* The saved rows stay as they are. */
	machine->row = (struct row){ .ra = initial_ra() };
	machine->n_saved = 0;
	machine->location = 0;
	machine->is_bad = false;
	cfi_run(machine, cie->program, cie->end, UINT64_MAX);
	machine->initial = machine->row;
	machine->location = begin;
	cfi_run(machine, at, end, address);
	*ret_rule = machine->is_bad ? spt_rule(SPT_RULE_UNKNOWN, 0, 0, 0, 0) :
				      cfi_rule_of(&machine->row, pc);
	return true;
}
