/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arguments of marks, as their notes have them: "-4@%eax 8@16(%rsp) 8@$5", a size in bytes, below 0
 * for signed numbers, and where the compiler had the value.  Those of functions have their names in
 * front, a "p" for addresses, and an "s" for those of texts, and a "t" for
 * texts themselves: "len=-4@%rax text=s8@%rsi".  What an argument leads to has its place in braces:
 * "id=4@+16(+8({%rdi}))".
 */
#include <asm/perf_regs.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "trace/points/point.h"
#include "trace/trace.h"

/* Bytes that a number can have. */
#define SIZES (1u << 1 | 1u << 2 | 1u << 4 | 1u << 8)

#if defined(__x86_64__)
/* Of 8, 4, 2 and 1 bytes; r8 to r15 have the last letter for that. */
static const struct {
	const char *names[4];
	unsigned number;
} registers[] = {
	{ { "rax", "eax", "ax", "al" }, PERF_REG_X86_AX },
	{ { "rbx", "ebx", "bx", "bl" }, PERF_REG_X86_BX },
	{ { "rcx", "ecx", "cx", "cl" }, PERF_REG_X86_CX },
	{ { "rdx", "edx", "dx", "dl" }, PERF_REG_X86_DX },
	{ { "rsi", "esi", "si", "sil" }, PERF_REG_X86_SI },
	{ { "rdi", "edi", "di", "dil" }, PERF_REG_X86_DI },
	{ { "rbp", "ebp", "bp", "bpl" }, PERF_REG_X86_BP },
	{ { "rsp", "esp", "sp", "spl" }, PERF_REG_X86_SP },
};

/* @text begins with the name, up to a delimiter.  False: no register is called so. */
static bool find_register(const char *text, unsigned *ret)
{
	size_t n = strcspn(text, "), ");
	char *end;

	for (unsigned i = 0; i < G_N_ELEMENTS(registers); i++)
		for (unsigned k = 0; k < G_N_ELEMENTS(registers[i].names); k++)
			if (strlen(registers[i].names[k]) == n &&
			    strncmp(text, registers[i].names[k], n) == 0) {
				*ret = registers[i].number;
				return true;
			}
	if (text[0] != 'r' || !g_ascii_isdigit(text[1]))
		return false;
	*ret = (unsigned)strtoul(text + 1, &end, 10) - 8 + PERF_REG_X86_R8;
	return *ret >= PERF_REG_X86_R8 && *ret <= PERF_REG_X86_R15 &&
	       (size_t)(end - text) + 1 >= n;
}

/* "%rax", "16(%rsp)", "$5". */
static bool parse_place(const char *text, SptPointField *field)
{
	unsigned number;
	char *end;

	if (*text == '$') {
		field->form = SPT_POINT_CONSTANT;
		field->displacement = strtoll(text + 1, &end, 0);
		return end != text + 1;
	}
	field->form = *text == '%' ? SPT_POINT_REGISTER : SPT_POINT_MEMORY;
	if (*text == '%') {
		if (!find_register(text + 1, &number))
			return false;
	} else {
		field->displacement = strtoll(text, &end, 0);
		/* With an index or a symbol's name it cannot be known here. */
		if (!g_str_has_prefix(end, "(%") || !find_register(end + 2, &number) ||
		    end[2 + strcspn(end + 2, "),")] != ')')
			return false;
	}
	field->at = (uint16_t)number;
	return true;
}
#elif defined(__aarch64__)
static bool find_register(const char *text, unsigned *ret)
{
	char *end;

	if (g_str_has_prefix(text, "sp")) {
		*ret = PERF_REG_ARM64_SP;
		return true;
	}
	if ((*text != 'x' && *text != 'w') || !g_ascii_isdigit(text[1]))
		return false;
	*ret = (unsigned)strtoul(text + 1, &end, 10);
	return *ret <= PERF_REG_ARM64_LR;
}

/* "x0", "[sp, 16]", "5". */
static bool parse_place(const char *text, SptPointField *field)
{
	bool is_memory = *text == '[';
	unsigned number;
	char *end;

	if (!is_memory && (g_ascii_isdigit(*text) || *text == '-')) {
		field->form = SPT_POINT_CONSTANT;
		field->displacement = strtoll(text, &end, 0);
		return true;
	}
	field->form = is_memory ? SPT_POINT_MEMORY : SPT_POINT_REGISTER;
	if (!find_register(text + is_memory, &number))
		return false;
	if (is_memory && strchr(text, ','))
		field->displacement = strtoll(strchr(text, ',') + 1, NULL, 0);
	field->at = (uint16_t)number;
	return true;
}
#else
static bool parse_place(G_GNUC_UNUSED const char *text, G_GNUC_UNUSED SptPointField *field)
{
	return false;
}
#endif

/* The end of an argument: a blank outside of brackets. */
static size_t argument_length(const char *text)
{
	size_t n = 0;

	for (bool is_inside = false; text[n] && (is_inside || text[n] != ' '); n++)
		is_inside = text[n] == '[' || (is_inside && text[n] != ']');
	return n;
}

/* The kernel's name for perf's register @number. */
static char *fetched_register(unsigned number)
{
#if defined(__x86_64__)
	for (unsigned i = 0; i < G_N_ELEMENTS(registers); i++)
		if (registers[i].number == number)
			return g_strdup(registers[i].names[2]);
	return g_strdup_printf("r%u", number - PERF_REG_X86_R8 + 8);
#else
	return number == SPT_POINT_SP ? g_strdup("sp") : g_strdup_printf("x%u", number);
#endif
}

/* How tracefs reads a register, or the memory that it leads to. */
static char *fetched_place(const SptPointField *field)
{
	g_autofree char *name = fetched_register(field->at);

	return field->form == SPT_POINT_REGISTER ?
		       g_strdup_printf("%%%s", name) :
		       g_strdup_printf("%+" PRId64 "(%%%s)", field->displacement, name);
}

/* The place, or what is read from there. */
static bool parse_path(const char *text, SptPointField *field)
{
	const char *brace = strchr(text, '{'), *end = brace ? strchr(brace, '}') : NULL;
	g_autofree char *inner = NULL, *before = NULL, *address = NULL, *whole = NULL;

	if (!brace)
		return parse_place(text, field);
	if (!end)
		return false;
	inner = g_strndup(brace + 1, (size_t)(end - brace - 1));
	if (!parse_place(inner, field) || field->form == SPT_POINT_CONSTANT)
		return false;
	before = g_strndup(text, (size_t)(brace - text));
	address = fetched_place(field);
	whole = g_strconcat(before, address, end + 1, NULL);
	field->fetch = g_intern_string(whole);
	return true;
}

void spt_point_parse_arguments(const char *text, SptPoint *point)
{
	SptPointFormat *format = &point->format;
	unsigned number = 0;

	while (*(text += strspn(text, " "))) {
		size_t n = argument_length(text);
		g_autofree char *argument = g_strndup(text, n), *name = NULL;
		const char *equals = strchr(argument, '='), *begin = equals ? equals + 1 : argument;
		const char *place = strchr(begin, '@');
		bool is_address = *begin == 'p', is_text = *begin == 's' || *begin == 't';
		long bytes = place ? strtol(begin + (is_address || is_text), NULL, 10) : 8;
		SptPointField field = { .is_signed = bytes < 0, .bytes = (uint16_t)labs(bytes) };

		text += n;
		number++;
		name = equals ? g_strndup(argument, (size_t)(equals - argument)) :
				g_strdup_printf("arg%u", number);
		field.field = (SptDeclaredField){ g_intern_string(name), "",
						  is_text    ? SPT_VALUE_TEXT :
						  is_address ? SPT_VALUE_ID :
						  bytes < 0  ? SPT_VALUE_I64 :
							       SPT_VALUE_U64 };
		if (field.bytes > 8 || !(1u << field.bytes & SIZES) ||
		    format->n_fields == SPT_DECLARED_FIELDS ||
		    !parse_path(place ? place + 1 : begin, &field)) {
			format->n_left_out++;
			continue;
		}
		if (*begin == 't')
			field.form = SPT_POINT_TEXT;
		format->fields[format->n_fields++] = field;
		point->has_arguments = true;
	}
}

/* How tracefs reads @field. */
static char *argument_fetch(const SptPointField *field)
{
	g_autofree char *place = NULL;

	if (field->form == SPT_POINT_CONSTANT)
		return g_strdup_printf("\\%" PRId64 ":s64", field->displacement);
	place = field->fetch ? g_strdup(field->fetch) : fetched_place(field);
	if (field->field.type == SPT_VALUE_TEXT)
		return field->form == SPT_POINT_TEXT ? g_strdup_printf("%s:string", place) :
						       g_strdup_printf("+0(%s):string", place);
	return g_strdup_printf("%s:%c%u", place, field->is_signed ? 's' : 'u', field->bytes * 8u);
}

/* Registers are not enough. */
static bool needs_fetching(const SptPointFormat *format)
{
	for (unsigned i = 0; i < format->n_fields; i++)
		if (format->fields[i].field.type == SPT_VALUE_TEXT || format->fields[i].fetch)
			return true;
	return false;
}

char *spt_point_place(const SptPoint *point)
{
	const uint64_t counter = point->config >> SPT_POINT_COUNTER_AT;

	if (point->type == SPT_POINT_FUNCTION)
		return g_strdup(point->target);
	if (strpbrk(point->target, " \t\n:("))
		return NULL;
	return g_strdup_printf(counter ? "%s:0x%" PRIx64 "(0x%" PRIx64 ")" : "%s:0x%" PRIx64,
			       point->target, point->offset, counter);
}

bool spt_point_fetch_arguments(SptPoint *point, GError **error)
{
	SptPointFormat *format = &point->format;
	g_autoptr(GPtrArray) fetches = g_ptr_array_new_with_free_func(g_free);
	const unsigned first = point->is_timed ? SPT_POINT_CALL_FIELDS : 0;
	g_autofree char *place = spt_point_place(point);

	if (!needs_fetching(format))
		return true;
	for (unsigned i = first; i < format->n_fields; i++)
		g_ptr_array_add(fetches, argument_fetch(&format->fields[i]));
	g_ptr_array_add(fetches, NULL);
	if (!place) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "The kernel reads no texts of a file that has a blank, a colon or a bracket in its path: %s",
			      point->target);
		return false;
	}
	point->begin = spt_named_event_new(place, (const char *const *)fetches->pdata,
					   format->fields + first,
					   &point->begin_id, error);
	return point->begin;
}

SptValue spt_point_argument(const SptPointField *field, const uint64_t *values, uint64_t sp,
			    const uint8_t *stack, size_t stack_bytes)
{
	uint8_t bytes[8] = { 0 };
	uint64_t address;

	if (field->form == SPT_POINT_CONSTANT)
		return (SptValue){ .integer = field->displacement };
	if (!values)
		return (SptValue){ .number = 0 };
	memcpy(bytes, &values[field->at], sizeof(bytes));
	if (field->form == SPT_POINT_MEMORY) {
		address = values[field->at] + (uint64_t)field->displacement - sp;
		memset(bytes, 0, sizeof(bytes));
		if (address > stack_bytes || field->bytes > stack_bytes - address)
			return (SptValue){ .number = 0 };
		memcpy(bytes, stack + address, field->bytes);
	}
	return spt_point_format_number(field, bytes);
}
