/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arguments of the kernel's functions, by the types that the kernel has of itself (BTF).  They are
 * read from registers when the function is called; a path such as file.f_inode.i_ino, which leads
 * from an argument to what its address has, is read by an event of tracefs (named-event.h).
 */
#include <asm/perf_regs.h>
#include <string.h>

#include "base/suggest.h"
#include "base/words.h"
#include "trace/points/point.h"
#include "trace/trace.h"

#ifdef SPT_HAS_BTF
#include <bpf/btf.h>
#include <bpf/libbpf.h>

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
		/* What is missing is said in words of ours. */
		libbpf_set_print(NULL);
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

/* A member of a structure, also of one without a name inside it. */
struct member {
	uint32_t type, bytes;		/* from the structure's begin */
	bool is_bits;			/* part of a byte, or of several */
};

#define DEEPEST 8

static bool find_member(const struct btf_type *type, const char *name, unsigned depth,
			struct member *ret)
{
	const struct btf_member *members = btf_members(type);

	for (unsigned i = 0; i < btf_vlen(type); i++) {
		const char *called = btf__name_by_offset(kernel_types(), members[i].name_off);
		const struct btf_type *inner = plain_type(members[i].type);
		uint32_t bits = btf_member_bit_offset(type, i);

		if (strcmp(called, name) == 0) {
			*ret = (struct member){
				.type = members[i].type,
				.bytes = bits / 8,
				.is_bits = btf_member_bitfield_size(type, i) || bits % 8,
			};
			return true;
		}
		if (!*called && inner && btf_is_composite(inner) && depth < DEEPEST &&
		    find_member(inner, name, depth + 1, ret)) {
			ret->bytes += bits / 8;
			return true;
		}
	}
	return false;
}

static void find_nearest_member(const struct btf_type *type, const char *name, unsigned depth,
				const char **nearest, unsigned *least)
{
	const struct btf_member *members = btf_members(type);

	for (unsigned i = 0; i < btf_vlen(type); i++) {
		const char *called = btf__name_by_offset(kernel_types(), members[i].name_off);
		const struct btf_type *inner = plain_type(members[i].type);

		if (spt_is_nearer(name, called, least))
			*nearest = called;
		if (!*called && inner && btf_is_composite(inner) && depth < DEEPEST)
			find_nearest_member(inner, name, depth + 1, nearest, least);
	}
}

static void set_no_member(const struct btf_type *type, const char *path, const char *name,
			  GError **error)
{
	const char *nearest = NULL;
	unsigned least = UINT_MAX;

	find_nearest_member(type, name, 0, &nearest, &least);
	spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
		      "%s: struct %s has no member \"%s\"%s%s%s", path,
		      btf__name_by_offset(kernel_types(), type->name_off), name,
		      nearest ? "; did you mean \"" : "", nearest ? nearest : "",
		      nearest ? "\"?" : "");
}

static bool is_character(uint32_t id)
{
	const struct btf_type *type = plain_type(id);

	return type && btf_is_int(type) && type->size == 1 &&
	       strstr(btf__name_by_offset(kernel_types(), type->name_off), "char");
}

/* How the last member of a path is read from @place; NULL: it is no number, address or text. */
static char *member_fetch(uint32_t id, const char *place, SptPointField *field)
{
	const struct btf_type *type = plain_type(id);

	if (type && ((btf_is_array(type) && is_character(btf_array(type)->type)) ||
		     (btf_is_ptr(type) && is_character(type->type)))) {
		field->field.type = SPT_VALUE_TEXT;
		return btf_is_ptr(type) ? g_strdup_printf("+0(%s):string", place) :
					  g_strdup_printf("%s:string", place);
	}
	if (!set_type(id, field))
		return NULL;
	return g_strdup_printf("%s:%c%u", place, field->is_signed ? 's' : 'u', field->bytes * 8u);
}

/* The structure that @id is, or leads to; *@ret_is_address: it leads there.  NULL: neither. */
static const struct btf_type *structure_of(uint32_t id, bool *ret_is_address)
{
	const struct btf_type *type = plain_type(id);

	*ret_is_address = type && btf_is_ptr(type);
	if (*ret_is_address)
		type = plain_type(type->type);
	return type && btf_is_composite(type) ? type : NULL;
}

/* Follows the members behind the argument of @type, whose value @place is. */
static char *path_fetch(const char *path, char **members, uint32_t type, char *place,
			SptPointField *field, GError **error)
{
	g_autofree char *at = place;
	struct member member;
	uint32_t bytes = 0;
	char *fetch;

	for (; *members; members++) {
		bool is_address;
		const struct btf_type *structure = structure_of(type, &is_address);
		char *next;

		if (!structure) {
			spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
				      "%s: what is before \"%s\" is no structure, nor the address of one",
				      path, *members);
			return NULL;
		}
		if (!find_member(structure, *members, 0, &member)) {
			set_no_member(structure, path, *members, error);
			return NULL;
		}
		/* A structure inside the last one is at the same address. */
		bytes = is_address ? member.bytes : bytes + member.bytes;
		next = is_address ? g_strdup_printf("+%u(%s)", bytes, at) :
				    g_strdup_printf("+%u%s", bytes, strchr(at, '('));
		g_free(at);
		at = next;
		type = member.type;
	}
	fetch = member.is_bits ? NULL : member_fetch(type, at, field);
	if (!fetch)
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "%s is no number, address or text", path);
	return fetch;
}

/* How tracefs reads what @name names, an argument or a path from one; NULL, with an error. */
static char *argument_fetch(const SptPoint *point, const struct btf_type *prototype,
			    const char *name, SptPointField *field, GError **error)
{
	g_auto(GStrv) parts = g_strsplit(name, ".", -1);
	int number = find_argument(point->target, prototype, parts[0], field, error);

	if (number < 0)
		return NULL;
	if (!parts[1])
		return g_strdup_printf("$arg%d:%c%u", number + 1, field->is_signed ? 's' : 'u',
				       field->bytes * 8u);
	return path_fetch(name, parts + 1, btf_params(prototype)[number].type,
			  g_strdup_printf("$arg%d", number + 1), field, error);
}

/* The last word of a path is the field's name, unless another one has it. */
static const char *path_field(const SptPointFormat *format, const char *path)
{
	const char *dot = strrchr(path, '.'), *last = dot ? dot + 1 : path;

	for (unsigned i = 0; i < format->n_fields; i++)
		if (strcmp(format->fields[i].field.name, last) == 0)
			return g_intern_string(path);
	return g_intern_string(last);
}

static bool add_paths(SptPoint *point, const struct btf_type *prototype, char **names,
		      GError **error)
{
	g_autoptr(GPtrArray) fetches = g_ptr_array_new_with_free_func(g_free);
	SptPointFormat *format = &point->format;

	for (; *names; names++) {
		const char *name = g_strstrip(*names);
		SptPointField field = { 0 };
		char *fetch = argument_fetch(point, prototype, name, &field, error);

		if (!fetch)
			return false;
		g_ptr_array_add(fetches, fetch);
		field.field.name = path_field(format, name);
		field.field.unit = "";
		format->fields[format->n_fields++] = field;
	}
	g_ptr_array_add(fetches, NULL);
	point->has_arguments = true;
	point->begin = spt_named_event_new(point->target, (const char *const *)fetches->pdata,
					   format->fields + SPT_POINT_CALL_FIELDS,
					   &point->begin_id, error);
	return point->begin;
}

bool spt_point_add_arguments(SptPoint *point, const char *list, GError **error)
{
	const struct btf_type *prototype = prototype_of(point->target);
	g_auto(GStrv) names = g_strsplit(list, ",", -1);

	if (!prototype) {
		set_untyped(point->target, error);
		return false;
	}
	if (g_strv_length(names) > SPT_POINT_ARGUMENTS) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "A call of %s is recorded with %u arguments at most: leave some of these out: %s",
			      point->target, SPT_POINT_ARGUMENTS, list);
		return false;
	}
	if (strchr(list, '.'))
		return add_paths(point, prototype, names, error);
	for (unsigned i = 0; names[i]; i++) {
		SptPointField field = { .form = SPT_POINT_REGISTER };
		const char *name = g_strstrip(names[i]);
		int number = find_argument(point->target, prototype, name, &field, error);

		if (number < 0)
			return false;
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
