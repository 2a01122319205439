/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process may make any number of codes with any names: what is kept is bounded.  Most codes are
 * those of the same functions in other processes, which are kept once.
 */
#include "record/script-names.h"

#include <string.h>

#include "capture/format.h"
#include "record/script-lines.h"
#include "scripts/interpreter.h"

#define BUDGET_BYTES (64u << 20)
#define CODES_MAX    (1u << 20)
#define NO_FILE	     "[script]"
/* Beyond those of the module. */
#define FIRST_NUMBER (1ULL << SYSPROF_CODE_NUMBER_BITS)
#define LAST_NUMBER  ((1ULL << (60 - SYSPROF_FRAME_CODE_SHIFT)) - 1)

struct file {
	uint32_t id;
	char *path;
	GPtrArray *functions; /* struct function, by number - 1 */
};

struct function {
	struct file *file;
	uint32_t number;
	char *name;
	bool is_put;
};

/* A function as one or more codes have it. */
struct variant {
	struct function *function;
	uint32_t tag, interpreter;
	SptScriptFunction code;
};

struct SptScriptNames {
	GHashTable *files;     /* "language\npath" -> struct file */
	GHashTable *by_id;     /* id -> struct file */
	GHashTable *functions; /* "file's id\nline\nname" -> struct function */
	GHashTable *variants;  /* GBytes of all that is known -> struct variant */
	GHashTable *codes;     /* number -> struct variant */
	uint64_t bytes;
	struct variant nothing, spare;	/* of codes whose frames are removed */
	unsigned n_taken, n_unnamed;
	uint32_t next_id;
	uint64_t n_numbers;	/* of codes, that were given here */
	SptScriptLines *lines;
	/* The sample that was folded last. */
	struct sysprof_sample *room;
	size_t room_bytes;
};

static void script_names_file_free(void *data)
{
	struct file *file = data;

	g_ptr_array_unref(file->functions);
	g_free(file->path);
	g_free(file);
}

static void function_free(void *data)
{
	struct function *function = data;

	g_free(function->name);
	g_free(function);
}

static void variant_free(void *data)
{
	struct variant *variant = data;

	spt_script_function_clear(&variant->code);
	g_free(variant);
}

SptScriptNames *spt_script_names_new(void)
{
	SptScriptNames *names = g_new0(SptScriptNames, 1);

	names->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					     script_names_file_free);
	names->by_id = g_hash_table_new(NULL, NULL);
	names->functions = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, function_free);
	names->variants = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
						(GDestroyNotify)g_bytes_unref, variant_free);
	names->codes = g_hash_table_new(NULL, NULL);
	names->next_id = SYSPROF_OBJECT_FIRST + 3;
	names->lines = spt_script_lines_new();
	return names;
}

void spt_script_names_free(SptScriptNames *names)
{
	if (!names)
		return;
	g_hash_table_unref(names->codes);
	g_hash_table_unref(names->variants);
	g_hash_table_unref(names->functions);
	g_hash_table_unref(names->by_id);
	g_hash_table_unref(names->files);
	spt_script_lines_free(names->lines);
	g_free(names->room);
	g_free(names);
}

/* False: a span goes beyond the record. */
static bool script_names_spans(const struct sysprof_code *code,
			       SptSpan spans[SYSPROF_CHAIN_MAX_SPANS])
{
	const uint8_t *at = (const uint8_t *)code->data,
		      *end = (const uint8_t *)code + code->record.size * 8u;

	for (unsigned i = 0; i < SYSPROF_CHAIN_MAX_SPANS; i++) {
		unsigned bytes = (code->bytes[i] + 7u) & ~7u;

		if (bytes > end - at)
			return false;
		spans[i] = (SptSpan){ at, code->bytes[i] };
		at += bytes;
	}
	return true;
}

uint32_t spt_script_names_new_id(SptScriptNames *names)
{
	uint32_t id = names->next_id;

	names->next_id += 4;
	return id;
}

uint64_t spt_script_names_new_number(SptScriptNames *names)
{
	if (names->n_numbers >= LAST_NUMBER - FIRST_NUMBER)
		return 0;
	return FIRST_NUMBER + names->n_numbers++;
}

static struct file *get_file(SptScriptNames *names, const char *path, const char *language,
			     SptObjectRow *ret, bool *ret_is_new)
{
	g_autofree char *key = g_strconcat(language, "\n", path, NULL);
	struct file *file = g_hash_table_lookup(names->files, key);

	*ret_is_new = !file;
	if (file)
		return file;
	file = g_new0(struct file, 1);
	file->id = spt_script_names_new_id(names);
	file->path = g_strdup(path);
	file->functions = g_ptr_array_new();
	names->bytes += sizeof(*file) + 3 * strlen(path) + 128;
	g_hash_table_insert(names->files, g_steal_pointer(&key), file);
	g_hash_table_insert(names->by_id, GUINT_TO_POINTER(file->id), file);
	*ret = (SptObjectRow){ .id = file->id,
			       .kind = SPT_OBJECT_SOURCE,
			       .path = file->path,
			       .language = language };
	return file;
}

static struct function *get_function(SptScriptNames *names, struct file *file,
				     const SptScriptFunction *code)
{
	/* Whether its line is known, which can change, makes no other function of it. */
	bool has_place = code->source_chars;
	g_autofree char *key =
		g_strdup_printf("%u\n%d:%u\n%s", file->id, has_place,
				has_place ? code->begins_at : code->first_line, code->name);
	struct function *function = g_hash_table_lookup(names->functions, key);

	if (function)
		return function;
	function = g_new0(struct function, 1);
	function->file = file;
	function->name = g_strdup(code->name);
	g_ptr_array_add(file->functions, function);
	function->number = file->functions->len;
	names->bytes += sizeof(*function) + strlen(key) + strlen(code->name) + 128;
	g_hash_table_insert(names->functions, g_steal_pointer(&key), function);
	return function;
}

/* All that is known of @function, for comparison. */
static GBytes *content_of(const struct sysprof_code *code, const SptScriptFunction *function)
{
	const uint32_t numbers[] = { code->tag, code->object, function->first_line };
	const char *file = function->file ? function->file : NO_FILE;
	GByteArray *content = g_byte_array_new();

	g_byte_array_append(content, (const uint8_t *)numbers, sizeof(numbers));
	g_byte_array_append(content, (const uint8_t *)file, strlen(file) + 1);
	g_byte_array_append(content, (const uint8_t *)function->name, strlen(function->name) + 1);
	if (function->lines)
		g_byte_array_append(content, g_bytes_get_data(function->lines, NULL),
				    g_bytes_get_size(function->lines));
	return g_byte_array_free_to_bytes(content);
}

static bool script_names_read(SptScriptNames *names, const struct sysprof_code *code,
			      SptScriptFunction *ret)
{
	const SptInterpreter *interpreter = spt_interpreter_of_tag(code->tag);
	SptSpan spans[SYSPROF_CHAIN_MAX_SPANS];

	if (code->record.size * 8u < sizeof(*code) || !interpreter ||
	    !script_names_spans(code, spans) || !interpreter->read(code->tag, spans, ret))
		return false;
	if (ret->file && ret->source_chars)
		ret->first_line = spt_script_lines_find(names->lines, code->record.pid, ret->file,
							ret->begins_at, ret->source_chars);
	return true;
}

/* NULL: too much is kept already. */
static struct variant *get_variant(SptScriptNames *names, const struct sysprof_code *code,
				   SptScriptFunction *function, SptObjectRow *ret, bool *ret_is_new)
{
	g_autoptr(GBytes) content = content_of(code, function);
	struct variant *variant = g_hash_table_lookup(names->variants, content);
	struct file *file;

	if (variant || names->bytes >= BUDGET_BYTES)
		return variant;
	file = get_file(names, function->file ? function->file : NO_FILE,
			spt_interpreter_of_tag(code->tag)->language, ret, ret_is_new);
	variant = g_new0(struct variant, 1);
	variant->function = get_function(names, file, function);
	variant->tag = code->tag;
	variant->interpreter = code->object;
	variant->code = *function;
	*function = (SptScriptFunction){ 0 };
	names->bytes += sizeof(*variant) + 2 * g_bytes_get_size(content) + 128;
	g_hash_table_insert(names->variants, g_steal_pointer(&content), variant);
	return variant;
}

bool spt_script_names_take(SptScriptNames *names, const struct sysprof_code *code,
			   SptObjectRow *ret)
{
	SptScriptFunction function = { 0 };
	struct variant *variant = NULL;
	bool is_new = false;

	if (g_hash_table_size(names->codes) < CODES_MAX &&
	    script_names_read(names, code, &function))
		variant = function.lack == SPT_SCRIPT_IS_NOTHING ? &names->nothing :
			  function.lack == SPT_SCRIPT_IS_SPARE ?
				  &names->spare :
				  get_variant(names, code, &function, ret, &is_new);
	names->n_taken += variant != NULL;
	if (variant)
		g_hash_table_insert(names->codes, GSIZE_TO_POINTER(code->code), variant);
	else
		names->n_unnamed++;
	spt_script_function_clear(&function);
	return is_new;
}

void spt_script_names_drop(SptScriptNames *names, uint64_t number)
{
	g_hash_table_remove(names->codes, GSIZE_TO_POINTER(number));
}

unsigned spt_script_names_count(const SptScriptNames *names, unsigned *ret_unnamed)
{
	*ret_unnamed = names->n_unnamed;
	return names->n_taken;
}

static const struct variant *variant_of(const SptScriptNames *names, uint64_t frame)
{
	uint64_t code = (frame & ~SYSPROF_FRAME_SCRIPT) >> SYSPROF_FRAME_CODE_SHIFT;

	return g_hash_table_lookup(names->codes, GSIZE_TO_POINTER(code));
}

bool spt_script_names_frame(const SptScriptNames *names, uint64_t frame, SptFrame *ret)
{
	const struct variant *variant = variant_of(names, frame);
	uint32_t line;

	if (!variant || !variant->function)
		return false;
	line = spt_interpreter_of_tag(variant->tag)
		       ->line(variant->tag, &variant->code, frame & SYSPROF_FRAME_POSITION_MASK);
	*ret = (SptFrame){ .object = variant->function->file->id,
			   .offset = (uint64_t)variant->function->number << SPT_SOURCE_LINE_BITS |
				     MIN(line, SPT_SOURCE_LINE_MASK),
			   .kind = SPT_FRAME_EXACT };
	return true;
}

/* The interpreter may have made it of the script. */
static bool is_made_at_run_time(uint64_t frame)
{
	return frame >> SYSPROF_FRAME_OBJECT_SHIFT == SYSPROF_OBJECT_ANON ||
	       (frame & SYSPROF_FRAME_OFFSET_MASK) >= SYSPROF_REGION_BIAS / 2;
}

/*
 * Whether native frame @frame is what executes @inner.  Most frames of a deep stack are functions
 * of scripts, which need no look-up.
 */
static bool script_names_hide(const SptScriptNames *names, uint64_t inner, uint64_t frame)
{
	const struct variant *variant;

	if (spt_script_names_is(frame) || !spt_script_names_is(inner))
		return false;
	variant = variant_of(names, inner);
	return variant && ((uint32_t)(frame >> SYSPROF_FRAME_OBJECT_SHIFT) ==
				   variant->interpreter ||
			   is_made_at_run_time(frame));
}

/* A copy of @sample, which is valid until the next one. */
static struct sysprof_sample *script_names_copy(SptScriptNames *names,
						const struct sysprof_sample *sample)
{
	size_t bytes = sample->record.size * 8u;

	if (names->room_bytes < bytes) {
		names->room_bytes = bytes;
		names->room = g_realloc(names->room, bytes);
	}
	memcpy(names->room, sample, bytes);
	return names->room;
}

static bool script_names_is_addition(uint64_t frame)
{
	return spt_script_names_is(frame) && !(frame & SYSPROF_FRAME_POSITION_MASK);
}

/*
 * Whether user frames of @sample from @i on come in addition to one further out, and one of them
 * has no name, or none yet: without it the others would have another caller.
 */
static bool are_left_out(const SptScriptNames *names, const struct sysprof_sample *sample,
			 unsigned i)
{
	const __u64 *from = sample->frames + sample->n_kernel;
	const struct variant *variant = NULL;
	bool lacks_names = false;

	for (; i < sample->n_user && spt_script_names_is(from[i]); i++) {
		variant = variant_of(names, from[i]);
		if (!script_names_is_addition(from[i]))
			break;
		lacks_names |= !variant || variant == &names->nothing;
	}
	return lacks_names && variant &&
	       (!variant->function || spt_interpreter_of_tag(variant->tag)->has_additions);
}

/* Whether user frame @i of @sample is removed; @as_before: those that come in addition are. */
static bool is_left_out(const SptScriptNames *names, const struct sysprof_sample *sample,
			unsigned i, bool with_loops, bool *as_before)
{
	const __u64 *from = sample->frames + sample->n_kernel;

	if (script_names_is_addition(from[i])) {
		if (!i || !script_names_is_addition(from[i - 1]))
			*as_before = are_left_out(names, sample, i);
		return *as_before || variant_of(names, from[i]) == &names->spare;
	}
	return !with_loops && i && script_names_hide(names, from[i - 1], from[i]);
}

const struct sysprof_sample *spt_script_names_fold(SptScriptNames *names,
						   const struct sysprof_sample *sample,
						   bool with_loops)
{
	const __u64 *from = sample->frames + sample->n_kernel;
	struct sysprof_sample *folded;
	bool as_before = false;
	unsigned n = 0;
	__u64 *to;

	/* Of addresses it is not seen here: what made them has left these frames out. */
	if ((sample->record.flags & (SYSPROF_SAMPLE_SCRIPT | SYSPROF_SAMPLE_ADDRESSES)) !=
	    SYSPROF_SAMPLE_SCRIPT)
		return sample;
	while (n < sample->n_user && !is_left_out(names, sample, n, with_loops, &as_before))
		n++;
	if (n >= sample->n_user)
		return sample;
	folded = script_names_copy(names, sample);
	to = folded->frames + folded->n_kernel;
	for (unsigned i = n + 1; i < sample->n_user; i++)
		if (!is_left_out(names, sample, i, with_loops, &as_before))
			to[n++] = from[i];
	folded->n_user = (uint16_t)n;
	return folded;
}

void spt_script_names_put(SptScriptNames *names, uint32_t object, uint64_t offset, SptSink *to)
{
	const struct file *file = g_hash_table_lookup(names->by_id, GUINT_TO_POINTER(object));
	uint64_t number = offset >> SPT_SOURCE_LINE_BITS;
	struct function *function;

	if (!file || !number || number > file->functions->len)
		return;
	function = g_ptr_array_index(file->functions, number - 1);
	if (function->is_put)
		return;
	function->is_put = true;
	spt_sink_put(to, SPT_ROW_NAME,
		     &(SptNameRow){ .object = object,
				    .offset = number << SPT_SOURCE_LINE_BITS,
				    .symbol = function->name,
				    .symbol_bytes = SPT_SOURCE_LINE_MASK + 1,
				    .module = "" });
}

void spt_script_names_forget(SptScriptNames *names)
{
	GHashTableIter iter;
	void *value;

	g_hash_table_iter_init(&iter, names->functions);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		((struct function *)value)->is_put = false;
}
