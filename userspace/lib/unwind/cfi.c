/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two passes: the CIEs, each read once, then the FDEs, which refer to them.  So an entry costs its
 * own length, no matter how they refer to each other.
 */
#include "unwind/cfi.h"

#include <dwarf.h>

#include "base/bytes.h"

#define REMEMBERED_MAX 64

struct cie {
	uint64_t code_align;
	int64_t data_align;
	uint8_t encoding;
	bool has_augmentation_data, is_signal, is_bad;
	SptCfiRow row;			/* start of its functions */
};

struct reader {
	const SptCfiSection *section;
	const SptUnwindArch *arch;
	const SptCfiSink *sink;
	GHashTable *cies;		/* position + 1 -> struct cie */
	SptCfiRow remembered[REMEMBERED_MAX];
};

struct entry {
	size_t at;			/* position in the section */
	uint64_t id, id_at;
	bool is_64bit;
	struct spt_bytes body; /* behind the id */
};

/* False: there are no more. */
static bool cfi_next_entry(const SptCfiSection *section, struct spt_bytes *from, struct entry *ret)
{
	uint64_t length;

	/* An end may be in the middle, where sections were joined. */
	do {
		ret->at = from->at - section->bytes;
		length = spt_take_number(from, 4);
	} while (length == 0 && !from->is_bad);
	ret->is_64bit = length == UINT32_MAX;
	if (ret->is_64bit)
		length = spt_take_number(from, 8);
	ret->body = spt_take_bytes(from, length);
	ret->id_at = ret->body.at - section->bytes;
	ret->id = spt_take_number(&ret->body, ret->is_64bit && section->is_debug_frame ? 8 : 4);
	return !from->is_bad;
}

static bool is_cie(const SptCfiSection *section, const struct entry *entry)
{
	if (!section->is_debug_frame)
		return entry->id == 0;
	return entry->id == (entry->is_64bit ? UINT64_MAX : UINT32_MAX);
}

/*
 * An address that is stored as @encoding says.  Functions have none that need more than the
 * section.
 */
static uint64_t take_address(const SptCfiSection *section, struct spt_bytes *from, uint8_t encoding,
			     bool is_length)
{
	uint64_t here = section->address + (from->at - section->bytes), value;

	switch (encoding & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		value = spt_take_number(from, 8);
		break;
	case DW_EH_PE_udata4:
		value = spt_take_number(from, 4);
		break;
	case DW_EH_PE_sdata4:
		value = (int64_t)(int32_t)spt_take_number(from, 4);
		break;
	case DW_EH_PE_udata2:
		value = spt_take_number(from, 2);
		break;
	case DW_EH_PE_sdata2:
		value = (int64_t)(int16_t)spt_take_number(from, 2);
		break;
	case DW_EH_PE_uleb128:
		value = spt_take_leb(from);
		break;
	case DW_EH_PE_sleb128:
		value = spt_take_signed_leb(from);
		break;
	default:
		from->is_bad = true;
		return 0;
	}
	if (is_length || (encoding & 0xf0) == DW_EH_PE_absptr)
		return value;
	if ((encoding & 0xf0) == DW_EH_PE_pcrel)
		return value + here;
	from->is_bad = true;
	return 0;
}

/* Instructions. */

struct machine {
	const struct reader *reader;
	const struct cie *cie;
	SptCfiRow *row;
	uint64_t address, end;
	SptCfiRow *remembered;
	unsigned n_remembered;
	/* rows are reported: an FDE whose function is of interest */
	bool tells;
};

static SptCfiRegister *cfi_slot_of(struct machine *machine, uint64_t number)
{
	const SptUnwindArch *arch = machine->reader->arch;

	if (number == arch->ra)
		return &machine->row->ra;
	for (unsigned i = 0; i < arch->n_saved; i++)
		if (arch->saved[i] == number)
			return &machine->row->saved[i];
	return NULL;
}

static void set_slot(struct machine *machine, uint64_t number, SptCfiWhere where, int64_t value)
{
	SptCfiRegister *slot = cfi_slot_of(machine, number);

	if (slot)
		*slot = (SptCfiRegister){ .where = where, .value = value };
}

static void restore_slot(struct machine *machine, uint64_t number)
{
	SptCfiRegister *slot = cfi_slot_of(machine, number);

	if (slot)
		*slot = *(const SptCfiRegister *)((const char *)&machine->cie->row +
						  ((char *)slot - (char *)machine->row));
}

static void set_slot_expression(struct machine *machine, struct spt_bytes *from, SptCfiWhere where)
{
	SptCfiRegister *slot = cfi_slot_of(machine, spt_take_leb(from));
	struct spt_bytes expression = spt_take_bytes(from, spt_take_leb(from));

	if (slot)
		*slot = (SptCfiRegister){ .where = where,
					  .expression = { expression.at,
							  expression.end - expression.at } };
}

static void set_cfa(struct machine *machine, uint64_t number, int64_t offset)
{
	machine->row->has_cfa = true;
	machine->row->cfa_register = number;
	machine->row->cfa_offset = offset;
	machine->row->cfa = (SptCfiExpression){ 0 };
}

static void cfi_advance(struct machine *machine, uint64_t to)
{
	if (machine->tells && machine->address < machine->end && to > machine->address)
		machine->reader->sink->row(machine->address, machine->row,
					   machine->reader->sink->data);
	if (to >= machine->address)
		machine->address = to;
	else
		machine->tells = false;
}

/* A factored offset, from any source: without overflow. */
static int64_t factored(const struct machine *machine, int64_t value)
{
	return (int64_t)((uint64_t)value * (uint64_t)machine->cie->data_align);
}

/* Instructions that have all of their operands behind them.  False: unknown. */
static bool execute_extended(struct machine *machine, uint8_t code, struct spt_bytes *from)
{
	uint64_t number, factor = machine->cie->code_align;

	switch (code) {
	case DW_CFA_nop:
	/* On AArch64: the return address is signed from here on, or no longer. */
	case DW_CFA_GNU_window_save:
		return true;
	case DW_CFA_set_loc:
		cfi_advance(machine, take_address(machine->reader->section, from,
						  machine->cie->encoding, false));
		return true;
	case DW_CFA_advance_loc1:
		cfi_advance(machine, machine->address + spt_take_number(from, 1) * factor);
		return true;
	case DW_CFA_advance_loc2:
		cfi_advance(machine, machine->address + spt_take_number(from, 2) * factor);
		return true;
	case DW_CFA_advance_loc4:
		cfi_advance(machine, machine->address + spt_take_number(from, 4) * factor);
		return true;
	case DW_CFA_offset_extended:
		number = spt_take_leb(from);
		set_slot(machine, number, SPT_CFI_AT_CFA, factored(machine, spt_take_leb(from)));
		return true;
	case DW_CFA_offset_extended_sf:
		number = spt_take_leb(from);
		set_slot(machine, number, SPT_CFI_AT_CFA,
			 factored(machine, spt_take_signed_leb(from)));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		number = spt_take_leb(from);
		set_slot(machine, number, SPT_CFI_AT_CFA,
			 (int64_t)(0 - (uint64_t)factored(machine, spt_take_leb(from))));
		return true;
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
		set_slot(machine, spt_take_leb(from), SPT_CFI_OTHER, 0);
		spt_take_leb(from);
		return true;
	case DW_CFA_restore_extended:
		restore_slot(machine, spt_take_leb(from));
		return true;
	case DW_CFA_undefined:
		set_slot(machine, spt_take_leb(from), SPT_CFI_UNDEFINED, 0);
		return true;
	case DW_CFA_same_value:
		set_slot(machine, spt_take_leb(from), SPT_CFI_SAME, 0);
		return true;
	case DW_CFA_register:
		number = spt_take_leb(from);
		set_slot(machine, number, SPT_CFI_IN_REGISTER, (int64_t)spt_take_leb(from));
		return true;
	case DW_CFA_remember_state:
		if (machine->n_remembered == REMEMBERED_MAX)
			return false;
		machine->remembered[machine->n_remembered++] = *machine->row;
		return true;
	case DW_CFA_restore_state:
		if (!machine->n_remembered)
			return false;
		*machine->row = machine->remembered[--machine->n_remembered];
		return true;
	case DW_CFA_def_cfa:
		number = spt_take_leb(from);
		set_cfa(machine, number, (int64_t)spt_take_leb(from));
		return true;
	case DW_CFA_def_cfa_sf:
		number = spt_take_leb(from);
		set_cfa(machine, number, factored(machine, spt_take_signed_leb(from)));
		return true;
	case DW_CFA_def_cfa_register:
		set_cfa(machine, spt_take_leb(from), machine->row->cfa_offset);
		return true;
	case DW_CFA_def_cfa_offset:
		set_cfa(machine, machine->row->cfa_register, (int64_t)spt_take_leb(from));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		set_cfa(machine, machine->row->cfa_register,
			factored(machine, spt_take_signed_leb(from)));
		return true;
	case DW_CFA_def_cfa_expression: {
		struct spt_bytes expression = spt_take_bytes(from, spt_take_leb(from));

		machine->row->has_cfa = true;
		machine->row->cfa =
			(SptCfiExpression){ expression.at, expression.end - expression.at };
		return true;
	}
	case DW_CFA_expression:
		set_slot_expression(machine, from, SPT_CFI_AT_EXPRESSION);
		return true;
	case DW_CFA_val_expression:
		set_slot_expression(machine, from, SPT_CFI_OTHER);
		return true;
	case DW_CFA_GNU_args_size:
		spt_take_leb(from);
		return true;
	default:
		return false;
	}
}

/* False: not to its end. */
static bool cfi_execute(struct machine *machine, struct spt_bytes code)
{
	while (code.at < code.end) {
		uint8_t byte = spt_take_number(&code, 1), low = byte & 0x3f;
		bool ok = true;

		switch (byte & 0xc0) {
		case DW_CFA_advance_loc:
			cfi_advance(machine, machine->address + low * machine->cie->code_align);
			break;
		case DW_CFA_offset:
			set_slot(machine, low, SPT_CFI_AT_CFA,
				 factored(machine, spt_take_leb(&code)));
			break;
		case DW_CFA_restore:
			restore_slot(machine, low);
			break;
		default:
			ok = execute_extended(machine, byte, &code);
		}
		if (!ok || code.is_bad)
			return false;
	}
	return true;
}

/* Entries. */

/* The meaning of the letters of the augmentation; data of unknown letters ends it. */
static void read_augmentation(const SptCfiSection *section, struct cie *cie, const char *letters,
			      struct spt_bytes *body)
{
	struct spt_bytes data;

	if (*letters != 'z') {
		cie->is_bad = *letters != '\0';
		return;
	}
	cie->has_augmentation_data = true;
	data = spt_take_bytes(body, spt_take_leb(body));
	for (letters++; *letters; letters++) {
		uint8_t encoding;

		switch (*letters) {
		case 'L':
			spt_take_number(&data, 1);
			break;
		case 'P':
			encoding = spt_take_number(&data, 1);
			if (encoding == DW_EH_PE_aligned)
				cie->is_bad = true;
			take_address(section, &data, encoding & 0x0f, true);
			break;
		case 'R':
			cie->encoding = spt_take_number(&data, 1);
			break;
		case 'S':
			cie->is_signal = true;
			break;
		case 'B':		/* return addresses are signed with the other key */
		case 'G':		/* memory tags */
			break;
		default:
			cie->is_bad = true;
		}
	}
	cie->is_bad |= data.is_bad;
}

static struct cie *read_cie(struct reader *reader, struct spt_bytes body)
{
	struct cie *cie = g_new0(struct cie, 1);
	struct machine machine = { .reader = reader, .cie = cie, .remembered = reader->remembered };
	unsigned version = spt_take_number(&body, 1);
	const char *letters = (const char *)body.at;
	const uint8_t *end = body.at < body.end ? memchr(body.at, '\0', body.end - body.at) : NULL;
	uint64_t ra;

	cie->encoding = DW_EH_PE_absptr;
	if (!end || (version != 1 && version != 3 && version != 4)) {
		cie->is_bad = true;
		return cie;
	}
	body.at = end + 1;
	if (version == 4)
		cie->is_bad = spt_take_number(&body, 1) != 8 || spt_take_number(&body, 1) != 0;
	cie->code_align = spt_take_leb(&body);
	cie->data_align = spt_take_signed_leb(&body);
	ra = version == 1 ? spt_take_number(&body, 1) : spt_take_leb(&body);
	cie->is_bad |= ra != reader->arch->ra;
	read_augmentation(reader->section, cie, letters, &body);
	machine.row = &cie->row;
	if (cie->is_bad || body.is_bad || !cfi_execute(&machine, body))
		cie->is_bad = true;
	return cie;
}

static const struct cie *cie_of(const struct reader *reader, const struct entry *entry)
{
	uint64_t at = reader->section->is_debug_frame ? entry->id : entry->id_at - entry->id;

	return g_hash_table_lookup(reader->cies, GSIZE_TO_POINTER(at + 1));
}

static void read_fde(struct reader *reader, const struct entry *entry)
{
	const struct cie *cie = cie_of(reader, entry);
	struct machine machine = { .reader = reader, .cie = cie, .remembered = reader->remembered };
	struct spt_bytes body = entry->body;
	SptCfiRow row;

	if (!cie || cie->is_bad)
		return;
	machine.address = take_address(reader->section, &body, cie->encoding, false);
	machine.end = machine.address + take_address(reader->section, &body, cie->encoding, true);
	if (cie->has_augmentation_data)
		spt_take_bytes(&body, spt_take_leb(&body));
	if (body.is_bad || machine.end <= machine.address ||
	    !reader->sink->function(machine.address, machine.end, cie->is_signal,
				    reader->sink->data))
		return;
	row = cie->row;
	machine.row = &row;
	machine.tells = true;
	/* After an invalid instruction nothing is known. */
	if (!cfi_execute(&machine, body))
		row = (SptCfiRow){ 0 };
	cfi_advance(&machine, machine.end);
}

void spt_cfi_read(const SptCfiSection *section, const SptUnwindArch *arch, const SptCfiSink *sink)
{
	g_autofree struct reader *reader = g_new0(struct reader, 1);
	struct spt_bytes from = spt_bytes_of(section->bytes, section->n);
	struct entry entry;

	reader->section = section;
	reader->arch = arch;
	reader->sink = sink;
	reader->cies = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	while (cfi_next_entry(section, &from, &entry))
		if (is_cie(section, &entry))
			g_hash_table_insert(reader->cies, GSIZE_TO_POINTER(entry.at + 1),
					    read_cie(reader, entry.body));
	from = spt_bytes_of(section->bytes, section->n);
	while (cfi_next_entry(section, &from, &entry))
		if (!is_cie(section, &entry))
			read_fde(reader, &entry);
	g_hash_table_unref(reader->cies);
}
