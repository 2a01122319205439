/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats of trace points, values in records, and conditions on fields. */
#include <glib.h>
#include <string.h>

#include "trace/points/point.h"

static const char format_text[] =
	"name: made\n"
	"ID: 77\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:long state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:s16 change;\toffset:40;\tsize:2;\tsigned:1;\n"
	"\tfield:size_t bytes_req;\toffset:48;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] path;\toffset:56;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char[] rest;\toffset:60;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long args[2];\toffset:64;\tsize:16;\tsigned:0;\n"
	"\tfield:const void * ptr;\toffset:80;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc cpumask_t[] mask;\toffset:88;\tsize:4;\tsigned:0;\n"
	"\tfield:u64 runtime;\toffset:96;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned int nr_sector;\toffset:104;\tsize:4;\tsigned:0;\n"
	"\n"
	"print fmt: \"%s\", REC->comm\n";

static const struct {
	const char *name;
	SptValueType type;
} fields[] = {
	{ "comm", SPT_VALUE_TEXT },    { "pid", SPT_VALUE_ID },	     { "state", SPT_VALUE_ID },
	{ "change", SPT_VALUE_I64 },   { "bytes_req", SPT_VALUE_BYTES }, { "path", SPT_VALUE_TEXT },
	{ "rest", SPT_VALUE_TEXT },    { "args0", SPT_VALUE_U64 },   { "args1", SPT_VALUE_U64 },
	{ "ptr", SPT_VALUE_ID },       { "runtime", SPT_VALUE_NS },  { "nr_sector", SPT_VALUE_U64 },
};

static SptPointFormat parse(void)
{
	SptPointFormat format;
	uint32_t id;

	g_assert_true(spt_point_format_parse(format_text, &format, &id));
	g_assert_cmpuint(id, ==, 77);
	return format;
}

static void test_parse(void)
{
	SptPointFormat format = parse();
	uint32_t id;

	g_assert_cmpuint(format.n_fields, ==, G_N_ELEMENTS(fields));
	g_assert_cmpuint(format.n_left_out, ==, 1);
	for (unsigned i = 0; i < format.n_fields; i++) {
		g_assert_cmpstr(format.fields[i].field.name, ==, fields[i].name);
		g_assert_cmpint(format.fields[i].field.type, ==, fields[i].type);
	}
	g_assert_false(spt_point_format_parse("name: x\nformat:\n", &format, &id));
	g_assert_false(spt_point_format_parse("", &format, &id));
}

/* More fields than a kind can have. */
static void test_many(void)
{
	g_autoptr(GString) text = g_string_new("ID: 1\n");
	SptPointFormat format;
	uint32_t id;

	for (unsigned i = 0; i < 40; i++)
		g_string_append_printf(text, "field:int f%u;\toffset:%u;\tsize:4;\tsigned:1;\n", i,
				       8 + 4 * i);
	g_string_append(text, "field:int big[70000];\toffset:8;\tsize:280000;\tsigned:1;\n");
	g_assert_true(spt_point_format_parse(text->str, &format, &id));
	g_assert_cmpuint(format.n_fields, ==, SPT_DECLARED_FIELDS);
	g_assert_cmpuint(format.n_left_out, ==, 40 - SPT_DECLARED_FIELDS);
}

static SptValue value_of(const SptPointFormat *format, unsigned field, const uint8_t *record,
			 size_t bytes, char *text)
{
	return spt_point_format_value(&format->fields[field], record, bytes, text);
}

static void test_values(void)
{
	SptPointFormat format = parse();
	char text[SPT_DECLARED_TEXT_BYTES];
	uint8_t record[120] = { 0 };
	const int32_t pid = 4711;
	const int64_t state = -1;
	const int16_t change = -300;
	const uint64_t bytes = 1ULL << 33, args = 5;
	const uint32_t path = 4u << 16 | 108, rest = 3u << 16 | (112 - 64),
		       outside = 9u << 16 | 116;

	memcpy(record + 8, "sixteen bytes oh", 16);
	memcpy(record + 24, &pid, sizeof(pid));
	memcpy(record + 32, &state, sizeof(state));
	memcpy(record + 40, &change, sizeof(change));
	memcpy(record + 48, &bytes, sizeof(bytes));
	memcpy(record + 56, &path, sizeof(path));
	memcpy(record + 60, &rest, sizeof(rest));
	memcpy(record + 72, &args, sizeof(args));
	memcpy(record + 108, "abc", 4);
	memcpy(record + 112, "de", 3);
	g_assert_cmpstr(value_of(&format, 0, record, 120, text).text, ==, "sixteen bytes oh");
	g_assert_cmpuint(value_of(&format, 1, record, 120, text).number, ==, 4711);
	g_assert_cmpint(value_of(&format, 3, record, 120, text).integer, ==, -300);
	g_assert_cmpuint(value_of(&format, 4, record, 120, text).number, ==, bytes);
	g_assert_cmpstr(value_of(&format, 5, record, 120, text).text, ==, "abc");
	g_assert_cmpstr(value_of(&format, 6, record, 120, text).text, ==, "de");
	g_assert_cmpuint(value_of(&format, 8, record, 120, text).number, ==, 5);
	/* A record that ends before the field, and a text that ends behind the record. */
	g_assert_cmpuint(value_of(&format, 1, record, 27, text).number, ==, 0);
	g_assert_cmpstr(value_of(&format, 5, record, 60, text).text, ==, "");
	memcpy(record + 56, &outside, sizeof(outside));
	g_assert_cmpstr(value_of(&format, 5, record, 120, text).text, ==, "");
}

/* @as: as the kernel gets it; NULL: as it is. */
static void check_filter_as(const char *filter, const char *as, const char *why)
{
	SptPoint point = { .type = SPT_POINT_TRACE, .name = (char *)"a:made", .format = parse() };
	g_autoptr(GError) error = NULL;
	g_autofree char *taken = NULL;

	/* Fields that are not in the format are the kernel's to know, unless all are. */
	point.format.n_left_out = 0;
	taken = spt_point_check_filter(filter, &point, &error);
	g_assert_cmpint(!!taken, ==, !why);
	if (!why)
		g_assert_cmpstr(taken, ==, as ? as : filter);
	if (why && !strstr(error->message, why))
		g_error("%s: %s", filter, error->message);
}

static void check_filter(const char *filter, const char *why)
{
	check_filter_as(filter, NULL, why);
}

static void test_filters(void)
{
	g_autoptr(GString) deep = g_string_new(NULL);

	check_filter("pid == 12", NULL);
	check_filter("pid==12&&comm==\"git\"", NULL);
	check_filter(" ( pid > 0x1f || ! ( change < -3 ) ) && path ~ \"/usr/*\"", NULL);
	check_filter("state & 2", NULL);
	check_filter("common_pid != 1 || COMM == 'a b' && CPU < 2", NULL);
	/* The kernel takes no sign for these. */
	check_filter_as("pid > 1 && ptr==-100 || change == -1",
			"pid > 1 && (ptr == 0xffffffffffffff9c || ptr == 0xffffff9c) || change == -1", NULL);
	check_filter_as("!(bytes_req != -1)", "!((bytes_req != 0xffffffffffffffff && bytes_req != 0xffffffff))",
			NULL);
	check_filter("bytes_req < -1", "the field has no sign");
	check_filter("ptr.ustring ~ \"*.so\"", NULL);
	check_filter("ptr ~ \"*.so\"", "which is NAME.ustring");
	check_filter("pid.ustring ~ \"*.so\"", "a number is compared by");
	check_filter("", "a field is missing");
	check_filter("pid", "a number is compared by");
	check_filter("pid ~ 3", "a number is compared by");
	check_filter("pid == ", "a number is missing");
	check_filter("pid == abc", "a number is missing");
	check_filter("pid == \"12\"", "the field is a number");
	check_filter("comm == git", "a text has quotes");
	check_filter("comm < \"git\"", "a text is compared by");
	check_filter("comm == \"git", "the quote has no end");
	check_filter("name == 1", "has no field \"name\"");
	check_filter("(pid == 1", "a \")\" is missing");
	check_filter("pid == 1)", "it should end here");
	check_filter("pid == 1 && ", "a field is missing");
	for (unsigned i = 0; i < 100000; i++)
		g_string_append_c(deep, '(');
	check_filter(deep->str, "too many parentheses");
}

static void test_counted(void)
{
	g_autoptr(SptPoint) cycles = spt_point_counted("cpu-cycles"),
			    raw = spt_point_counted("r1a8"), faults = spt_point_counted("faults"),
			    user = NULL, both = NULL;

	g_assert_cmpstr(cycles->name, ==, "cycles");
	g_assert_cmpint(cycles->type, ==, SPT_POINT_HARDWARE);
	g_assert_cmpuint(raw->perf_type, ==, 4);
	g_assert_cmpuint(raw->config, ==, 0x1a8);
	g_assert_cmpstr(faults->name, ==, "page-faults");
	g_assert_cmpuint(faults->period, ==, 1);
	user = spt_point_counted("cycles:upp");
	g_assert_true(user->no_kernel && !user->no_user && user->precise == 2);
	g_assert_cmpstr(user->name, ==, "cycles:upp");
	both = spt_point_counted("faults:ku");
	g_assert_true(!both->no_kernel && !both->no_user && !both->precise);
	g_assert_null(spt_point_counted("cycles:"));
	g_assert_null(spt_point_counted("cycles:x"));
	g_assert_null(spt_point_counted("cycles:pppp"));
	g_assert_null(spt_point_counted("r"));
	g_assert_null(spt_point_counted("r1a8x"));
	g_assert_null(spt_point_counted("1"));
	g_assert_null(spt_point_traced("sched"));
	g_assert_null(spt_point_traced("../../etc:passwd"));
	g_assert_null(spt_point_traced("..:.."));
}

#if defined(__x86_64__)
static uint64_t argument(const SptPoint *point, unsigned i)
{
	const uint64_t values[SPT_POINT_REGISTERS] = {
		[0] = 0x1ffffffffULL, [5] = 7, [7] = 0x8000, [16] = 8
	};
	uint8_t stack[32] = { 0 };

	stack[8] = 0xfe;
	stack[9] = 0xff;
	return spt_point_argument(&point->format.fields[i], values, 0x8000, stack, sizeof(stack))
		.number;
}

static void test_arguments(void)
{
	SptPoint point = { .type = SPT_POINT_PROBE };

	spt_point_parse_arguments("-4@%eax 8@%rdi 2@8(%rsp) -2@8(%rsp) 8@$-5 8@32(%rsp) "
				  "8@name(%rip) 1@%r8b 8@(%rax,%rbx,8) 3@%eax 8@%xmm0 99@ 8@",
				  &point);
	g_assert_cmpuint(point.format.n_fields, ==, 7);
	g_assert_cmpuint(point.format.n_left_out, ==, 6);
	g_assert_cmpint((int64_t)argument(&point, 0), ==, -1);
	g_assert_cmpuint(argument(&point, 1), ==, 7);
	g_assert_cmpuint(argument(&point, 2), ==, 0xfffe);
	g_assert_cmpint((int64_t)argument(&point, 3), ==, -2);
	g_assert_cmpint((int64_t)argument(&point, 4), ==, -5);
	/* Behind the copy. */
	g_assert_cmpuint(argument(&point, 5), ==, 0);
	g_assert_cmpstr(point.format.fields[6].field.name, ==, "arg8");
	g_assert_cmpuint(argument(&point, 6), ==, 8);
}

static void test_texts(void)
{
	SptPoint point = { .type = SPT_POINT_PROBE };
	const SptPointField *found = point.format.fields;

	spt_point_parse_arguments("len=-4@%edi text=s8@%rsi at=p8@16(%rsp)", &point);
	g_assert_cmpuint(point.format.n_fields, ==, 3);
	g_assert_cmpint(found[0].field.type, ==, SPT_VALUE_I64);
	g_assert_cmpint(found[1].field.type, ==, SPT_VALUE_TEXT);
	g_assert_cmpstr(found[1].field.name, ==, "text");
	g_assert_cmpint(found[1].form, ==, SPT_POINT_REGISTER);
	g_assert_cmpuint(found[1].bytes, ==, 8);
	g_assert_cmpint(found[2].field.type, ==, SPT_VALUE_ID);
	spt_point_parse_arguments("id=-4@+16(+8({%rdi})) host=t8@+4({8(%rsp)}) no=4@+4({%xmm0}) no=4@+4({%rdi",
				  &point);
	g_assert_cmpuint(point.format.n_fields, ==, 5);
	g_assert_cmpuint(point.format.n_left_out, ==, 2);
	g_assert_cmpstr(found[3].fetch, ==, "+16(+8(%di))");
	g_assert_cmpstr(found[4].fetch, ==, "+4(+8(%sp))");
	g_assert_cmpint(found[4].form, ==, SPT_POINT_TEXT);
}
#endif

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/points/format", test_parse);
	g_test_add_func("/points/many-fields", test_many);
	g_test_add_func("/points/values", test_values);
	g_test_add_func("/points/filters", test_filters);
	g_test_add_func("/points/counted", test_counted);
#if defined(__x86_64__)
	g_test_add_func("/points/arguments", test_arguments);
	g_test_add_func("/points/texts", test_texts);
#endif
	return g_test_run();
}
