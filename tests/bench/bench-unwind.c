/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench-unwind FILE...: unwinds the raw stacks that perf recorded with --call-graph dwarf, with
 * ours and with libdwfl, frame by frame the same or not, and how long it took.  One line of "name
 * number" each; --show prints the first stacks that differ.
 */
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "perf-data.h"

#define FRAMES_MAX 1024
#define DWFLS_MAX 64
#define BATCH 1024

struct object {
	SptObject *elf;
	SptUnwindTable *table;
};

struct frames {
	unsigned n;
	SptUnwindFrame frame[FRAMES_MAX];
};

/* What both read. */
struct stack {
	struct sysprof_raw *raw;
	const struct perf_space *space;
};

static GHashTable *objects;		/* path -> struct object */
static GHashTable *dwfls;		/* number of a space -> Dwfl */
static const struct perf_space *current;
static char *vdso;
static uint64_t table_ns, ours_ns, dwfl_ns, table_bytes;

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* This machine's own object, which was recorded, too. */
static void write_vdso(void)
{
	int fd = g_file_open_tmp("vdso-XXXXXX", &vdso, NULL);
	uint64_t at = getauxval(AT_SYSINFO_EHDR);

	if (fd < 0 || !at || write(fd, (const void *)at, 8192) != 8192)
		perf_die("vdso", "cannot be written to a file");
	close(fd);
}

static struct object *object_of(const char *path)
{
	struct object *object = g_hash_table_lookup(objects, path);
	uint64_t before;

	if (object)
		return object;
	object = g_new0(struct object, 1);
	object->elf = spt_object_open(strcmp(path, "[vdso]") == 0 ? vdso : path, NULL);
	before = cpu_ns();
	if (object->elf)
		object->table = spt_unwind_table_new(object->elf, NULL);
	table_ns += cpu_ns() - before;
	if (object->table)
		table_bytes += g_bytes_get_size(spt_unwind_table_bytes(object->table));
	g_hash_table_insert(objects, g_strdup(path), object);
	return object;
}

static void free_object(void *pointer)
{
	struct object *object = pointer;

	spt_unwind_table_unref(object->table);
	spt_object_free(object->elf);
	g_free(object);
}

static bool find(uint64_t space, uint64_t address, SptUnwindPlace *ret, void *data)
{
	const struct perf_map *map = perf_find_map(current, address);

	(void)space;
	(void)data;
	if (!map)
		return false;
	ret->table = object_of(map->path)->table;
	ret->offset = address - map->start + map->offset;
	return true;
}

/* The other one. */

static Dwfl *make_dwfl(const struct perf_space *space)
{
	static char *no_path = "/nonexistent";
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.debuginfo_path = &no_path,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

	dwfl_report_begin(dwfl);
	for (unsigned i = 0; i < space->maps->len; i++) {
		const struct perf_map *map = &g_array_index(space->maps, struct perf_map, i);
		const struct object *object = object_of(map->path);
		uint64_t address, slack = 0;

		if (!object->elf || !g_hash_table_add(seen, (void *)map->path))
			continue;
		if (!spt_object_offset_to_address(object->elf, map->offset, &address)) {
			slack = 0xfff;
			if (!spt_object_offset_to_address(object->elf, map->offset + slack,
							  &address))
				continue;
		}
		dwfl_report_elf(dwfl, map->path, spt_object_name(object->elf), -1,
				map->start + slack - address, true);
	}
	dwfl_report_end(dwfl, NULL, NULL);
	return dwfl;
}

static const struct sysprof_raw *dwfl_raw;
static bool dwfl_looked_below;		/* the stack pointer, for this stack */

static pid_t next_thread(Dwfl *dwfl, void *data, void **thread)
{
	(void)dwfl;
	(void)data;
	if (*thread)
		return 0;
	*thread = (void *)1;
	return 1;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *data, void **thread)
{
	(void)dwfl;
	(void)tid;
	(void)data;
	*thread = (void *)1;
	return true;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *ret, void *data)
{
	uint64_t at = address - dwfl_raw->regs[7];

	(void)dwfl;
	(void)data;
	dwfl_looked_below |= -at <= 4096;
	if (at >= dwfl_raw->stack_bytes || dwfl_raw->stack_bytes - at < 8)
		return false;
	memcpy(ret, (const char *)&dwfl_raw->regs[24] + at, 8);
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *data)
{
	static const unsigned char from[17] = { 0,  3,	2,  1,	4,  5,	6,  7, 16,
						17, 18, 19, 20, 21, 22, 23, 8 };
	Dwarf_Word registers[17];

	(void)data;
	for (unsigned i = 0; i < 17; i++)
		registers[i] = dwfl_raw->regs[from[i]];
	return dwfl_thread_state_registers(thread, 0, 17, registers);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

static int on_frame(Dwfl_Frame *state, void *data)
{
	struct frames *frames = data;
	Dwarf_Addr pc;
	bool is_exact;

	if (frames->n == FRAMES_MAX || !dwfl_frame_pc(state, &pc, &is_exact))
		return DWARF_CB_ABORT;
	frames->frame[frames->n++] = (SptUnwindFrame){ pc, is_exact };
	return DWARF_CB_OK;
}

static Dwfl *dwfl_of(const struct perf_space *space)
{
	Dwfl *dwfl = g_hash_table_lookup(dwfls, GSIZE_TO_POINTER(space->number));

	if (dwfl)
		return dwfl;
	/* Its tables take much memory: those of processes that exited are dropped. */
	if (g_hash_table_size(dwfls) == DWFLS_MAX)
		g_hash_table_remove_all(dwfls);
	dwfl = make_dwfl(space);
	dwfl_attach_state(dwfl, NULL, 1, &thread_callbacks, (void *)1);
	g_hash_table_insert(dwfls, GSIZE_TO_POINTER(space->number), dwfl);
	return dwfl;
}

static void unwind_dwfl(const struct stack *stack, struct frames *frames)
{
	Dwfl *dwfl = dwfl_of(stack->space);

	dwfl_raw = stack->raw;
	dwfl_looked_below = false;
	frames->n = 0;
	dwfl_getthread_frames(dwfl, 1, on_frame, frames);
	/*
	 * It reports a caller before it looks whether there is code: what is none is not a frame.
	 */
	while (frames->n > 1 &&
	       !perf_find_map(stack->space, frames->frame[frames->n - 1].ip -
						    !frames->frame[frames->n - 1].is_exact))
		frames->n--;
}

/* Both. */

enum { IDENTICAL, TAKEN_BACK, NO_TABLE, BY_CODE, CALLER, LONGER, SHORTER, DIFFERENT, N_CLASSES };
static const char *const classes[] = { "identical",	"longer_taken_back",
				       "longer_no_table", "longer_by_code",
				       "longer_by_caller", "longer",
				       "shorter",	"different" };
static const char *const ends[SPT_UNWIND_ENDS] = { "root",    "limit",	    "cut",
						   "no_info", "bad_memory", "unmapped" };

static bool has_no_cfi(const struct stack *stack, uint64_t address)
{
	Dwfl_Module *module = dwfl_addrmodule(dwfl_of(stack->space), address);
	Dwarf_Addr bias = 0;
	Dwarf_CFI *cfi = module ? dwfl_module_eh_cfi(module, &bias) : NULL;
	Dwarf_Frame *frame = NULL;
	bool has_none = !cfi || dwarf_cfi_addrframe(cfi, address - bias, &frame) != 0;

	free(frame);
	return has_none;
}

/*
 * Code without CFI that has just begun has not set its frame pointer yet: libdwfl, which follows
 * that, misses the caller.
 */
static bool has_skipped_caller(const struct stack *stack, const struct frames *ours,
			       const struct frames *theirs)
{
	if (ours->n != theirs->n + 1 || ours->n < 2 || !ours->frame[0].is_exact ||
	    ours->frame[0].ip != theirs->frame[0].ip || !has_no_cfi(stack, ours->frame[0].ip))
		return false;
	for (unsigned i = 1; i < theirs->n; i++)
		if (ours->frame[i + 1].ip != theirs->frame[i].ip)
			return false;
	return true;
}

/*
 * Longer is only what goes on to where a whole stack ends, where libdwfl did not, and why that is
 * right: a register that the function has taken back already is looked for below the stack pointer,
 * in vain; or there is nothing but frame pointers to go on by, or the code itself.
 */
static unsigned classify(const struct stack *stack, const struct frames *ours,
			 const struct frames *theirs, SptUnwindEnd end)
{
	unsigned n = MIN(ours->n, theirs->n);
	SptUnwindPlace last;

	if (has_skipped_caller(stack, ours, theirs))
		return CALLER;
	for (unsigned i = 0; i < n; i++)
		if (ours->frame[i].ip != theirs->frame[i].ip ||
		    ours->frame[i].is_exact != theirs->frame[i].is_exact)
			return DIFFERENT;
	if (ours->n == theirs->n)
		return IDENTICAL;
	if (ours->n < theirs->n)
		return SHORTER;
	if (end != SPT_UNWIND_ROOT && end != SPT_UNWIND_CUT)
		return DIFFERENT;
	if (n &&
	    find(stack->space->number, ours->frame[n - 1].ip - !ours->frame[n - 1].is_exact, &last,
		 NULL) &&
	    !last.table)
		return NO_TABLE;
	if (n && has_no_cfi(stack, ours->frame[n - 1].ip - !ours->frame[n - 1].is_exact))
		return BY_CODE;
	return dwfl_looked_below ? TAKEN_BACK : LONGER;
}

static void show(const struct stack *stack, const struct frames *frames, const char *whose,
		 const char *how)
{
	printf("# %s (%s): sp %#" PRIx64 " bp %#" PRIx64 "\n", whose, how,
	       (uint64_t)stack->raw->regs[7], (uint64_t)stack->raw->regs[6]);
	for (unsigned i = 0; i < frames->n; i++) {
		const struct perf_map *map = perf_find_map(stack->space, frames->frame[i].ip);

		printf("#   %#" PRIx64 "%s %s+%#" PRIx64 "\n", frames->frame[i].ip,
		       frames->frame[i].is_exact ? "!" : "", map ? map->path : "",
		       map ? frames->frame[i].ip - map->start + map->offset : 0);
	}
}

struct counts {
	uint64_t stacks, frames, class[N_CLASSES], ends[SPT_UNWIND_ENDS];
	unsigned shown;
};

static void compare(SptUnwinder *unwinder, const struct stack *stack, struct counts *counts)
{
	static struct frames ours, theirs;
	SptUnwindEnd end;
	unsigned class;

	current = stack->space;
	ours.n = spt_unwinder_walk(unwinder, stack->space->number, stack->raw, ours.frame,
				   FRAMES_MAX, &end);
	unwind_dwfl(stack, &theirs);
	class = classify(stack, &ours, &theirs, end);
	counts->stacks++;
	counts->frames += ours.n;
	counts->ends[end]++;
	counts->class[class]++;
	if (!class || !counts->shown)
		return;
	counts->shown--;
	show(stack, &ours, "ours", ends[end]);
	show(stack, &theirs, "libdwfl", classes[class]);
}

/*
 * Each by itself first, then, with tables and libraries at hand, all of them against the clock:
 * more than fit into a cache nearby.
 */
static void take_stacks(SptUnwinder *unwinder, GArray *stacks, struct counts *counts)
{
	static struct frames frames;
	SptUnwindEnd end;
	uint64_t before;

	for (unsigned i = 0; i < stacks->len; i++)
		compare(unwinder, &g_array_index(stacks, struct stack, i), counts);
	before = cpu_ns();
	for (unsigned i = 0; i < stacks->len; i++) {
		const struct stack *stack = &g_array_index(stacks, struct stack, i);

		current = stack->space;
		spt_unwinder_walk(unwinder, stack->space->number, stack->raw, frames.frame,
				  FRAMES_MAX, &end);
	}
	ours_ns += cpu_ns() - before;
	before = cpu_ns();
	for (unsigned i = 0; i < stacks->len; i++)
		unwind_dwfl(&g_array_index(stacks, struct stack, i), &frames);
	dwfl_ns += cpu_ns() - before;
	for (unsigned i = 0; i < stacks->len; i++)
		g_free(g_array_index(stacks, struct stack, i).raw);
	g_array_set_size(stacks, 0);
}

static void take_file(const char *path, struct counts *counts)
{
	g_autoptr(SptUnwinder) unwinder = spt_unwinder_new(find, NULL);
	g_autoptr(GArray) stacks = g_array_new(FALSE, FALSE, sizeof(struct stack));
	struct perf_data data;

	perf_data_open(&data, path);
	for (unsigned i = 0; i < data.records->len; i++) {
		const struct perf_event_header *header =
			g_array_index(data.records, struct perf_at, i).header;
		struct stack stack;
		uint32_t pid;

		if (header->type != PERF_RECORD_SAMPLE || stacks->len == BATCH)
			take_stacks(unwinder, stacks, counts);
		if (header->type != PERF_RECORD_SAMPLE) {
			perf_data_take(&data, header);
			continue;
		}
		stack.raw = perf_data_raw(&data, header, &pid);
		stack.space = perf_space_of(&data, pid);
		/*
		 * Code that perf does not know, while a program starts: nothing more can be said
		 * about it.
		 */
		if (stack.raw && perf_find_map(stack.space, stack.raw->regs[8]))
			g_array_append_val(stacks, stack);
		else
			g_free(stack.raw);
	}
	take_stacks(unwinder, stacks, counts);
	g_hash_table_remove_all(dwfls);
	perf_data_close(&data);
}

static void end_dwfl(void *dwfl)
{
	dwfl_end(dwfl);
}

int main(int argc, char **argv)
{
	struct counts counts = { 0 };

	objects = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_object);
	dwfls = g_hash_table_new_full(NULL, NULL, NULL, end_dwfl);
	write_vdso();
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--show") == 0)
			counts.shown = 10;
		else
			take_file(argv[i], &counts);
	}
	printf("stacks %" PRIu64 "\nframes %" PRIu64 "\n", counts.stacks, counts.frames);
	for (unsigned i = 0; i < G_N_ELEMENTS(classes); i++)
		printf("%s %" PRIu64 "\n", classes[i], counts.class[i]);
	for (unsigned i = 0; i < SPT_UNWIND_ENDS; i++)
		printf("end_%s %" PRIu64 "\n", ends[i], counts.ends[i]);
	printf("ours_frames_per_s %.0f\nlibdwfl_frames_per_s %.0f\n",
	       counts.frames * 1e9 / (ours_ns + 1), counts.frames * 1e9 / (dwfl_ns + 1));
	printf("tables_bytes %" PRIu64 "\ntables_ms %.1f\n", table_bytes, table_ns / 1e6);
	unlink(vdso);
	g_free(vdso);
	g_hash_table_unref(dwfls);
	g_hash_table_unref(objects);
	return 0;
}
