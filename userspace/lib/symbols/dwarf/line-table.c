/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For every few rows, the state needed to start there is kept.  Files are read when the first of
 * them is requested.
 */
#include "symbols/dwarf/line-table.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/sorted-starts.h"

#define ROWS_PER_MARK 4
#define FORMATS_MAX 255
#define MARKS_MAX (1u << 28)
/* A program has about one mark for this number of bytes. */
#define BYTES_PER_MARK 16

/* A row, and the state from which the next one follows. */
struct row {
	uint64_t address, file;
	uint32_t line, op_index;
	bool is_end;			/* at the end of a sequence: code ends there */
};

/* A row that is kept, and the position in the program behind it. */
struct mark {
	uint64_t address;
	uint32_t at, file, line, op_index;
};

struct file {
	const char *name, *path;	/* path: once it was requested */
	uint64_t directory;
};

struct format {
	uint64_t content, form;
};

struct spt_line_table {
	const struct spt_line_sections *sections;
	const char *compiled_in;
	unsigned version, offset_bytes, step_bytes, ops_per_step, line_range, first_special;
	int line_base;
	const uint8_t *lengths;		/* numbers that opcodes have, from opcode 1 on */
	struct spt_bytes files_at, program;
	struct spt_sorted_starts marks; /* struct mark */
	/* const char *, struct file; NULL: they were not requested */
	GArray *directories, *files;
	GPtrArray *paths;		/* results for names and directories */
};

static struct spt_bytes section_of(Elf *elf, const char *wanted, bool other_order)
{
	Elf_Scn *scn = NULL;
	size_t names;

	while (elf_getshdrstrndx(elf, &names) == 0 && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name =
			gelf_getshdr(scn, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;
		const Elf_Data *data =
			name && strcmp(name, wanted) == 0 && shdr.sh_type != SHT_NOBITS ?
				elf_getdata(scn, NULL) :
				NULL;

		if (data && data->d_buf)
			return (struct spt_bytes){
				.at = data->d_buf,
				.end = (const uint8_t *)data->d_buf + data->d_size,
				.other_order = other_order,
			};
	}
	return (struct spt_bytes){ 0 };
}

struct spt_line_sections spt_line_sections_of(Dwarf *dwarf)
{
	Elf *elf = dwarf_getelf(dwarf);
	const char *ident = elf_getident(elf, NULL);
	bool other_order = ident && ident[EI_DATA] != (BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB :
										     ELFDATA2MSB);

	return (struct spt_line_sections){ dwarf, section_of(elf, ".debug_line", other_order),
					   section_of(elf, ".debug_line_str", other_order) };
}

/* The program. */

static void line_table_advance(const struct spt_line_table *table, struct row *row, uint64_t ops)
{
	/* Only VLIW machines have more than one. */
	if (table->ops_per_step > 1) {
		ops += row->op_index;
		row->op_index = (uint32_t)(ops % table->ops_per_step);
		ops /= table->ops_per_step;
	}
	row->address += ops * table->step_bytes;
}

/* Ends with a row if *@ret_row is set. */
static bool run_extended(struct spt_bytes *bytes, struct row *row, bool *ret_row)
{
	const uint8_t *end;
	uint64_t n, opcode;

	if (!spt_bytes_leb(bytes, &n) || n == 0 || n > (uint64_t)(bytes->end - bytes->at))
		return false;
	end = bytes->at + n;
	opcode = *bytes->at++;
	if (opcode == DW_LNE_end_sequence) {
		row->is_end = *ret_row = true;
	} else if (opcode == DW_LNE_set_address) {
		row->op_index = 0;
		if (!spt_bytes_number(bytes, (unsigned)(n - 1), &row->address))
			return false;
	}
	bytes->at = end;
	return true;
}

static bool run_standard(const struct spt_line_table *table, struct spt_bytes *bytes,
			 struct row *row, unsigned opcode)
{
	uint64_t value;
	int64_t by;

	switch (opcode) {
	case DW_LNS_advance_pc:
		if (!spt_bytes_leb(bytes, &value))
			return false;
		line_table_advance(table, row, value);
		return true;
	case DW_LNS_advance_line:
		if (!spt_bytes_signed_leb(bytes, &by))
			return false;
		row->line += (uint32_t)by;
		return true;
	case DW_LNS_set_file:
		return spt_bytes_leb(bytes, &row->file);
	case DW_LNS_const_add_pc:
		line_table_advance(table, row, (255 - table->first_special) / table->line_range);
		return true;
	case DW_LNS_fixed_advance_pc:
		if (!spt_bytes_number(bytes, 2, &value))
			return false;
		row->address += value;
		row->op_index = 0;
		return true;
	default:
		for (unsigned i = 0; i < table->lengths[opcode - 1]; i++)
			if (!spt_bytes_leb(bytes, &value))
				return false;
		return true;
	}
}

/* False: there is none that can be read. */
static bool next_row(const struct spt_line_table *table, struct spt_bytes *bytes, struct row *row)
{
	if (row->is_end)
		*row = (struct row){ .file = 1, .line = 1 };
	while (bytes->at < bytes->end) {
		unsigned opcode = *bytes->at++;
		bool is_row = false;

		if (opcode >= table->first_special) {
			opcode -= table->first_special;
			line_table_advance(table, row, opcode / table->line_range);
			row->line +=
				(uint32_t)(table->line_base + (int)(opcode % table->line_range));
			return true;
		}
		if (opcode == DW_LNS_copy)
			return true;
		if (opcode == 0 ? !run_extended(bytes, row, &is_row) :
				  !run_standard(table, bytes, row, opcode))
			return false;
		if (is_row)
			return true;
	}
	return false;
}

/* Sequences are in file order; rows at the same address stay in their order. */
static void sort_marks(GArray *marks)
{
	struct spt_item *items = g_new(struct spt_item, marks->len),
			*spare = g_new(struct spt_item, marks->len);
	g_autofree struct mark *unsorted = g_memdup2(marks->data, marks->len * sizeof(struct mark));

	for (uint32_t i = 0; i < marks->len; i++)
		items[i] = (struct spt_item){ unsorted[i].address, i };
	spt_sort_items(&items, &spare, marks->len);
	for (uint32_t i = 0; i < marks->len; i++)
		g_array_index(marks, struct mark, i) = unsorted[items[i].index];
	g_free(items);
	g_free(spare);
}

/* A sequence without code is skipped, and so is one that cannot be read to its end. */
static void find_marks(struct spt_line_table *table)
{
	unsigned expected = (unsigned)((table->program.end - table->program.at) / BYTES_PER_MARK);
	GArray *marks = g_array_sized_new(FALSE, FALSE, sizeof(struct mark), expected);
	struct spt_bytes bytes = table->program;
	struct row row = { .is_end = true };
	uint32_t first = 0, n_rows = 0, n;
	bool is_sorted = true;
	uint64_t last = 0;

	while (marks->len < MARKS_MAX && next_row(table, &bytes, &row)) {
		if (row.is_end) {
			if (marks->len > first &&
			    g_array_index(marks, struct mark, first).address == row.address)
				g_array_set_size(marks, first);
			first = marks->len;
			n_rows = 0;
		/* An address that goes backwards begins another sequence. */
		} else if (n_rows++ % ROWS_PER_MARK == 0 || row.address < last) {
			struct mark mark = { row.address, (uint32_t)(bytes.at - table->program.at),
					     (uint32_t)row.file, row.line, row.op_index };

			is_sorted &= marks->len == 0 ||
				     g_array_index(marks, struct mark, marks->len - 1).address <=
					     row.address;
			g_array_append_val(marks, mark);
		}
		last = row.address;
	}
	g_array_set_size(marks, first);
	if (!is_sorted)
		sort_marks(marks);
	n = marks->len;
	spt_sorted_starts_init(&table->marks, g_array_free(marks, FALSE), sizeof(struct mark), n);
}

bool spt_line_table_find(const struct spt_line_table *table, uint64_t address, uint64_t *ret_file,
			 uint32_t *ret_line)
{
	uint32_t before = spt_sorted_starts_until(&table->marks, address);
	const struct mark *mark =
		before > 0 ? (const struct mark *)table->marks.rows + before - 1 : NULL;
	struct spt_bytes bytes = table->program;
	struct row row, next;

	if (!mark)
		return false;
	bytes.at += mark->at;
	row = (struct row){ .address = mark->address,
			    .file = mark->file,
			    .line = mark->line,
			    .op_index = mark->op_index };
	next = row;
	while (next_row(table, &bytes, &next) && next.address <= address &&
	       next.address >= row.address) {
		if (next.is_end)
			return false;
		row = next;
	}
	*ret_file = row.file;
	*ret_line = row.line;
	return true;
}

/* The head. */

static bool line_table_read_head(struct spt_line_table *table, struct spt_bytes bytes)
{
	uint64_t length, version, head_bytes, n[6];
	bool is_new;

	table->offset_bytes = 4;
	if (!spt_bytes_number(&bytes, 4, &length))
		return false;
	if (length == UINT32_MAX) {
		table->offset_bytes = 8;
		if (!spt_bytes_number(&bytes, 8, &length))
			return false;
	}
	if (length > (uint64_t)(bytes.end - bytes.at))
		return false;
	bytes.end = bytes.at + length;
	/* Marks have positions in it of 32 bits. */
	if (length > UINT32_MAX || !spt_bytes_number(&bytes, 2, &version) || version < 2 ||
	    version > 5)
		return false;
	table->version = (unsigned)version;
	/* The size of an address and a segment. */
	if ((version >= 5 && !spt_bytes_pass(&bytes, 2)) ||
	    !spt_bytes_number(&bytes, table->offset_bytes, &head_bytes) ||
	    head_bytes > (uint64_t)(bytes.end - bytes.at))
		return false;
	table->program = bytes;
	table->program.at += head_bytes;
	bytes.end = table->program.at;
	is_new = version >= 4;
	n[1] = 1;
	for (unsigned i = 0; i < G_N_ELEMENTS(n); i++)
		if ((i != 1 || is_new) && !spt_bytes_number(&bytes, 1, &n[i]))
			return false;
	table->step_bytes = (unsigned)n[0];
	table->ops_per_step = (unsigned)n[1];
	table->line_base = (int8_t)n[3];
	table->line_range = (unsigned)n[4];
	table->first_special = (unsigned)n[5];
	table->lengths = bytes.at;
	if (table->ops_per_step == 0 || table->line_range == 0 || table->first_special == 0 ||
	    !spt_bytes_pass(&bytes, table->first_special - 1))
		return false;
	table->files_at = bytes;
	return true;
}

struct spt_line_table *spt_line_table_new(const struct spt_line_sections *sections, Dwarf_Die *cu,
					  const char *directory)
{
	struct spt_bytes bytes = sections->lines;
	struct spt_line_table *table;
	Dwarf_Attribute attribute;
	Dwarf_Word offset;

	if (!dwarf_attr(cu, DW_AT_stmt_list, &attribute) ||
	    dwarf_formudata(&attribute, &offset) != 0 || !spt_bytes_pass(&bytes, offset))
		return NULL;
	table = g_new0(struct spt_line_table, 1);
	table->sections = sections;
	table->compiled_in = directory;
	if (!line_table_read_head(table, bytes)) {
		g_free(table);
		return NULL;
	}
	find_marks(table);
	return table;
}

void spt_line_table_free(struct spt_line_table *table)
{
	if (!table)
		return;
	g_clear_pointer(&table->directories, g_array_unref);
	g_clear_pointer(&table->files, g_array_unref);
	g_clear_pointer(&table->paths, g_ptr_array_unref);
	spt_sorted_starts_clear(&table->marks);
	g_free(table);
}

/* Files. */

static void read_old_files(struct spt_line_table *table, struct spt_bytes *bytes)
{
	/* Later versions use the first of the two. */
	struct file file = { 0 };
	uint64_t unused;
	const char *name;

	g_array_append_val(table->directories, table->compiled_in);
	g_array_append_val(table->files, file);
	while (spt_bytes_string(bytes, &name) && *name)
		g_array_append_val(table->directories, name);
	while (spt_bytes_string(bytes, &file.name) && *file.name &&
	       spt_bytes_leb(bytes, &file.directory) && spt_bytes_leb(bytes, &unused) &&
	       spt_bytes_leb(bytes, &unused))
		g_array_append_val(table->files, file);
}

/* A string, or else a number or a value that is not used. */
static bool read_value(const struct spt_line_table *table, struct spt_bytes *bytes, uint64_t form,
		       const char **ret_text, uint64_t *ret)
{
	struct spt_bytes names = table->sections->names;

	switch (form) {
	case DW_FORM_string:
		return spt_bytes_string(bytes, ret_text);
	case DW_FORM_line_strp:
		return spt_bytes_number(bytes, table->offset_bytes, ret) &&
		       spt_bytes_pass(&names, *ret) && spt_bytes_string(&names, ret_text);
	case DW_FORM_strp:
		return spt_bytes_number(bytes, table->offset_bytes, ret) &&
		       (*ret_text = dwarf_getstring(table->sections->dwarf, *ret, NULL));
	case DW_FORM_udata:
		return spt_bytes_leb(bytes, ret);
	case DW_FORM_data1:
		return spt_bytes_number(bytes, 1, ret);
	case DW_FORM_data2:
		return spt_bytes_number(bytes, 2, ret);
	case DW_FORM_data4:
		return spt_bytes_number(bytes, 4, ret);
	case DW_FORM_data8:
		return spt_bytes_number(bytes, 8, ret);
	case DW_FORM_data16:
		return spt_bytes_pass(bytes, 16);
	case DW_FORM_block:
		return spt_bytes_leb(bytes, ret) && spt_bytes_pass(bytes, *ret);
	default:
		return false;
	}
}

/* A list of entries, which begins with the format of each. */
static bool read_entries(const struct spt_line_table *table, struct spt_bytes *bytes,
			 bool are_files, GArray *entries)
{
	struct format formats[FORMATS_MAX];
	uint64_t n_formats, n;

	if (!spt_bytes_number(bytes, 1, &n_formats))
		return false;
	for (unsigned i = 0; i < n_formats; i++)
		if (!spt_bytes_leb(bytes, &formats[i].content) ||
		    !spt_bytes_leb(bytes, &formats[i].form))
			return false;
	if (!spt_bytes_leb(bytes, &n))
		return false;
	for (uint64_t i = 0; i < n; i++) {
		const uint8_t *before = bytes->at;
		struct file file = { 0 };

		for (unsigned j = 0; j < n_formats; j++) {
			const char *text = NULL;
			uint64_t value = 0;

			if (!read_value(table, bytes, formats[j].form, &text, &value))
				return false;
			if (formats[j].content == DW_LNCT_path)
				file.name = text;
			else if (formats[j].content == DW_LNCT_directory_index)
				file.directory = value;
		}
		/* Entries without data could have any number. */
		if (bytes->at == before)
			return false;
		if (are_files)
			g_array_append_val(entries, file);
		else
			g_array_append_val(entries, file.name);
	}
	return true;
}

static void read_files(struct spt_line_table *table)
{
	struct spt_bytes bytes = table->files_at;

	table->directories = g_array_new(FALSE, FALSE, sizeof(const char *));
	table->files = g_array_new(FALSE, FALSE, sizeof(struct file));
	table->paths = g_ptr_array_new_with_free_func(g_free);
	if (table->version < 5)
		read_old_files(table, &bytes);
	else if (read_entries(table, &bytes, false, table->directories))
		read_entries(table, &bytes, true, table->files);
}

static const char *line_table_path_of(struct spt_line_table *table, const struct file *file)
{
	const char *directory = NULL;
	char *path;

	if (file->directory < table->directories->len)
		directory = g_array_index(table->directories, const char *, file->directory);
	if (!directory || *file->name == '/')
		return file->name;
	path = g_strconcat(directory, "/", file->name, NULL);
	g_ptr_array_add(table->paths, path);
	return path;
}

const char *spt_line_table_file(struct spt_line_table *table, uint64_t number)
{
	struct file *file;

	if (!table->files)
		read_files(table);
	file = number < table->files->len ? &g_array_index(table->files, struct file, number) :
					    NULL;
	if (!file || !file->name)
		return NULL;
	if (!file->path)
		file->path = line_table_path_of(table, file);
	return file->path;
}
