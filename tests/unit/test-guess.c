/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules of assembly that nothing describes.  Each function here is run one instruction after
 * the other; before each of them the rule has to find the caller's stack pointer and registers,
 * which are known since this program called it.  Those that do strange things may have no rule.
 */
#include "unwind/guess.h"

#include <gelf.h>
#include <glib.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "unwind/extract.h"
#include "unwind/table.h"
#include "unwind/x86.h"

#ifdef __x86_64__

#define TRAP_FLAG "0x100"
#define DEPTH_MAX 8

asm(".pushsection .text.guessed, \"ax\"\n"
    ".balign 64\n"
    "guess_begin:\n"
    /* Pushes in a loop's way, and returns from two places. */
    "guess_pushes: push %rbx\n push %rbp\n push %r12\n mov $3, %ebx\n"
    "1: push %rdi\n pop %rax\n dec %ebx\n jnz 1b\n"
    "test %edi, %edi\n js 2f\n pop %r12\n pop %rbp\n pop %rbx\n ret\n"
    "2: xor %ebp, %ebp\n pop %r12\n pop %rbp\n pop %rbx\n rep ret\n"
    ".balign 16, 0xcc\n"
    "guess_subtracts: sub $0x28, %rsp\n mov %rdi, 8(%rsp)\n lea -0x100(%rsp), %rsp\n"
    "mov %rbx, 0x10(%rsp)\n mov $7, %ebx\n mov 0x10(%rsp), %rbx\n sub $-0x80, %rsp\n"
    "add $0x80, %rsp\n add $0x28, %rsp\n ret\n"
    ".balign 16\n"
    /* So much that it does not know itself how much. */
    "guess_alloca: push %rbp\n mov %rsp, %rbp\n push %r13\n and $0x70, %edi\n sub %rdi, %rsp\n"
    "mov $1, %r13d\n movq $0, (%rsp)\n lea -8(%rbp), %rsp\n pop %r13\n leave\n ret\n"
    ".balign 16, 0x90\n"
    "guess_aligns: push %r14\n mov %rsp, %rax\n and $-64, %rsp\n sub $0x100, %rsp\n"
    "mov %rax, 0xc0(%rsp)\n xor %eax, %eax\n mov $5, %r14d\n nop\n mov 0xc0(%rsp), %rsp\n"
    "pop %r14\n ret\n"
    ".balign 16\n"
    "guess_aligns_bp: push %rbp\n mov %rsp, %rbp\n push %rbx\n and $-32, %rsp\n sub $96, %rsp\n"
    "mov %rdi, 8(%rsp)\n mov $1, %ebx\n call guess_inner\n mov -8(%rbp), %rbx\n leave\n ret\n"
    ".balign 16\n"
    "guess_inner: push %rax\n mov %edi, %eax\n vzeroupper\n add $8, %rsp\n ret\n"
    "guess_unpadded: push %r15\n mov %rsp, %r15\n sub $24, %rsp\n call guess_inner\n"
    "mov %r15, %rsp\n pop %r15\n jmp guess_subtracts\n"
    ".balign 16\n"
    "guess_table: push %rbx\n sub $16, %rsp\n and $1, %edi\n lea 1f(%rip), %rax\n"
    "shl $4, %edi\n add %rdi, %rax\n jmp *%rax\n"
    ".balign 16\n"
    "1: mov $1, %ebx\n jmp 3f\n .balign 16\n"
    "2: mov $2, %ebx\n"
    "3: mov %ebx, %eax\n add $16, %rsp\n pop %rbx\n ret\n"
    /* What comes before it ends with a jump that leads nowhere known. */
    ".balign 16\n"
    "guess_after: push %r12\n mov %rdi, %r12\n pop %r12\n ret\n"
    ".balign 16\n"
    "guess_tail_somewhere: test %edi, %edi\n jns 1f\n ret\n"
    "1: mov guess_after@GOTPCREL(%rip), %rax\n jmp *%rax\n"
    ".balign 16\n"
    "guess_red_zone: mov %rbx, -8(%rsp)\n mov $3, %ebx\n mov -8(%rsp), %rbx\n ret\n"
    ".balign 16\n"
    "guess_calls_itself: lea -8(%rsp), %rsp\n dec %edi\n js 1f\n call guess_calls_itself\n"
    "1: lea 8(%rsp), %rsp\n ret\n"
    ".balign 16\n"
    /* Below here nothing may be reported: the stack is not as it was. */
    "guess_honest_end:\n"
    "guess_returns_by_push: push %rdi\n mov %edi, %eax\n ret\n"
    ".balign 16\n"
    "guess_disagrees: test %edi, %edi\n jz 1f\n push %rax\n 1: mov %edi, %eax\n ret\n"
    ".balign 16\n"
    "guess_switches: mov %rdi, %rsp\n mov %edi, %eax\n ret\n"
    ".balign 16\n"
    "guess_broken: push %rbx\n .byte 0x06\n pop %rbx\n ret\n"
    ".balign 16\n"
    /* Maybe it was jumped to, in the midst of another's frame. */
    "guess_goes_on: inc %edi\n jmp *(%rsi,%rdi,8)\n"
    ".balign 16\n"
    "guess_end:\n"
    ".popsection\n");

extern const uint8_t guess_begin[], guess_honest_end[], guess_end[];

struct row {
	bool is_told, is_start;
	struct sysprof_table_rule rule;
};

static struct row *rows;		/* by byte */
static size_t code_bytes;

/* What has come back when a function has: by it each step is judged. */
static uint64_t cfa[DEPTH_MAX], kept[DEPTH_MAX][6];
static unsigned depth;
static const uint8_t *before;
static volatile unsigned steps, untold, wrong;
static const uint8_t *volatile wrong_at;

static const int greg_of_dwarf[16] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
				       REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
				       REG_R12, REG_R13, REG_R14, REG_R15 };
static const int dwarf_of_slot[6] = { 3, 6, 12, 13, 14, 15 };

static uint64_t cfa_by(const struct sysprof_table_rule *rule, const greg_t *registers)
{
	uint64_t at = (uint64_t)registers[greg_of_dwarf[rule->cfa_register]] +
		      (uint64_t)(int64_t)rule->cfa_offset;

	return rule->cfa == SYSPROF_CFA_REGISTER ?
		       at :
		       *(const uint64_t *)at + (uint64_t)(int64_t)rule->cfa_add;
}

static bool is_right(const struct sysprof_table_rule *rule, const greg_t *registers)
{
	if (cfa_by(rule, registers) != cfa[depth] || rule->ra_offset != -8)
		return false;
	for (unsigned i = 0; i < 6; i++) {
		uint64_t value = (uint64_t)registers[greg_of_dwarf[dwarf_of_slot[i]]];

		if (rule->lost >> i & 1)
			continue;
		if (rule->at_cfa >> i & 1)
			value = *(const uint64_t *)(cfa[depth] + rule->saved[i] * 8);
		if (value != kept[depth][i])
			return false;
	}
	return true;
}

static void on_step(G_GNUC_UNUSED int number, G_GNUC_UNUSED siginfo_t *info, void *data)
{
	const greg_t *registers = ((ucontext_t *)data)->uc_mcontext.gregs;
	const uint8_t *at = (const uint8_t *)registers[REG_RIP];
	bool is_within = at >= guess_begin && at < guess_end;
	SptX86 x86;

	/* A call, by this program or by a function itself; or a return. */
	if (before && spt_x86_decode(before, 15, &x86) && x86.kind == SPT_X86_RETURN)
		depth--;
	else if (is_within && (!before || x86.kind == SPT_X86_CALL)) {
		cfa[++depth] = (uint64_t)registers[REG_RSP] + 8;
		for (unsigned i = 0; i < 6; i++)
			kept[depth][i] = (uint64_t)registers[greg_of_dwarf[dwarf_of_slot[i]]];
	}
	before = is_within ? at : NULL;
	if (!is_within)
		return;
	steps++;
	if (!rows[at - guess_begin].is_told) {
		untold++;
	} else if (!is_right(&rows[at - guess_begin].rule, registers)) {
		wrong++;
		wrong_at = at;
	}
}

/* Values to be found again in the registers that it has to keep. */
static __attribute__((noinline)) void step_through(const void *function, uint64_t argument)
{
	asm volatile("push %%rbx\n push %%rbp\n mov $0x1111, %%ebx\n mov $0x2222, %%ebp\n"
		     "mov $0x3333, %%r12d\n mov $0x4444, %%r13d\n mov $0x5555, %%r14d\n"
		     "mov $0x6666, %%r15d\n"
		     "pushf\n orl $" TRAP_FLAG ", (%%rsp)\n popf\n"
		     "call *%%rax\n"
		     "pushf\n andl $~" TRAP_FLAG ", (%%rsp)\n popf\n"
		     "pop %%rbp\n pop %%rbx\n"
		     : "+a"(function), "+D"(argument)
		     :
		     : "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
		       "memory", "cc");
}

static void on_row(size_t at, size_t bytes, bool is_start, const struct sysprof_table_rule *rule,
		   G_GNUC_UNUSED void *data)
{
	g_assert_cmpuint(at + bytes, <=, code_bytes);
	for (size_t i = 0; i < bytes; i++)
		rows[at + i] = (struct row){ true, is_start && i == 0, *rule };
}

static void make_rows(void)
{
	code_bytes = guess_end - guess_begin;
	rows = g_new0(struct row, code_bytes);
	spt_guess_rules(guess_begin, code_bytes, NULL, 0, on_row, NULL);
}

#define FUNCTION(name)                                                                             \
	({                                                                                         \
		extern const uint8_t name[];                                                       \
		name;                                                                              \
	})

static void expect(const uint8_t *function, uint64_t argument, bool is_start)
{
	before = NULL;
	depth = steps = untold = wrong = 0;
	step_through(function, argument);
	g_assert_cmpuint(steps, >, 2);
	if (wrong)
		g_test_message("the rule at 0x%zx is wrong", (size_t)(wrong_at - guess_begin));
	g_assert_cmpuint(wrong, ==, 0);
	g_assert_cmpuint(untold, ==, 0);
	g_assert_true(rows[function - guess_begin].is_start == is_start);
}

static void test_steps(void)
{
	struct sigaction action = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO }, former;

	g_assert_cmpint(sigaction(SIGTRAP, &action, &former), ==, 0);
	for (unsigned argument = 0; argument < 3; argument++) {
		expect(FUNCTION(guess_pushes), argument - 1ull, true);
		expect(FUNCTION(guess_subtracts), argument, true);
		expect(FUNCTION(guess_alloca), 0x10 * argument + 0x10, true);
		expect(FUNCTION(guess_aligns), argument, true);
		expect(FUNCTION(guess_aligns_bp), argument, true);
		expect(FUNCTION(guess_unpadded), argument, true);
		expect(FUNCTION(guess_table), argument, true);
		expect(FUNCTION(guess_after), argument, true);
		expect(FUNCTION(guess_tail_somewhere), argument, true);
		expect(FUNCTION(guess_red_zone), argument, true);
		expect(FUNCTION(guess_calls_itself), argument, true);
	}
	g_assert_cmpint(sigaction(SIGTRAP, &former, NULL), ==, 0);
}

static void test_strange(void)
{
	for (const uint8_t *at = guess_honest_end; at < guess_end; at++)
		g_assert_false(rows[at - guess_begin].is_told);
}

static const struct row *rows_of(const uint8_t *code, size_t n, const SptLabel *labels,
				 unsigned n_labels)
{
	g_free(rows);
	code_bytes = n;
	rows = g_new0(struct row, n);
	spt_guess_rules(code, n, labels, n_labels, on_row, NULL);
	return rows;
}

/* Where symbols say that functions begin, if what is there may be one. */
static void test_labels(void)
{
	/* Two bytes of data; dec %rdi; jnz; ret */
	static const uint8_t behind_data[] = { 0x48, 0xb8, 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 };
	/* push %rbx; pop %rbx; ret */
	static const uint8_t whole[] = { 0x53, 0x5b, 0xc3 };
	static const SptLabel certain = { 2, true }, label = { 2, false }, middle = { 1, true },
			      in_middle = { 1, false };

	g_assert_true(rows_of(behind_data, sizeof(behind_data), &certain, 1)[2].is_told);
	g_assert_true(rows[2].is_start && rows[7].is_told);
	g_assert_true(rows_of(behind_data, sizeof(behind_data), &label, 1)[2].is_told);
	g_assert_cmpint(rows_of(whole, sizeof(whole), &middle, 1)[1].rule.cfa_offset, ==, 16);
	g_assert_true(rows[0].is_start && !rows[1].is_start);
	g_assert_cmpint(rows_of(whole, sizeof(whole), &in_middle, 1)[1].rule.cfa_offset, ==, 16);
	g_assert_true(rows[0].is_start && !rows[1].is_start);
}

/* Call frame information ends before a system call, as in clone(); then with the stack in use. */
asm(".pushsection .text.rests, \"ax\"\n"
    ".balign 16\n"
    "rest_begin: .cfi_startproc\n mov $39, %eax\n .cfi_endproc\n"
    "syscall\n test %rax, %rax\n js .Lrest_failed\n ret\n"
    ".Lrest_failed: .cfi_startproc\n ret\n .cfi_endproc\n"
    ".balign 16\n"
    "rest_pushed: .cfi_startproc\n push %rbp\n .cfi_def_cfa_offset 16\n mov $39, %al\n"
    ".cfi_endproc\n syscall\n test %rax, %rax\n js .Lpushed_failed\n ret\n"
    ".Lpushed_failed: .cfi_startproc\n ret\n .cfi_endproc\n"
    ".popsection\n");

static uint64_t offset_of(const SptObject *self, const uint8_t *code)
{
	extern const char __executable_start[];
	uint64_t offset;

	g_assert_true(spt_object_address_to_offset(
		self, (uint64_t)((const char *)code - __executable_start), &offset));
	return offset;
}

static void test_rests(void)
{
	g_autoptr(SptObject) self = spt_object_open("/proc/self/exe", NULL);
	g_autoptr(SptUnwindTable) table = spt_unwind_table_new(self, NULL);
	uint64_t begin = offset_of(self, FUNCTION(rest_begin)),
		 pushed = offset_of(self, FUNCTION(rest_pushed));
	uint32_t n;
	const uint32_t *starts = spt_unwind_table_starts(table, &n);

	/* From the system call to where the next rules begin. */
	for (unsigned at = 5; at < 13; at++) {
		const SptUnwindRule *rule = spt_unwind_table_find(table, begin + at);

		g_assert_cmpuint(rule->cfa, ==, SYSPROF_CFA_REGISTER);
		g_assert_cmpint(rule->cfa_offset, ==, 8);
		g_assert_cmpuint(rule->ra, ==, SYSPROF_RA_MEMORY);
	}
	for (unsigned at = 3; at < 11; at++)
		g_assert_cmpuint(spt_unwind_table_find(table, pushed + at)->cfa, ==,
				 SYSPROF_CFA_UNKNOWN);
	/* No function begins there. */
	for (uint32_t i = 0; i < n; i++)
		g_assert_true(starts[i] <= begin || starts[i] >= begin + 13);
}

static void expect_in_table(const SptObject *self, const SptUnwindTable *table)
{
	uint64_t offset = offset_of(self, guess_begin);

	for (size_t i = 0; i < code_bytes; i++) {
		const SptUnwindRule *rule = spt_unwind_table_find(table, offset + i);
		SptUnwindRule expected = rows[i].rule;

		/* Nobody says where its function begins. */
		expected.is_guess = 1;
		if (!rows[i].is_told)
			g_assert_cmpuint(rule->cfa, ==, SYSPROF_CFA_UNKNOWN);
		else
			g_assert_cmpmem(rule, sizeof(*rule), &expected, sizeof(expected));
	}
}

/*
 * The table of this program has them, among those that are described; so has one of what is
 * extracted from it to make a table of.
 */
static void test_table(void)
{
	g_autoptr(SptObject) self = spt_object_open("/proc/self/exe", NULL);
	uint8_t key[SPT_EXTRACT_KEY_BYTES];
	int fd = spt_extract(spt_object_fd(self), key);
	g_autoptr(SptObject) parts = spt_object_open_fd(fd, "parts", NULL);
	g_autoptr(SptUnwindTable) table = spt_unwind_table_new(self, NULL),
				  of_parts = spt_unwind_table_new(parts, NULL);

	g_assert_nonnull(table);
	g_assert_nonnull(of_parts);
	expect_in_table(self, table);
	g_assert_true(g_bytes_equal(spt_unwind_table_bytes(table),
				    spt_unwind_table_bytes(of_parts)));
}

/* Nothing has called what runs first, whether it has call frame information or not. */
static void test_entry(void)
{
	static const char *const files[] = { "/proc/self/exe", "/lib64/ld-linux-x86-64.so.2" };

	for (unsigned i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autoptr(SptObject) object = spt_object_open(files[i], NULL);
		g_autoptr(SptUnwindTable) table = spt_unwind_table_new(object, NULL);
		const SptUnwindRule *rule;
		uint64_t offset;
		GElf_Ehdr ehdr;

		g_assert_nonnull(gelf_getehdr(spt_object_elf(object), &ehdr));
		g_assert_true(spt_object_address_to_offset(object, ehdr.e_entry, &offset));
		/* The place that its first call returns to, too. */
		for (unsigned k = 0; k < 16; k++) {
			rule = spt_unwind_table_find(table, offset + k);
			g_assert_cmpuint(rule->cfa, !=, SYSPROF_CFA_UNKNOWN);
			g_assert_cmpuint(rule->ra, ==, SYSPROF_RA_NONE);
		}
		rule = spt_unwind_table_find(table, offset - 1);
		g_assert_true(rule->cfa == SYSPROF_CFA_UNKNOWN || rule->ra != SYSPROF_RA_NONE);
	}
}

/* Whatever the bytes are: it ends, and describes nothing beyond them. */
static void test_any_bytes(void)
{
	uint8_t bytes[600];

	g_free(rows);
	code_bytes = sizeof(bytes);
	rows = g_new0(struct row, code_bytes);
	for (unsigned round = 0; round < 3000; round++) {
		size_t n = round % sizeof(bytes) + 1;

		memcpy(bytes, guess_begin, sizeof(bytes));
		for (unsigned i = 0; i < round % 40; i++)
			bytes[g_test_rand_int_range(0, sizeof(bytes))] = g_test_rand_int();
		code_bytes = n;
		/* Where the sanitizer sees what is read behind it. */
		g_autofree uint8_t *copy = g_memdup2(bytes, n);

		spt_guess_rules(copy, n, NULL, 0, on_row, NULL);
	}
	g_clear_pointer(&rows, g_free);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	make_rows();
	g_test_add_func("/guess/steps", test_steps);
	g_test_add_func("/guess/strange", test_strange);
	g_test_add_func("/guess/table", test_table);
	g_test_add_func("/guess/labels", test_labels);
	g_test_add_func("/guess/rests", test_rests);
	g_test_add_func("/guess/entry", test_entry);
	g_test_add_func("/guess/any-bytes", test_any_bytes);
	return g_test_run();
}

#else

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	return g_test_run();
}

#endif
