/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Descriptors on their way to other processes. */
#ifndef SPT_DESCRIPTOR_H
#define SPT_DESCRIPTOR_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Sends @bytes of @data, and with them @fd, unless that is -1, on a local socket.  @flags: as
 * sendmsg() has them; MSG_NOSIGNAL is always set.  Returns what sendmsg() does.
 */
ssize_t spt_send_descriptor(int socket, const void *data, size_t bytes, int fd, int flags);
/*
 * Receives at most @bytes into @data, and into *@ret_fd the descriptor that came with them, which
 * exec() closes; -1: none came.  Returns what recvmsg() does.
 */
ssize_t spt_receive_descriptor(int socket, void *data, size_t bytes, int *ret_fd);

#endif
