/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What programs publish of their threads: records as they are copied, and stacks that have them. */
#include <string.h>

#include "record/trace-contexts.h"
#include "scripts/trace-context.h"

#define N_KERNEL 1u
#define N_USER	 3u
#define RAW	 2u
#define FRAMES	 (N_KERNEL + N_USER + RAW)
#define NUMBER	 77ull

#define HEAD_BYTES 28u

struct sampled {
	struct sysprof_sample sample;
	__u64 words[FRAMES];
};

struct coded {
	struct sysprof_code code;
	uint8_t record[32];
};

static struct sampled take(uint16_t flags)
{
	struct sampled taken = {
		.sample = { .record = { .type = SYSPROF_SAMPLE,
					.size = sizeof(struct sampled) / 8,
					.flags = flags },
			    .n_kernel = N_KERNEL,
			    .n_user = N_USER,
			    .raw_bytes = RAW * 8 },
	};

	for (unsigned i = 0; i < FRAMES; i++)
		taken.words[i] = i + 1;
	taken.words[N_KERNEL + N_USER - 1] =
		SYSPROF_FRAME_SCRIPT | NUMBER << SYSPROF_FRAME_CODE_SHIFT;
	return taken;
}

static char *attributes_of(const void *attributes, size_t bytes)
{
	g_autofree uint8_t *record = g_malloc0(HEAD_BYTES + bytes);
	SptSpan span = { record, HEAD_BYTES + bytes };

	memcpy(record + HEAD_BYTES, attributes, bytes);
	return spt_thread_context_attributes(&span);
}

#define ASSERT_ATTRIBUTES(record, text)                                             \
	do {                                                                        \
		g_autofree char *got = attributes_of(record, sizeof(record) - 1);   \
		g_assert_cmpstr(got, ==, text);                                     \
	} while (0)

/* What is not whole is skipped, and what is within one value cannot look like another one. */
static void test_attributes(void)
{
	static const char empty[2 * 306] = { 0 };
	static const char large[2 * 257] = { 0, (char)255, [257] = 1, (char)255 };
	g_autofree char *many = attributes_of(empty, sizeof(empty)), *first = NULL;
	char commas[sizeof(large)];

	ASSERT_ATTRIBUTES("", "");
	ASSERT_ATTRIBUTES("\0", "");
	ASSERT_ATTRIBUTES("\0\3GET\377\5/a=b,", "0=GET,255=/a=b%2C");
	ASSERT_ATTRIBUTES("\1\0\2\3x%y", "1=,2=x%25y");
	ASSERT_ATTRIBUTES("\0\3GET\1\4POS", "0=GET");
	ASSERT_ATTRIBUTES("\0\4a\0\nb\1\2\377\033", "0=a\357\277\275 b,1=\357\277\275?");
	g_assert_cmpuint(strlen(many), <, SPT_ATTRIBUTES_TEXT_BYTES);
	/* They are three times as long as text: there is no room for the second one. */
	memset(commas, ',', sizeof(commas));
	for (unsigned i = 0; i < 2; i++)
		memcpy(commas + i * 257, large + i * 257, 2);
	first = attributes_of(commas, sizeof(commas));
	g_assert_cmpuint(strlen(first), ==, 2 + 3 * 255);
	g_assert_true(g_str_has_prefix(first, "0=%2C"));
}

static struct coded make_code(void)
{
	struct coded made = {
		.code = { .record = { .type = SYSPROF_CODE, .size = sizeof(struct coded) / 8 },
			  .code = NUMBER,
			  .tag = SPT_TAG(SPT_THREAD_CONTEXT_NUMBER, 1, 0),
			  .bytes = { 28 } },
	};

	for (unsigned i = 0; i < 24; i++)
		made.record[i] = (uint8_t)(i + 0xe5);
	made.record[24] = 1;
	return made;
}

static void test_record(void)
{
	struct coded made = make_code();
	SptSpan span = { made.record, 28 };
	char trace[SPT_TRACE_TEXT_BYTES], text[SPT_SPAN_TEXT_BYTES];
	SptThreadContext context;

	g_assert_true(spt_thread_context_read(&span, &context));
	spt_thread_context_text(&context, trace, text);
	g_assert_cmpstr(trace, ==, "e5e6e7e8e9eaebecedeeeff0f1f2f3f4");
	g_assert_cmpstr(text, ==, "f5f6f7f8f9fafbfc");
	span.bytes = 24;
	g_assert_false(spt_thread_context_read(&span, &context));
	span.bytes = 0;
	g_assert_false(spt_thread_context_read(&span, &context));
	span.bytes = 28;
	made.record[24] = 2;
	g_assert_false(spt_thread_context_read(&span, &context));
	made.record[24] = 1;
	memset(made.record, 0, 16);
	g_assert_false(spt_thread_context_read(&span, &context));
	made.record[3] = 1;
	g_assert_true(spt_thread_context_read(&span, &context));
	memset(made.record + 16, 0, 8);
	g_assert_false(spt_thread_context_read(&span, &context));
}

/* The stack is what it was before, and so is the copy behind it. */
static void test_cut(void)
{
	SptContexts *contexts = spt_contexts_new(NULL);
	struct sampled taken = take(SYSPROF_SAMPLE_THREAD | SYSPROF_SAMPLE_SCRIPT);
	g_autofree struct sysprof_sample *cut = spt_contexts_cut(contexts, &taken.sample);
	static const __u64 left[] = { 1, 2, 3, 5, 6 };

	g_assert_nonnull(cut);
	g_assert_cmpuint(cut->n_user, ==, N_USER - 1);
	g_assert_cmpuint(cut->record.size, ==, taken.sample.record.size - 1);
	g_assert_cmpint(memcmp(cut->frames, left, sizeof(left)), ==, 0);
	spt_contexts_free(contexts);
}

static void test_not_cut(void)
{
	SptContexts *contexts = spt_contexts_new(NULL);
	struct sampled taken = take(SYSPROF_SAMPLE_SCRIPT);

	g_assert_null(spt_contexts_cut(contexts, &taken.sample));
	taken = take(SYSPROF_SAMPLE_THREAD);
	taken.words[N_KERNEL + N_USER - 1] = 9;
	g_assert_null(spt_contexts_cut(contexts, &taken.sample));
	taken = take(SYSPROF_SAMPLE_THREAD);
	taken.sample.n_user = 0;
	g_assert_null(spt_contexts_cut(contexts, &taken.sample));
	spt_contexts_free(contexts);
}

/* Whose number came without its ids, or so long ago that they are forgotten, is counted. */
static void test_lost(void)
{
	SptContexts *contexts = spt_contexts_new(NULL);
	struct sampled taken = take(SYSPROF_SAMPLE_THREAD | SYSPROF_SAMPLE_SCRIPT);
	struct sampled without = take(SYSPROF_SAMPLE_SCRIPT);

	for (unsigned i = 0; i < 3; i++) {
		g_autofree struct sysprof_sample *cut = spt_contexts_cut(contexts, &taken.sample);

		spt_contexts_put(contexts, i == 1, 1, 0, 1, 1, 1);
		g_assert_cmpuint(spt_contexts_lost(contexts), ==, i + 1);
		/* The next one has none. */
		g_assert_null(spt_contexts_cut(contexts, &without.sample));
		spt_contexts_put(contexts, false, 2, 0, 1, 1, 1);
		g_assert_cmpuint(spt_contexts_lost(contexts), ==, i + 1);
	}
	spt_contexts_free(contexts);
}

static void test_codes(void)
{
	SptContexts *contexts = spt_contexts_new(NULL);
	struct coded made = make_code();

	g_assert_true(spt_contexts_take(contexts, &made.code));
	/* It says more than it has. */
	made.code.bytes[0] = 40;
	g_assert_true(spt_contexts_take(contexts, &made.code));
	made.code.record.size = 2;
	g_assert_false(spt_contexts_take(contexts, &made.code));
	made = make_code();
	made.code.tag = SPT_TAG(1, 3, 11);
	g_assert_false(spt_contexts_take(contexts, &made.code));
	/* A program makes any number of them. */
	for (uint64_t i = 0; i < 100000; i++) {
		made = make_code();
		made.code.code = i;
		g_assert_true(spt_contexts_take(contexts, &made.code));
	}
	spt_contexts_free(contexts);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/trace-contexts/record", test_record);
	g_test_add_func("/trace-contexts/attributes", test_attributes);
	g_test_add_func("/trace-contexts/cut", test_cut);
	g_test_add_func("/trace-contexts/not-cut", test_not_cut);
	g_test_add_func("/trace-contexts/lost", test_lost);
	g_test_add_func("/trace-contexts/codes", test_codes);
	return g_test_run();
}
