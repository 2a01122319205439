/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/descriptor.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

ssize_t spt_send_descriptor(int socket, const void *data, size_t bytes, int fd, int flags)
{
	char room[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8))) = { 0 };
	struct iovec part = { (void *)data, bytes };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	struct cmsghdr *control;

	if (fd >= 0) {
		message.msg_control = room;
		message.msg_controllen = sizeof(room);
		control = CMSG_FIRSTHDR(&message);
		control->cmsg_level = SOL_SOCKET;
		control->cmsg_type = SCM_RIGHTS;
		control->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(control), &fd, sizeof(int));
	}
	return sendmsg(socket, &message, flags | MSG_NOSIGNAL);
}

ssize_t spt_receive_descriptor(int socket, void *data, size_t bytes, int *ret_fd)
{
	char room[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8))) = { 0 };
	struct iovec part = { data, bytes };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = room,
				  .msg_controllen = sizeof(room) };
	const struct cmsghdr *control;
	ssize_t n;

	*ret_fd = -1;
	do {
		n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	control = n < 0 ? NULL : CMSG_FIRSTHDR(&message);
	if (control && control->cmsg_level == SOL_SOCKET && control->cmsg_type == SCM_RIGHTS &&
	    control->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(ret_fd, CMSG_DATA(control), sizeof(*ret_fd));
	return n;
}
