/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the variable is depends on how the file gets at it: by a number of the library and an
 * offset, as __tls_get_addr() takes them, by a descriptor (TLSDESC), or at a distance from the
 * thread pointer that the linker or the loader has computed.  The loader's relocations say which.
 */
#include "scripts/trace-context.h"

#include <gelf.h>
#include <string.h>

#include "base/words.h"
#include "scripts/program.h"
#include "scripts/script-elf.h"

/* In a record behind its head are attributes: number of a key, length, and value of each. */
#define HEAD_BYTES     28
#define ATTRIBUTE_HEAD 2

#ifdef __x86_64__

#define SYMBOL		  "otel_thread_ctx_v1"
#define SECTION_MAX_BYTES (64u << 20)

/* In the head. */
#define TRACE_AT	 0
#define SPAN_AT		 16
#define VALID_AT	 24
#define LENGTH_AT	 26
#define ATTRIBUTES_BYTES 612

/* The argument of a descriptor is a distance, or the address of a number and an offset. */
#define LOWEST_DISTANCE_BIT 63

enum {
	R_THREAD,
	R_BIAS,
	R_RECORD,
	R_WORD,
	R_ADDRESS,
	R_IDENTITY,
	R_NOTHING,			/* always 0 */
};

struct variable {
	uint64_t index, offset;		/* in the table of symbols, and in the thread's block */
	uint64_t place;			/* what @type says of it is at this address */
	unsigned type;			/* of the relocation; 0: there is none */
};

static bool find_symbol_in(const SptObject *file, Elf_Scn *section, const GElf_Shdr *header,
			   struct variable *ret)
{
	Elf_Data *data = spt_object_section(file, section, ELF_T_SYM, SECTION_MAX_BYTES);
	size_t n = data ? data->d_size / sizeof(Elf64_Sym) : 0;
	GElf_Sym symbol;

	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		const char *name;

		/* Names are looked up of the few variables of threads alone. */
		if (!gelf_getsym(data, (int)i, &symbol) ||
		    GELF_ST_TYPE(symbol.st_info) != STT_TLS || symbol.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(spt_object_elf(file), header->sh_link, symbol.st_name);
		if (!name || strcmp(name, SYMBOL) != 0)
			continue;
		*ret = (struct variable){ .index = i, .offset = symbol.st_value };
		return true;
	}
	return false;
}

/* Whether the relocation is the variable's: by name, or by offset if others cannot have it. */
static bool is_of_variable(const SptObject *file, const GElf_Rela *rela,
			   const struct variable *variable)
{
	unsigned type = (unsigned)GELF_R_TYPE(rela->r_info);
	uint64_t offset = (uint64_t)rela->r_addend;

	if (type != R_X86_64_DTPMOD64 && type != R_X86_64_TLSDESC && type != R_X86_64_TPOFF64)
		return false;
	if (GELF_R_SYM(rela->r_info))
		return GELF_R_SYM(rela->r_info) == variable->index;
	if (type == R_X86_64_DTPMOD64 &&
	    !spt_script_elf_read(file, rela->r_offset + sizeof(uint64_t), &offset, sizeof(offset)))
		return false;
	return offset == variable->offset;
}

static void find_place_in(const SptObject *file, Elf_Scn *section, struct variable *variable)
{
	Elf_Data *data = spt_object_section(file, section, ELF_T_RELA, SECTION_MAX_BYTES);
	size_t n = data ? data->d_size / sizeof(Elf64_Rela) : 0;
	GElf_Rela rela;

	for (size_t i = 0; i < n && i < INT32_MAX && !variable->type; i++)
		if (gelf_getrela(data, (int)i, &rela) && is_of_variable(file, &rela, variable)) {
			variable->type = (unsigned)GELF_R_TYPE(rela.r_info);
			variable->place = rela.r_offset;
		}
}

static bool find_variable(const SptObject *file, struct variable *ret)
{
	Elf *elf = spt_object_elf(file);
	Elf_Scn *section = NULL;
	bool is_there = false;
	GElf_Shdr header;

	while (elf && !is_there && (section = elf_nextscn(elf, section)))
		is_there = gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM &&
			   find_symbol_in(file, section, &header, ret);
	section = NULL;
	while (is_there && !ret->type && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA)
			find_place_in(file, section, ret);
	return is_there;
}

/* How far before the thread pointer a program's own block begins; a library's is not known. */
static bool find_block(const SptObject *file, uint64_t *ret)
{
	Elf *elf = spt_object_elf(file);
	bool has_block = false, is_program = false;
	GElf_Phdr segment;
	GElf_Ehdr header;
	size_t n;

	if (!gelf_getehdr(elf, &header) || elf_getphdrnum(elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		if (!gelf_getphdr(elf, (int)i, &segment))
			return false;
		is_program |= segment.p_type == PT_INTERP;
		if (segment.p_type != PT_TLS)
			continue;
		has_block = true;
		*ret = segment.p_memsz;
		if (segment.p_align > 1)
			*ret += -(segment.p_vaddr + segment.p_memsz) & (segment.p_align - 1);
	}
	return has_block && (is_program || header.e_type == ET_EXEC);
}

/* R_WORD is a distance from the thread pointer. */
static void add_at_distance(SptProgram *program)
{
	spt_program_add(program, SYSPROF_CHAIN_ADD, R_WORD, R_THREAD, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_RECORD, R_WORD, 0);
}

/* Both words of a descriptor are the loader's: how to find it, and the argument of that. */
static void add_descriptor(SptProgram *program, uint64_t place)
{
	unsigned is_distance, end;

	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_BIAS,
			(int64_t)(place + sizeof(uint64_t)));
	spt_program_add(program, SYSPROF_CHAIN_SHRI, R_ADDRESS, R_WORD, LOWEST_DISTANCE_BIT);
	is_distance = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_ADDRESS, 0);
	/* As if the two words were the library's. */
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_BIAS, R_WORD, 0);
	spt_program_thread_variable(program, R_RECORD, R_WORD, R_ADDRESS, 0);
	end = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_NOTHING, 0);
	spt_program_land(program, is_distance);
	add_at_distance(program);
	spt_program_land(program, end);
}

/* False: it is not known where the variable is. */
static bool add_variable(SptProgram *program, const SptObject *file,
			 const struct variable *variable)
{
	uint64_t block;

	switch (variable->type) {
	case R_X86_64_DTPMOD64:
		spt_program_thread_variable(program, R_RECORD, R_WORD, R_ADDRESS, variable->place);
		return true;
	case R_X86_64_TLSDESC:
		add_descriptor(program, variable->place);
		return true;
	case R_X86_64_TPOFF64:
		spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_BIAS,
				(int64_t)variable->place);
		add_at_distance(program);
		return true;
	default:
		if (!find_block(file, &block) || block - variable->offset > INT32_MAX)
			return false;
		spt_program_add(program, SYSPROF_CHAIN_LD8, R_RECORD, R_THREAD,
				(int64_t)(variable->offset - block));
		return true;
	}
}

static void end_unless(SptProgram *program, enum sysprof_chain_op skip, unsigned of, int64_t value)
{
	unsigned jump = spt_program_add(program, skip, 0, of, value);

	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
	spt_program_land(program, jump);
}

/*
 * Attributes that are added, or replaced as the last ones, make another record of it: mixes their
 * length and their last 8 bytes, which are those of the head where there are fewer.
 */
static void add_attributes(SptProgram *program)
{
	spt_program_add(program, SYSPROF_CHAIN_LD2, R_WORD, R_RECORD, LENGTH_AT);
	spt_program_add(program, SYSPROF_CHAIN_MIX, R_IDENTITY, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_ADD, R_WORD, R_RECORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_WORD,
			HEAD_BYTES - (int64_t)sizeof(uint64_t));
	spt_program_add(program, SYSPROF_CHAIN_MIX, R_IDENTITY, R_WORD, 0);
}

/* A valid record, as one frame: what is copied of it is known by ids and attributes. */
static void add_record(SptProgram *program)
{
	end_unless(program, SYSPROF_CHAIN_JNEI, R_RECORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD1, R_WORD, R_RECORD, VALID_AT);
	end_unless(program, SYSPROF_CHAIN_JEQI, R_WORD, 1);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_IDENTITY, R_RECORD, TRACE_AT);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_RECORD, TRACE_AT + 8);
	spt_program_add(program, SYSPROF_CHAIN_MIX, R_IDENTITY, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_RECORD, SPAN_AT);
	end_unless(program, SYSPROF_CHAIN_JNEI, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_MIX, R_IDENTITY, R_WORD, 0);
	add_attributes(program);
	spt_program_add(program, SYSPROF_CHAIN_EMIT, R_NOTHING, R_RECORD, R_IDENTITY);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
	spt_program_span(program, &(struct sysprof_chain_span){
					  .path = { SYSPROF_SPAN_NONE, SYSPROF_SPAN_NONE,
						    SYSPROF_SPAN_NONE },
					  .length = LENGTH_AT,
					  .length_bytes = sizeof(uint16_t),
					  .unit = SYSPROF_SPAN_NONE,
					  .head = HEAD_BYTES,
					  .max = HEAD_BYTES + ATTRIBUTES_BYTES });
}

/* Of the first segment with code, whose addresses are behind its offsets by as much as all are. */
static bool find_difference(const SptObject *file, int64_t *ret)
{
	Elf *elf = spt_object_elf(file);
	GElf_Phdr segment;
	size_t n;

	if (!elf || elf_getphdrnum(elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n && i < INT32_MAX; i++)
		if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_LOAD &&
		    segment.p_flags & PF_X)
			return spt_script_elf_code(file, segment.p_vaddr, ret);
	return false;
}

GBytes *spt_thread_context_describe(const SptObject *file)
{
	g_autoptr(SptProgram) program = NULL;
	struct variable variable;
	int64_t difference;

	if (!find_variable(file, &variable) || !find_difference(file, &difference))
		return NULL;
	program = spt_program_new(SPT_TAG(SPT_THREAD_CONTEXT_NUMBER, 1, 0), 1, difference);
	spt_program_of_thread(program);
	if (!add_variable(program, file, &variable))
		return NULL;
	add_record(program);
	return spt_program_finish(program);
}

#else

GBytes *spt_thread_context_describe(G_GNUC_UNUSED const SptObject *file)
{
	return NULL;
}

#endif

bool spt_thread_context_read(const SptSpan *record, SptThreadContext *ret)
{
	static const SptThreadContext none;

	if (record->bytes <= sizeof(*ret) ||
	    ((const uint8_t *)record->data)[sizeof(*ret)] != 1)
		return false;
	memcpy(ret, record->data, sizeof(*ret));
	return memcmp(ret->trace, none.trace, sizeof(none.trace)) != 0 &&
	       memcmp(ret->span, none.span, sizeof(none.span)) != 0;
}

/* Of one attribute: NUMBER=VALUE, in which "," and "%" are as in a URL. */
static void append_attribute(GString *text, unsigned key, const char *value, size_t bytes)
{
	g_autofree char *valid = g_utf8_make_valid(value, (gssize)bytes),
			*line = spt_one_line(valid);
	size_t before = text->len;

	g_string_append_printf(text, "%s%u=", before ? "," : "", key);
	for (const char *c = line; *c; c++)
		if (*c == ',' || *c == '%')
			g_string_append_printf(text, "%%%02X", (unsigned)*c);
		else
			g_string_append_c(text, *c);
	if (text->len >= SPT_ATTRIBUTES_TEXT_BYTES)
		g_string_truncate(text, before);
}

char *spt_thread_context_attributes(const SptSpan *record)
{
	const uint8_t *bytes = record->data;
	GString *text = g_string_new(NULL);
	size_t at = HEAD_BYTES;

	while (at + ATTRIBUTE_HEAD <= record->bytes &&
	       at + ATTRIBUTE_HEAD + bytes[at + 1] <= record->bytes) {
		append_attribute(text, bytes[at], (const char *)bytes + at + ATTRIBUTE_HEAD,
				 bytes[at + 1]);
		at += ATTRIBUTE_HEAD + (size_t)bytes[at + 1];
	}
	return g_string_free(text, FALSE);
}

static void put_digits(const uint8_t *bytes, unsigned n, char *to)
{
	static const char digits[] = "0123456789abcdef";

	for (unsigned i = 0; i < n; i++) {
		*to++ = digits[bytes[i] >> 4];
		*to++ = digits[bytes[i] & 15];
	}
	*to = '\0';
}

void spt_thread_context_text(const SptThreadContext *context, char trace[SPT_TRACE_TEXT_BYTES],
			     char span[SPT_SPAN_TEXT_BYTES])
{
	put_digits(context->trace, sizeof(context->trace), trace);
	put_digits(context->span, sizeof(context->span), span);
}
