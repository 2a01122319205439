/* SPDX-License-Identifier: GPL-2.0-only */
/* The device's file, and what each of its calls does. */
#ifndef _SYSPROF_DEVICE_H
#define _SYSPROF_DEVICE_H

/*
 * Make and remove /dev/sysprof-trace.  Open files pin the module, so unregister() finds no session.
 */
int sysprof_device_register(void);
void sysprof_device_unregister(void);

#endif /* _SYSPROF_DEVICE_H */
