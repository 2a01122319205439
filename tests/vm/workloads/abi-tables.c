// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unwind tables that lie: abi-tables VICTIM-DIRECTORY.  What is no table is refused; a table that
 * leads anywhere yields no word of a stack, of nobody; one for somebody else's program is not
 * followed; one that leads in a circle ends.  Each of them by build-id and by file; how much room
 * strangers' files have.
 */
#include "abi.h"
#include "secret.h"

#include <elf.h>
#include <libgen.h>
#include <stddef.h>

#define WORDS		512
#define PATTERN		0x7061747465726e00ULL
#define RSP		7
#define BIG_ROWS	600000		/* of six bytes */
#define FILES		12

static uint32_t victim;

struct seen {
	unsigned own, with_table, longest, limited, no_code, secrets, patterns, victims,
		victims_by_table, modes;
};

/* One rule for the whole file, from offset 0 on. */
struct forged {
	struct sysprof_table_header header;
	uint32_t offsets[2];
	uint16_t rules[2];
	uint16_t zero[2];
	struct sysprof_table_rule rule[2];
	uint32_t starts[2];
};

static struct forged forge(struct sysprof_table_rule rule)
{
	struct forged forged = {
		.header = { SYSPROF_TABLE_MAGIC, SYSPROF_TABLE_VERSION, EM_X86_64, 2, 2, 2, 0 },
		.offsets = { 0, 0xfffffff0 },
		.rules = { 1, 0 },
		.starts = { 0, 4096 },
	};

	forged.rule[1] = rule;
	return forged;
}

/* Every word of the stack in turn is taken for a return address. */
static const struct sysprof_table_rule up_the_stack = {
	.cfa = SYSPROF_CFA_REGISTER,
	.cfa_register = RSP,
	.cfa_offset = 8,
	.ra = SYSPROF_RA_MEMORY,
	.ra_offset = -8,
};

static struct sysprof_table table_for(const char *path, const void *table, size_t bytes)
{
	struct sysprof_table arg = { .size = sizeof(arg),
				     .table = (uintptr_t)table,
				     .bytes = (uint32_t)bytes,
				     .build_id_bytes = 20 };

	read_build_id(path, arg.build_id);
	return arg;
}

static int give(int fd, struct sysprof_table arg)
{
	return ioctl(fd, SYSPROF_IOC_TABLE, &arg);
}

static void test_refusals(void)
{
	const struct forged good = forge(up_the_stack);
	struct forged bad = good;
	int fd = device_open();
	struct sysprof_table arg = table_for("/proc/self/exe", &bad, sizeof(bad));

	arg.build_id[0] ^= 1;
#define REFUSED(change, what)                                                                      \
	do {                                                                                       \
		bad = good;                                                                        \
		change;                                                                            \
		refuses(give(fd, arg), EINVAL, what);                                              \
		bad = good;                                                                        \
	} while (0)
	REFUSED(bad.header.magic++, "a table of another magic");
	REFUSED(bad.header.version++, "... version");
	REFUSED(bad.header.machine = EM_386, "... machine");
	REFUSED(bad.header.n_rules = 0, "... without rules");
	REFUSED(bad.header.n_rules = 3, "... with fewer than it says");
	REFUSED(bad.header.n_rows = 0xffffffff, "... with far fewer rows than it says");
	REFUSED(bad.header.n_starts = 3, "... with fewer functions than it says");
	REFUSED(bad.header.n_starts = 0xffffffff, "... with far fewer");
	REFUSED(bad.header.n_starts = 0, "... with more");
	REFUSED(bad.header.reserved = 1, "... with something in what is reserved");
	REFUSED(bad.starts[1] = 0, "functions that do not rise");
	REFUSED(bad.offsets[1] = 0, "rows that do not rise");
	REFUSED(bad.rules[0] = 2, "a row whose rule does not exist");
	REFUSED(bad.rules[1] = 1, "a last row that does not end");
	REFUSED(bad.rule[0].cfa = SYSPROF_CFA_REGISTER, "a first rule that knows something");
	REFUSED(bad.rule[1].cfa = SYSPROF_CFA_SWITCH + 1, "a CFA of a kind that there is not");
	REFUSED(bad.rule[1].ra = 3, "a return address likewise");
	REFUSED(bad.rule[1].cfa_register = 16, "a register that there is not");
	REFUSED(bad.rule[1].ra_register = 255, "... nor this one");
	REFUSED((bad.rule[1].cfa = SYSPROF_CFA_INDEXED, bad.rule[1].index_register = 16),
		"... nor this");
	REFUSED(bad.rule[1].is_signal = 2, "a flag that is neither 0 nor 1");
	REFUSED(bad.rule[1].at_cfa = 64, "a seventh register that is kept");
	REFUSED((bad.rule[1].at_cfa = 1, bad.rule[1].at_fp = 1), "one that is kept in two places");
	REFUSED((bad.rule[1].lost = 1, bad.rule[1].at_fp = 1), "one that is lost and kept");
#undef REFUSED
	for (size_t n = 0; n < sizeof(bad); n += 8) {
		struct sysprof_table cut = arg;

		cut.bytes = (uint32_t)n;
		if (give(fd, cut) == 0 || errno != EINVAL)
			ok(false, "a table of %zu bytes", n);
	}
	arg.flags = 1;
	refuses(give(fd, arg), EINVAL, "an unknown flag");
	arg.flags = 0;
	arg.reserved[6] = 1;
	refuses(give(fd, arg), EINVAL, "a reserved byte");
	arg.reserved[6] = 0;
	arg.build_id_bytes = 7;
	refuses(give(fd, arg), EINVAL, "a short build-id");
	arg.build_id_bytes = 21;
	refuses(give(fd, arg), EINVAL, "a long build-id");
	arg.build_id_bytes = 20;
	arg.bytes = SYSPROF_TABLE_MAX_BYTES + 8;
	refuses(give(fd, arg), EINVAL, "more than a table may have");
	arg.bytes = sizeof(bad);
	arg.table = 8;
	refuses(give(fd, arg), EFAULT, "a table that is nowhere");
	arg.table = (uintptr_t)&bad;
	arg.fd = 1;
	refuses(give(fd, arg), EINVAL, "a descriptor beside a build-id");
	arg.fd = 0;
	ok(!give(fd, arg), "what it was before is a table");
	refuses(give(fd, arg), EEXIST, "the same once more");
	close(fd);
}

static struct sysprof_table table_of_file(int file, const void *table, size_t bytes)
{
	return (struct sysprof_table){ .size = sizeof(struct sysprof_table),
				       .flags = SYSPROF_TABLE_OF_FILE,
				       .table = (uintptr_t)table,
				       .bytes = (uint32_t)bytes,
				       .fd = file };
}

static void test_file_refusals(void)
{
	const struct forged good = forge(up_the_stack);
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), fd = device_open(),
	    directory = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
	    path = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	struct sysprof_table arg = table_of_file(file, &good, sizeof(good)), bad;

	refuses(give(fd, (bad = arg, bad.flags |= 2, bad)), EINVAL, "an unknown flag beside");
	refuses(give(fd, (bad = arg, bad.build_id_bytes = 20, bad)), EINVAL,
		"a build-id beside a file");
	refuses(give(fd, (bad = arg, bad.build_id[3] = 1, bad)), EINVAL, "... of no bytes");
	refuses(give(fd, (bad = arg, bad.reserved[6] = 1, bad)), EINVAL, "a reserved byte");
	refuses(give(fd, (bad = arg, bad.object = SYSPROF_OBJECT_FIRST, bad)), EINVAL,
		"an object that the caller chooses");
	refuses(give(fd, (bad = arg, bad.fd = -1, bad)), EBADF, "no descriptor");
	refuses(give(fd, (bad = arg, bad.fd = path, bad)), EBADF, "one that opens nothing");
	refuses(give(fd, (bad = arg, bad.fd = directory, bad)), EINVAL, "a directory");
	refuses(give(fd, (bad = arg, bad.fd = fd, bad)), EINVAL, "the device");
	refuses(give(fd, (bad = arg, bad.bytes -= 8, bad)), EINVAL, "what is no table");
	close(directory);
	close(path);
	close(file);
	close(fd);
}

static uint8_t *make_big(size_t *ret_bytes)
{
	size_t rules = (sizeof(struct sysprof_table_header) + BIG_ROWS * 6ULL + 7) / 8 * 8;
	uint8_t *big = calloc(1, *ret_bytes = rules + sizeof(struct sysprof_table_rule));

	*(struct sysprof_table_header *)big = (struct sysprof_table_header){
		SYSPROF_TABLE_MAGIC, SYSPROF_TABLE_VERSION, EM_X86_64, BIG_ROWS, 1, 0, 0,
	};
	for (uint32_t i = 0; i < BIG_ROWS; i++)
		((uint32_t *)(big + sizeof(struct sysprof_table_header)))[i] = i;
	return big;
}

static void test_bounds(void)
{
	size_t bytes, kept;
	uint8_t *big = make_big(&bytes);
	struct sysprof_table arg;
	unsigned taken[2] = { 0 };

	arg = table_for("/proc/self/exe", big, bytes);
	for (unsigned round = 0; round < 2; round++) {
		int fd = device_open();

		for (; taken[round] < 100 && !give(fd, arg); arg.build_id[1]++)
			taken[round]++;
		if (round == 0)
			refuses(-1, ENOSPC, "more tables than a user may have");
		close(fd);
	}
	/* Each eight rows have an entry in the index. */
	kept = bytes + (BIG_ROWS / 8 + 1) * sizeof(uint32_t);
	ok(taken[0] == (32ULL << 20) / kept || taken[0] == (32ULL << 20) / (kept + 256),
	   "that is 32 MiB of them (%u of %zu bytes)", taken[0], kept);
	ok(taken[1] == taken[0], "with the descriptor they go (%u)", taken[1]);
	free(big);
}

static bool configure_tables(struct session *session)
{
	struct sysprof_config config = {
		.size = sizeof(config),
		.period_ns = NS_PER_MS,
		.ring_bytes = session->config.ring_bytes,
		.user_mode = SYSPROF_USER_TABLE + 1,
		.max_user_frames = 1024,
	};

	return !ioctl(session->fd, SYSPROF_IOC_CONFIGURE, &config) &&
	       !ioctl(session->fd, SYSPROF_IOC_START, NULL);
}

/* Files that another user maps first. */
static void let_map(const int *files, unsigned n)
{
	pid_t pid = fork();
	bool is_done = true;
	int status;

	if (pid == 0) {
		is_done = setuid(65534) == 0;
		for (unsigned i = 0; i < n; i++)
			is_done &= mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, files[i],
					0) != MAP_FAILED;
		_exit(!is_done);
	}
	ok(waitpid(pid, &status, 0) == pid && status == 0, "another user maps %u files", n);
}

/* A number of files that takes tables until there is no room; what is refused comes again. */
static unsigned give_files(int fd, const int *files, unsigned n, const void *big, size_t bytes)
{
	struct sysprof_table arg;
	unsigned taken = 0;
	int status = 0;

	for (; taken < n; taken++) {
		arg = table_of_file(files[taken], big, bytes);
		status = ioctl(fd, SYSPROF_IOC_TABLE, &arg);
		if (status)
			break;
		if (arg.object < SYSPROF_OBJECT_FIRST)
			ok(false, "a file is object %u", arg.object);
	}
	if (taken < n)
		refuses(status, ENOSPC, "more tables of files than there may be");
	return taken;
}

/* A stranger's files do not take the room of others' files, nor of what is by build-id. */
static void test_file_bounds(void)
{
	bool is_root = !geteuid();
	unsigned of_stranger, of_own, expected, by_build_id = 0;
	size_t bytes;
	uint8_t *big = make_big(&bytes);
	struct sysprof_table arg = table_for("/proc/self/exe", big, bytes);
	int theirs[FILES], own[FILES];

	for (unsigned i = 0; i < FILES; i++) {
		theirs[i] = memfd_create("theirs", MFD_CLOEXEC);
		own[i] = memfd_create("own", MFD_CLOEXEC);
		if (theirs[i] < 0 || own[i] < 0 || ftruncate(theirs[i], 4096) ||
		    ftruncate(own[i], 4096))
			err(1, "cannot make files");
	}
	for (unsigned round = 0; round < 2; round++) {
		struct session session = session_open(NS_PER_MS, 1U << 20);

		ok(configure_tables(&session), "START of a session with stacks by tables");
		if (is_root)
			let_map(theirs, FILES);
		of_stranger = is_root ? give_files(session.fd, theirs, FILES, big, bytes) : 0;
		of_own = give_files(session.fd, own, FILES, big, bytes);
		expected = (unsigned)((32ULL << 20) / (bytes + (BIG_ROWS / 8 + 1) * 4));
		ok(!is_root || of_stranger == expected / 2, "a stranger's files take half (%u)",
		   of_stranger);
		ok(of_stranger + of_own == expected, "... and others' the rest (%u of %u)", of_own,
		   expected);
		arg = table_of_file(own[0], big, bytes);
		refuses(give(session.fd, arg), EEXIST, "a file that has a table");
		usleep(20000);
		ok(pwrite(own[0], &arg, 8, 0) == 8, "that file is written to");
		refuses(give(session.fd, arg), ENOSPC, "... and is another object then");
		arg = table_for("/proc/self/exe", big, bytes);
		for (by_build_id = 0; by_build_id < 100 && !give(session.fd, arg); by_build_id++)
			arg.build_id[1]++;
		ok(by_build_id == (is_root ? expected : 0),
		   "%u by build-id, beside everybody's files or within a user's", by_build_id);
		session_close(&session);
	}
	for (unsigned i = 0; i < FILES; i++) {
		close(theirs[i]);
		close(own[i]);
	}
	free(big);
}

static void look_at(const struct sysprof_record *record, void *data)
{
	const struct sysprof_sample *sample = (const void *)record;
	const uint64_t *user = (const uint64_t *)sample->frames + sample->n_kernel;
	bool by_table = !(record->flags & SYSPROF_SAMPLE_NO_TABLE);
	struct seen *seen = data;

	if (record->type != SYSPROF_SAMPLE || !sample->n_user)
		return;
	seen->modes += sample->user_mode != SYSPROF_USER_TABLE;
	for (unsigned i = 0; i < sample->n_user; i++) {
		uint64_t object = user[i] >> SYSPROF_FRAME_OBJECT_SHIFT;

		seen->no_code += object < SYSPROF_OBJECT_ANON ||
				 (object > SYSPROF_OBJECT_VDSO && object < SYSPROF_OBJECT_FIRST);
		seen->patterns += user[i] - PATTERN < WORDS;
		seen->secrets +=
			is_secret((uint32_t)user[i]) || is_secret((uint32_t)(user[i] >> 32));
	}
	if (record->pid == (uint32_t)getpid()) {
		seen->own++;
		seen->with_table += by_table;
		seen->longest = sample->n_user > seen->longest ? sample->n_user : seen->longest;
		seen->limited += sample->user_end == SYSPROF_END_LIMIT;
	} else if (record->pid == victim) {
		seen->victims++;
		seen->victims_by_table += by_table;
	}
}

FUNCTION static void spin_on_pattern(unsigned ms)
{
	uint64_t pattern[WORDS], until = wall_ns() + ms * NS_PER_MS;

	for (unsigned i = 0; i < WORDS; i++)
		pattern[i] = PATTERN + i;
	__asm__ volatile("" : : "r"(pattern) : "memory");
	while (wall_ns() < until)
		spin(10000, until);
	__asm__ volatile("" : : "r"(pattern) : "memory");
}

static int give_forged(int fd, const char *path, const struct forged *forged, bool by_file)
{
	int file, status;

	if (!by_file)
		return give(fd, table_for(path, forged, sizeof(*forged)));
	file = open(path, O_RDONLY | O_CLOEXEC);
	status = give(fd, table_of_file(file, forged, sizeof(*forged)));
	close(file);
	return status;
}

/*
 * Samples of this program under a session that has @rule for it, and for the victim's; @by_file:
 * for these files alone.
 */
static struct seen samples_with(struct sysprof_table_rule rule, const char *victim_path,
				bool by_file, void (*work)(unsigned ms))
{
	struct session session = session_open(NS_PER_MS, 4U << 20);
	struct forged forged = forge(rule);
	struct seen seen = { 0 };

	ok(configure_tables(&session), "START of a session with stacks by tables");
	ok(!give_forged(session.fd, "/proc/self/exe", &forged, by_file),
	   "a forged table for this program");
	ok(!give_forged(session.fd, victim_path, &forged, by_file), "... and for the victim's");
	for (unsigned round = 0; round < 200 && (seen.with_table < 100 || seen.victims < 100);
	     round++) {
		work(100);
		for (unsigned cpu = 0; cpu < session.cpus; cpu++)
			session_drain(&session, cpu, look_at, &seen);
	}
	session_close(&session);
	return seen;
}

static void judge(const struct seen *seen, bool is_root)
{
	ok(seen->with_table >= 100, "one's own stacks go by it (%u of %u)", seen->with_table,
	   seen->own);
	ok(!seen->modes, "... which every sample says (%u do not)", seen->modes);
	ok(!seen->no_code && !seen->patterns && !seen->secrets,
	   "no frame is anything but a place in code (%u, %u, %u)", seen->no_code, seen->patterns,
	   seen->secrets);
	ok(seen->victims >= 100 && (is_root ? seen->victims_by_table > 0 : !seen->victims_by_table),
	   is_root ? "root's is followed for everybody (%u, %u)" :
		     "somebody else's are not walked by it (%u, %u)",
	   seen->victims, seen->victims_by_table);
}

/* In a circle: what a signal interrupted is the way back from a signal again, and so on. */
FUNCTION static void spin_in_circle(unsigned ms)
{
	uint64_t until = wall_ns() + ms * NS_PER_MS;

	while (wall_ns() < until) {
		/*
		 * Registers as a signal's frame has them, wherever the stack pointer is: those of
		 * here.
		 */
		__asm__ volatile("sub $1024, %%rsp\n"
				 "mov %%rsp, 160(%%rsp)\n"
				 "lea 1f(%%rip), %%rax\n"
				 "mov %%rax, 168(%%rsp)\n"
				 "mov $200000, %%ecx\n"
				 "1: dec %%ecx\n"
				 "jnz 1b\n"
				 "add $1024, %%rsp\n" : : : "rax", "rcx", "memory", "cc");
	}
}

int main(int argc, char **argv)
{
	struct sysprof_table_rule circle = { .cfa = SYSPROF_CFA_SIGNAL,
					     .ra = SYSPROF_RA_MEMORY,
					     .is_signal = 1 };
	char path[256], victim_path[512];
	struct seen seen;
	FILE *file;

	snprintf(path, sizeof(path), "%s/ready", argc == 2 ? argv[1] : "");
	file = fopen(path, "re");
	if (!file || fscanf(file, "%u", &victim) != 1)
		err(1, "cannot read %s", path);
	fclose(file);
	snprintf(victim_path, sizeof(victim_path), "%s", argv[0]);
	snprintf(path, sizeof(path), "%s/victim", dirname(victim_path));

	test_refusals();
	test_file_refusals();
	test_bounds();
	test_file_bounds();
	for (unsigned by_file = 0; by_file < 2; by_file++) {
		seen = samples_with(up_the_stack, path, by_file, spin_on_pattern);
		judge(&seen, !geteuid());
	}
	seen = samples_with(circle, path, false, spin_in_circle);
	judge(&seen, !geteuid());
	ok(seen.limited >= 50 && seen.longest == 1024,
	   "a circle ends with as many frames as there may be (%u, %u)", seen.limited,
	   seen.longest);
	return tests_end();
}
