/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The device's rings as one stream: order, room that is given back, and what is copied out. */
#include "trace/rings.h"

#include <string.h>

#define BYTES 4096u
#define CPUS 2
#define RECORD ((uint32_t)sizeof(struct sysprof_record))
#define HALF (BYTES / 2 / RECORD)
#define MANY 20000u

struct fixture {
	struct sysprof_ring_page pages[CPUS];
	struct sysprof_ring_tail tails[CPUS];
	uint64_t data[CPUS][BYTES / 8];
	SptRings *rings;
	GArray *taken;			/* uint64_t: times */
	void (*on_record)(struct fixture *fixture);
};

static void set_up(struct fixture *fixture, gconstpointer most_kept_bytes)
{
	fixture->rings = spt_rings_new(CPUS, BYTES, GPOINTER_TO_UINT(most_kept_bytes));
	fixture->taken = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		spt_rings_add(fixture->rings, cpu, &fixture->pages[cpu], &fixture->tails[cpu],
			      fixture->data[cpu]);
}

static void tear_down(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	spt_rings_free(fixture->rings);
	g_array_unref(fixture->taken);
}

/* As the module does it; false: there is no room. */
static bool put(struct fixture *fixture, unsigned cpu, uint64_t time)
{
	uint32_t tail = __atomic_load_n(&fixture->tails[cpu].tail, __ATOMIC_ACQUIRE);
	uint32_t head = fixture->pages[cpu].head, place = head % BYTES;
	uint32_t pad = BYTES - place < RECORD ? BYTES - place : 0;
	uint8_t *data = (uint8_t *)fixture->data[cpu];

	g_assert_cmpuint(head - tail, <=, BYTES);
	if (head - tail + pad + RECORD > BYTES)
		return false;
	if (pad) {
		struct sysprof_record *filler = (struct sysprof_record *)(data + place);

		filler->type = SYSPROF_PAD;
		filler->size = pad / 8;
		place = 0;
	}
	*(struct sysprof_record *)(data + place) = (struct sysprof_record){
		.type = SYSPROF_RESYNC, .size = RECORD / 8, .cpu = cpu, .time = time
	};
	__atomic_store_n(&fixture->pages[cpu].head, head + pad + RECORD, __ATOMIC_RELEASE);
	return true;
}

static uint32_t used(struct fixture *fixture, unsigned cpu)
{
	return fixture->pages[cpu].head - fixture->tails[cpu].tail;
}

static void take(const struct sysprof_record *record, void *data)
{
	struct fixture *fixture = data;
	uint64_t time = record->time;

	if (fixture->on_record)
		fixture->on_record(fixture);
	/* What is being read stays as it is. */
	g_assert_cmpuint(record->time, ==, time);
	g_assert_cmpuint(record->type, ==, SYSPROF_RESYNC);
	g_array_append_val(fixture->taken, time);
}

static void drain(struct fixture *fixture)
{
	uint64_t before = (uint64_t)g_get_monotonic_time() * 1000, drained;
	GError *error = NULL;

	g_assert_true(spt_rings_drain(fixture->rings, true, take, fixture, &drained, &error));
	g_assert_no_error(error);
	g_assert_cmpuint(drained, >=, before);
}

/* All of the times from 1 to @n, in order. */
static void check_taken(struct fixture *fixture, unsigned n)
{
	g_assert_cmpuint(fixture->taken->len, ==, n);
	for (unsigned i = 0; i < n; i++)
		g_assert_cmpuint(g_array_index(fixture->taken, uint64_t, i), ==, i + 1);
}

static void test_order(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	uint64_t time = 0;

	/* Several times around. */
	for (unsigned round = 0; round < 5; round++) {
		for (unsigned i = 0; i < HALF; i++)
			g_assert_true(put(fixture, i % 3 == 0, ++time));
		drain(fixture);
		g_assert_cmpuint(used(fixture, 0), ==, 0);
		g_assert_cmpuint(used(fixture, 1), ==, 0);
	}
	check_taken(fixture, time);
}

/* Records that nobody takes for long. */
static void test_kept(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	uint64_t time = 0;

	while (time < 10 * BYTES / RECORD) {
		g_assert_true(put(fixture, time % 5 == 0, time + 1));
		time++;
		spt_rings_relieve(fixture->rings);
		g_assert_cmpuint(used(fixture, 0), <=, BYTES / 2);
	}
	g_assert_false(spt_rings_has_room(fixture->rings));
	drain(fixture);
	check_taken(fixture, time);
	g_assert_true(spt_rings_has_room(fixture->rings));
	g_assert_true(put(fixture, 0, ++time));
	drain(fixture);
	check_taken(fixture, time);
}

/* With nothing left to copy into, a ring holds what it can. */
static void test_most(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	uint64_t time = 0;

	while (put(fixture, 0, time + 1)) {
		time++;
		spt_rings_relieve(fixture->rings);
	}
	g_assert_cmpuint(time, >=, BYTES / RECORD - 1);
	g_assert_cmpuint(time, <=, 2 * BYTES / RECORD);
	drain(fixture);
	check_taken(fixture, time);
	/* And may copy again. */
	g_assert_true(put(fixture, 0, ++time));
	drain(fixture);
	check_taken(fixture, time);
}

static void go_on(struct fixture *fixture)
{
	uint64_t time = g_array_index(fixture->taken, uint64_t, fixture->taken->len - 1);

	while (time < 5 * BYTES / RECORD && used(fixture, 0) <= BYTES / 2)
		g_assert_true(put(fixture, 0, ++time));
}

static void write_much(struct fixture *fixture)
{
	static uint64_t time;

	time = MAX(time, HALF);
	for (unsigned i = 0; i < 20 && time < 40 * HALF; i++)
		if (put(fixture, 0, time + 1))
			time++;
	spt_rings_relieve(fixture->rings);
}

/* While one is being read, others come and are copied out. */
static void test_being_read(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	for (uint64_t time = 1; time <= HALF; time++)
		g_assert_true(put(fixture, 0, time));
	fixture->on_record = write_much;
	while (fixture->taken->len < 40 * HALF)
		drain(fixture);
	check_taken(fixture, 40 * HALF);
	g_assert_cmpuint(used(fixture, 0), ==, 0);
}

static void look_at_room(struct fixture *fixture)
{
	uint32_t taken = fixture->taken->len * RECORD;

	g_assert_cmpuint(fixture->tails[0].tail + BYTES / 8, >=, taken);
}

/* A long drain gives room back before its end. */
static void test_room(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	for (uint64_t time = 1; time <= BYTES / RECORD; time++)
		g_assert_true(put(fixture, 0, time));
	fixture->on_record = look_at_room;
	drain(fixture);
	check_taken(fixture, BYTES / RECORD);
	fixture->on_record = NULL;
	go_on(fixture);
	drain(fixture);
}

static void *write_many(void *data)
{
	struct fixture *fixture = data;

	for (uint64_t time = 1; time <= MANY; time++)
		while (!put(fixture, 0, time))
			g_thread_yield();
	return NULL;
}

/* With the thread, and a writer in another one. */
static void test_thread(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	GThread *writer;

	spt_rings_watch(fixture->rings);
	writer = g_thread_new("writer", write_many, fixture);
	while (fixture->taken->len < MANY)
		drain(fixture);
	g_thread_join(writer);
	spt_rings_leave(fixture->rings);
	check_taken(fixture, MANY);
}

/* Nobody drains: without the thread that writer would never end. */
static void test_held_up(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	spt_rings_watch(fixture->rings);
	for (uint64_t time = 1; time <= BYTES / RECORD * 4; time++)
		while (!put(fixture, 0, time))
			g_thread_yield();
	spt_rings_leave(fixture->rings);
	drain(fixture);
	check_taken(fixture, BYTES / RECORD * 4);
}

static void test_damage(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	GError *error = NULL;
	uint64_t drained;

	g_assert_true(put(fixture, 0, 1));
	g_assert_true(put(fixture, 0, 2));
	((struct sysprof_record *)fixture->data[0])[1].size = 2000;
	g_assert_false(spt_rings_drain(fixture->rings, true, take, fixture, &drained, &error));
	g_assert_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED);
	g_assert_nonnull(strstr(error->message, "CPU 0"));
	g_error_free(error);
	check_taken(fixture, 1);
}

#define ADD(name, most, test)                                                                      \
	g_test_add("/rings/" name, struct fixture, GUINT_TO_POINTER(most), set_up, test, tear_down)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	ADD("order", 0, test_order);
	ADD("kept", 1 << 20, test_kept);
	ADD("most", BYTES, test_most);
	ADD("being-read", 1 << 20, test_being_read);
	ADD("room", 0, test_room);
	ADD("thread", 1 << 20, test_thread);
	ADD("held-up", 1 << 20, test_held_up);
	ADD("damage", 0, test_damage);
	return g_test_run();
}
