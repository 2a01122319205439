/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks: what a program says about itself while "sysprof-cli record" runs it, or "record --marks"
 * records it while it runs.  For C and C++; there is no library to link with.
 *
 *	spt_mark_begin("db", "query");		a span, in this thread; spans nest
 *	spt_mark_end("query");
 *	uint64_t start = spt_mark_now();
 *	spt_mark_span("net", "send", "to 10.0.0.1", start);	from then until now
 *	spt_mark_open("net", "request");	a span that another thread may end
 *	spt_mark_close("request");
 *	spt_mark_instant("ui", "key", NULL);
 *	spt_mark_flow_begin("job", id);		an arrow from here ...
 *	spt_mark_flow_end("job", id);		... to here, in any thread or process
 *	spt_mark_message("config read");	a line of the log
 *	spt_mark_counter("queue", 12);		holds until it is set again
 *	SPT_MARK_SCOPE("ui", "draw");		a span up to the end of the block
 *
 * Where nobody records, each of them is one load and a branch.  Else it stores a record in a ring
 * that the recorder has shared with the program, and returns at once: it takes no lock, waits for
 * nobody, and makes no system call, but for the first one of a thread or a forked process, which
 * asks for its number.  A mark that finds no room is counted as lost.  If the recorder dies, that
 * is all that happens.  A mark in a signal handler that interrupts a mark is counted as lost, too.
 *
 * Texts are copied, at most SPT_MARK_TEXT bytes of each; NULL is "".  Children of a fork have rings
 * of their own, and so have programs that are executed.
 *
 * A program that runs before a recorder does, finds it by a bell: a page that each program maps
 * over a variable of its own, before main(), to be read; so a look at it is one load.  By that it
 * sees that a recorder has come.  At its next mark the program asks for the memory, and waits for
 * nothing: it goes on, without a system call, until the bell says that somebody has been answered.
 * Then it asks again.  Marks until then are counted as lost.
 *
 * Where the kernel module is loaded, the bell is the module's, and so is who answers: by
 * /dev/sysprof-mark recorders of all users are found, those of the own user first.  Else the bell
 * is a file in $XDG_RUNTIME_DIR (or /run/user/UID), sysprof-marks, that the first program or
 * recorder makes.  The recorder listens at the socket sysprof-marks.PID beside it.  By that way a
 * program accepts only a recorder of its own user, and the recorder only programs of its own user
 * that it records.
 *
 * Programs that have gained rights by their file (AT_SECURE) are never recorded, and those that
 * have restricted their system calls only if they were connected before.  They are asked for by
 * prctl(2), at the first mark after a recorder has come or gone: who would be ended by that defines
 * SPT_MARK_NO_BELL, which leaves all of that out.  Who defines SPT_MARK_KEEP_NODE keeps a
 * descriptor of the node.  Then ioctl(2) and mmap(2) are all that is called to connect, without
 * prctl(2), and two descriptors are kept.
 *
 * The first part is the layout of the shared memory, for both sides (lib/rings/marks-reader.h).
 */
#ifndef SPT_MARK_H
#define SPT_MARK_H

#include <stdint.h>

#define SPT_MARKS_MAGIC	  0x534b52414d545053ULL
#define SPT_MARKS_VERSION 1u
#define SPT_MARKS_PAGE	  4096u
#define SPT_MARKS_SLOTS	  1024u
#define SPT_MARKS_WORDS	  (128u << 10)	/* of a ring */
/* The environment variables: the file's path, and a descriptor of it that a program may inherit. */
#define SPT_MARKS_VARIABLE    "SPT_MARKS"
#define SPT_MARKS_FD_VARIABLE "SPT_MARKS_FD"

#define SPT_MARK_TEXT 1024u
#define SPT_MARK_HEAD 3u		/* words before the texts */
#define SPT_MARK_MOST (SPT_MARK_HEAD + 3 * (SPT_MARK_TEXT / 8))	/* words of a record */

/* In $XDG_RUNTIME_DIR; the socket has a point and the recorder's number behind that. */
#define SPT_MARK_BELL_NAME "sysprof-marks"
/* A page of memory; where pages have several sizes, the largest. */
#if defined(__x86_64__) || defined(__i386__)
#define SPT_MARK_BELL_BYTES 4096u
#else
#define SPT_MARK_BELL_BYTES 65536u
#endif
/* A number for recorders that have started the program. */
#define SPT_MARK_STARTED 1u
/* The module's, and what is called there: each gives a descriptor. */
#define SPT_MARK_NODE	   "/dev/sysprof-mark"
#define SPT_MARK_NODE_BELL 0x5090ul
#define SPT_MARK_NODE_JOIN 0x5091ul

/*
 * Written by recorders alone; if one has died, by the program that sees it first.  Of the module's,
 * which alone writes it, the first two are used.
 */
struct spt_mark_bell {
	uint32_t ring;			/* the number of the recording; 0: nobody records */
	uint32_t answers;		/* changes when programs have been answered */
	uint32_t pid;			/* of the recorder, as in the socket's name */
	uint32_t last_ring;
	char rest[SPT_MARK_BELL_BYTES - 16];
};

/* Written by the recorder. */
struct spt_marks_header {
	uint64_t magic;
	uint32_t version, n_slots;
	uint32_t ring_words;
	uint32_t is_tsc;		/* stamps are the CPU's counter; else CLOCK_MONOTONIC, ns */
	uint32_t is_over;		/* nothing more is recorded */
	uint32_t recorder;		/* a robust futex: bit 30 says that the recorder has died */
	uint64_t pid_namespace;		/* inode of the recorder's own */
	uint32_t n_types;		/* types of records that it takes; 0: those before flows */
};

/* Written by all programs. */
struct spt_marks_programs {
	uint32_t next_slot;		/* slots from this one on have never been taken */
	uint32_t next_image;		/* process images are numbered from 1 */
	uint64_t slotless;		/* marks of threads that found no free slot */
};

struct spt_marks_slot {
	/* Written by the thread; the recorder frees. */
	uint32_t owner;			/* 0: free */
	uint32_t is_ready;		/* the next four have been written */
	uint32_t pid, tid;		/* in the process's own PID namespace */
	uint32_t image;
	uint32_t is_foreign;		/* that is not the recorder's */
	uint64_t begin_ns;		/* of the claim, CLOCK_MONOTONIC */
	uint64_t lost;			/* marks that found no room */
	uint32_t head;			/* words written; runs on freely */
	uint32_t has_exited;
	uint64_t others[2];
	/* Written by the recorder, in a cache line of its own. */
	uint32_t tail;			/* words taken */
	uint32_t more[15];
};

/*
 * Records.  The first word: type in bits 0 to 4, all words of the record in bits 5 to 15, then the
 * bytes of category, name and message, 16 bits each.  The second word is the stamp, the third the
 * value.  Then follow the texts, each padded with zeros to whole words.  None crosses the end of
 * the ring: what is left there is skipped (NOTHING, of one word).
 */
enum spt_mark_type {
	SPT_MARK_NOTHING = 0,
	SPT_MARK_BEGIN = 1,		/* value 0 */
	SPT_MARK_END = 2,		/* value 0 */
	SPT_MARK_SPAN = 3,		/* value: stamp of the begin */
	SPT_MARK_INSTANT = 4,		/* value 0 */
	SPT_MARK_MESSAGE = 5,		/* value: severity as in syslog(3) */
	SPT_MARK_COUNTER = 6,		/* value: bits of a double */
	SPT_MARK_OPEN = 7,		/* as BEGIN and END, of a span that no one thread has */
	SPT_MARK_CLOSE = 8,
	SPT_MARK_FLOW_BEGIN = 9,	/* value: id of the flow */
	SPT_MARK_FLOW_END = 10,
	SPT_MARK_TYPES,
};

#define SPT_MARKS_PROGRAMS_AT SPT_MARKS_PAGE
#define SPT_MARKS_SLOTS_AT    (2 * SPT_MARKS_PAGE)
#define SPT_MARKS_WORDS_AT    (SPT_MARKS_SLOTS_AT + SPT_MARKS_SLOTS * 128ULL)

/* Memory that is for one of many users has fewer slots than SPT_MARKS_SLOTS. */
static inline uint64_t spt_marks_bytes_of(uint32_t n_slots)
{
	return SPT_MARKS_WORDS_AT + (uint64_t)n_slots * SPT_MARKS_WORDS * 8;
}

static inline uint64_t spt_marks_bytes(void)
{
	return spt_marks_bytes_of(SPT_MARKS_SLOTS);
}

static inline struct spt_marks_programs *spt_marks_programs(void *marks)
{
	return (struct spt_marks_programs *)((char *)marks + SPT_MARKS_PROGRAMS_AT);
}

static inline struct spt_marks_slot *spt_marks_slot(void *marks, uint32_t i)
{
	return (struct spt_marks_slot *)((char *)marks + SPT_MARKS_SLOTS_AT) + i;
}

static inline uint64_t *spt_marks_words(void *marks, uint32_t i)
{
	return (uint64_t *)((char *)marks + SPT_MARKS_WORDS_AT) + (uint64_t)i * SPT_MARKS_WORDS;
}

#ifndef SPT_MARK_LAYOUT_ONLY

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Bit 30 of a robust futex. */
#define SPT_MARK_RECORDER_DIED (1u << 30)
#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif
/* Of GNU's <fcntl.h> and <sys/socket.h>, which have them only for _GNU_SOURCE. */
#define SPT_MARK_GET_SEALS   1034
#define SPT_MARK_SEAL_SHRINK 2

/* One of each in a program, and in each library that marks. */
#define SPT_MARK_SHARED __attribute__((weak, visibility("hidden")))

#ifdef __cplusplus
extern "C" {
#endif

/* In memory that is wiped in the child of a fork. */
struct spt_mark_process {
	uint32_t image;			/* 0: not begun yet, or a fork */
	uint32_t pid, is_foreign;
	/* Until a recorder that has rung the bell has answered. */
	uint32_t is_asking;		/* one thread does */
	uint32_t asked_ring;		/* whose number that is; 0: none was asked */
	uint32_t is_waiting;		/* an answer may come: by a socket, if not by the node */
	int socket;
	uint64_t socket_inode;
	uint32_t seen_answers;		/* there is nothing new while they are the bell's */
	uint64_t early;			/* marks that nobody could take yet */
};

struct spt_mark_link {
	uint32_t ring;			/* of the recorder that has @marks */
	uint32_t is_foreign;		/* at the start: not in the recorder's PID namespace */
	struct spt_marks_header *marks;
	uint32_t n_slots;		/* of these, as the file's size says */
	uint32_t has_node;		/* the bell is the module's ... */
	uint32_t user;			/* ... and of this user */
	int node;			/* with SPT_MARK_KEEP_NODE */
	uint64_t pid_namespace;		/* likewise: the inode of the process's own */
	struct spt_mark_process *process;
	char bell[80];			/* its path; "": there is none */
};

struct spt_mark_thread {
	struct spt_marks_header *marks;	/* whose slot it is ... */
	struct spt_marks_slot *slot;	/* NULL: none was free */
	uint64_t *words;
	uint32_t image;			/* ... and of which process */
	uint32_t head;
	uint32_t is_busy;
};

/* Not to be called by programs. */
void spt_mark_connect(void);
bool spt_mark_answer(uint32_t ring);
void spt_mark_claim(void);
void spt_mark_lose(void);
void spt_mark_write(uint64_t type, uint64_t stamp, uint64_t value, const char *category,
		    const char *name, const char *message, uint64_t sizes);

SPT_MARK_SHARED __attribute__((aligned(SPT_MARK_BELL_BYTES))) struct spt_mark_bell spt_mark_bell;
SPT_MARK_SHARED struct spt_mark_link spt_mark_link;
SPT_MARK_SHARED __thread struct spt_mark_thread spt_mark_thread;

static inline uint64_t spt_mark_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t spt_mark_stamp(void)
{
#ifdef __x86_64__
	if (spt_mark_link.marks->is_tsc)
		return __builtin_ia32_rdtsc();
#endif
	return spt_mark_clock();
}

static inline bool spt_mark_is_foreign(const struct spt_marks_header *marks)
{
	struct stat stat_of;

	if (spt_mark_link.pid_namespace)
		return spt_mark_link.pid_namespace != marks->pid_namespace;
	return stat("/proc/self/ns/pid", &stat_of) < 0 || stat_of.st_ino != marks->pid_namespace;
}

/*
 * Also in a child, which may be in a sandbox by then: so no file is looked at.  The first process
 * of another PID namespace is number 1 there, and its children inherit what it found.
 */
static inline void spt_mark_begin_process(struct spt_marks_header *marks,
					  struct spt_mark_process *process)
{
	process->pid = (uint32_t)getpid();
	if (process->pid == 1)
		spt_mark_link.is_foreign = 1;
	process->is_foreign = spt_mark_link.is_foreign;
	__atomic_store_n(&process->image,
			 __atomic_add_fetch(&spt_marks_programs(marks)->next_image, 1,
					    __ATOMIC_RELAXED), __ATOMIC_RELEASE);
}

/* How many slots memory has that nobody can take away; 0: it is of no known size. */
static inline uint32_t spt_mark_sealed_slots(int fd)
{
	struct stat stat_of;
	int seals = fcntl(fd, SPT_MARK_GET_SEALS);
	uint32_t n_slots;

	if (seals < 0 || !(seals & SPT_MARK_SEAL_SHRINK) || fstat(fd, &stat_of) < 0 ||
	    (uint64_t)stat_of.st_size > spt_marks_bytes() ||
	    (uint64_t)stat_of.st_size < spt_marks_bytes_of(1))
		return 0;
	n_slots = (uint32_t)(((uint64_t)stat_of.st_size - SPT_MARKS_WORDS_AT) /
			     (SPT_MARKS_WORDS * 8));
	return (uint64_t)stat_of.st_size == spt_marks_bytes_of(n_slots) ? n_slots : 0;
}

/* A process that has the number of a recorder that has ended could offer memory by its path. */
static inline bool spt_mark_is_of_recorder(int fd)
{
	struct stat stat_of;

	return fstat(fd, &stat_of) == 0 &&
	       (stat_of.st_uid == geteuid() || stat_of.st_uid == 0) &&
	       spt_mark_sealed_slots(fd) == SPT_MARKS_SLOTS;
}

/* The file, if the variables name it; -1 else. */
static inline int spt_mark_open_file(void)
{
	const char *path = getenv(SPT_MARKS_VARIABLE), *number = getenv(SPT_MARKS_FD_VARIABLE);
	int fd = path ? open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK) : -1;

	if (fd < 0 && path && number)
		fd = fcntl(atoi(number), F_DUPFD_CLOEXEC, 3);
	if (fd < 0 || spt_mark_is_of_recorder(fd))
		return fd;
	close(fd);
	return -1;
}

static inline bool spt_mark_is_ours(const struct spt_marks_header *marks, uint32_t n_slots)
{
	return marks->magic == SPT_MARKS_MAGIC && marks->version == SPT_MARKS_VERSION &&
	       marks->n_slots == n_slots && marks->ring_words == SPT_MARKS_WORDS &&
	       !marks->is_over && !(marks->recorder & SPT_MARK_RECORDER_DIED);
}

/*
 * Maps the memory of @n_slots that @fd is, and closes that; NULL: it is none of a recorder that
 * records.
 */
static inline struct spt_marks_header *spt_mark_map(int fd, uint32_t n_slots)
{
	uint64_t bytes = spt_marks_bytes_of(n_slots);
	void *marks = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);

	syscall(SYS_close, fd);
	if (marks == MAP_FAILED)
		return NULL;
	if (!spt_mark_is_ours((struct spt_marks_header *)marks, n_slots)) {
		munmap(marks, bytes);
		return NULL;
	}
	/* None of it is part of a core file. */
	madvise(marks, bytes, MADV_DONTDUMP);
	return (struct spt_marks_header *)marks;
}

static inline bool spt_mark_make_process(void)
{
	void *process = mmap(NULL, SPT_MARKS_PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (process == MAP_FAILED || madvise(process, SPT_MARKS_PAGE, MADV_WIPEONFORK) < 0)
		return false;
	spt_mark_link.process = (struct spt_mark_process *)process;
	return true;
}

/* From now on @marks take what this process says. */
static inline void spt_mark_use(struct spt_marks_header *marks, uint32_t n_slots, uint32_t ring)
{
	struct spt_mark_process *process = spt_mark_link.process;

	spt_mark_link.is_foreign = spt_mark_is_foreign(marks);
	spt_mark_begin_process(marks, process);
	/* Between the two, it has to do for both memories; spt_mark_claim() reads them. */
	if (!spt_mark_link.marks || n_slots < spt_mark_link.n_slots)
		__atomic_store_n(&spt_mark_link.n_slots, n_slots, __ATOMIC_SEQ_CST);
	/* Threads that are within a mark of an earlier recorder have its memory mapped for ever. */
	__atomic_store_n(&spt_mark_link.marks, marks, __ATOMIC_SEQ_CST);
	/* Pairs with the acquire in spt_mark_claim(). */
	__atomic_store_n(&spt_mark_link.n_slots, n_slots, __ATOMIC_RELEASE);
	__atomic_store_n(&spt_mark_link.ring, ring, __ATOMIC_SEQ_CST);
}

/* The early ones are that recorder's losses. */
static inline void spt_mark_tell_early(void)
{
	uint64_t early = __atomic_exchange_n(&spt_mark_link.process->early, 0, __ATOMIC_SEQ_CST);

	__atomic_fetch_add(&spt_marks_programs(spt_mark_link.marks)->slotless, early,
			   __ATOMIC_RELAXED);
}

#ifndef SPT_MARK_NO_BELL
#include <spt/mark-bell.h>
#else
SPT_MARK_SHARED bool spt_mark_answer(uint32_t ring)
{
	return ring == spt_mark_link.ring;
}

static inline void spt_mark_hang_bell(void)
{
}

static inline void spt_mark_still_bell(void)
{
	spt_mark_bell.ring = 0;
}
#endif

/* Once for a program or library, before main(). */
SPT_MARK_SHARED void spt_mark_connect(void)
{
	struct spt_marks_header *marks;
	int fd;

	if (spt_mark_link.process || getauxval(AT_SECURE) || !spt_mark_make_process())
		return;
	fd = spt_mark_open_file();
	marks = fd < 0 ? NULL : spt_mark_map(fd, SPT_MARKS_SLOTS);
	if (marks) {
		spt_mark_use(marks, SPT_MARKS_SLOTS, SPT_MARK_STARTED);
		spt_mark_bell.ring = SPT_MARK_STARTED;
	} else {
		spt_mark_hang_bell();
	}
}

/* Takes a free slot for this thread, if there is one. */
SPT_MARK_SHARED void spt_mark_claim(void)
{
	struct spt_marks_header *marks = __atomic_load_n(&spt_mark_link.marks, __ATOMIC_ACQUIRE);
	struct spt_marks_programs *programs = spt_marks_programs(marks);
	struct spt_mark_process *process = spt_mark_link.process;
	struct spt_mark_thread *thread = &spt_mark_thread;
	uint32_t n_slots = __atomic_load_n(&spt_mark_link.n_slots, __ATOMIC_ACQUIRE);

	/* That is of another memory, by now: the next mark has it right. */
	if (marks != __atomic_load_n(&spt_mark_link.marks, __ATOMIC_RELAXED))
		n_slots = 0;
	if (!__atomic_load_n(&process->image, __ATOMIC_ACQUIRE))
		spt_mark_begin_process(marks, process);
	thread->marks = marks;
	thread->image = process->image;
	thread->slot = NULL;
	for (uint32_t i = 0; i < n_slots; i++) {
		struct spt_marks_slot *slot = spt_marks_slot(marks, i);
		uint32_t seen = __atomic_load_n(&programs->next_slot, __ATOMIC_RELAXED);
		uint32_t is_free = 0;

		if (__atomic_load_n(&slot->owner, __ATOMIC_RELAXED) ||
		    !__atomic_compare_exchange_n(&slot->owner, &is_free, 1, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		while (seen <= i && !__atomic_compare_exchange_n(&programs->next_slot, &seen, i + 1,
								 true, __ATOMIC_RELAXED,
								 __ATOMIC_RELAXED))
			;
		thread->slot = slot;
		thread->words = spt_marks_words(marks, i);
		thread->head = __atomic_load_n(&slot->head, __ATOMIC_RELAXED);
		slot->pid = process->pid;
		slot->tid = (uint32_t)syscall(SYS_gettid);
		slot->image = process->image;
		slot->is_foreign = process->is_foreign;
		slot->begin_ns = spt_mark_clock();
		slot->has_exited = 0;
		/* Pairs with the recorder's acquire. */
		__atomic_store_n(&slot->is_ready, 1, __ATOMIC_RELEASE);
		return;
	}
}

/* The 1 to 7 bytes at @text as a word, the rest of which is 0: no byte behind them is read. */
static inline uint64_t spt_mark_few(const char *text, uint64_t bytes)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint32_t first = 0, last = 0;
	uint16_t pair;

	if (bytes >= 4) {
		memcpy(&first, text, 4);
		memcpy(&last, text + bytes - 4, 4);
		return first | (uint64_t)last << (bytes - 4) * 8;
	}
	if (bytes == 1)
		return (unsigned char)text[0];
	memcpy(&pair, text, 2);
	return pair | (uint64_t)(unsigned char)text[bytes - 1] << (bytes - 1) * 8;
#else
	uint64_t word = 0;

	memcpy(&word, text, bytes);
	return word;
#endif
}

/* Short texts are the rule: a call of memcpy() for each would be a third of a mark's cost. */
static inline void spt_mark_copy(uint64_t **words, const char *text, uint64_t bytes)
{
	uint64_t *to = *words;

	for (; bytes >= 8; bytes -= 8, text += 8)
		memcpy(to++, text, 8);
	if (bytes)
		*to++ = spt_mark_few(text, bytes);
	*words = to;
}

/* Where a record of @words begins; NULL: there is no room. */
static inline uint64_t *spt_mark_room(struct spt_mark_thread *thread, uint32_t words)
{
	uint32_t at = thread->head & (SPT_MARKS_WORDS - 1), rest = SPT_MARKS_WORDS - at;
	/* Pairs with the release of the tail by the recorder. */
	uint32_t tail = __atomic_load_n(&thread->slot->tail, __ATOMIC_ACQUIRE);
	uint32_t gap = words > rest ? rest : 0;

	if (thread->head - tail + words + gap > SPT_MARKS_WORDS)
		return NULL;
	for (uint32_t i = 0; i < gap; i++)
		thread->words[at + i] = SPT_MARK_NOTHING | 1u << 5;
	thread->head += gap;
	return thread->words + (thread->head & (SPT_MARKS_WORDS - 1));
}

SPT_MARK_SHARED void spt_mark_lose(void)
{
	struct spt_marks_header *marks = spt_mark_link.marks;

	if (marks->is_over || marks->recorder & SPT_MARK_RECORDER_DIED)
		spt_mark_still_bell();
	if (spt_mark_thread.slot)
		__atomic_fetch_add(&spt_mark_thread.slot->lost, 1, __ATOMIC_RELAXED);
	else
		__atomic_fetch_add(&spt_marks_programs(marks)->slotless, 1, __ATOMIC_RELAXED);
}

/* Stores a record.  @sizes: of the texts, in bytes, as in its first word. */
SPT_MARK_SHARED void spt_mark_write(uint64_t type, uint64_t stamp, uint64_t value,
				    const char *category, const char *name, const char *message,
				    uint64_t sizes)
{
	struct spt_mark_thread *thread = &spt_mark_thread;
	uint64_t category_bytes = sizes & 0xffff, name_bytes = sizes >> 16 & 0xffff,
		 message_bytes = sizes >> 32;
	uint32_t n = (uint32_t)(SPT_MARK_HEAD + (category_bytes + 7) / 8 + (name_bytes + 7) / 8 +
				(message_bytes + 7) / 8);
	uint64_t *words;

	if (thread->is_busy) {
		spt_mark_lose();
		return;
	}
	thread->is_busy = 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (thread->image != __atomic_load_n(&spt_mark_link.process->image, __ATOMIC_RELAXED) ||
	    !thread->image ||
	    thread->marks != __atomic_load_n(&spt_mark_link.marks, __ATOMIC_RELAXED))
		spt_mark_claim();
	words = thread->slot && !thread->marks->is_over ? spt_mark_room(thread, n) : NULL;
	if (words) {
		words[0] = type | (uint64_t)n << 5 | sizes << 16;
		words[1] = stamp;
		words[2] = value;
		words += SPT_MARK_HEAD;
		spt_mark_copy(&words, category, category_bytes);
		spt_mark_copy(&words, name, name_bytes);
		spt_mark_copy(&words, message, message_bytes);
		thread->head += n;
		/* Pairs with the recorder's acquire of the head. */
		__atomic_store_n(&thread->slot->head, thread->head, __ATOMIC_RELEASE);
	} else {
		spt_mark_lose();
	}
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread->is_busy = 0;
}

__attribute__((constructor)) static void spt_mark_at_start(void)
{
	spt_mark_connect();
}

/* The ring of the thread that ends the program is free at once. */
__attribute__((destructor)) static void spt_mark_at_end(void)
{
	struct spt_mark_thread *thread = &spt_mark_thread;

	if (spt_mark_link.ring && thread->slot && thread->marks == spt_mark_link.marks &&
	    thread->image == spt_mark_link.process->image)
		__atomic_store_n(&thread->slot->has_exited, 1, __ATOMIC_RELEASE);
}

static inline uint64_t spt_mark_bytes(const char *text)
{
	uint64_t bytes = text ? __builtin_strlen(text) : 0;

	return bytes > SPT_MARK_TEXT ? SPT_MARK_TEXT : bytes;
}

/* Whether somebody records: what it takes to make a message need be done only then. */
static inline bool spt_mark_is_recorded(void)
{
	uint32_t ring = __atomic_load_n(&spt_mark_bell.ring, __ATOMIC_RELAXED);

	return __builtin_expect(ring != 0, false) &&
	       (ring == __atomic_load_n(&spt_mark_link.ring, __ATOMIC_ACQUIRE) ||
		spt_mark_answer(ring));
}

static inline void spt_mark_put(enum spt_mark_type type, uint64_t value, const char *category,
				const char *name, const char *message)
{
	spt_mark_write(type, spt_mark_stamp(), value, category, name, message,
		       spt_mark_bytes(category) | spt_mark_bytes(name) << 16 |
			       spt_mark_bytes(message) << 32);
}

/* The begin of a later spt_mark_span(); 0: nobody records. */
static inline uint64_t spt_mark_now(void)
{
	return spt_mark_is_recorded() ? spt_mark_stamp() : 0;
}

/* A span from @begin until now; nothing if @begin is 0. */
static inline void spt_mark_span(const char *category, const char *name, const char *message,
				 uint64_t begin)
{
	if (begin && spt_mark_is_recorded())
		spt_mark_put(SPT_MARK_SPAN, begin, category, name, message);
}

/* Begins a span, which spt_mark_end() with the same name ends in the same thread. */
static inline void spt_mark_begin(const char *category, const char *name)
{
	if (spt_mark_is_recorded())
		spt_mark_put(SPT_MARK_BEGIN, 0, category, name, NULL);
}

static inline void spt_mark_end(const char *name)
{
	if (spt_mark_is_recorded())
		spt_mark_put(SPT_MARK_END, 0, NULL, name, NULL);
}

/* The same for a span that any thread or process of the recording may end. */
static inline void spt_mark_open(const char *category, const char *name)
{
	if (spt_mark_is_recorded())
		spt_mark_put(SPT_MARK_OPEN, 0, category, name, NULL);
}

static inline void spt_mark_close(const char *name)
{
	if (spt_mark_is_recorded())
		spt_mark_put(SPT_MARK_CLOSE, 0, NULL, name, NULL);
}

static inline void spt_mark_instant(const char *category, const char *name, const char *message)
{
	if (spt_mark_is_recorded())
		spt_mark_put(SPT_MARK_INSTANT, 0, category, name, message);
}

/*
 * Work goes from here to where a flow of the same name and id ends.  An id is used again only after
 * its flow has ended.
 */
static inline void spt_mark_flow_begin(const char *name, uint64_t id)
{
	if (spt_mark_is_recorded() && spt_mark_link.marks->n_types > SPT_MARK_FLOW_END)
		spt_mark_put(SPT_MARK_FLOW_BEGIN, id, NULL, name, NULL);
}

static inline void spt_mark_flow_end(const char *name, uint64_t id)
{
	if (spt_mark_is_recorded() && spt_mark_link.marks->n_types > SPT_MARK_FLOW_END)
		spt_mark_put(SPT_MARK_FLOW_END, id, NULL, name, NULL);
}

/* A line of the log, of severity "info" (6). */
static inline void spt_mark_message(const char *text)
{
	if (spt_mark_is_recorded())
		spt_mark_put(SPT_MARK_MESSAGE, 6, NULL, NULL, text);
}

static inline void spt_mark_counter(const char *name, double value)
{
	uint64_t bits;

	if (!spt_mark_is_recorded())
		return;
	memcpy(&bits, &value, sizeof(bits));
	spt_mark_put(SPT_MARK_COUNTER, bits, NULL, name, NULL);
}

/* A span that ends with the block it stands in. */
struct spt_mark_scope {
	const char *category, *name;
	uint64_t begin;
};

static inline void spt_mark_scope_end(struct spt_mark_scope *scope)
{
	spt_mark_span(scope->category, scope->name, NULL, scope->begin);
}

#define SPT_MARK_JOIN_(a, b) a##b
#define SPT_MARK_JOIN(a, b)  SPT_MARK_JOIN_(a, b)
#define SPT_MARK_SCOPE(category, name)                                                             \
	__attribute__((cleanup(spt_mark_scope_end), unused)) struct spt_mark_scope SPT_MARK_JOIN(  \
		spt_mark_scope_, __LINE__) = { category, name, spt_mark_now() }

#ifdef __cplusplus
}
#endif

#endif /* SPT_MARK_LAYOUT_ONLY */

#endif
