/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arguments of the kernel's functions, by the types that the kernel has of itself (BTF).  They are
 * read from registers when the function is called: what they point to is not.
 */
#include <asm/perf_regs.h>
#include <string.h>

#include "base/words.h"
#include "trace/points/point.h"
#include "trace/trace.h"

#ifdef SPT_HAS_BTF
#include <bpf/btf.h>

/* Where the calling convention has the first arguments that are numbers or pointers. */
#if defined(__x86_64__)
static const uint16_t argument_registers[] = {
	PERF_REG_X86_DI, PERF_REG_X86_SI, PERF_REG_X86_DX,
	PERF_REG_X86_CX, PERF_REG_X86_R8, PERF_REG_X86_R9,
};
#elif defined(__aarch64__)
static const uint16_t argument_registers[] = {
	PERF_REG_ARM64_X0, PERF_REG_ARM64_X1, PERF_REG_ARM64_X2, PERF_REG_ARM64_X3,
	PERF_REG_ARM64_X4, PERF_REG_ARM64_X5, PERF_REG_ARM64_X6, PERF_REG_ARM64_X7,
};
#else
static const uint16_t argument_registers[1];
#endif
G_STATIC_ASSERT(G_N_ELEMENTS(argument_registers) <= SPT_POINT_ARGUMENTS);

/* The kernel's types; NULL: it has none. */
static const struct btf *kernel_types(void)
{
	static struct btf *types;
	static gsize is_loaded;

	if (g_once_init_enter(&is_loaded)) {
		types = btf__load_vmlinux_btf();
		g_once_init_leave(&is_loaded, 1);
	}
	return types;
}

static const struct btf_type *prototype_of(const char *function)
{
	const struct btf *types = kernel_types();
	int id = types ? btf__find_by_name_kind(types, function, BTF_KIND_FUNC) : -1;

	return id > 0 ? btf__type_by_id(types, btf__type_by_id(types, (uint32_t)id)->type) : NULL;
}

static const struct btf_type *plain_type(uint32_t id)
{
	const struct btf_type *type = btf__type_by_id(kernel_types(), id);

	while (type && (btf_is_mod(type) || btf_is_typedef(type)))
		type = btf__type_by_id(kernel_types(), type->type);
	return type;
}

/* False: it takes more than a register, or none. */
static bool set_type(uint32_t id, SptPointField *field)
{
	const struct btf_type *type = plain_type(id);

	field->bytes = 8;
	field->field.type = SPT_VALUE_U64;
	if (type && btf_is_ptr(type)) {
		field->field.type = SPT_VALUE_ID;
		return true;
	}
	if (!type || !(btf_is_int(type) || btf_is_any_enum(type)) || type->size > 8)
		return false;
	field->bytes = (uint16_t)type->size;
	field->is_signed = btf_is_int(type) ? btf_int_encoding(type) & BTF_INT_SIGNED :
					      btf_kflag(type);
	if (field->is_signed)
		field->field.type = SPT_VALUE_I64;
	return true;
}

/* "count, pos" */
static char *list_names(const struct btf_type *prototype)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < btf_vlen(prototype); i++)
		g_string_append_printf(text, "%s%s", i ? ", " : "",
				       btf__name_by_offset(kernel_types(),
							   btf_params(prototype)[i].name_off));
	return g_string_free(text, FALSE);
}

char *spt_point_arguments_of(const char *function)
{
	const struct btf_type *prototype = prototype_of(function);

	return prototype ? list_names(prototype) : NULL;
}

/* The argument's number; its @field's name and type.  -1, with an error. */
static int find_argument(const char *function, const struct btf_type *prototype, const char *name,
			 SptPointField *field, GError **error)
{
	const struct btf_param *parameters = btf_params(prototype);
	g_autofree char *names = NULL;

	for (unsigned i = 0; i < btf_vlen(prototype); i++) {
		bool is_plain = set_type(parameters[i].type, field);

		if (is_plain && i < G_N_ELEMENTS(argument_registers) &&
		    !strcmp(btf__name_by_offset(kernel_types(), parameters[i].name_off), name))
			return (int)i;
		/* Where those behind it are depends on what it has inside. */
		if (!is_plain)
			break;
	}
	names = list_names(prototype);
	spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
		      "%s has no argument \"%s\" that is a number or an address in a register; its arguments are: %s",
		      function, name, *names ? names : "none");
	return -1;
}

static void set_untyped(const char *function, GError **error)
{
	if (kernel_types())
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "The kernel does not say what the arguments of %s are: functions of modules, and those that the compiler has changed, have no types there; leave out the brackets",
			      function);
	else
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "The arguments of %s are not known: this kernel has no types of itself (CONFIG_DEBUG_INFO_BTF); leave out the brackets",
			      function);
}

bool spt_point_add_arguments(SptPoint *point, const char *list, GError **error)
{
	const struct btf_type *prototype = prototype_of(point->target);
	g_auto(GStrv) names = g_strsplit(list, ",", -1);

	if (!prototype) {
		set_untyped(point->target, error);
		return false;
	}
	for (unsigned i = 0; names[i]; i++) {
		SptPointField field = { .form = SPT_POINT_REGISTER };
		const char *name = g_strstrip(names[i]);
		int number = find_argument(point->target, prototype, name, &field, error);

		if (number < 0)
			return false;
		if (point->format.n_fields == SPT_POINT_CALL_FIELDS + SPT_POINT_ARGUMENTS)
			break;
		field.at = argument_registers[number];
		field.field.name = g_intern_string(name);
		field.field.unit = "";
		point->format.fields[point->format.n_fields++] = field;
		point->has_arguments = true;
	}
	return true;
}

#else

char *spt_point_arguments_of(G_GNUC_UNUSED const char *function)
{
	return NULL;
}

bool spt_point_add_arguments(SptPoint *point, G_GNUC_UNUSED const char *list, GError **error)
{
	spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
		      "The arguments of %s are not known: this program was built without libbpf; leave out the brackets",
		      point->target);
	return false;
}
#endif
