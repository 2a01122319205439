/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Durations of all marks of a name are kept for its median. */
#include "profile/marks.h"

#include <string.h>

#include "base/words.h"
#include "profile/glob.h"
#include "profile/selection.h"

struct summed {
	SptMarkSums sums;
	GArray *durations;		/* uint64_t */
};

struct summing {
	const SptCapture *capture;
	SptMarksBy by;
	GHashTable *by_name;		/* "name\ncategory" -> struct summed, in @all */
	GPtrArray *all;
};

bool spt_marks_are_in(const SptCapture *capture)
{
	const SptDeclared *kind;

	for (unsigned i = 0; (kind = spt_declared(capture, i)); i++)
		if (kind->shape == SPT_DECLARED_INTERVAL && kind->rows)
			return true;
	return false;
}

/* The value of the text field @name; @missing without one. */
static const char *text_of(const SptDeclared *kind, const SptDeclaredRow *row, const char *name,
			   const char *missing)
{
	unsigned field;

	if (!spt_declared_find_field(kind, name, &field) ||
	    kind->fields[field].type != SPT_VALUE_TEXT)
		return missing;
	return row->values[field].text;
}

static bool is_called(const SptMarkQuery *query, const char *name, const char *category)
{
	return (!query->name || spt_glob_match(query->name, name)) &&
	       (!query->exact_name || strcmp(query->exact_name, name) == 0) &&
	       (!query->category || strcmp(query->category, category) == 0);
}

static void each_of_kind(const SptCapture *capture, const SptDeclared *kind,
			 const SptMarkQuery *query, const struct spt_selection *selection,
			 SptMarkFunc func, void *data)
{
	g_autoptr(SptDeclaredReader) reader = spt_declared_reader_new(capture, kind);
	const SptDeclaredRow *rows;
	uint32_t n;

	while ((rows = spt_declared_reader_next(reader, &n)))
		for (uint32_t i = 0; i < n; i++) {
			const char *name = text_of(kind, &rows[i], "name", kind->name),
				   *category = text_of(kind, &rows[i], "category", "");

			if (rows[i].duration_ns >= query->least_ns &&
			    (!query->below_ns || rows[i].duration_ns < query->below_ns) &&
			    spt_selection_has_time(selection, rows[i].thread, rows[i].time) &&
			    spt_selection_has_place(selection, rows[i].thread, rows[i].cpu) &&
			    is_called(query, name, category))
				func(name, category, &rows[i], data);
		}
}

void spt_marks_each(const SptCapture *capture, const SptMarkQuery *query, SptMarkFunc func,
		    void *data)
{
	struct spt_selection selection;
	const SptDeclared *kind;

	spt_selection_init(&selection, capture, query->filter);
	for (unsigned i = 0; (kind = spt_declared(capture, i)); i++)
		if (kind->shape == SPT_DECLARED_INTERVAL)
			each_of_kind(capture, kind, query, &selection, func, data);
	spt_selection_clear(&selection);
}

static void add_moment(G_GNUC_UNUSED const char *name, G_GNUC_UNUSED const char *category,
		       const SptDeclaredRow *row, void *data)
{
	SptMoments **moments = data;

	spt_moments_add(*moments, row->thread, row->time, row->time + row->duration_ns);
}

static void count_mark(G_GNUC_UNUSED const char *name, G_GNUC_UNUSED const char *category,
		       G_GNUC_UNUSED const SptDeclaredRow *row, void *data)
{
	(*(uint64_t *)data)++;
}

SptMoments *spt_marks_moments(const SptCapture *capture, const SptMarkQuery *query, bool is_of_all)
{
	SptMoments *moments;
	uint64_t n = 0;

	spt_marks_each(capture, query, count_mark, &n);
	if (!n)
		return NULL;
	moments = spt_moments_new(is_of_all);
	spt_marks_each(capture, query, add_moment, &moments);
	spt_moments_settle(moments);
	return moments;
}

static void summed_free(void *data)
{
	struct summed *summed = data;

	g_array_unref(summed->durations);
	g_free(summed);
}

/*
 * The same text for ever.  g_intern_string() keeps an older table of all texts for each 2,048 new
 * ones: two gigabytes for a million names.
 */
static const char *keep_mark_text(const char *text)
{
	return g_ref_string_new_intern(text);
}

static struct summed *find_summed(struct summing *summing, const char *name, const char *category)
{
	g_autofree char *key = g_strconcat(name, "\n", category, NULL);
	struct summed *summed = g_hash_table_lookup(summing->by_name, key);

	if (summed)
		return summed;
	if (summing->all->len >= SPT_MARK_NAMES && *category != '\n')
		return find_summed(summing, SPT_WORDS("[other marks]"), "\n");
	summed = g_new0(struct summed, 1);
	summed->sums.name = keep_mark_text(name);
	summed->sums.category = *category == '\n' ? "" : keep_mark_text(category);
	summed->durations = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	g_hash_table_insert(summing->by_name, g_steal_pointer(&key), summed);
	g_ptr_array_add(summing->all, summed);
	return summed;
}

/* "server (12)"; by its number, since a thread and its process can have one name. */
static char *describe_maker(const struct summing *summing, uint32_t thread)
{
	const SptCapture *capture = summing->capture;
	const SptProcessRow *process = spt_process_of_thread(capture, thread);
	const char *name = capture->threads[thread].name;

	if (!thread || !process)
		return g_strdup("[no thread]");
	if (summing->by == SPT_MARKS_BY_PROCESS || !name || !*name)
		name = spt_process_label(process);
	return g_strdup_printf("%s (%u)", name,
			       summing->by == SPT_MARKS_BY_PROCESS ? process->pid :
								     capture->threads[thread].tid);
}

static void sum_mark(const char *name, const char *category, const SptDeclaredRow *row, void *data)
{
	const struct summing *summing = data;
	g_autofree char *maker = summing->by >= SPT_MARKS_BY_THREAD ?
					 describe_maker(summing, row->thread) :
					 NULL;
	struct summed *summed =
		find_summed(data, maker ? maker : summing->by ? category : name,
			    summing->by ? "" : category);

	summed->sums.n++;
	summed->sums.sum_ns += row->duration_ns;
	g_array_append_val(summed->durations, row->duration_ns);
}

static int compare_durations(gconstpointer a, gconstpointer b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The @part of all that is not above it, in hundredths. */
static uint64_t percentile(const GArray *sorted, unsigned part)
{
	uint64_t at = ((uint64_t)sorted->len * part + 99) / 100;

	return g_array_index(sorted, uint64_t, at ? at - 1 : 0);
}

static SptMarkSums finish_sums(struct summed *summed)
{
	SptMarkSums sums = summed->sums;

	g_array_sort(summed->durations, compare_durations);
	sums.least_ns = percentile(summed->durations, 0);
	sums.median_ns = percentile(summed->durations, 50);
	sums.p99_ns = percentile(summed->durations, 99);
	sums.most_ns = percentile(summed->durations, 100);
	return sums;
}

static int compare_sums(gconstpointer a, gconstpointer b)
{
	const SptMarkSums *x = a, *y = b;
	int by_name = strcmp(x->name, y->name);

	if (x->sum_ns != y->sum_ns)
		return x->sum_ns < y->sum_ns ? 1 : -1;
	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return by_name ? by_name : strcmp(x->category, y->category);
}

bool spt_marks_find_by(const char *text, SptMarksBy *ret)
{
	static const char *const names[] = { [SPT_MARKS_BY_NAME] = "name",
					     [SPT_MARKS_BY_CATEGORY] = "category",
					     [SPT_MARKS_BY_THREAD] = "thread",
					     [SPT_MARKS_BY_PROCESS] = "process" };

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
		if (strcmp(names[i], text) == 0) {
			*ret = (SptMarksBy)i;
			return true;
		}
	return false;
}

GArray *spt_marks_sums(const SptCapture *capture, const SptMarkQuery *query, SptMarksBy by)
{
	GArray *found = g_array_new(FALSE, FALSE, sizeof(SptMarkSums));
	struct summing summing = {
		.capture = capture,
		.by = by,
		.by_name = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
		.all = g_ptr_array_new_with_free_func(summed_free),
	};

	spt_marks_each(capture, query, sum_mark, &summing);
	for (unsigned i = 0; i < summing.all->len; i++) {
		SptMarkSums sums = finish_sums(summing.all->pdata[i]);

		g_array_append_val(found, sums);
	}
	g_array_sort(found, compare_sums);
	g_hash_table_unref(summing.by_name);
	g_ptr_array_unref(summing.all);
	return found;
}
