/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In the order of the loader's list, which is the order of its search.  The list is read without
 * the loader's locks, so only while the program has one thread, before main().
 */
#include "real.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#include "plain.h"

#define HIDDEN 0x8000

struct symbols {
	const ElfW(Sym) *symbols;
	const char *names;
	const uint32_t *gnu_hash, *hash;
	const ElfW(Versym) *versions;	/* NULL: none */
};

/* The loader's list: of glibc, and of musl. */
extern struct r_debug _r_debug __attribute__((weak));
extern struct r_debug *_dl_debug_addr __attribute__((weak));
extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden")));

static const struct link_map *first_object(void)
{
	if (&_r_debug)
		return _r_debug.r_map;
	return &_dl_debug_addr && _dl_debug_addr ? _dl_debug_addr->r_map : NULL;
}

/* Some loaders have changed these to addresses, others have left the file's values. */
static const void *place(ElfW(Addr) base, ElfW(Addr) value)
{
	return (const void *)(value < base ? base + value : value);
}

static bool find_symbols(ElfW(Addr) base, const ElfW(Dyn) *dyn, struct symbols *ret)
{
	*ret = (struct symbols){ 0 };
	for (; dyn && dyn->d_tag != DT_NULL; dyn++) {
		switch (dyn->d_tag) {
		case DT_SYMTAB:
			ret->symbols = place(base, dyn->d_un.d_ptr);
			break;
		case DT_STRTAB:
			ret->names = place(base, dyn->d_un.d_ptr);
			break;
		case DT_VERSYM:
			ret->versions = place(base, dyn->d_un.d_ptr);
			break;
		case DT_GNU_HASH:
			ret->gnu_hash = place(base, dyn->d_un.d_ptr);
			break;
		case DT_HASH:
			ret->hash = place(base, dyn->d_un.d_ptr);
			break;
		}
	}
	return ret->symbols && ret->names && (ret->gnu_hash || ret->hash);
}

/* Of several versions the one that programs are linked with today: the others are hidden. */
static bool is_it(const struct symbols *symbols, uint32_t i, const char *name)
{
	const ElfW(Sym) *symbol = &symbols->symbols[i];

	return symbol->st_shndx != SHN_UNDEF && symbol->st_value &&
	       !(symbols->versions && symbols->versions[i] & HIDDEN) &&
	       spt_is_same_text(symbols->names + symbol->st_name, name);
}

static uint32_t search_gnu(const struct symbols *symbols, const char *name)
{
	const uint32_t *table = symbols->gnu_hash;
	uint32_t n_buckets = table[0], first = table[1], n_bloom = table[2], hash = 5381;
	const uint32_t *buckets = table + 4 + n_bloom * (sizeof(ElfW(Addr)) / 4);
	const uint32_t *chain = buckets + n_buckets;

	for (const char *c = name; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	if (!n_buckets)
		return 0;
	for (uint32_t i = buckets[hash % n_buckets]; i >= first; i++) {
		uint32_t there = chain[i - first];

		if ((there | 1) == (hash | 1) && is_it(symbols, i, name))
			return i;
		if (there & 1)
			break;
	}
	return 0;
}

static uint32_t search(const struct symbols *symbols, const char *name)
{
	if (symbols->gnu_hash)
		return search_gnu(symbols, name);
	for (uint32_t i = 1; i < symbols->hash[1]; i++)
		if (is_it(symbols, i, name))
			return i;
	return 0;
}

static void *value_of(ElfW(Addr) base, const ElfW(Sym) *symbol)
{
	ElfW(Addr) at = base + symbol->st_value;

	if (ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC)
		at = ((ElfW(Addr)(*)(void))at)();
	return (void *)at;
}

static void *find_in(ElfW(Addr) base, const ElfW(Dyn) *dyn, const char *name)
{
	struct symbols symbols;
	uint32_t n = find_symbols(base, dyn, &symbols) ? search(&symbols, name) : 0;

	return n ? value_of(base, &symbols.symbols[n]) : NULL;
}

static void find_all_in(const struct link_map *map, const struct spt_real_function *function)
{
	struct symbols symbols;

	if (!find_symbols(map->l_addr, map->l_ld, &symbols))
		return;
	for (; function->name; function++) {
		uint32_t n = *function->at ? 0 : search(&symbols, function->name);

		if (n)
			__atomic_store_n(function->at,
					 value_of(map->l_addr, &symbols.symbols[n]),
					 __ATOMIC_RELEASE);
	}
}

void *spt_real_find_global(const char *name)
{
	void *found = NULL;

	for (const struct link_map *map = first_object(); map && !found; map = map->l_next)
		found = map->l_ld == _DYNAMIC ? NULL : find_in(map->l_addr, map->l_ld, name);
	return found;
}

bool spt_real_is_in_program(const char *name)
{
	const struct link_map *program = first_object();

	return program && find_in(program->l_addr, program->l_ld, name);
}

const char *spt_real_library_of(const char *name, const char *also)
{
	const struct link_map *map = first_object();

	while (map && (map->l_ld == _DYNAMIC || !find_in(map->l_addr, map->l_ld, name)))
		map = map->l_next;
	return map && find_in(map->l_addr, map->l_ld, also) ? map->l_name : NULL;
}

void spt_real_find(const struct spt_real_function *functions)
{
	const struct link_map *map = first_object();

	while (map && map->l_ld != _DYNAMIC)
		map = map->l_next;
	while (map && (map = map->l_next))
		find_all_in(map, functions);
}

/* The addresses in the kernel's own object are those of its file. */
void *spt_real_find_in_vdso(uint64_t at, const char *name)
{
	const ElfW(Ehdr) *header = (const void *)at;
	const ElfW(Phdr) *phdr;
	const ElfW(Dyn) *dyn = NULL;
	ElfW(Addr) base = at;

	if (!at)
		return NULL;
	phdr = (const void *)(at + header->e_phoff);
	for (unsigned i = 0; i < header->e_phnum; i++) {
		if (phdr[i].p_type == PT_LOAD)
			base = at - phdr[i].p_vaddr + phdr[i].p_offset;
		else if (phdr[i].p_type == PT_DYNAMIC)
			dyn = (const void *)(at + phdr[i].p_offset);
	}
	return find_in(base, dyn, name);
}

bool spt_real_has_namespaces(void)
{
	/* Glibc since 2.35 has a list of them from its second version on. */
	return &_r_debug && _r_debug.r_version >= 2;
}

struct late {
	const char *name;
	void *found;
};

static int look_late(struct dl_phdr_info *info, size_t bytes, void *data)
{
	struct late *late = data;

	(void)bytes;
	for (unsigned i = 0; i < info->dlpi_phnum && !late->found; i++) {
		const ElfW(Dyn) *dyn = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);

		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC && dyn != _DYNAMIC)
			late->found = find_in(info->dlpi_addr, dyn, late->name);
	}
	return late->found != NULL;
}

void *spt_real_find_late(const char *name, spt_iterate_fn iterate)
{
	struct late late = { name, NULL };

	if (iterate)
		iterate(look_late, &late);
	return late.found;
}
