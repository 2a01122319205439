/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Paths of files that the kernel reports by inode number.  They are looked for among the files that
 * the process has open or mapped.  /proc shows those only to users who may trace it.
 */
#ifndef SPT_RECORD_INODE_NAMES_H
#define SPT_RECORD_INODE_NAMES_H

#include <glib.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct SptInodeNames SptInodeNames;

SptInodeNames *spt_inode_names_new(void);
void spt_inode_names_free(SptInodeNames *names);
/* The path; NULL: it is not known. */
const char *spt_inode_names_find(SptInodeNames *names, uint32_t pid, uint32_t dev_major,
				uint32_t dev_minor, uint64_t inode);

G_END_DECLS

#endif
