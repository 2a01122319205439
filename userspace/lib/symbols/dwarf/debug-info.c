/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the unit of an object's DWARF that has an address: by the units' own ranges, since tables
 * of them are missing or incomplete.
 */
#include "symbols/dwarf/debug-info.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>

#include "symbols/dwarf/debug-file.h"
#include "symbols/dwarf/debug-unit.h"
#include "symbols/dwarf/die-ranges.h"
#include "symbols/dwarf/dwp.h"
#include "symbols/dwarf/elf-parts.h"

struct unit {
	Dwarf_Die cu, split;
	struct spt_unit *index;		/* once an address in it was requested */
};

struct SptDebugInfo {
	SptObject *image;		/* origin of offsets; NULL: the DWARF is not ours */
	SptObject *debug;		/* its owner; may be the image, if that is no file */
	Dwarf *dwarf;
	struct spt_dwp *dwp;		/* of split units; NULL: a kernel has none */
	Dwarf *alt;			/* the file that several files share; NULL: there is none */
	SptObject *alt_file;
	GArray *units;			/* struct unit */
	struct spt_die_ranges ranges;	/* to units */
	struct spt_shapes *shapes;	/* of the last unit */
	GPtrArray *unpacked;		/* of sections */
	bool lines;
	struct spt_line_sections line_sections;
};

bool spt_elf_has_debug_info(const SptObject *object)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = spt_elf_section(object, ".debug_info", &shdr);

	return scn && shdr.sh_type != SHT_NOBITS && spt_debug_sections_fit(object);
}

/*
 * libdw unpacks all sections that it knows, and some of the largest do not concern functions and
 * lines: those are replaced by empty ones.
 */
static void hide_unread_sections(const SptObject *object, bool lines)
{
	static const char *const unread[] = {
		".debug_line",	       ".debug_loclists", ".debug_loc",	     ".debug_aranges",
		".debug_names",	       ".debug_pubnames", ".debug_pubtypes", ".debug_gnu_pubnames",
		".debug_gnu_pubtypes", ".debug_macro",	  ".debug_macinfo",
	};

	for (unsigned i = lines ? 1 : 0; i < G_N_ELEMENTS(unread); i++) {
		GElf_Shdr shdr;
		Elf_Scn *scn = spt_elf_section(object, unread[i], &shdr);

		shdr.sh_type = SHT_NOBITS;
		if (scn)
			gelf_update_shdr(scn, &shdr);
	}
}

static void find_units(SptDebugInfo *info)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;

	while (dwarf_get_units(info->dwarf, cu, &cu, NULL, NULL, &die, &split) == 0) {
		struct unit unit = { .cu = die, .split = split.addr ? split : die };

		if (dwarf_tag(&die) == DW_TAG_compile_unit ||
		    dwarf_tag(&die) == DW_TAG_skeleton_unit)
			g_array_append_val(info->units, unit);
	}
	/*
	 * Of code that several units have, the linker kept the first unit's: the last one that is
	 * added counts.
	 */
	for (uint32_t i = info->units->len; i-- > 0;)
		spt_die_ranges_add(&info->ranges, &g_array_index(info->units, struct unit, i).cu,
				   i);
	spt_die_ranges_finish(&info->ranges);
	if (info->lines)
		info->line_sections = spt_line_sections_of(info->dwarf);
}

/*
 * libdw looks whether a string in the file that several share begins within its section, but not
 * whether it ends there: that is made so, in the data that both have.
 */
static void end_strings(Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t names;

	while (elf_getshdrstrndx(elf, &names) == 0 && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name =
			gelf_getshdr(scn, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;
		Elf_Data *data = name && g_str_has_suffix(name, "debug_str") &&
						 shdr.sh_type != SHT_NOBITS ?
					 elf_getdata(scn, NULL) :
					 NULL;

		while (data && data->d_size > 0 &&
		       ((const char *)data->d_buf)[data->d_size - 1] != '\0')
			data->d_size--;
	}
}

/*
 * Data that dwz has moved to a file for several, by its build-id or the path in the section. libdw
 * would look for it by itself.
 */
static void open_alt(SptDebugInfo *info, const char *const *debug_dirs)
{
	const void *build_id;
	const char *name;
	ssize_t n = dwelf_dwarf_gnu_debugaltlink(info->dwarf, &name, &build_id);

	if (n <= 0)
		return;
	info->alt_file = spt_debug_alt_open(info->debug, name, build_id, (size_t)n, debug_dirs);
	if (!info->alt_file || !spt_debug_sections_fit(info->alt_file))
		return;
	info->alt = dwarf_begin_elf(spt_object_elf(info->alt_file), DWARF_C_READ, NULL);
	if (!info->alt)
		return;
	end_strings(spt_object_elf(info->alt_file));
	dwarf_setalt(info->dwarf, info->alt);
}

SptDebugInfo *spt_debug_info_new(SptObject *image, const char *const *debug_dirs, bool lines)
{
	g_autoptr(SptDebugInfo) info = g_new0(SptDebugInfo, 1);
	g_autoptr(SptObject) apart = NULL;

	info->image = image;
	info->lines = lines;
	info->units = g_array_new(FALSE, FALSE, sizeof(struct unit));
	if (!spt_elf_has_debug_info(image))
		apart = spt_debug_file_open(image, debug_dirs);
	if (!spt_elf_has_debug_info(apart ? apart : image))
		return NULL;
	/* Reading debug information may kill the process. */
	info->debug = spt_object_map(apart ? apart : image);
	if (!info->debug)
		info->debug = apart ? g_steal_pointer(&apart) : image;
	hide_unread_sections(info->debug, lines);
	info->unpacked = spt_debug_sections_unpack(info->debug);
	info->dwarf = dwarf_begin_elf(spt_object_elf(info->debug), DWARF_C_READ, NULL);
	if (!info->dwarf)
		return NULL;
	open_alt(info, debug_dirs);
	info->dwp = spt_dwp_new(info->debug, info->image, debug_dirs);
	find_units(info);
	return g_steal_pointer(&info);
}

SptDebugInfo *spt_debug_info_new_dwarf(Dwarf *dwarf)
{
	SptDebugInfo *info = g_new0(SptDebugInfo, 1);

	info->units = g_array_new(FALSE, FALSE, sizeof(struct unit));
	info->dwarf = dwarf;
	info->lines = true;
	find_units(info);
	return info;
}

void spt_debug_info_free(SptDebugInfo *info)
{
	if (!info)
		return;
	for (unsigned i = 0; i < info->units->len; i++)
		spt_unit_free(g_array_index(info->units, struct unit, i).index);
	g_array_unref(info->units);
	spt_die_ranges_clear(&info->ranges);
	spt_shapes_free(info->shapes);
	spt_dwp_free(info->dwp);
	if (info->image)
		dwarf_end(info->dwarf);
	dwarf_end(info->alt);
	spt_object_free(info->alt_file);
	if (info->debug != info->image)
		spt_object_free(info->debug);
	spt_object_free(info->image);
	g_clear_pointer(&info->unpacked, g_ptr_array_unref);
	g_free(info);
}

unsigned spt_debug_info_find(SptDebugInfo *info, uint64_t file_offset,
			     SptPlace ret[SPT_INLINES_MAX])
{
	uint64_t address;

	return spt_object_offset_to_address(info->image, file_offset, &address) ?
		       spt_debug_info_find_address(info, address, ret) :
		       0;
}

unsigned spt_debug_info_find_address(SptDebugInfo *info, uint64_t address,
				     SptPlace ret[SPT_INLINES_MAX])
{
	uint32_t number = spt_die_ranges_find(&info->ranges, address);
	struct unit *unit;

	if (number == SPT_DIE_NONE)
		return 0;
	unit = &g_array_index(info->units, struct unit, number);
	if (!unit->index && info->dwp && unit->split.cu == unit->cu.cu &&
	    !spt_dwp_unit(info->dwp, &unit->cu, &unit->split))
		unit->split = unit->cu;
	if (!unit->index)
		unit->index =
			spt_unit_new(&unit->cu, &unit->split,
				     info->lines ? &info->line_sections : NULL, &info->shapes);
	return spt_unit_find(unit->index, address, ret);
}
