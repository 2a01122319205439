/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that stand behind the library's own: those that a program would have without it.
 * Found in the symbol tables of what is loaded behind the library, without the loader's help: it
 * might allocate.
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
/* Whether the program itself has a malloc(), so that nobody calls the library's. */
bool spt_real_is_inside(void);

#endif
