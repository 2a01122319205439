/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks: what a program writes is what the reader returns, hostile rings break nothing, spans are
 * paired, and moments select what lies within.
 */
/* The machine's own must not be heard here. */
#define SPT_MARK_NO_BELL
#include <spt/mark.h>

#include "profile/moments.h"
#include "profile/selection.h"
#include "record/flow-ends.h"
#include "record/mark-spans.h"
#include "record/mark-users.h"
#include "record/namespace.h"
#include "record/systrace-text.h"
#include "record/trace-page.h"
#include "rings/marks-reader.h"

#define ROUNDS 20000

/* This program is the recorder, too. */
static void *connect_here(void)
{
	void *marks = mmap(NULL, spt_marks_bytes(), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	static struct spt_mark_process process = { .image = 1, .pid = 1 };

	g_assert_true(marks != MAP_FAILED);
	spt_mark_link = (struct spt_mark_link){
		.ring = 1, .marks = marks, .n_slots = SPT_MARKS_SLOTS, .process = &process
	};
	spt_mark_thread = (struct spt_mark_thread){ 0 };
	spt_mark_bell.ring = 1;
	return marks;
}

static void disconnect(void *marks)
{
	spt_mark_bell.ring = 0;
	munmap(marks, spt_marks_bytes());
}

static void test_same(void)
{
	void *marks = connect_here();
	SptMarksReader reader;
	SptMarkRecord record;
	uint64_t begin = spt_mark_now();

	spt_mark_span("category", "a name of some length", "message", begin);
	spt_mark_instant(NULL, "", NULL);
	spt_mark_counter("count", 0.5);
	spt_marks_reader_init(&reader, marks, 0);
	g_assert_true(spt_marks_reader_begin(&reader));
	g_assert_true(spt_marks_reader_next(&reader, &record));
	g_assert_cmpint(record.type, ==, SPT_MARK_SPAN);
	g_assert_cmpuint(record.value, ==, begin);
	g_assert_cmpuint(record.stamp, >=, begin);
	g_assert_cmpstr(record.category, ==, "category");
	g_assert_cmpstr(record.name, ==, "a name of some length");
	g_assert_cmpstr(record.message, ==, "message");
	g_assert_true(spt_marks_reader_next(&reader, &record));
	g_assert_cmpstr(record.name, ==, "");
	g_assert_true(spt_marks_reader_next(&reader, &record));
	g_assert_cmpint(record.type, ==, SPT_MARK_COUNTER);
	g_assert_false(spt_marks_reader_next(&reader, &record));
	spt_marks_reader_end(&reader);
	g_assert_cmpuint(spt_marks_slot(marks, 0)->tail, ==, spt_marks_slot(marks, 0)->head);
	disconnect(marks);
}

/* A text that ends where memory ends, of each length: no byte behind it is read. */
static void test_short(void)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
	void *marks = connect_here();
	char *end = (char *)mmap(NULL, 2 * SPT_MARKS_PAGE, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + SPT_MARKS_PAGE;
	SptMarksReader reader;
	SptMarkRecord record;

	g_assert_cmpint(mprotect(end, SPT_MARKS_PAGE, PROT_NONE), ==, 0);
	for (size_t n = 0; n < sizeof(letters); n++) {
		char *text = end - n - 1;

		memcpy(text, letters, n);
		text[n] = '\0';
		spt_mark_instant(text, text, text);
	}
	spt_marks_reader_init(&reader, marks, 0);
	g_assert_true(spt_marks_reader_begin(&reader));
	for (size_t n = 0; n < sizeof(letters); n++) {
		g_autofree char *text = g_strndup(letters, n);

		g_assert_true(spt_marks_reader_next(&reader, &record));
		g_assert_cmpstr(record.category, ==, text);
		g_assert_cmpstr(record.name, ==, text);
		g_assert_cmpstr(record.message, ==, text);
	}
	spt_marks_reader_end(&reader);
	munmap(end - SPT_MARKS_PAGE, 2 * SPT_MARKS_PAGE);
	disconnect(marks);
}

/* Records never cross the end of a ring, none is torn, and what finds no room is counted. */
static void test_full(void)
{
	void *marks = connect_here();
	SptMarksReader reader;
	SptMarkRecord record;
	uint64_t n = 0, written = 0;

	spt_mark_instant("a", "first", NULL);
	spt_marks_reader_init(&reader, marks, 0);
	for (unsigned round = 0; round < 10; round++) {
		for (unsigned i = 0; i < 30000; i++, written++)
			spt_mark_instant("category", i % 2 ? "odd" : "a longer name", "m");
		spt_marks_reader_begin(&reader);
		while (spt_marks_reader_next(&reader, &record)) {
			g_assert_cmpint(record.type, ==, SPT_MARK_INSTANT);
			n++;
		}
		spt_marks_reader_end(&reader);
		g_assert_false(reader.is_broken);
	}
	g_assert_cmpuint(spt_marks_slot(marks, 0)->lost, >, 0);
	g_assert_cmpuint(n + spt_marks_slot(marks, 0)->lost, ==, written + 1);
	disconnect(marks);
}

static void test_long(void)
{
	void *marks = connect_here();
	g_autofree char *text = g_strnfill(1 << 20, 'x');
	SptMarksReader reader;
	SptMarkRecord record;

	spt_mark_instant(text, text, text);
	spt_marks_reader_init(&reader, marks, 0);
	spt_marks_reader_begin(&reader);
	g_assert_true(spt_marks_reader_next(&reader, &record));
	g_assert_cmpuint(strlen(record.message), ==, SPT_MARK_TEXT);
	disconnect(marks);
}

/* The recorder has ended: the next mark that looks stops marking. */
static void test_over(void)
{
	struct spt_marks_header *marks = connect_here();

	spt_mark_instant(NULL, "one", NULL);
	marks->is_over = 1;
	spt_mark_instant(NULL, "two", NULL);
	g_assert_false(spt_mark_is_recorded());
	g_assert_cmpuint(spt_marks_slot(marks, 0)->lost, ==, 1);
	disconnect(marks);
}

static int make_sealed(uint64_t bytes, int seals)
{
	int fd = memfd_create("marks", MFD_ALLOW_SEALING);

	g_assert_cmpint(fd, >=, 0);
	g_assert_cmpint(ftruncate(fd, (off_t)bytes), ==, 0);
	g_assert_cmpint(fcntl(fd, F_ADD_SEALS, seals), ==, 0);
	return fd;
}

/* Only memory that nobody can make shorter, and of whole rings. */
static void test_slots(void)
{
	const struct {
		uint64_t bytes;
		int seals;
		uint32_t slots;
	} rows[] = {
		{ spt_marks_bytes(), F_SEAL_SHRINK, SPT_MARKS_SLOTS },
		{ spt_marks_bytes_of(1), F_SEAL_SHRINK | F_SEAL_GROW, 1 },
		{ spt_marks_bytes_of(128), F_SEAL_SHRINK, 128 },
		{ spt_marks_bytes_of(128), F_SEAL_GROW, 0 },
		{ spt_marks_bytes_of(128) - 1, F_SEAL_SHRINK, 0 },
		{ spt_marks_bytes_of(128) + 4096, F_SEAL_SHRINK, 0 },
		{ spt_marks_bytes_of(0), F_SEAL_SHRINK, 0 },
		{ spt_marks_bytes_of(SPT_MARKS_SLOTS + 1), F_SEAL_SHRINK, 0 },
		{ 0, F_SEAL_SHRINK, 0 },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		int fd = make_sealed(rows[i].bytes, rows[i].seals);

		g_assert_cmpuint(spt_mark_sealed_slots(fd), ==, rows[i].slots);
		close(fd);
	}
}

/* Of memory with few slots no thread takes one that is not there. */
static void test_few(void)
{
	struct spt_marks_header *marks = connect_here();

	spt_mark_link.n_slots = 1;
	spt_marks_slot(marks, 0)->owner = 1;
	spt_mark_instant(NULL, "none is left", NULL);
	g_assert_cmpuint(spt_marks_slot(marks, 1)->owner, ==, 0);
	g_assert_cmpuint(spt_marks_programs(marks)->slotless, ==, 1);
	disconnect(marks);
}

/* However many users come: each has some slots while there are any, and all together no more. */
static void test_users(void)
{
	uint32_t left = SPT_MARKS_SLOTS, n_users = 0, slots, last = UINT32_MAX;

	while ((slots = spt_mark_users_slots(left))) {
		g_assert_cmpuint(slots, <=, left);
		g_assert_cmpuint(slots, <=, last);
		last = slots;
		left -= slots;
		n_users++;
	}
	g_assert_cmpuint(left, <, 8);
	g_assert_cmpuint(n_users, >, 30);
}

/* Ends of one user's flows neither pair with others' nor take their room; no number is twice. */
static void test_flows(void)
{
	g_autoptr(SptFlowEnds) own = spt_flow_ends_new();
	g_autoptr(SptFlowEnds) other = spt_flow_ends_new_beside(own, 2);
	uint32_t first = spt_flow_ends_pair(own, "job", 1, false, 1),
		 second = spt_flow_ends_pair(other, "job", 1, true, 2);

	g_assert_cmpuint(first, !=, second);
	g_assert_cmpuint(spt_flow_ends_pair(other, "job", 2, false, 3), !=, 0);
	g_assert_cmpuint(spt_flow_ends_pair(other, "job", 3, false, 4), ==, 0);
	g_assert_cmpuint(spt_flow_ends_pair(own, "job", 1, true, 5), ==, first);
	g_assert_cmpuint(spt_flow_ends_pair(other, "job", 1, false, 6), ==, second);
}

static void test_user_of_process(void)
{
	uint32_t uid = 12345;

	g_assert_true(spt_process_user((uint32_t)getpid(), &uid));
	g_assert_cmpuint(uid, ==, geteuid());
	g_assert_false(spt_process_user(0, &uid));
}

/* Words of any kind, heads of any value. */
static void test_hostile(void)
{
	void *marks = connect_here();
	g_autoptr(GRand) random = g_rand_new_with_seed(47);
	struct spt_marks_slot *slot = spt_marks_slot(marks, 0);
	uint64_t *words = spt_marks_words(marks, 0);
	SptMarksReader reader;
	SptMarkRecord record;

	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned n_records = 0;

		slot->tail = g_rand_int(random);
		slot->head = slot->tail + (uint32_t)g_rand_int_range(random, 0, 600);
		for (unsigned i = 0; i < 600; i++) {
			uint64_t type = (uint64_t)g_rand_int_range(random, 0, 9),
				 n = (uint64_t)g_rand_int_range(random, 0, 9),
				 bytes = (uint64_t)g_rand_int_range(random, 0, 17);

			words[(slot->tail + i) % SPT_MARKS_WORDS] =
				g_rand_int_range(random, 0, 4) ?
					type | n << 5 | bytes << 16 | bytes << 32 | bytes << 48 :
					(uint64_t)g_rand_int(random) << 32 | g_rand_int(random);
		}
		spt_marks_reader_init(&reader, marks, 0);
		if (round % 3 == 0)
			slot->head += g_rand_int(random);
		spt_marks_reader_begin(&reader);
		while (spt_marks_reader_next(&reader, &record)) {
			g_assert_cmpint(record.type, <, SPT_MARK_TYPES);
			g_assert_cmpuint(strlen(record.name), <=, SPT_MARK_TEXT);
			g_assert_cmpuint(++n_records, <=, SPT_MARKS_WORDS / 3);
		}
		g_assert_cmpuint(reader.at, ==, reader.end);
	}
	disconnect(marks);
}

static void test_spans(void)
{
	SptMarkSpans *spans = spt_mark_spans_new();
	SptOpenSpan span;

	g_assert_false(spt_mark_spans_end(spans, "a", &span));
	spt_mark_spans_begin(spans, "c", "a", 1);
	spt_mark_spans_begin(spans, "c", "b", 2);
	spt_mark_spans_begin(spans, "c", "a", 3);
	spt_mark_spans_begin(spans, "c", "unended", 4);
	g_assert_true(spt_mark_spans_end(spans, "a", &span));
	g_assert_cmpuint(span.begin_ns, ==, 3);
	spt_open_span_clear(&span);
	g_assert_true(spt_mark_spans_end(spans, "a", &span));
	g_assert_cmpuint(span.begin_ns, ==, 1);
	spt_open_span_clear(&span);
	g_assert_false(spt_mark_spans_pop(spans, &span));
	for (unsigned i = 0; i < SPT_MARK_DEPTH + 10; i++)
		spt_mark_spans_begin(spans, "c", "deep", i);
	for (unsigned i = 0; i < 10; i++)
		g_assert_false(spt_mark_spans_end(spans, "deep", &span));
	/* "unended" and "b" above; those without a place had their ends. */
	g_assert_cmpuint(spt_mark_spans_take_forgotten(spans), ==, 2);
	g_assert_cmpuint(spt_mark_spans_take_forgotten(spans), ==, 0);
	for (unsigned i = 0; i < 3; i++)
		spt_mark_spans_begin(spans, "c", "deeper", i);
	g_assert_cmpuint(spt_mark_spans_take_forgotten(spans), ==, 3);
	g_assert_true(spt_mark_spans_end(spans, "deep", &span));
	g_assert_cmpuint(span.begin_ns, ==, SPT_MARK_DEPTH - 1);
	spt_open_span_clear(&span);
	spt_mark_spans_free(spans);
}

static void test_moments(void)
{
	g_autoptr(SptMoments) moments = spt_moments_new(false);
	g_autoptr(SptMoments) all = spt_moments_new(true);
	struct spt_selection selection = { .end_ns = UINT64_MAX, .moments = moments };
	uint64_t weight = 100;

	spt_moments_add(moments, 1, 30, 40);
	spt_moments_add(moments, 1, 10, 20);
	spt_moments_add(moments, 1, 15, 25);
	spt_moments_settle(moments);
	spt_moments_add(all, 7, 10, 20);
	spt_moments_settle(all);
	for (uint64_t time = 0; time < 50; time++) {
		bool is_in = (time >= 10 && time < 25) || (time >= 30 && time < 40);

		g_assert_cmpint(spt_moments_have(moments, 1, time), ==, is_in);
		g_assert_false(spt_moments_have(moments, 2, time));
		g_assert_cmpint(spt_moments_have(all, 2, time), ==, time >= 10 && time < 20);
	}
	/* From 0 to 50: 25 of 50 parts are in. */
	g_assert_true(spt_selection_part(&selection, 1, 50, 50, &weight));
	g_assert_cmpuint(weight, ==, 50);
	g_assert_false(spt_selection_part(&selection, 1, 30, 4, &weight));
	g_assert_false(spt_selection_part(&selection, 2, 50, 50, &weight));
}

/* Pages of ftrace's rings with any bytes, and texts of any kind: nothing beyond them is read. */
static void test_traced(void)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		size_t bytes = (size_t)g_random_int_range(0, 300);
		g_autofree uint8_t *data = g_malloc(bytes ? bytes : 1);
		g_autofree char *line = NULL;
		SptTracePage page;
		SptTraceEvent event;
		SptSystraceText text;

		for (size_t i = 0; i < bytes; i++)
			data[i] = (uint8_t)(i < 8 || i > 15 ? g_random_int() : 0);
		if (bytes > 8)
			data[8] = (uint8_t)(bytes - MIN(bytes, 16));
		if (spt_trace_page_begin(&page, data, bytes))
			while (spt_trace_page_next(&page, &event))
				g_assert_true(event.data >= data + 16 &&
					      event.data + event.bytes <= data + bytes);
		line = g_strndup((const char *)data, bytes);
		for (char *at = line; *at; at++)
			*at = "BECSFGHIN|1x\n"[(uint8_t)*at % 13];
		spt_systrace_parse(line, &text);
		g_assert_nonnull(text.name);
		g_assert_true(text.type != SPT_SYSTRACE_COUNTER || *text.cookie);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/marks/same", test_same);
	g_test_add_func("/marks/short", test_short);
	g_test_add_func("/marks/full", test_full);
	g_test_add_func("/marks/long", test_long);
	g_test_add_func("/marks/over", test_over);
	g_test_add_func("/marks/slots", test_slots);
	g_test_add_func("/marks/few", test_few);
	g_test_add_func("/marks/users", test_users);
	g_test_add_func("/marks/flows", test_flows);
	g_test_add_func("/marks/user-of-process", test_user_of_process);
	g_test_add_func("/marks/hostile", test_hostile);
	g_test_add_func("/marks/spans", test_spans);
	g_test_add_func("/marks/moments", test_moments);
	g_test_add_func("/marks/traced", test_traced);
	return g_test_run();
}
