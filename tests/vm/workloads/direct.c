// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * FILE N BYTES [read|write|sync]: reads (or writes) the first N pieces of BYTES bytes of a file,
 * one after the other and past the page cache (O_DIRECT), and leaves it open for a second.  sync:
 * writes them into the page cache, each followed by an fsync().
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "workload.h"

FUNCTION static ssize_t one_read(int fd, void *to, size_t bytes, off_t at)
{
	ssize_t done = pread(fd, to, bytes, at);

	__asm__ volatile("" ::: "memory");
	return done;
}

FUNCTION static ssize_t one_write(int fd, const void *from, size_t bytes, off_t at)
{
	ssize_t done = pwrite(fd, from, bytes, at);

	__asm__ volatile("" ::: "memory");
	return done;
}

int main(int argc, char **argv)
{
	uint64_t n, bytes, done = 0;
	bool is_sync = argc > 4 && !strcmp(argv[4], "sync"),
	     is_write = is_sync || (argc > 4 && !strcmp(argv[4], "write"));
	void *buffer;
	int fd;

	if (argc < 4) {
		fprintf(stderr, "usage: direct FILE N BYTES [read|write|sync]\n");
		return 2;
	}
	n = strtoull(argv[2], NULL, 10);
	bytes = strtoull(argv[3], NULL, 10);
	fd = open(argv[1], (is_write ? O_RDWR : O_RDONLY) | (is_sync ? 0 : O_DIRECT));
	if (fd < 0 || posix_memalign(&buffer, 4096, bytes)) {
		perror(argv[1]);
		return 1;
	}
	memset(buffer, 1, bytes);
	for (uint64_t i = 0; i < n; i++) {
		off_t at = (off_t)(i * bytes);
		ssize_t got = is_write ? one_write(fd, buffer, bytes, at) :
					 one_read(fd, buffer, bytes, at);

		if (got < 0 || (is_sync && fsync(fd))) {
			perror(argv[1]);
			return 1;
		}
		done += (uint64_t)got;
	}
	truth("bytes", done);
	truth("requests", n);
	sleep(1);
	return 0;
}
