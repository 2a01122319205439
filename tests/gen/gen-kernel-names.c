/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gen-kernel-names DIRECTORY: names 100,000 random places in the text of the running kernel and its
 * modules as a recording does, from the module's device by the recorder's naming through a capture
 * to lib/symbols, and holds them against /proc/kallsyms.  As root; writes DIRECTORY/names.capture;
 * speaks TAP.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "record/naming.h"
#include "symbols/demangle.h"
#include "symbols/symbols.h"
#include "trace/trace.h"

#define PLACES 100000
/* One in EDGE_PART is the first byte of a function, or a return address behind its last one. */
#define EDGE_PART 8
#define PATIENCE_S 120
#define WRONG_SHOWN 10

struct symbol {
	uint64_t address, bytes;	/* 0 bytes: not to be chosen */
	const char *name, *module;
	bool is_text;
};

/*
 * What the device calls the address 0 of the kernel and of modules, modulo 2^40; found by what it
 * says of frames it has sampled.
 */
struct bases {
	const GArray *symbols;
	GArray *frames;			/* uint64_t */
	uint64_t base[2];
	bool is_known[2];
};

struct place {
	uint64_t offset;
	uint32_t object, kind, symbol;
};

static unsigned n_tests, n_failed;

static void ok(bool good, const char *text)
{
	n_tests++;
	n_failed += !good;
	printf("%sok %u - %s\n", good ? "" : "not ", n_tests, text);
}

static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static GArray *read_symbols(char *text)
{
	GArray *symbols = g_array_new(FALSE, FALSE, sizeof(struct symbol));
	char *rest = NULL;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *end, *module = strchr(line, '\t');
		struct symbol symbol = { .address = strtoull(line, &end, 16), .module = "" };

		if (module) {
			*module = '\0';
			module[strlen(module + 1)] = '\0';
			symbol.module = module + 2;
		}
		symbol.is_text = strchr("tTwW", end[1]) != NULL;
		symbol.name = end + 3;
		if (symbol.address)
			g_array_append_val(symbols, symbol);
	}
	qsort(symbols->data, symbols->len, sizeof(struct symbol), compare_symbols);
	return symbols;
}

static uint64_t address_of(const GArray *symbols, const char *name, const char *module)
{
	uint64_t address = 0;

	for (unsigned i = 0; i < symbols->len; i++) {
		const struct symbol *symbol = &g_array_index(symbols, struct symbol, i);

		if (strcmp(symbol->name, name) || strcmp(symbol->module, module))
			continue;
		if (address)
			return 0;
		address = symbol->address;
	}
	return address;
}

/* Up to the next symbol of the same code; what the last one of a module ends at is not reported. */
static void find_sizes(GArray *symbols)
{
	uint64_t start = address_of(symbols, "_stext", ""), end = address_of(symbols, "_etext", "");

	for (unsigned i = 0; i < symbols->len; i++) {
		struct symbol *symbol = &g_array_index(symbols, struct symbol, i);
		unsigned next = i + 1;

		while (next < symbols->len &&
		       g_array_index(symbols, struct symbol, next).address == symbol->address)
			next++;
		symbol->bytes = 0;
		if (next == symbols->len || !symbol->is_text ||
		    strcmp(g_array_index(symbols, struct symbol, next).module, symbol->module))
			continue;
		/* Code that is made at run time is not constant. */
		if (*symbol->module ? strcmp(symbol->module, "bpf") && symbol->module[0] != '_' :
				      symbol->address >= start && symbol->address < end)
			symbol->bytes = g_array_index(symbols, struct symbol, next).address -
					symbol->address;
	}
}

static void take_frames(const struct sysprof_record *record, void *data)
{
	const struct sysprof_sample *sample = (const void *)record;
	struct bases *bases = data;

	if (record->type == SYSPROF_SAMPLE && bases->frames->len < 4096)
		g_array_append_vals(bases->frames, sample->frames, MIN(sample->n_kernel, 16));
}

static void find_base(struct bases *bases, SptTrace *trace, uint64_t frame)
{
	struct sysprof_name name = { .frame = frame };
	unsigned which = frame >> SYSPROF_FRAME_OBJECT_SHIFT == SYSPROF_OBJECT_MODULES;
	uint64_t address;

	if (bases->is_known[which] || !spt_trace_names(trace, &name, 1, NULL) || !name.symbol[0])
		return;
	address = address_of(bases->symbols, name.symbol, name.module);
	bases->base[which] = address + name.offset - frame;
	bases->is_known[which] = address != 0;
}

/*
 * Looks for files that are not there, which the file systems of the guest, modules, have to find
 * out.
 */
static void find_bases(struct bases *bases, SptTrace *trace)
{
	time_t end = time(NULL) + PATIENCE_S;
	struct stat status;

	for (unsigned round = 0; time(NULL) < end && !(bases->is_known[0] && bases->is_known[1]);
	     round++) {
		for (unsigned i = 0; i < 200; i++) {
			char name[64];

			snprintf(name, sizeof(name), "not-here-%u-%u", round, i);
			stat(name, &status);
		}
		g_array_set_size(bases->frames, 0);
		if (!spt_trace_drain(trace, false, take_frames, bases, NULL))
			return;
		for (unsigned i = 0; i < bases->frames->len; i++)
			find_base(bases, trace, g_array_index(bases->frames, uint64_t, i));
	}
}

/* Places in the text of the kernel, or of modules: each byte is as likely as another. */
static void pick(const struct bases *bases, bool modules, unsigned n, GRand *random, GArray *places)
{
	g_autofree uint64_t *ends = g_new(uint64_t, bases->symbols->len + 1);
	uint64_t all = 0;

	for (unsigned i = 0; i < bases->symbols->len; i++) {
		const struct symbol *symbol = &g_array_index(bases->symbols, struct symbol, i);

		all += (*symbol->module != '\0') == modules ? symbol->bytes : 0;
		ends[i] = all;
	}
	for (unsigned i = 0; all && i < n; i++) {
		uint64_t at = (uint64_t)(g_rand_double(random) * (double)all), address;
		struct place place = { .object = modules ? SYSPROF_OBJECT_MODULES :
							   SYSPROF_OBJECT_KERNEL };
		const struct symbol *symbol;
		uint32_t high = bases->symbols->len;

		while (place.symbol < high) {
			uint32_t middle = place.symbol + (high - place.symbol) / 2;

			if (ends[middle] <= at)
				place.symbol = middle + 1;
			else
				high = middle;
		}
		symbol = &g_array_index(bases->symbols, struct symbol, place.symbol);
		place.kind = i % 2 ? SPT_FRAME_EXACT : SPT_FRAME_CALL;
		address = symbol->address + (symbol->bytes - (ends[place.symbol] - at));
		if (g_rand_int_range(random, 0, EDGE_PART) == 0)
			address = place.kind == SPT_FRAME_EXACT ?
					  symbol->address :
					  symbol->address + symbol->bytes - 1;
		place.offset = (address - bases->base[modules]) & SYSPROF_FRAME_OFFSET_MASK;
		g_array_append_val(places, place);
	}
}

static SptCapture *record(SptTrace *trace, const GArray *places, const char *path, uint32_t *nodes)
{
	g_autoptr(SptNaming) naming = spt_naming_new(false);
	g_autoptr(SptStash) stash = spt_stash_new();
	g_autoptr(GError) error = NULL;
	SptCaptureWriter *writer = spt_capture_writer_new(path, &error);
	g_autoptr(SptSink) sink = writer ? spt_writer_sink_new(writer) : NULL;

	for (unsigned i = 0; i < places->len; i++) {
		const struct place *place = &g_array_index(places, struct place, i);

		nodes[i] =
			spt_stash_child(stash, 0,
					&(SptFrame){ place->offset, place->object, place->kind });
	}
	if (writer) {
		spt_capture_writer_object(writer, &(SptObjectRow){ .id = SYSPROF_OBJECT_KERNEL,
								   .kind = SPT_OBJECT_KERNEL });
		spt_capture_writer_object(writer, &(SptObjectRow){ .id = SYSPROF_OBJECT_MODULES,
								   .kind = SPT_OBJECT_MODULES });
	}
	if (sink && spt_naming_flush(naming, trace, stash, sink, true, &error) &&
	    spt_sink_finish(sink, stash, 1, &error))
		return spt_capture_open(path, &error);
	printf("# %s\n", error->message);
	return NULL;
}

/* Several symbols may begin at one place. */
static bool is_called(const GArray *symbols, uint32_t first, const char *function)
{
	uint64_t address = g_array_index(symbols, struct symbol, first).address;

	while (first > 0 && g_array_index(symbols, struct symbol, first - 1).address == address)
		first--;
	for (; first < symbols->len &&
	       g_array_index(symbols, struct symbol, first).address == address;
	     first++) {
		g_autofree char *plain =
			spt_demangle(g_array_index(symbols, struct symbol, first).name);

		if (strcmp(plain, function) == 0)
			return true;
	}
	return false;
}

static unsigned count_wrong(const GArray *symbols, const GArray *places, const SptCapture *capture,
			    const uint32_t *nodes, uint32_t object, uint32_t kind, unsigned *ret_n)
{
	g_autoptr(SptSymbols) names = spt_symbols_new(capture, NULL);
	unsigned wrong = 0;

	*ret_n = 0;
	for (unsigned i = 0; i < places->len; i++) {
		const struct place *place = &g_array_index(places, struct place, i);
		const struct symbol *symbol = &g_array_index(symbols, struct symbol, place->symbol);
		SptName name;
		g_autofree char *label = *symbol->module ? g_strdup_printf("[%s]", symbol->module) :
							   g_strdup("[kernel]");

		if (place->object != object || place->kind != kind)
			continue;
		++*ret_n;
		name = spt_symbols_name(names, &capture->nodes[nodes[i]].frame);
		if (is_called(symbols, place->symbol, name.function) &&
		    strcmp(name.object, label) == 0)
			continue;
		if (wrong++ < WRONG_SHOWN)
			printf("# %s %s is called %s %s\n", label, symbol->name, name.object,
			       name.function);
	}
	return wrong;
}

static void check(const struct bases *bases, SptTrace *trace, const char *path)
{
	g_autoptr(GArray) places = g_array_new(FALSE, TRUE, sizeof(struct place));
	g_autoptr(GRand) random = g_rand_new_with_seed(20);
	g_autofree uint32_t *nodes = g_new0(uint32_t, PLACES);
	g_autoptr(SptCapture) capture = NULL;

	pick(bases, false, PLACES / 2, random, places);
	pick(bases, true, PLACES / 2, random, places);
	ok(places->len == PLACES, "there is text of the kernel and of modules to pick from");
	capture = record(trace, places, path, nodes);
	ok(capture && !capture->damage, "its names are in a capture");
	for (unsigned i = 0; capture && i < 4; i++) {
		unsigned n,
			wrong = count_wrong(bases->symbols, places, capture, nodes,
					    i < 2 ? SYSPROF_OBJECT_KERNEL : SYSPROF_OBJECT_MODULES,
					    i % 2 ? SPT_FRAME_EXACT : SPT_FRAME_CALL, &n);
		g_autofree char *text =
			g_strdup_printf("%u %s in %s are called as kallsyms has them (%u are not)",
					n, i % 2 ? "instructions" : "call sites",
					i < 2 ? "the kernel" : "modules", wrong);

		ok(n == PLACES / 4 && wrong == 0, text);
	}
}

int main(int argc, char **argv)
{
	g_autofree char *text = NULL,
			*path = g_strdup_printf("%s/names.capture", argc == 2 ? argv[1] : ".");
	g_autoptr(GArray) symbols = NULL, frames = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	g_autoptr(GError) error = NULL;
	g_autoptr(SptTrace) trace = NULL;
	struct bases bases = { .frames = frames };

	if (!g_file_get_contents("/proc/kallsyms", &text, NULL, &error) ||
	    !(trace = spt_trace_open_source(SPT_TRACE_MODULE, &error)) ||
	    !spt_trace_start(trace, &(SptTraceConfig){ .no_user = true }, NULL, &error)) {
		printf("Bail out! %s\n", error->message);
		return 1;
	}
	bases.symbols = symbols = read_symbols(text);
	find_sizes(symbols);
	find_bases(&bases, trace);
	ok(bases.is_known[0] && bases.is_known[1],
	   "frames of the kernel and of modules were sampled");
	if (bases.is_known[0] && bases.is_known[1])
		check(&bases, trace, path);
	printf("1..%u\n", n_tests);
	return n_failed > 0;
}
