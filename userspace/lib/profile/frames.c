/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/frames.h"

bool spt_frame_is(const char *name)
{
	static const char *const names[] = {
		"frameclock cycle",		/* GTK 4, in small letters or not */
		"Clutter::FrameClock::dispatch()",	/* Mutter */
		"Frame Clock (dispatch)",	/* Mutter up to 43 */
		"frame",			/* ITT, and programs that mark their own */
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
		if (g_ascii_strcasecmp(name, names[i]) == 0)
			return true;
	return false;
}
