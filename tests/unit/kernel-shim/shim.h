/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * As much of a kernel as module/ring.c, budget.c, memo.c, steps.c, recall.c and walk-table.h need,
 * for user space.  A CPU is a thread; before each step that other contexts can see, shim_step() is
 * called: that is where a test lets an interrupt come or another CPU have a turn.
 */
#ifndef KERNEL_SHIM_H
#define KERNEL_SHIM_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

/* The test's: an interrupt may come here, and what time it is. */
void shim_step(void);
u64 ktime_get_mono_fast_ns(void);

#define PAGE_SHIFT	12
#define PAGE_SIZE	(1UL << PAGE_SHIFT)

/* Memory that both worlds see. */

extern bool shim_without_release;	/* a mistake, for a test to show that it is seen */

#define READ_ONCE(x) ({ shim_step(); __atomic_load_n(&(x), __ATOMIC_RELAXED); })
#define WRITE_ONCE(x, value)                                                                       \
	do {                                                                                       \
		shim_step();                                                                       \
		__atomic_store_n(&(x), value, __ATOMIC_RELAXED);                                   \
	} while (0)
#define smp_load_acquire(p) ({ shim_step(); __atomic_load_n(p, __ATOMIC_ACQUIRE); })
#define smp_store_release(p, value)						\
	do {									\
		shim_step();							\
		if (shim_without_release)					\
			__atomic_store_n(p, value, __ATOMIC_RELAXED);		\
		else								\
			__atomic_store_n(p, value, __ATOMIC_RELEASE);		\
	} while (0)
#define barrier() __asm__ __volatile__("" ::: "memory")
/* The compiler forgets what it knows of @var. */
#define OPTIMIZER_HIDE_VAR(var) __asm__("" : "=r"(var) : "0"(var))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

extern int shim_fence;

/* Not a fence: ThreadSanitizer knows none. */
#define smp_mb() ((void)__atomic_fetch_add(&shim_fence, 0, __ATOMIC_SEQ_CST))

/* Memory of one CPU and its interrupts. */

typedef struct {
	long value;
} local_t;

#define local_read(l) ({ shim_step(); __atomic_load_n(&(l)->value, __ATOMIC_RELAXED); })
#define local_set(l, to) __atomic_store_n(&(l)->value, to, __ATOMIC_RELAXED)
#define local_inc(l)                                                                               \
	do {                                                                                       \
		shim_step();                                                                       \
		__atomic_fetch_add(&(l)->value, 1, __ATOMIC_RELAXED);                              \
	} while (0)
#define local_dec(l)                                                                               \
	do {                                                                                       \
		shim_step();                                                                       \
		__atomic_fetch_sub(&(l)->value, 1, __ATOMIC_RELAXED);                              \
	} while (0)
#define smp_processor_id() 0

static inline long local_cmpxchg(local_t *local, long expected, long value)
{
	shim_step();
	__atomic_compare_exchange_n(&local->value, &expected, value, false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
	return expected;
}

/* What each CPU has; the test says which one it is on. */

#define SHIM_CPUS 2
extern unsigned int shim_cpu;

#define DEFINE_PER_CPU(type, name)	__typeof__(type) name[SHIM_CPUS]
#define per_cpu_ptr(all, cpu)		(&(*(all))[cpu])
#define this_cpu_ptr(all)		per_cpu_ptr(all, shim_cpu)
#define per_cpu(all, cpu)		((all)[cpu])
#define DECLARE_PER_CPU(type, name)	extern DEFINE_PER_CPU(type, name)
#define this_cpu_read(all)		((all)[shim_cpu])
#define for_each_online_cpu(cpu)	for ((cpu) = 0; (cpu) < SHIM_CPUS; (cpu)++)
#define for_each_possible_cpu		for_each_online_cpu
#define cpu_to_node(cpu)		(cpu)
#define in_nmi()			false
#define hardirq_count()			0
#define HARDIRQ_OFFSET			1
#define in_serving_softirq()		false
#define is_idle_task(task)		false
#define __percpu
#define local_irq_save(flags) ((flags) = 0)
#define local_irq_restore(flags) ((void)(flags))
#define rcu_read_lock() ((void)0)
#define rcu_read_unlock() ((void)0)

struct list_head {
	struct list_head *next, *prev;
};

typedef struct {
	u32 value;
} kuid_t;

typedef struct {
	u64 value;
} atomic64_t;

typedef struct {
	int value;
} atomic_t;

#define ATOMIC_INIT(to)			{ to }
#define atomic_read(a)			((a)->value)
#define atomic_inc(a)			((void)(a)->value++)
#define atomic_dec(a)			((void)(a)->value--)
#define atomic_add_unless(a, n, unless)	\
	((a)->value != (unless) && ((a)->value += (n), true))

#define ATOMIC64_INIT(to)		{ to }
#define atomic64_read(a)		((a)->value)
#define atomic64_inc_return(a)		(++(a)->value)

static inline u64 atomic64_cmpxchg(atomic64_t *atomic, u64 expected, u64 value)
{
	u64 before = atomic->value;

	if (before == expected)
		atomic->value = value;
	return before;
}

#define noinline			__attribute__((noinline))
#define module_param(name, type, mode)	_Static_assert(sizeof(name) == sizeof(type), #name)
struct kernel_param;
struct kernel_param_ops {
	int (*get)(char *to, const struct kernel_param *param);
};
#define scnprintf snprintf
#define module_param_cb(name, ops, arg, mode) _Static_assert(sizeof((ops)->get) > 1, #name)
#define module_param_named(as, name, type, mode) module_param(name, type, mode)
#define MODULE_PARM_DESC(name, text)	_Static_assert(sizeof(text) > 1, #name)

/* Allocation: every page is a token, and mapping them makes the memory. */

struct page;

#define GFP_KERNEL		0
#define GFP_KERNEL_ACCOUNT	0
#define __GFP_ZERO		0
#define __GFP_NOWARN		0
#define VM_MAP			0
#define PAGE_KERNEL		0

/* How many allocations are there, and after how many more the next fails (-1: never). */
extern long shim_allocated, shim_fail_after;

static inline void *shim_allocation(void *memory)
{
	shim_allocated += memory != NULL;
	return memory;
}

static inline bool shim_fails(void)
{
	return shim_fail_after >= 0 && !shim_fail_after--;
}

#define kvcalloc(n, size, gfp) shim_allocation(shim_fails() ? NULL : calloc(n, size))
#define alloc_pages_node(node, gfp, order)                                                         \
	((void)(node), (struct page *)shim_allocation(shim_fails() ? NULL : malloc(1)))
#define kvzalloc_node(size, gfp, node)                                                             \
	((void)(node), shim_allocation(shim_fails() ? NULL : calloc(1, size)))
#define vmap(pages, nr, flags, protection)                                                         \
	shim_allocation(shim_fails() ? NULL : shim_zeroed((nr)*PAGE_SIZE))
#define kvfree(memory) shim_free(memory)
#define put_page(page) shim_free(page)
#define vunmap(memory) shim_free(memory)

static inline void *shim_zeroed(size_t bytes)
{
	void *memory = aligned_alloc(PAGE_SIZE, bytes);

	if (memory)
		memset(memory, 0, bytes);
	return memory;
}

static inline void shim_free(void *memory)
{
	shim_allocated -= memory != NULL;
	free(memory);
}

/* Arithmetic. */

#define U16_MAX UINT16_MAX
#define U64_MAX			UINT64_MAX
#define S8_MIN			INT8_MIN
#define S8_MAX			INT8_MAX
#define SZ_1G			0x40000000
#define GOLDEN_RATIO_64		0x61c8864680b583ebull
#define GENMASK_ULL(high, low)		(~0ull >> (63 - (high)) & ~0ull << (low))
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define BIT(n)			(1ul << (n))
#define hweight32(word)		((unsigned int)__builtin_popcount(word))
#define BIT_ULL(n)		(1ull << (n))
#define hash_64(value, bits)	((u64)(value) * GOLDEN_RATIO_64 >> (64 - (bits)))
#define hash_32(value, bits)	((u32)(value) * 0x61c88647U >> (32 - (bits)))
#define hash_ptr(pointer, bits)	((u32)hash_64((uintptr_t)(pointer), bits))
#define ____cacheline_aligned __attribute__((aligned(64)))
#define __ffs(word)		((unsigned int)__builtin_ctzl(word))
#define __fls(word)		(63 - (unsigned int)__builtin_clzl(word))
#define ror64(word, by)		((u64)(word) >> (by) | (u64)(word) << (64 - (by)))
#define min_t(type, a, b)	((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define max_t(type, a, b)	((type)(a) > (type)(b) ? (type)(a) : (type)(b))
#define clamp_t(type, value, low, high) min_t(type, max_t(type, value, low), high)
#define min(a, b)		min_t(__typeof__(a), a, b)
#define min3(a, b, c)		min_t(__typeof__(a), min(a, b), c)
#define max(a, b)		max_t(__typeof__(a), a, b)
#define clamp(value, low, high)	clamp_t(__typeof__(value), value, low, high)
#define div_u64(a, b)		((u64)(a) / (b))
#define DIV64_U64_ROUND_UP(a, b) (((a) + (b) - 1) / (b))
#define NSEC_PER_MSEC		1000000ull
#define NSEC_PER_SEC		1000000000ull
#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

/* Memory of the user: what the test says may be read, the rest faults. */

#define __user
bool shim_may_read(u64 address);

#define pagefault_disable() ((void)0)
#define pagefault_enable() ((void)0)
#define data_race(expression) (expression)
#define kcsan_disable_current() ((void)0)
#define kcsan_enable_current() ((void)0)
#define user_read_access_begin(from, bytes) true
#define user_read_access_end() ((void)0)
#define unsafe_get_user(value, from, fault)			\
	do {							\
		if (!shim_may_read((u64)(from)))		\
			goto fault;				\
		__builtin_memcpy(&(value), from, sizeof(*(from)));	\
	} while (0)

struct llist_node {
	struct llist_node *next;
};

struct pt_regs {
	u64 registers[16];
	u64 orig_ax;
	u64 ip, sp, bp;
};

#define user_64bit_mode(regs)	 ((void)(regs), true)
#define user_stack_pointer(regs) ((regs)->sp)
#define instruction_pointer(regs) ((regs)->ip)

/* Tasks, whose stacks are the test's. */

#define PF_KTHREAD		1
#define READ_ONCE_NOCHECK(x)	(x)

struct task_struct {
	u32 flags, state;
	int pid, tgid, references;
	u64 start_time, nvcsw, nivcsw;
	bool on_cpu, in_iowait;
	char comm[16];
	void *stack;
	struct pt_regs *entry;
};

extern struct task_struct shim_current;
#define current			(&shim_current)

#define task_stack_page(task)	((task)->stack)
#define task_pt_regs(task)	((task)->entry)

/* The time in ticks of the kernel, the test's, and who hears of modules. */

#define HZ			250
extern unsigned long jiffies;
#define time_before(a, b)	((long)((a) - (b)) < 0)

struct notifier_block {
	int (*notifier_call)(struct notifier_block *block, unsigned long event, void *data);
};

/* No frame is the module's own. */
#define within_module(ip, module)	false
#define EXPORT_SYMBOL_NS_GPL(symbol, space) _Static_assert(sizeof(&(symbol)) > 1, #symbol)
#define NOTIFY_DONE			0
#define register_module_notifier(block) ((void)(block), shim_fails() ? -ENOMEM : 0)
#define unregister_module_notifier(block) ((void)(block))

/* The first byte that is not @byte; NULL: there is none. */
static inline const void *memchr_inv(const void *bytes, int byte, size_t n)
{
	for (const u8 *at = bytes; n--; at++)
		if (*at != byte)
			return at;
	return NULL;
}

#endif /* KERNEL_SHIM_H */
