/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source may report a thread only some time after its first mark, and what it knows of the tid
 * until then may be from before an exec.  So the first marks of a ring are deferred (late) until
 * the thread's name counts.
 */
#include "record/marks.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/words.h"
#include "record/alive.h"
#include "record/mark-door.h"
#include "record/mark-spans.h"
#include "record/namespace.h"
#include "record/shared-memory.h"
#include "record/tsc.h"
#include "rings/marks-reader.h"

/* A step must not keep the recorder from its other work. */
#define STEP_NS	 20000000ULL
#define LAST_NS	 5000000000ULL
#define LOOK_NS	 200000000ULL		/* how often threads that have exited are looked for */
/* Then a thread that is not known will not be. */
#define PATIENCE_NS 2000000000ULL
/* Threads that were there before the recording have starts of the kernel's coarse clock. */
#define COARSE_NS 20000000ULL
/* More lost marks at a time are no count. */
#define MOST_LOST (1ULL << 40)
#define MOST_LATE_BYTES (64u << 20)
#define RECORDS_AT_A_TIME 256
/* Of another user's programs; a search for a process of another namespace reads all of /proc. */
#define USERS_LATE_BYTES (4u << 20)
#define USERS_COUNTERS	 128
#define USERS_FLOWS	 4096
#define SEARCH_NS	 100000000ULL
#define SEARCH_PAUSE	 30		/* times what the last one took */
#define NS_PER_S	 1000000000ULL

struct mark_ring {
	SptMarksReader reader;
	uint32_t slot, pid, tid, image;
	bool is_foreign;
	bool is_dropped;		/* it is not recorded */
	uint64_t begin_ns;
	uint64_t seen_ns;		/* when its process was the user's */
	uint32_t thread;		/* of the capture; 0: not known */
	bool is_settled;		/* the thread is known, or is not looked for any more */
	uint64_t lost;			/* when last read */
	GArray *late;			/* struct late_record; NULL: none */
	uint64_t late_bytes;
	SptMarkSpans *spans;
};

struct late_record {
	SptMarkRecord record;		/* its texts are to be freed */
};

struct SptMarks {
	SptSaid *said;
	int fd;
	void *shared;
	SptAlive *alive;
	char *path;
	SptMarkDoor *door;		/* NULL: only what the recorder starts */
	bool by_process;		/* only processes that are wanted may come ... */
	bool drops_others;		/* ... and others have the memory, too */
	uint32_t n_slots;
	bool is_of_user;		/* of another one: @uid */
	uint32_t uid;
	GHashTable *counters;		/* names of that one's; NULL: the own user's */
	SptFlowEnds *flows;
	const SptTasks *tasks;		/* of the last step */
	bool is_last;			/* what may not be taken now is lost */
	uint64_t filled_ns;
	int64_t allowance;		/* bytes of rings that may be taken; not the own user's */
	bool is_tsc;
	uint64_t base_stamp, base_ns, now_stamp, now_ns;
	const SptThreadIds *threads;
	GPtrArray *active;		/* struct mark_ring */
	struct mark_ring **by_slot;
	uint64_t looked_ns, next_search_ns, late_bytes, most_late_bytes;
	SptMarkSpans *open;		/* spans that no one thread has */
	char *start_at, *stop_at;	/* names, or NULL */
	char *when_mark;		/* likewise; its slow marks are counted */
	uint64_t when_ns;
	bool has_begun;
	SptMarksStatus status;
};

/* Time. */

static void look_at_stamps(SptMarks *marks)
{
	spt_tsc_look(marks->is_tsc, &marks->now_stamp, &marks->now_ns);
}

/* The time of a stamp that may be anything; within the recording. */
static uint64_t time_of(SptMarks *marks, uint64_t stamp)
{
	uint64_t stamps, at;

	/* It was made since the last look: with that one's time it would be too early. */
	if (stamp > marks->now_stamp)
		look_at_stamps(marks);
	stamps = marks->now_stamp - marks->base_stamp;
	if (stamp <= marks->base_stamp || !stamps)
		return marks->base_ns;
	if (stamp >= marks->now_stamp)
		return marks->now_ns;
	at = stamp - marks->base_stamp;
	return marks->base_ns +
	       (uint64_t)((unsigned __int128)at * (marks->now_ns - marks->base_ns) / stamps);
}

/* Life. */

static bool map_shared(SptMarks *marks, GError **error)
{
	struct spt_marks_header *header;

	marks->fd = spt_shared_memory_new("sysprof-marks", spt_marks_bytes_of(marks->n_slots),
					  &marks->shared);
	if (marks->fd < 0) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
			      "Cannot make the memory in which programs leave marks: %s",
			      g_strerror(errno));
		return false;
	}
	header = marks->shared;
	/* Programs of others see by the module whether the recorder lives. */
	if (!marks->is_of_user)
		marks->alive = spt_alive_new(&header->recorder);
	header->n_slots = marks->n_slots;
	header->ring_words = SPT_MARKS_WORDS;
	header->n_types = SPT_MARK_TYPES;
	header->is_tsc = marks->is_tsc;
	header->pid_namespace = spt_pid_namespace();
	header->version = SPT_MARKS_VERSION;
	header->magic = SPT_MARKS_MAGIC;
	return true;
}

static void late_clear(void *data)
{
	SptMarkRecord *record = &((struct late_record *)data)->record;

	g_free((char *)record->category);
	g_free((char *)record->name);
	g_free((char *)record->message);
}

static void mark_ring_free(void *data)
{
	struct mark_ring *ring = data;

	g_clear_pointer(&ring->late, g_array_unref);
	spt_mark_spans_free(ring->spans);
	g_free(ring);
}

static SptMarks *marks_make(SptMarks *marks, SptSaid *said, const SptThreadIds *threads,
			    GError **error)
{
	marks->said = said;
	marks->fd = -1;
	marks->is_tsc = spt_tsc_is_usable();
	marks->active = g_ptr_array_new_with_free_func(mark_ring_free);
	marks->by_slot = g_new0(struct mark_ring *, marks->n_slots);
	marks->threads = threads;
	marks->open = spt_mark_spans_new();
	if (!map_shared(marks, error)) {
		spt_marks_free(marks);
		return NULL;
	}
	marks->path = g_strdup_printf("/proc/%d/fd/%d", (int)getpid(), marks->fd);
	look_at_stamps(marks);
	return marks;
}

SptMarks *spt_marks_new(SptSaid *said, const SptThreadIds *threads, GError **error)
{
	SptMarks *marks = g_new0(SptMarks, 1);

	marks->n_slots = SPT_MARKS_SLOTS;
	marks->flows = spt_said_flows(said);
	marks->most_late_bytes = MOST_LATE_BYTES;
	return marks_make(marks, said, threads, error);
}

SptMarks *spt_marks_new_for_user(SptSaid *said, const SptThreadIds *threads, uint32_t uid,
				 uint32_t n_slots, GError **error)
{
	SptMarks *marks = g_new0(SptMarks, 1);

	marks->n_slots = n_slots;
	marks->is_of_user = true;
	marks->uid = uid;
	marks->counters = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	marks->flows = spt_flow_ends_new_beside(spt_said_flows(said), USERS_FLOWS);
	marks->most_late_bytes = USERS_LATE_BYTES;
	return marks_make(marks, said, threads, error);
}

bool spt_marks_reach_running(SptMarks *marks, const SptTraceFilter *filter, GError **error)
{
	bool has_user = !filter->n_uids;

	for (unsigned i = 0; i < filter->n_uids; i++)
		has_user |= filter->uids[i] == geteuid();
	if (filter->cgroup || !has_user) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "running programs can be asked for their marks by process or all at once; those of other users by root alone, and the kernel module");
		return false;
	}
	marks->by_process = filter->n_pids > 0;
	marks->door = spt_mark_door_new(marks->fd, error);
	return marks->door;
}

struct admission {
	const SptTasks *tasks;
	bool by_process;
};

static bool is_admitted(uint32_t pid, void *data)
{
	const struct admission *admission = data;
	const SptThread *thread = spt_tasks_find(admission->tasks, pid);

	return thread && (!admission->by_process || thread->process->is_wanted);
}

int spt_marks_fd(const SptMarks *marks)
{
	return marks->fd;
}

void spt_marks_expect_others(SptMarks *marks, bool by_process)
{
	marks->by_process = by_process;
	marks->drops_others = by_process;
}

void spt_marks_admit(SptMarks *marks, const SptTasks *tasks)
{
	struct admission admission = { tasks, marks->by_process };

	marks->tasks = tasks;
	if (marks->door)
		spt_mark_door_step(marks->door, spt_clock_ns(CLOCK_MONOTONIC), is_admitted,
				   &admission);
}

static void end_programs(SptMarks *marks)
{
	struct spt_marks_header *header = marks->shared;

	if (marks->door)
		spt_mark_door_close(marks->door);
	__atomic_store_n(&header->is_over, 1, __ATOMIC_SEQ_CST);
}

void spt_marks_free(SptMarks *marks)
{
	if (!marks)
		return;
	if (marks->shared) {
		end_programs(marks);
		spt_mark_door_free(marks->door);
		spt_alive_free(marks->alive);
		/* Programs that continue have it mapped. */
		fallocate(marks->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			  (off_t)SPT_MARKS_WORDS_AT,
			  (off_t)(spt_marks_bytes_of(marks->n_slots) - SPT_MARKS_WORDS_AT));
		munmap(marks->shared, spt_marks_bytes_of(marks->n_slots));
	}
	if (marks->fd >= 0)
		close(marks->fd);
	g_ptr_array_unref(marks->active);
	g_free(marks->by_slot);
	spt_mark_spans_free(marks->open);
	if (marks->is_of_user)
		spt_flow_ends_free(marks->flows);
	g_clear_pointer(&marks->counters, g_hash_table_unref);
	g_free(marks->start_at);
	g_free(marks->stop_at);
	g_free(marks->when_mark);
	g_free(marks->path);
	g_free(marks);
}

const char *spt_marks_path(const SptMarks *marks)
{
	return marks->path;
}

/* Records. */

/* @thread: of the capture; 0: it is of no one thread. */
static void put_span(SptMarks *marks, uint32_t thread, const SptMarkRecord *record, uint64_t begin,
		     uint64_t end)
{
	const SptSaidMark mark = {
		.time = begin,
		.duration_ns = end > begin ? end - begin : 0,
		.thread = thread,
		.category = record->category,
		.name = record->name,
		.message = record->message,
	};

	spt_said_mark(marks->said, &mark);
	marks->status.marks++;
	marks->status.slow += marks->when_mark && mark.duration_ns > marks->when_ns &&
			      strcmp(marks->when_mark, mark.name) == 0;
}

/* One user's programs must not use up all counters that there can be. */
static bool has_counter(SptMarks *marks, const char *name)
{
	if (!marks->counters || g_hash_table_contains(marks->counters, name))
		return true;
	return g_hash_table_size(marks->counters) < USERS_COUNTERS &&
	       g_hash_table_add(marks->counters, g_strdup(name));
}

static void put_counter(SptMarks *marks, const struct mark_ring *ring, const SptMarkRecord *record,
			uint64_t time)
{
	const SptSaidCounter counter = { record->name, NULL, "" };
	double value;

	memcpy(&value, &record->value, sizeof(value));
	if (has_counter(marks, record->name) &&
	    spt_said_count(marks->said, &counter, time, ring->thread, value))
		marks->status.counts++;
	else
		marks->status.invalid++;
}

static void put_flow(SptMarks *marks, const struct mark_ring *ring, const SptMarkRecord *record,
		     uint64_t time)
{
	bool is_end = record->type == SPT_MARK_FLOW_END;

	if (spt_said_flow(marks->said, marks->flows, time, ring->thread, record->name,
			  record->value, is_end))
		marks->status.marks++;
	else
		marks->status.invalid++;
}

static void end_span(SptMarks *marks, SptMarkSpans *spans, uint32_t thread,
		     const SptMarkRecord *record, uint64_t time)
{
	SptOpenSpan span;

	if (!spt_mark_spans_end(spans, record->name, &span)) {
		marks->status.invalid++;
		return;
	}
	put_span(marks, thread,
		 &(SptMarkRecord){ .category = span.category, .name = record->name, .message = "" },
		 span.begin_ns, time);
	spt_open_span_clear(&span);
}

static void put_record(SptMarks *marks, struct mark_ring *ring, const SptMarkRecord *record)
{
	uint64_t time = time_of(marks, record->stamp);

	switch (record->type) {
	case SPT_MARK_BEGIN:
		spt_mark_spans_begin(ring->spans, record->category, record->name, time);
		break;
	case SPT_MARK_END:
		end_span(marks, ring->spans, ring->thread, record, time);
		break;
	case SPT_MARK_SPAN:
		put_span(marks, ring->thread, record, time_of(marks, record->value), time);
		break;
	case SPT_MARK_INSTANT:
		put_span(marks, ring->thread, record, time, time);
		break;
	case SPT_MARK_OPEN:
		spt_mark_spans_begin(marks->open, record->category, record->name, time);
		break;
	case SPT_MARK_CLOSE:
		end_span(marks, marks->open, 0, record, time);
		break;
	case SPT_MARK_FLOW_BEGIN:
	case SPT_MARK_FLOW_END:
		put_flow(marks, ring, record, time);
		break;
	case SPT_MARK_MESSAGE:
		spt_said_line(marks->said, time, ring->thread, (unsigned)MIN(record->value, 7),
			      "mark", record->message);
		marks->status.lines++;
		break;
	default:
		put_counter(marks, ring, record, time);
	}
}

static void keep_late(SptMarks *marks, struct mark_ring *ring, const SptMarkRecord *record)
{
	struct late_record late = { *record };
	uint64_t bytes = sizeof(late) + strlen(record->category) + strlen(record->name) +
			 strlen(record->message);

	if (!ring->late) {
		ring->late = g_array_new(FALSE, FALSE, sizeof(late));
		g_array_set_clear_func(ring->late, late_clear);
	}
	late.record.category = g_strdup(record->category);
	late.record.name = g_strdup(record->name);
	late.record.message = g_strdup(record->message);
	ring->late_bytes += bytes;
	marks->late_bytes += bytes;
	g_array_append_val(ring->late, late);
}

static void put_late_records(SptMarks *marks, struct mark_ring *ring)
{
	for (unsigned i = 0; ring->late && i < ring->late->len; i++)
		put_record(marks, ring,
			   &g_array_index(ring->late, struct late_record, i).record);
	g_clear_pointer(&ring->late, g_array_unref);
	marks->late_bytes -= ring->late_bytes;
	ring->late_bytes = 0;
}

/* It has not said anything, as far as this recording goes. */
static void drop_ring(SptMarks *marks, struct mark_ring *ring)
{
	g_clear_pointer(&ring->late, g_array_unref);
	marks->late_bytes -= ring->late_bytes;
	ring->late_bytes = 0;
	ring->is_dropped = ring->is_settled = true;
}

/* A process that is known, and is not wanted. */
static bool is_of_others(const SptMarks *marks, const struct mark_ring *ring)
{
	const SptThread *first = marks->drops_others && marks->tasks && ring->pid ?
					 spt_tasks_find(marks->tasks, ring->pid) :
					 NULL;

	return first && !first->process->is_wanted;
}

static uint32_t find_thread(const SptMarks *marks, const struct mark_ring *ring, uint64_t later_ns)
{
	uint64_t begin_ns = MAX(ring->begin_ns, marks->base_ns) + later_ns;

	if (!marks->is_of_user)
		return spt_thread_ids_find(marks->threads, ring->tid, begin_ns);
	return spt_thread_ids_find_in(marks->threads, ring->pid, ring->seen_ns + later_ns,
				      ring->tid, begin_ns);
}

/*
 * Which thread it is, once that is certain.  Of another user's programs none is believed that is
 * not known to be of the process that is theirs.
 */
static void settle(SptMarks *marks, struct mark_ring *ring, bool is_last)
{
	uint64_t begin_ns = MAX(ring->begin_ns, marks->base_ns);

	if (!ring->is_settled && is_of_others(marks, ring))
		drop_ring(marks, ring);
	if (ring->is_settled || !marks->has_begun ||
	    (!is_last && marks->late_bytes <= marks->most_late_bytes &&
	     !spt_thread_ids_are_ripe(marks->threads, MAX(begin_ns, ring->seen_ns),
				      marks->now_ns)))
		return;
	ring->thread = find_thread(marks, ring, 0);
	if (!ring->thread)
		ring->thread = find_thread(marks, ring, COARSE_NS);
	ring->is_settled = ring->thread || is_last || marks->now_ns > begin_ns + PATIENCE_NS ||
			   marks->late_bytes > marks->most_late_bytes;
	if (!ring->is_settled)
		return;
	if (ring->thread || !(marks->drops_others || marks->is_of_user)) {
		put_late_records(marks, ring);
		return;
	}
	drop_ring(marks, ring);
	marks->status.refused += marks->is_of_user;
}

void spt_marks_watch(SptMarks *marks, const char *start_at, const char *stop_at)
{
	marks->start_at = g_strdup(start_at);
	marks->stop_at = g_strdup(stop_at);
}

void spt_marks_watch_slow(SptMarks *marks, const char *name, uint64_t least_ns)
{
	marks->when_mark = g_strdup(name);
	marks->when_ns = least_ns;
}

void spt_marks_begin(SptMarks *marks)
{
	look_at_stamps(marks);
	marks->base_stamp = marks->now_stamp;
	marks->base_ns = marks->now_ns;
	marks->has_begun = true;
	if (marks->door)
		spt_mark_door_open(marks->door);
}

/* Whether the record is one of the recording. */
static bool watch_record(SptMarks *marks, const SptMarkRecord *record)
{
	bool is_end = record->type == SPT_MARK_END || record->type == SPT_MARK_CLOSE;

	if (marks->start_at && !is_end)
		marks->status.has_started |= strcmp(record->name, marks->start_at) == 0;
	if (marks->stop_at && (!marks->start_at || marks->status.has_started))
		marks->status.has_stopped |= strcmp(record->name, marks->stop_at) == 0;
	return marks->has_begun;
}

static bool has_used_allowance(const SptMarks *marks)
{
	return marks->is_of_user && marks->allowance <= 0;
}

/* Returns whether there may be more. */
static bool take_some(SptMarks *marks, struct mark_ring *ring)
{
	bool is_too_much = has_used_allowance(marks);
	SptMarkRecord record;
	uint32_t begin = ring->reader.at;
	unsigned n = 0;

	if ((is_too_much && !marks->is_last && !ring->is_dropped) ||
	    !spt_marks_reader_begin(&ring->reader))
		return false;
	if (ring->is_dropped)
		begin = ring->reader.at = ring->reader.end;
	while (n < RECORDS_AT_A_TIME && spt_marks_reader_next(&ring->reader, &record)) {
		n++;
		if (!watch_record(marks, &record))
			continue;
		if (is_too_much)
			marks->status.lost++;
		else if (ring->is_settled)
			put_record(marks, ring, &record);
		else
			keep_late(marks, ring, &record);
	}
	marks->allowance -= (int64_t)(ring->reader.at - begin) * 8;
	spt_marks_reader_end(&ring->reader);
	return n == RECORDS_AT_A_TIME && (marks->is_last || !has_used_allowance(marks));
}

static void count_lost(SptMarks *marks, struct mark_ring *ring)
{
	uint64_t lost = __atomic_load_n(&ring->reader.slot->lost, __ATOMIC_RELAXED);

	if (ring->is_dropped)
		return;
	if (lost - ring->lost < MOST_LOST)
		marks->status.lost += lost - ring->lost;
	else
		ring->reader.is_broken = true;
	ring->lost = lost;
}

/* Rings. */

/* Whether the last search has been so lately that the next one has to wait. */
static bool is_search_too_soon(const SptMarks *marks)
{
	return marks->now_ns < marks->next_search_ns;
}

/* A search reads a file for each process, and for each thread of one: a user can have many. */
static void find_host_ids(SptMarks *marks, struct mark_ring *ring)
{
	uint64_t begin_ns = spt_clock_ns(CLOCK_MONOTONIC), end_ns;
	uint32_t host = spt_namespace_process(ring->pid, 0);

	ring->tid = ring->tid == ring->pid ? host : spt_namespace_thread(host, ring->tid);
	ring->pid = host;
	end_ns = spt_clock_ns(CLOCK_MONOTONIC);
	marks->next_search_ns = end_ns + MAX(SEARCH_NS, SEARCH_PAUSE * (end_ns - begin_ns));
}

/*
 * Who says so can be anybody of the user's.  That it is the process that it says is not known, but
 * that this one is the user's, too.
 */
static void check_user(SptMarks *marks, struct mark_ring *ring)
{
	uint32_t uid;

	ring->seen_ns = spt_clock_ns(CLOCK_MONOTONIC);
	if (ring->pid && spt_process_user(ring->pid, &uid) && uid == marks->uid)
		return;
	drop_ring(marks, ring);
	marks->status.refused++;
}

static void adopt_ring(SptMarks *marks, uint32_t i)
{
	struct spt_marks_slot *slot = spt_marks_slot(marks->shared, i);
	struct mark_ring *ring;

	/* Pairs with the release by which the thread has made it ready. */
	if (marks->by_slot[i] || !__atomic_load_n(&slot->is_ready, __ATOMIC_ACQUIRE) ||
	    (marks->is_of_user && slot->is_foreign && is_search_too_soon(marks)))
		return;
	ring = g_new0(struct mark_ring, 1);
	spt_marks_reader_init(&ring->reader, marks->shared, i);
	ring->slot = i;
	ring->pid = slot->pid;
	ring->tid = slot->tid;
	ring->image = slot->image;
	ring->is_foreign = slot->is_foreign;
	ring->begin_ns = MIN(slot->begin_ns, marks->now_ns);
	ring->spans = spt_mark_spans_new();
	if (ring->is_foreign)
		find_host_ids(marks, ring);
	if (marks->is_of_user)
		check_user(marks, ring);
	marks->by_slot[i] = ring;
	g_ptr_array_add(marks->active, ring);
}

static uint32_t n_slots_used(const SptMarks *marks)
{
	return MIN(__atomic_load_n(&spt_marks_programs(marks->shared)->next_slot, __ATOMIC_RELAXED),
		   marks->n_slots);
}

bool spt_marks_is_used(const SptMarks *marks)
{
	return n_slots_used(marks) > 0;
}

/* The thread has exited, or has become another program. */
static bool is_gone(const SptMarks *marks, const struct mark_ring *ring)
{
	if (__atomic_load_n(&ring->reader.slot->has_exited, __ATOMIC_ACQUIRE))
		return true;
	for (unsigned i = 0; i < marks->active->len; i++) {
		const struct mark_ring *other = marks->active->pdata[i];

		if (other->pid == ring->pid && other->image > ring->image &&
		    other->begin_ns >= ring->begin_ns)
			return true;
	}
	return ring->pid && ring->tid &&
	       syscall(SYS_tgkill, ring->pid, ring->tid, 0) < 0 && errno == ESRCH;
}

/* Spans that never ended last until now. */
static void put_unended(SptMarks *marks, SptMarkSpans *spans, uint32_t thread)
{
	SptOpenSpan span;

	while (spt_mark_spans_pop(spans, &span)) {
		put_span(marks, thread,
			 &(SptMarkRecord){ .category = span.category, .name = span.name,
					   .message = "[not ended]" },
			 span.begin_ns, marks->now_ns);
		spt_open_span_clear(&span);
	}
	marks->status.invalid += spt_mark_spans_take_forgotten(spans);
}

static void end_ring(SptMarks *marks, struct mark_ring *ring)
{
	settle(marks, ring, true);
	put_unended(marks, ring->spans, ring->thread);
	count_lost(marks, ring);
	marks->status.broken += ring->reader.is_broken;
}

static void look_after_gone(SptMarks *marks)
{
	marks->looked_ns = marks->now_ns;
	for (unsigned i = marks->active->len; i-- > 0;) {
		struct mark_ring *ring = marks->active->pdata[i];
		struct spt_marks_slot *slot = ring->reader.slot;

		if (!ring->is_settled || !is_gone(marks, ring) ||
		    spt_marks_reader_begin(&ring->reader))
			continue;
		end_ring(marks, ring);
		marks->by_slot[ring->slot] = NULL;
		__atomic_store_n(&slot->lost, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&slot->is_ready, 0, __ATOMIC_RELAXED);
		/* Pairs with the acquire of the next thread that claims it. */
		__atomic_store_n(&slot->owner, 0, __ATOMIC_RELEASE);
		g_ptr_array_remove_index_fast(marks->active, i);
	}
}

static void take_all(SptMarks *marks, uint64_t until_ns, bool is_last)
{
	bool is_busy = true;

	while (is_busy && spt_clock_ns(CLOCK_MONOTONIC) < until_ns) {
		is_busy = false;
		look_at_stamps(marks);
		/* What it takes to know whose a ring is, is part of the time. */
		for (uint32_t i = 0;
		     i < n_slots_used(marks) && spt_clock_ns(CLOCK_MONOTONIC) < until_ns; i++)
			adopt_ring(marks, i);
		for (unsigned i = 0; i < marks->active->len; i++) {
			settle(marks, marks->active->pdata[i], is_last);
			is_busy |= take_some(marks, marks->active->pdata[i]);
		}
	}
}

/* At most what a second gives can be saved. */
static void fill_allowance(SptMarks *marks, uint64_t bytes_a_second)
{
	uint64_t now_ns = spt_clock_ns(CLOCK_MONOTONIC),
		 passed_ns = MIN(now_ns - marks->filled_ns, NS_PER_S);

	marks->allowance += (int64_t)(passed_ns * bytes_a_second / NS_PER_S);
	marks->allowance = MIN(marks->allowance, (int64_t)bytes_a_second);
	marks->filled_ns = now_ns;
}

void spt_marks_step_for(SptMarks *marks, uint64_t most_ns, uint64_t bytes_a_second)
{
	fill_allowance(marks, bytes_a_second);
	if (!spt_marks_is_used(marks))
		return;
	take_all(marks, spt_clock_ns(CLOCK_MONOTONIC) + most_ns, false);
	for (unsigned i = 0; i < marks->active->len; i++)
		count_lost(marks, marks->active->pdata[i]);
	if (marks->now_ns - marks->looked_ns >= LOOK_NS)
		look_after_gone(marks);
}

void spt_marks_step(SptMarks *marks)
{
	spt_marks_step_for(marks, STEP_NS, 0);
}

void spt_marks_finish(SptMarks *marks)
{
	spt_marks_finish_for(marks, LAST_NS);
}

void spt_marks_finish_for(SptMarks *marks, uint64_t most_ns)
{
	end_programs(marks);
	marks->is_last = true;
	take_all(marks, spt_clock_ns(CLOCK_MONOTONIC) + most_ns, true);
	for (unsigned i = 0; i < marks->active->len; i++)
		end_ring(marks, marks->active->pdata[i]);
	put_unended(marks, marks->open, 0);
	g_ptr_array_set_size(marks->active, 0);
	memset(marks->by_slot, 0, marks->n_slots * sizeof(*marks->by_slot));
	marks->status.lost += MIN(spt_marks_programs(marks->shared)->slotless, MOST_LOST);
}

void spt_marks_status(const SptMarks *marks, SptMarksStatus *ret)
{
	*ret = marks->status;
}
