/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/perfetto-state.h"

#ifdef SPT_HAS_PPROF

#include <inttypes.h>
#include <string.h>

#include "import/import.h"
#include "profile/metric.h"

#define FLAG_CLEARED 1u
#define CLOCK_MONOTONIC_ID 3u
#define CLOCK_BOOT_ID 6u
/* Of samples: the kernel's cpu-clock and task-clock. */
#define COUNTER_CPU_CLOCK  1u
#define COUNTER_TASK_CLOCK 3u
#define NS_PER_S 1000000000u
#define NAME_BYTES 4096u

static gpointer pftrace_key(uint64_t id)
{
	return g_memdup2(&id, sizeof(id));
}

static GHashTable *pftrace_table(GDestroyNotify free)
{
	return g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free);
}

static char *pftrace_text(const ProtobufCBinaryData *bytes)
{
	return g_strndup((const char *)bytes->data, MIN(bytes->len, NAME_BYTES));
}

static void forget_numbers(SptPftraceSequence *sequence)
{
	for (unsigned i = 0; i < SPT_PFTRACE_TEXTS; i++)
		g_clear_pointer(&sequence->texts[i], g_hash_table_unref);
	g_clear_pointer(&sequence->frames, g_hash_table_unref);
	g_clear_pointer(&sequence->nodes, g_hash_table_unref);
}

static void pftrace_sequence_free(gpointer data)
{
	forget_numbers(data);
	g_free(data);
}

static void pftrace_track_free(gpointer data)
{
	SptPftraceTrack *track = data;

	g_free(track->name);
	g_free(track);
}

void spt_pftrace_state_init(SptPftraceState *state)
{
	*state = (SptPftraceState){ .unit = "none" };
	state->sequences = pftrace_table(pftrace_sequence_free);
	state->tracks = pftrace_table(pftrace_track_free);
	state->processes = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	state->threads = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	state->owners = g_hash_table_new(NULL, NULL);
}

void spt_pftrace_state_clear(SptPftraceState *state)
{
	g_hash_table_unref(state->sequences);
	g_hash_table_unref(state->tracks);
	g_hash_table_unref(state->processes);
	g_hash_table_unref(state->threads);
	g_hash_table_unref(state->owners);
}

void spt_pftrace_state_rewind(SptPftraceState *state)
{
	g_hash_table_remove_all(state->sequences);
	/* Both passes have the same times. */
	memset(state->has_offset, 0, sizeof(state->has_offset));
	memset(state->offset_ns, 0, sizeof(state->offset_ns));
}

static SptPftraceSequence *pftrace_sequence(SptPftraceState *state, uint64_t id)
{
	SptPftraceSequence *sequence = g_hash_table_lookup(state->sequences, &id);

	if (sequence || g_hash_table_size(state->sequences) >= SPT_PFTRACE_SEQUENCES)
		return sequence;
	sequence = g_new0(SptPftraceSequence, 1);
	g_hash_table_insert(state->sequences, pftrace_key(id), sequence);
	return sequence;
}

/* Clocks. */

static const SptPerfettoClock *clock_of(const SptPerfettoClocks *clocks, uint32_t id)
{
	for (size_t i = 0; i < clocks->n_clocks; i++)
		if (clocks->clocks[i]->clock_id == id)
			return clocks->clocks[i];
	return NULL;
}

static uint64_t time_of_machine(const SptPftraceState *state, uint32_t clock, uint64_t time)
{
	return clock < SPT_PFTRACE_CLOCKS ? time + (uint64_t)state->offset_ns[clock] : time;
}

/* All of its clocks have the same time. */
static void take_clocks(SptPftraceState *state, SptPftraceSequence *sequence,
			const SptPerfettoClocks *clocks)
{
	const SptPerfettoClock *boot = clock_of(clocks, CLOCK_BOOT_ID),
			       *reference = boot ? boot : clock_of(clocks, CLOCK_MONOTONIC_ID);
	uint64_t now;

	if (!reference)
		return;
	now = time_of_machine(state, reference->clock_id, reference->timestamp);
	for (size_t i = 0; i < clocks->n_clocks; i++) {
		const SptPerfettoClock *clock = clocks->clocks[i];
		uint32_t id = clock->clock_id;

		if (id < SPT_PFTRACE_CLOCKS && boot && !state->has_offset[id]) {
			state->has_offset[id] = true;
			state->offset_ns[id] = (int64_t)(now - clock->timestamp);
		} else if (id >= SPT_PFTRACE_CLOCKS && id < 2 * SPT_PFTRACE_CLOCKS) {
			sequence->clocks[id - SPT_PFTRACE_CLOCKS] = (SptPftraceClock){
				.at = clock->timestamp,
				.base_ns = now,
				.last = clock->timestamp,
				.unit_ns = MAX(clock->unit_multiplier_ns, 1),
				.is_there = true,
				.is_incremental = clock->is_incremental,
			};
		}
	}
}

bool spt_pftrace_state_time(const SptPftraceState *state, SptPftraceSequence *sequence,
			    const SptPerfettoPacket *packet, uint64_t *ret_ns)
{
	uint32_t id = packet->has_timestamp_clock_id ? packet->timestamp_clock_id :
		      sequence->clock		     ? sequence->clock :
						       CLOCK_BOOT_ID;
	SptPftraceClock *clock;

	if (!packet->has_timestamp)
		return false;
	*ret_ns = time_of_machine(state, id, packet->timestamp);
	if (id < SPT_PFTRACE_CLOCKS)
		return *ret_ns <= INT64_MAX / 2;
	clock = &sequence->clocks[MIN(id - SPT_PFTRACE_CLOCKS, SPT_PFTRACE_CLOCKS - 1)];
	if (id >= 2 * SPT_PFTRACE_CLOCKS || !clock->is_there)
		return false;
	clock->last = packet->timestamp + (clock->is_incremental ? clock->last : 0);
	*ret_ns = clock->base_ns + (clock->last - clock->at) * clock->unit_ns;
	return *ret_ns <= INT64_MAX / 2;
}

/* Who is there. */

static void name_pftrace(GHashTable *names, uint32_t id, const ProtobufCBinaryData *name)
{
	if (name->len && g_hash_table_size(names) < SPT_PFTRACE_TRACKS)
		g_hash_table_insert(names, GUINT_TO_POINTER(id), pftrace_text(name));
}

/* A command line's program, without its directory. */
static void name_by_command(SptPftraceState *state, int32_t pid, const ProtobufCBinaryData *words,
			    size_t n)
{
	const uint8_t *slash = n && words[0].len ? memrchr(words[0].data, '/', words[0].len) : NULL;
	ProtobufCBinaryData name = n ? words[0] : (ProtobufCBinaryData){ 0, NULL };

	if (slash && slash + 1 < name.data + name.len)
		name = (ProtobufCBinaryData){
			(size_t)(name.data + name.len - slash) - 1, (uint8_t *)slash + 1
		};
	name_pftrace(state->processes, (uint32_t)pid, &name);
}

static void own_thread(SptPftraceState *state, uint32_t tid, uint32_t pid)
{
	if (g_hash_table_size(state->owners) < SPT_PFTRACE_TRACKS)
		g_hash_table_insert(state->owners, GUINT_TO_POINTER(tid), GUINT_TO_POINTER(pid));
}

void spt_pftrace_state_name(SptPftraceState *state, uint32_t tid, const ProtobufCBinaryData *name)
{
	if (!g_hash_table_contains(state->threads, GUINT_TO_POINTER(tid)))
		name_pftrace(state->threads, tid, name);
}

static void take_found(SptPftraceState *state, const SptPerfettoFound *found)
{
	for (size_t i = 0; i < found->n_processes; i++)
		name_by_command(state, found->processes[i]->pid, found->processes[i]->cmdline,
				found->processes[i]->n_cmdline);
	for (size_t i = 0; i < found->n_threads; i++) {
		const SptPerfettoFoundThread *thread = found->threads[i];

		name_pftrace(state->threads, (uint32_t)thread->tid, &thread->name);
		own_thread(state, (uint32_t)thread->tid, (uint32_t)thread->pid);
	}
}

static void name_by_text(GHashTable *names, uint32_t id, const char *text)
{
	const ProtobufCBinaryData name = { text ? strlen(text) : 0, (uint8_t *)text };

	name_pftrace(names, id, &name);
}

static void take_track(SptPftraceState *state, const SptPerfettoTrack *from)
{
	SptPftraceTrack *track;

	if (g_hash_table_size(state->tracks) >= SPT_PFTRACE_TRACKS)
		return;
	track = g_new0(SptPftraceTrack, 1);
	track->name = g_strndup(from->name ? from->name : "", NAME_BYTES);
	if (from->process) {
		track->pid = (uint32_t)from->process->pid;
		name_by_command(state, from->process->pid, from->process->cmdline,
				from->process->n_cmdline);
		name_by_text(state->processes, track->pid, from->process->process_name);
	}
	if (from->thread) {
		track->pid = (uint32_t)from->thread->pid;
		track->tid = (uint32_t)from->thread->tid;
		name_by_text(state->threads, track->tid, from->thread->thread_name);
		own_thread(state, track->tid, track->pid);
	}
	g_hash_table_insert(state->tracks, pftrace_key(from->uuid), track);
}

const SptPftraceTrack *spt_pftrace_state_track(const SptPftraceState *state, uint64_t uuid)
{
	return g_hash_table_lookup(state->tracks, &uuid);
}

uint32_t spt_pftrace_state_thread(const SptPftraceState *state, SptImportStacks *stacks,
				  uint32_t pid, uint32_t tid)
{
	const char *thread = g_hash_table_lookup(state->threads, GUINT_TO_POINTER(tid)), *process;
	g_autofree char *unnamed = NULL;

	if (!pid)
		pid = GPOINTER_TO_UINT(
			g_hash_table_lookup(state->owners, GUINT_TO_POINTER(tid)));
	pid = pid ? pid : tid;
	process = g_hash_table_lookup(state->processes, GUINT_TO_POINTER(pid));
	if (!process)
		process = g_hash_table_lookup(state->threads, GUINT_TO_POINTER(pid));
	if (!process)
		process = unnamed = g_strdup_printf("process %u", pid);
	return spt_import_stacks_thread(stacks, pid, tid, process, thread ? thread : process);
}

/* Packets. */

/* Our own samples have a metric's name. */
static const char *unit_of_timebase(const SptPerfettoTimebase *timebase)
{
	const SptMetric *metric = timebase->name ? spt_metric_find(timebase->name) : NULL;

	return !metric || metric->is_cpu	? "none" :
	       metric->unit == SPT_UNIT_NS	? "ns" :
	       metric->unit == SPT_UNIT_BYTES	? "bytes" :
						  "none";
}

static void take_defaults(SptPftraceState *state, SptPftraceSequence *sequence,
			  const SptPerfettoDefaults *defaults)
{
	const SptPerfettoTimebase *timebase =
		defaults->perf_sample_defaults ? defaults->perf_sample_defaults->timebase : NULL;
	uint64_t period;

	sequence->clock = defaults->timestamp_clock_id;
	sequence->track = defaults->track_event_defaults ?
				  defaults->track_event_defaults->track_uuid :
				  0;
	if (!timebase)
		return;
	sequence->is_weighed = timebase->period || timebase->frequency;
	if (!sequence->is_weighed)
		state->unit = unit_of_timebase(timebase);
	if (timebase->counter != COUNTER_CPU_CLOCK && timebase->counter != COUNTER_TASK_CLOCK)
		return;
	period = timebase->period    ? timebase->period :
		 timebase->frequency ? NS_PER_S / timebase->frequency :
				       0;
	if (!state->period_ns && period < UINT32_MAX)
		state->period_ns = period;
}

SptPftraceSequence *spt_pftrace_state_take(SptPftraceState *state, const SptPerfettoPacket *packet)
{
	SptPftraceSequence *sequence =
		pftrace_sequence(state, packet->trusted_packet_sequence_id);

	if (!sequence)
		return NULL;
	if (packet->sequence_flags & FLAG_CLEARED || packet->incremental_state_cleared)
		forget_numbers(sequence);
	if (packet->trace_packet_defaults)
		take_defaults(state, sequence, packet->trace_packet_defaults);
	if (packet->clock_snapshot)
		take_clocks(state, sequence, packet->clock_snapshot);
	if (packet->process_tree)
		take_found(state, packet->process_tree);
	if (packet->track_descriptor)
		take_track(state, packet->track_descriptor);
	return sequence;
}

/* Numbers. */

static void number_texts(SptPftraceSequence *sequence, unsigned kind,
			 SptPerfettoText *const *texts, size_t n)
{
	if (n && !sequence->texts[kind])
		sequence->texts[kind] = pftrace_table(g_free);
	for (size_t i = 0; i < n; i++)
		g_hash_table_insert(sequence->texts[kind], pftrace_key(texts[i]->iid),
				    pftrace_text(&texts[i]->str));
}

const char *spt_pftrace_state_text(const SptPftraceSequence *sequence, unsigned kind, uint64_t iid,
				   const char *otherwise)
{
	const char *text = sequence->texts[kind] ?
				   g_hash_table_lookup(sequence->texts[kind], &iid) :
				   NULL;

	return text && *text ? text : otherwise;
}

/* A path is one text, or the names of its directories and of the file. */
static char *path_of_mapping(const SptPftraceSequence *sequence, const SptPerfettoMapping *mapping)
{
	g_autoptr(GString) path = g_string_new(NULL);

	for (size_t i = 0; i < mapping->n_path_string_ids && path->len < NAME_BYTES; i++) {
		if (mapping->n_path_string_ids > 1)
			g_string_append_c(path, '/');
		g_string_append(path, spt_pftrace_state_text(sequence, SPT_PFTRACE_PATH,
							     mapping->path_string_ids[i], ""));
	}
	return g_string_free(g_steal_pointer(&path), FALSE);
}

static void number_mappings(SptPftraceSequence *sequence, const SptPerfettoInterned *interned)
{
	GHashTable **table = &sequence->texts[SPT_PFTRACE_MAPPING];

	if (interned->n_mappings && !*table)
		*table = pftrace_table(g_free);
	for (size_t i = 0; i < interned->n_mappings; i++)
		g_hash_table_insert(*table, pftrace_key(interned->mappings[i]->iid),
				    path_of_mapping(sequence, interned->mappings[i]));
}

static void number_frame(SptPftraceSequence *sequence, const SptPerfettoFrame *frame,
			 SptImportStacks *stacks)
{
	g_autofree char *place = g_strdup_printf("0x%" PRIx64, frame->rel_pc);
	const char *path = spt_pftrace_state_text(sequence, SPT_PFTRACE_MAPPING,
						  frame->mapping_id, ""),
		   *name = spt_pftrace_state_text(sequence, SPT_PFTRACE_FUNCTION,
						  frame->function_name_id,
						  frame->rel_pc ? place : "[unknown]");
	bool is_kernel = strcmp(path, "[kernel]") == 0 || strcmp(path, "/[kernel]") == 0 ||
			 strcmp(path, "/kernel") == 0;
	uint32_t object = spt_import_stacks_object(
		stacks, is_kernel ? SPT_OBJECT_KERNEL : SPT_OBJECT_UNKNOWN, path);
	const SptFrame known = spt_import_stacks_frame(stacks, object, name);

	g_hash_table_insert(sequence->frames, pftrace_key(frame->iid),
			    g_memdup2(&known, sizeof(known)));
}

static void number_stack(SptPftraceSequence *sequence, const SptPerfettoStack *stack,
			 SptImportStacks *stacks)
{
	uint32_t node = 0;

	/* What is deeper than a stack may be loses its innermost frames. */
	for (size_t i = 0; i < MIN(stack->n_frame_ids, SPT_IMPORT_FRAMES); i++) {
		const SptFrame *frame =
			g_hash_table_lookup(sequence->frames, &stack->frame_ids[i]);

		if (frame)
			node = spt_import_stacks_child(stacks, node, frame);
	}
	g_hash_table_insert(sequence->nodes, pftrace_key(stack->iid), GUINT_TO_POINTER(node));
}

void spt_pftrace_state_number(SptPftraceSequence *sequence, const SptPerfettoInterned *interned,
			      SptImportStacks *stacks)
{
	number_texts(sequence, SPT_PFTRACE_FUNCTION, interned->function_names,
		     interned->n_function_names);
	number_texts(sequence, SPT_PFTRACE_PATH, interned->mapping_paths,
		     interned->n_mapping_paths);
	number_texts(sequence, SPT_PFTRACE_EVENT, interned->event_names, interned->n_event_names);
	number_texts(sequence, SPT_PFTRACE_CATEGORY, interned->event_categories,
		     interned->n_event_categories);
	number_mappings(sequence, interned);
	if (!sequence->frames) {
		sequence->frames = pftrace_table(g_free);
		sequence->nodes = pftrace_table(NULL);
	}
	for (size_t i = 0; i < interned->n_frames; i++)
		number_frame(sequence, interned->frames[i], stacks);
	for (size_t i = 0; i < interned->n_callstacks; i++)
		number_stack(sequence, interned->callstacks[i], stacks);
}

#endif
