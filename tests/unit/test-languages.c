/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Languages of stacks: each kind of object and of name says what is known, and nothing else; what
 * an interpreter does for a script counts for the script, and what a library does for it does not.
 */
#include "profile/groups.h"
#include "profile/languages.h"

#include <string.h>

#include "stash/stash.h"
#include "symbols/language.h"

#define MOST_FRAMES 4

enum {
	KERNEL = 1,
	MODULES,
	MADE,
	VDSO,
	PYTHON,
	PYTHON_SCRIPT,
	PERL_SCRIPT,
	OLD_SCRIPT,
	PROGRAM,
	SERVER,
	EXTENSION,
	NODE,
	JAVA,
	JAVA_SCRIPT,
	STRANGE,
	OBJECTS
};

static SptObjectRow objects[OBJECTS] = {
	[KERNEL] = { .id = KERNEL, .kind = SPT_OBJECT_KERNEL },
	[MODULES] = { .id = MODULES, .kind = SPT_OBJECT_MODULES },
	[MADE] = { .id = MADE, .kind = SPT_OBJECT_ANON },
	[VDSO] = { .id = VDSO, .kind = SPT_OBJECT_VDSO },
	[PYTHON] = { .id = PYTHON, .kind = SPT_OBJECT_FILE, .path = "/none/libpython3.11.so.1.0" },
	[PYTHON_SCRIPT] = { .id = PYTHON_SCRIPT, .kind = SPT_OBJECT_SOURCE, .path = "/none/work",
			    .language = "Python" },
	[PERL_SCRIPT] = { .id = PERL_SCRIPT, .kind = SPT_OBJECT_SOURCE, .path = "/none/other",
			  .language = "Perl" },
	[OLD_SCRIPT] = { .id = OLD_SCRIPT, .kind = SPT_OBJECT_SOURCE, .path = "/none/old.py",
			 .language = "" },
	[PROGRAM] = { .id = PROGRAM, .kind = SPT_OBJECT_FILE, .path = "/none/program" },
	[SERVER] = { .id = SERVER, .kind = SPT_OBJECT_FILE, .path = "/none/server" },
	[EXTENSION] = { .id = EXTENSION, .kind = SPT_OBJECT_FILE,
			.path = "/none/_pickle.cpython-311-x86_64-linux-gnu.so" },
	[NODE] = { .id = NODE, .kind = SPT_OBJECT_FILE, .path = "/none/node" },
	[JAVA] = { .id = JAVA, .kind = SPT_OBJECT_FILE, .path = "/none/libjvm.so" },
	[JAVA_SCRIPT] = { .id = JAVA_SCRIPT, .kind = SPT_OBJECT_SOURCE, .path = "/none/Work.java",
			  .language = "Java" },
	[STRANGE] = { .id = STRANGE, .kind = SPT_OBJECT_UNKNOWN, .path = "strange" },
};

/* Frames from the outermost to the innermost; without a name: a place that has none. */
static const struct {
	struct {
		uint32_t object;
		const char *name;
	} frames[MOST_FRAMES];
	const char *language;
} stacks[] = {
	{ { { PROGRAM, "main" } }, "native" },
	{ { { PROGRAM, NULL } }, "native" },
	{ { { VDSO, "__vdso_time" } }, "native" },
	{ { { PROGRAM, "main" }, { KERNEL, "do_syscall_64" } }, "kernel" },
	{ { { PROGRAM, "main" }, { MODULES, "_ZN4looks2so17h0123456789abcdefE" } }, "kernel" },
	/* By their linkers' names, which are no others. */
	{ { { PROGRAM, "_ZN4work4spinEi" } }, "C++" },
	{ { { PROGRAM, "_ZN4work5twiceILi2EEEiv" } }, "C++" },
	{ { { PROGRAM, "_ZN4work4spin17h0123456789abcdefE" } }, "Rust" },
	{ { { PROGRAM, "_RNvC7mycrate3foo" } }, "Rust" },
	{ { { PROGRAM, "_D4work4spinFiZv" } }, "D" },
	{ { { PROGRAM, "_Zero_is_no_mangled_name" } }, "native" },
	{ { { PROGRAM, "_Release" } }, "native" },
	{ { { PROGRAM, "_DYNAMIC_thing" } }, "native" },
	/* Scripts, and what their interpreter does for them. */
	{ { { PYTHON_SCRIPT, "work" } }, "Python" },
	{ { { PYTHON, "PyEval_EvalCode" }, { PYTHON_SCRIPT, "work" }, { PYTHON, "PyDict_GetItem" } },
	  "Python" },
	{ { { PYTHON_SCRIPT, "work" }, { PYTHON, "PyList_Sort" }, { PYTHON, "PyNumber_Add" } },
	  "Python" },
	{ { { PYTHON, "Py_RunMain" }, { PYTHON, "PyDict_GetItem" } }, "native" },
	{ { { PYTHON_SCRIPT, "work" }, { EXTENSION, "dump" } }, "native" },
	{ { { PYTHON_SCRIPT, "work" }, { EXTENSION, "dump" }, { PYTHON, "PyDict_GetItem" } },
	  "native" },
	{ { { PYTHON_SCRIPT, "work" }, { PYTHON, "PyObject_Call" }, { PROGRAM, "_ZN4work1cEv" } },
	  "C++" },
	{ { { PYTHON_SCRIPT, "work" }, { PROGRAM, "qsort" }, { PYTHON_SCRIPT, "compare" } },
	  "Python" },
	{ { { PERL_SCRIPT, "main::work" } }, "Perl" },
	{ { { PERL_SCRIPT, "main::work" }, { PYTHON, "PyDict_GetItem" } }, "native" },
	{ { { OLD_SCRIPT, "work" } }, "[unknown]" },
	/* Code made at run time, as it is described. */
	{ { { MADE, "JS:*spin /none/a.js:3:1" } }, "JavaScript" },
	{ { { MADE, "LazyCompile:~spin /none/a.js:3" } }, "JavaScript" },
	{ { { NODE, "Builtins_ArrayMap" } }, "JavaScript" },
	{ { { NODE, "_ZN2v88internal4HeapC2Ev" } }, "C++" },
	{ { { MADE, "py::work:/none/a.py" } }, "Python" },
	{ { { MADE, "Lorg/Some;::work" } }, "Java" },
	{ { { MADE, "Ljava/lang/String;hashCode()I" } }, "Java" },
	{ { { JAVA, "start_thread" }, { JAVA_SCRIPT, "work" }, { JAVA, "array_copy" } }, "Java" },
	{ { { JAVA, "start_thread" }, { JAVA, "collect" } }, "native" },
	{ { { MADE, "Last" } }, "[made at run time]" },
	{ { { MADE, NULL } }, "[made at run time]" },
	/* Where Go's runtime is; its C has names of C. */
	{ { { SERVER, "runtime.goexit.abi0" }, { SERVER, "main.(*Server).work" } }, "Go" },
	{ { { SERVER, "runtime.goexit.abi0" }, { SERVER, "github.com/some/one.Spin" } }, "Go" },
	{ { { SERVER, "runtime.goexit.abi0" } }, "Go" },
	{ { { SERVER, "spin_in_c" } }, "native" },
	{ { { SERVER, "spin_in_c.part.0" } }, "native" },
	{ { { SERVER, "spin_in_c.cold" } }, "native" },
	{ { { PROGRAM, "main.work" } }, "native" },
	{ { { STRANGE, "something" } }, "[unknown]" },
	{ { { 0 } }, SPT_NO_STACK },
};

struct fixture {
	SptCapture capture;
	SptStash *stash;
	SptNode *nodes;
	SptProcessRow processes[2];
	SptThreadRow threads[2];
	SptSampleRow samples[G_N_ELEMENTS(stacks)];
	SptLeafRow leaves[G_N_ELEMENTS(stacks)];
	SptNameRow names[G_N_ELEMENTS(stacks) * MOST_FRAMES];
};

/* Each frame is a place of its own, with its name, in the order of their addresses. */
static void add_stack(struct fixture *fixture, unsigned number, uint32_t weight)
{
	SptSampleRow *sample = &fixture->samples[number];

	*sample = (SptSampleRow){ .time = 1000 + number, .thread = 1, .weight = weight };
	for (unsigned i = 0; i < MOST_FRAMES && stacks[number].frames[i].object; i++) {
		const SptFrame frame = { .object = stacks[number].frames[i].object,
					 .offset = 16 * (1 + number * MOST_FRAMES + i) };

		sample->node = spt_stash_child(fixture->stash, sample->node, &frame);
		if (stacks[number].frames[i].name)
			fixture->names[fixture->capture.n_names++] =
				(SptNameRow){ .object = frame.object,
					      .offset = frame.offset,
					      .symbol = stacks[number].frames[i].name,
					      .module = "" };
	}
	fixture->leaves[number] = (SptLeafRow){ 1, sample->node, weight, 1 };
}

static SptNode *number_nodes(SptStash *stash)
{
	uint32_t n = spt_stash_n_nodes(stash);
	SptNode *nodes = g_memdup2(spt_stash_node(stash, 0), n * sizeof(SptNode));

	spt_stash_number_frames(stash);
	for (uint32_t i = 0; i < n; i++)
		nodes[i].key = spt_stash_frame_of(stash, i);
	return nodes;
}

static void set_up(struct fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	const unsigned n = G_N_ELEMENTS(stacks);

	fixture->stash = spt_stash_new();
	fixture->processes[1] = (SptProcessRow){ .id = 1, .pid = 10, .name = "work" };
	fixture->threads[1] = (SptThreadRow){ .id = 1, .process = 1, .tid = 10 };
	for (unsigned i = 0; i < n; i++)
		add_stack(fixture, i, 1 + i);
	fixture->nodes = number_nodes(fixture->stash);
	fixture->capture.path = "by hand";
	fixture->capture.objects = objects;
	fixture->capture.n_objects = OBJECTS;
	fixture->capture.processes = fixture->processes;
	fixture->capture.n_processes = 2;
	fixture->capture.threads = fixture->threads;
	fixture->capture.n_threads = 2;
	fixture->capture.names = fixture->names;
	fixture->capture.nodes = fixture->nodes;
	fixture->capture.n_nodes = spt_stash_n_nodes(fixture->stash);
	fixture->capture.n_frames = spt_stash_number_frames(fixture->stash);
	fixture->capture.samples = fixture->samples;
	fixture->capture.n_samples = n;
	fixture->capture.first_time = 1000;
	fixture->capture.last_time = 1000 + n;
	fixture->capture.leaves = fixture->leaves;
	fixture->capture.n_leaves = n;
	fixture->capture.has_leaves = true;
	for (unsigned i = 0; i < n; i++)
		fixture->capture.weight += fixture->samples[i].weight;
}

static void tear_down(struct fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	spt_stash_free(fixture->stash);
	g_free(fixture->nodes);
}

/* Each stack alone, by its time. */
static void test_each(struct fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	g_autoptr(SptSymbols) symbols = spt_symbols_new(&fixture->capture, NULL);
	g_autoptr(SptProfile) base = spt_profile_new_base(&fixture->capture, symbols, NULL);
	SptGroupKind kind;

	g_assert_true(spt_grouping_find("language", &kind));
	for (unsigned i = 0; i < G_N_ELEMENTS(stacks); i++) {
		SptFilter filter = { .begin_ns = 1000 + i, .end_ns = 1001 + i };
		g_autoptr(GArray) rows = spt_groups_new(base, &filter, kind);
		const SptGroupRow *row = (const SptGroupRow *)rows->data;

		g_test_message("stack %u", i);
		g_assert_cmpuint(rows->len, ==, 1);
		g_assert_cmpstr(row->name, ==, stacks[i].language);
		g_assert_cmpuint(row->weight, ==, 1 + i);
	}
}

static void check_sums(const SptProfile *base)
{
	g_autoptr(GArray) rows = NULL;
	SptGroupKind kind;

	g_assert_true(spt_grouping_find("language", &kind));
	rows = spt_groups_new(base, NULL, kind);
	for (unsigned k = 0; k < rows->len; k++) {
		const SptGroupRow *row = &g_array_index(rows, SptGroupRow, k);
		uint64_t weight = 0, samples = 0;

		for (unsigned i = 0; i < G_N_ELEMENTS(stacks); i++) {
			bool is_in = strcmp(stacks[i].language, row->name) == 0;

			weight += is_in ? 1 + i : 0;
			samples += is_in;
		}
		g_assert_cmpuint(row->weight, ==, weight);
		g_assert_cmpuint(row->samples, ==, samples);
	}
	g_assert_cmpuint(rows->len, ==, 13);
}

/* With names that are cut, or have their line, too. */
static void test_sums(struct fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	static const unsigned details[] = { SPT_DETAIL_INLINES, SPT_DETAIL_SHORT_TEMPLATES,
					    SPT_DETAIL_INLINES | SPT_DETAIL_LINES,
					    SPT_DETAIL_FULL_NAMES };

	for (unsigned i = 0; i < G_N_ELEMENTS(details); i++) {
		g_autoptr(SptSymbols) symbols = spt_symbols_new(&fixture->capture, NULL);
		g_autoptr(SptProfile) base = NULL;

		spt_symbols_set_detail(symbols, details[i]);
		base = spt_profile_new_base(&fixture->capture, symbols, NULL);
		check_sums(base);
	}
}

/* What is said of an interpreter that is not known is said where it has functions. */
static void test_unknown(struct fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	g_autoptr(GHashTable) host = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(SptSymbols) symbols = spt_symbols_new(&fixture->capture, NULL);
	g_autoptr(SptProfile) base = spt_profile_new_base(&fixture->capture, symbols, NULL);
	g_autofree char *text = spt_languages_unknown(base, &fixture->capture);

	g_assert_null(text);
	fixture->capture.host = host;
	g_hash_table_insert(host, (char *)"no_scripts",
			    (char *)"/usr/bin/elsewhere is another one; "
				    "/none/libpython3.11.so.1.0 is of some kind; python is not it");
	text = spt_languages_unknown(base, &fixture->capture);
	g_assert_cmpstr(text, ==, "/none/libpython3.11.so.1.0 is of some kind");
	fixture->capture.host = NULL;
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add("/languages/each", struct fixture, NULL, set_up, test_each, tear_down);
	g_test_add("/languages/unknown", struct fixture, NULL, set_up, test_unknown, tear_down);
	g_test_add("/languages/sums", struct fixture, NULL, set_up, test_sums, tear_down);
	return g_test_run();
}
