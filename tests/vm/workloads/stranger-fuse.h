/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file system of an ordinary user's own, by FUSE without a library, that answers everything but
 * READ.  Its files have names that are numbers.  A process that needs a page of one waits for ever.
 */
#ifndef STRANGER_FUSE_H
#define STRANGER_FUSE_H

#include "workload.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/fuse.h>
#include <sys/mount.h>
#include <sys/stat.h>

#define MUTE_FILE_BYTES	   (1U << 20)
#define MUTE_REQUEST_BYTES (1U << 18)

#define MUTE_USER	65534

/*
 * Mounts it at @at, as root, as fusermount does for any user who asks; gives the server's end.
 * Behind it this process is that user's.
 */
static inline int mute_mount(const char *at)
{
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	char text[128];

	if (fd < 0)
		err(1, "cannot open /dev/fuse");
	mkdir(at, 0755);
	snprintf(text, sizeof(text), "fd=%d,rootmode=40000,user_id=%u,group_id=%u", fd, MUTE_USER,
		 MUTE_USER);
	if (mount("mute", at, "fuse", MS_NOSUID | MS_NODEV, text))
		err(1, "cannot mount FUSE at %s", at);
	if (setgroups(0, NULL) || setgid(MUTE_USER) || setuid(MUTE_USER))
		err(1, "cannot become an ordinary user");
	return fd;
}

static inline struct fuse_attr mute_attr(uint64_t node)
{
	struct fuse_attr attr = {
		.ino = node,
		.size = MUTE_FILE_BYTES,
		.blocks = MUTE_FILE_BYTES / 512,
		.mode = node == FUSE_ROOT_ID ? S_IFDIR | 0755 : S_IFREG | 0755,
		.nlink = 1,
		.blksize = 4096,
	};

	return attr;
}

/* Serves until the file system is unmounted; FUSE_READ never gets an answer. */
static inline void mute_serve(int fd)
{
	static uint8_t request[MUTE_REQUEST_BYTES];
	const struct fuse_in_header *in = (const void *)request;
	struct {
		struct fuse_out_header head;
		union {
			struct fuse_init_out init;
			struct fuse_entry_out entry;
			struct fuse_attr_out attr;
			struct fuse_open_out open;
		};
	} out;
	const struct fuse_open_in *open_in = (const void *)(in + 1);
	size_t bytes;

	for (;;) {
		if (read(fd, request, sizeof(request)) < 0) {
			if (errno == EINTR || errno == EAGAIN || errno == ENOENT)
				continue;
			return;
		}
		memset(&out, 0, sizeof(out));
		out.head.unique = in->unique;
		bytes = 0;
		switch (in->opcode) {
		case FUSE_INIT:
			out.init.major = FUSE_KERNEL_VERSION;
			out.init.minor = 31;
			out.init.max_readahead = 4096;
			out.init.max_write = 4096;
			out.init.flags = FUSE_ASYNC_READ | FUSE_ASYNC_DIO;
			bytes = sizeof(out.init);
			break;
		case FUSE_LOOKUP:
			out.entry.nodeid = strtoul((const char *)(in + 1), NULL, 10) + 2;
			out.entry.attr = mute_attr(out.entry.nodeid);
			out.entry.entry_valid = out.entry.attr_valid = 3600;
			bytes = sizeof(out.entry);
			break;
		case FUSE_GETATTR:
			out.attr.attr = mute_attr(in->nodeid);
			out.attr.attr_valid = 3600;
			bytes = sizeof(out.attr);
			break;
		case FUSE_OPEN:
			/*
			 * A second way to the same pages: who maps by it waits for those in flight.
			 */
			out.open.open_flags =
				open_in->flags & O_NONBLOCK ? FOPEN_DIRECT_IO : FOPEN_KEEP_CACHE;
			bytes = sizeof(out.open);
			break;
		case FUSE_FLUSH:
		case FUSE_RELEASE:
		case FUSE_ACCESS:
			break;
		case FUSE_READ:
		case FUSE_FORGET:
		case FUSE_BATCH_FORGET:
		case FUSE_INTERRUPT:
			continue;
		default:
			out.head.error = -ENOSYS;
		}
		out.head.len = sizeof(out.head) + bytes;
		if (write(fd, &out, out.head.len) < 0 && errno != ENOENT)
			warn("cannot answer FUSE request %u", in->opcode);
	}
}

#endif
