/* SPDX-License-Identifier: GPL-2.0-only */
/* The node by which programs that mark and their recorders find each other. */
#ifndef _SYSPROF_MARKS_H
#define _SYSPROF_MARKS_H

/*
 * Make and remove /dev/sysprof-mark.  Open files pin the module, so unregister() finds no recorder;
 * programs have bells mapped all the same, and see that nobody records.
 */
int sysprof_marks_register(void);
void sysprof_marks_unregister(void);

#endif /* _SYSPROF_MARKS_H */
