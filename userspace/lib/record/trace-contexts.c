/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program makes any number of contexts.  The source says each once and then uses its number:
 * those that were used lately are kept, in two halves of which the older one is dropped.
 * Attributes are bounded by their bytes, too.
 */
#include "record/trace-contexts.h"

#include <string.h>

#include "profile/links.h"
#include "scripts/trace-context.h"

#define FIRST_KIND 8100u	/* before those of point-hits.c */
#define HALF_MAX   16384u
#define HALF_BYTES (1u << 20)

struct context {
	SptThreadContext ids;
	char attributes[];		/* as one line */
};

struct SptContexts {
	SptOutput *output;
	GHashTable *young, *old;	/* number of the code -> struct context */
	size_t young_bytes;		/* of attributes */
	const struct context *last;	/* of the stack that was cut last, or NULL */
	bool lacks_last;		/* that stack had one, which did not come */
	uint64_t lost;			/* samples and waits with such stacks */
	bool is_declared[2];		/* the kind for CPU time, and that for waits */
};

SptContexts *spt_contexts_new(SptOutput *output)
{
	SptContexts *contexts = g_new0(SptContexts, 1);

	contexts->output = output;
	contexts->young = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	contexts->old = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	return contexts;
}

void spt_contexts_free(SptContexts *contexts)
{
	if (!contexts)
		return;
	g_hash_table_unref(contexts->young);
	g_hash_table_unref(contexts->old);
	g_free(contexts);
}

static struct context *context_new(const SptThreadContext *ids, const char *attributes)
{
	size_t bytes = strlen(attributes) + 1;
	struct context *context = g_malloc(sizeof(*context) + bytes);

	context->ids = *ids;
	memcpy(context->attributes, attributes, bytes);
	return context;
}

static void contexts_keep(SptContexts *contexts, uint64_t number, struct context *context)
{
	size_t bytes = strlen(context->attributes) + 1;

	if (g_hash_table_size(contexts->young) >= HALF_MAX ||
	    contexts->young_bytes + bytes > HALF_BYTES) {
		g_hash_table_unref(contexts->old);
		contexts->old = contexts->young;
		contexts->young = g_hash_table_new_full(NULL, NULL, NULL, g_free);
		contexts->young_bytes = 0;
		contexts->last = NULL;
	}
	contexts->young_bytes += bytes;
	g_hash_table_replace(contexts->young, GSIZE_TO_POINTER(number), context);
}

bool spt_contexts_take(SptContexts *contexts, const struct sysprof_code *code)
{
	SptSpan span = { code->data, code->bytes[0] };
	SptThreadContext ids;

	if (code->record.size * 8u < sizeof(*code) ||
	    SPT_TAG_NUMBER(code->tag) != SPT_THREAD_CONTEXT_NUMBER)
		return false;
	if (code->record.size * 8u - sizeof(*code) >= code->bytes[0] &&
	    spt_thread_context_read(&span, &ids)) {
		g_autofree char *attributes = spt_thread_context_attributes(&span);

		contexts_keep(contexts, code->code, context_new(&ids, attributes));
	}
	return true;
}

static const struct context *contexts_find(SptContexts *contexts, uint64_t frame)
{
	uint64_t number = (frame & ~SYSPROF_FRAME_SCRIPT) >> SYSPROF_FRAME_CODE_SHIFT;
	struct context *context =
		g_hash_table_lookup(contexts->young, GSIZE_TO_POINTER(number));

	if (context)
		return context;
	context = g_hash_table_lookup(contexts->old, GSIZE_TO_POINTER(number));
	if (!context)
		return NULL;
	context = context_new(&context->ids, context->attributes);
	contexts_keep(contexts, number, context);
	return context;
}

void spt_contexts_none(SptContexts *contexts)
{
	contexts->last = NULL;
	contexts->lacks_last = false;
}

struct sysprof_sample *spt_contexts_cut(SptContexts *contexts,
					const struct sysprof_sample *sample)
{
	struct sysprof_sample *cut;
	const __u64 *last;
	size_t behind;

	spt_contexts_none(contexts);
	if (!(sample->record.flags & SYSPROF_SAMPLE_THREAD) || !sample->n_user)
		return NULL;
	last = sample->frames + sample->n_kernel + sample->n_user - 1;
	/* Where frames were cut, it was the first one to go. */
	if ((*last & SYSPROF_FRAME_SCRIPT) != SYSPROF_FRAME_SCRIPT)
		return NULL;
	contexts->last = contexts_find(contexts, *last);
	contexts->lacks_last = !contexts->last;
	cut = g_memdup2(sample, sample->record.size * 8u);
	behind = (size_t)((const __u64 *)sample + sample->record.size - (last + 1));
	memmove(cut->frames + cut->n_kernel + cut->n_user - 1, last + 1, behind * sizeof(*last));
	cut->n_user--;
	cut->record.size--;
	return cut;
}

/* A recording without any has no such kind. */
static void contexts_declare(SptContexts *contexts, bool is_wait)
{
	if (contexts->is_declared[is_wait])
		return;
	contexts->is_declared[is_wait] = true;
	spt_output_put(contexts->output, SPT_ROW_DECLARATION,
		       &(SptDeclarationRow){
			       .id = FIRST_KIND + is_wait,
			       .shape = SPT_DECLARED_INSTANT,
			       .name = is_wait ? SPT_LINKS_OF_WAITS : SPT_LINKS_OF_CPU,
			       .title = is_wait ? "Waits of spans" : "CPU time of spans",
			       .n_fields = 4,
			       .fields = { { SPT_LINKS_TRACE, "", SPT_VALUE_TEXT },
					   { SPT_LINKS_SPAN, "", SPT_VALUE_TEXT },
					   { "time", "", SPT_VALUE_NS },
					   { SPT_LINKS_ATTRIBUTES, "", SPT_VALUE_TEXT } } });
}

void spt_contexts_put(SptContexts *contexts, bool is_wait, uint64_t time, uint32_t cpu,
		      uint32_t thread, uint32_t node, uint64_t ns)
{
	char trace[SPT_TRACE_TEXT_BYTES], span[SPT_SPAN_TEXT_BYTES];

	contexts->lost += contexts->lacks_last;
	contexts->lacks_last = false;
	if (!contexts->last)
		return;
	contexts_declare(contexts, is_wait);
	spt_thread_context_text(&contexts->last->ids, trace, span);
	spt_output_put(contexts->output, SPT_ROW_DECLARED,
		       &(SptDeclaredRow){ .time = time,
					  .kind = FIRST_KIND + is_wait,
					  .cpu = cpu,
					  .thread = thread,
					  .node = node,
					  .values = { { .text = trace },
						      { .text = span },
						      { .number = ns },
						      { .text = contexts->last->attributes } } });
	contexts->last = NULL;
}

uint64_t spt_contexts_lost(const SptContexts *contexts)
{
	return contexts->lost;
}

static void contexts_note(void *part, SptOutput *output)
{
	const SptContexts *contexts = part;
	g_autofree char *value = g_strdup_printf("%" G_GUINT64_FORMAT, (guint64)contexts->lost);

	if (contexts->lost)
		spt_output_host(output, "spans_lost", value);
}

const SptStage spt_contexts_stage = {
	.note = contexts_note,
	.free = (GDestroyNotify)spt_contexts_free,
};
