/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs can write anything into a ring at any time: each frame is copied before it is read. */
#include "record/control.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptor.h"
#include "record/shared-memory.h"

#define REQUEST	     "CreatRing"	/* with its nul */
#define REQUEST_BYTES 10
#define PAGE	     4096u
#define RING_BYTES   (255u * PAGE)
#define MOST_RINGS   256u
#define MOST_COUNTERS 4096u
#define MOST_FRAMES  4096u		/* of a ring, at a step */
#define FRAME_BYTES  24u
#define LAST_FRAME   0xffu		/* the thread has exited */

enum { FRAME_COUNTERS = 8, FRAME_VALUES = 9, FRAME_MARK = 10, FRAME_LOG = 12 };

struct control_header {
	uint32_t head, tail, offset, size;
};

/* All integers have the byte order of the machine. */
struct control_frame {
	uint16_t bytes;
	int16_t cpu;
	int32_t pid;
	int64_t time;
	uint8_t type;
	uint8_t others[7];
};

struct control_mark {
	int64_t duration_ns;
	char group[24], name[40];	/* then the message */
};

struct control_line {
	uint16_t severity, others[3];
	char domain[32];		/* then the message */
};

struct control_counter {
	char category[32], name[32], description[52];
	uint32_t id;			/* and type, in the upper 8 bits */
	uint64_t value;
};

struct control_values {
	uint32_t ids[8];
	uint64_t values[8];
};

struct control_ring {
	struct control_header *header;
	int fd;
	uint32_t head;
	bool is_over;
};

struct named_counter {
	char *name;
	bool is_double;
};

struct SptControl {
	int fd;
	SptSaid *said;
	const SptThreadIds *threads;
	GPtrArray *rings;		/* struct control_ring */
	GHashTable *counters;		/* id -> struct named_counter */
	char request[REQUEST_BYTES];
	unsigned n_request;
	bool is_broken;			/* somebody has sent something else */
	uint64_t begin_ns;
	uint64_t buffer[(UINT16_MAX + 1 + 8) / 8];	/* a frame, and a nul */
};

static void control_ring_free(void *data)
{
	struct control_ring *ring = data;

	munmap(ring->header, PAGE + RING_BYTES);
	g_free(ring);
}

static void named_counter_free(void *data)
{
	struct named_counter *counter = data;

	g_free(counter->name);
	g_free(counter);
}

SptControl *spt_control_new(int fd, SptSaid *said, const SptThreadIds *threads)
{
	SptControl *control = g_new0(SptControl, 1);

	control->fd = fd;
	control->said = said;
	control->threads = threads;
	control->rings = g_ptr_array_new_with_free_func(control_ring_free);
	control->counters = g_hash_table_new_full(NULL, NULL, NULL, named_counter_free);
	control->begin_ns = spt_clock_ns(CLOCK_MONOTONIC);
	return control;
}

void spt_control_free(SptControl *control)
{
	if (!control)
		return;
	if (control->fd >= 0)
		close(control->fd);
	g_ptr_array_unref(control->rings);
	g_hash_table_unref(control->counters);
	g_free(control);
}

bool spt_control_is_used(const SptControl *control)
{
	return control->rings->len > 0;
}

/* Requests. */

static int make_ring(struct control_ring *ring)
{
	void *at;
	int fd = spt_shared_memory_new("sysprof-control", PAGE + RING_BYTES, &at);

	if (fd < 0)
		return -1;
	ring->header = at;
	ring->header->offset = PAGE;
	ring->header->size = RING_BYTES;
	return fd;
}

static void drop_ended_rings(SptControl *control)
{
	for (unsigned i = control->rings->len; i-- > 0;)
		if (((struct control_ring *)control->rings->pdata[i])->is_over)
			g_ptr_array_remove_index_fast(control->rings, i);
}

static void answer(SptControl *control)
{
	struct control_ring *ring = g_new0(struct control_ring, 1);
	int fd;

	drop_ended_rings(control);
	fd = control->rings->len < MOST_RINGS ? make_ring(ring) : -1;
	/* A byte without a descriptor says that there is no ring. */
	control->is_broken |= spt_send_descriptor(control->fd, "", 1, fd, MSG_DONTWAIT) != 1;
	if (fd >= 0) {
		close(fd);
		g_ptr_array_add(control->rings, ring);
	} else {
		g_free(ring);
	}
}

/* Not all at once: a flood of them must not keep the recorder busy. */
static void answer_requests(SptControl *control)
{
	for (unsigned i = 0; i < MOST_RINGS && !control->is_broken; i++) {
		ssize_t got = recv(control->fd, control->request + control->n_request,
				   REQUEST_BYTES - control->n_request, MSG_DONTWAIT);

		if (got <= 0)
			return;
		control->n_request += (unsigned)got;
		if (control->n_request < REQUEST_BYTES)
			continue;
		control->n_request = 0;
		if (memcmp(control->request, REQUEST, REQUEST_BYTES) == 0)
			answer(control);
		else
			control->is_broken = true;
	}
	/* A thread that waits for an answer gets the end of the file. */
	if (control->is_broken)
		shutdown(control->fd, SHUT_RDWR);
}

/* Frames. */

static uint64_t time_of_frame(const SptControl *control, int64_t time)
{
	uint64_t now = spt_clock_ns(CLOCK_MONOTONIC);

	return CLAMP(time < 0 ? 0 : (uint64_t)time, control->begin_ns, now);
}

static uint32_t thread_of_frame(const SptControl *control, const struct control_frame *frame)
{
	return spt_thread_ids_find(control->threads, (uint32_t)frame->pid, UINT64_MAX);
}

/* A text of at most @bytes that need not end. */
static char *text_of_frame(const char *text, size_t bytes)
{
	return g_strndup(text, strnlen(text, bytes));
}

static bool put_mark_frame(SptControl *control, const struct control_frame *frame,
			   const void *data, size_t bytes, SptMarksStatus *status)
{
	const struct control_mark *mark = data;
	g_autofree char *group = NULL, *name = NULL;
	uint64_t begin = time_of_frame(control, frame->time),
		 most = spt_clock_ns(CLOCK_MONOTONIC) - begin;

	if (bytes < sizeof(*mark))
		return false;
	group = text_of_frame(mark->group, sizeof(mark->group));
	name = text_of_frame(mark->name, sizeof(mark->name));
	spt_said_mark(control->said,
		      &(SptSaidMark){
			      .time = begin,
			      .duration_ns = mark->duration_ns > 0 ?
						     MIN((uint64_t)mark->duration_ns, most) :
						     0,
			      .thread = thread_of_frame(control, frame),
			      .category = group,
			      .name = name,
			      .message = (const char *)(mark + 1),
		      });
	status->marks++;
	return true;
}

static bool put_log_frame(SptControl *control, const struct control_frame *frame,
			  const void *data, size_t bytes, SptMarksStatus *status)
{
	const struct control_line *line = data;
	g_autofree char *domain = NULL;

	if (bytes < sizeof(*line))
		return false;
	domain = text_of_frame(line->domain, sizeof(line->domain));
	spt_said_line(control->said, time_of_frame(control, frame->time),
		      thread_of_frame(control, frame), spt_said_severity(line->severity), domain,
		      (const char *)(line + 1));
	status->lines++;
	return true;
}

static void define_counter(SptControl *control, const struct control_counter *counter)
{
	g_autofree char *category = text_of_frame(counter->category, sizeof(counter->category));
	g_autofree char *name = text_of_frame(counter->name, sizeof(counter->name));
	struct named_counter *named;

	if (g_hash_table_size(control->counters) >= MOST_COUNTERS)
		return;
	named = g_new0(struct named_counter, 1);
	named->name = *category ? g_strdup_printf("%s: %s", category, name) : g_strdup(name);
	named->is_double = counter->id >> 24;
	g_hash_table_replace(control->counters, GUINT_TO_POINTER(counter->id & 0xffffff), named);
}

static bool put_counter_frame(SptControl *control, const uint8_t *data, size_t bytes)
{
	unsigned n = bytes < 8 ? 0 : *(const uint16_t *)(const void *)data;

	for (unsigned i = 0; i < n; i++) {
		struct control_counter counter;

		if (8 + (i + 1) * sizeof(counter) > bytes)
			return false;
		memcpy(&counter, data + 8 + i * sizeof(counter), sizeof(counter));
		define_counter(control, &counter);
	}
	return true;
}

static void put_counter_value(SptControl *control, const struct control_frame *frame, uint32_t id,
			      uint64_t value, SptMarksStatus *status)
{
	const struct named_counter *named =
		g_hash_table_lookup(control->counters, GUINT_TO_POINTER(id & 0xffffff));
	double real;

	if (!named) {
		status->invalid++;
		return;
	}
	memcpy(&real, &value, sizeof(real));
	if (spt_said_count(control->said, &(SptSaidCounter){ named->name, NULL, "" },
			   time_of_frame(control, frame->time), thread_of_frame(control, frame),
			   named->is_double ? real : (double)(int64_t)value))
		status->counts++;
	else
		status->invalid++;
}

static bool put_values_frame(SptControl *control, const struct control_frame *frame,
			     const uint8_t *data, size_t bytes, SptMarksStatus *status)
{
	unsigned n = bytes < 8 ? 0 : *(const uint16_t *)(const void *)data;

	for (unsigned i = 0; i < n; i++) {
		struct control_values values;

		if (8 + (i + 1) * sizeof(values) > bytes)
			return false;
		memcpy(&values, data + 8 + i * sizeof(values), sizeof(values));
		for (unsigned k = 0; k < G_N_ELEMENTS(values.ids) && values.ids[k]; k++)
			put_counter_value(control, frame, values.ids[k], values.values[k], status);
	}
	return true;
}

/* The frame in the buffer.  False: it cannot be one. */
static bool take_frame(SptControl *control, bool *is_last, SptMarksStatus *status)
{
	const struct control_frame *frame = (const void *)control->buffer;
	const uint8_t *data = (const uint8_t *)(frame + 1);
	size_t bytes = frame->bytes - FRAME_BYTES;

	switch (frame->type) {
	case FRAME_MARK:
		return put_mark_frame(control, frame, data, bytes, status);
	case FRAME_LOG:
		return put_log_frame(control, frame, data, bytes, status);
	case FRAME_COUNTERS:
		return put_counter_frame(control, data, bytes);
	case FRAME_VALUES:
		return put_values_frame(control, frame, data, bytes, status);
	case LAST_FRAME:
		*is_last = true;
		return true;
	default:
		return true;
	}
}

bool spt_control_take(SptControl *control, const void *frame, uint16_t bytes,
		      SptMarksStatus *status)
{
	bool is_last;

	memcpy(control->buffer, frame, bytes);
	((struct control_frame *)control->buffer)->bytes = bytes;
	((char *)control->buffer)[bytes] = '\0';
	return take_frame(control, &is_last, status);
}

/* Copies from the ring, whose end is followed by its start. */
static void copy_out(const struct control_ring *ring, uint32_t at, void *to, uint32_t bytes)
{
	const char *body = (const char *)ring->header + PAGE;
	uint32_t first = MIN(bytes, RING_BYTES - at);

	memcpy(to, body + at, first);
	memcpy((char *)to + first, body, bytes - first);
}

/* False: what is there cannot be frames. */
static bool drain_frames(SptControl *control, struct control_ring *ring, SptMarksStatus *status)
{
	uint32_t tail = __atomic_load_n(&ring->header->tail, __ATOMIC_SEQ_CST);

	if (tail >= RING_BYTES)
		return false;
	for (unsigned i = 0; i < MOST_FRAMES && ring->head != tail; i++) {
		uint32_t there = (tail + RING_BYTES - ring->head) % RING_BYTES;
		uint16_t bytes = 0;

		if (there < FRAME_BYTES)
			return false;
		copy_out(ring, ring->head, &bytes, sizeof(bytes));
		if (bytes < FRAME_BYTES || bytes > there || bytes % 8)
			return false;
		copy_out(ring, ring->head, control->buffer, bytes);
		((struct control_frame *)control->buffer)->bytes = bytes;
		((char *)control->buffer)[bytes] = '\0';
		if (!take_frame(control, &ring->is_over, status))
			return false;
		ring->head = (ring->head + bytes) % RING_BYTES;
	}
	__atomic_store_n(&ring->header->head, ring->head, __ATOMIC_SEQ_CST);
	return true;
}

void spt_control_step(SptControl *control, SptMarksStatus *status)
{
	answer_requests(control);
	for (unsigned i = 0; i < control->rings->len; i++) {
		struct control_ring *ring = control->rings->pdata[i];

		if (ring->is_over || drain_frames(control, ring, status))
			continue;
		status->broken++;
		ring->is_over = true;
	}
}
