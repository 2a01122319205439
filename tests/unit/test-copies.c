/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The size of copies of stacks that is requested: small, larger where that is too little, none
 * where frame pointers are enough.
 */
#include "record/copies.h"

#include <string.h>

#include "trace/trace-private.h"

#define MOST 57344

struct fixture {
	SptTrace trace;
	struct spt_trace_source source;
	char comm[32];			/* of the last request */
	uint32_t bytes;
	unsigned n; /* requests */
};

static bool on_request(SptTrace *trace, const char *comm, uint32_t bytes)
{
	struct fixture *fixture = (struct fixture *)trace;

	g_strlcpy(fixture->comm, comm, sizeof(fixture->comm));
	fixture->bytes = bytes;
	fixture->n++;
	return true;
}

static SptCopies *begin_with(struct fixture *fixture, bool by_name, uint32_t most, bool if_needed)
{
	SptCopies *copies;

	memset(fixture, 0, sizeof(*fixture));
	fixture->source.services.raw_request = on_request;
	fixture->source.abilities.requests_by_name = by_name;
	fixture->trace.source = &fixture->source;
	copies = spt_copies_new(&fixture->trace, most, if_needed);
	spt_copies_begin(copies);
	return copies;
}

static SptCopies *begin(struct fixture *fixture, uint32_t most, bool if_needed)
{
	return begin_with(fixture, true, most, if_needed);
}

static void requested(const struct fixture *fixture, unsigned n, const char *comm, uint32_t bytes)
{
	g_assert_cmpuint(fixture->n, ==, n);
	g_assert_cmpstr(fixture->comm, ==, comm);
	g_assert_cmpuint(fixture->bytes, ==, bytes);
}

static void test_growing(void)
{
	struct fixture fixture;
	g_autoptr(SptCopies) copies = begin(&fixture, MOST, false);

	requested(&fixture, 1, "", 8192);
	for (unsigned i = 0; i < 10000; i++)
		spt_copies_taken(copies, "cc1", 8192, 100);
	g_assert_cmpuint(fixture.n, ==, 1);
	spt_copies_taken(copies, "cc1", 8192, SPT_COPIES_CUT);
	requested(&fixture, 2, "cc1", 32768);
	/* Copies under way. */
	spt_copies_taken(copies, "cc1", 8192, SPT_COPIES_CUT);
	g_assert_cmpuint(fixture.n, ==, 2);
	spt_copies_taken(copies, "cc1", 32768, SPT_COPIES_CUT);
	requested(&fixture, 3, "cc1", MOST);
	spt_copies_taken(copies, "cc1", MOST, SPT_COPIES_CUT);
	g_assert_cmpuint(fixture.n, ==, 3);
	/* Others by themselves; nothing for a process without a name. */
	spt_copies_taken(copies, "git", 8192, SPT_COPIES_CUT);
	requested(&fixture, 4, "git", 32768);
	spt_copies_taken(copies, "", 8192, SPT_COPIES_CUT);
	spt_copies_taken(copies, NULL, 8192, SPT_COPIES_CUT);
	g_assert_cmpuint(fixture.n, ==, 4);
	g_assert_false(spt_copies_asks(copies, "cc1"));
}

static void test_fixed(void)
{
	struct fixture fixture;
	g_autoptr(SptCopies) fixed = begin(&fixture, 0, false), cannot = NULL;

	spt_copies_taken(fixed, "cc1", 8192, SPT_COPIES_CUT);
	g_assert_cmpuint(fixture.n, ==, 0);
	/* A source that takes no requests. */
	fixture.source.services.raw_request = NULL;
	cannot = spt_copies_new(&fixture.trace, MOST, true);
	spt_copies_begin(cannot);
	spt_copies_taken(cannot, "cc1", 8192, SPT_COPIES_CUT);
	g_assert_false(spt_copies_asks(cannot, "cc1"));
}

static void test_if_needed(void)
{
	struct fixture fixture;
	g_autoptr(SptCopies) copies = begin(&fixture, MOST, true);

	for (unsigned i = 0; i < 63; i++) {
		g_assert_true(spt_copies_asks(copies, "good"));
		spt_copies_tell(copies, "good", true);
	}
	g_assert_cmpuint(fixture.n, ==, 1);
	spt_copies_tell(copies, "good", true);
	requested(&fixture, 2, "good", 0);
	/* Once more, and nothing changes. */
	g_assert_true(spt_copies_asks(copies, "good"));
	spt_copies_tell(copies, "good", true);
	g_assert_cmpuint(fixture.n, ==, 2);
	/* Until it calls other code: then for good. */
	spt_copies_tell(copies, "good", false);
	requested(&fixture, 3, "good", 8192);
	g_assert_false(spt_copies_asks(copies, "good"));
	for (unsigned i = 0; i < 100; i++)
		spt_copies_tell(copies, "good", true);
	g_assert_cmpuint(fixture.n, ==, 3);
	spt_copies_taken(copies, "good", 8192, SPT_COPIES_CUT);
	requested(&fixture, 4, "good", 32768);
	/* A program that never does is left as it is. */
	spt_copies_tell(copies, "bad", false);
	g_assert_cmpuint(fixture.n, ==, 4);
}

static void take(SptCopies *copies, const char *comm, unsigned n, uint32_t bytes, uint64_t depth)
{
	while (n--)
		spt_copies_taken(copies, comm, bytes, depth);
}

/* One size for all: more of it only where many of a program are cut, and of the new size, too. */
static void test_common(void)
{
	struct fixture fixture;
	g_autoptr(SptCopies) copies = begin_with(&fixture, false, MOST, true);

	requested(&fixture, 1, "", 16384);
	take(copies, "sh", 256, 16384, 100);
	for (unsigned i = 0; i < 100; i++) {
		take(copies, "git", 99, 16384, 100);
		take(copies, "git", 1, 16384, SPT_COPIES_CUT);
	}
	take(copies, NULL, 100, 16384, SPT_COPIES_CUT);
	take(copies, "cc1", 3, 16384, SPT_COPIES_CUT);
	g_assert_cmpuint(fixture.n, ==, 1);
	/* No matter how busy the others are. */
	take(copies, "sh", 100000, 16384, 100);
	take(copies, "cc1", 1, 16384, SPT_COPIES_CUT);
	requested(&fixture, 2, "", 32768);
	for (unsigned i = 0; i < 10240; i++)
		spt_copies_taken(copies, "cc1", i % 2 ? 16384 : 32768, SPT_COPIES_CUT);
	g_assert_cmpuint(fixture.n, ==, 2);
	/* One program that needs them is enough, and it takes all of them to need none. */
	for (unsigned i = 0; i < 64; i++) {
		g_assert_true(spt_copies_asks(copies, "good"));
		spt_copies_tell(copies, i % 2 ? "good" : "better", true);
	}
	requested(&fixture, 3, "", 0);
	spt_copies_tell(copies, "bad", false);
	requested(&fixture, 4, "", 16384);
	g_assert_false(spt_copies_asks(copies, "good"));
}

/*
 * Where they are too expensive: half of it, except where that would cut, and it does not grow
 * again.
 */
static void test_less(void)
{
	struct fixture fixture;
	g_autoptr(SptCopies) copies = begin_with(&fixture, false, MOST, false), by_name = NULL;

	take(copies, "sh", 1000, 16384, 2000);
	take(copies, "cc1", 4, 16384, 8200);
	g_assert_cmpuint(spt_copies_less(copies), ==, 0);
	take(copies, "cc1", 252, 16384, 8192);
	g_assert_cmpuint(spt_copies_less(copies), ==, 8192);
	requested(&fixture, 2, "", 8192);
	take(copies, "cc1", 100, 8192, 100);
	g_assert_cmpuint(spt_copies_less(copies), ==, 4096);
	requested(&fixture, 3, "", 4096);
	g_assert_cmpuint(spt_copies_less(copies), ==, 0);
	take(copies, "cc1", 10240, 4096, SPT_COPIES_CUT);
	g_assert_cmpuint(fixture.n, ==, 3);
	/* It did not help. */
	g_assert_cmpuint(spt_copies_restore(copies), ==, 8192);
	requested(&fixture, 4, "", 8192);
	take(copies, "cc1", 10240, 8192, SPT_COPIES_CUT);
	g_assert_cmpuint(fixture.n, ==, 4);
	by_name = begin(&fixture, MOST, false);
	g_assert_cmpuint(spt_copies_less(by_name), ==, 0);
}

static void test_many_names(void)
{
	struct fixture fixture;
	g_autoptr(SptCopies) copies = begin(&fixture, MOST, true);

	for (unsigned i = 0; i < 10000; i++) {
		g_autofree char *comm = g_strdup_printf("name-%u", i);

		spt_copies_taken(copies, comm, 8192, SPT_COPIES_CUT);
		if (spt_copies_asks(copies, comm))
			spt_copies_tell(copies, comm, true);
	}
	g_assert_cmpuint(fixture.n, ==, 1 + 4096);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/copies/growing", test_growing);
	g_test_add_func("/copies/fixed", test_fixed);
	g_test_add_func("/copies/if-needed", test_if_needed);
	g_test_add_func("/copies/common", test_common);
	g_test_add_func("/copies/less", test_less);
	g_test_add_func("/copies/many-names", test_many_names);
	return g_test_run();
}
