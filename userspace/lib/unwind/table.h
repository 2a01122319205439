/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of how to find the caller at each instruction of an object.  It is compiled from
 * .eh_frame or .debug_frame, and looked up by binary search.  The uapi header sysprof-table.h
 * describes it.  It is one block of bytes without pointers.  So it can be kept in a file, or given
 * to others that check it, as the module and spt_unwind_table_new_from_bytes() do.
 */
#ifndef SPT_UNWIND_TABLE_H
#define SPT_UNWIND_TABLE_H

#include "object/object.h"
#include "sysprof-table.h"
#include "unwind/arch.h"

G_BEGIN_DECLS

/* The module follows these tables, too: the uapi header sysprof-table.h describes them. */
typedef struct sysprof_table_header SptUnwindHeader;
typedef struct sysprof_table_rule SptUnwindRule;

typedef struct SptUnwindTable SptUnwindTable;

#define SPT_UNWIND_ERROR (spt_unwind_error_quark())
GQuark spt_unwind_error_quark(void);
enum {
	SPT_UNWIND_ERROR_NO_INFO,	/* the object has none, or is for another machine */
	SPT_UNWIND_ERROR_BAD_TABLE,
	SPT_UNWIND_ERROR_UNREADABLE,	/* the process that reads the object for us failed */
};

/* Compiles the object's unwind information, which takes some 10 ms for each MiB.  Any thread. */
SptUnwindTable *spt_unwind_table_new(const SptObject *object, GError **error);
/*
 * The same with the .debug_frame of @debug, the object's separate debug file or NULL, for functions
 * without information in the object.
 */
SptUnwindTable *spt_unwind_table_new_with_debug(const SptObject *object, const SptObject *debug,
						GError **error);
/* Checks that @bytes are a table as described above, and takes a reference. */
SptUnwindTable *spt_unwind_table_new_from_bytes(GBytes *bytes, GError **error);
/* The bytes of @table are of a mapped file that is nobody else's. */
void spt_unwind_table_set_mapped(SptUnwindTable *table);
/* Gives the pages of a mapped table back; those that are needed come again.  Any thread. */
void spt_unwind_table_rest(const SptUnwindTable *table);
SptUnwindTable *spt_unwind_table_ref(SptUnwindTable *table);
void spt_unwind_table_unref(SptUnwindTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptUnwindTable, spt_unwind_table_unref)

/*
 * Whether most of the code keeps a frame pointer, so that a walk along frame pointers finds its
 * callers.
 */
bool spt_unwind_table_keeps_frame_pointer(const SptUnwindTable *table);
/* Owned by the table. */
GBytes *spt_unwind_table_bytes(const SptUnwindTable *table);
const SptUnwindHeader *spt_unwind_table_header(const SptUnwindTable *table);
/* The starts of functions, as rising offsets in the file. */
const uint32_t *spt_unwind_table_starts(const SptUnwindTable *table, uint32_t *ret_n);
/*
 * The rule at an offset in the file; never NULL, but it may be SYSPROF_CFA_UNKNOWN.  Valid as long
 * as the table.
 */
const SptUnwindRule *spt_unwind_table_find(const SptUnwindTable *table, uint64_t offset);
/*
 * The rule of a function that begins right behind @offset, if it is certain that no call ends
 * there: @offset has no rule, or is an instruction of one byte.  NULL: it is not.
 */
const SptUnwindRule *spt_unwind_table_behind(const SptUnwindTable *table, uint64_t offset);

G_END_DECLS

#endif
