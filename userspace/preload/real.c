/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In the order of the loader's list, which is the order of its search. */
#include "real.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define HIDDEN 0x8000

struct symbols {
	const ElfW(Sym) *symbols;
	const char *names;
	const uint32_t *gnu_hash, *hash;
	const ElfW(Versym) *versions;	/* NULL: none */
};

/* Some loaders have changed these to addresses, others have left the file's values. */
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
		case DT_VERSYM:
			ret->versions = place(info, dyn->d_un.d_ptr);
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

/* Of several versions the one that programs are linked with today: the others are hidden. */
static bool is_it(const struct symbols *symbols, uint32_t i, const char *name)
{
	const ElfW(Sym) *symbol = &symbols->symbols[i];

	return symbol->st_shndx != SHN_UNDEF && symbol->st_value &&
	       !(symbols->versions && symbols->versions[i] & HIDDEN) &&
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
	if (is_in(info, spt_real_functions)) {
		*is_behind = true;
		return 0;
	}
	if (!*is_behind || !find_symbols(info, &symbols))
		return 0;
	for (const struct spt_real_function *function = spt_real_functions; function->name;
	     function++) {
		uint32_t n = *function->at ? 0 : search(&symbols, function->name);

		if (n)
			__atomic_store_n(function->at, value_of(info, &symbols.symbols[n]),
					 __ATOMIC_RELEASE);
	}
	return 0;
}

struct question {
	const char *name;
	bool is_inside;
};

static int look_at_program(struct dl_phdr_info *info, size_t bytes, void *data)
{
	struct question *question = data;
	struct symbols symbols;

	(void)bytes;
	question->is_inside = find_symbols(info, &symbols) && search(&symbols, question->name);
	/* This is the first one. */
	return 1;
}

bool spt_real_is_in_program(const char *name)
{
	struct question question = { name, false };

	dl_iterate_phdr(look_at_program, &question);
	return question.is_inside;
}

void spt_real_find(void)
{
	bool is_behind = false;

	dl_iterate_phdr(look, &is_behind);
}
