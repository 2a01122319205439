/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The application: its windows, keys, style and command line. */
#ifndef SPT_APPLICATION_H
#define SPT_APPLICATION_H

#include <adwaita.h>

#define SPT_TYPE_APPLICATION (spt_application_get_type())
G_DECLARE_FINAL_TYPE(SptApplication, spt_application, SPT, APPLICATION, AdwApplication)

SptApplication *spt_application_new(void);

#endif
