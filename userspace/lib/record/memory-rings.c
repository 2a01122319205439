/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rings come and go with threads.  A thread mostly says itself that it exits.  Of one that was
 * killed the kernel knows, by its number, if that is of the recorder's PID namespace, or can be
 * translated.  Otherwise its ring is taken from it when it has been idle for long: see
 * rings/layout.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "record/memory-private.h"
#include "record/namespace.h"

/* Tolerance between claims and starts of threads, which use different clocks. */
#define SLACK_NS 1000000ULL
/* After that time without a call the ring of a thread that nobody knows is for another one. */
#define IDLE_NS 5000000000ULL

static struct spt_image *get_image(SptMemory *memory, uint32_t id, uint32_t pid, bool is_foreign)
{
	struct spt_image *image = g_hash_table_lookup(memory->images, GUINT_TO_POINTER(id));

	if (!image) {
		image = g_new0(struct spt_image, 1);
		image->id = id;
		image->pid = pid;
		image->is_foreign = is_foreign;
		image->mappings = spt_mappings_new();
		g_hash_table_insert(memory->images, GUINT_TO_POINTER(id), image);
	}
	return image;
}

static uint64_t memory_rings_inode_of(int fd)
{
	struct stat stat_of;

	return fstat(fd, &stat_of) == 0 ? stat_of.st_ino : 0;
}

/*
 * What the source calls the thread.  One that cannot say which one it is, as a sandbox keeps it
 * from asking, or that has exited already, counts as the first one of its process.
 */
static uint32_t thread_number(SptMemory *memory, const struct spt_memory_ring *ring)
{
	struct spt_image *image = ring->image;
	uint32_t thread = 0;

	if (!image->is_foreign)
		return ring->tid ? ring->tid : ring->pid;
	if (!image->host_pid)
		image->host_pid =
			spt_namespace_process(image->pid, memory_rings_inode_of(memory->fd));
	if (ring->tid && ring->tid != ring->pid)
		thread = spt_namespace_thread(image->host_pid, ring->tid);
	return thread ? thread : image->host_pid;
}

/* Whether /proc has to be read to find out whose ring that is. */
static bool is_to_be_asked(const SptMemory *memory, const struct spt_ring_slot *slot)
{
	const struct spt_image *image =
		g_hash_table_lookup(memory->images, GUINT_TO_POINTER(slot->image));

	return image ? image->is_foreign : slot->is_foreign || memory->attached_pid;
}

static void memory_rings_adopt(SptMemory *memory, uint32_t i)
{
	const struct spt_ring_slot *slot = spt_rings_slot(memory->rings, i);
	uint64_t begin = spt_clock_ns(CLOCK_MONOTONIC), end;
	bool is_asked;
	struct spt_memory_ring *ring;
	struct spt_owner owner = { 0 };
	bool is_first;

	/* Pairs with the release by which the thread has made it ready. */
	if (memory->by_slot[i] || !__atomic_load_n(&slot->is_ready, __ATOMIC_ACQUIRE))
		return;
	is_asked = is_to_be_asked(memory, slot);
	if (is_asked && begin < memory->ask_ns) {
		memory->n_unasked++;
		return;
	}
	ring = g_new0(struct spt_memory_ring, 1);
	spt_ring_reader_init(&ring->reader, memory->rings, i);
	ring->slot = i;
	ring->number = memory->owners->len;
	ring->pid = slot->pid;
	ring->tid = slot->tid;
	ring->library = slot->library;
	ring->nodes = g_array_new(FALSE, TRUE, sizeof(uint32_t));
	ring->code = g_array_new(FALSE, FALSE, sizeof(struct spt_code));
	ring->unmapped = g_array_new(FALSE, FALSE, sizeof(SptBlock));
	ring->image = get_image(memory, slot->image, slot->pid, slot->is_foreign);
	ring->image->n_rings++;
	spt_memory_attach_ring(memory, ring, memory_rings_inode_of(memory->fd));
	ring->idle_since_ns = memory->now_ns;
	is_first = !ring->image->has_ring;
	ring->image->has_ring = true;
	ring->image->is_forked = slot->is_forked;
	owner.tid = thread_number(memory, ring);
	owner.begin_ns = spt_memory_time(memory, slot->begin) + SLACK_NS;
	if (is_first && !slot->is_forked)
		spt_memory_connected(memory, ring->image->is_foreign ? ring->image->host_pid :
								       ring->pid,
				     slot->begin);
	g_array_append_val(memory->owners, owner);
	memory->by_slot[i] = ring;
	g_ptr_array_add(memory->active, ring);
	end = spt_clock_ns(CLOCK_MONOTONIC);
	if (is_asked)
		memory->ask_ns = end + (end - begin);
}

void spt_memory_adopt(SptMemory *memory)
{
	const struct spt_rings_programs *programs = spt_rings_programs(memory->rings);
	uint32_t n = MIN(__atomic_load_n(&programs->next_slot, __ATOMIC_RELAXED),
			 SPT_RINGS_SLOTS);

	memory->n_unasked = 0;
	for (uint32_t i = 0; i < n; i++)
		memory_rings_adopt(memory, i);
}

void spt_memory_count_waits(SptMemory *memory, struct spt_memory_ring *ring)
{
	const struct spt_ring_slot *slot = spt_rings_slot(memory->rings, ring->slot);
	uint64_t waits = slot->waits, waited_ns = slot->waited_ns, dropped = slot->dropped;

	memory->status.waits += waits - ring->waits;
	memory->status.waited_ns += waited_ns - ring->waited_ns;
	memory->status.lost += dropped - ring->dropped;
	ring->waits = waits;
	ring->waited_ns = waited_ns;
	ring->dropped = dropped;
}

/* A later thread with the same number, or what it has become by an exec. */
static bool has_successor(const SptMemory *memory, const struct spt_memory_ring *ring)
{
	for (unsigned i = 0; i < memory->active->len; i++) {
		const struct spt_memory_ring *other = memory->active->pdata[i];

		if (!other->image->is_foreign && other->tid == ring->tid &&
		    other->library == ring->library && other->number > ring->number)
			return true;
	}
	return false;
}

static bool has_ended(uint32_t pid, uint32_t tid)
{
	return syscall(SYS_tgkill, pid, tid, 0) < 0 && errno == ESRCH;
}

/*
 * Takes the slot of an idle thread that cannot be asked for.  True: the thread has seen it, or will
 * before it writes anything.
 */
static bool revoke_slot(SptMemory *memory, struct spt_memory_ring *ring)
{
	struct spt_ring_slot *slot = spt_rings_slot(memory->rings, ring->slot);
	uint32_t head = __atomic_load_n(&slot->head, __ATOMIC_ACQUIRE);

	if (head != ring->head) {
		ring->head = head;
		ring->idle_since_ns = memory->now_ns;
	}
	if (memory->now_ns - ring->idle_since_ns < IDLE_NS)
		return false;
	if (!ring->is_revoked)
		/* Pairs with has_slot() in preload/event.c, as the look below does. */
		__atomic_fetch_or(&slot->owner, SPT_SLOT_REVOKED, __ATOMIC_SEQ_CST);
	ring->is_revoked = true;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return !__atomic_load_n(&slot->is_busy, __ATOMIC_SEQ_CST) &&
	       __atomic_load_n(&slot->head, __ATOMIC_SEQ_CST) == head;
}

static bool memory_rings_is_gone(SptMemory *memory, struct spt_memory_ring *ring)
{
	const struct spt_image *image = ring->image;

	if (image->is_foreign)
		return (image->host_pid && has_ended(image->host_pid, image->host_pid)) ||
		       revoke_slot(memory, ring);
	if (!ring->tid)
		return has_ended(ring->pid, ring->pid);
	return has_successor(memory, ring) || has_ended(ring->pid, ring->tid);
}

/* The slot is for another thread; the memory of the ring is given back. */
static void memory_rings_give_back(SptMemory *memory, struct spt_memory_ring *ring)
{
	struct spt_ring_slot *slot = spt_rings_slot(memory->rings, ring->slot);
	off_t at = (char *)spt_rings_words(memory->rings, ring->slot) - (char *)memory->rings;

	spt_memory_count_waits(memory, ring);
	memory->status.broken += ring->reader.is_broken;
	ring->image->n_rings--;
	memory->by_slot[ring->slot] = NULL;
	if (fallocate(memory->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at,
		      SPT_RING_WORDS * 8) < 0)
		errno = 0;
	__atomic_store_n(&slot->is_ready, 0, __ATOMIC_RELAXED);
	/* Pairs with the acquire by which a thread claims it. */
	__atomic_store_n(&slot->owner, SPT_SLOT_FREE, __ATOMIC_RELEASE);
	__atomic_add_fetch(&((struct spt_rings_header *)memory->rings)->freed, 1, __ATOMIC_RELAXED);
	spt_memory_forget_scripts(memory, ring);
	g_ptr_array_remove_fast(memory->active, ring);
}

/* Of a process that nobody knows, blocks may be freed until the recording ends. */
static gboolean image_is_gone(gpointer id, gpointer data, gpointer user_data)
{
	struct spt_image *image = data;
	uint32_t pid = image->is_foreign ? image->host_pid : image->pid;

	(void)id;
	if (image->n_rings || !pid || kill((pid_t)pid, 0) == 0 || errno != ESRCH)
		return FALSE;
	spt_memory_put_open(user_data, &image->blocks);
	spt_mappings_put_open(user_data, image);
	return TRUE;
}

static bool has_exited(SptMemory *memory, struct spt_memory_ring *ring)
{
	/* Pairs with the release by the thread: then its head is the last one. */
	return __atomic_load_n(&spt_rings_slot(memory->rings, ring->slot)->has_exited,
			       __ATOMIC_ACQUIRE);
}

static void give_back_all(SptMemory *memory,
			  bool (*is_for_another)(SptMemory *, struct spt_memory_ring *))
{
	for (unsigned i = memory->active->len; i-- > 0;) {
		struct spt_memory_ring *ring = memory->active->pdata[i];

		if (!is_for_another(memory, ring) || ring->has_next || ring->has_object ||
		    spt_ring_reader_begin(&ring->reader))
			continue;
		spt_memory_settle(memory, ring);
		memory_rings_give_back(memory, ring);
	}
}

void spt_memory_take_back(SptMemory *memory)
{
	give_back_all(memory, has_exited);
}

void spt_memory_look_after_gone(SptMemory *memory)
{
	memory->looked_ns = memory->now_ns;
	give_back_all(memory, memory_rings_is_gone);
	g_hash_table_foreach_remove(memory->images, image_is_gone, memory);
}
