/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks records of the device before anybody reads beyond their headers. */
#ifndef SPT_RECORD_CHECK_H
#define SPT_RECORD_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "sysprof.h"

/* Whether the record is whole; there are @bytes from its start on. */
bool spt_record_is_valid(const struct sysprof_record *record, size_t bytes);

#endif
