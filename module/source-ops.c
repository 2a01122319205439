// SPDX-License-Identifier: GPL-2.0-only
/* The place of the table and of the gates, as source-ops.h has them. */
#include <linux/cache.h>

#include "source-ops.h"

const struct sysprof_source_ops *sysprof_source_ops __read_mostly;
struct sysprof_source_gates sysprof_source_gates __read_mostly;
