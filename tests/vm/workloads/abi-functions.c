// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What there is of somebody else's process where the module reports functions (others=functions):
 * abi-functions PID-FILE PROGRAM told|untold.  The file names a busy process of root's that runs
 * PROGRAM; told: a table of root's says where its functions begin.
 */
#include "abi.h"

#include <elf.h>
#include <signal.h>
#include <sys/stat.h>

#define STARTS_MAX 4096

static uint64_t starts[STARTS_MAX];
static unsigned n_starts;
static uint32_t other, child, program;
static struct {
	unsigned samples, frames, flagged, untold, of_program, right;
} seen[2];	/* somebody else's, a child */

static uint64_t file_offset(const uint8_t *elf, uint64_t address)
{
	const Elf64_Ehdr *ehdr = (const void *)elf;
	const Elf64_Phdr *phdr = (const void *)(elf + ehdr->e_phoff);

	for (unsigned i = 0; i < ehdr->e_phnum; i++)
		if (phdr[i].p_type == PT_LOAD && address - phdr[i].p_vaddr < phdr[i].p_filesz)
			return address - phdr[i].p_vaddr + phdr[i].p_offset;
	return 0;
}

/* What the program's own symbols say of where its functions begin. */
static void read_starts(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const Elf64_Ehdr *ehdr;
	const Elf64_Shdr *shdr;
	const uint8_t *elf;
	struct stat stat;

	if (fd < 0 || fstat(fd, &stat))
		err(1, "cannot open %s", path);
	elf = mmap(NULL, stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (elf == MAP_FAILED)
		err(1, "cannot map %s", path);
	close(fd);
	ehdr = (const void *)elf;
	shdr = (const void *)(elf + ehdr->e_shoff);
	for (unsigned i = 0; i < ehdr->e_shnum; i++) {
		const Elf64_Sym *symbol = (const void *)(elf + shdr[i].sh_offset);

		if (shdr[i].sh_type != SHT_SYMTAB)
			continue;
		for (size_t n = shdr[i].sh_size / sizeof(*symbol); n--; symbol++)
			if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_value &&
			    n_starts < STARTS_MAX)
				starts[n_starts++] = file_offset(elf, symbol->st_value);
	}
}

static bool is_start(uint64_t offset)
{
	for (unsigned i = 0; i < n_starts; i++)
		if (starts[i] == offset)
			return true;
	return false;
}

static void look_at(const struct sysprof_record *record, void *data)
{
	const struct sysprof_sample *sample = (const void *)record;
	const __u64 *user = sample->frames + sample->n_kernel;
	unsigned who = record->pid == child;

	(void)data;
	if (record->type != SYSPROF_SAMPLE || (record->pid != other && !who))
		return;
	seen[who].samples++;
	seen[who].flagged += !!(record->flags & SYSPROF_SAMPLE_FUNCTIONS);
	for (unsigned i = 0; i < sample->n_user; i++) {
		uint64_t offset = user[i] & SYSPROF_FRAME_OFFSET_MASK;

		seen[who].frames++;
		if (offset == SYSPROF_FRAME_NOT_TOLD) {
			seen[who].untold++;
		} else if (user[i] >> SYSPROF_FRAME_OBJECT_SHIFT == program) {
			seen[who].of_program++;
			seen[who].right += is_start(offset - (i > 0));
		}
	}
}

static uint32_t find_object(int fd, const char *path)
{
	static uint8_t buffer[1 << 20];
	struct sysprof_snapshot arg = {
		.size = sizeof(arg),
		.part = SYSPROF_SNAPSHOT_OBJECTS,
		.buffer = (uintptr_t)buffer,
		.buffer_bytes = sizeof(buffer),
	};

	for (;;) {
		if (ioctl(fd, SYSPROF_IOC_SNAPSHOT, &arg))
			err(1, "SNAPSHOT");
		if (!arg.filled_bytes)
			return SYSPROF_OBJECT_UNKNOWN;
		for (size_t at = 0; at < arg.filled_bytes;) {
			const struct sysprof_object *object = (const void *)(buffer + at);

			at += object->record.size * 8U;
			if (object->record.type == SYSPROF_OBJECT && !strcmp(object->path, path))
				return object->object;
		}
	}
}

static void judge(bool is_told, bool is_root)
{
	ok(seen[0].samples >= 100 && seen[0].frames >= seen[0].samples,
	   "somebody else's samples have frames (%u in %u)", seen[0].frames, seen[0].samples);
	if (is_root)
		ok(!seen[0].flagged && !seen[0].untold, "root has them as they are");
	else
		ok(seen[0].flagged == seen[0].samples, "... and say that they are functions (%u)",
		   seen[0].flagged);
	if (!is_root && is_told)
		ok(seen[0].of_program >= seen[0].samples &&
			   seen[0].right == seen[0].of_program,
		   "... each where a function of the program begins (%u of %u)",
		   seen[0].right, seen[0].of_program);
	else if (!is_root)
		ok(seen[0].untold == seen[0].frames, "... of which no place is told (%u)",
		   seen[0].untold);
	else
		ok(seen[0].right < seen[0].of_program / 2, "... at many places (%u of %u)",
		   seen[0].right, seen[0].of_program);
	ok(seen[1].samples >= 100 && seen[1].frames && !seen[1].flagged && !seen[1].untold,
	   "a process of one's own is told exactly (%u frames in %u samples)", seen[1].frames,
	   seen[1].samples);
}

static unsigned of_other, hidden, numbered;

static void look_for_numbers(const struct sysprof_record *record, void *data)
{
	const struct sysprof_sample *sample = (const void *)record;

	(void)data;
	if (record->type != SYSPROF_SAMPLE || record->pid != other)
		return;
	of_other++;
	hidden += !!(record->flags & SYSPROF_SAMPLE_FUNCTIONS);
	numbered += sample->cookie != 0;
}

/* Stacks that could be sent once are reported as functions all the same. */
static void test_once(struct session *session, bool is_root)
{
	struct sysprof_config config = {
		.size = sizeof(config),
		.flags = SYSPROF_CONFIG_STACKS_ONCE,
		.period_ns = NS_PER_MS,
		.ring_bytes = session->config.ring_bytes,
		.user_mode = SYSPROF_USER_TABLE + 1,
	};

	ok(!ioctl(session->fd, SYSPROF_IOC_STOP) &&
		   !ioctl(session->fd, SYSPROF_IOC_CONFIGURE, &config) &&
		   !ioctl(session->fd, SYSPROF_IOC_START, NULL),
	   "a session that takes stacks once");
	for (unsigned round = 0; round < 300 && of_other < 200; round++) {
		usleep(20000);
		for (unsigned cpu = 0; cpu < session->cpus; cpu++)
			session_drain(session, cpu, look_for_numbers, NULL);
	}
	if (!is_root)
		ok(of_other >= 100 && hidden == of_other && !numbered,
		   "what is told as functions has no number (%u of %u)", numbered, of_other);
	else
		ok(of_other >= 100 && !hidden, "root has them as they are (%u with a number)",
		   numbered);
}

int main(int argc, char **argv)
{
	struct session session = session_open(NS_PER_MS, 4U << 20);
	struct sysprof_info info = { .size = sizeof(info) };
	FILE *file;

	if (argc != 4)
		errx(2, "usage: abi-functions PID-FILE PROGRAM told|untold");
	file = fopen(argv[1], "re");
	if (!file || fscanf(file, "%u", &other) != 1)
		err(1, "cannot read %s", argv[1]);
	fclose(file);
	read_starts(argv[2]);
	ok(!ioctl(session.fd, SYSPROF_IOC_INFO, &info) &&
		   info.features & SYSPROF_FEATURE_OTHERS_FUNCTIONS &&
		   !(info.features & SYSPROF_FEATURE_HIDES_OTHERS),
	   "INFO says functions");
	fflush(stdout);
	child = fork();
	while (!child)
		;
	if (ioctl(session.fd, SYSPROF_IOC_START, NULL))
		err(1, "START");
	program = find_object(session.fd, argv[2]);
	ok(program, "%s is an object", argv[2]);
	for (unsigned round = 0;
	     round < 300 && (seen[0].samples < 200 || seen[1].samples < 100); round++) {
		usleep(20000);
		for (unsigned cpu = 0; cpu < session.cpus; cpu++)
			session_drain(&session, cpu, look_at, NULL);
	}
	judge(!strcmp(argv[3], "told"), !geteuid());
	test_once(&session, !geteuid());
	kill(child, SIGKILL);
	session_close(&session);
	return tests_end();
}
