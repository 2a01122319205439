/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "connect.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "code.h"
#include "plain.h"
#include "sandbox.h"
#include "script.h"
#include "system.h"
#include "thread.h"

#define ERRORS_FROM (-4095L)
#define LEAST_SLOTS 16u
#define LIMIT_PART  8u
#define SECOND_NS   1000000000ULL
#define HIGH_FD	    900

static const uint32_t none = 0, over = 1;
struct spt_recorder_link spt_link = { .is_over = &none };
bool spt_has_counter;
struct spt_functions spt_functions;
/* 0: not tried yet, 1: by one thread, SPT_CONNECTED. */
uint32_t spt_connect_state;
static int (*clock_by_vdso)(clockid_t clock, struct timespec *ret);
static int (*find_object)(void);
/* In memory that is wiped in a child, and what that knows of its parent. */
static struct spt_process *process;
static uint32_t parent_pid;
static bool parent_is_inside;
/* Bits, by slot: whether its ring is mapped. */
static uint64_t mapped[SPT_RINGS_SLOTS / 64];
static uint32_t n_mapped;

#define SHARED(name, member) { name, (void **)&spt_functions.member }

static const struct spt_real_function shared_functions[] = {
	SHARED("dlclose", dlclose),
	SHARED("iconv_close", iconv_close),
	SHARED("prctl", prctl),
	SHARED("mlockall", mlockall),
	SHARED("syscall", syscall),
	SHARED("dl_iterate_phdr", iterate),
	SHARED("pthread_key_create", key_create),
	SHARED("pthread_setspecific", set_specific),
	SHARED("__errno_location", errno_location),
	SHARED("__curbrk", program_break),
	{ "_dl_find_object", (void **)&find_object },
	{ NULL, NULL },
};

static bool has_failed(long ret)
{
	return ret < 0 && ret >= ERRORS_FROM;
}

void spt_set_errno(int error)
{
	if (spt_functions.errno_location)
		*spt_functions.errno_location() = error;
}

uint64_t spt_now_ns(void)
{
	struct timespec now = { 0 };

	if (clock_by_vdso)
		clock_by_vdso(CLOCK_MONOTONIC, &now);
	else
		spt_call(SYS_clock_gettime, CLOCK_MONOTONIC, &now, 0, 0);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

uint64_t spt_stamp_by_call(void)
{
	return spt_now_ns() >> SPT_STAMP_SHIFT;
}

/* The environment and other facts.  The C library's may not be set up yet. */

/* How a file has names and values: what is between them, and what is at the end. */
struct form {
	const char *path;
	char between, end;
};

static const struct form environment = { "/proc/self/environ", '=', '\0' },
			 status = { "/proc/self/status", ':', '\n' };

/* Copies the value of @name from the contents of @fd. */
static bool find_value(int fd, const struct form *form, const char *name, char *value, size_t bytes)
{
	static char buffer[1024];
	size_t matched = 0, n = 0, length = spt_text_bytes(name, 64);
	bool is_start = true, is_value = false;
	long got;

	while ((got = spt_call(SYS_read, fd, buffer, sizeof(buffer), 0)) > 0) {
		for (long i = 0; i < got; i++) {
			char c = buffer[i];

			if (is_value) {
				value[n++] = c == form->end ? '\0' : c;
				if (c == form->end || n == bytes)
					return c == form->end;
			} else if (is_start && matched < length && c == name[matched]) {
				matched++;
			} else if (is_start && matched == length && c == form->between) {
				is_value = true;
			} else {
				is_start = c == form->end;
				matched = 0;
			}
		}
	}
	return false;
}

static bool read_value(const struct form *form, const char *name, char *value, size_t bytes)
{
	long fd = spt_call(SYS_openat, AT_FDCWD, form->path, O_RDONLY | O_CLOEXEC, 0);
	bool found;

	if (has_failed(fd))
		return false;
	found = find_value((int)fd, form, name, value, bytes);
	spt_call(SYS_close, fd, 0, 0, 0);
	return found;
}

static uint32_t read_number(const char **at)
{
	uint32_t number = 0;

	for (; **at >= '0' && **at <= '9'; (*at)++)
		number = number * 10 + (uint32_t)(**at - '0');
	return number;
}

/* What the kernel says of the program at its start. */
static void read_facts(uint64_t *ret_vdso)
{
	long fd = spt_call(SYS_openat, AT_FDCWD, "/proc/self/auxv", O_RDONLY | O_CLOEXEC, 0);
	uint64_t fact[2];

	spt_link.page_bytes = 4096;
	*ret_vdso = 0;
	if (has_failed(fd))
		return;
	while (spt_call(SYS_read, fd, fact, sizeof(fact), 0) == sizeof(fact)) {
		if (fact[0] == AT_PAGESZ)
			spt_link.page_bytes = fact[1];
		else if (fact[0] == AT_SYSINFO_EHDR)
			*ret_vdso = fact[1];
	}
	spt_call(SYS_close, fd, 0, 0, 0);
}

void *spt_allocate(size_t bytes)
{
	long at = spt_call6(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (has_failed(at))
		return NULL;
	if (has_failed(spt_call(SYS_madvise, at, bytes, MADV_WIPEONFORK, 0))) {
		spt_call(SYS_munmap, at, bytes, 0, 0);
		return NULL;
	}
	/* Most of it is never written to. */
	spt_call(SYS_madvise, at, bytes, MADV_NOHUGEPAGE, 0);
	return (void *)at;
}

/* The recorder's memory. */

static bool is_ours(const struct spt_rings_header *rings)
{
	return rings->magic == SPT_RINGS_MAGIC && rings->version == SPT_RINGS_VERSION &&
	       rings->n_slots == SPT_RINGS_SLOTS && rings->ring_words == SPT_RING_WORDS &&
	       rings->is_over != SPT_RINGS_OVER;
}

static bool recorder_is_gone(const struct spt_rings_header *rings)
{
	return __atomic_load_n(&rings->recorder, __ATOMIC_RELAXED) & FUTEX_OWNER_DIED;
}

/* A process whose address space is limited needs most of it for itself. */
static uint32_t rings_within_limit(void)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
	uint32_t n = SPT_RINGS_SLOTS;

	spt_call(SYS_prlimit64, 0, RLIMIT_AS, 0, &limit);
	while (n > LEAST_SLOTS && spt_rings_bytes_of(n) > limit.rlim_cur / LIMIT_PART)
		n /= 2;
	return n;
}

/* With as many rings as there is address space for. */
static void map_rings(long fd)
{
	uint32_t n = rings_within_limit();
	long at;

	do {
		at = spt_call6(SYS_mmap, 0, (long)spt_rings_bytes_of(n), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_NORESERVE, fd, 0);
	} while (has_failed(at) && (n /= 2) >= LEAST_SLOTS);
	if (has_failed(at))
		return;
	if (!is_ours((void *)at) || recorder_is_gone((void *)at)) {
		spt_call(SYS_munmap, at, spt_rings_bytes_of(n), 0, 0);
		return;
	}
	/* The recorder's page is not for programs, and none of it is part of a core file. */
	if (spt_link.page_bytes == SPT_RINGS_PAGE && !spt_link.waits)
		spt_call(SYS_mprotect, at, SPT_RINGS_PAGE, PROT_READ, 0);
	spt_call(SYS_madvise, at, spt_rings_bytes_of(n), MADV_DONTDUMP, 0);
	n_mapped = n;
	for (uint32_t i = 0; i < n; i++)
		mapped[i / 64] |= 1ULL << i % 64;
	process = spt_allocate(sizeof(*process));
	if (!process)
		return;
	spt_has_counter = ((struct spt_rings_header *)at)->clock == SPT_RINGS_TSC;
	spt_link.is_over = &((struct spt_rings_header *)at)->is_over;
	spt_link.rings = (void *)at;
}

/* How many filters the program was started with; of an older kernel: whether with any. */
static uint32_t read_filters(void)
{
	char text[16];
	const char *at = text + 1;

	if (!read_value(&status, "Seccomp_filters", text, sizeof(text)) &&
	    !read_value(&status, "Seccomp", text, sizeof(text)))
		return 0;
	return read_number(&at);
}

/*
 * Whether @fd is of a recorder, and the program may make the calls it takes.  What a filter lets
 * through that came before the program cannot be known: so until then only calls are made that the
 * loader has made.
 */
static bool may_connect(long fd)
{
	static struct spt_rings_header header;
	struct stat stat = { 0 };

	if (spt_call(SYS_pread64, fd, &header, sizeof(header), 0) != sizeof(header) ||
	    !is_ours(&header) || read_filters() > header.n_filters)
		return false;
	spt_call(SYS_fstat, fd, &stat, 0, 0);
	return (uint64_t)stat.st_size == spt_rings_bytes();
}

/*
 * Makes the rings for a recorder that may come later, which finds the descriptor.  Not behind a
 * filter of system calls, which may not let these through.
 */
static void wait_for_recorder(void)
{
	static const struct spt_rings_header header = {
		.magic = SPT_RINGS_MAGIC,
		.version = SPT_RINGS_VERSION,
		.n_slots = SPT_RINGS_SLOTS,
		.ring_words = SPT_RING_WORDS,
		.is_over = SPT_RINGS_WAITS,
	};
	long fd, high;

	if (spt_library != SPT_RINGS_MEMORY || read_filters())
		return;
	fd = spt_call(SYS_memfd_create, SPT_RINGS_WAITING, MFD_CLOEXEC | MFD_ALLOW_SEALING, 0, 0);
	if (has_failed(fd))
		return;
	spt_link.waits = true;
	if (!has_failed(spt_call(SYS_ftruncate, fd, spt_rings_bytes(), 0, 0)) &&
	    spt_call(SYS_pwrite64, fd, &header, sizeof(header), 0) == sizeof(header) &&
	    !has_failed(spt_call(SYS_fcntl, fd, F_ADD_SEALS, SPT_RINGS_WAIT_SEALS, 0)))
		map_rings(fd);
	/* Programs expect the low numbers to be theirs. */
	high = spt_link.rings ? spt_call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, HIGH_FD, 0) : fd;
	if (!spt_link.rings || !has_failed(high))
		spt_call(SYS_close, fd, 0, 0, 0);
}

/* The descriptor that a program inherits. */
static long inherited(const char *name)
{
	const char *at;
	char text[16];

	if (!read_value(&environment, name, text, sizeof(text)))
		return -1;
	at = text;
	return read_number(&at);
}

/* Maps the file; the program's table of descriptors has it only for that time. */
static void connect_recorder(void)
{
	char path[64];
	long fd;

	if (!read_value(&environment, SPT_RINGS_VARIABLE, path, sizeof(path)))
		return;
	if (spt_text_begins(path, SPT_RINGS_WAIT)) {
		wait_for_recorder();
		return;
	}
	fd = spt_call(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
	if (has_failed(fd)) {
		fd = inherited(SPT_RINGS_FD_VARIABLE);
		if (fd >= 0 && may_connect(fd))
			map_rings(fd);
		return;
	}
	if (may_connect(fd))
		map_rings(fd);
	spt_call(SYS_close, fd, 0, 0, 0);
}

/* By what the recorder finds frames of scripts; a program does without. */
static void connect_chains(void)
{
	char path[64];
	long fd;

	if (!read_value(&environment, SPT_CHAINS_VARIABLE, path, sizeof(path)))
		return;
	fd = spt_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	if (has_failed(fd)) {
		fd = inherited(SPT_CHAINS_FD_VARIABLE);
		if (fd >= 0)
			spt_chains_map(fd);
		return;
	}
	spt_chains_map(fd);
	spt_call(SYS_close, fd, 0, 0, 0);
}

/* Whether the process is in the recorder's PID namespace, where it can be known. */
static bool look_at_namespace(void)
{
	struct stat stat = { 0 };

	return has_failed(spt_call(SYS_newfstatat, AT_FDCWD, "/proc/self/ns/pid", &stat, 0)) ||
	       stat.st_ino != spt_link.rings->pid_namespace;
}

/* "PID/task/TID" */
bool spt_process_numbers(uint32_t *ret_pid, uint32_t *ret_tid)
{
	static const char between[] = "/task/";
	struct stat stat = { 0 };
	char text[64] = { 0 };
	const char *at = text;

	if (!spt_may_call(SPT_MAY_NAME) || !spt_link.rings->proc_device ||
	    has_failed(spt_call(SYS_newfstatat, AT_FDCWD, "/proc", &stat, 0)) ||
	    stat.st_dev != spt_link.rings->proc_device ||
	    has_failed(spt_call(SYS_readlinkat, AT_FDCWD, "/proc/thread-self", text,
				sizeof(text) - 1)))
		return false;
	*ret_pid = read_number(&at);
	if (!spt_text_begins(at, between))
		return false;
	at += sizeof(between) - 1;
	*ret_tid = read_number(&at);
	return *ret_pid && *ret_tid;
}

static void number_process(bool may_be_inside)
{
	uint32_t tid;

	process->own_pid = process->pid = (uint32_t)spt_call(SYS_getpid, 0, 0, 0, 0);
	process->is_inside = may_be_inside && look_at_namespace();
	process->is_foreign = process->is_inside && !spt_process_numbers(&process->pid, &tid);
	parent_pid = process->own_pid;
	parent_is_inside = process->is_inside;
}

static void connect_all(void)
{
	uint64_t vdso;

	spt_link.is_over = &none;
	read_facts(&vdso);
	*(void **)&clock_by_vdso = spt_real_find_in_vdso(vdso, "__vdso_clock_gettime");
	if (!clock_by_vdso)
		*(void **)&clock_by_vdso =
			spt_real_find_in_vdso(vdso, "__kernel_clock_gettime");
	spt_real_find(shared_functions);
	spt_real_find(spt_real_functions);
	connect_recorder();
	if (!spt_link.rings) {
		spt_link_leave();
		return;
	}
	connect_chains();
	spt_code_begin((void *)find_object);
	number_process(true);
	/* Release: pairs with the acquire in spt_process_begin(). */
	__atomic_store_n(&process->image,
			 __atomic_add_fetch(&spt_rings_programs(spt_link.rings)->next_image, 1,
					    __ATOMIC_RELAXED), __ATOMIC_RELEASE);
}

void spt_connect_now(void)
{
	uint32_t not_tried = 0;

	if (__atomic_compare_exchange_n(&spt_connect_state, &not_tried, 1, false,
					__ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
		connect_all();
		/* Pairs with the acquire in spt_connect(). */
		__atomic_store_n(&spt_connect_state, SPT_CONNECTED, __ATOMIC_RELEASE);
		if (spt_link.rings)
			spt_program_begun();
	}
	/* The loader's first call is usually the one that connects, before there are threads. */
	while (__atomic_load_n(&spt_connect_state, __ATOMIC_ACQUIRE) != SPT_CONNECTED)
		spt_call(SYS_sched_yield, 0, 0, 0, 0);
}

void spt_link_leave(void)
{
	__atomic_store_n(&spt_link.is_over, &over, __ATOMIC_RELAXED);
}

void spt_link_unmap(void)
{
	struct spt_rings_header *rings = spt_link.rings;

	spt_link_leave();
	spt_link.rings = NULL;
	spt_call(SYS_munmap, rings, spt_rings_bytes_of(n_mapped), 0, 0);
}

bool spt_link_check(void)
{
	uint32_t records = SPT_RINGS_RECORDS;

	/* A recorder that has come meanwhile undoes this. */
	if (recorder_is_gone(spt_link.rings) && spt_link.waits)
		__atomic_compare_exchange_n(&spt_link.rings->is_over, &records, SPT_RINGS_WAITS,
					    false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
	else if (recorder_is_gone(spt_link.rings))
		spt_link_leave();
	return !spt_is_over();
}

/* Libraries in another namespace of the loader's have a malloc() of their own. */
__attribute__((destructor)) static void look_at_end(void)
{
	if (spt_link.rings && spt_real_has_namespaces())
		spt_program_note(SPT_NOTE_NAMESPACE, "");
}

void spt_program_note(enum spt_program_note note, const char *name)
{
	struct spt_rings_note *at = &spt_rings_programs(spt_link.rings)->notes[note];
	size_t bytes = spt_text_bytes(name, sizeof(at->name) - 1);

	if (__atomic_fetch_add(&at->programs, 1, __ATOMIC_RELAXED))
		return;
	if (bytes)
		memcpy(at->name, name, bytes);
	else
		spt_call(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", at->name,
			 sizeof(at->name) - 1);
}

/* Processes. */

/*
 * In the child of a fork.  Its parent's number for itself is the one that the parent knows, unless
 * they are in different namespaces, or a process between them has recorded nothing.
 */
static void begin_child(void)
{
	struct spt_rings_programs *programs = spt_rings_programs(spt_link.rings);
	uint32_t parent = (uint32_t)spt_call(SYS_getppid, 0, 0, 0, 0), image, before = 0;

	process->is_forked = true;
	number_process(parent_is_inside || parent != parent_pid);
	image = __atomic_add_fetch(&programs->next_image, 1, __ATOMIC_RELAXED);
	/* Pairs with the acquire in spt_process_begin(). */
	__atomic_compare_exchange_n(&process->image, &before, image, false, __ATOMIC_RELEASE,
				    __ATOMIC_RELAXED);
}

const struct spt_process *spt_process_begin(void)
{
	if (__atomic_load_n(&process->image, __ATOMIC_ACQUIRE))
		return process;
	if (!spt_may_call(SPT_MAY_BEGIN))
		return NULL;
	begin_child();
	return process;
}

/* Which rings are mapped. */

bool spt_rings_has(uint32_t slot)
{
	return __atomic_load_n(&mapped[slot / 64], __ATOMIC_SEQ_CST) >> slot % 64 & 1;
}

void spt_rings_shrink(unsigned spare)
{
	struct spt_rings_header *rings = spt_link.rings;

	for (uint32_t i = 0; rings && i < SPT_RINGS_SLOTS; i++) {
		const struct spt_ring_slot *slot = spt_rings_slot(rings, i);

		if (!spt_rings_has(i))
			continue;
		if (!__atomic_load_n(&slot->owner, __ATOMIC_SEQ_CST) && spare) {
			spare--;
			continue;
		}
		/* Pairs with claim_slot(), which looks again once it has the slot. */
		__atomic_fetch_and(&mapped[i / 64], ~(1ULL << i % 64), __ATOMIC_SEQ_CST);
		if (__atomic_load_n(&slot->owner, __ATOMIC_SEQ_CST) &&
		    slot->image == process->image && slot->library == spt_library) {
			__atomic_fetch_or(&mapped[i / 64], 1ULL << i % 64, __ATOMIC_SEQ_CST);
			continue;
		}
		spt_call(SYS_munmap, spt_rings_words(rings, i), SPT_RING_WORDS * 8, 0, 0);
	}
}
