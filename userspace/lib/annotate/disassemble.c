/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Capstone disassembles; without it there is source, but no instructions. */
#include "annotate/disassemble.h"

#include <elf.h>
#include <inttypes.h>
#include <string.h>

#include "annotate/annotate.h"
#include "base/words.h"

static bool is_intel;

void spt_disassemble_as_intel(void)
{
	is_intel = true;
}

#ifdef SPT_HAS_CAPSTONE

#include <capstone/capstone.h>

static bool open_machine(uint16_t machine, unsigned bits, csh *ret)
{
	switch (machine) {
	case EM_X86_64:
	case EM_386:
		if (cs_open(CS_ARCH_X86, bits == 64 ? CS_MODE_64 : CS_MODE_32, ret) != CS_ERR_OK)
			return false;
		/* The syntax of the kernel, gcc and binutils. */
		cs_option(*ret, CS_OPT_SYNTAX,
			  is_intel ? CS_OPT_SYNTAX_INTEL : CS_OPT_SYNTAX_ATT);
		return true;
	case EM_AARCH64:
		return cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, ret) == CS_ERR_OK;
	default:
		return false;
	}
}

/* The target of a jump or call is its only operand: "0x1139", or "#0x1139" on arm64. */
static uint64_t disassemble_target_of(const cs_insn *insn)
{
	const char *operand = insn->op_str + (insn->op_str[0] == '#');
	char *end;
	uint64_t target = g_ascii_strtoull(operand, &end, 16);

	return g_str_has_prefix(operand, "0x") && *end == '\0' ? target : 0;
}

GArray *spt_disassemble(uint16_t machine, unsigned bits, const uint8_t *code, size_t bytes,
			uint64_t address, const char **ret_problem)
{
	GArray *instructions;
	cs_insn *insn;
	csh handle;

	if (!open_machine(machine, bits, &handle)) {
		*ret_problem =
			SPT_WORDS("is for a processor whose instructions cannot be shown here");
		return NULL;
	}
	cs_option(handle, CS_OPT_SKIPDATA, CS_OPT_ON);
	instructions = g_array_new(FALSE, TRUE, sizeof(SptInstruction));
	insn = cs_malloc(handle);
	while (cs_disasm_iter(handle, &code, &bytes, &address, insn)) {
		SptInstruction instruction = { .address = insn->address,
					       .bytes = insn->size,
					       .target = disassemble_target_of(insn) };

		instruction.text = g_strdup_printf("%s%s%s", insn->mnemonic,
						   *insn->op_str ? " " : "", insn->op_str);
		g_array_append_val(instructions, instruction);
	}
	cs_free(insn, 1);
	cs_close(&handle);
	return instructions;
}

#else

GArray *spt_disassemble(G_GNUC_UNUSED uint16_t machine, G_GNUC_UNUSED unsigned bits,
			G_GNUC_UNUSED const uint8_t *code, G_GNUC_UNUSED size_t bytes,
			G_GNUC_UNUSED uint64_t address, const char **ret_problem)
{
	*ret_problem = SPT_WORDS(
		"cannot be disassembled: this program was built without capstone (libcapstone-dev)");
	return NULL;
}

#endif
