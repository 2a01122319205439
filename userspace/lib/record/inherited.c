/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/inherited.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rings/chains.h"
#include "rings/layout.h"
#include "rings/marks-reader.h"

#define MOST_INHERITED 1024
#define N_SHARED       3

/* The variable with the path of a descriptor, and that for the number of the inherited one. */
static const struct {
	const char *path, *number;
} shared_variables[N_SHARED] = {
	{ SPT_RINGS_VARIABLE, SPT_RINGS_FD_VARIABLE },
	{ SPT_MARKS_VARIABLE, SPT_MARKS_FD_VARIABLE },
	{ SPT_CHAINS_VARIABLE, SPT_CHAINS_FD_VARIABLE },
};

/* A byte, and the descriptors of its bits. */
struct go_message {
	char byte;
	struct iovec part;
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(N_SHARED * sizeof(int))];
	} control;
	struct msghdr message;
};

static void prepare_message(struct go_message *go)
{
	memset(go, 0, sizeof(*go));
	go->part = (struct iovec){ &go->byte, 1 };
	go->message.msg_iov = &go->part;
	go->message.msg_iovlen = 1;
	go->message.msg_control = go->control.bytes;
	go->message.msg_controllen = sizeof(go->control.bytes);
}

/* The number in "/proc/PID/fd/NUMBER"; -1: there is none. */
static int number_in(const char *const *environment, const char *variable)
{
	for (; environment && environment[0]; environment += 2) {
		const char *slash = strrchr(environment[1], '/');

		if (strcmp(environment[0], variable) == 0)
			return slash ? (int)g_ascii_strtoll(slash + 1, NULL, 10) : -1;
	}
	return -1;
}

bool spt_inherited_send(int socket, const char *const *environment)
{
	struct go_message go;
	int fds[N_SHARED], n = 0, n_wanted = prctl(PR_GET_DUMPABLE) == 1 ? 0 : N_SHARED;

	prepare_message(&go);
	for (int i = 0; i < n_wanted; i++) {
		int fd = number_in(environment, shared_variables[i].path);

		if (fd < 0)
			continue;
		go.byte |= (char)(1 << i);
		fds[n++] = fd;
	}
	if (n) {
		struct cmsghdr *header = CMSG_FIRSTHDR(&go.message);

		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN((size_t)n * sizeof(int));
		memcpy(CMSG_DATA(header), fds, (size_t)n * sizeof(int));
	}
	go.message.msg_controllen = n ? CMSG_SPACE((size_t)n * sizeof(int)) : 0;
	return sendmsg(socket, &go.message, MSG_NOSIGNAL) == 1;
}

static int inherited_number(int i)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur > MOST_INHERITED)
		return MOST_INHERITED - 1 - i;
	return (int)limit.rlim_cur - 1 - i;
}

bool spt_inherited_take(int socket)
{
	struct go_message go;
	struct cmsghdr *header;
	int fds[N_SHARED], n = 0;
	ssize_t got;

	prepare_message(&go);
	do {
		got = recvmsg(socket, &go.message, MSG_CMSG_CLOEXEC);
	} while (got < 0 && errno == EINTR);
	if (got < 1)
		return false;
	header = CMSG_FIRSTHDR(&go.message);
	if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
		n = (int)MIN((header->cmsg_len - CMSG_LEN(0)) / sizeof(int), N_SHARED);
		memcpy(fds, CMSG_DATA(header), (size_t)n * sizeof(int));
	}
	for (int i = 0, next = 0; i < N_SHARED; i++) {
		g_autofree char *text = NULL;
		int copy;

		if (!(go.byte & 1 << i) || next == n)
			continue;
		copy = dup2(fds[next], inherited_number(i));
		/* It may have come as that number, where few are allowed. */
		if (copy != fds[next])
			close(fds[next]);
		else
			fcntl(copy, F_SETFD, 0);
		next++;
		text = g_strdup_printf("%d", copy);
		if (copy >= 0)
			g_setenv(shared_variables[i].number, text, TRUE);
	}
	return true;
}
