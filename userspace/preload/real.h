/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that the library's own ones replace.  They are found in the symbol tables of the
 * objects loaded after the library, without the loader's help: the loader might allocate, its locks
 * may be held, and its functions may be those of a sanitizer that is not ready yet.
 *
 * All of these but the last one are for the time before main() alone.
 */
#ifndef SPT_PRELOAD_REAL_H
#define SPT_PRELOAD_REAL_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct spt_real_function {
	const char *name;
	void **at;			/* where its address is put; left alone if there is none */
};

/* Each of the libraries has its own; the last one has no name. */
extern const struct spt_real_function spt_real_functions[];
/* Finds those of @functions that are not known yet, in this order; the last one has no name. */
void spt_real_find(const struct spt_real_function *functions);
/* What a program gets that calls @name, but for this library's.  NULL: there is none. */
void *spt_real_find_global(const char *name);
/* Whether the program itself has @name, so that the library's is not called. */
bool spt_real_is_in_program(const char *name);
/* The name of the library from which programs get @name, if it has @also, too; else NULL. */
const char *spt_real_library_of(const char *name, const char *also);
/* A function of the kernel's object at @at, which may be 0; NULL: there is none. */
void *spt_real_find_in_vdso(uint64_t at, const char *name);

/* Whether there are libraries in other namespaces of the loader's (dlmopen).  At any time. */
bool spt_real_has_namespaces(void);

typedef int (*spt_iterate_fn)(int (*)(struct dl_phdr_info *, size_t, void *), void *);
/*
 * A function of a library that was loaded later, as libpthread of glibc before 2.34 may be.
 * @iterate: the loader's dl_iterate_phdr(), which takes a lock.
 */
void *spt_real_find_late(const char *name, spt_iterate_fn iterate);

#endif
