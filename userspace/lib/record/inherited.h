/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Descriptors that a command inherits from the recorder.  One more is a change that a program can
 * see: it gets one only where it needs it, with a number that no program expects to get next.
 */
#ifndef SPT_INHERITED_H
#define SPT_INHERITED_H

/*
 * In the process that becomes the command, with the variables of spt_recorder_environment() set: if
 * this program has capabilities, others may not open its descriptors by their paths, and so the
 * command inherits them.
 */
void spt_inherit_shared_memory(void);

#endif
