/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the module finds, and copies, by the chain that is made of a program whose threads publish
 * their contexts: this one.
 */
#include <glib.h>

#include "chain-user.h"
#include "scripts/trace-context.h"

unsigned int shim_cpu;

void shim_step(void)
{
}

#define HEAD_BYTES 28u
#define ROOM	   1024u

static struct record {
	char trace[16], span[8];
	uint8_t valid, flags;
	uint16_t bytes;
	char attributes[ROOM];
} record = { .trace = "a trace", .span = "a span", .valid = 1 };

/* In the table of dynamic symbols. */
extern __attribute__((visibility("default"))) __thread void *volatile otel_thread_ctx_v1;
__thread void *volatile otel_thread_ctx_v1;

static struct sysprof_script script;
static struct sysprof_sent sent;
static struct sysprof_program *program;

static void describe(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(SptObject) file = spt_object_open("/proc/self/exe", &error);
	g_autoptr(GBytes) chain = NULL;
	gsize bytes;

	g_assert_no_error(error);
	chain = spt_thread_context_describe(file);
	g_assert_nonnull(chain);
	bytes = g_bytes_get_size(chain);
	program = g_malloc0(sizeof(*program) + bytes);
	program->bytes = (u32)bytes;
	memcpy(program->data, g_bytes_get_data(chain, NULL), bytes);
	g_assert_true(sysprof_chain_check(program));
	chain_user_pid = getpid();
	__asm__("mov %%fs:0, %0" : "=r"(chain_user_thread_pointer));
}

static void publish(const char *attributes, uint16_t bytes)
{
	record.bytes = bytes;
	memcpy(record.attributes, attributes, bytes);
	otel_thread_ctx_v1 = &record;
}

/* The record that is sent of what the thread has now; NULL: that is known, or nothing. */
static const struct sysprof_code *look(void)
{
	struct sysprof_stack stack = { .names_fuel = SYSPROF_CHAIN_FUEL };
	struct sysprof_session_cpu sc = { .sent = &sent, .ring = { .bytes = 65536 } };
	struct sysprof_user_part part = { .script = &script };
	unsigned before = chain_user_records->len;

	script.stack = &stack;
	sysprof_chain_run(program, 0, &script);
	if (!script.n)
		return NULL;
	sysprof_codes_number(&script);
	script.thread_program = program;
	script.thread_frame = script.frame[0];
	script.n = 0;
	sysprof_codes_send(&sc, &stack, &part);
	return chain_user_records->len == before ? NULL : chain_user_records->pdata[before];
}

static void assert_sent(const char *expected, unsigned bytes)
{
	const struct sysprof_code *code = look();
	SptSpan span;
	SptThreadContext context;
	g_autofree char *text = NULL;

	g_assert_nonnull(code);
	span = (SptSpan){ code->data, code->bytes[0] };
	g_assert_cmpuint(code->record.flags, ==, 0);
	g_assert_cmpuint(span.bytes, ==, HEAD_BYTES + bytes);
	g_assert_true(spt_thread_context_read(&span, &context));
	g_assert_cmpint(memcmp(&context, &record, sizeof(context)), ==, 0);
	text = spt_thread_context_attributes(&span);
	if (expected)
		g_assert_cmpstr(text, ==, expected);
	/* Once is enough. */
	g_assert_null(look());
}

static void test_attributes(void)
{
	static char much[700];

	chain_user_records = g_ptr_array_new_with_free_func(g_free);
	describe();
	g_assert_null(look());
	publish("", 0);
	assert_sent("", 0);
	publish("\0\3GET", 5);
	assert_sent("0=GET", 5);
	/* One is added, and replaced. */
	publish("\0\3GET\1\2/a", 9);
	assert_sent("0=GET,1=/a", 9);
	publish("\0\3GET\1\2/b", 9);
	assert_sent("0=GET,1=/b", 9);
	/* It says more than there may be. */
	publish(much, sizeof(much));
	assert_sent(NULL, 612);
	record.bytes = 65535;
	look();
	record.valid = 0;
	g_assert_null(look());
	otel_thread_ctx_v1 = NULL;
	g_assert_null(look());
	g_ptr_array_unref(chain_user_records);
	g_free(program);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/thread-chain/attributes", test_attributes);
	return g_test_run();
}
