/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "doctor.h"

#include <stdarg.h>
#include <stdio.h>

void spt_doctor_tell(enum spt_finding finding, const char *fix, const char *format, ...)
{
	static const char *const words[] = {
		[SPT_FINDING_OK] = "ok",
		[SPT_FINDING_NOTE] = "note",
		[SPT_FINDING_MISSING] = "MISSING",
	};
	va_list args;

	printf("%-8s ", words[finding]);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	if (fix)
		printf("%-8s -> %s\n", "", fix);
}
