/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One ELF file: what identifies it, where its sections are, and the descriptor that keeps it
 * readable.  Both symbols and unwinding use it.  Files may be hostile: libelf or this code checks
 * all bounds.
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
 * Sets how all threads open paths from now on: returns a descriptor, or -1 and errno.  The default
 * is spt_open_regular().
 */
typedef int (*SptObjectOpen)(const char *path);
void spt_object_set_open(SptObjectOpen function);
/* Open @path read-only and keep it open.  Error: one sentence naming the path. */
SptObject *spt_object_open(const char *path, GError **error);
/* The same for a descriptor, which the object then owns.  Messages use @name. */
SptObject *spt_object_open_fd(int fd, const char *name, GError **error);
/* The same for bytes in memory (a vdso), of which it takes a reference. */
SptObject *spt_object_open_bytes(GBytes *bytes, const char *name, GError **error);
/*
 * Opens the file again, mapped.  Large contents are not copied, but this process is killed if the
 * file becomes shorter.  NULL: the object is not a file.
 */
SptObject *spt_object_map(const SptObject *object);
void spt_object_free(SptObject *object);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptObject, spt_object_free)

/*
 * The GNU build-id, and its length in @ret_bytes; NULL and 0 if there is none.  A program that was
 * linked by Go and has none gets the last 20 characters of Go's build-id, as in the module.
 */
const uint8_t *spt_object_build_id(const SptObject *object, unsigned *ret_bytes);
/*
 * The length of the build-id in ELF notes in memory, in this machine's byte order; 0: there is
 * none.
 */
unsigned spt_notes_build_id(const char *notes, size_t bytes, uint8_t ret[SPT_BUILD_ID_MAX]);
/* Descriptor of the file, -1 for bytes.  Owned by the object. */
int spt_object_fd(const SptObject *object);
/*
 * For readers that need more than the functions below.  libelf trusts files, so this is not for a
 * process that has something to lose.  NULL: libelf refuses the file.
 */
Elf *spt_object_elf(const SptObject *object);
/* The path or name it was opened with. */
const char *spt_object_name(const SptObject *object);
/*
 * Turns a file offset into an address in the ELF's own address space, by the executable PT_LOADs.
 * False: it is in none of them.
 */
bool spt_object_offset_to_address(const SptObject *object, uint64_t offset, uint64_t *ret_address);
/* Turns an address into a file offset. */
bool spt_object_address_to_offset(const SptObject *object, uint64_t address, uint64_t *ret_offset);
/*
 * The same for data.  Zeroed data is not in the file: it is behind what is, as if the segment's
 * part of the file went on.  Also false where that is the place of code.
 */
bool spt_object_variable_to_offset(const SptObject *object, uint64_t address, uint64_t *ret_offset);
/*
 * The content of section @scn as it is in the file.  NULL if the section has no content, is
 * compressed, or has more than @max_bytes.
 */
Elf_Data *spt_object_section(const SptObject *object, Elf_Scn *scn, Elf_Type type,
			     uint64_t max_bytes);
/* Reads what there is of @bytes at @offset in the file to @to; returns how many that are. */
size_t spt_object_read(const SptObject *object, uint64_t offset, void *to, size_t bytes);

G_END_DECLS

#endif
