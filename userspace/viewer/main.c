/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysprof [FILE...]: the viewer. */
#include "application.h"

int main(int argc, char **argv)
{
	g_autoptr(SptApplication) application = spt_application_new();

	return g_application_run(G_APPLICATION(application), argc, argv);
}
