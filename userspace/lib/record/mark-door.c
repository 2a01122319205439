/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Only programs of the same user can connect, since the socket is in a directory of that user; the
 * kernel is asked who each is all the same.  A connection is held for at most two seconds, and
 * there are at most MOST_WAITING; others stay in the socket's queue, and find no room beyond it.
 */
#include "record/mark-door.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
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
	uint64_t since_ns;
};

struct SptMarkDoor {
	int bell_fd, socket, marks_fd;
	struct spt_mark_bell *bell;
	uint32_t ring;			/* ours; 0: closed */
	struct sockaddr_un address;
	struct waiting waiting[MOST_WAITING];
	unsigned n_waiting;
};

/* As programs do that come first. */
static void mark_door_make_bell(const char *path)
{
	static const struct spt_mark_bell silent;
	g_autofree char *other = g_strdup_printf("%s.%d-", path, (int)getpid());
	int fd = open(other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return;
	if (write(fd, &silent, sizeof(silent)) != (ssize_t)sizeof(silent) || link(other, path) < 0)
		errno = EEXIST;
	unlink(other);
	close(fd);
}

/* What others could write into is not this user's, whatever the variable says. */
static bool mark_door_is_own_directory(const char *bell)
{
	g_autofree char *path = g_path_get_dirname(bell);
	struct stat stat_of;

	if (stat(path, &stat_of) < 0)
		return false;
	errno = EPERM;
	return S_ISDIR(stat_of.st_mode) && stat_of.st_uid == geteuid() &&
	       !(stat_of.st_mode & 022);
}

/* Writable, and held: another recorder cannot.  -1 and errno: it cannot be had. */
static int open_bell(const char *path)
{
	struct stat stat_of;
	int fd, flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;

	if (!mark_door_is_own_directory(path))
		return -1;
	fd = open(path, flags);
	if (fd < 0 && errno == ENOENT) {
		mark_door_make_bell(path);
		fd = open(path, flags);
	}
	if (fd < 0)
		return -1;
	if (fstat(fd, &stat_of) < 0 || !S_ISREG(stat_of.st_mode) || stat_of.st_uid != geteuid() ||
	    stat_of.st_size != (off_t)sizeof(struct spt_mark_bell)) {
		close(fd);
		errno = EPERM;
		return -1;
	}
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	close(fd);
	errno = EBUSY;
	return -1;
}

static bool take_bell(SptMarkDoor *door, const char *path)
{
	void *at;

	door->bell_fd = open_bell(path);
	if (door->bell_fd < 0)
		return false;
	at = mmap(NULL, sizeof(*door->bell), PROT_READ | PROT_WRITE, MAP_SHARED, door->bell_fd, 0);
	door->bell = at == MAP_FAILED ? NULL : at;
	return door->bell;
}

static bool listen_at(SptMarkDoor *door, const char *bell)
{
	door->address.sun_family = AF_UNIX;
	if (snprintf(door->address.sun_path, sizeof(door->address.sun_path), "%s.%u", bell,
		     (unsigned)getpid()) >= (int)sizeof(door->address.sun_path)) {
		errno = ENAMETOOLONG;
		return false;
	}
	door->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* Of one that had our number, and has died. */
	unlink(door->address.sun_path);
	return door->socket >= 0 &&
	       bind(door->socket, (struct sockaddr *)&door->address, sizeof(door->address)) == 0 &&
	       listen(door->socket, QUEUE) == 0;
}

void spt_mark_door_set_taken(GError **error)
{
	spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
		      "another recorder takes the marks of running programs");
}

SptMarkDoor *spt_mark_door_new(int marks_fd, GError **error)
{
	g_autoptr(SptMarkDoor) door = g_new0(SptMarkDoor, 1);
	const char *directory = g_getenv("XDG_RUNTIME_DIR");
	g_autofree char *own = g_strdup_printf("/run/user/%u", (unsigned)geteuid()), *bell = NULL;

	door->bell_fd = door->socket = -1;
	door->marks_fd = marks_fd;
	bell = g_build_filename(directory && g_path_is_absolute(directory) ? directory : own,
				SPT_MARK_BELL_NAME, NULL);
	if (take_bell(door, bell) && listen_at(door, bell))
		return g_steal_pointer(&door);
	if (errno == EBUSY)
		spt_mark_door_set_taken(error);
	else
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "running programs cannot be reached by %s: %s", bell,
			      g_strerror(errno));
	return NULL;
}

void spt_mark_door_open(SptMarkDoor *door)
{
	struct spt_mark_bell *bell = door->bell;
	uint32_t ring = __atomic_load_n(&bell->last_ring, __ATOMIC_RELAXED) + 1;

	door->ring = ring > SPT_MARK_STARTED ? ring : SPT_MARK_STARTED + 1;
	bell->last_ring = door->ring;
	bell->pid = (uint32_t)getpid();
	/* Pairs with the programs' load, after which they look at the number. */
	__atomic_store_n(&bell->ring, door->ring, __ATOMIC_SEQ_CST);
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
	/* Who is not let in counts, too: such calls have no end. */
	for (unsigned i = 0; i < MOST_WAITING && door->n_waiting < MOST_WAITING; i++) {
		int fd = accept4(door->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		struct {
			int32_t pid;
			uint32_t uid, gid;
		} peer;
		socklen_t bytes = sizeof(peer);

		if (fd < 0)
			return;
		if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) < 0 ||
		    peer.uid != geteuid()) {
			close(fd);
			continue;
		}
		door->waiting[door->n_waiting++] =
			(struct waiting){ fd, (uint32_t)peer.pid, now_ns };
	}
}

void spt_mark_door_step(SptMarkDoor *door, uint64_t now_ns, SptMarkDoorIsAdmitted is_admitted,
			void *data)
{
	unsigned n_left = 0, n_asked;

	if (!door->ring)
		return;
	mark_door_let_in(door, now_ns);
	n_asked = door->n_waiting;
	for (unsigned i = 0; i < n_asked; i++) {
		struct waiting waiting = door->waiting[i];

		if (is_admitted(waiting.pid, data))
			mark_door_give(waiting.fd, door->marks_fd);
		else if (now_ns - waiting.since_ns > PATIENCE_NS)
			mark_door_give(waiting.fd, -1);
		else
			door->waiting[n_left++] = waiting;
	}
	door->n_waiting = n_left;
	/* Pairs with the programs' load: what they look for has been sent. */
	if (n_left < n_asked)
		__atomic_add_fetch(&door->bell->answers, 1, __ATOMIC_RELEASE);
}

void spt_mark_door_close(SptMarkDoor *door)
{
	uint32_t ring = door->ring;

	for (unsigned i = 0; i < door->n_waiting; i++)
		close(door->waiting[i].fd);
	door->n_waiting = door->ring = 0;
	if (ring)
		__atomic_compare_exchange_n(&door->bell->ring, &ring, 0, false, __ATOMIC_SEQ_CST,
					    __ATOMIC_RELAXED);
}

void spt_mark_door_free(SptMarkDoor *door)
{
	if (!door)
		return;
	if (door->bell) {
		spt_mark_door_close(door);
		munmap(door->bell, sizeof(*door->bell));
	}
	if (door->socket >= 0) {
		close(door->socket);
		unlink(door->address.sun_path);
	}
	if (door->bell_fd >= 0)
		close(door->bell_fd);
	g_free(door);
}
