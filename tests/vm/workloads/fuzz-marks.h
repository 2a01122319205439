/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of /dev/sysprof-mark, for fuzz-device: by many users, as programs and as recorders. */
#ifndef FUZZ_MARKS_H
#define FUZZ_MARKS_H

#include "fuzz-hand.h"

#include <sys/syscall.h>

#include "sysprof-mark.h"

#define MARKS_NODES 8
#define MARKS_BELLS 64	/* of users who stay for a while */
#define MARKS_USERS 400	/* more than have room */

static int marks_nodes[MARKS_NODES], marks_bells[MARKS_BELLS];
static int marks_memory = -1;

static void marks_start(void)
{
	for (unsigned i = 0; i < MARKS_NODES; i++)
		marks_nodes[i] = -1;
	for (unsigned i = 0; i < MARKS_BELLS; i++)
		marks_bells[i] = -1;
	marks_memory = memfd_create("marks", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (ftruncate(marks_memory, PAGE) < 0 ||
	    fcntl(marks_memory, 1033 /* F_ADD_SEALS */, 2 /* shrink */) < 0)
		exit(1);
}

static void marks_end(void)
{
	for (unsigned i = 0; i < MARKS_NODES; i++)
		if (marks_nodes[i] >= 0)
			close(marks_nodes[i]);
	for (unsigned i = 0; i < MARKS_BELLS; i++)
		if (marks_bells[i] >= 0)
			close(marks_bells[i]);
}

/* Puts @fd into one of @n places; what was there is closed. */
static bool marks_keep(struct hand *hand, int *places, unsigned n, int fd)
{
	int old;

	if (fd < 0)
		return false;
	old = __atomic_exchange_n(&places[below(hand, n)], fd, __ATOMIC_RELAXED);
	if (old >= 0)
		close(old);
	return true;
}

/* The number that a bell has, of this user or another one. */
static uint32_t marks_ring(struct hand *hand, int node)
{
	int bell = ioctl(node, SYSPROF_MARK_BELL, 0);
	struct sysprof_mark_bell words = { 0 };

	if (bell < 0 || one_in(hand, 16))
		words.ring = number(hand);
	else if (pread(bell, &words, sizeof(words), 0) < 0)
		words.ring = 0;
	if (bell >= 0)
		close(bell);
	return words.ring;
}

static bool marks_answer(struct hand *hand, int node)
{
	struct sysprof_mark_request request = { .size = sizeof(request) };
	struct sysprof_mark_answer arg = { .size = sizeof(arg) };
	bool is_asked = ioctl(node, SYSPROF_MARK_NEXT, &request) == 0;

	arg.cookie = is_asked ? request.cookie : number(hand);
	arg.fd = one_in(hand, 4) ? (int)number(hand) : one_in(hand, 4) ? -1 : marks_memory;
	spoil(hand, &arg, sizeof(arg));
	return ioctl(node, SYSPROF_MARK_ANSWER,
		     one_in(hand, 16) ? place(hand, sizeof(arg)) : &arg) == 0;
}

static bool marks_record(struct hand *hand, int node)
{
	struct sysprof_mark_record arg = { .scope = one_in(hand, 16) ? number(hand) :
								      below(hand, 2) };

	spoil(hand, &arg, sizeof(arg));
	return ioctl(node, SYSPROF_MARK_RECORD,
		     one_in(hand, 16) ? place(hand, sizeof(arg)) : &arg) == 0;
}

static bool marks_call_as_is(struct hand *hand)
{
	int node = __atomic_load_n(&marks_nodes[below(hand, MARKS_NODES)], __ATOMIC_RELAXED), fd;

	switch (below(hand, 10)) {
	case 0:
		return marks_keep(hand, marks_nodes, MARKS_NODES,
				  open("/dev/sysprof-mark", O_RDWR | O_CLOEXEC));
	case 1:
	case 2:
		return marks_keep(hand, marks_bells, MARKS_BELLS,
				  ioctl(node, SYSPROF_MARK_BELL, 0));
	case 3:
	case 4:
		fd = ioctl(node, SYSPROF_MARK_JOIN, (unsigned long)marks_ring(hand, node));
		if (fd >= 0)
			close(fd);
		return fd >= 0;
	case 5:
		return marks_record(hand, node);
	case 6:
	case 7:
		return marks_answer(hand, node);
	case 8:
		return ioctl(node, SYSPROF_MARK_COUNTS, place(hand, 16)) == 0;
	default:
		fd = ioctl(node, _IO('P', 0x90 + below(hand, 8)), place(hand, 64));
		if (fd > 2)
			close(fd);
		return fd >= 0;
	}
}

/* As one of many users, if only this thread: a library would change all of them. */
static bool call_marks(struct hand *hand)
{
	bool good;

	if (one_in(hand, 2))
		syscall(SYS_setresuid, -1, 10000 + below(hand, MARKS_USERS), -1);
	good = marks_call_as_is(hand);
	syscall(SYS_setresuid, -1, 0, -1);
	return good;
}

#endif
