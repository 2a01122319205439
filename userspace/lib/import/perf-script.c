/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of "perf script": a line "comm pid/tid [cpu] time: period event:" for each sample, with
 * its only frame behind it, or with a line "address symbol+0xoffset (object)" for each frame, and
 * then an empty one.  All but the event may be missing; where neither task nor CPU nor time is
 * there, the event ends the line.  Of several events one is imported: the first clock, else the
 * first that counts cycles, else the first.
 */
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "import/import.h"
#include "import/lines.h"
#include "import/stacks.h"

#define EVENTS_MAX 256
#define NAME_BYTES 64
#define PERIOD_COLUMNS 10

/* A sample's line in parts; the texts are in the line. */
struct script_sample {
	const char *comm, *event;
	char *rest;			/* behind the event */
	uint64_t time, period;		/* 0: there is none */
	uint32_t pid, tid, cpu;		/* pid 0: there is none */
};

struct script_reader {
	SptImportStacks *stacks;
	char event[NAME_BYTES];		/* the one that is imported */
	bool is_clock;
	uint64_t period_ns;		/* of a clock: its first sample's */
	GHashTable *leaders;		/* pid -> name of its first thread */
	struct script_sample sample;	/* begun; of its texts only this copy of comm is valid */
	GString *comm;
	bool is_in_sample, is_wanted;	/* is_wanted: it is of the event */
	SptFrame frames[SPT_IMPORT_FRAMES];	/* innermost first */
	unsigned n_frames;
	GPtrArray *inlined;		/* names of those that are put with the next frame */
	bool is_in_kernel;
	uint64_t n_skipped;
};

/* The parts of a sample's line. */

/* A number that ends at @end or at one of @ends; NULL: there is none. */
static const char *script_number(const char *text, const char *ends, uint64_t *ret)
{
	const char *from = text;

	for (*ret = 0; g_ascii_isdigit(*text) && text - from < 19; text++)
		*ret = *ret * 10 + (uint64_t)(*text - '0');
	return text > from && strchr(ends, *text) ? text : NULL;
}

/* "1234.567890:" as nanoseconds. */
static bool script_time(const char *text, uint64_t *ret)
{
	uint64_t seconds, part, unit = 1000000000;
	const char *dot = script_number(text, ".", &seconds), *end;

	if (!dot || *dot != '.' || seconds > UINT32_MAX)
		return false;
	end = script_number(dot + 1, ":", &part);
	if (!end || *end != ':' || end - dot > 10)
		return false;
	for (const char *digit = dot + 1; digit < end; digit++)
		unit /= 10;
	*ret = MAX(seconds * 1000000000 + part * unit, 1);
	return true;
}

static bool script_cpu(const char *text, uint32_t *ret)
{
	uint64_t cpu;
	const char *end = *text == '[' ? script_number(text + 1, "]", &cpu) : NULL;

	if (!end || *end != ']' || end[1] || cpu >= SPT_IMPORT_CPUS)
		return false;
	*ret = (uint32_t)cpu;
	return true;
}

/* What is behind the id; NULL: there is none.  That of a thread past its end is -1. */
static const char *script_id(const char *text, const char *stops, uint32_t *ret)
{
	bool is_past = text[0] == '-' && text[1] == '1';
	uint64_t number = UINT32_MAX;
	const char *end = is_past ? text + 2 : script_number(text, stops, &number);

	*ret = (uint32_t)number;
	return end && (is_past || number <= INT32_MAX) ? end : NULL;
}

/* "pid/tid" or "tid". */
static bool script_task(const char *text, struct script_sample *ret)
{
	uint32_t first, second = 0;
	const char *end = script_id(text, "/", &first);
	bool has_both = end && *end == '/';

	if (has_both)
		end = script_id(end + 1, "", &second);
	if (!end || *end)
		return false;
	ret->pid = has_both ? first : 0;
	ret->tid = has_both ? second : first;
	return true;
}

/* What is behind task, CPU and time: "period event: rest". */
static bool script_event(char *text, struct script_sample *ret)
{
	const char *after;
	char *end;

	text += strspn(text, " ");
	after = script_number(text, " ", &ret->period);
	if (after && *after == ' ')
		text += after - text + strspn(after, " ");
	else
		ret->period = 0;
	end = strchr(text, ':');
	while (end && end[1] && end[1] != ' ' && end[1] != '\t')
		end = strchr(end + 1, ':');
	/* A number in brackets is no event, but in gperftools' text of a heap. */
	if (!end || end == text || *text == '[' || memchr(text, ' ', (size_t)(end - text)))
		return false;
	*end = '\0';
	ret->event = text;
	ret->rest = end + 1;
	return true;
}

/* The blank before the word that ends at @end, both in @line; NULL: there is none. */
static char *word_before(const char *line, char *end)
{
	while (end > line && end[-1] != ' ')
		end--;
	return end > line ? end - 1 : NULL;
}

static char *skip_back(const char *line, char *end)
{
	while (end > line && end[-1] == ' ')
		end--;
	return end;
}

/* What is before @end: "comm task [cpu]", where each may be missing. */
static void script_head(char *line, char *end, struct script_sample *ret)
{
	char *word;

	end = skip_back(line, end);
	*end = '\0';
	word = word_before(line, end);
	if (word && script_cpu(word + 1, &ret->cpu)) {
		end = skip_back(line, word);
		*end = '\0';
		word = word_before(line, end);
	}
	if (word && script_task(word + 1, ret))
		*skip_back(line, word) = '\0';
	ret->comm = line + strspn(line, " ");
	if (!*ret->comm)
		ret->comm = "[unknown]";
}

/* "comm period event:", where the period may be missing. */
static bool script_ending(char *line, struct script_sample *ret)
{
	char *end = line + strlen(line), *word;

	while (end > line && strchr(" \t", end[-1]))
		end--;
	if (end == line || end[-1] != ':')
		return false;
	word = word_before(line, end);
	if (!word || skip_back(line, word) == line)
		return false;
	end[-1] = '\0';
	ret->event = word + 1;
	ret->rest = end;
	end = skip_back(line, word);
	*end = '\0';
	word = word_before(line, end);
	if (word && script_number(word + 1, "", &ret->period))
		*skip_back(line, word) = '\0';
	else
		ret->period = 0;
	ret->comm = line + strspn(line, " ");
	return *ret->comm && *ret->event;
}

/* Periods are aligned to the right of ten columns, no task is. */
static bool is_period_wide(const char *line, const char *word)
{
	const char *before = word;

	while (before > line && before[-1] == ' ')
		before--;
	return word - before > 1 &&
	       (size_t)(word - before) + strspn(word, "0123456789") == 1 + PERIOD_COLUMNS;
}

/*
 * The words from left to right: the time is the first that looks like one; where there is none,
 * period and event are behind the CPU, or behind the first number.  A name may have blanks.
 */
static bool parse_script_line(char *line, struct script_sample *ret)
{
	char *word = line + strspn(line, " ");
	char *cpu = NULL, *task = NULL;

	*ret = (struct script_sample){ 0 };
	for (unsigned n = 0; *word && n < 64; n++) {
		char *end = word + strcspn(word, " \t"), kept = *end;
		struct script_sample part = { 0 };
		uint32_t number;
		bool is_time = script_time(word, &ret->time) && end[-1] == ':';

		*end = '\0';
		if (!cpu && n > 0 && script_cpu(word, &number))
			cpu = end;
		if (!task && n > 0 && script_task(word, &part) && !is_period_wide(line, word))
			task = end;
		*end = kept;
		if (is_time) {
			script_head(line, word, ret);
			return script_event(end, ret);
		}
		word = end + strspn(end, " \t");
	}
	ret->time = 0;
	word = cpu ? cpu : task;
	if (!word || !*word)
		return script_ending(line, ret);
	if (!script_event(word + 1, ret))
		return false;
	script_head(line, word, ret);
	return true;
}

/* Events. */

static bool has_any(const char *event, const char *const *names)
{
	for (; *names; names++)
		if (strstr(event, *names))
			return true;
	return false;
}

/* 2: a clock, whose periods are nanoseconds; 1: cycles; 0: another. */
static int rank_of_event(const char *event)
{
	static const char *const clocks[] = { "cpu-clock", "task-clock", NULL };
	static const char *const cycles[] = { "cycles", NULL };

	return has_any(event, clocks) ? 2 : has_any(event, cycles) ? 1 : 0;
}

static bool is_script_note(const char *event)
{
	return g_str_has_prefix(event, "PERF_RECORD_");
}

/* Reads the file for its events, and finds the one to import. */
static void choose_script_event(struct script_reader *reader, int fd)
{
	g_autoptr(SptImportLines) lines = spt_import_lines_new(fd);
	struct script_sample sample;
	const char *wrong;
	char *line;
	size_t bytes;
	int best = -1;

	while (best < 2 && (line = spt_import_lines_next(lines, &bytes, &wrong))) {
		if (*line == '\t' || *line == '#' || !parse_script_line(line, &sample) ||
		    is_script_note(sample.event) || rank_of_event(sample.event) <= best)
			continue;
		best = rank_of_event(sample.event);
		g_strlcpy(reader->event, sample.event, sizeof(reader->event));
	}
	reader->is_clock = best == 2;
}

static bool is_script_event(const struct script_reader *reader, const char *event)
{
	return strncmp(reader->event, event, sizeof(reader->event) - 1) == 0;
}

/* Frames. */

/* The '(' that belongs to the ')' at the end of @text; NULL: there is none. */
static char *find_object(char *text, char *end)
{
	unsigned depth = 0;

	for (char *at = end; at > text; at--) {
		depth += *at == ')';
		depth -= *at == '(';
		if (depth == 0)
			return *at == '(' ? at : NULL;
	}
	return NULL;
}

/* "symbol+0x12" without what follows the '+'. */
static void cut_offset(char *symbol)
{
	char *plus = strrchr(symbol, '+');

	if (plus && plus > symbol && plus[1] == '0' && plus[2] == 'x' && plus[3] &&
	    strspn(plus + 3, "0123456789abcdef") == strlen(plus + 3))
		*plus = '\0';
}

/*
 * "object+0x7ed990", as reports call a function without a name by where it begins, and no place in
 * a function that is called as its object is: its begin is further on than its end is from there.
 */
static bool is_named_by_begin(const char *symbol, const char *object, const char *address)
{
	const char *plus = strrchr(symbol, '+'), *slash = strrchr(object, '/');
	uint64_t begin, place;

	object = slash ? slash + 1 : object;
	if (!plus || (size_t)(plus - symbol) != strlen(object) ||
	    !g_str_has_prefix(symbol, object) || plus[1] != '0' || plus[2] != 'x' ||
	    !g_ascii_string_to_unsigned(plus + 3, 16, 0, UINT64_MAX, &begin, NULL) ||
	    !g_ascii_string_to_unsigned(address, 16, 0, UINT64_MAX, &place, NULL))
		return false;
	return begin <= place && place - begin < begin;
}

static bool is_kernel_name(const char *object)
{
	return g_str_has_prefix(object, "[kernel.") || g_str_has_prefix(object, "[guest.kernel");
}

/* A module's or BPF program's name is in brackets, but so is that of the vdso. */
static bool is_kernel_address(const char *address)
{
	return strlen(address) == 16 && address[0] == 'f' && address[1] == 'f';
}

static uint32_t script_object(struct script_reader *reader, const char *address, const char *name)
{
	SptObjectKind kind = SPT_OBJECT_UNKNOWN;

	if (is_kernel_name(name))
		kind = SPT_OBJECT_KERNEL;
	if (reader->n_frames == 0)
		reader->is_in_kernel = kind == SPT_OBJECT_KERNEL || is_kernel_address(address);
	return spt_import_stacks_object(reader->stacks, kind, name);
}

static void add_script_frame(struct script_reader *reader, uint32_t object, const char *symbol)
{
	if (reader->n_frames < SPT_IMPORT_FRAMES)
		reader->frames[reader->n_frames] =
			spt_import_stacks_frame(reader->stacks, object, symbol);
	reader->n_frames++;
}

/* Inlined functions belong to the object of the function around them, which follows. */
static void add_inlined_frames(struct script_reader *reader, uint32_t object)
{
	for (unsigned i = 0; i < reader->inlined->len; i++)
		add_script_frame(reader, object, reader->inlined->pdata[i]);
	g_ptr_array_set_size(reader->inlined, 0);
}

static void take_unknown_frame(struct script_reader *reader, uint32_t object, const char *path,
			       const char *address)
{
	const char *slash = strrchr(path, '/');
	g_autofree char *name = NULL;

	address += strspn(address, "0");
	if (!*path || strcmp(path, "[unknown]") == 0)
		name = g_strdup("[unresolved]");
	else
		name = g_strdup_printf("%s+0x%s", slash ? slash + 1 : path, address);
	add_script_frame(reader, object, name);
}

static void take_script_object(struct script_reader *reader, const char *symbol,
			       const char *address, const char *path)
{
	uint32_t object = script_object(reader, address, path);

	add_inlined_frames(reader, object);
	if (strcmp(symbol, "[unknown]") == 0)
		take_unknown_frame(reader, object, path, address);
	else
		add_script_frame(reader, object, symbol);
}

/* "address symbol+0xoffset (object)", or where it has a line of its own, fewer of these. */
static void take_script_frame(struct script_reader *reader, char *line, bool has_line)
{
	char *address = line + strspn(line, " \t"), *symbol, *end, *object;
	size_t digits = strspn(address, "0123456789abcdef");

	end = address + strlen(address);
	while (end > address && strchr(" \t", end[-1]))
		*--end = '\0';
	if (has_line && digits > 0 && digits <= 16 && !address[digits])
		take_script_object(reader, "[unknown]", address, "");
	if (digits == 0 || digits > 16 || address[digits] != ' ')
		return;
	symbol = address + digits + 1;
	object = end[-1] == ')' ? find_object(symbol, end - 1) : NULL;
	if (object && object > symbol && object[-1] == ' ') {
		address[digits] = end[-1] = object[-1] = '\0';
		object++;
	} else if (has_line) {
		address[digits] = '\0';
		object = end;
	} else {
		return;
	}
	if (!is_named_by_begin(symbol, object, address))
		cut_offset(symbol);
	if (strcmp(object, "inlined") != 0)
		take_script_object(reader, symbol, address, object);
	else if (reader->inlined->len < SPT_IMPORT_FRAMES)
		g_ptr_array_add(reader->inlined, g_strdup(symbol));
}

/* Samples. */

/* A process is called what its first thread is called; without pids, a name is a process. */
static uint32_t script_thread(struct script_reader *reader)
{
	const struct script_sample *sample = &reader->sample;
	const char *comm = reader->comm->str, *leader;

	if (!sample->pid)
		return spt_import_stacks_thread(reader->stacks, 0, sample->tid, comm, comm);
	leader = g_hash_table_lookup(reader->leaders, GUINT_TO_POINTER(sample->pid));
	if (!leader || (sample->tid == sample->pid && strcmp(leader, comm) != 0)) {
		leader = g_strdup(comm);
		g_hash_table_insert(reader->leaders, GUINT_TO_POINTER(sample->pid),
				    (gpointer)leader);
	}
	return spt_import_stacks_thread(reader->stacks, sample->pid, sample->tid, leader, comm);
}

static uint64_t script_weight(struct script_reader *reader)
{
	uint64_t period = reader->sample.period;

	/* As our own files call those of no known length. */
	if (strcmp(reader->event, "periods") == 0)
		return MAX(period, 1);
	if (!reader->is_clock || !period)
		return 1;
	if (!reader->period_ns)
		reader->period_ns = period;
	return MAX((period + reader->period_ns / 2) / reader->period_ns, 1);
}

/* NULL, or what is wrong with the sample before this line. */
static const char *end_script_sample(struct script_reader *reader)
{
	uint32_t node = 0;
	uint64_t weight;

	if (!reader->is_in_sample)
		return NULL;
	reader->is_in_sample = false;
	if (!reader->is_wanted)
		return NULL;
	add_inlined_frames(reader,
			   spt_import_stacks_object(reader->stacks, SPT_OBJECT_UNKNOWN, ""));
	if (reader->n_frames > SPT_IMPORT_FRAMES)
		return SPT_WORDS("has too many frames");
	for (unsigned i = reader->n_frames; i-- > 0;)
		node = spt_import_stacks_child(reader->stacks, node, &reader->frames[i]);
	weight = script_weight(reader);
	if (weight > UINT32_MAX * 1000ull)
		return SPT_WORDS("has a weight that is too large");
	spt_import_stacks_sample(reader->stacks, &(SptSampleRow){
		.time = reader->sample.time,
		.cpu = reader->sample.cpu,
		.thread = script_thread(reader),
		.node = node,
		.context = reader->is_in_kernel ? SPT_CONTEXT_KERNEL : 0 }, weight);
	return spt_import_stacks_excess(reader->stacks);
}

/* NULL, or what is wrong with the line. */
static const char *begin_script_sample(struct script_reader *reader, char *line)
{
	struct script_sample *sample = &reader->sample;

	if (!parse_script_line(line, sample))
		return SPT_WORDS("is not as perf script writes it with -F comm,event,ip,sym or more");
	reader->is_in_sample = true;
	reader->is_wanted = is_script_event(reader, sample->event);
	reader->n_skipped += !reader->is_wanted && !is_script_note(sample->event);
	reader->n_frames = 0;
	reader->is_in_kernel = false;
	g_ptr_array_set_size(reader->inlined, 0);
	g_string_assign(reader->comm, sample->comm);
	if (reader->is_wanted)
		take_script_frame(reader, sample->rest, false);
	return NULL;
}

/* A line of source, which perf indents by two blanks, has no ": " behind an event. */
static bool has_no_event(const char *line)
{
	return line[1] == ' ' && !strstr(line, ": ");
}

static const char *take_script_line(struct script_reader *reader, char *line, size_t bytes)
{
	const char *wrong = NULL;

	if (*line == '#')
		return NULL;
	if (bytes == 0)
		return end_script_sample(reader);
	/* What else is in a sample, as lines of source, is skipped. */
	if (*line == '\t') {
		if (reader->is_in_sample && reader->is_wanted)
			take_script_frame(reader, line, true);
		return NULL;
	}
	if (*line == ' ' && reader->is_in_sample && reader->n_frames > 0 && has_no_event(line))
		return NULL;
	wrong = end_script_sample(reader);
	return wrong ? wrong : begin_script_sample(reader, line);
}

static void note_script_events(const struct script_reader *reader, SptCaptureWriter *writer)
{
	g_autofree char *text = NULL;

	spt_capture_writer_host(writer, "source", "perf script");
	spt_capture_writer_host(writer, "event", reader->event);
	if (reader->period_ns) {
		text = g_strdup_printf("%" G_GUINT64_FORMAT, reader->period_ns);
		spt_capture_writer_host(writer, "period_ns", text);
	}
	spt_import_note_skipped(writer, reader->event, reader->n_skipped);
}

static bool read_script_lines(struct script_reader *reader, SptImportLines *lines, GError **error)
{
	const char *wrong = NULL;
	char *line;
	size_t bytes;

	while ((line = spt_import_lines_next(lines, &bytes, &wrong))) {
		wrong = take_script_line(reader, line, bytes);
		if (wrong || !spt_import_stacks_flush(reader->stacks, error))
			break;
	}
	if (!wrong && !line)
		wrong = end_script_sample(reader);
	if (wrong)
		spt_import_lines_refuse(lines, wrong, error);
	return !wrong && !line;
}

static bool read_perf_script(const SptImportInput *input, SptCaptureWriter *writer, GError **error)
{
	g_autoptr(SptImportLines) lines = spt_import_lines_new(input->fd);
	g_autofree struct script_reader *reader = g_new0(struct script_reader, 1);
	bool ok;

	reader->stacks = spt_import_stacks_new(writer);
	reader->leaders = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	reader->inlined = g_ptr_array_new_with_free_func(g_free);
	reader->comm = g_string_new(NULL);
	choose_script_event(reader, input->fd);
	ok = read_script_lines(reader, lines, error);
	note_script_events(reader, writer);
	ok = ok && spt_import_stacks_finish(reader->stacks, error);
	spt_import_stacks_free(reader->stacks);
	g_hash_table_unref(reader->leaders);
	g_ptr_array_unref(reader->inlined);
	g_string_free(reader->comm, TRUE);
	return ok;
}

static bool is_bare_sample(const struct script_sample *sample)
{
	return !sample->tid && !sample->time;
}

/* "\t  address symbol". */
static bool has_frame_form(const char *line)
{
	const char *address = line + strspn(line, " \t");
	size_t digits = strspn(address, "0123456789abcdef");

	return *line == '\t' && digits && (address[digits] == ' ' || !address[digits]);
}

/*
 * The first line that is no comment is of a sample.  One with few fields, or with too few, is known
 * by the frame that follows it.
 */
static bool probe_perf_script(const char *begin, size_t bytes)
{
	const char *at = begin, *end = begin + bytes;
	struct script_sample sample;
	bool needs_frame = false;

	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		g_autofree char *line = stop ? g_strndup(at, (size_t)(stop - at)) : NULL;

		if (!line || memchr(at, '\0', (size_t)(stop - at)))
			return false;
		if (needs_frame)
			return has_frame_form(line);
		at = stop + 1;
		if (*line == '\t')
			return false;
		g_strchomp(line);
		if (!*line || *line == '#')
			continue;
		if (parse_script_line(line, &sample) && !is_bare_sample(&sample))
			return true;
		needs_frame = true;
	}
	return false;
}

const SptImporter spt_import_perf_script = {
	.name = "perf-script",
	.probe = probe_perf_script,
	.read = read_perf_script,
	.unpacks = true,
};
