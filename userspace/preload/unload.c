/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What both libraries do when a program unloads code. */
#include "real.h"
#include "rules.h"

int (*spt_real_dlclose)(void *handle);

int dlclose(void *handle);

/* Other code may be at the same addresses next. */
__attribute__((visibility("default"))) int dlclose(void *handle)
{
	int ret;

	if (!spt_real_dlclose)
		spt_real_find();
	ret = spt_real_dlclose(handle);
	spt_rules_forget();
	return ret;
}
