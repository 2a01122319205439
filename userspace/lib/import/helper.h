/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the two sides of an import: how the helper is started, and how it ends. */
#ifndef SPT_IMPORT_HELPER_H
#define SPT_IMPORT_HELPER_H

#include <sys/uio.h>

#include "import/import.h"

#define SPT_IMPORT_OPTION "--import"

/* Exit statuses. */
enum {
	SPT_IMPORT_DONE = 0,
	SPT_IMPORT_REFUSED = 10,	/* a clause on standard error says why */
	SPT_IMPORT_UNKNOWN = 11,	/* no importer knows the file */
};

/* As recvmsg(); @ret_fd: a descriptor that came with it, or -1. */
ssize_t spt_import_receive(int socket, struct iovec *part, int *ret_fd);

#endif
