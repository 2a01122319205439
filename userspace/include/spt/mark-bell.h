/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a program that runs already finds a recorder, by the module's bell or that in
 * $XDG_RUNTIME_DIR: a part of spt/mark.h, which says what happens when.
 */
#ifndef SPT_MARK_BELL_H
#define SPT_MARK_BELL_H

/* Recorders of others, and files that others could have made, are not for us. */
static inline bool spt_mark_is_own_file(int fd)
{
	struct stat stat_of;

	return fstat(fd, &stat_of) == 0 && S_ISREG(stat_of.st_mode) &&
	       stat_of.st_uid == geteuid() && !(stat_of.st_mode & 022) &&
	       stat_of.st_size == (off_t)SPT_MARK_BELL_BYTES;
}

/* What others could write into is not this user's, whatever the variable says. */
static inline bool spt_mark_is_own_directory(const char *path)
{
	struct stat stat_of;

	return stat(path, &stat_of) == 0 && S_ISDIR(stat_of.st_mode) &&
	       stat_of.st_uid == geteuid() && !(stat_of.st_mode & 022);
}

/* The first one makes the file.  It has its bytes before it has its name, so no page is missing. */
static inline void spt_mark_make_bell(const char *path)
{
	char other[sizeof(spt_mark_link.bell) + 16];
	int fd;

	snprintf(other, sizeof(other), "%s.%d-", path, (int)getpid());
	fd = open(other, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	if (write(fd, &spt_mark_bell, SPT_MARK_BELL_BYTES) == (ssize_t)SPT_MARK_BELL_BYTES &&
	    link(other, path) < 0)
		errno = 0;
	unlink(other);
	close(fd);
}

/* The node; -1: there is none, or asking for it might end the program. */
static inline int spt_mark_open_node(void)
{
	return (int)syscall(SYS_openat, AT_FDCWD, SPT_MARK_NODE, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

/* Maps the module's bell over the variable; false: it has none for us. */
static inline bool spt_mark_hang_node(void)
{
	int failure = errno, node = spt_mark_open_node();
	int bell = node < 0 ? -1 : ioctl(node, SPT_MARK_NODE_BELL, 0);
	bool has_node = bell >= 0 && mmap(&spt_mark_bell, SPT_MARK_BELL_BYTES, PROT_READ,
					  MAP_SHARED | MAP_FIXED, bell, 0) != MAP_FAILED;

	if (bell >= 0)
		syscall(SYS_close, bell);
	spt_mark_link.has_node = has_node;
	if (has_node)
		spt_mark_link.user = geteuid();
#ifdef SPT_MARK_KEEP_NODE
	struct stat stat_of;

	spt_mark_link.node = has_node ? node : -1;
	if (stat("/proc/self/ns/pid", &stat_of) == 0)
		spt_mark_link.pid_namespace = stat_of.st_ino;
	if (!has_node && node >= 0)
		syscall(SYS_close, node);
#else
	if (node >= 0)
		syscall(SYS_close, node);
#endif
	errno = failure;
	return has_node;
}

/* Maps the bell over the variable, if there is one. */
static inline void spt_mark_hang_file(void)
{
	const char *directory = getenv("XDG_RUNTIME_DIR");
	char *path = spt_mark_link.bell;
	int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, fd = -1, failure = errno;
	int bytes = directory && *directory == '/' ?
			    snprintf(path, sizeof(spt_mark_link.bell), "%s", directory) :
			    snprintf(path, sizeof(spt_mark_link.bell), "/run/user/%u",
				     (unsigned)geteuid());

	if (bytes + sizeof("/" SPT_MARK_BELL_NAME) <= sizeof(spt_mark_link.bell) &&
	    spt_mark_is_own_directory(path)) {
		memcpy(path + bytes, "/" SPT_MARK_BELL_NAME, sizeof("/" SPT_MARK_BELL_NAME));
		fd = open(path, flags);
		if (fd < 0 && errno == ENOENT) {
			spt_mark_make_bell(path);
			fd = open(path, flags);
		}
	}
	if (fd < 0 || !spt_mark_is_own_file(fd) ||
	    mmap(&spt_mark_bell, SPT_MARK_BELL_BYTES, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) ==
		    MAP_FAILED)
		path[0] = '\0';
	if (fd >= 0)
		close(fd);
	errno = failure;
}

static inline void spt_mark_hang_bell(void)
{
	if (!spt_mark_hang_node())
		spt_mark_hang_file();
}

/*
 * Whether the next system calls might end the program: it has restricted them.  A mark is no
 * cancellation point, so the functions below make their calls by syscall().
 */
static inline bool spt_mark_is_confined(void)
{
	return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0;
}

/*
 * A recorder has died, or has ended: nobody else is to ask for it.  Where the bell cannot be
 * stilled, each mark finds that nobody answers, until the next recorder rings.
 */
static inline void spt_mark_still_bell(void)
{
	uint32_t ring = spt_mark_link.ring;
	int fd, failure = errno;
	void *bell = MAP_FAILED;

	if (!spt_mark_link.has_node && !spt_mark_link.bell[0]) {
		spt_mark_bell.ring = 0;
		return;
	}
	if (spt_mark_bell.ring != ring)
		return;
	fd = spt_mark_link.has_node || spt_mark_is_confined() ?
		     -1 :
		     (int)syscall(SYS_openat, AT_FDCWD, spt_mark_link.bell,
				  O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0) {
		__atomic_store_n(&spt_mark_link.ring, 0, __ATOMIC_SEQ_CST);
		errno = failure;
		return;
	}
	if (spt_mark_is_own_file(fd))
		bell = mmap(NULL, SPT_MARK_BELL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	syscall(SYS_close, fd);
	if (bell != MAP_FAILED) {
		__atomic_compare_exchange_n(&((struct spt_mark_bell *)bell)->ring, &ring, 0, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
		munmap(bell, SPT_MARK_BELL_BYTES);
	}
	/* It is another file by now: this program is out of reach. */
	if (spt_mark_bell.ring == spt_mark_link.ring)
		(void)!mmap(&spt_mark_bell, SPT_MARK_BELL_BYTES, PROT_READ,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	errno = failure;
}

/* Connects to the recorder @pid; -1: it is not there, or not ours. */
static inline int spt_mark_call(uint32_t pid)
{
	struct sockaddr_un address;
	struct { int pid; uid_t uid; gid_t gid; } peer;
	socklen_t bytes = sizeof(peer);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	memset(&address, 0, sizeof(address));
	address.sun_family = AF_UNIX;
	snprintf(address.sun_path, sizeof(address.sun_path), "%s.%u", spt_mark_link.bell, pid);
	if (syscall(SYS_connect, fd, &address, sizeof(address)) == 0 &&
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 && peer.uid == geteuid())
		return fd;
	syscall(SYS_close, fd);
	return -1;
}

/* The descriptor that the recorder has sent; -1: it has none for us, -2: not yet. */
static inline int spt_mark_receive(int socket)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} with;
	char byte;
	struct iovec part = { &byte, 1 };
	struct msghdr message;
	ssize_t got;
	int fd;

	memset(&message, 0, sizeof(message));
	message.msg_iov = &part;
	message.msg_iovlen = 1;
	message.msg_control = &with;
	message.msg_controllen = sizeof(with.room);
	got = syscall(SYS_recvmsg, socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (got < 0 && errno == EAGAIN)
		return -2;
	if (got != 1 || message.msg_controllen < CMSG_LEN(sizeof(int)) ||
	    with.header.cmsg_type != SCM_RIGHTS)
		return -1;
	memcpy(&fd, CMSG_DATA(&with.header), sizeof(fd));
	return fd;
}

/* Whether the descriptor is still that socket: programs close what they do not know. */
static inline bool spt_mark_has_socket(const struct spt_mark_process *process)
{
	struct stat stat_of;

	return fstat(process->socket, &stat_of) == 0 && S_ISSOCK(stat_of.st_mode) &&
	       stat_of.st_ino == process->socket_inode;
}

/* Nothing is asked of this recorder any more. */
static inline void spt_mark_hang_up(struct spt_mark_process *process)
{
	if (process->is_waiting && spt_mark_has_socket(process))
		syscall(SYS_close, process->socket);
	process->is_waiting = 0;
}

static inline void spt_mark_ask(struct spt_mark_process *process, uint32_t ring)
{
	bool is_confined = spt_mark_is_confined();
	struct stat stat_of;

	if (process->asked_ring && !is_confined)
		spt_mark_hang_up(process);
	process->is_waiting = 0;
	process->early = 0;
	process->seen_answers = __atomic_load_n(&spt_mark_bell.answers, __ATOMIC_ACQUIRE);
	process->socket = is_confined ? -1 : spt_mark_call(spt_mark_bell.pid);
	if (process->socket >= 0 && fstat(process->socket, &stat_of) == 0) {
		process->socket_inode = stat_of.st_ino;
		process->is_waiting = 1;
	}
	__atomic_store_n(&process->asked_ring, ring, __ATOMIC_RELEASE);
}

/* Closes @fd. */
static inline struct spt_marks_header *spt_mark_map_sealed(int fd, uint32_t *n_slots)
{
	*n_slots = spt_mark_sealed_slots(fd);
	if (*n_slots)
		return spt_mark_map(fd, *n_slots);
	syscall(SYS_close, fd);
	return NULL;
}

static inline void spt_mark_look_for_answer(struct spt_mark_process *process, uint32_t ring)
{
	uint32_t answers = __atomic_load_n(&spt_mark_bell.answers, __ATOMIC_ACQUIRE);
	struct spt_marks_header *marks;
	uint32_t n_slots = 0;
	int fd = -1;

	if (!process->is_waiting || process->seen_answers == answers)
		return;
	process->seen_answers = answers;
	/* It asked before it restricted itself. */
	if (spt_mark_is_confined()) {
		process->is_waiting = 0;
		return;
	}
	if (spt_mark_has_socket(process))
		fd = spt_mark_receive(process->socket);
	if (fd == -2)
		return;
	marks = fd < 0 ? NULL : spt_mark_map_sealed(fd, &n_slots);
	if (marks) {
		spt_mark_use(marks, n_slots, ring);
		spt_mark_tell_early();
	}
	spt_mark_hang_up(process);
}

#ifdef SPT_MARK_KEEP_NODE
/*
 * The module has looked at the seals, and only who may record here can have given it.  What is not
 * there is never touched, so that all of it can be mapped before its size is known.
 */
static inline struct spt_marks_header *spt_mark_map_kept(int fd, uint32_t *n_slots)
{
	struct spt_marks_header *marks = (struct spt_marks_header *)mmap(
		NULL, spt_marks_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);

	if (marks == MAP_FAILED)
		return NULL;
	*n_slots = marks->n_slots;
	return *n_slots && *n_slots <= SPT_MARKS_SLOTS && spt_mark_is_ours(marks, *n_slots) ?
		       marks :
		       NULL;
}
#endif

/*
 * Asks the module, or asks again.  Who has become another user since then has another bell, which
 * the next mark looks at.
 */
static inline void spt_mark_ask_node(struct spt_mark_process *process, uint32_t ring)
{
	struct spt_marks_header *marks = NULL;
	uint32_t n_slots = 0;
	int fd = -1;
#ifdef SPT_MARK_KEEP_NODE
	int node = spt_mark_link.node;
#else
	int node = spt_mark_is_confined() ? -1 : spt_mark_open_node();

	if (node >= 0 && geteuid() != spt_mark_link.user) {
		syscall(SYS_close, node);
		spt_mark_hang_node();
		return;
	}
#endif
	if (process->asked_ring != ring)
		process->early = 0;
	/* Pairs with the module's release: what is asked for after that is the answer. */
	process->seen_answers = __atomic_load_n(&spt_mark_bell.answers, __ATOMIC_ACQUIRE);
	if (node >= 0)
		fd = ioctl(node, SPT_MARK_NODE_JOIN, (unsigned long)ring);
	process->is_waiting = node >= 0 && fd < 0 && errno == EAGAIN;
#ifdef SPT_MARK_KEEP_NODE
	if (fd >= 0)
		marks = spt_mark_map_kept(fd, &n_slots);
#else
	if (node >= 0)
		syscall(SYS_close, node);
	if (fd >= 0)
		marks = spt_mark_map_sealed(fd, &n_slots);
#endif
	if (marks) {
		spt_mark_use(marks, n_slots, ring);
		spt_mark_tell_early();
	}
	__atomic_store_n(&process->asked_ring, ring, __ATOMIC_RELEASE);
}

/* The bell has rung.  Whether its recorder takes what this process says. */
SPT_MARK_SHARED bool spt_mark_answer(uint32_t ring)
{
	struct spt_mark_process *process = spt_mark_link.process;
	struct spt_mark_thread *thread = &spt_mark_thread;
	uint32_t nobody = 0;
	int failure = errno;

	/* That recorder does not want to know. */
	if (!process || (__atomic_load_n(&process->asked_ring, __ATOMIC_ACQUIRE) == ring &&
			 !process->is_waiting))
		return process && __atomic_load_n(&spt_mark_link.ring, __ATOMIC_ACQUIRE) == ring;
	if (!thread->is_busy &&
	    __atomic_compare_exchange_n(&process->is_asking, &nobody, 1, false, __ATOMIC_ACQUIRE,
					__ATOMIC_RELAXED)) {
		thread->is_busy = 1;
		if (spt_mark_link.has_node) {
			if (process->asked_ring != ring ||
			    process->seen_answers !=
				    __atomic_load_n(&spt_mark_bell.answers, __ATOMIC_RELAXED))
				spt_mark_ask_node(process, ring);
		} else if (process->asked_ring != ring) {
			spt_mark_ask(process, ring);
		} else {
			spt_mark_look_for_answer(process, ring);
		}
		thread->is_busy = 0;
		__atomic_store_n(&process->is_asking, 0, __ATOMIC_RELEASE);
	}
	errno = failure;
	if (__atomic_load_n(&spt_mark_link.ring, __ATOMIC_ACQUIRE) == ring)
		return true;
	__atomic_fetch_add(&process->early, 1, __ATOMIC_SEQ_CST);
	/* It may have been answered just before. */
	if (__atomic_load_n(&spt_mark_link.ring, __ATOMIC_SEQ_CST) == ring)
		spt_mark_tell_early();
	return false;
}

#endif
