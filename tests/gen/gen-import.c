/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gen-import DIRECTORY: seeds for fuzz-import, files of each format that is imported; of packed
 * ones also the unpacked bytes, since what is changed in a packed file seldom comes through.
 */
#include <glib/gstdio.h>
#include <stdio.h>
#include <unistd.h>

#include "capture-example.h"
#include "export/export.h"
#ifdef SPT_HAS_PPROF
#include "formats/perfetto.pb-c.h"
#endif
#include "import/unpack.h"
#include "perf-example.h"

/* Each mutation reads its file again, of which one line for a sample is like the next. */
#define SAMPLES 40

static void put_seed(const char *directory, const char *name, const void *bytes, size_t n)
{
	g_autofree char *path = g_build_filename(directory, name, NULL);

	g_file_set_contents(path, bytes, (gssize)n, NULL);
}

#ifdef SPT_HAS_PPROF
static void put_unpacked(const char *directory, const char *from, const char *name)
{
	g_autofree char *path = g_build_filename(directory, from, NULL);
	FILE *file = fopen(path, "rb");
	g_autoptr(GByteArray) bytes = file ? spt_import_unpack(fileno(file), 1u << 20, NULL) : NULL;

	if (file)
		fclose(file);
	if (bytes)
		put_seed(directory, name, bytes->data, bytes->len);
}
#endif

static void put_exports(const char *directory, const SptCapture *capture)
{
	const SptFilter filter = {
		.begin_ns = EXAMPLE_BEGIN_NS,
		.end_ns = EXAMPLE_BEGIN_NS + SAMPLES * EXAMPLE_PERIOD_NS,
	};
	g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);
	g_autoptr(SptProfile) base = spt_profile_new_base(capture, symbols, SPT_METRIC_CPU);
	g_autoptr(SptProfile) profile = spt_profile_refilter(base, &filter, NULL);
	const SptExportInput input = {
		.profile = profile,
		.base = base,
		.capture = capture,
		.symbols = symbols,
		.filter = &filter,
		.start_ns = EXAMPLE_BEGIN_NS,
		.begin_ns = filter.begin_ns,
		.end_ns = filter.end_ns,
	};
	const SptExport *const formats[] = { &spt_export_folded,     &spt_export_pprof,
					     &spt_export_speedscope, &spt_export_chrome,
					     &spt_export_firefox,    &spt_export_callgrind,
					     &spt_export_syscap,
#ifdef SPT_HAS_PPROF
					     &spt_export_perfetto,
#endif
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(formats); i++) {
		g_autoptr(GString) text = g_string_new(NULL);
		g_autoptr(SptOut) out = spt_out_new_memory(text);

		if (formats[i]->write(&input, out, NULL) && spt_out_finish(out, NULL))
			put_seed(directory, formats[i]->name, text->str, text->len);
	}
#ifdef SPT_HAS_PPROF
	put_unpacked(directory, "pprof", "pprof-unpacked");
#endif
}

static void put_perf_data(const char *directory)
{
	static const struct {
		const char *name;
		unsigned flags;
	} files[] = {
		{ "perf.data", 0 },
		{ "perf-pipe", PERF_EXAMPLE_PIPE },
		{ "perf-packed", PERF_EXAMPLE_PACKED },
		{ "perf-copies", PERF_EXAMPLE_COPIES },
		{ "perf-events", PERF_EXAMPLE_EVENTS },
		{ "perf-later", PERF_EXAMPLE_LATER },
		{ "perf-later-pipe", PERF_EXAMPLE_LATER | PERF_EXAMPLE_PIPE | PERF_EXAMPLE_PACKED },
		{ "perf-old", PERF_EXAMPLE_OLD },
		{ "perf-cpus", PERF_EXAMPLE_EVENTS | PERF_EXAMPLE_CPUS },
		{ "perf-never", PERF_EXAMPLE_LATER | PERF_EXAMPLE_NEVER },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autoptr(GByteArray) file = perf_example_new(files[i].flags);

		put_seed(directory, files[i].name, file->data, file->len);
	}
}

/* As perf script prints it: with stacks, and one line a sample. */
static void put_perf_script(const char *directory)
{
	static const char stacks[] =
		"busy 10/11 [001]     1.000001:    1000000 cpu-clock:ppp:\n"
		"\t    55aa f(int)+0x1f (/tmp/a (deleted))\n"
		"\t    55ab inlined_one (inlined)\n"
		"\t    55ac main+0x2 (/tmp/busy)\n"
		"\tffffffff81000000 do_syscall_64+0x3 ([kernel.kallsyms])\n"
		"\n"
		"busy 10/11     1.000002:    1000000 cpu-clock:ppp:\n"
		"\t    7f00 [unknown] ([unknown])\n"
		"\n",
		line[] = "   a b   12 [000]   1.5:   7 cycles:P:   55aa main+0x1 (/tmp/busy)\n";

	put_seed(directory, "perf-script", stacks, strlen(stacks));
	put_seed(directory, "perf-script-line", line, strlen(line));
}

#ifdef SPT_HAS_PPROF
static void add_packet(GByteArray *file, SptPerfettoPacket *packet)
{
	SptPerfettoPacket *packets[] = { packet };
	SptPerfettoTrace trace = SPT_PERFETTO_TRACE__INIT;
	guint before = file->len;

	packet->has_trusted_packet_sequence_id = true;
	packet->trusted_packet_sequence_id = 1;
	trace.n_packet = 1;
	trace.packet = packets;
	g_byte_array_set_size(
		file, before + (guint)spt_perfetto_trace__get_packed_size(&trace));
	spt_perfetto_trace__pack(&trace, file->data + before);
}

/* Numbers, a clock and a track of a sequence, and the thread that it is of. */
static void add_sequence(GByteArray *file)
{
	SptPerfettoClock boot = SPT_PERFETTO_CLOCK__INIT, own = SPT_PERFETTO_CLOCK__INIT,
			 *clocks[] = { &boot, &own };
	SptPerfettoClocks snapshot = SPT_PERFETTO_CLOCKS__INIT;
	SptPerfettoEventDefaults event = SPT_PERFETTO_EVENT_DEFAULTS__INIT;
	SptPerfettoDefaults defaults = SPT_PERFETTO_DEFAULTS__INIT;
	SptPerfettoText name = SPT_PERFETTO_TEXT__INIT, *names[] = { &name };
	SptPerfettoInterned interned = SPT_PERFETTO_INTERNED__INIT;
	SptPerfettoThread thread = SPT_PERFETTO_THREAD__INIT;
	SptPerfettoTrack track = SPT_PERFETTO_TRACK__INIT;
	SptPerfettoPacket packet = SPT_PERFETTO_PACKET__INIT;

	boot.has_clock_id = boot.has_timestamp = own.has_clock_id = own.has_timestamp = true;
	own.has_is_incremental = own.is_incremental = own.has_unit_multiplier_ns = true;
	boot.clock_id = 6;
	boot.timestamp = own.unit_multiplier_ns = 1000;
	own.clock_id = defaults.timestamp_clock_id = 64;
	snapshot.n_clocks = G_N_ELEMENTS(clocks);
	snapshot.clocks = clocks;
	event.has_track_uuid = defaults.has_timestamp_clock_id = true;
	event.track_uuid = track.uuid = 7;
	defaults.track_event_defaults = &event;
	name.has_iid = name.has_str = true;
	name.iid = 1;
	name.str = (ProtobufCBinaryData){ 4, (uint8_t *)"work" };
	interned.n_event_names = 1;
	interned.event_names = names;
	thread.has_pid = thread.has_tid = track.has_uuid = true;
	thread.pid = thread.tid = 10;
	track.thread = &thread;
	packet.clock_snapshot = &snapshot;
	packet.trace_packet_defaults = &defaults;
	packet.interned_data = &interned;
	packet.track_descriptor = &track;
	add_packet(file, &packet);
}

/* Slices, and switches one by one and by columns: our own exports write neither. */
static void put_perfetto(const char *directory)
{
	g_autoptr(GByteArray) file = g_byte_array_new();
	SptPerfettoSwitch change = SPT_PERFETTO_SWITCH__INIT;
	SptPerfettoKernelEvent one = SPT_PERFETTO_KERNEL_EVENT__INIT, *all[] = { &one };
	SptPerfettoSwitches columns = SPT_PERFETTO_SWITCHES__INIT;
	SptPerfettoKernelEvents events = SPT_PERFETTO_KERNEL_EVENTS__INIT;
	SptPerfettoPacket switches = SPT_PERFETTO_PACKET__INIT;
	ProtobufCBinaryData comm = { 4, (uint8_t *)"comm" };

	add_sequence(file);
	for (int i = 0; i < 4; i++) {
		SptPerfettoEvent event = SPT_PERFETTO_EVENT__INIT;
		SptPerfettoPacket packet = SPT_PERFETTO_PACKET__INIT;

		packet.has_timestamp = event.has_type = true;
		packet.timestamp = 10;
		event.type = i < 2 ? SPT_PERFETTO_EVENT_TYPE__SPT_PERFETTO_BEGIN :
				     SPT_PERFETTO_EVENT_TYPE__SPT_PERFETTO_END;
		event.has_name_iid = i < 2;
		event.name_iid = 1;
		packet.track_event = &event;
		add_packet(file, &packet);
	}
	one.has_timestamp = true;
	change.has_prev_pid = change.has_prev_state = change.has_next_pid = true;
	one.timestamp = 2000;
	change.prev_pid = 10;
	change.prev_state = 1;
	one.sched_switch = &change;
	columns.n_switch_timestamp = columns.n_switch_prev_state = columns.n_switch_next_pid = 2;
	columns.switch_timestamp = (uint64_t[]){ 3000, 1000 };
	columns.switch_prev_state = (int64_t[]){ 0, 2 };
	columns.switch_next_pid = (int32_t[]){ 10, 0 };
	columns.n_intern_table = 1;
	columns.intern_table = &comm;
	columns.n_switch_next_comm_index = 1;
	columns.switch_next_comm_index = (uint32_t[]){ 0 };
	events.n_event = 1;
	events.event = all;
	events.compact_sched = &columns;
	switches.ftrace_events = &events;
	add_packet(file, &switches);
	put_seed(directory, "perfetto-foreign", file->data, file->len);
}
#endif

/* What our own exports do not have. */
static void put_foreign(const char *directory)
{
	static const struct {
		const char *name, *text;
	} files[] = {
		{ "speedscope-events",
		  "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"name\":\"a\","
		  "\"shared\":{\"frames\":[{\"name\":\"main\"},{\"name\":\"f\",\"file\":\"f.py\"}]},"
		  "\"profiles\":[{\"type\":\"evented\",\"name\":\"t\",\"unit\":\"milliseconds\","
		  "\"startValue\":0,\"endValue\":9,\"events\":["
		  "{\"type\":\"O\",\"frame\":0,\"at\":0},{\"type\":\"O\",\"frame\":1,\"at\":2.5},"
		  "{\"type\":\"C\",\"frame\":1,\"at\":7},{\"type\":\"C\",\"frame\":0,\"at\":9}]}]}" },
		{ "chrome-slices",
		  "[{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":2,\"args\":{\"name\":\"t\"}},"
		  "{\"ph\":\"X\",\"name\":\"a\",\"cat\":\"c\",\"pid\":1,\"tid\":2,\"ts\":10,\"dur\":90.5},"
		  "{\"ph\":\"B\",\"name\":\"b\",\"pid\":1,\"tid\":2,\"ts\":20},"
		  "{\"ph\":\"X\",\"name\":\"c\",\"pid\":1,\"tid\":2,\"ts\":30,\"dur\":5},"
		  "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":60},{\"ph\":\"i\",\"ts\":61},\n" },
		{ "cpuprofile",
		  "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\",\"scriptId\":\"0\","
		  "\"url\":\"\",\"lineNumber\":-1,\"columnNumber\":-1},\"hitCount\":0,"
		  "\"children\":[2,3]},{\"id\":2,\"callFrame\":{\"functionName\":\"(idle)\"}},"
		  "{\"id\":3,\"callFrame\":{\"functionName\":\"main\",\"url\":\"file:///a%20b/a.js\","
		  "\"lineNumber\":4,\"columnNumber\":9},\"children\":[9,5]},"
		  "{\"id\":5,\"callFrame\":{\"functionName\":\"\",\"url\":\"file:///a%20b/a.js\","
		  "\"lineNumber\":6,\"columnNumber\":2}},"
		  "{\"id\":9,\"callFrame\":{\"functionName\":\"\",\"url\":\"file:///a%20b/a.js\","
		  "\"lineNumber\":6,\"columnNumber\":40}}],"
		  "\"startTime\":1000,\"endTime\":2000,\"samples\":[3,9,5,2,2,9,5],"
		  "\"timeDeltas\":[100,10,70,200,300,200,-50]}" },
		{ "xml",
		  "<profile>\n <size>3</size>\n <call_tree>4</call_tree>\n <objects>\n"
		  "  <object id=\"1\"><name>\"[busy]\"</name><total>3</total><self>0</self></object>\n"
		  "  <object id=\"2\"><name>\"main &lt;int&gt;\"</name><total>3</total></object>\n"
		  " </objects>\n <nodes>\n"
		  "  <node id=\"4\"><object>1</object><parent>0</parent><self>0</self></node>\n"
		  "  <node id=\"5\"><object>2</object><parent>4</parent><self>3</self></node>\n"
		  " </nodes>\n</profile>\n" },
		{ "heaptrack",
		  "v 10400 3\nX ./a b\nI 1000 5e29\ns 6 /tmp/a\ns 4 main\ns 1 f\ns 3 a.c\n"
		  "i 55aa 1 2 4 7\nt 1 0\ni 55bb 1 3 4 9 2 4 8\nt 2 1\na 64 2\na 10 1\n+ 0\n+ 1\n"
		  "c a\n- 1\n+ 0\nc 14\n- 0\n" },
		{ "callgrind-calls",
		  "# callgrind format\ncreator: callgrind-3.19.0\ncmd: ./a b\npositions: instr line\n"
		  "events: Ir Dr\n\nob=(1) /tmp/a\nfl=(1) a.c\nfn=(1) main\n0x10 3 50 1\n+4 +2 7\n"
		  "cob=(2) libc.so\ncfn=(2) f\ncalls=2 0x20 9\n* * 300\n\nob=(2)\nfn=(2)\n0x20 9 200\n"
		  "cfn=(3) f'2\ncalls=1 0x20 9\n* * 100\n\nfn=(3)\n* * 100\n" },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(files); i++)
		put_seed(directory, files[i].name, files[i].text, strlen(files[i].text));
}

int main(int argc, char **argv)
{
	g_autofree char *path = argc == 2 ? g_build_filename(argv[1], "example", NULL) : NULL;
	g_autoptr(GError) error = NULL;
	g_autoptr(SptCapture) capture = NULL;

	if (!path) {
		fprintf(stderr, "Usage: gen-import DIRECTORY\n");
		return 2;
	}
	if (example_write_bundle(path, &error))
		capture = spt_capture_open(path, &error);
	if (!capture) {
		fprintf(stderr, "gen-import: %s\n", error->message);
		return 1;
	}
	g_unlink(path);
	put_exports(argv[1], capture);
	put_perf_data(argv[1]);
	put_perf_script(argv[1]);
	put_foreign(argv[1]);
#ifdef SPT_HAS_PPROF
	put_perfetto(argv[1]);
#endif
	return 0;
}
