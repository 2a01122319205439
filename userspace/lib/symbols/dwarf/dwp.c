/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The index says which part of each section belongs to a unit; in a file (.dwo) of its own it has
 * all of it.  Its addresses are in the skeleton's file.  An ordinary unit differs from a split one
 * in two attributes: the start of its addresses, and the file of its lines.  They fit in place of
 * the split unit's identity, of 8 bytes: in the header (DWARF 5, and the first DIE's code behind
 * it), or in an attribute (GNU's, before).
 */
#include "symbols/dwarf/dwp.h"

#include <dwarf.h>
#include <gelf.h>
#include <string.h>

#include "base/bytes.h"
#include "symbols/dwarf/debug-file.h"
#include "symbols/dwarf/elf-parts.h"

#define COLUMNS_MAX 16
#define INDEX_HEAD_BYTES 16
#define ADDRESSES_MAX (1u << 24)

/*
 * Sections of an ordinary file, and the columns of the index (DWARF 5, GNU) by which a unit's part
 * of "NAME.dwo" is found; 0: none has one.
 */
enum { INFO, ABBREV, LINE, STR_OFFSETS, RNGLISTS, STR, ADDR, RANGES, PARTS };
static const struct {
	const char *name;
	uint32_t column, gnu_column;
} kinds[PARTS] = {
	[INFO] = { ".debug_info", 1, 1 },	  [ABBREV] = { ".debug_abbrev", 3, 3 },
	[LINE] = { ".debug_line", 4, 4 },	  [STR_OFFSETS] = { ".debug_str_offsets", 6, 6 },
	[RNGLISTS] = { ".debug_rnglists", 8, 0 }, [STR] = { ".debug_str", 0, 0 },
	[ADDR] = { ".debug_addr", 0, 0 },	  [RANGES] = { ".debug_ranges", 0, 0 },
};

struct part {
	uint8_t *at;
	uint64_t n;
};

/* An ELF file of sections that are filled in later. */
struct image {
	Elf64_Ehdr header;
	Elf64_Shdr sections[PARTS + 2];
	char names[256];
};

struct unit {
	struct image image;
	Elf *elf;
	Dwarf *dwarf;
	uint8_t *abbreviations;
};

struct spt_dwp {
	const SptObject *skeletons;
	SptObject *file;		/* NULL: not opened */
	char **paths;			/* of packages */
	unsigned n_tried;		/* of them */
	GPtrArray *packages;		/* struct spt_dwp: those that there are */
	GPtrArray *apart;		/* struct spt_dwp: of one unit each, without an index */
	GPtrArray *unpacked;
	struct part index, parts[PARTS];
	uint64_t copied; /* limit of abbreviations: all units together have no more */
	GPtrArray *units;		/* struct unit */
};

static void unit_free(void *data)
{
	struct unit *unit = data;

	dwarf_end(unit->dwarf);
	elf_end(unit->elf);
	g_free(unit->abbreviations);
	g_free(unit);
}

static struct part section(const SptObject *file, const char *name)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = spt_elf_section(file, name, &shdr);
	const Elf_Data *data = scn && shdr.sh_type != SHT_NOBITS ? elf_getdata(scn, NULL) : NULL;

	return data && data->d_buf ? (struct part){ data->d_buf, data->d_size } :
				     (struct part){ 0 };
}

static void free_apart(void *apart)
{
	spt_dwp_free(apart);
}

/* Without a file yet. */
static struct spt_dwp *new_dwp(const SptObject *skeletons)
{
	struct spt_dwp *dwp = g_new0(struct spt_dwp, 1);

	dwp->skeletons = skeletons;
	dwp->units = g_ptr_array_new_with_free_func(unit_free);
	dwp->apart = g_ptr_array_new_with_free_func(free_apart);
	dwp->packages = g_ptr_array_new_with_free_func(free_apart);
	return dwp;
}

static bool dwp_open_file(struct spt_dwp *dwp, const char *path)
{
	g_autoptr(SptObject) object = spt_object_open(path, NULL);
	const char *ident = object ? elf_getident(spt_object_elf(object), NULL) : NULL;

	if (!ident || ident[EI_DATA] != (BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB) ||
	    !spt_debug_sections_fit(object))
		return false;
	dwp->file = spt_object_map(object);
	if (!dwp->file)
		dwp->file = g_steal_pointer(&object);
	dwp->unpacked = spt_debug_sections_unpack(dwp->file);
	dwp->index = section(dwp->file, ".debug_cu_index");
	for (unsigned i = 0; i < ADDR; i++) {
		g_autofree char *name = g_strconcat(kinds[i].name, ".dwo", NULL);

		dwp->parts[i] = section(dwp->file, name);
	}
	return true;
}

struct spt_dwp *spt_dwp_new(const SptObject *file, const SptObject *image,
			    const char *const *debug_dirs)
{
	struct spt_dwp *dwp = new_dwp(file);

	dwp->paths = spt_debug_packages(file, image, debug_dirs);
	return dwp;
}

void spt_dwp_free(struct spt_dwp *dwp)
{
	if (!dwp)
		return;
	g_ptr_array_unref(dwp->units);
	g_ptr_array_unref(dwp->apart);
	g_ptr_array_unref(dwp->packages);
	g_strfreev(dwp->paths);
	spt_object_free(dwp->file);
	g_clear_pointer(&dwp->unpacked, g_ptr_array_unref);
	g_free(dwp);
}

static uint32_t word(const uint8_t *at, uint64_t i)
{
	uint32_t value;

	memcpy(&value, at + 4 * i, sizeof(value));
	return value;
}

/* The row of the index, from 1, that has the unit; 0: none. */
static uint32_t find_row(const uint8_t *hashes, uint32_t slots, uint64_t id)
{
	uint64_t slot = id & (slots - 1), step = ((id >> 32) & (slots - 1)) | 1, found;

	for (uint32_t i = 0; i < slots; i++, slot = (slot + step) & (slots - 1)) {
		memcpy(&found, hashes + 8 * slot, sizeof(found));
		if (found == id || word(hashes + 8ull * slots, slot) == 0)
			return word(hashes + 8ull * slots, slot);
	}
	return 0;
}

/* The unit's part of each section that has columns. */
static bool dwp_find_parts(const struct spt_dwp *dwp, uint64_t id, unsigned version,
			   struct part parts[PARTS])
{
	const uint8_t *index = dwp->index.at, *columns;
	uint32_t n, units, slots, row;

	if (dwp->index.n < INDEX_HEAD_BYTES ||
	    (version == 5 ? (uint16_t)word(index, 0) != 5 : word(index, 0) != 2))
		return false;
	n = word(index, 1);
	units = word(index, 2);
	slots = word(index, 3);
	if (n > COLUMNS_MAX || slots == 0 || slots & (slots - 1) ||
	    dwp->index.n < INDEX_HEAD_BYTES + 12ull * slots + 4ull * n * (1 + 2ull * units))
		return false;
	row = find_row(index + INDEX_HEAD_BYTES, slots, id);
	if (row == 0 || row > units)
		return false;
	columns = index + INDEX_HEAD_BYTES + 12ull * slots;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t offset = word(columns, n + (row - 1ull) * n + i),
			 bytes = word(columns, n + ((uint64_t)units + row - 1) * n + i);

		for (unsigned k = 0; k < PARTS; k++) {
			const struct part *whole = &dwp->parts[k];

			if (word(columns, i) !=
			    (version == 5 ? kinds[k].column : kinds[k].gnu_column))
				continue;
			if (offset > whole->n || bytes > whole->n - offset)
				return false;
			parts[k] = (struct part){ whole->at + offset, bytes };
		}
	}
	return true;
}

static bool dwp_number_of(Dwarf_Die *die, unsigned name, uint64_t *ret)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &value) != 0)
		return false;
	*ret = value;
	return true;
}

/* The unit's data in the skeleton's own file, from its base on. */
static struct part from_base(const struct spt_dwp *dwp, Dwarf_Die *cu, const char *name,
			     unsigned base, unsigned gnu_base)
{
	struct part part = section(dwp->skeletons, name);
	uint64_t offset = 0;

	if (!dwp_number_of(cu, base, &offset))
		dwp_number_of(cu, gnu_base, &offset);
	offset = MIN(offset, part.n);
	return (struct part){ part.at + offset, part.n - offset };
}

/* UINT32_MAX: it is none of them. */
static uint32_t find_address(const struct part *addresses, uint64_t address)
{
	for (uint32_t i = 0; i < MIN(addresses->n / 8, ADDRESSES_MAX); i++)
		if (memcmp(addresses->at + 8ull * i, &address, 8) == 0)
			return i;
	return UINT32_MAX;
}

/*
 * The position in the abbreviations where the unit's DIE has room for two attributes, in place of
 * *@ret_bytes bytes.  NULL: nowhere.
 */
static uint8_t *dwp_find_room(const struct part *abbreviations, unsigned version, uint64_t code,
			      unsigned *ret_bytes)
{
	struct spt_bytes bytes = spt_bytes_of(abbreviations->at, abbreviations->n);
	uint64_t number, tag, children, name, form;
	int64_t value;

	while (spt_bytes_leb(&bytes, &number) && number != 0 && spt_bytes_leb(&bytes, &tag) &&
	       spt_bytes_number(&bytes, 1, &children)) {
		*ret_bytes = 0;
		if (number == code && version == 5)
			return (uint8_t *)bytes.at;
		do {
			const uint8_t *at = bytes.at;

			if (!spt_bytes_leb(&bytes, &name) || !spt_bytes_leb(&bytes, &form) ||
			    (form == DW_FORM_implicit_const &&
			     !spt_bytes_signed_leb(&bytes, &value)))
				return NULL;
			*ret_bytes = (unsigned)(bytes.at - at);
			if (number == code && name == DW_AT_GNU_dwo_id && form == DW_FORM_data8)
				return (uint8_t *)at;
		} while (name != 0 || form != 0);
		if (number == code)
			return NULL;
	}
	return NULL;
}

/* The split unit @parts becomes an ordinary one. */
static bool make_ordinary(struct spt_dwp *dwp, unsigned version, uint64_t id, uint64_t low,
			  struct part parts[PARTS], struct unit *unit)
{
	/* Without a lowest address, an attribute that is not used takes its place. */
	const uint8_t attributes[] = { low ? DW_AT_low_pc : DW_AT_description,
				       low ? DW_FORM_addrx4 : DW_FORM_data4, DW_AT_stmt_list,
				       DW_FORM_sec_offset };
	uint32_t values[] = { low ? find_address(&parts[ADDR], low) : 0, 0 };
	unsigned header_bytes = version == 5 ? 20 : 11, code_bytes, room_bytes = 0;
	struct part *info = &parts[INFO], *abbreviations = &parts[ABBREV];
	struct spt_bytes bytes = spt_bytes_of(info->at, info->n);
	uint8_t *values_at, *room;
	uint64_t before, code;

	if (values[0] == UINT32_MAX || info->n < header_bytes + 1 ||
	    word(info->at, 0) >= 0xfffffff0 || !spt_bytes_pass(&bytes, header_bytes) ||
	    !spt_bytes_leb(&bytes, &code) ||
	    info->at[4] != version || info->at[5] != 0 ||
	    (version == 5 && info->at[6] != DW_UT_split_compile))
		return false;
	code_bytes = (unsigned)(bytes.at - info->at) - header_bytes;
	room = dwp_find_room(abbreviations, version, code, &room_bytes);
	values_at = version == 5 ? info->at + 12 + code_bytes :
				   memmem(info->at + header_bytes, info->n - header_bytes, &id,
					  sizeof(id));
	dwp->copied += abbreviations->n;
	if (!room || !values_at || dwp->copied > dwp->parts[ABBREV].n)
		return false;
	if (version == 5) {
		memmove(info->at + 12, info->at + header_bytes, code_bytes);
		info->at[6] = DW_UT_compile;
	}
	memcpy(values_at, values, sizeof(values));
	before = (uint64_t)(room - abbreviations->at);
	unit->abbreviations = g_malloc(abbreviations->n + sizeof(attributes));
	memcpy(unit->abbreviations, abbreviations->at, before);
	memcpy(unit->abbreviations + before, attributes, sizeof(attributes));
	memcpy(unit->abbreviations + before + sizeof(attributes), room + room_bytes,
	       abbreviations->n - before - room_bytes);
	*abbreviations = (struct part){ unit->abbreviations,
					abbreviations->n + sizeof(attributes) - room_bytes };
	return true;
}

/* As the code that unpacks sections does: an empty one has data that nothing was read for. */
static bool begin_dwarf(struct unit *unit, const struct part parts[PARTS])
{
	struct image *image = &unit->image;
	size_t at = 1;

	image->header = (Elf64_Ehdr){
		.e_ident = ELFMAG,
		.e_type = ET_EXEC,
		.e_version = EV_CURRENT,
		.e_shoff = offsetof(struct image, sections),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = PARTS + 2,
		.e_shstrndx = PARTS + 1,
	};
	image->header.e_ident[EI_CLASS] = ELFCLASS64;
	image->header.e_ident[EI_DATA] = BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;
	image->header.e_ident[EI_VERSION] = EV_CURRENT;
	for (unsigned i = 0; i < PARTS; i++) {
		image->sections[i + 1] =
			(Elf64_Shdr){ .sh_name = (uint32_t)at, .sh_type = SHT_PROGBITS };
		at += g_strlcpy(image->names + at, kinds[i].name, sizeof(image->names) - at) + 1;
	}
	image->sections[PARTS + 1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
						   .sh_offset = offsetof(struct image, names),
						   .sh_size = at };
	unit->elf = elf_memory((char *)image, sizeof(*image));
	for (unsigned i = 0; i < PARTS; i++) {
		Elf_Data *data =
			parts[i].n ? elf_getdata(elf_getscn(unit->elf, i + 1), NULL) : NULL;

		if (!data)
			continue;
		data->d_buf = parts[i].at;
		data->d_size = parts[i].n;
		data->d_type = ELF_T_BYTE;
	}
	unit->dwarf = dwarf_begin_elf(unit->elf, DWARF_C_READ, NULL);
	return unit->dwarf;
}

static const char *dwp_string_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(die, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

/* The separate file of the unit, in the skeleton's directory or where it was compiled. */
static bool open_apart(struct spt_dwp *dwp, Dwarf_Die *cu)
{
	const char *name = dwp_string_of(cu, DW_AT_dwo_name),
		   *dir = dwp_string_of(cu, DW_AT_comp_dir);
	g_autofree char *home = g_path_get_dirname(spt_object_name(dwp->skeletons)),
			*beside = NULL, *compiled = NULL;

	if (!name)
		name = dwp_string_of(cu, DW_AT_GNU_dwo_name);
	if (!name)
		return false;
	if (g_path_is_absolute(name))
		return dwp_open_file(dwp, name);
	beside = g_path_is_absolute(home) ? g_build_filename(home, name, NULL) : NULL;
	compiled = dir && g_path_is_absolute(dir) ? g_build_filename(dir, name, NULL) : NULL;
	return (beside && dwp_open_file(dwp, beside)) || (compiled && dwp_open_file(dwp, compiled));
}

/* There may be types beside the unit; in DWARF 4 they have a section of their own. */
static bool find_unit(struct part *info, unsigned version, uint64_t id)
{
	while (version == 5 && info->n >= 20) {
		uint64_t bytes = 4ull + word(info->at, 0);

		if (bytes > info->n)
			return false;
		if (info->at[6] == DW_UT_split_compile && !memcmp(info->at + 12, &id, sizeof(id))) {
			info->n = bytes;
			return true;
		}
		*info = (struct part){ info->at + bytes, info->n - bytes };
	}
	return version == 4 && info->n > 0;
}

/* NULL: there is none. */
static struct spt_dwp *find_apart(struct spt_dwp *dwp, Dwarf_Die *cu, unsigned version, uint64_t id,
				  struct part parts[PARTS])
{
	struct spt_dwp *apart = new_dwp(dwp->skeletons);

	g_ptr_array_add(dwp->apart, apart);
	if (!open_apart(apart, cu))
		return NULL;
	memcpy(parts, apart->parts, sizeof(apart->parts));
	return find_unit(&parts[INFO], version, id) ? apart : NULL;
}

/* The package that has the unit; packages are opened until one has it.  NULL: none does. */
static struct spt_dwp *find_package(struct spt_dwp *dwp, unsigned version, uint64_t id,
				    struct part parts[PARTS])
{
	for (unsigned i = 0;; i++) {
		struct spt_dwp *package;

		while (i == dwp->packages->len && dwp->paths[dwp->n_tried]) {
			package = new_dwp(dwp->skeletons);
			if (dwp_open_file(package, dwp->paths[dwp->n_tried++]))
				g_ptr_array_add(dwp->packages, package);
			else
				spt_dwp_free(package);
		}
		if (i == dwp->packages->len)
			return NULL;
		package = g_ptr_array_index(dwp->packages, i);
		memset(parts, 0, PARTS * sizeof(*parts));
		parts[STR] = package->parts[STR];
		if (dwp_find_parts(package, id, version, parts))
			return package;
	}
}

bool spt_dwp_unit(struct spt_dwp *dwp, Dwarf_Die *cu, Dwarf_Die *ret)
{
	struct part parts[PARTS];
	struct spt_dwp *file;
	Dwarf_CU *first = NULL;
	uint8_t type, address_bytes;
	struct unit *unit;
	Dwarf_Half version;
	Dwarf_Addr low = 0;
	uint64_t id;

	if (dwarf_cu_info(cu->cu, &version, &type, NULL, NULL, &id, &address_bytes, NULL) != 0 ||
	    type != DW_UT_skeleton || address_bytes != 8 || (version != 4 && version != 5))
		return false;
	file = find_package(dwp, version, id, parts);
	if (!file)
		file = find_apart(dwp, cu, version, id, parts);
	if (!file)
		return false;
	unit = g_new0(struct unit, 1);
	g_ptr_array_add(dwp->units, unit);
	parts[ADDR] = from_base(dwp, cu, kinds[ADDR].name, DW_AT_addr_base, DW_AT_GNU_addr_base);
	if (version == 4)
		parts[RANGES] = from_base(dwp, cu, kinds[RANGES].name, DW_AT_GNU_ranges_base,
					  DW_AT_GNU_ranges_base);
	dwarf_lowpc(cu, &low);
	return make_ordinary(file, version, id, low, parts, unit) && begin_dwarf(unit, parts) &&
	       dwarf_get_units(unit->dwarf, NULL, &first, NULL, NULL, ret, NULL) == 0;
}
