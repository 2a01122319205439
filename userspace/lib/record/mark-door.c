/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel is asked who each program at the socket is.  A connection is held for at most two
 * seconds, and there are at most MOST_WAITING; others stay in the socket's queue, and find no room
 * beyond it.  Bells of other users are theirs: they are read and written, but not mapped, since who
 * makes a file shorter ends those that have it mapped.
 */
#include "record/mark-door.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/words.h"
#include "rings/marks-reader.h"
#include "trace/trace.h"

#define MOST_WAITING 64
#define QUEUE	     64
#define PATIENCE_NS  2000000000ULL	/* until the source should know a process */

struct waiting {
	int fd;
	uint32_t pid;
	uid_t uid;
	uint64_t since_ns;
};

struct SptMarkDoor {
	char *path;			/* of the bell */
	uid_t owner;
	bool is_for_all;
	int bell_fd, socket;
	uint32_t ring;			/* ours; 0: closed */
	uint32_t answers;
	struct sockaddr_un address;
	struct waiting waiting[MOST_WAITING];
	unsigned n_waiting;
};

/* As programs do that come first. */
static void mark_door_make_bell(const SptMarkDoor *door)
{
	static const struct spt_mark_bell silent;
	g_autofree char *other = g_strdup_printf("%s.%d-", door->path, (int)getpid());
	int fd = open(other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return;
	if (write(fd, &silent, sizeof(silent)) != (ssize_t)sizeof(silent) ||
	    (door->is_for_all && fchmod(fd, 0644) < 0) || link(other, door->path) < 0)
		errno = EEXIST;
	unlink(other);
	close(fd);
}

static int mark_door_open_file(const SptMarkDoor *door)
{
	return open(door->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

/* Held: another recorder cannot have it.  False and errno: it cannot be had. */
static bool mark_door_take_bell(SptMarkDoor *door)
{
	struct stat stat_of;

	door->bell_fd = mark_door_open_file(door);
	if (door->bell_fd < 0 && errno == ENOENT && door->owner == geteuid()) {
		mark_door_make_bell(door);
		door->bell_fd = mark_door_open_file(door);
	}
	if (door->bell_fd < 0)
		return false;
	/* The system is booted with one of one byte. */
	if (door->is_for_all && ftruncate(door->bell_fd, sizeof(struct spt_mark_bell)) < 0)
		return false;
	errno = EPERM;
	if (fstat(door->bell_fd, &stat_of) < 0 || !S_ISREG(stat_of.st_mode) ||
	    stat_of.st_uid != door->owner || stat_of.st_nlink != 1 ||
	    stat_of.st_size != (off_t)sizeof(struct spt_mark_bell))
		return false;
	if (flock(door->bell_fd, LOCK_EX | LOCK_NB) == 0)
		return true;
	errno = EBUSY;
	return false;
}

static uint32_t mark_door_read_bell(const SptMarkDoor *door, size_t at)
{
	uint32_t value = 0;

	return pread(door->bell_fd, &value, sizeof(value), (off_t)at) == sizeof(value) ? value : 0;
}

/* Programs that look see the whole number: it is within a word. */
static void mark_door_write_bell(const SptMarkDoor *door, size_t at, uint32_t value)
{
	/* Its user may have made it shorter: then nobody hears. */
	if (pwrite(door->bell_fd, &value, sizeof(value), (off_t)at) != sizeof(value))
		return;
}

/* Who may come connects to what we own: that takes the right to write. */
static bool mark_door_let_others(const SptMarkDoor *door)
{
	int fd = open(door->address.sun_path, O_PATH | O_CLOEXEC | O_NOFOLLOW);
	g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fd);
	struct stat stat_of;
	bool ok;

	if (fd < 0)
		return false;
	/* In a directory of another user it might be something else by now. */
	ok = fstat(fd, &stat_of) == 0 && S_ISSOCK(stat_of.st_mode) &&
	     stat_of.st_uid == geteuid() && chmod(path, 0666) == 0;
	close(fd);
	return ok;
}

static bool mark_door_listen(SptMarkDoor *door)
{
	door->address.sun_family = AF_UNIX;
	if (snprintf(door->address.sun_path, sizeof(door->address.sun_path), "%s.%u", door->path,
		     (unsigned)getpid()) >= (int)sizeof(door->address.sun_path)) {
		errno = ENAMETOOLONG;
		return false;
	}
	door->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* Of one that had our number, and has died. */
	unlink(door->address.sun_path);
	return door->socket >= 0 &&
	       bind(door->socket, (struct sockaddr *)&door->address, sizeof(door->address)) == 0 &&
	       ((!door->is_for_all && door->owner == geteuid()) || mark_door_let_others(door)) &&
	       listen(door->socket, QUEUE) == 0;
}

SptMarkDoor *spt_mark_door_new(const char *bell, uid_t owner, bool is_for_all, GError **error)
{
	g_autoptr(SptMarkDoor) door = g_new0(SptMarkDoor, 1);

	door->bell_fd = door->socket = -1;
	door->path = g_strdup(bell);
	door->owner = owner;
	door->is_for_all = is_for_all;
	if (mark_door_take_bell(door) && mark_door_listen(door))
		return g_steal_pointer(&door);
	if (errno == EBUSY)
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "another recorder takes the marks of running programs");
	else
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "running programs cannot be reached by %s: %s", bell,
			      g_strerror(errno));
	return NULL;
}

const char *spt_mark_door_bell(const SptMarkDoor *door)
{
	return door->path;
}

void spt_mark_door_open(SptMarkDoor *door)
{
	uint32_t ring =
		mark_door_read_bell(door, offsetof(struct spt_mark_bell, last_ring)) + 1;

	door->ring = ring > SPT_MARK_STARTED ? ring : SPT_MARK_STARTED + 1;
	door->answers = mark_door_read_bell(door, offsetof(struct spt_mark_bell, answers));
	mark_door_write_bell(door, offsetof(struct spt_mark_bell, last_ring), door->ring);
	mark_door_write_bell(door, offsetof(struct spt_mark_bell, pid), (uint32_t)getpid());
	/* Programs that see it look at the number, which was written before. */
	mark_door_write_bell(door, offsetof(struct spt_mark_bell, ring), door->ring);
}

/* Without a descriptor (-1) a byte says that there is none. */
static void mark_door_give(int socket, int fd)
{
	/* A program that has exited does not miss it. */
	spt_send_descriptor(socket, "", 1, fd, MSG_DONTWAIT);
	close(socket);
}

static void mark_door_let_in(SptMarkDoor *door, uint64_t now_ns)
{
	while (door->n_waiting < MOST_WAITING) {
		int fd = accept4(door->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		struct {
			int32_t pid;
			uint32_t uid, gid;
		} peer;
		socklen_t bytes = sizeof(peer);

		if (fd < 0)
			return;
		if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) < 0 ||
		    (peer.uid != door->owner && !door->is_for_all)) {
			close(fd);
			continue;
		}
		door->waiting[door->n_waiting++] =
			(struct waiting){ fd, (uint32_t)peer.pid, peer.uid, now_ns };
	}
}

void spt_mark_door_step(SptMarkDoor *door, uint64_t now_ns, SptMarkDoorAnswer answer, void *data)
{
	unsigned n_left = 0, n_asked;

	if (!door->ring)
		return;
	mark_door_let_in(door, now_ns);
	n_asked = door->n_waiting;
	for (unsigned i = 0; i < n_asked; i++) {
		struct waiting waiting = door->waiting[i];
		int fd = answer(waiting.pid, waiting.uid, data);

		if (fd == SPT_MARK_NOT_YET && now_ns - waiting.since_ns <= PATIENCE_NS)
			door->waiting[n_left++] = waiting;
		else
			mark_door_give(waiting.fd, fd >= 0 ? fd : -1);
	}
	door->n_waiting = n_left;
	/* What programs that see it look for has been sent. */
	if (n_left < n_asked)
		mark_door_write_bell(door, offsetof(struct spt_mark_bell, answers),
				     ++door->answers);
}

void spt_mark_door_close(SptMarkDoor *door)
{
	size_t at = offsetof(struct spt_mark_bell, ring);

	for (unsigned i = 0; i < door->n_waiting; i++)
		close(door->waiting[i].fd);
	/* While the bell is held, programs write nothing but 0 there. */
	if (door->ring && mark_door_read_bell(door, at) == door->ring)
		mark_door_write_bell(door, at, 0);
	door->n_waiting = door->ring = 0;
}

void spt_mark_door_free(SptMarkDoor *door)
{
	if (!door)
		return;
	spt_mark_door_close(door);
	if (door->socket >= 0) {
		close(door->socket);
		unlink(door->address.sun_path);
	}
	if (door->bell_fd >= 0)
		close(door->bell_fd);
	g_free(door->path);
	g_free(door);
}
