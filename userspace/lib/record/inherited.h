/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Descriptors that a command inherits from the recorder.  One more is a change that a program can
 * see: it gets one only where it needs it, with a number that no program expects to get next.
 */
#ifndef SPT_INHERITED_H
#define SPT_INHERITED_H

#include <stdbool.h>

/*
 * Lets the process at the other end of @socket become the command.  @environment is that of
 * spt_recorder_environment().  If this program has capabilities, nobody else may open its
 * descriptors by their paths: then they are sent along.  False: there is nobody.
 */
bool spt_inherited_send(int socket, const char *const *environment);

/*
 * Waits for that in the process that becomes the command, which keeps what it gets, and sets the
 * variables that say where.  False: the sender gave up.
 */
bool spt_inherited_take(int socket);

#endif
