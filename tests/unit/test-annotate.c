/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Annotation of functions of this very program, whose lines and return addresses it knows; the
 * samples are made up.
 */
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>

#include "annotate/annotate.h"
#include "profile/where-expression.h"

static uintptr_t call_site, recursive_site;
static volatile int sink;

static __attribute__((noinline)) void take_site(uintptr_t *ret)
{
	*ret = (uintptr_t)__builtin_return_address(0) - 1;
}

static const int line_before = __LINE__;
static __attribute__((noinline)) void known(int depth)
{
	sink = depth;
	take_site(depth ? &recursive_site : &call_site);
	if (depth == 0)
		known(1);
	sink = 0;
}
#define LINE_OF_CALL (line_before + 4)

static inline __attribute__((always_inline)) void twice(void)
{
	take_site(&call_site);
}
static const int line_of_twice = __LINE__ - 2;
static __attribute__((noinline)) void host(void)
{
	sink = 2;
	twice();
	sink = 3;
}
static const int line_of_host = __LINE__ - 3;

/* A recording with this program as its one object. */
struct recording {
	SptCapture capture;
	SptObjectRow objects[3];
	SptProcessRow processes[2];
	SptThreadRow threads[2];
	SptNode nodes[16];
	SptLeafRow leaves[8];
	SptObject *image;
	uintptr_t base;
};

static void recording_init(struct recording *recording)
{
	struct link_map *map = NULL;
	struct stat st;
	Dl_info info;

	*recording =
		(struct recording){ .processes = { { 0 }, { .id = 1, .pid = 1, .name = "p" } } };
	g_assert_true(dladdr1((void *)(uintptr_t)known, &info, (void **)&map, RTLD_DL_LINKMAP));
	recording->base = map->l_addr;
	recording->image = spt_object_open("/proc/self/exe", NULL);
	g_assert_nonnull(recording->image);
	g_assert_no_errno(fstat(spt_object_fd(recording->image), &st));
	recording->objects[1] = (SptObjectRow){
		.id = 1,
		.kind = SPT_OBJECT_FILE,
		.path = g_file_read_link("/proc/self/exe", NULL),
		.bytes = st.st_size,
		.mtime_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec,
	};
	recording->objects[2] = (SptObjectRow){ .id = 2, .kind = SPT_OBJECT_KERNEL, .path = "" };
	recording->capture = (SptCapture){
		.path = "made",
		.objects = recording->objects,
		.n_objects = 3,
		.processes = recording->processes,
		.n_processes = 2,
		.nodes = recording->nodes,
		.n_nodes = 1,
		.n_frames = 1,
		.leaves = recording->leaves,
		.has_leaves = true,
		.fd = -1,
		.host = g_hash_table_new(g_str_hash, g_str_equal),
	};
}

static void recording_clear(struct recording *recording)
{
	g_hash_table_unref(recording->capture.host);
	g_free((char *)recording->objects[1].path);
	spt_object_free(recording->image);
}

static uint32_t add_node(struct recording *recording, uint32_t parent, uintptr_t ip,
			 SptFrameKind kind)
{
	SptNode *node = &recording->nodes[recording->capture.n_nodes];

	*node = (SptNode){ .parent = parent,
			   .frame = { .object = 1, .kind = kind },
			   .key = recording->capture.n_nodes };
	g_assert_true(spt_object_address_to_offset(recording->image, ip - recording->base,
						   &node->frame.offset));
	recording->capture.n_frames++;
	return recording->capture.n_nodes++;
}

static void add_leaf(struct recording *recording, uint32_t node, uint64_t weight)
{
	recording->leaves[recording->capture.n_leaves++] =
		(SptLeafRow){ .process = 1, .node = node, .weight = weight, .samples = 1 };
}

static const SptAnnotatedFile *own_file(const SptAnnotation *annotation)
{
	const SptAnnotatedFile *file;

	g_assert_cmpuint(annotation->files->len, >, 0);
	file = annotation->files->pdata[0];
	g_assert_true(g_str_has_suffix(file->path, "tests/unit/test-annotate.c"));
	return file;
}

static const SptAnnotatedLine *line_at(const SptAnnotation *annotation, int number)
{
	const GArray *lines = own_file(annotation)->lines;

	for (unsigned i = 0; i < lines->len; i++) {
		const SptAnnotatedLine *line = &g_array_index(lines, SptAnnotatedLine, i);

		if (line->number == (uint32_t)number)
			return line;
	}
	g_assert_not_reached();
}

/*
 * 10 in known() itself, 5 in what it called, 7 below a second known(), where each line counts once,
 * 100 elsewhere.
 */
static void add_known(struct recording *recording)
{
	uint32_t first, second;

	known(0);
	first = add_node(recording, 0, call_site, SPT_FRAME_CALL);
	add_leaf(recording, add_node(recording, 0, (uintptr_t)known, SPT_FRAME_EXACT), 10);
	add_leaf(recording, add_node(recording, first, (uintptr_t)take_site, SPT_FRAME_EXACT), 5);
	second = add_node(recording, first, recursive_site, SPT_FRAME_CALL);
	add_leaf(recording, add_node(recording, second, (uintptr_t)take_site, SPT_FRAME_EXACT), 7);
	add_leaf(recording, add_node(recording, 0, (uintptr_t)host, SPT_FRAME_EXACT), 100);
}

static void test_lines(void)
{
	struct recording recording;
	g_autoptr(SptSymbols) symbols = NULL;
	g_autoptr(SptAnnotation) annotation = NULL;
	const SptAnnotatedFile *file;

	recording_init(&recording);
	add_known(&recording);
	symbols = spt_symbols_new(&recording.capture, NULL);
	annotation = spt_annotation_new(&recording.capture, symbols, NULL, NULL, "known", NULL, NULL);
	g_assert_nonnull(annotation);
	g_assert_cmpuint(annotation->all, ==, 122);
	g_assert_cmpuint(annotation->n_samples, ==, 4);
	g_assert_cmpuint(annotation->self, ==, 10);
	g_assert_cmpuint(annotation->total, ==, 22);
	file = own_file(annotation);
	g_assert_nonnull(file->found);
	g_assert_cmpuint(file->self, ==, 10);
	/* The call: once, though it is on the stack twice. */
	g_assert_cmpuint(line_at(annotation, LINE_OF_CALL)->total, ==, 12);
	g_assert_cmpuint(line_at(annotation, LINE_OF_CALL)->self, ==, 0);
	g_assert_nonnull(strstr(line_at(annotation, LINE_OF_CALL)->text, "take_site(depth ?"));
	/* Compilers take the name, the brace or the first statement for the beginning. */
	g_assert_cmpuint(line_at(annotation, line_before + 1)->self +
				 line_at(annotation, line_before + 2)->self +
				 line_at(annotation, line_before + 3)->self,
			 ==, 10);
	g_assert_true(line_at(annotation, line_before + 7)->has_code);
	g_assert_cmpuint(line_at(annotation, line_before + 7)->total, ==, 0);
	recording_clear(&recording);
}

static void test_instructions(void)
{
	struct recording recording;
	g_autoptr(SptSymbols) symbols = NULL;
	g_autoptr(SptAnnotation) annotation = NULL;
	const SptAnnotatedCode *code;
	uint64_t self = 0, call = 0, end;

	recording_init(&recording);
	add_known(&recording);
	symbols = spt_symbols_new(&recording.capture, NULL);
	annotation = spt_annotation_new(&recording.capture, symbols, NULL, NULL, "kno?n", "test-*", NULL);
	g_assert_nonnull(annotation);
	g_assert_cmpuint(annotation->code->len, ==, 1);
	code = annotation->code->pdata[0];
	g_assert_cmpstr(code->function, ==, "known");
#ifdef SPT_HAS_CAPSTONE
	g_assert_null(code->problem);
	end = code->start;
	for (unsigned i = 0; i < code->instructions->len; i++) {
		const SptInstruction *instruction =
			&g_array_index(code->instructions, SptInstruction, i);

		g_assert_cmpuint(instruction->offset, ==, end);
		end += instruction->bytes;
		self += instruction->self;
		g_assert_cmpuint(instruction->self, ==, i == 0 ? 10 : 0);
		if (strstr(instruction->text, "<take_site>"))
			call += instruction->total;
	}
	g_assert_cmpuint(end, ==, code->start + code->bytes);
	g_assert_cmpuint(self, ==, 10);
	/* One call or, if the compiler made two of it, one for each depth. */
	g_assert_cmpuint(call, >=, 12);
	g_assert_cmpuint(call, <=, 19);
#else
	g_assert_nonnull(strstr(code->problem, "capstone"));
#endif
	recording_clear(&recording);
}

/* What is inlined weighs upon the line that calls it, and can be asked for itself. */
static void test_inlined(void)
{
	struct recording recording;
	g_autoptr(SptSymbols) symbols = NULL;
	g_autoptr(SptAnnotation) outside = NULL;
	g_autoptr(SptAnnotation) inside = NULL;
	uint32_t node;

	recording_init(&recording);
	host();
	node = add_node(&recording, 0, call_site, SPT_FRAME_CALL);
	add_leaf(&recording, add_node(&recording, node, (uintptr_t)take_site, SPT_FRAME_EXACT), 3);
	add_leaf(&recording, node, 4);
	symbols = spt_symbols_new(&recording.capture, NULL);
	outside = spt_annotation_new(&recording.capture, symbols, NULL, NULL, "host", NULL, NULL);
	g_assert_nonnull(outside);
	g_assert_cmpuint(line_at(outside, line_of_host)->total, ==, 7);
	g_assert_cmpuint(line_at(outside, line_of_host)->self, ==, 0);
	inside = spt_annotation_new(&recording.capture, symbols, NULL, NULL, "twice", NULL, NULL);
	g_assert_nonnull(inside);
	g_assert_cmpuint(inside->total, ==, 7);
	g_assert_cmpuint(line_at(inside, line_of_twice)->total, ==, 7);
	g_assert_cmpuint(line_at(inside, line_of_twice)->self, ==, 4);
	g_assert_cmpstr(((const SptAnnotatedCode *)inside->code->pdata[0])->function, ==, "host");
	recording_clear(&recording);
}

static void test_nothing(void)
{
	struct recording recording;
	g_autoptr(SptSymbols) symbols = NULL;
	g_autoptr(SptAnnotation) kernel = NULL;
	SptNameRow name = { .object = 2,
			    .offset = 0x100,
			    .symbol = "schedule",
			    .distance = 0x10,
			    .symbol_bytes = 0x40,
			    .module = "" };
	SptFilter other = { .process = "q" };

	recording_init(&recording);
	add_known(&recording);
	recording.nodes[recording.capture.n_nodes++] = (SptNode){
		.frame = { .object = 2, .offset = 0x100, .kind = SPT_FRAME_EXACT },
		.key = recording.capture.n_frames++,
	};
	add_leaf(&recording, recording.capture.n_nodes - 1, 1);
	recording.capture.names = &name;
	recording.capture.n_names = 1;
	symbols = spt_symbols_new(&recording.capture, NULL);
	g_assert_null(spt_annotation_new(&recording.capture, symbols, NULL, NULL, "unknown", NULL, NULL));
	g_assert_null(spt_annotation_new(&recording.capture, symbols, NULL, &other, "known", NULL, NULL));
	g_assert_null(
		spt_annotation_new(&recording.capture, symbols, NULL, NULL, "known", "libc*", NULL));
	/* Known by its name only. */
	kernel = spt_annotation_new(&recording.capture, symbols, NULL, NULL, "schedule", NULL, NULL);
	g_assert_nonnull(kernel);
	g_assert_cmpuint(kernel->self, ==, 1);
	g_assert_cmpuint(kernel->files->len, ==, 0);
	g_assert_cmpuint(kernel->code->len, ==, 1);
	g_assert_nonnull(((const SptAnnotatedCode *)kernel->code->pdata[0])->problem);
	recording_clear(&recording);
}

static void assert_part(struct recording *recording, const char *where, SptSide side, uint64_t all,
			uint64_t self, uint64_t total)
{
	g_autoptr(SptSymbols) symbols = spt_symbols_new(&recording->capture, NULL);
	g_autoptr(SptExpression) expression = where ? spt_expression_parse(where, NULL) : NULL;
	SptFilter filter = { .where = expression, .side = side };
	g_autoptr(SptAnnotation) part =
		spt_annotation_new(&recording->capture, symbols, NULL, &filter, "known", NULL, NULL);

	g_assert_nonnull(part);
	g_assert_cmpuint(part->all, ==, all);
	g_assert_cmpuint(part->self, ==, self);
	g_assert_cmpuint(part->total, ==, total);
}

/* 3 of the kernel's below known(): conditions on stacks count. */
static void test_part_of_stacks(void)
{
	struct recording recording;
	SptNameRow name = { .object = 2,
			    .offset = 0x100,
			    .symbol = "schedule",
			    .distance = 0x10,
			    .symbol_bytes = 0x40,
			    .module = "" };

	recording_init(&recording);
	add_known(&recording);
	recording.nodes[recording.capture.n_nodes++] = (SptNode){
		.parent = 1,
		.frame = { .object = 2, .offset = 0x100, .kind = SPT_FRAME_EXACT },
		.key = recording.capture.n_frames++,
	};
	add_leaf(&recording, recording.capture.n_nodes - 1, 3);
	recording.capture.names = &name;
	recording.capture.n_names = 1;
	assert_part(&recording, NULL, SPT_SIDE_ANY, 125, 10, 25);
	assert_part(&recording, NULL, SPT_SIDE_KERNEL, 3, 0, 3);
	assert_part(&recording, NULL, SPT_SIDE_USER, 122, 10, 22);
	assert_part(&recording, "schedule", SPT_SIDE_ANY, 3, 0, 3);
	assert_part(&recording, "known and not schedule", SPT_SIDE_ANY, 22, 10, 22);
	recording_clear(&recording);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/annotate/lines", test_lines);
	g_test_add_func("/annotate/instructions", test_instructions);
	g_test_add_func("/annotate/inlined", test_inlined);
	g_test_add_func("/annotate/nothing", test_nothing);
	g_test_add_func("/annotate/part-of-stacks", test_part_of_stacks);
	return g_test_run();
}
