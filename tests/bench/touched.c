// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plugin of QEMU's: the distinct cache lines and pages that a guest's kernel touches between two
 * points of its code, such as the entry of a timer's function and the return to its caller.
 *
 * Arguments: out=FILE; window=BEGIN:LOW:HIGH, once for each window (it opens when the code at BEGIN
 * runs, and closes when code in [LOW, HIGH) does); phase=ADDRESS: whenever the code there runs, a
 * new phase begins, which separates what the guest does one after the other.  Addresses are
 * hexadecimal; a guest without KASLR has them where it had them before.
 *
 * FILE gets a line for each phase, its number, and one for each window that closed: number of the
 * window, phase, instructions, lines of data, lines of code, pages of data, pages of code.  A line
 * has 64 bytes.  A page is what takes an entry of the TLB: 2 MiB in the kernel's image and its
 * direct map, 4 KiB elsewhere.
 *
 * One virtual CPU only.
 */
#include <glib.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <qemu-plugin.h>

#define KERNEL		0xffff800000000000ULL
#define DIRECT_MAP	0xffff888000000000ULL
#define DIRECT_MAP_END	0xffffc88000000000ULL
/* The emulator's processor has five levels of page tables. */
#define DIRECT_MAP_5	0xff11000000000000ULL
#define DIRECT_MAP_5_END 0xff91000000000000ULL
#define IMAGE		0xffffffff80000000ULL
#define IMAGE_END	0xffffffffc0000000ULL
#define LINE_SHIFT	6
#define MAX_WINDOWS	8
#define SET_SLOTS	16384

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

/* Distinct numbers; emptied by counting @now up. */
struct set {
	uint64_t keys[SET_SLOTS];
	uint32_t seen[SET_SLOTS];
	uint32_t now, n;
};

struct window {
	uint64_t begin, low, high;
};

struct block {
	uint64_t start, end;
	uint32_t n_instructions;
};

static struct window windows[MAX_WINDOWS];
static unsigned n_windows, phase;
static uint64_t phase_address;
static struct window *open_window;
static uint64_t instructions;
static struct set data_lines, code_lines, data_pages, code_pages;
static GHashTable *blocks;
static FILE *out;

static void empty(struct set *set)
{
	set->now++;
	set->n = 0;
}

static void add(struct set *set, uint64_t key)
{
	uint32_t slot = (key * 0x9e3779b97f4a7c15ULL) >> 50;

	while (set->seen[slot] == set->now) {
		if (set->keys[slot] == key)
			return;
		slot = (slot + 1) % SET_SLOTS;
	}
	if (set->n >= SET_SLOTS / 2)
		return;
	set->seen[slot] = set->now;
	set->keys[slot] = key;
	set->n++;
}

static uint64_t page_of(uint64_t address)
{
	bool is_large = (address >= DIRECT_MAP && address < DIRECT_MAP_END) ||
			(address >= DIRECT_MAP_5 && address < DIRECT_MAP_5_END) ||
			(address >= IMAGE && address < IMAGE_END);

	return is_large ? address >> 21 | 1ULL << 63 : address >> 12;
}

static void touch(struct set *lines, struct set *pages, uint64_t first, uint64_t last)
{
	for (uint64_t line = first >> LINE_SHIFT; line <= last >> LINE_SHIFT; line++) {
		add(lines, line);
		add(pages, page_of(line << LINE_SHIFT));
	}
}

static void on_access(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
	(void)cpu;
	(void)data;
	if (open_window)
		touch(&data_lines, &data_pages, address,
		      address + (1ULL << qemu_plugin_mem_size_shift(info)) - 1);
}

static void close_window(void)
{
	fprintf(out, "%u %u %" PRIu64 " %u %u %u %u\n", (unsigned)(open_window - windows), phase,
		instructions, data_lines.n, code_lines.n, data_pages.n, code_pages.n);
	open_window = NULL;
}

static void on_block(unsigned int cpu, void *data)
{
	const struct block *block = data;

	(void)cpu;
	if (open_window && block->start >= open_window->low && block->start < open_window->high)
		close_window();
	if (block->start == phase_address)
		fprintf(out, "%u\n", ++phase);
	for (unsigned i = 0; i < n_windows && !open_window; i++)
		if (block->start == windows[i].begin) {
			open_window = &windows[i];
			instructions = 0;
			empty(&data_lines);
			empty(&code_lines);
			empty(&data_pages);
			empty(&code_pages);
		}
	if (open_window) {
		instructions += block->n_instructions;
		touch(&code_lines, &code_pages, block->start, block->end - 1);
	}
}

/* Blocks are translated again and again: each is kept once. */
static struct block *block_of(uint64_t start, uint64_t end, uint32_t n)
{
	struct block key = { start, end, n }, *block;
	g_autoptr(GBytes) bytes = g_bytes_new(&key, sizeof(key));

	block = g_hash_table_lookup(blocks, bytes);
	if (!block) {
		block = g_memdup2(&key, sizeof(key));
		g_hash_table_insert(blocks, g_steal_pointer(&bytes), block);
	}
	return block;
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);
	struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, n - 1);
	uint64_t end = qemu_plugin_insn_vaddr(last) + qemu_plugin_insn_size(last);

	(void)id;
	if (qemu_plugin_tb_vaddr(tb) < KERNEL)
		return;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS,
					     block_of(qemu_plugin_tb_vaddr(tb), end, n));
	for (size_t i = 0; i < n; i++)
		qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), on_access,
						 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
}

static void at_end(qemu_plugin_id_t id, void *data)
{
	(void)id;
	(void)data;
	fclose(out);
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
					   char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++) {
		struct window *window = &windows[n_windows];

		if (g_str_has_prefix(argv[i], "out="))
			out = fopen(argv[i] + 4, "w");
		else if (g_str_has_prefix(argv[i], "phase="))
			phase_address = strtoull(argv[i] + 6, NULL, 16);
		else if (n_windows < MAX_WINDOWS &&
			 sscanf(argv[i], "window=%" SCNx64 ":%" SCNx64 ":%" SCNx64, &window->begin,
				&window->low, &window->high) == 3)
			n_windows++;
		else
			return -1;
	}
	if (!out)
		return -1;
	blocks = g_hash_table_new(g_bytes_hash, g_bytes_equal);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_atexit_cb(id, at_end, NULL);
	return 0;
}
