/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/mark-node.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "rings/marks-reader.h"
#include "sysprof-mark.h"

/* Programs have these by spt/mark.h alone. */
G_STATIC_ASSERT(SPT_MARK_NODE_BELL == SYSPROF_MARK_BELL);
G_STATIC_ASSERT(SPT_MARK_NODE_JOIN == SYSPROF_MARK_JOIN);
G_STATIC_ASSERT(sizeof(SPT_MARK_NODE) == sizeof(SPT_MARK_NODE_PATH));
G_STATIC_ASSERT(SPT_MARK_BELL_BYTES == SYSPROF_MARK_BELL_BYTES);
G_STATIC_ASSERT(offsetof(struct spt_mark_bell, ring) == offsetof(struct sysprof_mark_bell, ring));
G_STATIC_ASSERT(offsetof(struct spt_mark_bell, answers) ==
		offsetof(struct sysprof_mark_bell, answers));

struct SptMarkNode {
	int fd;
};

bool spt_mark_node_is_there(void)
{
	return access(SPT_MARK_NODE_PATH, R_OK) == 0;
}

static bool mark_node_record(int fd, uint32_t scope)
{
	struct sysprof_mark_record record = { .size = sizeof(record), .scope = scope };

	return ioctl(fd, SYSPROF_MARK_RECORD, &record) == 0;
}

SptMarkNode *spt_mark_node_new(bool may_own)
{
	int fd = open(SPT_MARK_NODE_PATH, O_RDONLY | O_CLOEXEC | O_NONBLOCK), failure;
	SptMarkNode *node;

	if (fd < 0)
		return NULL;
	if (!mark_node_record(fd, SYSPROF_MARK_ALL) &&
	    (errno != EPERM || !may_own || !mark_node_record(fd, SYSPROF_MARK_OWN))) {
		failure = errno;
		close(fd);
		errno = failure;
		return NULL;
	}
	node = g_new0(SptMarkNode, 1);
	node->fd = fd;
	return node;
}

void spt_mark_node_free(SptMarkNode *node)
{
	if (!node)
		return;
	close(node->fd);
	g_free(node);
}

bool spt_mark_node_next(SptMarkNode *node, SptMarkRequest *ret)
{
	struct sysprof_mark_request request = { .size = sizeof(request) };

	if (ioctl(node->fd, SYSPROF_MARK_NEXT, &request) < 0)
		return false;
	*ret = (SptMarkRequest){ request.uid, request.tgid, request.cookie };
	return true;
}

void spt_mark_node_answer(SptMarkNode *node, uint64_t cookie, int fd)
{
	struct sysprof_mark_answer answer = { .size = sizeof(answer), .fd = fd, .cookie = cookie };

	/* Who does not wait any more, since the user is somebody else's by now, misses nothing. */
	(void)!ioctl(node->fd, SYSPROF_MARK_ANSWER, &answer);
}

uint32_t spt_mark_node_others(SptMarkNode *node)
{
	struct sysprof_mark_counts counts = { .size = sizeof(counts) };

	return ioctl(node->fd, SYSPROF_MARK_COUNTS, &counts) == 0 ? counts.others : 0;
}
