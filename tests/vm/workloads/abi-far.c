// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Code so far behind the beginning of its file that an offset does not fit a frame, and in an area
 * as large as that: what runs there is reported as unknown, or not at all, never as another
 * object's.
 */
#include "abi.h"

#define TIB	  (1ULL << 40)
#define FAR_BYTES (TIB + (64ULL << 20))

struct seen {
	uint32_t pid;
	uint64_t near;
	uint64_t far;
	uint64_t wrong;
	uint32_t own;
};

/* A loop of its own: sub $1, %rdi; jnz .-4; ret, the count in the first argument. */
static const uint8_t loop_code[] = { 0x48, 0x83, 0xef, 0x01, 0x75, 0xfa, 0xc3 };

static void count(const struct sysprof_record *record, void *data)
{
	const struct sysprof_sample *sample = (const void *)record;
	struct seen *seen = data;
	uint64_t object;

	if (record->type == SYSPROF_OBJECT)
		return;
	if (record->type != SYSPROF_SAMPLE || record->pid != seen->pid ||
	    !(record->flags & SYSPROF_SAMPLE_USER_EXACT))
		return;
	if (!sample->n_user) {
		seen->far += sample->weight;
		return;
	}
	object = sample->frames[sample->n_kernel] >> SYSPROF_FRAME_OBJECT_SHIFT;
	if (object == seen->own)
		seen->near += sample->weight;
	else
		seen->wrong += sample->weight;
}

static void run_for_ns(void *code, uint64_t ns)
{
	void (*loop)(uint64_t turns) = (void (*)(uint64_t))(uintptr_t)code;
	uint64_t begin = thread_cpu_ns();

	while (thread_cpu_ns() - begin < ns)
		loop(50000000);
}

/* Samples of the loop at @code by what they say it is; the rest of this program is @own or far. */
static struct seen seen_at(void *code)
{
	struct session session = session_open(NS_PER_MS, 0);
	struct seen seen = { .pid = getpid() };

	if (ioctl(session.fd, SYSPROF_IOC_START, NULL))
		err(1, "START");
	run_for_ns(code, 300 * NS_PER_MS);
	ioctl(session.fd, SYSPROF_IOC_STOP, NULL);
	for (unsigned cpu = 0; cpu < session.cpus; cpu++)
		session_drain(&session, cpu, count, &seen);
	session_close(&session);
	return seen;
}

static void *code_in_file(uint64_t offset)
{
	int fd = memfd_create("far", MFD_CLOEXEC);
	void *at;

	if (fd < 0 || ftruncate(fd, 2 * TIB) ||
	    pwrite(fd, loop_code, sizeof(loop_code), offset) != sizeof(loop_code))
		err(1, "cannot make a file of 2 TiB");
	at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, offset);
	if (at == MAP_FAILED)
		err(1, "cannot map code at 1 TiB");
	close(fd);
	return at;
}

/* At the end of more than 1 TiB of executable memory without a file. */
static void *code_in_region(void)
{
	uint8_t *area = mmap(NULL, FAR_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (area == MAP_FAILED)
		err(1, "cannot map more than 1 TiB");
	return memcpy(area + FAR_BYTES - PAGE, loop_code, sizeof(loop_code));
}

static void test(const char *what, void *code)
{
	struct seen seen = seen_at(code);

	/* The clock, which is read between a few long loops, is the C library's. */
	timed(seen.far > 100, "%s: what runs there is seen, without a place (%" PRIu64 " periods)",
	      what, seen.far);
	ok(seen.wrong <= (seen.far + seen.wrong) / 10,
	   "%s: ... and not as something else (%" PRIu64 " periods)", what, seen.wrong);
}

int main(void)
{
	test("code 1 TiB behind a file's beginning", code_in_file(TIB));
	test("code at the end of an area of more than 1 TiB", code_in_region());
	return tests_end();
}
