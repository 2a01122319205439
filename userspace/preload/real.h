/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that the library's own ones replace.  They are found in the symbol tables of the
 * objects loaded after the library, without the loader's help, because the loader might allocate.
 */
#ifndef SPT_PRELOAD_REAL_H
#define SPT_PRELOAD_REAL_H

#include <stdbool.h>
#include <stddef.h>

struct spt_real {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void (*free)(void *);
	void *(*aligned_alloc)(size_t, size_t);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*memalign)(size_t, size_t);
	void *(*valloc)(size_t);
	void *(*pvalloc)(size_t);
	int (*dlclose)(void *);
};

extern struct spt_real spt_real;
void spt_real_find(void);
/* Whether the program itself has a malloc(), so that the library's is not called. */
bool spt_real_is_inside(void);

#endif
