/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One sorted table of the text symbols.  Names are in the text as it was read, cut into strings and
 * moved together in place: the rest of it, and room for more symbols, would be most of the memory
 * of a recorder that runs for long.  The frequent request is only the frame of an address, which
 * needs no table.
 */
#include "trace/kallsyms.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* There are a hundred thousand: names are places in the text. */
struct symbol {
	uint64_t address;
	uint32_t name, module;		/* module 0: the kernel image */
};

/* The same as a line of the file has it. */
struct line {
	uint64_t address;
	const char *name, *module;	/* module NULL: the kernel image */
	char type;
};

struct SptKallsyms {
	char *path;
	int file;			/* instead of a path; -1: none */
	char *text;			/* begins with "", which no name is */
	GArray *symbols, *data;		/* struct symbol, by address: text, and variables */
	uint64_t start, end;		/* of the kernel image's text; start 0: hidden */
	bool is_stale;			/* or was not read yet */
};

/* Of several names at one address the file's first, as in the kernel itself. */
static int kallsyms_compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

/* Nothing is known of the size of the last variable before a gap. */
#define MOST_DATA_BYTES 65536u

/* Returns the number's end.  There are two million digits, so that none is worth a call. */
static char *parse_hex(char *at, uint64_t *ret)
{
	for (*ret = 0; g_ascii_isxdigit(*at); at++)
		*ret = *ret << 4 | (uint64_t)((*at & 15) + (*at > '9' ? 9 : 0));
	return at;
}

static bool is_text(char type)
{
	return (type | 32) == 't' || (type | 32) == 'w';
}

static bool is_data(char type)
{
	return (type | 32) == 'd' || (type | 32) == 'b';
}

/*
 * "ffffffff81000000 T _stext", and for a module's "\t[ext4]" behind it.  False: it is neither
 * text nor data, and unchanged.
 */
static bool parse_line(char *line, struct line *ret)
{
	char *end = parse_hex(line, &ret->address), *name, *module;

	if (end == line || end[0] != ' ' || !(is_text(end[1]) || is_data(end[1])) || end[2] != ' ')
		return false;
	ret->type = end[1];
	name = end + 3;
	module = strchr(name, '\t');
	if (module) {
		*module++ = '\0';
		if (*module == '[')
			module++;
		module[strcspn(module, "]")] = '\0';
	}
	ret->name = name;
	ret->module = module && *module ? module : NULL;
	/* "$x" and the like mark kinds of content, not functions. */
	return *name && *name != '$';
}

static void add_text(SptKallsyms *kallsyms, const struct symbol *symbol)
{
	g_array_append_vals(kallsyms->symbols, symbol, 1);
	if (symbol->module)
		return;
	if (!strcmp(kallsyms->text + symbol->name, "_stext"))
		kallsyms->start = symbol->address;
	kallsyms->end = MAX(kallsyms->end, symbol->address);
}

/* The kernel has its own symbols in order, and often no others. */
static void sort_symbols(GArray *symbols)
{
	const struct symbol *all = (const void *)symbols->data;

	for (guint i = 1; i < symbols->len; i++)
		if (kallsyms_compare_symbols(&all[i - 1], &all[i]) > 0) {
			g_array_sort(symbols, kallsyms_compare_symbols);
			return;
		}
}

/* Moves @from to @at of the text, which is not behind it.  Returns where the next may be. */
static uint32_t move_text(const SptKallsyms *kallsyms, const char *from, uint32_t at)
{
	size_t bytes = strlen(from) + 1;

	memmove(kallsyms->text + at, from, bytes);
	return at + (uint32_t)bytes;
}

/* Moves the names of @line to *@to; symbols of the module *@last have its name already. */
static struct symbol pack_names(const SptKallsyms *kallsyms, const struct line *line,
				uint32_t *last, uint32_t *to)
{
	struct symbol symbol = { .address = line->address, .name = *to };

	*to = move_text(kallsyms, line->name, *to);
	if (!line->module)
		return symbol;
	if (!*last || strcmp(line->module, kallsyms->text + *last) != 0) {
		*last = *to;
		*to = move_text(kallsyms, line->module, *to);
	}
	symbol.module = *last;
	return symbol;
}

/* The same without room for more. */
static GArray *shrink_symbols(GArray *symbols)
{
	GArray *all = g_array_sized_new(FALSE, FALSE, sizeof(struct symbol), symbols->len);

	g_array_append_vals(all, symbols->data, symbols->len);
	g_array_unref(symbols);
	return all;
}

/* The symbols of kallsyms->text, which begins with an address. */
static void cut_symbols(SptKallsyms *kallsyms)
{
	uint32_t to = 1, last = 0;
	char *line, *end;

	for (line = kallsyms->text; line && line - kallsyms->text < UINT32_MAX; line = end) {
		struct symbol symbol;
		struct line parsed;

		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		if (!parse_line(line, &parsed))
			continue;
		symbol = pack_names(kallsyms, &parsed, &last, &to);
		if (is_text(parsed.type))
			add_text(kallsyms, &symbol);
		else
			g_array_append_val(kallsyms->data, symbol);
	}
	*kallsyms->text = '\0';
	kallsyms->text = g_realloc(kallsyms->text, to);
	kallsyms->data = shrink_symbols(kallsyms->data);
	kallsyms->symbols = shrink_symbols(kallsyms->symbols);
	sort_symbols(kallsyms->data);
	sort_symbols(kallsyms->symbols);
}

static FILE *kallsyms_open_file(const SptKallsyms *kallsyms)
{
	FILE *file = NULL;
	int fd;

	if (kallsyms->path)
		return fopen(kallsyms->path, "re");
	fd = kallsyms->file < 0 ? -1 : fcntl(kallsyms->file, F_DUPFD_CLOEXEC, 0);
	if (fd >= 0 && lseek(fd, 0, SEEK_SET) == 0)
		file = fdopen(fd, "r");
	if (fd >= 0 && !file)
		close(fd);
	return file;
}

/* The whole file; NULL: it cannot be read. */
static char *kallsyms_read_file(const SptKallsyms *kallsyms)
{
	g_autoptr(GString) text = NULL;
	FILE *file = kallsyms_open_file(kallsyms);
	char part[BUFSIZ];
	size_t n;

	if (!file)
		return NULL;
	text = g_string_new(NULL);
	while ((n = fread(part, 1, sizeof(part), file)))
		g_string_append_len(text, part, (gssize)n);
	fclose(file);
	return g_string_free(g_steal_pointer(&text), FALSE);
}

static void kallsyms_read_symbols(SptKallsyms *kallsyms)
{
	g_array_set_size(kallsyms->symbols, 0);
	g_array_set_size(kallsyms->data, 0);
	g_clear_pointer(&kallsyms->text, g_free);
	kallsyms->start = kallsyms->end = 0;
	kallsyms->is_stale = false;
	kallsyms->text = kallsyms_read_file(kallsyms);
	if (kallsyms->text)
		cut_symbols(kallsyms);
}

SptKallsyms *spt_kallsyms_new(const char *path)
{
	SptKallsyms *kallsyms = g_new0(SptKallsyms, 1);

	kallsyms->path = g_strdup(path);
	kallsyms->file = -1;
	kallsyms->symbols = g_array_new(FALSE, FALSE, sizeof(struct symbol));
	kallsyms->data = g_array_new(FALSE, FALSE, sizeof(struct symbol));
	kallsyms->is_stale = true;
	return kallsyms;
}

SptKallsyms *spt_kallsyms_new_file(int file)
{
	SptKallsyms *kallsyms = spt_kallsyms_new(NULL);

	kallsyms->file = file;
	return kallsyms;
}

SptKallsyms *spt_kallsyms_new_text(char *text)
{
	SptKallsyms *kallsyms = spt_kallsyms_new(NULL);

	kallsyms->text = text;
	kallsyms->is_stale = false;
	cut_symbols(kallsyms);
	return kallsyms;
}

SptKallsyms *spt_kallsyms_new_range(uint64_t start, uint64_t end)
{
	SptKallsyms *kallsyms = spt_kallsyms_new(NULL);

	kallsyms->is_stale = false;
	kallsyms->start = start;
	kallsyms->end = end - 1;
	return kallsyms;
}

void spt_kallsyms_move(SptKallsyms *kallsyms, uint64_t distance)
{
	for (guint i = 0; i < kallsyms->symbols->len; i++)
		g_array_index(kallsyms->symbols, struct symbol, i).address += distance;
	kallsyms->start += distance;
	kallsyms->end += distance;
}

uint64_t spt_kallsyms_address(const SptKallsyms *kallsyms, const char *name)
{
	for (guint i = 0; i < kallsyms->symbols->len; i++) {
		const struct symbol *symbol = &g_array_index(kallsyms->symbols, struct symbol, i);

		if (!symbol->module && strcmp(kallsyms->text + symbol->name, name) == 0)
			return symbol->address;
	}
	return 0;
}

void spt_kallsyms_free(SptKallsyms *kallsyms)
{
	if (!kallsyms)
		return;
	g_array_unref(kallsyms->symbols);
	g_array_unref(kallsyms->data);
	g_free(kallsyms->text);
	g_free(kallsyms->path);
	if (kallsyms->file >= 0)
		close(kallsyms->file);
	g_free(kallsyms);
}

bool spt_kallsyms_is_readable(const SptKallsyms *kallsyms)
{
	FILE *file = kallsyms_open_file(kallsyms);
	struct line parsed;
	bool found = false;
	char *line = NULL;
	size_t room = 0;

	/* The first one is near the beginning. */
	while (file && !found && getline(&line, &room, file) > 0)
		found = parse_line(line, &parsed) && is_text(parsed.type);
	free(line);
	if (file)
		fclose(file);
	return found && parsed.address;
}

void spt_kallsyms_load(SptKallsyms *kallsyms)
{
	if (kallsyms->is_stale)
		kallsyms_read_symbols(kallsyms);
}

uint64_t spt_kallsyms_frame(const SptKallsyms *kallsyms, uint64_t address)
{
	__u64 frame;

	spt_kallsyms_frames(kallsyms, &address, 1, &frame, 0);
	return frame;
}

unsigned spt_kallsyms_frames(const SptKallsyms *kallsyms, const uint64_t *addresses, unsigned n,
			     __u64 *frames, unsigned at)
{
	uint64_t start = kallsyms->start, end = kallsyms->end,
		 kernel_bytes = end >= start ? end - start + 1 : 0;

	if (!start && n) {
		frames[0] = SPT_KALLSYMS_HIDDEN;
		return 1;
	}
	for (unsigned i = 0; i < n; i++) {
		uint64_t distance = addresses[i] - start,
			 object = distance < kernel_bytes ? SYSPROF_OBJECT_KERNEL :
							    SYSPROF_OBJECT_MODULES;

		frames[at + i] = object << SYSPROF_FRAME_OBJECT_SHIFT |
				 (distance & SYSPROF_FRAME_OFFSET_MASK);
	}
	return at + n;
}

uint64_t spt_kallsyms_frame_address(const SptKallsyms *kallsyms, uint64_t frame)
{
	uint64_t offset = frame & SYSPROF_FRAME_OFFSET_MASK;

	if (offset >> (SYSPROF_FRAME_OBJECT_SHIFT - 1))
		offset |= ~SYSPROF_FRAME_OFFSET_MASK;
	return kallsyms->start + offset;
}

/* Index of the first symbol behind @address. */
static unsigned kallsyms_first_behind(const GArray *symbols, uint64_t address)
{
	unsigned low = 0, high = symbols->len;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (g_array_index(symbols, struct symbol, middle).address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The variable in which @address is, up to the next one; NULL: it is in none that is known. */
static const struct symbol *variable_at(const SptKallsyms *kallsyms, uint64_t address)
{
	unsigned at = kallsyms_first_behind(kallsyms->data, address);
	const struct symbol *symbol;

	if (!at)
		return NULL;
	symbol = &g_array_index(kallsyms->data, struct symbol, at - 1);
	if (address - symbol->address >= MOST_DATA_BYTES)
		return NULL;
	while (symbol > (struct symbol *)kallsyms->data->data &&
	       symbol[-1].address == symbol->address)
		symbol--;
	return symbol;
}

uint64_t spt_kallsyms_data_frame(SptKallsyms *kallsyms, uint64_t address)
{
	spt_kallsyms_load(kallsyms);
	if (!kallsyms->start || !variable_at(kallsyms, address))
		return 0;
	return spt_kallsyms_frame(kallsyms, address);
}

static void set_name(const SptKallsyms *kallsyms, struct sysprof_name *name,
		     const struct symbol *symbol, uint64_t address)
{
	name->offset = (uint32_t)(address - symbol->address);
	g_strlcpy(name->symbol, kallsyms->text + symbol->name, sizeof(name->symbol));
	g_strlcpy(name->module, kallsyms->text + symbol->module, sizeof(name->module));
}

void spt_kallsyms_name(SptKallsyms *kallsyms, struct sysprof_name *name)
{
	const struct symbol *symbol;
	uint64_t address;
	unsigned at;

	name->symbol[0] = name->module[0] = '\0';
	name->offset = name->symbol_bytes = 0;
	spt_kallsyms_load(kallsyms);
	if (!kallsyms->start)
		return;
	address = spt_kallsyms_frame_address(kallsyms, name->frame);
	at = kallsyms_first_behind(kallsyms->symbols, address);
	if (!at)
		return;
	symbol = &g_array_index(kallsyms->symbols, struct symbol, at - 1);
	/*
	 * Addresses behind the last symbol of the kernel image do not belong to it, and those
	 * before a module's first do not belong to the module.
	 */
	if (!symbol->module !=
	    (name->frame >> SYSPROF_FRAME_OBJECT_SHIFT == SYSPROF_OBJECT_KERNEL)) {
		symbol = variable_at(kallsyms, address);
		if (symbol)
			set_name(kallsyms, name, symbol, address);
		return;
	}
	if (at < kallsyms->symbols->len)
		name->symbol_bytes = MIN(symbol[1].address - symbol->address, UINT32_MAX);
	while (symbol > (struct symbol *)kallsyms->symbols->data &&
	       symbol[-1].address == symbol->address)
		symbol--;
	set_name(kallsyms, name, symbol, address);
}

void spt_kallsyms_set_stale(SptKallsyms *kallsyms)
{
	kallsyms->is_stale = true;
}
