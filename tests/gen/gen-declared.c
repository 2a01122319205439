/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gen-declared [--other|--desktop|--quoted|--moments] OUT: a server of two threads that declares
 * what it does: 300 requests, a line of its log for each tenth of them, and its load.
 * --other: one more request, in another thread, and a kind "request" that has other fields.
 * --desktop: 15 frames as GTK marks them, of which three are late, and 20 calls on D-Bus, of which
 * the last one failed.
 * --quoted: three events of a kind whose name and texts have what other formats use themselves.
 * --moments: no samples; 10 marks of a moment in 90 ms, the last one followed by one of 5 ms, and a
 * counter of the process.
 */
#include <stdio.h>
#include <string.h>

#include "capture/capture.h"

#define START	 1000000000ULL
#define PERIOD	 1000000ULL
#define REQUESTS 300

static const SptDeclarationRow request = {
	.id = 1,
	.shape = SPT_DECLARED_INTERVAL,
	.name = "request",
	.title = "Requests",
	.n_fields = 3,
	.fields = { { "path", "", SPT_VALUE_TEXT },
		    { "sent", "", SPT_VALUE_BYTES },
		    { "queries", "queries", SPT_VALUE_U64 } },
};

static const SptDeclarationRow log_line = {
	.id = 2,
	.shape = SPT_DECLARED_INSTANT,
	.name = "server.log",
	.title = "Log",
	.n_fields = 2,
	.fields = { { "severity", "", SPT_VALUE_ID }, { "text", "", SPT_VALUE_TEXT } },
};

static const SptDeclarationRow load = {
	.id = 3,
	.shape = SPT_DECLARED_COUNTER,
	.name = "load",
	.title = "Load",
	.n_fields = 2,
	.fields = { { "level", "%", SPT_VALUE_F64 }, { "balance", "", SPT_VALUE_I64 } },
};

static void put_program(SptCaptureWriter *writer)
{
	static const char *const functions[] = { "main", "serve", "send_page" };
	const SptObjectRow object = { .id = 1, .kind = SPT_OBJECT_ANON, .path = "[anon]" };
	const SptProcessRow process = { .id = 1, .pid = 100, .name = "server" };

	spt_capture_writer_host(writer, "period_ns", "1000000");
	spt_capture_writer_host(writer, "cpus", "1");
	spt_capture_writer_host(writer, "start_time", "1000000000");
	spt_capture_writer_object(writer, &object);
	spt_capture_writer_process(writer, &process);
	for (uint32_t id = 1; id <= 2; id++) {
		const SptThreadRow thread = { .id = id, .process = 1, .tid = 99 + id,
					      .name = id == 1 ? "server" : "worker" };

		spt_capture_writer_thread(writer, &thread);
	}
	for (unsigned i = 0; i < G_N_ELEMENTS(functions); i++)
		spt_capture_writer_name(writer, &(SptNameRow){ .object = 1,
							       .offset = 100 * (i + 1),
							       .symbol = functions[i],
							       .module = "" });
}

/* main, serve, send_page: the nodes 1 to 3. */
static void put_stacks(SptStash *stash)
{
	uint32_t node = 0;

	for (unsigned i = 1; i <= 3; i++)
		node = spt_stash_child(stash, node,
				       &(SptFrame){ .object = 1, .offset = 100 * i });
}

static void put_samples(SptCaptureWriter *writer)
{
	for (unsigned i = 0; i < REQUESTS; i++) {
		const SptSampleRow sample = { .time = START + i * PERIOD,
					      .thread = 1 + i % 2,
					      .node = 1 + i % 3,
					      .weight = 1 };

		spt_capture_writer_sample(writer, &sample);
	}
}

static void put_request(SptCaptureWriter *writer, unsigned i)
{
	static const char *const paths[] = { "/", "/index.html", "/a b=c" };
	const SptDeclaredRow row = {
		.time = START + i * PERIOD,
		.duration_ns = 1000 * (i + 1),
		.kind = request.id,
		.thread = 1 + i % 2,
		.node = i % 2 ? 3 : 2,
		.values = { { .text = paths[i % 3] }, { .number = 1024 * (i % 4) },
			    { .number = i } },
	};

	spt_capture_writer_put(writer, SPT_ROW_DECLARED, &row);
}

static void put_log(SptCaptureWriter *writer, unsigned i)
{
	g_autofree char *text = g_strdup_printf("served %u\033[31m", i);
	const SptDeclaredRow row = { .time = START + i * PERIOD + 500,
				     .kind = log_line.id,
				     .thread = 1,
				     .values = { { .number = i % 20 ? 6 : 3 }, { .text = text } } };

	spt_capture_writer_put(writer, SPT_ROW_DECLARED, &row);
}

static void put_load(SptCaptureWriter *writer, unsigned i)
{
	const SptDeclaredRow row = { .time = START + i * PERIOD,
				     .kind = load.id,
				     .values = { { .real = i / 4.0 },
						 { .integer = 10 - (int64_t)i } } };

	spt_capture_writer_put(writer, SPT_ROW_DECLARED, &row);
}

static void put_server(SptCaptureWriter *writer)
{
	put_samples(writer);
	spt_capture_writer_put(writer, SPT_ROW_DECLARATION, &request);
	spt_capture_writer_put(writer, SPT_ROW_DECLARATION, &log_line);
	spt_capture_writer_put(writer, SPT_ROW_DECLARATION, &load);
	for (unsigned i = 0; i < REQUESTS; i++) {
		put_request(writer, i);
		if (i % 10 == 0)
			put_log(writer, i);
		if (i % 30 == 0)
			put_load(writer, i);
	}
}

static void put_other(SptCaptureWriter *writer)
{
	SptDeclarationRow fewer = request;

	fewer.id = 4;
	fewer.n_fields = 1;
	spt_capture_writer_put(writer, SPT_ROW_DECLARATION, &request);
	spt_capture_writer_put(writer, SPT_ROW_DECLARATION, &fewer);
	put_request(writer, 5);
	spt_capture_writer_put(writer, SPT_ROW_DECLARED,
			       &(SptDeclaredRow){ .time = START,
						  .kind = fewer.id,
						  .values = { { .text = "/other" } } });
}

static const SptDeclarationRow mark = {
	.id = 5,
	.shape = SPT_DECLARED_INTERVAL,
	.name = "mark",
	.title = "Marks",
	.n_fields = 3,
	.fields = { { "name", "", SPT_VALUE_TEXT },
		    { "category", "", SPT_VALUE_TEXT },
		    { "message", "", SPT_VALUE_TEXT } },
};

static const SptDeclarationRow call = {
	.id = 6,
	.shape = SPT_DECLARED_INTERVAL,
	.name = "dbus",
	.title = "Calls on D-Bus",
	.n_fields = 9,
	.fields = { { "name", "", SPT_VALUE_TEXT },
		    { "category", "", SPT_VALUE_TEXT },
		    { "client", "", SPT_VALUE_TEXT },
		    { "server", "", SPT_VALUE_TEXT },
		    { "error", "", SPT_VALUE_TEXT },
		    { "client_pid", "", SPT_VALUE_ID },
		    { "server_pid", "", SPT_VALUE_ID },
		    { "bytes", "bytes", SPT_VALUE_BYTES },
		    { "reply_bytes", "bytes", SPT_VALUE_BYTES } },
};

static void put_frame(SptCaptureWriter *writer, unsigned i)
{
	const SptDeclaredRow row = { .time = START + i * 20 * PERIOD,
				     .duration_ns = (i % 5 == 4 ? 18 : 10) * PERIOD,
				     .kind = mark.id,
				     .thread = 1,
				     .values = { { .text = "frameclock cycle" },
						 { .text = "gtk" },
						 { .text = "" } } };

	spt_capture_writer_put(writer, SPT_ROW_DECLARED, &row);
}

/* The later ones come first: each is put when its reply has come. */
static void put_call(SptCaptureWriter *writer, unsigned i)
{
	const SptDeclaredRow row = { .time = START + i * 10 * PERIOD,
				     .duration_ns = (i + 1) * PERIOD,
				     .kind = call.id,
				     .thread = 1 + i % 2,
				     .values = { { .text = i % 2 ? "org.example.Slow.Ask" :
								   "org.example.Quick.Ask" },
						 { .text = "session" },
						 { .text = ":1.7" },
						 { .text = "org.example" },
						 { .text = i == 19 ? "org.example.Error.Full" :
								     "" },
						 { .number = 100 },
						 { .number = 300 },
						 { .number = 100 + i },
						 { .number = 50 } } };

	spt_capture_writer_put(writer, SPT_ROW_DECLARED, &row);
}

static void put_desktop(SptCaptureWriter *writer)
{
	put_samples(writer);
	spt_capture_writer_put(writer, SPT_ROW_DECLARATION, &mark);
	spt_capture_writer_put(writer, SPT_ROW_DECLARATION, &call);
	for (unsigned i = 0; i < 15; i++)
		put_frame(writer, i);
	for (unsigned i = 0; i < 20; i++)
		put_call(writer, 19 - i);
}

static void put_moments(SptCaptureWriter *writer)
{
	static const SptDeclarationRow resident = {
		.id = 8,
		.shape = SPT_DECLARED_COUNTER,
		.name = "process.100.resident",
		.n_fields = 1,
		.fields = { { "value", "", SPT_VALUE_BYTES } },
	};
	SptDeclaredRow row = { .kind = mark.id, .thread = 1 };

	spt_capture_writer_put(writer, SPT_ROW_DECLARATION, &mark);
	spt_capture_writer_put(writer, SPT_ROW_DECLARATION, &resident);
	for (unsigned i = 0; i <= 10; i++) {
		row.time = START + MIN(i, 9) * 10 * PERIOD;
		row.duration_ns = i == 10 ? 5 * PERIOD : 0;
		row.values[0].text = i == 10 ? "saved" : "clicked";
		row.values[1].text = row.values[2].text = "";
		spt_capture_writer_put(writer, SPT_ROW_DECLARED, &row);
	}
	for (unsigned i = 0; i < 3; i++)
		spt_capture_writer_put(writer, SPT_ROW_DECLARED,
				       &(SptDeclaredRow){ .time = START + i * 10 * PERIOD,
							  .kind = resident.id,
							  .thread = 2,
							  .values = { { .number = 4096 * i } } });
}

static void put_quoted(SptCaptureWriter *writer)
{
	static const char *const texts[] = { "\"\\;:,{}", "<b>&amp;\n", "=1+1" };
	const SptDeclarationRow quoted = { .id = 7,
					   .shape = SPT_DECLARED_INSTANT,
					   .name = "a \"b\"; {c}\\",
					   .title = "</script>",
					   .n_fields = 1,
					   .fields = { { "to \"be\"", "", SPT_VALUE_TEXT } } };

	put_samples(writer);
	spt_capture_writer_put(writer, SPT_ROW_DECLARATION, &quoted);
	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
		spt_capture_writer_put(writer, SPT_ROW_DECLARED,
				       &(SptDeclaredRow){ .time = START + i * PERIOD,
							  .kind = quoted.id,
							  .thread = 1,
							  .node = 3,
							  .values = { { .text = texts[i] } } });
}

int main(int argc, char **argv)
{
	g_autoptr(SptStash) stash = spt_stash_new();
	g_autoptr(GError) error = NULL;
	g_autoptr(SptCaptureWriter) writer = NULL;
	static const struct {
		const char *option;
		void (*put)(SptCaptureWriter *writer);
	} forms[] = { { "--other", put_other },
		      { "--desktop", put_desktop },
		      { "--quoted", put_quoted },
		      { "--moments", put_moments } };
	void (*put)(SptCaptureWriter *writer) = argc == 2 ? put_server : NULL;

	for (unsigned i = 0; argc == 3 && i < G_N_ELEMENTS(forms); i++)
		if (strcmp(argv[1], forms[i].option) == 0)
			put = forms[i].put;
	if (!put) {
		fprintf(stderr, "Usage: gen-declared [--other|--desktop|--quoted|--moments] OUT\n");
		return 2;
	}
	writer = spt_capture_writer_new(argv[argc - 1], &error);
	if (writer) {
		put_program(writer);
		put_stacks(stash);
		put(writer);
		if (spt_capture_writer_finish(writer, stash, START + 400 * PERIOD, &error))
			return 0;
	}
	fprintf(stderr, "gen-declared: %s\n", error->message);
	return 1;
}
