/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The key of the thread state is in _PyRuntime; where it is there, the function says that returns
 * the state.
 */
#include "scripts/cpython-root.h"

#include <gelf.h>
#include <string.h>

#include "scripts/script-elf.h"

#define GETTER_MAX_BYTES 64

struct getter {
	uint8_t code[GETTER_MAX_BYTES + 8];
	size_t bytes;
	uint64_t address;
	SptScriptSymbol runtime;
};

static bool cpython_is_in_runtime(const struct getter *getter, uint64_t address)
{
	return address > getter->runtime.address &&
	       address - getter->runtime.address < getter->runtime.bytes;
}

static int32_t cpython_number_at(const uint8_t *code)
{
	int32_t number;

	memcpy(&number, code, sizeof(number));
	return number;
}

/*
 * The address of the key, by the instruction of x86-64 at @code, at @address, that loads it, or the
 * address of the struct with it, 4 bytes before.  0: it is another instruction.
 */
static uint64_t cpython_key_of_x86(const uint8_t *code, uint64_t address, uint64_t runtime)
{
	const bool is_wide = code[0] == 0x48;

	/* mov rel(%rip),%edi */
	if (code[0] == 0x8b && code[1] == 0x3d)
		return address + 6 + (uint64_t)(int64_t)cpython_number_at(code + 2);
	/* mov disp(%rax),%edi */
	if (code[0] == 0x8b && code[1] == 0xb8)
		return runtime + (uint64_t)(int64_t)cpython_number_at(code + 2);
	/* lea disp(%rax),%rdi; lea disp(%rax),%rbx */
	if (is_wide && code[1] == 0x8d && (code[2] == 0xb8 || code[2] == 0x98))
		return runtime + (uint64_t)(int64_t)cpython_number_at(code + 3) + 4;
	/* lea rel(%rip),%rdi; lea rel(%rip),%rbx */
	if (is_wide && code[1] == 0x8d && (code[2] == 0x3d || code[2] == 0x1d))
		return address + 7 + (uint64_t)(int64_t)cpython_number_at(code + 3) + 4;
	/* mov $address,%edi; mov $address,%ebx */
	if (code[0] == 0xbf || code[0] == 0xbb)
		return (uint32_t)cpython_number_at(code + 1) + 4ull;
	return 0;
}

static bool cpython_find_root_x86(const struct getter *getter, SptCpythonRoot *ret)
{
	/* mov %fs:number,%rax */
	static const uint8_t load[] = { 0x64, 0x48, 0x8b, 0x04, 0x25 };

	for (size_t i = 0; i < getter->bytes; i++) {
		const uint8_t *code = getter->code + i;

		ret->key = cpython_key_of_x86(code, getter->address + i, getter->runtime.address);
		if (cpython_is_in_runtime(getter, ret->key))
			return true;
		ret->key = 0;
		if (!memcmp(code, load, sizeof(load))) {
			ret->variable = cpython_number_at(code + sizeof(load));
			return true;
		}
	}
	return false;
}

/* What is known of a register of arm64. */
struct arm_register {
	enum {
		ARM_UNKNOWN,
		ARM_VALUE,
		ARM_LOADED,		/* four bytes that are at @value */
		ARM_THREAD,		/* the thread pointer, and @value */
	} kind;
	uint64_t value;
};

/* Of adrp: 21 bits, of which the lowest two are elsewhere. */
static uint64_t arm_page_of(uint32_t word, uint64_t address)
{
	int64_t pages = (int64_t)((uint64_t)(word >> 5 & 0x7ffff) << 45) >> 43;

	pages |= word >> 29 & 3;
	return (address & ~0xfffull) + ((uint64_t)pages << 12);
}

/* One instruction's effect on @registers, as far as it matters here. */
static void arm_execute(uint32_t word, uint64_t address, struct arm_register *registers)
{
	struct arm_register *to = &registers[word & 31], *from = &registers[word >> 5 & 31];

	if ((word & 0x9f000000) == 0x90000000)		/* adrp */
		*to = (struct arm_register){ ARM_VALUE, arm_page_of(word, address) };
	else if ((word & 0xff800000) == 0x91000000)	/* add, 64 bits, a number */
		*to = (struct arm_register){ from->kind == ARM_LOADED ? ARM_UNKNOWN : from->kind,
					     from->value + ((uint64_t)(word >> 10 & 0xfff)
							    << (word >> 22 & 1 ? 12 : 0)) };
	else if ((word & 0xffc00000) == 0xb9400000)	/* ldr, 32 bits */
		*to = (struct arm_register){ from->kind == ARM_VALUE ? ARM_LOADED : ARM_UNKNOWN,
					     from->value + (word >> 10 & 0xfff) * 4 };
	else if ((word & 0xffffffe0) == 0xd53bd040)	/* mrs, tpidr_el0 */
		*to = (struct arm_register){ ARM_THREAD, 0 };
	else if ((word & 0x7f000000) != 0x34000000 &&	/* cbz */
		 (word & 0x7f000000) != 0x35000000)	/* cbnz */
		*to = (struct arm_register){ ARM_UNKNOWN, 0 };
}

/* The first argument of what it calls is the key, or the address of the struct with it. */
static bool cpython_find_root_arm64(const struct getter *getter, SptCpythonRoot *ret)
{
	struct arm_register registers[32] = { 0 };

	for (size_t i = 0; i + sizeof(uint32_t) <= getter->bytes; i += sizeof(uint32_t)) {
		uint32_t word = (uint32_t)cpython_number_at(getter->code + i);
		const struct arm_register *from = &registers[word >> 5 & 31];

		if ((word & 0x7c000000) == 0x14000000) {	/* b, bl */
			if (registers[0].kind == ARM_VALUE)
				ret->key = registers[0].value + 4;
			else if (registers[0].kind == ARM_LOADED)
				ret->key = registers[0].value;
			if (cpython_is_in_runtime(getter, ret->key))
				return true;
			ret->key = 0;
		}
		/* ldr, 64 bits, of a variable */
		if ((word & 0xffc00000) == 0xf9400000 && from->kind == ARM_THREAD) {
			ret->variable = (int32_t)(from->value + (word >> 10 & 0xfff) * 8);
			return true;
		}
		arm_execute(word, getter->address + i, registers);
	}
	return false;
}

bool spt_cpython_find_root(const SptObject *file, SptCpythonRoot *ret)
{
	struct getter getter = { 0 };
	SptScriptSymbol symbol;
	GElf_Ehdr header;

	*ret = (SptCpythonRoot){ 0 };
	if (!spt_script_elf_symbol(file, "PyGILState_GetThisThreadState", &symbol) ||
	    !spt_script_elf_symbol(file, "_PyRuntime", &getter.runtime) ||
	    !gelf_getehdr(spt_object_elf(file), &header))
		return false;
	getter.address = symbol.address;
	getter.bytes = MIN(symbol.bytes, GETTER_MAX_BYTES);
	if (!spt_script_elf_read(file, getter.address, getter.code, getter.bytes))
		return false;
	return header.e_machine == EM_AARCH64 ? cpython_find_root_arm64(&getter, ret) :
						cpython_find_root_x86(&getter, ret);
}
