/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prefixes, opcode, ModRM, SIB, displacement, immediate.  For vector instructions only the length
 * and the general registers that they write are needed.
 */
#include "unwind/x86.h"

#include <string.h>

enum map { MAP_ONE, MAP_0F, MAP_0F38, MAP_0F3A, MAP_XOP8, MAP_XOPA, MAP_OTHER };

struct decoder {
	const uint8_t *code;
	size_t n, at;
	bool is_short, is_repeated, is_vector, has_rex;	/* 66; f2 or f3; VEX, EVEX, XOP */
	uint8_t rex;			/* w 8, r 4, x 2, b 1 */
	uint8_t other;			/* the register that VEX adds */
	enum map map;
	uint8_t opcode;
	/* Of ModRM */
	bool has_modrm, is_register, has_index;
	uint8_t reg, rm, base;		/* base: SPT_X86_NONE: none, or the instruction pointer */
	int64_t displacement, immediate;
};

static uint8_t peek(const struct decoder *decoder, size_t ahead)
{
	return decoder->at + ahead < decoder->n ? decoder->code[decoder->at + ahead] : 0;
}

static int64_t x86_take(struct decoder *decoder, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)peek(decoder, i) << 8 * i;
	decoder->at += bytes;
	if (bytes == 0 || bytes == 8)
		return (int64_t)value;
	return (int64_t)(value << (64 - 8 * bytes)) >> (64 - 8 * bytes);
}

static void take_prefixes(struct decoder *decoder)
{
	uint8_t byte = 0;

	for (; decoder->at < 14; decoder->at++) {
		byte = peek(decoder, 0);
		if (byte == 0x66)
			decoder->is_short = true;
		else if (byte == 0xf2 || byte == 0xf3)
			decoder->is_repeated = true;
		else if (!byte || !strchr("\x26\x2e\x36\x3e\x64\x65\x67\xf0", byte))
			break;
	}
	if ((byte & 0xf0) == 0x40) {
		decoder->rex = byte & 0xf;
		decoder->has_rex = true;
		decoder->at++;
	}
}

/* The bits of VEX are inverted. */
static void take_vex3(struct decoder *decoder, unsigned maps_mask)
{
	static const enum map maps[] = { MAP_OTHER, MAP_0F,    MAP_0F38, MAP_0F3A,
					 MAP_OTHER, MAP_OTHER, MAP_OTHER, MAP_OTHER,
					 MAP_XOP8,  MAP_OTHER, MAP_XOPA };
	uint8_t one = peek(decoder, 1), two = peek(decoder, 2);

	decoder->map = (one & maps_mask) < G_N_ELEMENTS(maps) ? maps[one & maps_mask] : MAP_OTHER;
	decoder->rex = (uint8_t)(~one >> 5 & 7) | (two & 0x80 ? 8 : 0);
	decoder->other = ~two >> 3 & 15;
	decoder->is_short = (two & 3) == 1;
	decoder->is_repeated = (two & 3) > 1;
	decoder->at += 3;
}

static void take_vex2(struct decoder *decoder)
{
	uint8_t one = peek(decoder, 1);

	decoder->map = MAP_0F;
	decoder->rex = one & 0x80 ? 0 : 4;
	decoder->other = ~one >> 3 & 15;
	decoder->is_short = (one & 3) == 1;
	decoder->is_repeated = (one & 3) > 1;
	decoder->at += 2;
}

static void take_evex(struct decoder *decoder)
{
	take_vex3(decoder, 7);
	decoder->at++;
}

static void take_legacy(struct decoder *decoder)
{
	decoder->map = MAP_ONE;
	if (peek(decoder, 0) != 0x0f)
		return;
	decoder->map = peek(decoder, 1) == 0x38 ? MAP_0F38 :
		       peek(decoder, 1) == 0x3a ? MAP_0F3A :
						  MAP_0F;
	decoder->at += decoder->map == MAP_0F ? 1 : 2;
}

static void take_opcode(struct decoder *decoder)
{
	uint8_t first = peek(decoder, 0);
	bool is_xop = first == 0x8f && (peek(decoder, 1) & 0x1f) >= 8;

	decoder->is_vector = !decoder->has_rex &&
			     (first == 0xc4 || first == 0xc5 || first == 0x62 || is_xop);
	if (!decoder->is_vector)
		take_legacy(decoder);
	else if (first == 0x62)
		take_evex(decoder);
	else if (first == 0xc5)
		take_vex2(decoder);
	else
		take_vex3(decoder, 0x1f);
	decoder->opcode = (uint8_t)x86_take(decoder, 1);
}

static bool is_one_of(uint8_t opcode, const char *list, size_t n)
{
	return memchr(list, opcode, n) != NULL;
}
#define IS_ONE_OF(opcode, list) is_one_of(opcode, list, sizeof(list) - 1)

static bool has_modrm(const struct decoder *decoder)
{
	uint8_t opcode = decoder->opcode;

	if (decoder->is_vector)
		return !(decoder->map == MAP_0F && opcode == 0x77);
	if (decoder->map == MAP_0F)
		return !((opcode & 0xf0) == 0x80 || (opcode & 0xf8) == 0xc8 ||
			 (opcode >= 0x30 && opcode <= 0x37) ||
			 IS_ONE_OF(opcode, "\x05\x06\x07\x08\x09\x0b\x0e\x77"
					   "\xa0\xa1\xa2\xa8\xa9\xaa"));
	if (decoder->map != MAP_ONE)
		return true;
	if (opcode < 0x40)
		return (opcode & 7) < 4;
	return (opcode >= 0x80 && opcode <= 0x8f) || (opcode >= 0xd8 && opcode <= 0xdf) ||
	       (opcode >= 0xd0 && opcode <= 0xd3) ||
	       IS_ONE_OF(opcode, "\x63\x69\x6b\xc0\xc1\xc6\xc7\xf6\xf7\xfe\xff");
}

/* Invalid in 64-bit mode, or not known. */
static bool is_bad(const struct decoder *decoder)
{
	uint8_t opcode = decoder->opcode;

	if (decoder->is_vector || decoder->map == MAP_0F38 || decoder->map == MAP_0F3A)
		return false;
	if (decoder->map == MAP_0F)
		return IS_ONE_OF(opcode, "\x04\x0a\x0c\x24\x25\x26\x27\x36\x39"
					 "\x3b\x3c\x3d\x3e\x3f");
	return IS_ONE_OF(opcode, "\x06\x07\x0e\x16\x17\x1e\x1f\x27\x2f\x37\x3f\x60\x61\x82\x9a"
				 "\xce\xd4\xd5\xd6\xea");
}

static void take_modrm(struct decoder *decoder)
{
	uint8_t byte = (uint8_t)x86_take(decoder, 1), mod = byte >> 6, sib = 0;

	decoder->has_modrm = true;
	decoder->reg = (byte >> 3 & 7) | (decoder->rex & 4) << 1;
	decoder->rm = (byte & 7) | (decoder->rex & 1) << 3;
	decoder->is_register = mod == 3;
	if (mod == 3)
		return;
	decoder->base = decoder->rm;
	if ((byte & 7) == 4) {
		sib = (uint8_t)x86_take(decoder, 1);
		decoder->base = (sib & 7) | (decoder->rex & 1) << 3;
		decoder->has_index = (sib >> 3 & 7) != 4 || decoder->rex & 2;
	}
	if (mod == 0 && ((byte & 7) == 5 || ((byte & 7) == 4 && (sib & 7) == 5))) {
		decoder->base = SPT_X86_NONE;
		mod = 2;
	}
	decoder->displacement = x86_take(decoder, mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

/* Depends on the size of operands: 4 bytes, or 2. */
static unsigned operand_bytes(const struct decoder *decoder)
{
	return decoder->is_short && !(decoder->rex & 8) ? 2 : 4;
}

static unsigned immediate_bytes_one(const struct decoder *decoder)
{
	uint8_t opcode = decoder->opcode;

	if (opcode < 0x40)
		return (opcode & 7) == 4 ? 1 : (opcode & 7) == 5 ? operand_bytes(decoder) : 0;
	if ((opcode & 0xf8) == 0xb8)
		return decoder->rex & 8 ? 8 : operand_bytes(decoder);
	if ((opcode & 0xf0) == 0x70 || (opcode & 0xf8) == 0xb0 || (opcode & 0xf8) == 0xe0)
		return 1;
	if (opcode >= 0xa0 && opcode <= 0xa3)
		return 8;
	switch (opcode) {
	case 0x6a: case 0x6b: case 0x80: case 0x83: case 0xa8: case 0xc0: case 0xc1: case 0xc6:
	case 0xcd: case 0xeb:
		return 1;
	case 0x68: case 0x69: case 0x81: case 0xa9: case 0xc7:
		return operand_bytes(decoder);
	case 0xc2: case 0xca:
		return 2;
	case 0xc8:
		return 3;
	case 0xe8: case 0xe9:
		return 4;
	case 0xf6:
		return (decoder->reg & 7) < 2 ? 1 : 0;
	case 0xf7:
		return (decoder->reg & 7) < 2 ? operand_bytes(decoder) : 0;
	default:
		return 0;
	}
}

static unsigned immediate_bytes(const struct decoder *decoder)
{
	uint8_t opcode = decoder->opcode;

	switch (decoder->map) {
	case MAP_ONE:
		return immediate_bytes_one(decoder);
	case MAP_0F3A:
	case MAP_XOP8:
		return 1;
	case MAP_XOPA:
		return 4;
	case MAP_0F:
		if (!decoder->is_vector && (opcode & 0xf0) == 0x80)
			return 4;
		return IS_ONE_OF(opcode, "\x70\x71\x72\x73\xc2\xc4\xc5\xc6") ||
		       (!decoder->is_vector && IS_ONE_OF(opcode, "\x0f\xa4\xac\xba"));
	default:
		return 0;
	}
}

/* Registers that are written. */

static uint16_t bit(unsigned number)
{
	return (uint16_t)(1u << number);
}

/* Of one byte: without REX the second four are the second bytes of the first four. */
static unsigned narrow(const struct decoder *decoder, unsigned number)
{
	return decoder->has_rex || number >= 8 ? number : number & 3;
}

static uint16_t rm_bit(const struct decoder *decoder, bool is_byte)
{
	if (!decoder->is_register)
		return 0;
	return bit(is_byte ? narrow(decoder, decoder->rm) : decoder->rm);
}

static uint16_t reg_bit(const struct decoder *decoder, bool is_byte)
{
	return bit(is_byte ? narrow(decoder, decoder->reg) : decoder->reg);
}

static uint16_t writes_arithmetic(const struct decoder *decoder)
{
	bool is_byte = !(decoder->opcode & 1);

	if (decoder->opcode >> 3 == 7)
		return 0;
	switch (decoder->opcode & 7) {
	case 0: case 1:
		return rm_bit(decoder, is_byte);
	case 2: case 3:
		return reg_bit(decoder, is_byte);
	default:
		return bit(0);
	}
}

/* 80 to ff, with groups whose operation is in the register field of ModRM. */
static uint16_t writes_group(const struct decoder *decoder)
{
	bool is_byte = !(decoder->opcode & 1);
	unsigned which = decoder->reg & 7;

	switch (decoder->opcode) {
	case 0x80: case 0x81: case 0x83:
		return which == 7 ? 0 : rm_bit(decoder, decoder->opcode == 0x80);
	case 0xf6: case 0xf7:
		return which < 2 ? 0 :
		       which < 4 ? rm_bit(decoder, is_byte) :
				   bit(0) | (is_byte ? 0 : bit(2));
	case 0xfe: case 0xff:
		return which < 2 ? rm_bit(decoder, is_byte) : 0;
	case 0xc0: case 0xc1: case 0xc6: case 0xc7: case 0xd0: case 0xd1: case 0xd2: case 0xd3:
		return rm_bit(decoder, is_byte);
	default:
		return 0;
	}
}

static uint16_t writes_one(const struct decoder *decoder)
{
	uint8_t opcode = decoder->opcode, low = (opcode & 7) | (decoder->rex & 1) << 3;
	bool is_byte = !(opcode & 1);

	if (opcode < 0x40)
		return writes_arithmetic(decoder);
	if ((opcode & 0xf8) == 0x90)
		return low ? bit(low) | bit(0) : 0;
	if ((opcode & 0xf8) == 0xb0)
		return bit(narrow(decoder, low));
	if ((opcode & 0xf8) == 0xb8)
		return bit(low);
	switch (opcode) {
	case 0x63: case 0x69: case 0x6b: case 0x8d:
		return reg_bit(decoder, false);
	case 0x86: case 0x87:
		return rm_bit(decoder, is_byte) | reg_bit(decoder, is_byte);
	case 0x88: case 0x89: case 0x8c: case 0x8f:
		return rm_bit(decoder, opcode == 0x88);
	case 0x8a: case 0x8b:
		return reg_bit(decoder, opcode == 0x8a);
	case 0x98: case 0xa0: case 0xa1: case 0xd7: case 0xe4: case 0xe5: case 0xec: case 0xed:
		return bit(0);
	case 0x99:
		return bit(2);
	case 0x6c: case 0x6d: case 0x6e: case 0x6f: case 0xa4: case 0xa5: case 0xa6: case 0xa7:
	case 0xaa: case 0xab: case 0xac: case 0xad: case 0xae: case 0xaf:
		return bit(0) | bit(1) | bit(6) | bit(7);
	case 0xe0: case 0xe1: case 0xe2:
		return bit(1);
	default:
		return writes_group(decoder);
	}
}

static uint16_t writes_0f(const struct decoder *decoder)
{
	uint8_t opcode = decoder->opcode;

	/* kmov, then instructions that move values from vectors to registers */
	if (decoder->is_vector)
		return IS_ONE_OF(opcode, "\x93\x2c\x2d\x50\xc5\xd7\x78\x79") ?
			       reg_bit(decoder, false) :
		       opcode == 0x7e && !decoder->is_repeated ? rm_bit(decoder, false) :
								 0;
	if ((opcode & 0xf0) == 0x40 ||
	    IS_ONE_OF(opcode, "\x02\x03\x2c\x2d\x50\xaf\xb2\xb4\xb5\xb6\xb7\xb8"
			      "\xbc\xbd\xbe\xbf\xc5\xd7"))
		return reg_bit(decoder, false);
	if ((opcode & 0xf0) == 0x90)
		return rm_bit(decoder, true);
	if ((opcode & 0xf8) == 0xc8)
		return bit((opcode & 7) | (decoder->rex & 1) << 3);
	if (IS_ONE_OF(opcode, "\xc0\xc1"))
		return rm_bit(decoder, opcode == 0xc0) | reg_bit(decoder, opcode == 0xc0);
	if (IS_ONE_OF(opcode, "\xb0\xb1"))
		return rm_bit(decoder, opcode == 0xb0) | bit(0);
	if (IS_ONE_OF(opcode, "\xa2\x05\x30\x31\x32\x33\x34\x35\x37\x01\xc7"))
		return bit(0) | bit(1) | bit(2) | bit(3) | rm_bit(decoder, false);
	if (opcode == 0x7e)
		return decoder->is_repeated ? 0 : rm_bit(decoder, false);
	return IS_ONE_OF(opcode, "\x00\x20\x21\xa4\xa5\xab\xac\xad\xae\xb3\xba\xbb") ?
		       rm_bit(decoder, false) :
		       0;
}

static uint16_t writes(const struct decoder *decoder)
{
	uint8_t opcode = decoder->opcode;

	switch (decoder->map) {
	case MAP_ONE:
		return writes_one(decoder);
	case MAP_0F:
		return writes_0f(decoder);
	case MAP_0F38:
		if (decoder->is_vector && IS_ONE_OF(opcode, "\xf2\xf3\xf5\xf6\xf7"))
			return reg_bit(decoder, false) | bit(decoder->other);
		return !decoder->is_vector && opcode >= 0xf0 ? reg_bit(decoder, false) : 0;
	case MAP_0F3A:
		/* A comparison of strings writes its result to cx. */
		if (IS_ONE_OF(opcode, "\x60\x61\x62\x63"))
			return bit(1);
		if (opcode == 0xf0)
			return reg_bit(decoder, false);
		return opcode >= 0x14 && opcode <= 0x17 ? rm_bit(decoder, false) : 0;
	default:
		return 0;
	}
}

/* The effect of instructions. */

/* Its memory operand is base + displacement. */
static bool x86_is_simple(const struct decoder *decoder)
{
	return !decoder->is_register && !decoder->has_index && decoder->base != SPT_X86_NONE;
}

static void tell_move(const struct decoder *decoder, SptX86 *ret)
{
	bool is_store = decoder->opcode == 0x89;

	ret->to = is_store ? decoder->rm : decoder->reg;
	ret->from = is_store ? decoder->reg : decoder->rm;
	if (decoder->is_register) {
		ret->kind = SPT_X86_MOVE;
	} else if (x86_is_simple(decoder)) {
		ret->kind = is_store ? SPT_X86_STORE : SPT_X86_LOAD;
		ret->number = decoder->displacement;
		if (is_store)
			ret->to = decoder->base;
		else
			ret->from = decoder->base;
	}
}

/* 81 and 83: add, or, adc, sbb, and, sub, xor, cmp. */
static void tell_arithmetic(const struct decoder *decoder, SptX86 *ret)
{
	unsigned which = decoder->reg & 7;

	if (!decoder->is_register || (which != 0 && which != 4 && which != 5))
		return;
	ret->kind = which == 4 ? SPT_X86_ALIGN : SPT_X86_LEA;
	ret->to = ret->from = decoder->rm;
	ret->number = which == 5 ? -decoder->immediate : decoder->immediate;
}

static void tell_group_ff(const struct decoder *decoder, SptX86 *ret)
{
	switch (decoder->reg & 7) {
	case 2: case 3:
		ret->kind = SPT_X86_CALL;
		break;
	case 4: case 5:
		ret->kind = SPT_X86_JUMP_SOMEWHERE;
		break;
	case 6:
		ret->kind = SPT_X86_PUSH;
		break;
	default:
		break;
	}
}

static void tell_jump(const struct decoder *decoder, SptX86Kind kind, SptX86 *ret)
{
	ret->kind = kind;
	ret->number = decoder->immediate;
}

static void x86_tell_one(const struct decoder *decoder, SptX86 *ret)
{
	uint8_t opcode = decoder->opcode, low = (opcode & 7) | (decoder->rex & 1) << 3;
	bool is_wide = decoder->rex & 8;

	if ((opcode & 0xf8) == 0x50) {
		ret->kind = SPT_X86_PUSH;
		ret->from = low;
		return;
	}
	if ((opcode & 0xf8) == 0x58) {
		ret->kind = SPT_X86_POP;
		ret->to = low;
		return;
	}
	if ((opcode & 0xf0) == 0x70 || (opcode & 0xfc) == 0xe0) {
		tell_jump(decoder, SPT_X86_BRANCH, ret);
		return;
	}
	switch (opcode) {
	case 0x68: case 0x6a:
		ret->kind = SPT_X86_PUSH;
		break;
	case 0x8f:
		ret->kind = SPT_X86_POP;
		break;
	case 0x81: case 0x83:
		if (is_wide)
			tell_arithmetic(decoder, ret);
		break;
	case 0x89: case 0x8b:
		if (is_wide)
			tell_move(decoder, ret);
		break;
	case 0x8d:
		if (is_wide && x86_is_simple(decoder)) {
			ret->kind = SPT_X86_LEA;
			ret->to = decoder->reg;
			ret->from = decoder->base;
			ret->number = decoder->displacement;
		}
		break;
	case 0xc9:
		ret->kind = SPT_X86_LEAVE;
		break;
	case 0xe8:
		tell_jump(decoder, SPT_X86_CALL, ret);
		break;
	case 0xe9: case 0xeb:
		tell_jump(decoder, SPT_X86_JUMP, ret);
		break;
	case 0xc2: case 0xc3:
		ret->kind = SPT_X86_RETURN;
		break;
	/* int3, far returns, int1, hlt */
	case 0xca: case 0xcb: case 0xcc: case 0xcf: case 0xf1: case 0xf4:
		ret->kind = SPT_X86_STOP;
		break;
	case 0xff:
		tell_group_ff(decoder, ret);
		break;
	default:
		break;
	}
}

static void x86_tell(const struct decoder *decoder, SptX86 *ret)
{
	if (decoder->map == MAP_ONE)
		x86_tell_one(decoder, ret);
	else if (decoder->map == MAP_0F && !decoder->is_vector &&
		 (decoder->opcode & 0xf0) == 0x80)
		tell_jump(decoder, SPT_X86_BRANCH, ret);
	/* ud2 and ud1 */
	else if (decoder->map == MAP_0F && !decoder->is_vector &&
		 (decoder->opcode == 0x0b || decoder->opcode == 0xb9))
		ret->kind = SPT_X86_STOP;
}

bool spt_x86_decode(const uint8_t *code, size_t n, SptX86 *ret)
{
	struct decoder decoder = { .code = code, .n = n, .base = SPT_X86_NONE };

	take_prefixes(&decoder);
	take_opcode(&decoder);
	if (decoder.at > n || is_bad(&decoder))
		return false;
	if (has_modrm(&decoder))
		take_modrm(&decoder);
	decoder.immediate = x86_take(&decoder, immediate_bytes(&decoder));
	if (decoder.at > n || decoder.at > 15)
		return false;
	*ret = (SptX86){ .bytes = (uint8_t)decoder.at,
			 .to = SPT_X86_NONE,
			 .from = SPT_X86_NONE,
			 .writes = writes(&decoder) };
	x86_tell(&decoder, ret);
	return true;
}
