/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of the device are looked at before anybody reads beyond their headers. */
#ifndef SPT_SOUND_H
#define SPT_SOUND_H

#include <stdbool.h>
#include <stddef.h>

#include "sysprof.h"

/* Whether the record with room for @bytes behind its start is whole. */
bool spt_record_is_sound(const struct sysprof_record *record, size_t bytes);

#endif
