/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The native frames of a program that is stopped, as the module's walk has them for chains of
 * frames and of steps: here they follow each other by frame pointers, and no table is needed.
 */
#ifndef CHAIN_NATIVE_H
#define CHAIN_NATIVE_H

#include <elfutils/libdwfl.h>
#include <glib.h>

#include "chain-user.h"
#include "record/script-lines.h"

static struct sysprof_script script;

/* A program that runs. */
struct program {
	const char *root;
	pid_t pid;
	FILE *said, *go;
	GHashTable *names; /* number of a code -> struct named */
	SptScriptLines *lines;
	struct sysprof_program *chain;
	u64 bias;
	char *title, *path;
};

/*
 * Native frames of a program of frames: those that follow each other by frame pointers, in code of
 * the interpreter's loops or of no file.  Behind other code the next one is looked for.
 */

struct code {
	u64 start, end;
};

/* Of the mapping @map of the interpreter's file, which may have several of one code. */
static void add_loops(GArray *code, const struct sysprof_program *chain, const struct code *map,
		      u64 offset)
{
	for (u32 i = 0; i < chain->n_loops; i++) {
		struct code loop = { MAX(chain->loop[i].start, offset) + map->start - offset,
				     MIN(chain->loop[i].end + map->start - offset, map->end) };

		if (loop.start < loop.end)
			g_array_append_val(code, loop);
	}
}

static GArray *find_code(const struct program *program)
{
	GArray *code = g_array_new(FALSE, FALSE, sizeof(struct code));
	g_autofree char *path = g_strdup_printf("/proc/%d/maps", program->pid);
	FILE *maps = fopen(path, "re");
	char line[1024], name[512], rights[8];
	unsigned long long offset;
	struct code range;
	int n;

	while (fgets(line, sizeof(line), maps)) {
		n = sscanf(line, "%llx-%llx %7s %llx %*s %*s %511s",
			   (unsigned long long *)&range.start, (unsigned long long *)&range.end,
			   rights, &offset, name);
		if (n < 4 || rights[2] != 'x')
			continue;
		if (n == 4 || g_str_has_prefix(name, "[anon"))
			g_array_append_val(code, range);
		else if (!strcmp(name, program->path))
			add_loops(code, program->chain, &range, offset);
	}
	fclose(maps);
	return code;
}

static bool is_in_code(const GArray *code, u64 address)
{
	for (unsigned i = 0; i < code->len; i++) {
		const struct code *range = &g_array_index(code, struct code, i);

		if (address >= range->start && address < range->end)
			return true;
	}
	return false;
}

/* False: the thread is in no such code. */
static bool find_frames(const GArray *code, const struct user_regs_struct *registers)
{
	static u64 stack[1 << 20];
	struct iovec here = { stack, sizeof(stack) }, there = { (void *)registers->rsp, 0 };
	u64 sp = registers->rsp, fp = registers->rbp, words;
	ssize_t bytes = -1;

	/* As much as there is. */
	for (u64 room = sizeof(stack); bytes < 0 && room >= 4096; room -= 4096) {
		there.iov_len = room;
		bytes = process_vm_readv(chain_user_pid, &here, 1, &there, 1, 0);
	}
	words = bytes > 0 ? (u64)bytes / 8 : 0;
	script.n_run = 0;
	script.ip = registers->rip;
	if (!is_in_code(code, registers->rip))
		return false;
	script.sps[0] = sp;
	while (fp >= sp && (fp - sp) / 8 + 1 < words &&
	       script.n_run + 1 < SYSPROF_MAX_USER_FRAMES) {
		u64 at = (fp - sp) / 8;

		script.run[script.n_run] = (u16)script.n_run;
		script.n_run++;
		script.sps[script.n_run] = fp + 16;
		if (is_in_code(code, stack[at + 1])) {
			fp = stack[at];
			continue;
		}
		for (at += 2; at + 1 < words; at++)
			if (stack[at] > sp + at * 8 && (stack[at] - sp) / 8 < words &&
			    is_in_code(code, stack[at + 1]))
				break;
		fp = at + 1 < words ? stack[at] : 0;
	}
	return true;
}

static void begin_steps(u64 bias)
{
	script.thread = chain_user_thread_pointer;
	script.n = 0;
	script.is_cut = false;
	script.bias = bias;
	script.fuel = SYSPROF_CHAIN_FUEL;
	memset(script.registers, 0, sizeof(script.registers));
}

/* A native frame that the walk along the tables of the program's files comes to. */
static int at_frame(Dwfl_Frame *frame, void *code)
{
	struct sysprof_inner_frame *inner = &script.inner;
	Dwarf_Addr pc, sp;
	bool is_exact;

	if (!dwfl_frame_pc(frame, &pc, &is_exact) ||
	    dwfl_frame_reg(frame, SYSPROF_ARCH_SP, &sp) != 0)
		return DWARF_CB_ABORT;
	if (inner->is_there)
		sysprof_chain_run_frame(&script, sp);
	inner->native++;
	inner->is_there = is_in_code(code, pc - !is_exact);
	inner->sp = sp;
	inner->known = 0;
	for (unsigned i = 0; i < SYSPROF_ARCH_TABLE_REGS; i++) {
		Dwarf_Word value;

		if (dwfl_frame_reg(frame, i, &value) != 0)
			continue;
		inner->registers[i] = value;
		inner->known |= 1ULL << i;
	}
	return DWARF_CB_OK;
}

/* As the module's walk with registers. */
static void run_by_registers(const struct program *program, GArray *code, pid_t thread)
{
	static const Dwfl_Callbacks callbacks = { .find_elf = dwfl_linux_proc_find_elf,
						  .find_debuginfo = dwfl_standard_find_debuginfo };
	Dwfl *dwfl = dwfl_begin(&callbacks);

	begin_steps(program->bias);
	script.inner = (struct sysprof_inner_frame){ 0 };
	g_assert_cmpint(dwfl_linux_proc_report(dwfl, program->pid), ==, 0);
	g_assert_cmpint(dwfl_report_end(dwfl, NULL, NULL), ==, 0);
	g_assert_cmpint(dwfl_linux_proc_attach(dwfl, program->pid, true), ==, 0);
	dwfl_getthread_frames(dwfl, thread, at_frame, code);
	dwfl_end(dwfl);
}

/* The caller's frame, if there is a frame pointer. */
static bool step_by_frame_pointer(struct sysprof_caller *frame)
{
	u64 words[2];

	if (frame->fp < frame->sp || !sysprof_arch_copy_user(words, frame->fp, sizeof(words)))
		return false;
	frame->sp = frame->fp + sizeof(words);
	frame->fp = words[0];
	frame->ip = words[1];
	return true;
}

/* As the module's walk, but that other code than the script's has frame pointers. */
static void run_steps(const struct program *program, const GArray *code,
		      const struct user_regs_struct *from)
{
	const u64 registers[] = { from->rax, from->rdx, from->rcx, from->rbx, from->rsi, from->rdi,
				  from->rbp, from->rsp, from->r8,  from->r9,  from->r10, from->r11,
				  from->r12, from->r13, from->r14, from->r15 };
	struct sysprof_caller frame = { .fp = from->rbp,
					.sp = from->rsp,
					.ip = from->rip,
					.is_exact = true,
					.registers = registers,
					.known = 0xffff };

	begin_steps(program->bias);
	for (u32 i = 0; i < SYSPROF_MAX_USER_FRAMES; i++) {
		u8 end = is_in_code(code, frame.ip) ? sysprof_chain_run_step(&script, i, &frame) :
						      SYSPROF_END_NO_INFO;

		if (end && (end != SYSPROF_END_NO_INFO || !step_by_frame_pointer(&frame)))
			return;
		frame.is_exact = false;
	}
}

/*
 * Steps from the beginning of @memory on: each leads further out, however the memory of the object
 * at @bias looks, and there is an end.
 */
static void run_steps_from(u64 bias, const uint64_t *memory, unsigned words)
{
	struct sysprof_caller frame = { .sp = (uintptr_t)memory,
					.fp = (uintptr_t)(memory + words / 2),
					.ip = *memory,
					.registers = memory,
					.known = UINT32_MAX,
					.is_exact = true };
	unsigned n = 0;
	u8 end;

	begin_steps(bias);
	do {
		u64 sp = frame.sp;
		s32 fuel = script.fuel;

		end = sysprof_chain_run_step(&script, 0, &frame);
		g_assert_cmpint(script.fuel, <, fuel);
		g_assert_true(end || frame.sp > sp);
		frame.is_exact = false;
		n++;
	} while (!end);
	g_assert_cmpuint(n, <=, SYSPROF_CHAIN_FUEL);
	g_assert_cmpuint(script.n, <=, script.program->max_frames);
}

#endif
