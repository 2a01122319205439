/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An abbreviation becomes a short list of steps: fields that are not used and always have the same
 * size are skipped at once.
 */
#include "symbols/dwarf/die-walk.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

/* The largest units have a thousandth of this. */
#define SHAPES_MAX (1u << 20)
#define STEPS_MAX (1u << 22)
#define ATTRIBUTES_MAX 256

enum size { FIXED, LEB, STRING, BLOCK_1, BLOCK_2, BLOCK_4, BLOCK_LEB, INDIRECT, UNKNOWN };

/* The use of an attribute. */
enum use { NO_USE, LOW, HIGH_ADDRESS, HIGH_OFFSET, SIBLING };

struct step {
	uint8_t size, use;
	uint16_t bytes;			/* FIXED */
};

struct shape {
	uint64_t code;
	uint32_t first_step, n_steps;
	uint16_t tag;
	bool has_children, is_declaration, has_code, has_span;
	bool is_offset;			/* the end of the span that begins in this form */
};

struct spt_shapes {
	Dwarf *dwarf;
	uint64_t offset;		/* of abbreviations in their section */
	uint8_t address_bytes, offset_bytes;
	uint16_t version;
	GArray *shapes;			/* struct shape, by code */
	GArray *steps;			/* struct step */
};

/* The end of a form. */
static struct step step_of(const struct spt_shapes *shapes, unsigned form)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return (struct step){ .size = FIXED };
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return (struct step){ .size = FIXED, .bytes = 1 };
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return (struct step){ .size = FIXED, .bytes = 2 };
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return (struct step){ .size = FIXED, .bytes = 3 };
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_ref_sup4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
		return (struct step){ .size = FIXED, .bytes = 4 };
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		return (struct step){ .size = FIXED, .bytes = 8 };
	case DW_FORM_data16:
		return (struct step){ .size = FIXED, .bytes = 16 };
	case DW_FORM_addr:
		return (struct step){ .size = FIXED, .bytes = shapes->address_bytes };
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return (struct step){ .size = FIXED, .bytes = shapes->offset_bytes };
	case DW_FORM_ref_addr:
		return (struct step){ .size = FIXED,
				      .bytes = shapes->version <= 2 ? shapes->address_bytes :
								      shapes->offset_bytes };
	case DW_FORM_sdata:
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		return (struct step){ .size = LEB };
	case DW_FORM_string:
		return (struct step){ .size = STRING };
	case DW_FORM_block1:
		return (struct step){ .size = BLOCK_1 };
	case DW_FORM_block2:
		return (struct step){ .size = BLOCK_2 };
	case DW_FORM_block4:
		return (struct step){ .size = BLOCK_4 };
	case DW_FORM_block:
	case DW_FORM_exprloc:
		return (struct step){ .size = BLOCK_LEB };
	case DW_FORM_indirect:
		return (struct step){ .size = INDIRECT };
	default:
		return (struct step){ .size = UNKNOWN };
	}
}

static bool is_unsigned(unsigned form)
{
	return form == DW_FORM_data1 || form == DW_FORM_data2 || form == DW_FORM_data4 ||
	       form == DW_FORM_data8 || form == DW_FORM_udata;
}

static enum use use_of(const struct shape *shape, unsigned name, unsigned form)
{
	bool may_have_code =
		shape->tag == DW_TAG_subprogram || shape->tag == DW_TAG_inlined_subroutine;

	if (name == DW_AT_sibling ? !shape->has_children : !may_have_code)
		return NO_USE;
	switch (name) {
	case DW_AT_sibling:
		return form == DW_FORM_ref1 || form == DW_FORM_ref2 || form == DW_FORM_ref4 ||
				       form == DW_FORM_ref8 || form == DW_FORM_ref_udata ?
			       SIBLING :
			       NO_USE;
	case DW_AT_low_pc:
		return form == DW_FORM_addr ? LOW : NO_USE;
	case DW_AT_high_pc:
		return form == DW_FORM_addr ? HIGH_ADDRESS :
		       is_unsigned(form)    ? HIGH_OFFSET :
					      NO_USE;
	default:
		return NO_USE;
	}
}

static void add_step(struct spt_shapes *shapes, struct shape *shape, struct step step)
{
	struct step *last = shape->n_steps ? &g_array_index(shapes->steps, struct step,
							    shapes->steps->len - 1) :
					     NULL;

	if (step.size == FIXED && step.bytes == 0)
		return;
	if (last && last->size == FIXED && last->use == NO_USE && step.size == FIXED &&
	    step.use == NO_USE && last->bytes <= INT16_MAX) {
		last->bytes += step.bytes;
		return;
	}
	g_array_append_val(shapes->steps, step);
	shape->n_steps++;
}

static void die_walk_add_shape(struct spt_shapes *shapes, Dwarf_Abbrev *abbrev)
{
	struct shape shape = {
		.code = dwarf_getabbrevcode(abbrev),
		.tag = (uint16_t)dwarf_getabbrevtag(abbrev),
		.has_children = dwarf_abbrevhaschildren(abbrev) > 0,
		.first_step = shapes->steps->len,
	};
	bool has_low = false, has_high = false;
	unsigned name, form;

	for (size_t i = 0; dwarf_getabbrevattr_data(abbrev, i, &name, &form, NULL, NULL) == 0;
	     i++) {
		struct step step = step_of(shapes, form);

		if (i == ATTRIBUTES_MAX || shapes->steps->len >= STEPS_MAX)
			step.size = UNKNOWN;
		step.use = use_of(&shape, name, form);
		shape.has_code |= name == DW_AT_low_pc || name == DW_AT_ranges;
		shape.is_declaration |= name == DW_AT_declaration;
		shape.is_offset |= step.use == HIGH_OFFSET;
		has_low |= step.use == LOW;
		has_high |= step.use == HIGH_ADDRESS || step.use == HIGH_OFFSET;
		add_step(shapes, &shape, step);
		/* The position behind it could not be found. */
		if (step.size == UNKNOWN)
			break;
	}
	shape.has_span = has_low && has_high;
	g_array_append_val(shapes->shapes, shape);
}

static int compare_shapes(const void *a, const void *b)
{
	const struct shape *x = a, *y = b;

	return x->code < y->code ? -1 : x->code > y->code;
}

void spt_shapes_free(struct spt_shapes *shapes)
{
	if (!shapes)
		return;
	g_array_unref(shapes->shapes);
	g_array_unref(shapes->steps);
	g_free(shapes);
}

static void read_shapes(struct spt_shapes *shapes, Dwarf_Die *cu)
{
	bool is_sorted = true;
	uint64_t last = 0;
	Dwarf_Off at = 0;
	size_t bytes = 0;

	for (Dwarf_Abbrev *abbrev;
	     shapes->shapes->len < SHAPES_MAX && (abbrev = dwarf_getabbrev(cu, at, &bytes)) &&
	     abbrev != DWARF_END_ABBREV;
	     at += bytes) {
		die_walk_add_shape(shapes, abbrev);
		is_sorted &=
			g_array_index(shapes->shapes, struct shape, shapes->shapes->len - 1).code >
			last;
		last = g_array_index(shapes->shapes, struct shape, shapes->shapes->len - 1).code;
	}
	if (!is_sorted)
		qsort(shapes->shapes->data, shapes->shapes->len, sizeof(struct shape),
		      compare_shapes);
}

/* The reuse of what is known pays where a linker made one table for all units. */
static struct spt_shapes *shapes_of(Dwarf_Die *cu, const struct spt_shapes *like,
				    struct spt_shapes *known)
{
	struct spt_shapes *shapes;

	if (known && known->dwarf == like->dwarf && known->offset == like->offset &&
	    known->version == like->version && known->address_bytes == like->address_bytes &&
	    known->offset_bytes == like->offset_bytes)
		return known;
	spt_shapes_free(known);
	shapes = g_memdup2(like, sizeof(*like));
	shapes->shapes = g_array_new(FALSE, FALSE, sizeof(struct shape));
	shapes->steps = g_array_new(FALSE, FALSE, sizeof(struct step));
	read_shapes(shapes, cu);
	return shapes;
}

/* The end of the section that @at is in: a unit may claim to be longer. */
static const uint8_t *section_end(Elf *elf, const uint8_t *at)
{
	Elf_Scn *scn = NULL;
	size_t names;

	while (elf_getshdrstrndx(elf, &names) == 0 && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name =
			gelf_getshdr(scn, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;
		const Elf_Data *data =
			name && strstr(name, "debug_info") && shdr.sh_type != SHT_NOBITS ?
				elf_getdata(scn, NULL) :
				NULL;

		if (data && data->d_buf && at - (const uint8_t *)data->d_buf >= 0 &&
		    (size_t)(at - (const uint8_t *)data->d_buf) < data->d_size)
			return (const uint8_t *)data->d_buf + data->d_size;
	}
	return NULL;
}

bool spt_die_walk_begin(struct spt_die_walk *walk, Dwarf_Die *cu, struct spt_shapes *known)
{
	Dwarf *dwarf = dwarf_cu_getdwarf(cu->cu);
	Elf *elf = dwarf_getelf(dwarf);
	const char *ident = elf_getident(elf, NULL);
	Dwarf_Off begin = dwarf_dieoffset(cu) - dwarf_cuoffset(cu), next;
	struct spt_shapes like = { .dwarf = dwarf };
	struct spt_die die;
	size_t header_bytes;

	*walk = (struct spt_die_walk){
		.shapes = known, .bytes = { .at = cu->addr, .end = section_end(elf, cu->addr) }
	};
	if (!ident || !walk->bytes.end ||
	    dwarf_next_unit(dwarf, begin, &next, &header_bytes, &like.version, &like.offset,
			    &like.address_bytes, &like.offset_bytes, NULL, NULL) != 0)
		return false;
	walk->bytes.other_order =
		ident[EI_DATA] != (BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB);
	walk->unit = walk->bytes.at - dwarf_cuoffset(cu);
	if (next - begin < (uint64_t)(walk->bytes.end - walk->unit))
		walk->bytes.end = walk->unit + (next - begin);
	walk->shapes = shapes_of(cu, &like, known);
	/* Positions in a unit are kept in 32 bits. */
	return walk->bytes.end - walk->unit <= UINT32_MAX && spt_die_walk_next(walk, &die) &&
	       die.has_children;
}

/* The value of a form that has one. */
static bool take_step(struct spt_die_walk *walk, struct step step, uint64_t *ret)
{
	const char *string;

	switch (step.size) {
	case FIXED:
		return step.use == NO_USE ? spt_bytes_pass(&walk->bytes, step.bytes) :
					    spt_bytes_number(&walk->bytes, step.bytes, ret);
	case LEB:
		return spt_bytes_leb(&walk->bytes, ret);
	case STRING:
		return spt_bytes_string(&walk->bytes, &string);
	case BLOCK_1:
		return spt_bytes_number(&walk->bytes, 1, ret) && spt_bytes_pass(&walk->bytes, *ret);
	case BLOCK_2:
		return spt_bytes_number(&walk->bytes, 2, ret) && spt_bytes_pass(&walk->bytes, *ret);
	case BLOCK_4:
		return spt_bytes_number(&walk->bytes, 4, ret) && spt_bytes_pass(&walk->bytes, *ret);
	case BLOCK_LEB:
		return spt_bytes_leb(&walk->bytes, ret) && spt_bytes_pass(&walk->bytes, *ret);
	case INDIRECT:
		if (!spt_bytes_leb(&walk->bytes, ret) || *ret == DW_FORM_indirect ||
		    *ret > UINT16_MAX)
			return false;
		step = step_of(walk->shapes, (unsigned)*ret);
		return take_step(walk, step, ret);
	default:
		return false;
	}
}

/* Codes are usually 1, 2, 3 and so on. */
static const struct shape *find_shape(const struct spt_shapes *shapes, uint64_t code)
{
	const struct shape *known = (const struct shape *)shapes->shapes->data;
	unsigned low = 0, high = shapes->shapes->len;

	if (code - 1 < high && known[code - 1].code == code)
		return &known[code - 1];
	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (known[middle].code < code)
			low = middle + 1;
		else
			high = middle;
	}
	return low < shapes->shapes->len && known[low].code == code ? &known[low] : NULL;
}

bool spt_die_walk_next(struct spt_die_walk *walk, struct spt_die *ret)
{
	const struct step *steps;
	const struct shape *shape;
	uint64_t code, value = 0;

	*ret = (struct spt_die){ .die = (void *)walk->bytes.at };
	if (!spt_bytes_leb(&walk->bytes, &code))
		return false;
	if (code == 0)
		return true;
	shape = find_shape(walk->shapes, code);
	if (!shape)
		return false;
	ret->tag = shape->tag;
	ret->has_children = shape->has_children;
	ret->is_declaration = shape->is_declaration;
	ret->has_code = shape->has_code;
	ret->has_span = shape->has_span;
	steps = &g_array_index(walk->shapes->steps, struct step, shape->first_step);
	for (unsigned i = 0; i < shape->n_steps; i++) {
		if (!take_step(walk, steps[i], &value))
			return false;
		switch (steps[i].use) {
		case LOW:
			ret->start = value;
			break;
		case HIGH_ADDRESS:
		case HIGH_OFFSET:
			ret->end = value;
			break;
		case SIBLING:
			/* Going backwards might never end. */
			if (value >= (uint64_t)(walk->bytes.at - walk->unit) &&
			    value <= (uint64_t)(walk->bytes.end - walk->unit))
				ret->sibling = value;
			break;
		}
	}
	if (shape->is_offset)
		ret->end += ret->start;
	return true;
}

bool spt_die_walk_skip(struct spt_die_walk *walk, const struct spt_die *die)
{
	struct spt_die inner = *die;

	for (uint64_t depth = 0; die->has_children;) {
		if (inner.has_children && inner.sibling)
			walk->bytes.at = walk->unit + inner.sibling;
		else if (inner.has_children)
			depth++;
		else if (inner.tag == 0)
			depth--;
		if (depth == 0)
			return true;
		if (!spt_die_walk_next(walk, &inner))
			return false;
	}
	return true;
}
