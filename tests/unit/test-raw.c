/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies of stacks (module/raw.c) in user space: what a record has room for was decided before, and
 * an interrupt may have wanted more since.
 */
#include <glib.h>

#include "shim.h"

/* What the headers of the module declare that this file needs. */
#define _SYSPROF_ARCH_H
#define _SYSPROF_CONTEXTS_H
#define SYSPROF_ARCH_MACHINE 62
#define SYSPROF_ARCH_REGS 24
#define SYSPROF_COMM_BYTES 16
#define ALIGN(x, to) (((x) + (to) - 1) & ~((__typeof__(x))(to) - 1))
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#define SZ_1K 1024
#define DEFINE_MUTEX(name) unsigned name
#define mutex_lock(mutex) ((void)(mutex))
#define mutex_unlock(mutex) ((void)(mutex))
#define kzalloc(bytes, gfp) calloc(1, bytes)
#define kfree(memory) free(memory)
#define WARN_ON_ONCE(wrong) (n_warnings += (wrong), (wrong))

static unsigned n_warnings;
static u32 stack_bytes;

struct sysprof_contexts {
	void *memory[2];
};
#define sysprof_contexts_this(contexts) (this_cpu_ptr(contexts)->memory[0])

static void sysprof_contexts_free(struct sysprof_contexts (*contexts)[SHIM_CPUS])
{
	for (unsigned i = 0; i < SHIM_CPUS; i++)
		g_free((*contexts)[i].memory[0]);
}

static int sysprof_contexts_alloc(struct sysprof_contexts (*contexts)[SHIM_CPUS], size_t bytes)
{
	for (unsigned i = 0; i < SHIM_CPUS; i++)
		(*contexts)[i].memory[0] = g_malloc0(bytes);
	return 0;
}

static void sysprof_arch_user_regs(const struct pt_regs *regs, unsigned long long *values);
static u32 sysprof_arch_copy_stack(const struct pt_regs *regs, void *to, u32 bytes);

#include "raw.c"

unsigned int shim_cpu;
bool shim_without_release;
long shim_allocated, shim_fail_after = -1;
struct task_struct shim_current;

void shim_step(void)
{
}

static void sysprof_arch_user_regs(const struct pt_regs *regs, unsigned long long *values)
{
	(void)regs;
	for (u64 i = 0; i < SYSPROF_ARCH_REGS; i++)
		values[i] = i + 1;
}

static u32 sysprof_arch_copy_stack(const struct pt_regs *regs, void *to, u32 bytes)
{
	(void)regs;
	bytes = min(bytes, stack_bytes);
	memset(to, 0xa5, bytes);
	return bytes;
}

#define PAST 0x5a

/* Bytes behind @room that are not as they were. */
static unsigned past(const u8 *to, u32 room, u32 all)
{
	unsigned n = 0;

	for (u32 i = room; i < all; i++)
		n += to[i] != PAST;
	return n;
}

/* Each amount that a record may have been given room for, beside each that is copied then. */
static void test_room(void)
{
	static const u32 amounts[] = { 0, 1, 7, 8, 1000, 1024, 4096, 16384, SYSPROF_MAX_RAW_BYTES };
	struct sysprof_raw_requests *requests = sysprof_raw_get();
	u32 all = COPY_BYTES + 64;
	u8 *to = g_malloc(all);
	struct pt_regs regs = { 0 };

	for (unsigned i = 0; i < G_N_ELEMENTS(amounts); i++)
		for (unsigned j = 0; j < G_N_ELEMENTS(amounts); j++)
			for (unsigned k = 0; k < G_N_ELEMENTS(amounts); k++) {
				const struct sysprof_raw *raw;
				const struct sysprof_raw *own = (void *)to;
				u32 room;

				stack_bytes = amounts[k];
				raw = sysprof_raw_take(&regs, SYSPROF_MAX_RAW_BYTES);
				room = sysprof_raw_size(raw, amounts[i]);
				n_warnings = 0;
				memset(to, PAST, all);
				sysprof_raw_put_into(to, room, raw, amounts[j]);
				g_assert_cmpuint(past(to, room, all), ==, 0);
				if (room == sysprof_raw_size(raw, amounts[j])) {
					g_assert_cmpuint(n_warnings, ==, 0);
					g_assert_cmpuint(own->stack_bytes, ==,
							 MIN(amounts[j], amounts[k]));
				} else {
					g_assert_cmpuint(n_warnings, ==, 1);
					g_assert_cmpuint(own->stack_bytes, ==, 0);
				}
			}
	g_free(to);
	sysprof_raw_put(requests);
}

/* Requests by name, and of all others. */
static void test_requests(void)
{
	struct sysprof_raw_requests *requests = sysprof_raw_get();

	g_strlcpy(shim_current.comm, "cc1", sizeof(shim_current.comm));
	g_assert_cmpuint(sysprof_raw_requested(requests, 65536), ==, 65536);
	sysprof_raw_set_bytes(requests, "", 0);
	g_assert_cmpuint(sysprof_raw_requested(requests, 65536), ==, 0);
	sysprof_raw_set_bytes(requests, "cc1", 1500);
	g_assert_cmpuint(sysprof_raw_requested(requests, 65536), ==, 2048);
	g_assert_cmpuint(sysprof_raw_requested(requests, 1024), ==, 1024);
	g_strlcpy(shim_current.comm, "make", sizeof(shim_current.comm));
	g_assert_cmpuint(sysprof_raw_requested(requests, 65536), ==, 0);
	sysprof_raw_put(requests);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/raw/room", test_room);
	g_test_add_func("/raw/requests", test_requests);
	return g_test_run();
}
