/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's own symbols, from /proc/kallsyms.  They turn kernel addresses into frames that
 * reveal no address, and such frames into names.
 */
#ifndef SPT_KALLSYMS_H
#define SPT_KALLSYMS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "sysprof.h"

G_BEGIN_DECLS

typedef struct SptKallsyms SptKallsyms;

/* @path: /proc/kallsyms, or a file like it, which is not read yet. */
SptKallsyms *spt_kallsyms_new(const char *path);
/* The same of a descriptor, which it takes; -1: there is none. */
SptKallsyms *spt_kallsyms_new_file(int file);
/* The same of @text, which it takes: what the file has on another machine, or before. */
SptKallsyms *spt_kallsyms_new_text(char *text);
/* Without symbols: only that the kernel's own code is in [@start, @end). */
SptKallsyms *spt_kallsyms_new_range(uint64_t start, uint64_t end);
/* All addresses become larger by @distance, modulo 2^64: the same image at another place. */
void spt_kallsyms_move(SptKallsyms *kallsyms, uint64_t distance);
/* The address of the image's first symbol of this name, once loaded; 0: there is none. */
uint64_t spt_kallsyms_address(const SptKallsyms *kallsyms, const char *name);
void spt_kallsyms_free(SptKallsyms *kallsyms);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptKallsyms, spt_kallsyms_free)

/* Reads the file, which takes some 100 ms, unless that was done: before the first frame or name. */
void spt_kallsyms_load(SptKallsyms *kallsyms);
/*
 * False: addresses are hidden from this user, or there is no such file.  Then the only frame is
 * SPT_KALLSYMS_HIDDEN, without a name.
 */
bool spt_kallsyms_is_readable(const SptKallsyms *kallsyms);
#define SPT_KALLSYMS_HIDDEN ((uint64_t)SYSPROF_OBJECT_KERNEL << SYSPROF_FRAME_OBJECT_SHIFT)

/* {SYSPROF_OBJECT_KERNEL or SYSPROF_OBJECT_MODULES, distance from _stext}. */
uint64_t spt_kallsyms_frame(const SptKallsyms *kallsyms, uint64_t address);
/*
 * The same of @n addresses, in @frames behind the @at that are there; returns how many are there
 * then.  Hidden ones are one.
 */
unsigned spt_kallsyms_frames(const SptKallsyms *kallsyms, const uint64_t *addresses, unsigned n,
			     __u64 *frames, unsigned at);
/* The frame of a variable of the kernel or of a module; 0: the address is of none that is known. */
uint64_t spt_kallsyms_data_frame(SptKallsyms *kallsyms, uint64_t address);
/* The address that became this frame. */
uint64_t spt_kallsyms_frame_address(const SptKallsyms *kallsyms, uint64_t frame);
/* Fills in @name from its frame; without a symbol "". */
void spt_kallsyms_name(SptKallsyms *kallsyms, struct sysprof_name *name);
/* Code was loaded or unloaded: the file is read again before the next name. */
void spt_kallsyms_set_stale(SptKallsyms *kallsyms);

G_END_DECLS

#endif
