/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One ELF file: what identifies it, where its sections lie, and the descriptor that keeps it
 * readable.  Stands under both symbols and unwinding.  Files are hostile: everything is
 * bounds-checked by libelf or here.
 */
#ifndef SPT_OBJECT_H
#define SPT_OBJECT_H

#include <glib.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

#define SPT_BUILD_ID_MAX 64

typedef struct SptObject SptObject;

#define SPT_OBJECT_ERROR (spt_object_error_quark())
GQuark spt_object_error_quark(void);
enum { SPT_OBJECT_ERROR_NOT_ELF };

/*
 * How paths are opened from now on, in all threads: a descriptor, or -1 and errno; spt_open_regular
 * at first.
 */
typedef int (*SptObjectOpen)(const char *path);
void spt_object_set_open(SptObjectOpen function);
/* Open @path read-only and keep it open.  Error: one sentence naming the path. */
SptObject *spt_object_open(const char *path, GError **error);
/* The same for a descriptor, which becomes the object's; @name is used in messages. */
SptObject *spt_object_open_fd(int fd, const char *name, GError **error);
/* The same for bytes in memory (a vdso); the bytes are referenced. */
SptObject *spt_object_open_bytes(GBytes *bytes, const char *name, GError **error);
/*
 * Once more, mapped: what is large is not copied, but where the file becomes shorter this process
 * is killed.  NULL: it is no file.
 */
SptObject *spt_object_map(const SptObject *object);
void spt_object_free(SptObject *object);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptObject, spt_object_free)

/*
 * GNU build-id, its length in @ret_bytes; NULL and 0 if there is none.  Of a program that has none
 * and was linked by Go, the last 20 characters of Go's, as the module has it.
 */
const uint8_t *spt_object_build_id(const SptObject *object, unsigned *ret_bytes);
/*
 * The build-id among ELF notes as they are in memory, of this machine's byte order; its length, 0
 * if there is none.
 */
unsigned spt_notes_build_id(const char *notes, size_t bytes, uint8_t ret[SPT_BUILD_ID_MAX]);
/* Descriptor of the file, -1 for bytes.  Owned by the object. */
int spt_object_fd(const SptObject *object);
/*
 * For who reads more of it than what is below, in libelf's trust of files: not in a process that
 * has something to lose.  NULL: libelf refuses it.
 */
Elf *spt_object_elf(const SptObject *object);
/* The path or name it was opened with. */
const char *spt_object_name(const SptObject *object);
/*
 * File offset -> address in the ELF's own address space, by the executable PT_LOADs.  False: in
 * none.
 */
bool spt_object_offset_to_address(const SptObject *object, uint64_t offset, uint64_t *ret_address);
/* The way back. */
bool spt_object_address_to_offset(const SptObject *object, uint64_t address, uint64_t *ret_offset);
/*
 * The content of section @scn as it is in the file; NULL if it has none there, is compressed, or
 * has more than @max_bytes.
 */
Elf_Data *spt_object_section(const SptObject *object, Elf_Scn *scn, Elf_Type type,
			     uint64_t max_bytes);

G_END_DECLS

#endif
