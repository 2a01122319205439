/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Optimised code has the place of a parameter at its first instruction, in a register or above the
 * return address, or none: compilers make copies of a function that are passed less.  Code that is
 * not optimised has only the place where it will put the parameter; there the calling convention
 * says where it comes from, as long as all before it are numbers and addresses.
 */
#include "symbols/place-arguments.h"

#include <dwarf.h>
#include <gelf.h>
#include <inttypes.h>
#include <string.h>

#include "symbols/place-types.h"

#define MOST_PARAMETERS 64u
#define MOST_FLOATS	8u		/* that are passed in registers of their own */

#if defined(__x86_64__)
/* By DWARF's numbers. */
static const char *const places_registers[] = {
	"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
	"r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15",
};
static const unsigned passing[] = { 5, 4, 1, 2, 8, 9 };
#define AT_REGISTER   "%%%s"
#define AT_STACK      "%" PRId64 "(%%rsp)"
#define RETURN_BYTES  8			/* between the stack pointer and the caller's frame */
#elif defined(__aarch64__)
static const char *const places_registers[] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",	 "x7",	"x8",  "x9",  "x10",
	"x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
	"x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30",
};
static const unsigned passing[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
#define AT_REGISTER   "%s"
#define AT_STACK      "[sp, %" PRId64 "]"
#define RETURN_BYTES  0
#else
static const char *const places_registers[1];
static const unsigned passing[1];
#define AT_REGISTER   "%s"
#define AT_STACK      "%" PRId64
#define RETURN_BYTES  0
#endif

struct parameter {
	const char *name;
	Dwarf_Die type;			/* plain */
	char *place;			/* NULL: not known */
	int bytes;			/* below 0: signed; 0: no number or address */
};

struct parameters {
	uint64_t address;
	Dwarf_Die function;
	bool is_found;
	struct parameter list[MOST_PARAMETERS];
	unsigned n;
};

static char *place_in_register(unsigned number)
{
	return number < G_N_ELEMENTS(places_registers) && places_registers[number] ?
		       g_strdup_printf(AT_REGISTER, places_registers[number]) :
		       NULL;
}

/* The frame's base is the caller's stack pointer. */
static bool has_canonical_frame(Dwarf_Die *function, uint64_t address)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *operations;
	size_t n;

	return dwarf_attr_integrate(function, DW_AT_frame_base, &attribute) &&
	       dwarf_getlocation_addr(&attribute, address, &operations, &n, 1) == 1 && n == 1 &&
	       operations[0].atom == DW_OP_call_frame_cfa;
}

enum known {
	UNKNOWN,			/* it may be nowhere, as in a copy for one value of it */
	SAID,				/* by the compiler */
	PASSED,				/* it is where it was passed, and put elsewhere later */
};

/* How it is known where it is at the first instruction; if the compiler says it, *@ret_place. */
static enum known find_said_place(struct parameters *parameters, Dwarf_Die *die, char **ret_place)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *operations;
	int64_t offset;
	size_t n;

	if (!dwarf_attr_integrate(die, DW_AT_location, &attribute) ||
	    dwarf_getlocation_addr(&attribute, parameters->address, &operations, &n, 1) != 1 ||
	    n != 1)
		return UNKNOWN;
	if (operations[0].atom >= DW_OP_reg0 && operations[0].atom <= DW_OP_reg31) {
		*ret_place = place_in_register(operations[0].atom - DW_OP_reg0);
		return SAID;
	}
	offset = (int64_t)operations[0].number;
	if (operations[0].atom != DW_OP_fbreg ||
	    !has_canonical_frame(&parameters->function, parameters->address))
		return SAID;
	if (offset < 0)
		return PASSED;
	*ret_place = g_strdup_printf(AT_STACK, offset + RETURN_BYTES);
	return SAID;
}

/* Languages with the platform's calling convention: C and C++. */
static bool has_convention(Dwarf_Die *function)
{
	/* The newest have no names in elfutils 0.188: C++17, C++20, C17. */
	enum { CPLUSPLUS_17 = 0x2a, CPLUSPLUS_20, C_17 };
	Dwarf_Die unit;

	switch (dwarf_diecu(function, &unit, NULL, NULL) ? dwarf_srclang(&unit) : 0) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case C_17:
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case CPLUSPLUS_17:
	case CPLUSPLUS_20:
		return true;
	default:
		return false;
	}
}

/* What is returned whole may need a register that no parameter is in. */
static bool keeps_convention(Dwarf_Die *function)
{
	Dwarf_Die type;

	return has_convention(function) &&
	       (!spt_place_plain_type(function, &type) || spt_place_type_bytes(&type) ||
		spt_place_is_float(&type));
}

/* Of the number or address that is passed as @n-th: in registers first, then on the stack. */
static char *passed_place(unsigned n)
{
	return n < G_N_ELEMENTS(passing) ?
		       place_in_register(passing[n]) :
		       g_strdup_printf(AT_STACK, (int64_t)(RETURN_BYTES +
							   8 * (n - G_N_ELEMENTS(passing))));
}

static void take_parameters(struct parameters *parameters)
{
	bool is_by_convention = keeps_convention(&parameters->function);
	unsigned n_passed = 0, n_floats = 0;
	Dwarf_Die child, type;

	if (dwarf_child(&parameters->function, &child) != 0)
		return;
	do {
		struct parameter *parameter = &parameters->list[parameters->n];
		enum known known;

		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		parameter->name = dwarf_diename(&child);
		if (!spt_place_plain_type(&child, &type))
			return;
		parameter->bytes = spt_place_type_bytes(&type);
		parameter->type = type;
		known = find_said_place(parameters, &child, &parameter->place);
		if (known == UNKNOWN)
			is_by_convention = false;
		if (known == PASSED && is_by_convention && parameter->bytes)
			parameter->place = passed_place(n_passed);
		if (parameter->bytes)
			n_passed++;
		else if (!spt_place_is_float(&type) || dwarf_bytesize(&type) > 8 ||
			 ++n_floats > MOST_FLOATS)
			is_by_convention = false;
		parameters->n++;
	} while (parameters->n < MOST_PARAMETERS && dwarf_siblingof(&child, &child) == 0);
}

static int take_function(Dwarf_Die *die, void *data)
{
	struct parameters *parameters = data;
	Dwarf_Addr begin;

	if (dwarf_entrypc(die, &begin) != 0 || begin != parameters->address)
		return DWARF_CB_OK;
	parameters->function = *die;
	parameters->is_found = true;
	return DWARF_CB_ABORT;
}

static void find_function(struct parameters *parameters, Dwarf *dwarf)
{
	Dwarf_Die unit;

	if (dwarf && dwarf_addrdie(dwarf, parameters->address, &unit))
		dwarf_getfuncs(&unit, take_function, parameters, 0);
}

static bool is_had(const struct parameter *parameter)
{
	return parameter->name && parameter->bytes && parameter->place &&
	       !strpbrk(parameter->name, " =,@\n");
}

/* The one that @name, or the begin of a path, says. */
static struct parameter *find_parameter(struct parameters *parameters, const char *name)
{
	size_t n = strcspn(name, ".");

	for (unsigned i = 0; i < parameters->n; i++)
		if (is_had(&parameters->list[i]) && strlen(parameters->list[i].name) == n &&
		    strncmp(parameters->list[i].name, name, n) == 0)
			return &parameters->list[i];
	return NULL;
}

/* A path's last name, or all of it if there is an argument of that name. */
static const char *field_name(const char *path, const GString *text)
{
	const char *dot = strrchr(path, '.');
	g_autofree char *taken = g_strdup_printf(" %s=", dot ? dot + 1 : path),
			*all = g_strconcat(" ", text->str, NULL);

	return !dot || strstr(all, taken) ? path : dot + 1;
}

static void put_missing(const struct parameters *parameters, const char *name, GString *text)
{
	bool is_first = true;

	g_string_printf(text, "!%s ", name);
	for (unsigned i = 0; i < parameters->n; i++) {
		if (!is_had(&parameters->list[i]))
			continue;
		g_string_append_printf(text, "%s%s", is_first ? "" : ",",
				       parameters->list[i].name);
		is_first = false;
	}
}

/* False: @text says that it cannot be had. */
static bool put_argument(struct parameters *parameters, const char *name, GString *text)
{
	struct parameter *found = find_parameter(parameters, name);
	g_autofree char *place = NULL;

	if (!found) {
		put_missing(parameters, name, text);
		return false;
	}
	if (strchr(name, '.')) {
		g_autoptr(GString) missing = g_string_new(NULL);

		place = spt_place_member(&found->type, found->place, name, missing);
		if (!place) {
			g_string_assign(text, missing->str);
			return false;
		}
	} else {
		g_autofree char *kind = spt_place_kind(&found->type);

		place = g_strdup_printf("%s@%s", kind, found->place);
	}
	g_string_append_printf(text, "%s%s=%s", text->len ? " " : "", field_name(name, text),
			       place);
	return true;
}

char *spt_place_arguments(Dwarf *dwarf, uint64_t address, const char *wanted)
{
	struct parameters parameters = { .address = address };
	g_auto(GStrv) names = g_strsplit(wanted, ",", -1);
	GString *text = g_string_new(NULL);

	find_function(&parameters, dwarf);
	if (!parameters.is_found)
		g_string_assign(text, "!");
	/* Programs of 32 bits pass them otherwise, and have other registers. */
	else if (gelf_getclass(dwarf_getelf(dwarf)) == ELFCLASS64)
		take_parameters(&parameters);
	for (char **name = names; parameters.is_found && *name; name++)
		if (!put_argument(&parameters, g_strstrip(*name), text))
			break;
	for (unsigned i = 0; i < parameters.n; i++)
		g_free(parameters.list[i].place);
	return g_string_free(text, FALSE);
}
