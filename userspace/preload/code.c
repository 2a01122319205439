/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code.h"

#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>

#include "plain.h"
#include "rules.h"
#include "sandbox.h"
#include "system.h"

#define MOST_CODE  4096u
#define NAME_BYTES (512u << 10)
#define LINE_BYTES 4608u

/* The mappings from the start, in the order of their addresses, then what came later. */
static struct spt_code codes[MOST_CODE];
static uint32_t n_codes, n_first;
static char names[NAME_BYTES];
static uint32_t n_name_bytes;
uint64_t spt_main_stack_end;

/* Of glibc since 2.35.  It takes no lock. */
struct find_result {
	unsigned long long flags;
	void *map_start, *map_end;
	struct link_map *link_map;
	void *eh_frame;
	unsigned long long reserved[7];
};
static int (*find_object)(void *address, struct find_result *result);

/* 0: there is no room; the name is empty then. */
static uint32_t add_name(const char *name, size_t bytes)
{
	uint32_t at = __atomic_fetch_add(&n_name_bytes, (uint32_t)bytes + 1, __ATOMIC_RELAXED);

	if (at + bytes + 1 > NAME_BYTES)
		return 0;
	memcpy(names + at, name, bytes);
	return at;
}

uint32_t spt_code_count(void)
{
	return __atomic_load_n(&n_codes, __ATOMIC_RELAXED);
}

const struct spt_code *spt_code_nth(uint32_t n)
{
	/* Acquire: pairs with the release by which it was added. */
	return n < MOST_CODE && __atomic_load_n(&codes[n].is_ready, __ATOMIC_ACQUIRE) &&
			       __atomic_load_n(&codes[n].end, __ATOMIC_RELAXED) ?
		       &codes[n] :
		       NULL;
}

/* NULL: there is no room. */
static struct spt_code *add_code(const struct spt_code *code)
{
	uint32_t at = __atomic_fetch_add(&n_codes, 1, __ATOMIC_RELAXED);

	if (at >= MOST_CODE) {
		__atomic_store_n(&n_codes, MOST_CODE, __ATOMIC_RELAXED);
		return NULL;
	}
	codes[at] = *code;
	/* Pairs with the acquire of those who look it up. */
	__atomic_store_n(&codes[at].is_ready, 1, __ATOMIC_RELEASE);
	return &codes[at];
}

/* ELF headers in memory. */

static bool is_elf(const ElfW(Ehdr) *header)
{
	return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 &&
	       header->e_phentsize == sizeof(ElfW(Phdr)) &&
	       header->e_phoff + header->e_phnum * sizeof(ElfW(Phdr)) <= 4096;
}

/* From the headers of the file that begins at @code->base; @code has start and end. */
static void read_headers(struct spt_code *code, uint64_t address)
{
	const ElfW(Ehdr) *header = (const void *)code->base;
	const ElfW(Phdr) *phdr = (const void *)(code->base + header->e_phoff);
	uint64_t bias = 0;
	bool has_bias = false;

	for (unsigned i = 0; i < header->e_phnum; i++) {
		uint64_t start;

		if (phdr[i].p_type == PT_LOAD && !has_bias) {
			bias = code->base - (phdr[i].p_vaddr - phdr[i].p_offset);
			has_bias = true;
		}
		start = bias + phdr[i].p_vaddr;
		if (phdr[i].p_type == PT_GNU_EH_FRAME)
			code->eh_frame_hdr = (const void *)start;
		if (phdr[i].p_type == PT_LOAD && phdr[i].p_flags & PF_X && !code->end &&
		    address - start < phdr[i].p_memsz) {
			code->start = start;
			code->end = start + phdr[i].p_memsz;
			code->offset = phdr[i].p_offset;
		}
	}
}

/* The kernel's list of mappings. */

struct line {
	uint64_t start, end, offset, device, inode;
	bool is_readable, is_executable;
	const char *name;		/* to the end of the line */
	size_t name_bytes;
};

static uint64_t read_hex(const char **at)
{
	uint64_t value = 0;

	for (;; (*at)++) {
		char c = **at;

		if (c >= '0' && c <= '9')
			value = value << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value << 4 | (uint64_t)(c - 'a' + 10);
		else
			return value;
	}
}

/* As the kernel makes one number of both for stat(). */
static uint64_t device_of(uint64_t major, uint64_t minor)
{
	return (minor & 0xff) | (major & 0xfff) << 8 | (minor & ~0xffULL) << 12 |
	       (major & ~0xfffULL) << 32;
}

/* "start-end rwxp offset major:minor inode   name" */
static void read_line(const char *at, size_t bytes, struct line *ret)
{
	const char *end = at + bytes;
	uint64_t major;

	ret->start = read_hex(&at);
	at++;
	ret->end = read_hex(&at);
	ret->is_readable = at[1] == 'r';
	ret->is_executable = at[3] == 'x';
	at += 6;
	ret->offset = read_hex(&at);
	at++;
	major = read_hex(&at);
	at++;
	ret->device = device_of(major, read_hex(&at));
	for (ret->inode = 0, at++; *at >= '0' && *at <= '9'; at++)
		ret->inode = ret->inode * 10 + (uint64_t)(*at - '0');
	while (at < end && *at == ' ')
		at++;
	ret->name = at;
	ret->name_bytes = (size_t)(end - at);
}

/* Calls @take for each line of /proc/self/maps, until it returns true. */
static void read_mappings(bool (*take)(const struct line *, void *), void *data, char *buffer)
{
	long fd = spt_call(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0), got;
	size_t n = 0, begin;
	bool is_done = false;
	struct line line;

	if (fd < 0)
		return;
	while (!is_done && (got = spt_call(SYS_read, fd, buffer + n, LINE_BYTES - n, 0)) > 0) {
		n += (size_t)got;
		begin = 0;
		for (size_t i = 0; i < n && !is_done; i++) {
			if (buffer[i] != '\n')
				continue;
			buffer[i] = '\0';
			read_line(buffer + begin, i - begin, &line);
			is_done = take(&line, data);
			begin = i + 1;
		}
		/* A path is no longer than a page: a line that fills the buffer is none. */
		if (!begin && n == LINE_BYTES)
			break;
		for (size_t i = begin; i < n; i++)
			buffer[i - begin] = buffer[i];
		n -= begin;
	}
	spt_call(SYS_close, fd, 0, 0, 0);
}

static bool is_text(const struct line *line, const char *text)
{
	return line->name_bytes == spt_text_bytes(text, 64) &&
	       memcmp(line->name, text, line->name_bytes) == 0;
}

/* The beginning of the file that the lines before were of. */
struct first {
	uint64_t device, inode, base;
	uint32_t name;
	bool has_name;
};

struct collector {
	struct first first;
	uint64_t address;		/* only code around it is added; 0: all */
	const struct spt_code *added;
	uint64_t start, end;		/* the mapping around it, whatever that is */
};

static bool is_file(const struct line *line)
{
	return line->inode && *line->name == '/';
}

static void follow_file(struct first *first, const struct line *line, bool is_vdso)
{
	bool is_begin = !line->offset && line->is_readable;

	if (is_vdso || is_begin || line->inode != first->inode || line->device != first->device)
		*first = (struct first){ .device = line->device,
					 .inode = line->inode,
					 .base = is_begin ? line->start : 0 };
}

static uint32_t name_of(const struct line *line, bool is_vdso)
{
	static const char deleted[] = " (deleted)", vdso[] = "linux-vdso.so.1";
	size_t bytes = line->name_bytes, tail = sizeof(deleted) - 1;

	if (is_vdso)
		return add_name(vdso, sizeof(vdso) - 1);
	if (bytes > tail && memcmp(line->name + bytes - tail, deleted, tail) == 0)
		bytes -= tail;
	return add_name(line->name, bytes);
}

static bool collect(const struct line *line, void *data)
{
	struct collector *collector = data;
	struct first *first = &collector->first;
	bool is_vdso = is_text(line, "[vdso]"),
	     is_around = collector->address - line->start < line->end - line->start;
	struct spt_code code;

	if (is_text(line, "[stack]"))
		spt_main_stack_end = line->end;
	if (is_around) {
		collector->start = line->start;
		collector->end = line->end;
	}
	if (!is_file(line) && !is_vdso)
		return is_around;
	follow_file(first, line, is_vdso);
	if (!line->is_executable || (collector->address && !is_around))
		return is_around;
	if (!first->has_name)
		first->name = name_of(line, is_vdso);
	first->has_name = true;
	code = (struct spt_code){ .start = line->start,
				  .end = line->end,
				  .offset = line->offset,
				  .device = line->device,
				  .inode = line->inode,
				  .base = first->base,
				  .name = first->name };
	if (code.base && is_elf((const void *)code.base))
		read_headers(&code, 0);
	collector->added = add_code(&code);
	return is_around;
}

/* Read by one thread at a time; one that comes meanwhile does without. */
static char lines[LINE_BYTES] __attribute__((aligned(16)));
static uint32_t are_lines_in_use;

static bool begin_lines(void)
{
	/* Acquire and release: the buffer is free, and what was in it was taken. */
	return spt_may_call(SPT_MAY_LOOK) &&
	       !__atomic_exchange_n(&are_lines_in_use, 1, __ATOMIC_ACQUIRE);
}

static void end_lines(void)
{
	__atomic_store_n(&are_lines_in_use, 0, __ATOMIC_RELEASE);
}

void spt_code_begin(void *function)
{
	struct collector collector = { 0 };

	*(void **)&find_object = function;
	/* The first one is empty. */
	n_name_bytes = 1;
	if (!begin_lines())
		return;
	read_mappings(collect, &collector, lines);
	end_lines();
	n_first = n_codes < MOST_CODE ? n_codes : MOST_CODE;
}

const char *spt_code_name(const struct spt_code *code)
{
	return names + code->name;
}

/* Code that came later. */

static bool has(const struct spt_code *code, uint64_t address)
{
	/* Acquire: pairs with the release by which it was added. */
	return __atomic_load_n(&code->is_ready, __ATOMIC_ACQUIRE) && address >= code->start &&
	       address < __atomic_load_n(&code->end, __ATOMIC_RELAXED);
}

/* Among those from the start. */
static const struct spt_code *find_first(uint64_t address)
{
	uint32_t low = 0, high = n_first;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (codes[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && has(&codes[low - 1], address) ? &codes[low - 1] : NULL;
}

static bool is_there(const struct spt_code *code, uint64_t address)
{
	struct find_result found;

	return !code->link_map ||
	       (find_object((void *)address, &found) == 0 && found.link_map == code->link_map &&
		(uint64_t)found.map_start == code->base &&
		(uint64_t)found.map_end == code->object_end &&
		found.eh_frame == code->eh_frame_hdr);
}

bool spt_code_is_at(const struct spt_code *code, uint64_t address)
{
	return has(code, address) && is_there(code, address);
}

static const struct spt_code *find_later(uint64_t address)
{
	uint32_t n = __atomic_load_n(&n_codes, __ATOMIC_RELAXED);

	for (uint32_t i = n < MOST_CODE ? n : MOST_CODE; i-- > n_first;) {
		if (!has(&codes[i], address))
			continue;
		if (is_there(&codes[i], address))
			return &codes[i];
		/* The loader has unloaded it by itself. */
		__atomic_store_n(&codes[i].end, 0, __ATOMIC_RELAXED);
		spt_rules_forget();
	}
	return NULL;
}

struct question {
	uint64_t address;
	struct spt_code *code;
};

static bool take_file(const struct line *line, void *data)
{
	struct question *question = data;

	if (question->address - line->start >= line->end - line->start)
		return false;
	question->code->device = line->device;
	question->code->inode = line->inode;
	question->code->name = name_of(line, false);
	return true;
}

/*
 * Which file it is.  Of a relative name only the kernel knows what it meant.  In a sandbox nobody
 * may be asked; then the recorder goes by the name.
 */
static __attribute__((noinline)) void identify(struct spt_code *code, const char *name)
{
	struct question question = { code->start, code };
	struct stat *stat = (void *)lines;

	code->name = add_name(name, spt_text_bytes(name, 4095));
	if (!begin_lines())
		return;
	if (*name != '/') {
		read_mappings(take_file, &question, lines);
	} else if (spt_call(SYS_newfstatat, AT_FDCWD, name, stat, 0) == 0) {
		code->device = stat->st_dev;
		code->inode = stat->st_ino;
	}
	end_lines();
}

/* A library that the loader knows. */
static __attribute__((noinline)) bool ask_loader(struct spt_code *code, uint64_t address)
{
	struct find_result found;

	if (find_object((void *)address, &found) != 0 || !is_elf(found.map_start))
		return false;
	code->base = (uint64_t)found.map_start;
	code->link_map = found.link_map;
	code->object_end = (uint64_t)found.map_end;
	read_headers(code, address);
	code->eh_frame_hdr = found.eh_frame;
	return code->end;
}

static const struct spt_code *add_by_loader(uint64_t address)
{
	struct spt_code code = { 0 };

	if (!ask_loader(&code, address))
		return NULL;
	identify(&code, ((const struct link_map *)code.link_map)->l_name);
	return add_code(&code);
}

/* Without the loader's help.  What is no file's is looked for once. */
static const struct spt_code *add_by_mappings(uint64_t address)
{
	static uint64_t start, end;
	struct collector collector = { .address = address };

	if (address - start < end - start || !begin_lines())
		return NULL;
	read_mappings(collect, &collector, lines);
	if (!collector.added) {
		start = collector.start;
		end = collector.end;
	}
	end_lines();
	return collector.added;
}

static bool take_around(const struct line *line, void *data)
{
	struct line *around = data;

	if (around->start - line->start >= line->end - line->start)
		return false;
	*around = *line;
	return true;
}

bool spt_code_mapping(uint64_t address, uint64_t *ret_start, uint64_t *ret_end)
{
	struct line around = { .start = address };

	if (!begin_lines())
		return false;
	read_mappings(take_around, &around, lines);
	end_lines();
	*ret_start = around.start;
	*ret_end = around.end;
	return around.end;
}

const struct spt_code *spt_code_find(uint64_t address)
{
	const struct spt_code *code = find_first(address);

	if (!code)
		code = find_later(address);
	if (code)
		return code;
	return find_object ? add_by_loader(address) : add_by_mappings(address);
}

/* Without the lookup above: rules are made of many addresses. */
static __attribute__((noinline)) bool information_of_loader(uint64_t address, const uint8_t **ret)
{
	struct find_result found;

	if (find_object((void *)address, &found) != 0)
		return false;
	*ret = found.eh_frame;
	return true;
}

bool spt_code_information(uint64_t address, const uint8_t **ret)
{
	const struct spt_code *code;

	if (find_object)
		return information_of_loader(address, ret);
	code = spt_code_find(address);
	*ret = code ? code->eh_frame_hdr : NULL;
	return code;
}

bool spt_code_look(void)
{
	uint32_t n = __atomic_load_n(&n_codes, __ATOMIC_RELAXED);
	bool was_there = false;

	for (uint32_t i = n_first; i < n && i < MOST_CODE; i++) {
		struct spt_code *code = &codes[i];

		if (!__atomic_load_n(&code->is_ready, __ATOMIC_ACQUIRE) || !code->end ||
		    (find_object && is_there(code, code->start)))
			continue;
		__atomic_store_n(&code->end, 0, __ATOMIC_RELAXED);
		was_there = true;
	}
	return was_there;
}
