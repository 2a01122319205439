// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two functions with frame pointers that call a library of the distribution, which may have none,
 * and share the CPU 70 : 30: "below libm SECONDS", or libz, libcrypto, libstdc++.  What they call is
 * what takes the time.
 */
#include <dlfcn.h>

#include "workload.h"

#define SLICE_NS 5000000

static char text[65536], packed[80000];

/* One call each, of some microseconds or tens of them. */
static double (*do_pow)(double, double);
static int (*do_compress)(unsigned char *, unsigned long *, const unsigned char *, unsigned long);
static unsigned char *(*do_sha)(const unsigned char *, size_t, unsigned char *);
static void *(*do_next)(void *);
static void (*do_insert)(char, void *, void *, void *);

/* As libstdc++ has the nodes of its trees, and their head. */
struct node {
	int colour;
	struct node *parent, *left, *right;
};

static struct node head, nodes[4096];

static void use_libm(void)
{
	static volatile double sum;

	for (unsigned i = 0; i < 200; i++)
		sum += do_pow(1.5 + i, 0.37);
}

static void use_libz(void)
{
	unsigned long n = sizeof(packed);

	do_compress((void *)packed, &n, (void *)text, 2048);
}

static void use_libcrypto(void)
{
	do_sha((void *)text, 4096, (void *)packed);
}

/* A tree's nodes put in at its right end, then walked. */
static void use_libstdcxx(void)
{
	struct node *last = &head;

	memset(&head, 0, sizeof(head));
	head.left = head.right = &head;
	for (unsigned i = 0; i < 64; i++) {
		do_insert(last == &head, &nodes[i], last, &head);
		last = &nodes[i];
	}
	for (struct node *node = head.left; node != &head; node = do_next(node))
		;
}

static const struct library {
	const char *name, *file, *symbol, *other;
	void **place, **other_place;
	void (*use)(void);
} libraries[] = {
	{ "libm", "libm.so.6", "pow", NULL, (void **)&do_pow, NULL, use_libm },
	{ "libz", "libz.so.1", "compress", NULL, (void **)&do_compress, NULL, use_libz },
	{ "libcrypto", "libcrypto.so.3", "SHA256", NULL, (void **)&do_sha, NULL, use_libcrypto },
	{ "libstdc++", "libstdc++.so.6",
	  "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_",
	  "_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base", (void **)&do_insert,
	  (void **)&do_next, use_libstdcxx },
};

static void (*use)(void);
static unsigned turns = 1;

FUNCTION static void parse_record(void)
{
	for (unsigned i = 0; i < turns; i++)
		use();
	AFTER_CALL();
}

FUNCTION static void draw_page(void)
{
	for (unsigned i = 0; i < turns; i++)
		use();
	AFTER_CALL();
}

static void load(const struct library *library)
{
	void *handle = dlopen(library->file, RTLD_NOW);

	if (!handle)
		errx(2, "cannot load %s: %s", library->file, dlerror());
	*library->place = dlsym(handle, library->symbol);
	if (library->other)
		*library->other_place = dlsym(handle, library->other);
	if (!*library->place || (library->other && !*library->other_place))
		errx(2, "%s has no %s", library->file, library->symbol);
	use = library->use;
}

static uint64_t timed(void (*function)(void))
{
	uint64_t begin = thread_cpu_ns();

	function();
	return thread_cpu_ns() - begin;
}

int main(int argc, char **argv)
{
	uint64_t budget = cpu_budget_ns(argc - 1, argv + 1, 3), parsed = 0, drawn = 0;

	for (unsigned i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (argc > 1 && !strcmp(argv[1], libraries[i].name))
			load(&libraries[i]);
	if (!use)
		errx(2, "which library: libm, libz, libcrypto or libstdc++?");
	for (unsigned i = 0; i < sizeof(text); i++)
		text[i] = "the quick brown fox"[i * 7 % 19];
	while (timed(parse_record) < SLICE_NS)
		turns *= 2;
	while (parsed + drawn < budget) {
		if (parsed * 3 <= drawn * 7)
			parsed += timed(parse_record);
		else
			drawn += timed(draw_page);
	}
	truth("parse_record", parsed);
	truth("draw_page", drawn);
	return 0;
}
