/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In the order of the loader's list, which is that of its search. */
#include "real.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct spt_real spt_real;

static const struct {
	const char *name;
	size_t at;
} functions[] = {
#define FUNCTION(name) { #name, offsetof(struct spt_real, name) }
	FUNCTION(calloc),   FUNCTION(realloc),	      FUNCTION(free),	  FUNCTION(aligned_alloc),
	FUNCTION(memalign), FUNCTION(posix_memalign), FUNCTION(valloc),	  FUNCTION(pvalloc),
	FUNCTION(dlclose),  FUNCTION(malloc),
};

struct symbols {
	const ElfW(Sym) *symbols;
	const char *names;
	const uint32_t *gnu_hash, *hash;
};

/* Some loaders have put the addresses there, others have left the file's. */
static const void *place(const struct dl_phdr_info *info, ElfW(Addr) value)
{
	return (const void *)(value < info->dlpi_addr ? info->dlpi_addr + value : value);
}

static bool find_symbols(const struct dl_phdr_info *info, struct symbols *ret)
{
	const ElfW(Dyn) *dyn = NULL;

	*ret = (struct symbols){ 0 };
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dyn = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; dyn && dyn->d_tag != DT_NULL; dyn++) {
		switch (dyn->d_tag) {
		case DT_SYMTAB:
			ret->symbols = place(info, dyn->d_un.d_ptr);
			break;
		case DT_STRTAB:
			ret->names = place(info, dyn->d_un.d_ptr);
			break;
		case DT_GNU_HASH:
			ret->gnu_hash = place(info, dyn->d_un.d_ptr);
			break;
		case DT_HASH:
			ret->hash = place(info, dyn->d_un.d_ptr);
			break;
		}
	}
	return ret->symbols && ret->names && (ret->gnu_hash || ret->hash);
}

static bool is_it(const struct symbols *symbols, uint32_t i, const char *name)
{
	const ElfW(Sym) *symbol = &symbols->symbols[i];

	return symbol->st_shndx != SHN_UNDEF && symbol->st_value &&
	       strcmp(symbols->names + symbol->st_name, name) == 0;
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

static void *value_of(const struct dl_phdr_info *info, const ElfW(Sym) *symbol)
{
	ElfW(Addr) at = info->dlpi_addr + symbol->st_value;

	if (ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC)
		at = ((ElfW(Addr)(*)(void))at)();
	return (void *)at;
}

static bool is_in(const struct dl_phdr_info *info, const void *at)
{
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *phdr = &info->dlpi_phdr[i];

		if (phdr->p_type == PT_LOAD &&
		    (uintptr_t)at - info->dlpi_addr - phdr->p_vaddr < phdr->p_memsz)
			return true;
	}
	return false;
}

static int look(struct dl_phdr_info *info, size_t bytes, void *data)
{
	bool *is_behind = data;
	struct symbols symbols;

	(void)bytes;
	if (is_in(info, &spt_real)) {
		*is_behind = true;
		return 0;
	}
	if (!*is_behind || !find_symbols(info, &symbols))
		return 0;
	for (unsigned i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void **at = (void **)((char *)&spt_real + functions[i].at);
		uint32_t n = *at ? 0 : search(&symbols, functions[i].name);

		/* Malloc is the last one: who sees it sees all of them. */
		if (n)
			__atomic_store_n(at, value_of(info, &symbols.symbols[n]), __ATOMIC_RELEASE);
	}
	return 0;
}

static int look_at_program(struct dl_phdr_info *info, size_t bytes, void *data)
{
	bool *is_inside = data;
	struct symbols symbols;

	(void)bytes;
	*is_inside = find_symbols(info, &symbols) && search(&symbols, "malloc");
	/* It is the first one. */
	return 1;
}

bool spt_real_is_inside(void)
{
	bool is_inside = false;

	dl_iterate_phdr(look_at_program, &is_inside);
	return is_inside;
}

void spt_real_find(void)
{
	bool is_behind = false;

	dl_iterate_phdr(look, &is_behind);
}
