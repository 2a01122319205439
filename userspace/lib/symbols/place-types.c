/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/place-types.h"

#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

#define DEEPEST_TYPE	32u
#define DEEPEST_MEMBER	8u		/* of structures without a name, and of base classes */
#define MOST_BYTES	(1u << 24)	/* of a structure */

bool spt_place_plain_type(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute attribute;

	if (!dwarf_attr_integrate(die, DW_AT_type, &attribute) ||
	    !dwarf_formref_die(&attribute, ret))
		return false;
	for (unsigned i = 0; i < DEEPEST_TYPE; i++) {
		Dwarf_Die inner;

		switch (dwarf_tag(ret)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			if (!dwarf_attr(ret, DW_AT_type, &attribute) ||
			    !dwarf_formref_die(&attribute, &inner))
				return false;
			*ret = inner;
			break;
		default:
			return true;
		}
	}
	return false;
}

bool spt_place_is_float(Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	Dwarf_Word encoding;

	return dwarf_tag(type) == DW_TAG_base_type &&
	       dwarf_attr(type, DW_AT_encoding, &attribute) &&
	       dwarf_formudata(&attribute, &encoding) == 0 &&
	       (encoding == DW_ATE_float || encoding == DW_ATE_complex_float);
}

int spt_place_type_bytes(Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	Dwarf_Word encoding = DW_ATE_unsigned;
	int bytes = dwarf_bytesize(type);

	switch (dwarf_tag(type)) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return 8;
	case DW_TAG_base_type:
	case DW_TAG_enumeration_type:
		break;
	default:
		return 0;
	}
	if (spt_place_is_float(type) || (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8))
		return 0;
	if (dwarf_attr(type, DW_AT_encoding, &attribute))
		dwarf_formudata(&attribute, &encoding);
	return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char ? -bytes : bytes;
}

static bool place_is_character(Dwarf_Die *type)
{
	return dwarf_tag(type) == DW_TAG_base_type && g_strcmp0(dwarf_diename(type), "char") == 0;
}

/* The address of characters of C. */
static bool place_leads_to_text(Dwarf_Die *type)
{
	Dwarf_Die inner;

	return dwarf_tag(type) == DW_TAG_pointer_type && spt_place_plain_type(type, &inner) &&
	       place_is_character(&inner);
}

char *spt_place_kind(Dwarf_Die *type)
{
	Dwarf_Die inner;
	int bytes = spt_place_type_bytes(type);

	if (dwarf_tag(type) == DW_TAG_array_type && spt_place_plain_type(type, &inner) &&
	    place_is_character(&inner))
		return g_strdup("t8");
	if (!bytes)
		return NULL;
	return g_strdup_printf("%s%d",
			       place_leads_to_text(type)			     ? "s" :
			       dwarf_tag(type) == DW_TAG_base_type ||
					       dwarf_tag(type) == DW_TAG_enumeration_type ?
									       "" :
									       "p",
			       bytes);
}

/* Members. */

struct member {
	Dwarf_Die type;			/* plain */
	uint64_t offset;
};

static bool is_structure(Dwarf_Die *type)
{
	switch (dwarf_tag(type)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return true;
	default:
		return false;
	}
}

/* Of a union's member there is none: it begins where the union does. */
static bool member_offset(Dwarf_Die *die, uint64_t *ret)
{
	Dwarf_Attribute attribute;
	Dwarf_Word offset = 0;

	if (dwarf_hasattr(die, DW_AT_bit_size) ||
	    (dwarf_attr(die, DW_AT_data_member_location, &attribute) &&
	     (dwarf_formudata(&attribute, &offset) != 0 || offset > MOST_BYTES)))
		return false;
	*ret = offset;
	return true;
}

typedef bool (*member_func)(const char *name, const struct member *member, void *data);

/* Calls @func for each member of @type, until it returns true, which is returned. */
static bool each_member(Dwarf_Die *type, uint64_t begin, unsigned depth, member_func func,
			void *data)
{
	Dwarf_Die die;
	struct member member;

	if (dwarf_child(type, &die) != 0)
		return false;
	do {
		int tag = dwarf_tag(&die);
		const char *name = dwarf_diename(&die);

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    !member_offset(&die, &member.offset) ||
		    !spt_place_plain_type(&die, &member.type))
			continue;
		member.offset += begin;
		if (tag == DW_TAG_member && name ?
			    func(name, &member, data) :
			    depth < DEEPEST_MEMBER && is_structure(&member.type) &&
				    each_member(&member.type, member.offset, depth + 1, func, data))
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

struct wanted_member {
	const char *name;
	struct member found;
};

static bool member_is_wanted(const char *name, const struct member *member, void *data)
{
	struct wanted_member *wanted = data;

	if (strcmp(name, wanted->name) != 0)
		return false;
	wanted->found = *member;
	return true;
}

struct member_list {
	const char *before;
	GString *text;
	bool is_first;
};

static bool list_member(const char *name, const struct member *member, void *data)
{
	struct member_list *list = data;
	struct member copy = *member;
	g_autofree char *kind = spt_place_kind(&copy.type);

	if (kind || is_structure(&copy.type)) {
		g_string_append_printf(list->text, "%s%s.%s", list->is_first ? "" : ",",
				       list->before, name);
		list->is_first = false;
	}
	return false;
}

static void refuse_path(Dwarf_Die *structure, const char *path, const char *before,
			GString *missing)
{
	struct member_list list = { before, missing, true };

	g_string_printf(missing, "!%s ", path);
	if (structure)
		each_member(structure, 0, 0, list_member, &list);
}

/* The structure that @type is or leads to, which then is in @type.  False: neither. */
static bool find_structure(Dwarf_Die *type, bool *ret_is_address)
{
	Dwarf_Die inner;

	*ret_is_address = !is_structure(type);
	if (!*ret_is_address)
		return true;
	switch (dwarf_tag(type)) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		break;
	default:
		return false;
	}
	if (!spt_place_plain_type(type, &inner) || !is_structure(&inner))
		return false;
	*type = inner;
	return true;
}

char *spt_place_member(Dwarf_Die *type, const char *place, const char *path, GString *missing)
{
	g_auto(GStrv) names = g_strsplit(path, ".", -1);
	g_autofree char *address = g_strdup_printf("{%s}", place), *kind = NULL;
	g_autoptr(GString) before = g_string_new(names[0]);
	struct wanted_member wanted = { .found = { .type = *type } };
	bool is_address = true;
	uint64_t offset = 0;

	for (unsigned i = 1; names[i]; i++) {
		if (!find_structure(&wanted.found.type, &is_address)) {
			refuse_path(NULL, path, before->str, missing);
			return NULL;
		}
		if (is_address && i > 1) {
			char *next = g_strdup_printf("+%" PRIu64 "(%s)", offset, address);

			g_free(address);
			address = next;
			offset = 0;
		}
		wanted.name = names[i];
		type = &wanted.found.type;
		if (!each_member(type, 0, 0, member_is_wanted, &wanted)) {
			refuse_path(type, path, before->str, missing);
			return NULL;
		}
		offset += wanted.found.offset;
		g_string_append_printf(before, ".%s", names[i]);
	}
	kind = spt_place_kind(&wanted.found.type);
	if (kind)
		return g_strdup_printf("%s@+%" PRIu64 "(%s)", kind, offset, address);
	refuse_path(find_structure(&wanted.found.type, &is_address) ? &wanted.found.type : NULL,
		    path, before->str, missing);
	return NULL;
}
