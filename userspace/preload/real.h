/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that the library's own ones replace.  They are found in the symbol tables of the
 * objects loaded after the library, without the loader's help, because the loader might allocate.
 */
#ifndef SPT_PRELOAD_REAL_H
#define SPT_PRELOAD_REAL_H

#include <stdbool.h>

struct spt_real_function {
	const char *name;
	void **at;			/* where its address is put; left alone if there is none */
};

/* Each of the libraries has its own; the last one has no name. */
extern const struct spt_real_function spt_real_functions[];
extern int (*spt_real_dlclose)(void *handle);
/* Finds those that are not known yet, in this order. */
void spt_real_find(void);
/* Whether the program itself has @name, so that the library's is not called. */
bool spt_real_is_in_program(const char *name);

#endif
