// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Code made at run time, as the records report it: which region it is, and where in it; and the
 * vdso's build-id.
 */
#include "abi.h"

#include <elf.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#define PAGES		64
#define MAX_REGIONS	256
#define SNAPSHOT_BYTES	(1U << 20)

/* Sub $1, %rdi; jnz -6; ret */
static const uint8_t turning[] = { 0x48, 0x83, 0xef, 0x01, 0x75, 0xfa, 0xc3 };

static struct sysprof_region regions[MAX_REGIONS];
static unsigned n_regions;
static struct { uint64_t first, last; uint32_t object; unsigned seen; } wanted;
static struct sysprof_object vdso;
static uint64_t own_mm;
static pid_t runner;	/* whose samples are wanted */
static struct session session;
static uint8_t *area, *apart;

static void look_at(const struct sysprof_record *record, void *data)
{
	if (record->type == SYSPROF_REGION &&
	    ((const struct sysprof_region *)record)->mm == own_mm && n_regions < MAX_REGIONS) {
		regions[n_regions++] = *(const struct sysprof_region *)record;
	} else if (record->type == SYSPROF_TASK && record->pid == (uint32_t)getpid()) {
		own_mm = ((const struct sysprof_task *)record)->mm;
	} else if (record->type == SYSPROF_OBJECT &&
		   ((const struct sysprof_object *)record)->object == SYSPROF_OBJECT_VDSO) {
		vdso = *(const struct sysprof_object *)record;
	} else if (record->type == SYSPROF_SAMPLE && record->pid == (uint32_t)runner) {
		const struct sysprof_sample *sample = (const struct sysprof_sample *)record;
		uint64_t frame;

		if (!sample->n_user || sample->n_kernel ||
		    !(record->flags & SYSPROF_SAMPLE_USER_EXACT))
			return;
		frame = sample->frames[0];
		if (frame >> SYSPROF_FRAME_OBJECT_SHIFT != wanted.object)
			return;
		frame &= SYSPROF_FRAME_OFFSET_MASK;
		wanted.first = wanted.seen && wanted.first < frame ? wanted.first : frame;
		wanted.last = wanted.seen && wanted.last > frame ? wanted.last : frame;
		wanted.seen++;
	}
	(void)data;
}

static void drain(void)
{
	for (unsigned cpu = 0; cpu < session.cpus; cpu++)
		session_drain(&session, cpu, look_at, NULL);
}

static void take_snapshot(void)
{
	static uint64_t buffer[SNAPSHOT_BYTES / 8];

	for (unsigned part = SYSPROF_SNAPSHOT_TASKS; part <= SYSPROF_SNAPSHOT_OBJECTS; part++) {
		struct sysprof_snapshot snapshot = {
			.size = sizeof(snapshot),
			.part = part,
			.buffer = (uintptr_t)buffer,
			.buffer_bytes = sizeof(buffer),
		};

		do {
			if (ioctl(session.fd, SYSPROF_IOC_SNAPSHOT, &snapshot))
				err(1, "SNAPSHOT");
			for (size_t at = 0; at < snapshot.filled_bytes;) {
				const struct sysprof_record *record =
					(const void *)((const uint8_t *)buffer + at);

				look_at(record, NULL);
				at += record->size * 8U;
			}
		} while (snapshot.filled_bytes);
	}
}

/*
 * Makes the code of @page anew, as an engine would that never has it writable and executable at
 * once.
 */
static void make(uint8_t *page)
{
	if (mprotect(page, PAGE, PROT_READ | PROT_WRITE))
		err(1, "cannot make a page writable");
	memcpy(page, turning, sizeof(turning));
	if (mprotect(page, PAGE, PROT_READ | PROT_EXEC))
		err(1, "cannot make a page executable");
}

/* Regions reported since the last call. */
static unsigned news(void)
{
	static unsigned before;
	unsigned n;

	drain();
	n = n_regions - before;
	before = n_regions;
	return n;
}

/* Runs @page; whether samples fell into @object, and all of them into the page at @offset. */
static bool runs_at(uint8_t *page, uint32_t object, uint64_t offset)
{
	uint64_t until = thread_cpu_ns() + NS_PER_S;

	drain();
	memset(&wanted, 0, sizeof(wanted));
	wanted.object = object;
	while (wanted.seen < 5 && thread_cpu_ns() < until) {
		((void (*)(uint64_t))(uintptr_t)page)(1000000);
		drain();
	}
	if (!wanted.seen || wanted.first < offset || wanted.last >= offset + sizeof(turning))
		printf("# %u samples in object %u, from 0x%" PRIx64 " to 0x%" PRIx64 "\n",
		       wanted.seen, object, wanted.first, wanted.last);
	return wanted.seen && wanted.first >= offset && wanted.last < offset + sizeof(turning);
}

static void test_areas(void)
{
	uint32_t first;
	unsigned i;

	news();
	make(area + 32 * PAGE);
	ok(news() == 1, "code made at run time is told of");
	first = regions[n_regions - 1].object;
	ok(first >= SYSPROF_OBJECT_FIRST && regions[n_regions - 1].bytes == PAGE,
	   "... with an id and its size");
	ok(runs_at(area + 32 * PAGE, first, SYSPROF_REGION_BIAS),
	   "what runs there is in that region");
	for (i = 0; i < 100; i++)
		make(area + 32 * PAGE);
	make(area + 33 * PAGE);
	make(area + 31 * PAGE);
	make(area + 33 * PAGE);
	ok(news() == 0, "pages made anew, and pages beside them, make no other region");
	ok(runs_at(area + 33 * PAGE, first, SYSPROF_REGION_BIAS + PAGE) &&
		   runs_at(area + 31 * PAGE, first, SYSPROF_REGION_BIAS - PAGE) &&
		   runs_at(area + 32 * PAGE, first, SYSPROF_REGION_BIAS),
	   "offsets count from the same place");
	make(apart);
	ok(news() == 1 && regions[n_regions - 1].object != first &&
		   regions[n_regions - 1].generation == regions[n_regions - 2].generation + 1,
	   "an area apart is another region");
	ok(runs_at(apart, regions[n_regions - 1].object, SYSPROF_REGION_BIAS),
	   "what runs there is in that one");
}

static void test_fork(void)
{
	uint32_t object = regions[n_regions - 2].object;
	uint64_t until = wall_ns() + 10 * NS_PER_S;

	drain();
	memset(&wanted, 0, sizeof(wanted));
	wanted.object = object;
	fflush(stdout);
	runner = fork();
	if (runner < 0)
		err(1, "cannot fork");
	while (!runner)
		((void (*)(uint64_t))(uintptr_t)(area + 32 * PAGE))(1000000);
	while (wanted.seen < 5 && wall_ns() < until) {
		usleep(10000);
		drain();
	}
	kill(runner, SIGKILL);
	waitpid(runner, NULL, 0);
	runner = getpid();
	ok(wanted.seen && wanted.first >= SYSPROF_REGION_BIAS &&
		   wanted.last < SYSPROF_REGION_BIAS + sizeof(turning),
	   "a child goes on in the regions it inherits");
	ok(news() == 0, "... and they are not told anew");
}

static void test_snapshot(void)
{
	uint32_t first = regions[n_regions - 2].object, second = regions[n_regions - 1].object;
	unsigned before = n_regions, found = 0;

	take_snapshot();
	for (unsigned i = before; i < n_regions; i++)
		found += regions[i].mm == own_mm &&
			 (regions[i].object == first || regions[i].object == second);
	ok(own_mm && n_regions == before + 2 && found == 2, "a snapshot tells of both (%u of %u)",
	   found, n_regions - before);
	news();
}

static void test_replaced(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	uint32_t old = regions[n_regions - 1].object;
	uint8_t *moved;

	if (mmap(apart, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0) != apart)
		err(1, "cannot map a file");
	if (mmap(apart, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) != apart)
		err(1, "cannot map memory");
	close(fd);
	make(apart);
	ok(news() == 1 && regions[n_regions - 1].object != old,
	   "where a file was mapped meanwhile, there is a new region");
	old = regions[n_regions - 1].object;
	moved = mremap(apart, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, apart + 8 * PAGE);
	if (moved != apart + 8 * PAGE)
		err(1, "cannot move memory");
	for (unsigned i = 0; i < 100 && !news(); i++)
		burn_ms(10);
	ok(regions[n_regions - 1].object != old, "code that is moved is a new region");
	ok(runs_at(moved, regions[n_regions - 1].object, SYSPROF_REGION_BIAS),
	   "... and found there");
}

static void test_start(void)
{
	struct sysprof_map_fd arg = { .size = sizeof(arg),
				      .object = regions[n_regions - 1].object };

	/* The last one is where test_replaced() moved it to. */
	ok(!ioctl(session.fd, SYSPROF_IOC_MAP_FD, &arg) && arg.fd == -1 &&
		   arg.start + SYSPROF_REGION_BIAS == (uintptr_t)(apart + 8 * PAGE),
	   "MAP_FD tells where a region lies");
	if (prctl(PR_SET_DUMPABLE, 0))
		err(1, "cannot close this process");
	arg = (struct sysprof_map_fd){ .size = sizeof(arg),
				       .object = regions[n_regions - 1].object };
	if (geteuid())
		refuses(ioctl(session.fd, SYSPROF_IOC_MAP_FD, &arg), ENOENT,
			"... not of a process that may not be traced");
	else
		ok(!ioctl(session.fd, SYSPROF_IOC_MAP_FD, &arg),
		   "... of one that may not be traced, to root");
	prctl(PR_SET_DUMPABLE, 1);
}

static void test_limit(void)
{
	uint8_t *pages = mmap(NULL, 2 * 80 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned n;

	for (unsigned i = 0; i < 80; i++)
		make(pages + 2 * i * PAGE);
	n = news();
	ok(n > 50 && n <= 64, "there are no more than 64 regions in a process (%u more)", n);
	ok(runs_at(pages + 2 * 79 * PAGE, SYSPROF_OBJECT_ANON, 0),
	   "code beyond them is memory without a file");
}

/* The build-id in this process's vdso, read here by what ELF says. */
static bool is_own_build_id(const uint8_t *id, unsigned bytes)
{
	const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *header = (const void *)image;

	for (unsigned i = 0; i < header->e_phnum; i++) {
		const Elf64_Phdr *segment =
			(const void *)(image + header->e_phoff + i * sizeof(*segment));

		if (segment->p_type != PT_NOTE)
			continue;
		for (uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= segment->p_filesz;) {
			const Elf64_Nhdr *note = (const void *)(image + segment->p_offset + at);
			uint64_t desc = at + sizeof(*note) + (note->n_namesz + 3) / 4 * 4;

			if (note->n_type == NT_GNU_BUILD_ID)
				return note->n_descsz == bytes &&
				       !memcmp(image + segment->p_offset + desc, id, bytes);
			at = desc + (note->n_descsz + 3) / 4 * 4;
		}
	}
	return false;
}

int main(void)
{
	struct sysprof_start start = { .size = sizeof(start) };

	runner = getpid();
	session = session_open(NS_PER_MS, 1U << 20);
	if (ioctl(session.fd, SYSPROF_IOC_START, &start))
		err(1, "START");
	area = mmap(NULL, PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	apart = mmap(NULL, (PAGES + 1) * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED || apart == MAP_FAILED)
		err(1, "cannot reserve memory");
	apart += 16 * PAGE;
	take_snapshot();
	ok(vdso.build_id_bytes && is_own_build_id(vdso.build_id, vdso.build_id_bytes),
	   "the vdso is told by its build-id");
	test_areas();
	test_snapshot();
	test_fork();
	test_replaced();
	test_start();
	test_limit();
	session_close(&session);
	return tests_end();
}
