/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench-rings: what the recorder of allocations takes itself, without the program that allocates.
 *   save FILE COMMAND...	runs it, and keeps what it wrote into its rings
 *   read FILE CAPTURE		CPU time of the way from there into a capture, "name value unit"
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/heap.h"
#include "record/memory-private.h"
#include "record/output.h"

/* At the recorder's usual pace: a flush a second. */
#define FLUSH_WORDS (4u << 20)
/* What a busy program writes in a millisecond, after which the recorder looks again. */
#define STEP_WORDS (8u << 10)

/* Before the words of a ring that came together. */
struct piece {
	uint32_t slot, pid, tid, image, n, reserved;
};

/* Threads whose rings are read; for the whole run. */
static SptThreadIds *threads;

static SptMemory *begin(const char *path, SptOutput **ret_output)
{
	const SptRecorderOptions options = { .output = path };
	const SptMemoryOptions memory_options = { 0 };
	g_autoptr(GError) error = NULL;
	SptMemory *memory;

	*ret_output = spt_output_new(&options, NULL, &error);
	g_assert_no_error(error);
	threads = spt_thread_ids_new();
	memory = spt_memory_new(&memory_options, NULL, threads, *ret_output, &error);
	g_assert_no_error(error);
	return memory;
}

static void save_ring(SptMemory *memory, uint32_t i, FILE *file)
{
	struct spt_ring_slot *slot = spt_rings_slot(memory->rings, i);
	const uint64_t *words = spt_rings_words(memory->rings, i);
	SptRingReader reader;
	struct piece piece;

	if (!__atomic_load_n(&slot->is_ready, __ATOMIC_ACQUIRE))
		return;
	spt_ring_reader_init(&reader, memory->rings, i);
	spt_ring_reader_begin(&reader);
	piece = (struct piece){ i, slot->pid, slot->tid, slot->image, reader.end - reader.at, 0 };
	if (!piece.n)
		return;
	fwrite(&piece, sizeof(piece), 1, file);
	for (; piece.n > 0; piece.n--)
		fwrite(&words[reader.at++ & (SPT_RING_WORDS - 1)], 8, 1, file);
	spt_ring_reader_end(&reader);
}

static void save(const char *path, char **command)
{
	g_autofree char *unused = g_strconcat(path, ".none", NULL);
	SptOutput *output;
	SptMemory *memory = begin(unused, &output);
	const char *const *variables = spt_memory_environment(memory);
	const uint64_t begin_at[] = { memory->base_stamp, memory->base_ns };
	FILE *file = fopen(path, "w");
	bool has_ended = false;
	pid_t child = fork();

	g_assert_true(file && child >= 0);
	if (!child) {
		for (; *variables; variables += 2)
			setenv(variables[0], variables[1], 1);
		execvp(command[0], command);
		_exit(127);
	}
	fwrite(begin_at, sizeof(begin_at), 1, file);
	while (!has_ended) {
		has_ended = waitpid(child, NULL, WNOHANG) == child;
		for (unsigned times = 0; times < (has_ended ? 3 : 1); times++)
			for (uint32_t i = 0; i < SPT_RINGS_SLOTS; i++)
				save_ring(memory, i, file);
	}
	g_assert_cmpint(fclose(file), ==, 0);
	spt_memory_free(memory);
	spt_thread_ids_free(threads);
	spt_output_free(output);
}

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Reports the objects of the ring to the memory, as the source does. */
static void tell_objects(SptMemory *memory, SptRingReader *reader)
{
	static uint32_t id = 100;
	SptRingRecord record;

	spt_ring_reader_begin(reader);
	while (spt_ring_reader_next(reader, &record)) {
		SptObjectRow row = { .kind = SPT_OBJECT_FILE };

		if (record.type != SPT_RING_OBJECT)
			continue;
		row.id = id++;
		row.path = record.path;
		row.inode = record.inode;
		spt_memory_object(memory, &row);
		spt_output_put(memory->output, SPT_ROW_OBJECT, &row);
	}
}

static void step(SptMemory *memory)
{
	g_autoptr(GError) error = NULL;
	bool is_busy;

	/* The threads have exited long ago. */
	memory->looked_ns = g_get_monotonic_time() * 1000UL;
	spt_memory_step(memory, false, &is_busy, &error);
	g_assert_no_error(error);
}

static void feed(SptMemory *memory, const struct piece *piece, const uint64_t *words)
{
	static SptRingReader readers[SPT_RINGS_SLOTS];
	struct spt_rings_programs *programs = spt_rings_programs(memory->rings);
	struct spt_ring_slot *slot = spt_rings_slot(memory->rings, piece->slot);
	uint64_t *ring = spt_rings_words(memory->rings, piece->slot);

	if (!slot->is_ready) {
		const SptThread thread = { .id = piece->slot + 1, .tid = piece->tid };

		slot->pid = piece->pid;
		slot->tid = piece->tid;
		slot->image = piece->image;
		slot->begin = memory->base_stamp;
		slot->owner = 1;
		slot->is_ready = 1;
		programs->next_slot = MAX(programs->next_slot, piece->slot + 1);
		spt_thread_ids_stage.thread(threads, &thread);
		spt_ring_reader_init(&readers[piece->slot], memory->rings, piece->slot);
		/* Rows of the first moments wait for their threads, which is not measured. */
		step(memory);
		spt_memory_put_late(memory, true);
	}
	for (uint32_t i = 0; i < piece->n; i++)
		ring[(slot->head + i) & (SPT_RING_WORDS - 1)] = words[i];
	__atomic_store_n(&slot->head, slot->head + piece->n, __ATOMIC_RELEASE);
	tell_objects(memory, &readers[piece->slot]);
}

/* Feeds the pieces at @text, up to @end, for one step; returns where they end. */
static const char *feed_some(SptMemory *memory, const char *text, const char *end,
			     uint64_t *n_words)
{
	uint32_t n = 0;

	while (text < end && n < STEP_WORDS) {
		const struct piece *piece = (const struct piece *)text;

		if (n && (!spt_rings_slot(memory->rings, piece->slot)->is_ready ||
			  n + piece->n > SPT_RING_WORDS))
			break;
		feed(memory, piece, (const uint64_t *)(piece + 1));
		text += sizeof(*piece) + piece->n * 8UL;
		n += piece->n;
	}
	*n_words += n;
	return text;
}

static bool has_all(const SptMemory *memory)
{
	const struct spt_rings_programs *programs = spt_rings_programs(memory->rings);

	for (uint32_t i = 0; i < programs->next_slot; i++) {
		const struct spt_ring_slot *slot = spt_rings_slot(memory->rings, i);

		if (slot->tail != slot->head)
			return false;
	}
	return true;
}

static void flush(SptMemory *memory, SptOutput *output)
{
	g_autoptr(GError) error = NULL;

	spt_memory_flush(memory, &error);
	g_assert_no_error(error);
	spt_output_flush(output, 0, &error);
	g_assert_no_error(error);
}

static void read_all(const char *path, const char *capture)
{
	SptOutput *output;
	SptMemory *memory = begin(capture, &output);
	g_autofree char *done = NULL;
	g_autoptr(GError) error = NULL;
	g_autoptr(GMappedFile) file = g_mapped_file_new(path, FALSE, &error);
	const char *text = g_mapped_file_get_contents(file), *at = text + 16;
	const char *end = text + g_mapped_file_get_length(file);
	SptMemoryStatus status;
	double begin, ns = 0;
	uint64_t n_words = 0;

	g_assert_no_error(error);
	memory->base_stamp = ((const uint64_t *)text)[0];
	memory->base_ns = memory->last_ns = ((const uint64_t *)text)[1];
	while (at < end) {
		at = feed_some(memory, at, end, &n_words);
		begin = now_ns();
		do {
			step(memory);
		} while (!has_all(memory));
		if (n_words > FLUSH_WORDS) {
			flush(memory, output);
			n_words = 0;
		}
		ns += now_ns() - begin;
	}
	begin = now_ns();
	spt_memory_finish(memory, &error);
	g_assert_no_error(error);
	spt_output_finish(output, 0, &done, &error);
	g_assert_no_error(error);
	ns += now_ns() - begin;
	spt_memory_status(memory, &status);
	g_assert_cmpuint(status.broken, ==, 0);
	printf("calls %" G_GUINT64_FORMAT " allocations and frees\n", status.calls + status.frees);
	printf("time %.1f ns/call\n", ns / (double)(status.calls + status.frees));
	printf("file %.2f bytes/call\n",
	       (double)spt_output_bytes(output) / (double)(status.calls + status.frees));
	spt_memory_free(memory);
	spt_thread_ids_free(threads);
	spt_output_free(output);
}

int main(int argc, char **argv)
{
	spt_heap_give_back();
	if (argc > 3 && strcmp(argv[1], "save") == 0)
		save(argv[2], argv + 3);
	else if (argc == 4 && strcmp(argv[1], "read") == 0)
		read_all(argv[2], argv[3]);
	else
		return 2;
	return 0;
}
