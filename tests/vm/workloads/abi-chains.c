/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chains that lie: abi-chains VICTIM-DIRECTORY.  What is no chain is refused; a program that goes
 * in a circle, or into memory that is not there, ends; it finds nothing in somebody else's program;
 * its frames are frames of scripts, whatever it finds.
 * A chain of a file is for this file alone, whatever build-id another one states.
 */
#include "abi.h"

#include <elf.h>
#include <libgen.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "sysprof-chain.h"

#define CHAINS 64
#define NODES  4
#define NONE   SYSPROF_SPAN_NONE

static uint32_t victim;

/* A list of nodes with a code each, in memory of this program. */
static struct node {
	struct node *next;
	uint64_t *code;
	uint64_t position;
	uint64_t flag;
} nodes[NODES];
static uint64_t codes[NODES][8], behind_codes = 0x70617468;

struct forged {
	struct sysprof_chain_header header;
	struct sysprof_chain_list list;
	struct sysprof_chain_span span[2];
	struct sysprof_chain_insn insn[8];
};

struct seen {
	unsigned own, with_scripts, cut, longest, no_place, victims, victims_with_scripts, codes,
		wrong_codes, paths;
};

/* Walks the list of nodes; their addresses are 64 bits. */
static struct forged forge(void)
{
	uint64_t first = (uintptr_t)&nodes[0];

	return (struct forged){
		.header = { .magic = SYSPROF_CHAIN_MAGIC,
			    .version = SYSPROF_CHAIN_VERSION,
			    .machine = EM_X86_64,
			    .tag = 0x1234,
			    .max_frames = SYSPROF_CHAIN_MAX_FRAMES,
			    .n_insns = 8,
			    .n_lists = 1,
			    .n_spans = 2 },
		.list = { .code = 8, .position = 16, .position_bytes = 8 },
		/* The code, and what a pointer in it leads to. */
		.span = { { .path = { NONE, NONE, NONE },
			    .length = NONE,
			    .length_bytes = 8,
			    .unit = NONE,
			    .max = 64 },
			  { .path = { 8, NONE, NONE },
			    .length = NONE,
			    .length_bytes = 8,
			    .unit = NONE,
			    .max = 8,
			    .from = 1 } },
		.insn = { { SYSPROF_CHAIN_MOVI, 2, 0, 0, (int32_t)(first >> 32) },
			  { SYSPROF_CHAIN_SHLI, 2, 2, 0, 16 },
			  { SYSPROF_CHAIN_ADDI, 2, 2, 0, (int32_t)(first >> 16 & 0xffff) },
			  { SYSPROF_CHAIN_SHLI, 2, 2, 0, 16 },
			  { SYSPROF_CHAIN_ADDI, 2, 2, 0, (int32_t)(first & 0xffff) },
			  { SYSPROF_CHAIN_LIST, 2, 3, 0, 0 },
			  { SYSPROF_CHAIN_ADDI, 4, 4, 0, 1 },
			  { SYSPROF_CHAIN_END, 0, 0, 0, 0 } },
	};
}

static struct sysprof_chain chain_for(const char *path, const void *chain, size_t bytes)
{
	struct sysprof_chain arg = { .size = sizeof(arg),
				     .chain = (uintptr_t)chain,
				     .bytes = (uint32_t)bytes,
				     .build_id_bytes = 20 };

	read_build_id(path, arg.build_id);
	return arg;
}

static int give(int fd, struct sysprof_chain arg)
{
	return ioctl(fd, SYSPROF_IOC_CHAIN, &arg);
}

static struct sysprof_chain chain_of_file(int file, const void *chain, size_t bytes)
{
	return (struct sysprof_chain){ .size = sizeof(struct sysprof_chain),
				       .flags = SYSPROF_CHAIN_OF_FILE,
				       .chain = (uintptr_t)chain,
				       .bytes = (uint32_t)bytes,
				       .fd = file };
}

static void test_file_refusals(void)
{
	const struct forged good = forge();
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), fd = device_open(),
	    directory = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
	    path = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	struct sysprof_chain arg = chain_of_file(file, &good, sizeof(good)), bad;

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
	refuses(give(fd, (bad = arg, bad.bytes -= 8, bad)), EINVAL, "what is no chain");
	close(directory);
	close(path);
	close(file);
	close(fd);
}

static void test_refusals(void)
{
	const struct forged good = forge();
	struct forged bad = good;
	int fd = device_open();
	struct sysprof_chain arg = chain_for("/proc/self/exe", &bad, sizeof(bad));

	arg.build_id[0] ^= 1;
#define REFUSED(change, what)                                                                      \
	do {                                                                                       \
		bad = good;                                                                        \
		change;                                                                            \
		refuses(give(fd, arg), EINVAL, what);                                              \
		bad = good;                                                                        \
	} while (0)
	REFUSED(bad.header.magic++, "a chain of another magic");
	REFUSED(bad.header.version++, "... version");
	REFUSED(bad.header.machine = EM_386, "... machine");
	REFUSED(bad.header.max_frames = 0, "... without frames");
	REFUSED(bad.header.max_frames = SYSPROF_CHAIN_MAX_FRAMES + 1, "... with too many");
	REFUSED(bad.header.n_insns = 0, "... without instructions");
	REFUSED(bad.header.n_insns = 9, "... with fewer than it says");
	REFUSED(bad.header.n_insns = 7, "... with more");
	REFUSED(bad.header.n_insns = 257, "... with too many");
	REFUSED(bad.header.n_lists = 0, "... with a list that it does not have");
	REFUSED(bad.header.n_lists = 5, "... with too many lists");
	REFUSED(bad.header.n_spans = 9, "... too many spans");
	REFUSED(bad.header.n_loops = 5, "... too many loops");
	REFUSED(bad.header.reserved[1] = 1, "... with something in what is reserved");
	REFUSED(bad.list.position_bytes = 2, "a position of two bytes");
	REFUSED(bad.list.position_shift = 32, "one that is shifted out");
	REFUSED(bad.list.code_bits = 5, "pointers with too many bits");
	REFUSED(bad.list.flag_kind = 4, "a flag of a kind that there is not");
	REFUSED(bad.list.reserved_2 = 1, "a reserved word in a list");
	REFUSED(bad.span[0].max = SYSPROF_SPANS_MAX_BYTES + 1, "a span of more than there may be");
	REFUSED(bad.span[0].head = 65, "a span that is shorter than its head");
	REFUSED(bad.span[0].length_in = 1, "a length behind a pointer that there is not");
	REFUSED(bad.span[0].length_bytes = 3, "a length of three bytes");
	REFUSED(bad.span[0].path[1] = 8, "a path with a hole");
	REFUSED(bad.span[0].from = 1, "a span that begins where it ends itself");
	REFUSED(bad.span[1].from = 255, "... where one does that there is not");
	REFUSED((bad.span[0].unit = 8, bad.span[0].unit_bytes = 8), "elements of two sizes");
	REFUSED(bad.span[1].reserved[4] = 1, "a reserved byte in a span");
	REFUSED(bad.insn[6].op = SYSPROF_CHAIN_WITH + 1, "an unknown instruction");
	REFUSED(bad.insn[6].op = SYSPROF_CHAIN_REG, "an instruction of steps in another program");
	REFUSED(bad.insn[6].op = SYSPROF_CHAIN_NEXT, "a next frame in another program");
	REFUSED(bad.header.flags = SYSPROF_CHAIN_STEPS | SYSPROF_CHAIN_FRAMES,
		"a program of steps and of frames");
	REFUSED(bad.insn[6].dst = 16, "a register that there is not");
	REFUSED(bad.insn[6].src = 255, "... nor this one");
	REFUSED(bad.insn[6].jump = 1, "a jump in what does not jump");
	REFUSED((bad.insn[6].op = SYSPROF_CHAIN_JEQI, bad.insn[6].jump = 1), "a jump to the end");
	REFUSED((bad.insn[6].op = SYSPROF_CHAIN_JEQI, bad.insn[6].jump = 255), "... far behind it");
	REFUSED((bad.insn[6].op = SYSPROF_CHAIN_LOOP, bad.insn[6].imm = 6), "a loop to itself");
	REFUSED((bad.insn[6].op = SYSPROF_CHAIN_LOOP, bad.insn[6].imm = -1), "... to before all");
	REFUSED(bad.insn[1].imm = 64, "a shift by 64");
	REFUSED(bad.insn[1].imm = -1, "... by less than nothing");
	REFUSED(bad.insn[5].imm = 1, "a list that there is not");
	REFUSED(bad.insn[5].imm = -1, "... nor this");
	REFUSED((bad.insn[5].op = SYSPROF_CHAIN_EMIT, bad.insn[5].imm = 16),
		"an identity likewise");
	REFUSED(bad.insn[7].imm = 2, "an end of a kind that there is not");
	REFUSED(bad.insn[7].op = SYSPROF_CHAIN_ADDI, "a program without an end");
	REFUSED(bad.insn[7].op = SYSPROF_CHAIN_SHLI, "... that ends with a shift");
	REFUSED(bad.insn[7].op = SYSPROF_CHAIN_EMIT, "... with a frame");
	REFUSED(bad.insn[7].op = SYSPROF_CHAIN_LIST, "... with a list");
	/* Two programs: instruction 4 ends the first one. */
#define TWO(from) (bad.header.names = (from), bad.insn[(from) - 1].op = SYSPROF_CHAIN_END)
	REFUSED(bad.header.flags = SYSPROF_CHAIN_THREAD << 1, "a flag that there is not");
	REFUSED(bad.header.flags = SYSPROF_CHAIN_THREAD, "a program of threads with many frames");
	REFUSED((bad.header.flags = SYSPROF_CHAIN_THREAD, bad.header.max_frames = 1),
		"... with a list");
	REFUSED(bad.header.flags = SYSPROF_CHAIN_THREAD | SYSPROF_CHAIN_FRAMES,
		"... that is one of frames, too");
	REFUSED(bad.header.names = 8, "names behind all instructions");
	REFUSED(bad.header.names = 7, "a first program without an end");
	REFUSED(TWO(5), "names with a list");
	REFUSED((TWO(5), bad.insn[5] = (struct sysprof_chain_insn){ .op = SYSPROF_CHAIN_EMIT }),
		"... with a frame");
	REFUSED((TWO(5), bad.insn[5] = (struct sysprof_chain_insn){ .op = SYSPROF_CHAIN_MARK }),
		"... with a mark");
	REFUSED((TWO(5), bad.insn[5].op = SYSPROF_CHAIN_ADDI,
		 bad.insn[0] = (struct sysprof_chain_insn){ .op = SYSPROF_CHAIN_JEQI, .jump = 4 }),
		"a jump into the other program");
	REFUSED((TWO(6), bad.insn[6] = (struct sysprof_chain_insn){ .op = SYSPROF_CHAIN_LOOP }),
		"a loop into the other program");
	REFUSED(bad.span[0].from = SYSPROF_SPAN_REGISTER + 2, "a span of a register without names");
	REFUSED((TWO(6), bad.span[0].from = SYSPROF_SPAN_REGISTER + 16),
		"... of one that there is not");
#undef TWO
#undef REFUSED
	for (size_t n = 0; n < sizeof(bad); n += 8) {
		struct sysprof_chain cut = arg;

		cut.bytes = (uint32_t)n;
		if (give(fd, cut) == 0 || errno != EINVAL)
			ok(false, "a chain of %zu bytes", n);
	}
	arg.flags = 2;
	refuses(give(fd, arg), EINVAL, "an unknown flag");
	arg.flags = 0;
	arg.fd = 1;
	refuses(give(fd, arg), EINVAL, "a descriptor beside a build-id");
	arg.fd = 0;
	arg.build_id_bytes = 7;
	refuses(give(fd, arg), EINVAL, "a short build-id");
	arg.build_id_bytes = 20;
	arg.bytes = 1U << 20;
	refuses(give(fd, arg), EINVAL, "more than a chain may have");
	arg.bytes = sizeof(bad);
	arg.chain = 8;
	refuses(give(fd, arg), EFAULT, "a chain that is nowhere");
	arg.chain = (uintptr_t)&bad;
	ok(!give(fd, arg), "what it was before is a chain");
	refuses(give(fd, arg), EEXIST, "the same once more");
	close(fd);
}

static void test_bounds(void)
{
	const struct forged forged = forge();
	struct sysprof_chain arg = chain_for("/proc/self/exe", &forged, sizeof(forged));
	unsigned taken[2] = { 0 };

	for (unsigned round = 0; round < 2; round++) {
		int fd = device_open();

		for (; taken[round] < 2 * CHAINS && !give(fd, arg); arg.build_id[1]++)
			taken[round]++;
		if (round == 0)
			refuses(-1, ENOSPC, "more chains than an owner may have");
		close(fd);
	}
	ok(taken[0] == CHAINS && taken[1] == CHAINS,
	   "that is %u of them, which go with the descriptor (%u, %u)", CHAINS, taken[0], taken[1]);
}

static int make_file(void)
{
	int file = memfd_create("chained", MFD_CLOEXEC);

	if (file < 0 || ftruncate(file, PAGE))
		err(1, "cannot make a file");
	return file;
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
			is_done &= mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, files[i],
					0) != MAP_FAILED;
		_exit(!is_done);
	}
	ok(waitpid(pid, &status, 0) == pid && status == 0, "another user maps %u files", n);
}

static unsigned give_files(int fd, const int *files, const struct forged *chain)
{
	unsigned taken = 0;
	int status = 0;

	for (; taken < 2 * CHAINS; taken++) {
		status = give(fd, chain_of_file(files[taken], chain, sizeof(*chain)));
		if (status)
			break;
	}
	refuses(status, ENOSPC, "more chains of files than there may be");
	return taken;
}

/* A stranger's files do not take the room of others' files, nor of what is by build-id. */
static void test_file_bounds(void)
{
	const struct forged forged = forge();
	struct session session = session_open(NS_PER_MS, 1U << 20);
	bool is_root = !geteuid();
	unsigned of_stranger, of_own;
	int theirs[2 * CHAINS], own[2 * CHAINS];

	for (unsigned i = 0; i < 2 * CHAINS; i++) {
		theirs[i] = make_file();
		own[i] = make_file();
	}
	ok(!ioctl(session.fd, SYSPROF_IOC_START, NULL), "START of an ordinary session");
	if (is_root)
		let_map(theirs, 2 * CHAINS);
	of_stranger = is_root ? give_files(session.fd, theirs, &forged) : 0;
	of_own = give_files(session.fd, own, &forged);
	ok(of_stranger == (is_root ? CHAINS / 2 : 0) && of_stranger + of_own == CHAINS,
	   "a stranger's files take half, and one's own the rest (%u, %u)", of_stranger, of_own);
	refuses(give(session.fd, chain_of_file(own[0], &forged, sizeof(forged))), EEXIST,
		"a file that has a chain");
	ok(!give(session.fd, chain_for("/proc/self/exe", &forged, sizeof(forged))),
	   "there is room for what is by build-id");
	session_close(&session);
	for (unsigned i = 0; i < 2 * CHAINS; i++) {
		close(theirs[i]);
		close(own[i]);
	}
}

static void look_at_code(const struct sysprof_code *code, struct seen *seen)
{
	seen->codes++;
	/* What was copied is a code of this program. */
	seen->wrong_codes += code->tag != 0x1234 || !code->code ||
			     (code->bytes[0] == 64 && code->data[0] != 0x636f6465) ||
			     (code->bytes[1] == 8 && code->data[8] != 0x70617468);
	seen->paths += code->bytes[1] == 8;
}

static void look_at(const struct sysprof_record *record, void *data)
{
	const struct sysprof_sample *sample = (const void *)record;
	const uint64_t *user = (const uint64_t *)sample->frames + sample->n_kernel;
	unsigned n = 0;
	struct seen *seen = data;

	if (record->type == SYSPROF_CODE && record->pid == (uint32_t)getpid())
		look_at_code((const void *)record, seen);
	if (record->type == SYSPROF_CODE && record->pid == victim)
		seen->victims_with_scripts++;
	if (record->type != SYSPROF_SAMPLE || !sample->n_user)
		return;
	for (unsigned i = 0; i < sample->n_user; i++)
		n += (user[i] & SYSPROF_FRAME_SCRIPT) == SYSPROF_FRAME_SCRIPT;
	if (record->pid == victim) {
		seen->victims++;
		seen->victims_with_scripts += n > 0;
	}
	if (record->pid != (uint32_t)getpid())
		return;
	seen->own++;
	seen->with_scripts += n > 0;
	seen->cut += !!(record->flags & SYSPROF_SAMPLE_SCRIPT_CUT);
	seen->no_place += !!n != !!(record->flags & SYSPROF_SAMPLE_SCRIPT);
	seen->longest = n > seen->longest ? n : seen->longest;
}

static struct session session_with_frames(uint32_t max_user_frames)
{
	struct session session = session_open(NS_PER_MS, 4U << 20);
	struct sysprof_config config = {
		.size = sizeof(config),
		.period_ns = NS_PER_MS,
		.ring_bytes = session.config.ring_bytes,
		.user_mode = SYSPROF_USER_TABLE + 1,
		.max_user_frames = max_user_frames,
	};

	ok(!ioctl(session.fd, SYSPROF_IOC_CONFIGURE, &config) &&
		   !ioctl(session.fd, SYSPROF_IOC_START, NULL),
	   "START of a session with stacks by tables");
	return session;
}

static struct session session_by_tables(void)
{
	return session_with_frames(1024);
}

static void spin_here(uint64_t until)
{
	while (wall_ns() < until)
		spin(10000, until);
}

/* Code of a file that states no build-id: counts down and returns. */
static void (*nameless_code)(uint64_t n);

static void spin_nameless(uint64_t until)
{
	while (wall_ns() < until)
		nameless_code(100000);
}

static int make_nameless(void)
{
	static const uint8_t code[] = { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
	int file = make_file();

	if (pwrite(file, code, sizeof(code), 0) != (ssize_t)sizeof(code))
		err(1, "cannot write a file");
	return file;
}

static struct seen collect(struct session *session, void (*work)(uint64_t until),
			   unsigned of_victim)
{
	struct seen seen = { 0 };

	for (unsigned round = 0; round < 200 && (seen.own < 200 || seen.victims < of_victim);
	     round++) {
		work(wall_ns() + 100 * NS_PER_MS);
		for (unsigned cpu = 0; cpu < session->cpus; cpu++)
			session_drain(session, cpu, look_at, &seen);
	}
	return seen;
}

static struct seen samples_with(struct forged forged, const char *victim_path)
{
	struct session session = session_by_tables();
	struct seen seen;

	ok(!give(session.fd, chain_for("/proc/self/exe", &forged, sizeof(forged))),
	   "a forged chain for this program");
	ok(!give(session.fd, chain_for(victim_path, &forged, sizeof(forged))),
	   "... and for the victim's");
	seen = collect(&session, spin_here, 100);
	session_close(&session);
	return seen;
}

/* A file with the build-id of this program, and one without any. */
static int copy_of_self(void)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC),
	    copy = memfd_create("copy", MFD_CLOEXEC);
	struct stat stat;

	if (from < 0 || copy < 0 || fstat(from, &stat) ||
	    sendfile(copy, from, NULL, (size_t)stat.st_size) != stat.st_size)
		err(1, "cannot copy this program");
	close(from);
	return copy;
}

/* What anybody's file says of its build-id chooses no chain. */
static void test_of_files(const char *victim_path)
{
	const struct forged forged = forge();
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC),
	    victims = open(victim_path, O_RDONLY | O_CLOEXEC), copy = copy_of_self(),
	    nameless = make_nameless(), another = make_nameless();
	struct session session = session_by_tables(), other;
	struct seen seen;

	ok(!give(session.fd, chain_of_file(copy, &forged, sizeof(forged))) &&
		   !give(session.fd, chain_of_file(nameless, &forged, sizeof(forged))),
	   "chains of a file with this program's build-id, and of one without");
	seen = collect(&session, spin_here, 0);
	ok(!seen.with_scripts && !seen.codes && seen.own >= 200,
	   "... are not this program's (%u of %u)", seen.with_scripts, seen.own);
	*(void **)&nameless_code = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, another, 0);
	seen = collect(&session, spin_nameless, 0);
	ok(!seen.with_scripts && !seen.codes && seen.own >= 200,
	   "... nor another file's that has no build-id either (%u of %u)", seen.with_scripts,
	   seen.own);
	*(void **)&nameless_code =
		mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, nameless, 0);
	seen = collect(&session, spin_nameless, 0);
	ok(seen.with_scripts >= 100, "... but that file's (%u of %u)", seen.with_scripts, seen.own);
	ok(!give(session.fd, chain_of_file(self, &forged, sizeof(forged))) &&
		   !give(session.fd, chain_of_file(victims, &forged, sizeof(forged))),
	   "chains of this program's own file, and of the victim's");
	seen = collect(&session, spin_here, 100);
	ok(seen.with_scripts >= 100 && seen.longest == NODES && !seen.no_place,
	   "... are followed (%u of %u)", seen.with_scripts, seen.own);
	if (geteuid())
		ok(!seen.victims_with_scripts && seen.victims >= 100,
		   "... but not in what one may not trace (%u of %u)", seen.victims_with_scripts,
		   seen.victims);
	other = session_by_tables();
	ok(give(other.fd, chain_of_file(self, &forged, sizeof(forged))) && errno == EEXIST,
	   "another session of this user has the chain");
	session_close(&other);
	session_close(&session);
	session = session_by_tables();
	seen = collect(&session, spin_here, 0);
	ok(!seen.with_scripts && seen.own >= 200, "with the last session it goes (%u of %u)",
	   seen.with_scripts, seen.own);
	session_close(&session);
	close(another);
	close(nameless);
	close(copy);
	close(victims);
	close(self);
}

/* Of this process's samples those that say what their thread is at work for, and those that lie. */
static void look_at_thread(const struct sysprof_record *record, void *data)
{
	const struct sysprof_sample *sample = (const void *)record;
	struct seen *seen = data;

	if (record->type != SYSPROF_SAMPLE || record->pid != (uint32_t)getpid() ||
	    !(record->flags & SYSPROF_SAMPLE_THREAD))
		return;
	seen->own++;
	seen->longest = sample->n_user > seen->longest ? sample->n_user : seen->longest;
	seen->no_place += (sample->frames[sample->n_kernel + sample->n_user - 1] &
			   SYSPROF_FRAME_SCRIPT) != SYSPROF_FRAME_SCRIPT;
}

/* What a thread is at work for is behind all frames that a session gets, however few. */
static void test_short_stacks(void)
{
	struct {
		struct sysprof_chain_header header;
		struct sysprof_chain_insn insn[2];
	} chain = { .header = forge().header,
		    .insn = { { SYSPROF_CHAIN_EMIT, 3, 1, 0, 1 },
			      { SYSPROF_CHAIN_END, 0, 0, 0, 0 } } };
	struct session sessions[] = { session_by_tables(), session_with_frames(2) };

	chain.header.flags = SYSPROF_CHAIN_THREAD;
	chain.header.max_frames = 1;
	chain.header.n_insns = 2;
	chain.header.n_lists = chain.header.n_spans = 0;
	ok(!give(sessions[0].fd, chain_for("/proc/self/exe", &chain, sizeof(chain))),
	   "a program of threads for this program");
	spin_here(wall_ns() + NS_PER_S);
	for (unsigned i = 0; i < 2; i++) {
		struct seen seen = { 0 };

		for (unsigned cpu = 0; cpu < sessions[i].cpus; cpu++)
			session_drain(&sessions[i], cpu, look_at_thread, &seen);
		ok(seen.own >= 100 && !seen.no_place && (i ? seen.longest == 2 : seen.longest > 2),
		   "of %u samples that have it %u end with something else (%u frames)", seen.own,
		   seen.no_place, seen.longest);
		session_close(&sessions[i]);
	}
}

static void make_list(unsigned n)
{
	for (unsigned i = 0; i < NODES; i++) {
		codes[i][0] = 0x636f6465;
		codes[i][1] = (uintptr_t)&behind_codes;
		nodes[i] = (struct node){ i + 1 < n ? &nodes[i + 1] : NULL, codes[i], i, 0 };
	}
}

int main(int argc, char **argv)
{
	char path[256], victim_path[512];
	struct forged forged;
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
	test_short_stacks();
	make_list(NODES);
	test_of_files(path);
	seen = samples_with(forge(), path);
	ok(seen.with_scripts >= 100 && seen.longest == NODES && !seen.no_place,
	   "one's own stacks have its frames (%u of %u, %u, %u)", seen.with_scripts, seen.own,
	   seen.longest, seen.no_place);
	ok(seen.codes >= NODES && seen.codes < 100 && !seen.wrong_codes &&
		   seen.paths == seen.codes,
	   "... and names, once for each CPU (%u, %u, %u)", seen.codes, seen.wrong_codes,
	   seen.paths);
	if (geteuid())
		ok(!seen.victims_with_scripts && seen.victims >= 100,
		   "somebody else's have none, and no byte of them (%u of %u)",
		   seen.victims_with_scripts, seen.victims);

	nodes[NODES - 1].next = &nodes[0];
	seen = samples_with(forge(), path);
	ok(seen.with_scripts >= 100 &&
		   seen.longest == SYSPROF_CHAIN_FUEL / SYSPROF_CHAIN_LIST_FUEL - 1 &&
		   seen.cut >= 100,
	   "a list in a circle ends with the fuel (%u frames, %u)", seen.longest, seen.cut);

	make_list(NODES);
	nodes[2].code = (uint64_t *)0xffffffff81000000;
	seen = samples_with(forge(), path);
	ok(seen.with_scripts >= 100 && seen.longest == 2 && seen.cut >= 100,
	   "an address of the kernel ends it (%u, %u)", seen.longest, seen.cut);
	nodes[2].code = (uint64_t *)0x7ffffffffff8;
	seen = samples_with(forge(), path);
	ok(seen.longest == 2 && seen.cut >= 100, "... so does the last user address (%u, %u)",
	   seen.longest, seen.cut);

	forged = forge();
	forged.insn[6] = (struct sysprof_chain_insn){ SYSPROF_CHAIN_LOOP, 0, 0, 0, 0 };
	make_list(1);
	seen = samples_with(forged, path);
	ok(seen.with_scripts >= 100 && seen.cut >= 100 && seen.longest <= SYSPROF_CHAIN_MAX_FRAMES,
	   "a loop without end ends, too (%u, %u)", seen.longest, seen.cut);
	return tests_end();
}
