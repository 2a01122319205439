/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two passes: the CIEs, each read once, then the FDEs, which refer to them.  So an entry costs its
 * own length, no matter how they refer to each other.
 */
#include "unwind/cfi.h"

#include "base/bytes.h"

#define REMEMBERED_MAX 64

_Static_assert(SPT_CFI_SAVED_MAX == SPT_UNWIND_SAVED_MAX, "rows have room for all that are saved");

struct cie {
	SptCfiCommon common;
	SptCfiRow row;			/* start of its functions */
};

struct reader {
	const SptCfiSection *section;
	const SptCfiSink *sink;
	SptCfiRegisters registers;
	SptCfiMachine machine;
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

/* The instructions of an entry of @cie come next. */
static SptCfiMachine *begin_entry(struct reader *reader, const struct cie *cie, SptCfiRow *row)
{
	SptCfiMachine *machine = &reader->machine;

	machine->common = &cie->common;
	machine->initial = &cie->row;
	machine->row = row;
	machine->n_remembered = 0;
	machine->location = 0;
	return machine;
}

static struct cie *read_cie(struct reader *reader, struct spt_bytes body)
{
	struct cie *cie = g_new0(struct cie, 1);
	SptCfiMachine *machine = begin_entry(reader, cie, &cie->row);
	SptCfiStep step = SPT_CFI_MOVES;

	spt_cfi_read_common(body, &reader->registers, &cie->common);
	body = cie->common.program;
	while (!cie->common.is_bad && step == SPT_CFI_MOVES)
		step = spt_cfi_run(machine, &body, &machine->location);
	cie->common.is_bad |= step == SPT_CFI_IS_INVALID;
	return cie;
}

static const struct cie *cie_of(const struct reader *reader, const struct entry *entry)
{
	uint64_t at = reader->section->is_debug_frame ? entry->id : entry->id_at - entry->id;

	return g_hash_table_lookup(reader->cies, GSIZE_TO_POINTER(at + 1));
}

/* Reports the rows of a function, up to its end. */
static void tell_rows(struct reader *reader, struct spt_bytes code, uint64_t end)
{
	SptCfiMachine *machine = &reader->machine;
	SptCfiStep step;

	do {
		uint64_t to = end;

		step = spt_cfi_run(machine, &code, &to);
		/* After an invalid instruction nothing is known. */
		if (step == SPT_CFI_IS_INVALID)
			*machine->row = (SptCfiRow){ 0 };
		if (step != SPT_CFI_MOVES)
			to = end;
		/* Rows that go back would not rise. */
		if (to < machine->location)
			return;
		if (to > machine->location && machine->location < end)
			reader->sink->row(machine->location, machine->row, reader->sink->data);
		machine->location = to;
	} while (step == SPT_CFI_MOVES);
}

static void read_fde(struct reader *reader, const struct entry *entry)
{
	const struct cie *cie = cie_of(reader, entry);
	struct spt_bytes body = entry->body;
	SptCfiMachine *machine = &reader->machine;
	SptCfiRow row;
	uint64_t begin, end;

	if (!cie || cie->common.is_bad)
		return;
	begin = spt_cfi_take_address(&body, cie->common.encoding, false, machine->shift);
	end = begin + spt_cfi_take_address(&body, cie->common.encoding, true, machine->shift);
	if (cie->common.has_augmentation_data)
		spt_take_bytes(&body, spt_take_leb(&body));
	if (body.is_bad || end <= begin ||
	    !reader->sink->function(begin, end, cie->common.is_signal, reader->sink->data))
		return;
	row = cie->row;
	begin_entry(reader, cie, &row)->location = begin;
	tell_rows(reader, body, end);
}

void spt_cfi_read(const SptCfiSection *section, const SptUnwindArch *arch, const SptCfiSink *sink)
{
	g_autofree struct reader *reader = g_new0(struct reader, 1);
	struct spt_bytes from = spt_bytes_of(section->bytes, section->n);
	struct entry entry;

	reader->section = section;
	reader->registers = (SptCfiRegisters){ arch->saved, arch->n_saved, arch->ra };
	reader->machine = (SptCfiMachine){
		.registers = &reader->registers,
		.shift = section->address - (uint64_t)(uintptr_t)section->bytes,
		.remembered = reader->remembered,
		.most_remembered = REMEMBERED_MAX,
	};
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
