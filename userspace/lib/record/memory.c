/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rings come and go with threads; their events are merged by time. */
#include "record/memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/words.h"
#include "record/memory-private.h"
#include "record/namespace.h"
#include "record/program-library.h"
#include "record/shared-memory.h"
#include "record/tsc.h"
#include "rings/chains.h"

/* Programs' rings are read this often: they fill within milliseconds. */
#define BUSY_MS 1
#define IDLE_MS 5
#define OPTIONS "--memory, --waits=calls"
#define LOOK_NS 500000000ULL
/* A step must not keep the recorder from its other work. */
#define STEP_NS 20000000ULL
#define FEW_RECORDS 1000u
#define ASAN_VARIABLE "ASAN_OPTIONS"
/* What is in the rings at the end is read for that long. */
#define LAST_NS 60000000000ULL
/* ... and to find out whose the last rings are. */
#define LAST_ASKED_NS 2000000000ULL

static void look_at_clock(SptMemory *memory)
{
	uint64_t stamps;

	spt_tsc_look(memory->is_tsc, &memory->now_stamp, &memory->now_ns);
	memory->now_stamp >>= SPT_STAMP_SHIFT;
	stamps = memory->now_stamp - memory->base_stamp;
	memory->stamp_step = stamps ?
		(uint64_t)(((unsigned __int128)(memory->now_ns - memory->base_ns) << 32) / stamps) :
		1ULL << (32 + SPT_STAMP_SHIFT);
}

static bool memory_map_rings(SptMemory *memory, GError **error)
{
	struct spt_rings_header *header;

	if (memory->attached_pid)
		return spt_memory_attach(memory, error);
	memory->fd = spt_shared_memory_new("sysprof-memory", spt_rings_bytes(), &memory->rings);
	if (memory->fd < 0) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
			      "Cannot make the memory in which programs report (--memory, --waits=calls): %s",
			      g_strerror(errno));
		return false;
	}
	header = memory->rings;
	header->pid_namespace = spt_pid_namespace();
	header->proc_device = spt_proc_device();
	header->n_filters = spt_self_filters();
	header->n_slots = SPT_RINGS_SLOTS;
	header->ring_words = SPT_RING_WORDS;
	header->version = SPT_RINGS_VERSION;
	header->magic = SPT_RINGS_MAGIC;
	return true;
}

static void memory_set_request(SptMemory *memory)
{
	struct spt_rings_header *header = memory->rings;

	memory->alive = spt_alive_new(&header->recorder);
	header->clock = memory->is_tsc ? SPT_RINGS_TSC : SPT_RINGS_MONOTONIC;
	header->mean_bytes = memory->mean_bytes;
	header->least_wait_ns = memory->least_wait_ns;
	header->has_free_stacks = memory->has_free_stacks;
	header->has_mappings = memory->has_mappings;
}

/* Adds the library @name if it @is_wanted. */
static bool memory_add_library(GString *libraries, const char *name, bool is_wanted, GError **error)
{
	g_autofree char *path = is_wanted ? spt_program_library_find(name, OPTIONS, error) :
						  NULL;

	if (path && !spt_memory_check_library(path, error))
		return false;
	if (path)
		g_string_append_printf(libraries, "%s%s", libraries->len ? ":" : "", path);
	return path || !is_wanted;
}

static bool memory_set_environment(SptMemory *memory, GError **error)
{
	g_autoptr(GString) libraries = g_string_new(NULL);
	const char *before = g_getenv("LD_PRELOAD");

	if (memory->attached_pid)
		return true;
	if (!memory_add_library(libraries, "libspt-memory.so", memory->has_allocations, error) ||
	    !memory_add_library(libraries, "libspt-io.so", memory->has_waits, error))
		return false;
	if (before && *before)
		g_string_append_printf(libraries, ":%s", before);
	memory->variables[0] = g_strdup("LD_PRELOAD");
	memory->variables[1] = g_strdup(libraries->str);
	memory->variables[2] = g_strdup(SPT_RINGS_VARIABLE);
	memory->variables[3] = g_strdup_printf("/proc/%d/fd/%d", (int)getpid(), memory->fd);
	memory->variables[4] = g_strdup(ASAN_VARIABLE);
	if (memory->chains) {
		memory->variables[6] = g_strdup(SPT_CHAINS_VARIABLE);
		memory->variables[7] = g_strdup(spt_script_chains_path(memory->chains));
	}
	before = g_getenv(ASAN_VARIABLE);
	/* GCC's address sanitizer refuses to run behind another library; it works there. */
	memory->variables[5] = g_strdup_printf("%s%sverify_asan_link_order=0", before ? before : "",
					       before && *before ? ":" : "");
	return true;
}

static void object_clear(void *data)
{
	g_free(((struct spt_known_object *)data)->path);
}

static void memory_object_free(void *data)
{
	object_clear(data);
	g_free(data);
}

static void memory_unref_array(void *array)
{
	g_array_unref(array);
}

static void image_free(void *data)
{
	struct spt_image *image = data;

	spt_blocks_clear(&image->blocks);
	g_tree_unref(image->mappings);
	g_free(image);
}

static void ring_free(void *data)
{
	struct spt_memory_ring *ring = data;

	g_array_unref(ring->nodes);
	g_array_unref(ring->code);
	g_clear_pointer(&ring->scripts, g_array_unref);
	g_array_unref(ring->unmapped);
	g_free(ring);
}

SptMemory *spt_memory_new(const SptMemoryOptions *options, const SptTraceWaits *waits,
			  const SptThreadIds *threads, SptOutput *output, GError **error)
{
	g_autoptr(SptMemory) memory = g_new0(SptMemory, 1);

	memory->fd = -1;
	memory->output = output;
	memory->has_allocations = options;
	memory->has_waits = waits;
	memory->mean_bytes = options ? options->mean_bytes : 0;
	memory->attached_pid = options ? options->attached_pid : 0;
	memory->has_free_stacks = options && options->has_free_stacks;
	memory->has_mappings = options && options->has_mappings;
	memory->least_wait_ns = waits ? waits->threshold_ns : 0;
	memory->n_cpus = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	memory->is_tsc = spt_tsc_is_usable();
	memory->active = g_ptr_array_new_with_free_func(ring_free);
	memory->images = g_hash_table_new_full(NULL, NULL, NULL, image_free);
	memory->threads = threads;
	memory->objects =
		g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, memory_unref_array);
	/* A key is the path of its value. */
	memory->by_path = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, memory_object_free);
	memory->expected = spt_memory_expected_new();
	memory->stash = spt_stash_new();
	memory->nodes = g_array_new(FALSE, TRUE, sizeof(uint32_t));
	memory->late = g_array_new(FALSE, FALSE, sizeof(struct spt_late_row));
	memory->owners = g_array_new(FALSE, TRUE, sizeof(struct spt_owner));
	/* Number 0 is not used. */
	g_array_set_size(memory->owners, 1);
	memory->first_unknown = 1;
	/* Captures that are merged keep theirs apart. */
	memory->next_handle = (uint64_t)g_get_real_time();
	memory->chains = spt_script_chains_new();
	if (!memory_map_rings(memory, error) || !memory_set_environment(memory, error))
		return NULL;
	memory_set_request(memory);
	look_at_clock(memory);
	memory->base_stamp = memory->now_stamp;
	memory->base_ns = memory->last_ns = memory->now_ns;
	if (memory->attached_pid)
		spt_memory_attach_begin(memory);
	return g_steal_pointer(&memory);
}

static void memory_let_go(SptMemory *memory)
{
	struct spt_rings_header *header = memory->rings;

	__atomic_store_n(&header->is_over,
			 memory->attached_pid ? SPT_RINGS_WAITS : SPT_RINGS_OVER,
			 __ATOMIC_SEQ_CST);
	for (unsigned i = 0; i < memory->active->len; i++) {
		struct spt_memory_ring *ring = memory->active->pdata[i];

		spt_ring_reader_end(&ring->reader);
	}
}

void spt_memory_free(SptMemory *memory)
{
	if (!memory)
		return;
	if (memory->rings) {
		memory_let_go(memory);
		spt_alive_free(memory->alive);
		munmap(memory->rings, spt_rings_bytes());
	}
	if (memory->fd >= 0)
		close(memory->fd);
	g_ptr_array_unref(memory->active);
	g_hash_table_unref(memory->images);
	g_hash_table_unref(memory->objects);
	g_hash_table_unref(memory->by_path);
	spt_memory_expected_free(memory->expected);
	spt_script_chains_free(memory->chains);
	g_clear_pointer(&memory->given_up, g_hash_table_unref);
	spt_stash_free(memory->stash);
	g_array_unref(memory->nodes);
	g_array_unref(memory->owners);
	g_array_unref(memory->late);
	for (unsigned i = 0; i < SPT_NOTES; i++)
		g_free(memory->noted_names[i]);
	for (unsigned i = 0; i < G_N_ELEMENTS(memory->variables); i++)
		g_free(memory->variables[i]);
	g_clear_error(&memory->failure);
	g_free(memory);
}

const char *const *spt_memory_environment(const SptMemory *memory)
{
	return (const char *const *)memory->variables;
}

SptScriptChains *spt_memory_chains(const SptMemory *memory)
{
	return memory->chains;
}

void spt_memory_keep_loops(SptMemory *memory)
{
	memory->keeps_loops = true;
}

/* Reports of the source. */

void spt_memory_object(SptMemory *memory, const SptObjectRow *row)
{
	GArray *known = g_hash_table_lookup(memory->objects, &row->inode);
	struct spt_known_object object = { row->id, row->dev_major, row->dev_minor,
					   g_strdup(row->path) },
				*latest = g_memdup2(&object, sizeof(object));

	if (!known) {
		known = g_array_new(FALSE, FALSE, sizeof(object));
		g_array_set_clear_func(known, object_clear);
		g_hash_table_insert(memory->objects, g_memdup2(&row->inode, sizeof(row->inode)),
				    known);
	}
	g_array_append_val(known, object);
	latest->path = g_strdup(row->path);
	g_hash_table_replace(memory->by_path, latest->path, latest);
}

/* Merging. */

/* The ring with the earliest event; @ret_next: time of the earliest of the others. */
static struct spt_memory_ring *memory_earliest(const SptMemory *memory, uint64_t *ret_next)
{
	struct spt_memory_ring *first = NULL;

	*ret_next = UINT64_MAX;
	for (unsigned i = 0; i < memory->active->len; i++) {
		struct spt_memory_ring *ring = memory->active->pdata[i];

		if (!ring->has_next)
			continue;
		if (!first || ring->next.stamp < first->next.stamp) {
			*ret_next = first ? first->next.stamp : *ret_next;
			first = ring;
		} else {
			*ret_next = MIN(*ret_next, ring->next.stamp);
		}
	}
	return first;
}

/* One round over all rings.  False: one of them has to wait, and so do all. */
static bool memory_merge(SptMemory *memory, uint64_t horizon, uint64_t *ret_n)
{
	struct spt_memory_ring *ring;
	uint64_t next;
	bool can_go_on = true;

	*ret_n = 0;
	for (unsigned i = 0; i < memory->active->len; i++) {
		ring = memory->active->pdata[i];
		spt_ring_reader_begin(&ring->reader);
		can_go_on &= spt_memory_advance(memory, ring);
	}
	while (can_go_on && !memory->failure && (ring = memory_earliest(memory, &next)) &&
	       ring->next.stamp <= horizon) {
		*ret_n += spt_memory_take(memory, ring, MIN(next, horizon));
		can_go_on = !ring->has_object;
	}
	for (unsigned i = 0; i < memory->active->len; i++) {
		ring = memory->active->pdata[i];
		spt_ring_reader_end(&ring->reader);
	}
	return can_go_on;
}

static void put_all_open(SptMemory *memory)
{
	GHashTableIter iter;
	gpointer image;

	g_hash_table_iter_init(&iter, memory->images);
	while (g_hash_table_iter_next(&iter, NULL, &image))
		spt_memory_put_open(memory, &((struct spt_image *)image)->blocks);
	spt_memory_put_rows(memory);
}

/* The recording ends here: the file has what there was until then. */
static void flush_last(SptMemory *memory)
{
	spt_memory_put_late(memory, true);
	put_all_open(memory);
	/* Why it ends is known already. */
	spt_output_flush(memory->output, memory->now_ns, NULL);
}

bool spt_memory_step(SptMemory *memory, bool all, bool *ret_is_busy, GError **error)
{
	uint64_t begin = spt_clock_ns(CLOCK_MONOTONIC), n, sum = 0;
	bool can_go_on;

	look_at_clock(memory);
	spt_memory_put_late(memory, all);
	do {
		/*
		 * The time is read first, then the heads: all events from before that time are
		 * seen.
		 */
		look_at_clock(memory);
		spt_memory_adopt(memory);
		can_go_on = memory_merge(memory, all ? UINT64_MAX : memory->now_stamp, &n);
		spt_memory_take_back(memory);
		sum += n;
	} while (!memory->failure && can_go_on && n > FEW_RECORDS &&
		 memory->now_ns - begin < STEP_NS);
	if (memory->now_ns - memory->looked_ns >= LOOK_NS) {
		spt_memory_look_after_gone(memory);
		/* A thread that saw the end of a recorder before may have ended this recording. */
		if (memory->attached_pid && !memory->is_ending)
			spt_memory_attach_begin(memory);
	}
	spt_memory_put_rows(memory);
	*ret_is_busy = sum > 0 || !can_go_on;
	if (memory->failure) {
		flush_last(memory);
		g_propagate_error(error, g_error_copy(memory->failure));
	}
	return !memory->failure;
}

bool spt_memory_flush(SptMemory *memory, GError **error)
{
	put_all_open(memory);
	if (memory->failure) {
		flush_last(memory);
		g_propagate_error(error, g_error_copy(memory->failure));
	}
	return !memory->failure;
}

/* A mapping in use has no row before the end, since parts of it may be unmapped. */
static void put_mappings(SptMemory *memory)
{
	GHashTableIter iter;
	gpointer image;

	g_hash_table_iter_init(&iter, memory->images);
	while (g_hash_table_iter_next(&iter, NULL, &image))
		spt_mappings_put_open(memory, image);
}

static void memory_note(SptMemory *memory, const char *key, uint64_t value)
{
	g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, value);

	spt_output_host(memory->output, key, text);
}

/* What each reason is called in the file. */
static const char *const unseen_names[SPT_UNSEEN_REASONS] = {
	[SPT_UNSEEN_SLOTS] = "memory_unseen_threads",
	[SPT_UNSEEN_MEMORY] = "memory_unseen_no_memory",
	[SPT_UNSEEN_SANDBOX] = "memory_unseen_sandbox",
	[SPT_UNSEEN_HANDLER] = "memory_unseen_handlers",
	[SPT_UNSEEN_SHARED] = "memory_unseen_shared",
};

void spt_memory_sum_unseen(const SptMemory *memory, uint64_t *sums)
{
	const struct spt_rings_programs *programs = spt_rings_programs(memory->rings);

	for (unsigned reason = 0; reason < SPT_UNSEEN_REASONS; reason++) {
		sums[reason] = 0;
		for (unsigned i = 0; i < SPT_UNSEEN_PLACES; i++)
			sums[reason] += programs->unseen[i].calls[reason];
	}
}

/* Calls of threads that have no ring. */
static void count_unseen(SptMemory *memory)
{
	SptMemoryStatus *status = &memory->status;

	spt_memory_sum_unseen(memory, status->unseen);
	for (unsigned reason = 0; reason < SPT_UNSEEN_REASONS; reason++) {
		status->unseen[reason] -= memory->unseen_before[reason];
		status->lost += status->unseen[reason];
		if (status->unseen[reason])
			memory_note(memory, unseen_names[reason], status->unseen[reason]);
	}
}

static const char *const note_names[SPT_NOTES][2] = {
	[SPT_NOTE_OWN_ALLOCATOR] = { "memory_own_allocators", "memory_own_program" },
	[SPT_NOTE_OWN_NEW] = { "memory_own_new", "memory_own_new_library" },
	[SPT_NOTE_NAMESPACE] = { "memory_namespaces", "memory_namespace_program" },
	[SPT_NOTE_LOCKED] = { "memory_locked", "memory_locked_program" },
};

/* Programs may have written anything. */
static void note_programs(SptMemory *memory)
{
	const struct spt_rings_programs *programs = spt_rings_programs(memory->rings);

	for (unsigned i = 0; i < SPT_NOTES; i++) {
		const struct spt_rings_note *at = &programs->notes[i];
		g_autofree char *path = g_strndup(at->name, sizeof(at->name));

		memory->status.noted[i].programs = at->programs;
		if (!at->programs)
			continue;
		memory->noted_names[i] = spt_one_line(path);
		memory->status.noted[i].name = memory->noted_names[i];
		memory_note(memory, note_names[i][0], at->programs);
		spt_output_host(memory->output, note_names[i][1], memory->noted_names[i]);
	}
}

static void note_allocations(SptMemory *memory)
{
	const SptMemoryStatus *status = &memory->status;

	memory_note(memory, "memory_mean_bytes", memory->mean_bytes);
	if (memory->attached_pid)
		memory_note(memory, "memory_attached", memory->attached_pid);
	if (memory->has_free_stacks)
		memory_note(memory, "memory_free_stacks", 1);
	if (memory->has_mappings) {
		memory_note(memory, "memory_mappings", status->mappings);
		memory_note(memory, "memory_mapped_bytes", status->mapped_bytes);
		memory_note(memory, "memory_unmapped_bytes", status->unmapped_bytes);
	}
	memory_note(memory, "memory_calls", status->calls);
	memory_note(memory, "memory_bytes", status->bytes);
	memory_note(memory, "memory_frees", status->frees);
	memory_note(memory, "memory_frees_before", status->frees_before);
	if (status->frees_unknown)
		memory_note(memory, "memory_frees_unknown", status->frees_unknown);
	memory_note(memory, "memory_waits", status->waits);
	memory_note(memory, "memory_waited_ns", status->waited_ns);
	memory_note(memory, "memory_lost", status->lost);
}

bool spt_memory_finish(SptMemory *memory, GError **error)
{
	uint64_t begin = spt_clock_ns(CLOCK_MONOTONIC);
	SptMemoryStatus *status = &memory->status;
	bool is_busy;

	memory_let_go(memory);
	memory->is_ending = true;
	do {
		if (!spt_memory_step(memory, true, &is_busy, error))
			return false;
		is_busy |= memory->n_unasked && memory->now_ns - begin < LAST_ASKED_NS;
	} while (is_busy && memory->now_ns - begin < LAST_NS);
	status->unread += memory->n_unasked;
	for (unsigned i = 0; i < memory->active->len; i++) {
		struct spt_memory_ring *ring = memory->active->pdata[i];

		spt_memory_settle(memory, ring);
		spt_memory_count_waits(memory, ring);
		status->broken += ring->reader.is_broken;
		status->unread += spt_ring_reader_begin(&ring->reader);
	}
	put_mappings(memory);
	if (!spt_memory_flush(memory, error))
		return false;
	spt_memory_put_late(memory, true);
	spt_memory_put_rows(memory);
	if (status->nameless)
		memory_note(memory, "memory_nameless_threads", status->nameless);
	if (status->unread)
		memory_note(memory, "memory_unread_threads", status->unread);
	count_unseen(memory);
	note_programs(memory);
	status->unconnected = spt_memory_unconnected(memory, &status->unconnected_name);
	if (status->unconnected) {
		memory_note(memory, "memory_unconnected", status->unconnected);
		spt_output_host(memory->output, "memory_unconnected_program",
				status->unconnected_name);
	}
	if (memory->has_allocations)
		note_allocations(memory);
	return true;
}

void spt_memory_status(const SptMemory *memory, SptMemoryStatus *ret)
{
	*ret = memory->status;
}

static void memory_stage_object(void *part, const SptObjectRow *row)
{
	spt_memory_object(part, row);
}

static int memory_stage_step_ms(const void *part, int timeout_ms)
{
	const SptMemory *memory = part;

	return MIN(timeout_ms, memory->is_busy ? BUSY_MS : IDLE_MS);
}

static bool memory_stage_step(void *part, G_GNUC_UNUSED const SptStageStep *step, GError **error)
{
	SptMemory *memory = part;

	return spt_memory_step(memory, false, &memory->is_busy, error);
}

static bool memory_stage_flush(void *part, GError **error)
{
	return spt_memory_flush(part, error);
}

/* Without room the recording ends; what there was until then is in the file. */
static bool memory_stage_flushed(void *part, GError **error)
{
	return spt_memory_has_room(part, error);
}

static bool memory_stage_finish(void *part, GError **error)
{
	return spt_memory_finish(part, error);
}

const SptStage spt_memory_stage = {
	.object = memory_stage_object,
	.step_ms = memory_stage_step_ms,
	.step = memory_stage_step,
	.flush = memory_stage_flush,
	.flushed = memory_stage_flushed,
	.finish = memory_stage_finish,
	.free = (GDestroyNotify)spt_memory_free,
};
