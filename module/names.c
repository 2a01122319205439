// SPDX-License-Identifier: GPL-2.0-only
/*
 * Turns kernel frames into names.  sprint_symbol() is the exported interface to kallsyms.  It does
 * not check its caller, so only names, distances and sizes may leave this file.
 */
#include <linux/kallsyms.h>
#include <linux/string.h>

#include "kernel-frame.h"
#include "names.h"
#include "sysprof.h"

/*
 * Takes "symbol+0xoffset/0xsize [module]" apart; an address without a symbol is "0xaddress" and
 * stays unnamed.
 */
static void names_parse(char *text, struct sysprof_name *name)
{
	char *module = strstr(text, " ["), *offset, *end;
	unsigned long distance, bytes;

	if (module) {
		*module = '\0';
		module += 2;
		end = strchr(module, ']');
		if (end)
			*end = '\0';
	}
	offset = strrchr(text, '+');
	if (!offset || sscanf(offset, "+0x%lx/0x%lx", &distance, &bytes) != 2)
		return;
	*offset = '\0';
	name->offset = min_t(unsigned long, distance, U32_MAX);
	name->symbol_bytes = min_t(unsigned long, bytes, U32_MAX);
	strscpy(name->symbol, text, sizeof(name->symbol));
	if (module)
		strscpy(name->module, module, sizeof(name->module));
}

void sysprof_names_look_up(struct sysprof_name *name, bool privileged)
{
	unsigned long ip = sysprof_kernel_frame_decode(name->frame, privileged);
	char text[KSYM_SYMBOL_LEN];

	name->offset = 0;
	name->symbol_bytes = 0;
	memset(name->module, 0, sizeof(name->module));
	memset(name->symbol, 0, sizeof(name->symbol));
	if (!ip)
		return;
	sprint_symbol(text, ip);
	names_parse(text, name);
}
