/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The filter is made with the list and borrows its texts. */
#include "profile/restrictions.h"

#include <string.h>

#include "base/words.h"
#include "profile/command.h"
#include "profile/where-expression.h"
#include "profile/marks.h"

struct SptRestrictions {
	GArray *items;			/* SptRestriction; texts owned */
	SptFilter filter;
	SptExpression *where;
	bool *cpus;
	SptPattern *hidden, *root;	/* or NULL */
	SptShape shape;
};

void spt_restriction_clear(SptRestriction *restriction)
{
	g_free((char *)restriction->text);
	g_free((char *)restriction->category);
	g_free((bool *)restriction->processes);
	spt_moments_free(restriction->moments);
}

static void clear_item(gpointer data)
{
	spt_restriction_clear(data);
}

static SptRestrictions *new_list(void)
{
	SptRestrictions *list = g_atomic_rc_box_new0(SptRestrictions);

	list->items = g_array_new(FALSE, FALSE, sizeof(SptRestriction));
	g_array_set_clear_func(list->items, clear_item);
	return list;
}

static void append(SptRestrictions *list, const SptRestriction *item)
{
	SptRestriction copy = *item;

	copy.text = g_strdup(item->text);
	copy.category = g_strdup(item->category);
	if (item->moments)
		copy.moments = spt_moments_ref(item->moments);
	copy.processes = g_memdup2(item->processes, item->n_processes * sizeof(bool));
	g_array_append_val(list->items, copy);
}

static void append_word(GString *expression, const char *name)
{
	g_autofree char *word = spt_expression_quote(name);

	g_string_append_printf(expression, "%s%s", expression->len ? " and " : "", word);
}

static void add_to_filter(SptRestrictions *list, const SptRestriction *item, GString *expression)
{
	SptFilter *filter = &list->filter;

	switch (item->kind) {
	case SPT_RESTRICT_TIME:
		filter->begin_ns = item->begin_ns;
		filter->end_ns = item->end_ns;
		break;
	case SPT_RESTRICT_PROCESS:
		filter->process = item->text;
		break;
	case SPT_RESTRICT_THREAD:
		filter->thread = item->text;
		break;
	case SPT_RESTRICT_CPU:
		filter->n_cpus = MIN(item->number, SPT_RESTRICTION_MAX_CPU) + 1;
		list->cpus = g_new0(bool, filter->n_cpus);
		list->cpus[filter->n_cpus - 1] = true;
		filter->cpus = list->cpus;
		break;
	case SPT_RESTRICT_SIDE:
		filter->side = (SptSide)item->number;
		break;
	case SPT_RESTRICT_FUNCTION:
		append_word(expression, item->text);
		break;
	case SPT_RESTRICT_OBJECT:
		filter->object = item->text;
		break;
	case SPT_RESTRICT_LANGUAGE:
		filter->language = item->text;
		break;
	case SPT_RESTRICT_CATEGORY:
		filter->category = item->text;
		filter->categories = item->categories;
		break;
	case SPT_RESTRICT_COMMAND:
		filter->processes = item->processes;
		break;
	case SPT_RESTRICT_HIDDEN:
		break;
	case SPT_RESTRICT_ROOT:
		filter->root = list->root = spt_pattern_new_names(&item->text, 1);
		break;
	case SPT_RESTRICT_MARK:
		filter->moments = item->moments;
		break;
	}
}

static void make_shape(SptRestrictions *list)
{
	g_autoptr(GPtrArray) hidden = g_ptr_array_new();

	for (unsigned i = 0; i < list->items->len; i++) {
		const SptRestriction *item = &g_array_index(list->items, SptRestriction, i);

		if (item->kind == SPT_RESTRICT_HIDDEN)
			g_ptr_array_add(hidden, (gpointer)item->text);
	}
	if (hidden->len)
		list->hidden = spt_pattern_new_names((const char *const *)hidden->pdata,
						     hidden->len);
	list->shape = (SptShape){ .hidden = list->hidden, .root = list->root };
}

static SptRestrictions *finish(SptRestrictions *list)
{
	g_autoptr(GString) expression = g_string_new(NULL);

	for (unsigned i = 0; i < list->items->len; i++)
		add_to_filter(list, &g_array_index(list->items, SptRestriction, i), expression);
	if (expression->len)
		list->filter.where = list->where = spt_expression_parse(expression->str, NULL);
	make_shape(list);
	return list;
}

SptRestrictions *spt_restrictions_new(void)
{
	return new_list();
}

SptRestrictions *spt_restrictions_ref(SptRestrictions *restrictions)
{
	return g_atomic_rc_box_acquire(restrictions);
}

static void clear_list(gpointer data)
{
	SptRestrictions *list = data;

	g_array_unref(list->items);
	g_clear_pointer(&list->where, spt_expression_free);
	g_free(list->cpus);
	g_clear_pointer(&list->hidden, spt_pattern_free);
	g_clear_pointer(&list->root, spt_pattern_free);
}

void spt_restrictions_unref(SptRestrictions *restrictions)
{
	g_atomic_rc_box_release_full(restrictions, clear_list);
}

static bool replaces(const SptRestriction *item, const SptRestriction *old)
{
	return item->kind == old->kind &&
	       ((item->kind != SPT_RESTRICT_FUNCTION && item->kind != SPT_RESTRICT_HIDDEN) ||
		strcmp(item->text, old->text) == 0);
}

SptRestrictions *spt_restrictions_add(const SptRestrictions *restrictions,
				      const SptRestriction *restriction)
{
	SptRestrictions *list = new_list();

	for (unsigned i = 0; i < restrictions->items->len; i++) {
		const SptRestriction *old = spt_restrictions_get(restrictions, i);

		if (!replaces(restriction, old))
			append(list, old);
	}
	if (list->items->len < SPT_RESTRICTIONS_MAX)
		append(list, restriction);
	return finish(list);
}

SptRestrictions *spt_restrictions_remove(const SptRestrictions *restrictions, uint32_t index)
{
	SptRestrictions *list = new_list();

	for (unsigned i = 0; i < restrictions->items->len; i++) {
		if (i != index)
			append(list, spt_restrictions_get(restrictions, i));
	}
	return finish(list);
}

SptRestrictions *spt_restrictions_without(const SptRestrictions *restrictions,
					  SptRestrictionKind kind)
{
	SptRestrictions *list = new_list();

	for (unsigned i = 0; i < restrictions->items->len; i++) {
		if (spt_restrictions_get(restrictions, i)->kind != kind)
			append(list, spt_restrictions_get(restrictions, i));
	}
	return finish(list);
}

uint32_t spt_restrictions_n(const SptRestrictions *restrictions)
{
	return restrictions->items->len;
}

const SptRestriction *spt_restrictions_get(const SptRestrictions *restrictions, uint32_t index)
{
	return &g_array_index(restrictions->items, SptRestriction, index);
}

const SptRestriction *spt_restrictions_find(const SptRestrictions *restrictions,
					    SptRestrictionKind kind)
{
	for (unsigned i = 0; i < restrictions->items->len; i++) {
		if (spt_restrictions_get(restrictions, i)->kind == kind)
			return spt_restrictions_get(restrictions, i);
	}
	return NULL;
}

const SptFilter *spt_restrictions_filter(const SptRestrictions *restrictions)
{
	return restrictions->items->len ? &restrictions->filter : NULL;
}

const SptShape *spt_restrictions_shape(const SptRestrictions *restrictions)
{
	return &restrictions->shape;
}

/* The next restriction at *@at or later that shapes stacks, or NULL. */
static const SptRestriction *next_of_shape(const SptRestrictions *restrictions, uint32_t *at)
{
	while (*at < restrictions->items->len) {
		const SptRestriction *item = spt_restrictions_get(restrictions, (*at)++);

		if (item->kind == SPT_RESTRICT_HIDDEN || item->kind == SPT_RESTRICT_ROOT)
			return item;
	}
	return NULL;
}

bool spt_restrictions_have_same_shape(const SptRestrictions *a, const SptRestrictions *b)
{
	uint32_t a_at = 0, b_at = 0;

	while (true) {
		const SptRestriction *of_a = next_of_shape(a, &a_at);
		const SptRestriction *of_b = next_of_shape(b, &b_at);

		if (!of_a || !of_b)
			return of_a == of_b;
		if (of_a->kind != of_b->kind || strcmp(of_a->text, of_b->text) != 0)
			return false;
	}
}

/* False: nothing restricts to roots of this kind. */
static bool restriction_to_root(const SptGroupRow *root, SptRoots roots,
				const SptCategories *categories, SptRestriction *ret)
{
	if (roots == SPT_ROOTS_BY(SPT_GROUP_PROCESS))
		ret->text = g_strdup_printf("%u", root->pid);
	else if (roots == SPT_ROOTS_BY(SPT_GROUP_THREAD))
		*ret = (SptRestriction){ .kind = SPT_RESTRICT_THREAD,
					 .text = g_strdup_printf("%u", root->tid) };
	else if (roots == SPT_ROOTS_BY(SPT_GROUP_CPU))
		*ret = (SptRestriction){ .kind = SPT_RESTRICT_CPU, .number = root->cpu };
	else if (roots == SPT_ROOTS_BY(SPT_GROUP_OBJECT))
		*ret = (SptRestriction){ .kind = SPT_RESTRICT_OBJECT,
					 .text = g_strdup(root->name) };
	else if (strcmp(spt_roots_name(roots), "language") == 0)
		*ret = (SptRestriction){ .kind = SPT_RESTRICT_LANGUAGE,
					 .text = g_strdup(root->name) };
	else if (roots == SPT_ROOTS_CATEGORY && categories)
		*ret = (SptRestriction){ .kind = SPT_RESTRICT_CATEGORY,
					 .text = g_strdup(root->name),
					 .categories = categories };
	else
		return false;
	return true;
}

bool spt_restriction_to(const SptProfile *profile, uint32_t function,
			const SptCategories *categories, SptRestriction *ret)
{
	uint32_t n;
	const SptFunction *only = &spt_profile_functions(profile, &n)[function];
	SptRoots roots;
	const SptGroupRow *root;

	*ret = (SptRestriction){ 0 };
	if (function >= n)
		return false;
	root = spt_profile_root(profile, function, &roots);
	*ret = (SptRestriction){ .kind = only->is_process ? SPT_RESTRICT_PROCESS :
							    SPT_RESTRICT_FUNCTION };
	if (root)
		return restriction_to_root(root, roots, categories, ret);
	ret->text = g_strdup(only->name);
	return true;
}

bool spt_restriction_to_command(const SptCapture *capture, SptRestriction *ret)
{
	g_autofree char *name = spt_command_name(capture);
	bool *processes = name ? spt_command_processes(capture) : NULL;

	if (!processes)
		return false;
	*ret = (SptRestriction){ .kind = SPT_RESTRICT_COMMAND,
				 .text = g_steal_pointer(&name),
				 .processes = processes,
				 .n_processes = MAX(capture->n_processes, 1) };
	return true;
}

bool spt_restriction_to_mark(const SptCapture *capture, const SptMarkQuery *marks,
			     SptRestriction *ret)
{
	SptMoments *moments = spt_marks_moments(capture, marks, false);

	if (!moments)
		return false;
	*ret = (SptRestriction){ .kind = SPT_RESTRICT_MARK,
				 .text = g_strdup(marks->exact_name),
				 .category = g_strdup(marks->category),
				 .begin_ns = marks->least_ns,
				 .end_ns = marks->below_ns,
				 .moments = moments };
	return true;
}

static double seconds_from(uint64_t start_ns, uint64_t time)
{
	return time > start_ns ? (double)(time - start_ns) / 1e9 : 0;
}

static double milliseconds(uint64_t ns)
{
	return (double)ns / 1e6;
}

/* Marks of two categories may have one name. */
static char *describe_mark(const SptRestriction *mark)
{
	g_autofree char *name = mark->category && *mark->category ?
					g_strdup_printf("%s (%s)", mark->text, mark->category) :
					g_strdup(mark->text);

	if (mark->end_ns && mark->begin_ns)
		return g_strdup_printf(spt_words("within mark %s of %g ms to %g ms"), name,
				       milliseconds(mark->begin_ns), milliseconds(mark->end_ns));
	if (mark->end_ns)
		return g_strdup_printf(spt_words("within mark %s below %g ms"), name,
				       milliseconds(mark->end_ns));
	if (mark->begin_ns)
		return g_strdup_printf(spt_words("within mark %s of %g ms and longer"), name,
				       milliseconds(mark->begin_ns));
	return g_strdup_printf(spt_words("within mark %s"), name);
}

char *spt_restriction_describe(const SptRestriction *restriction, uint64_t start_ns)
{
	switch (restriction->kind) {
	case SPT_RESTRICT_TIME:
		return g_strdup_printf(spt_words("%.3f s to %.3f s"),
				       seconds_from(start_ns, restriction->begin_ns),
				       seconds_from(start_ns, restriction->end_ns));
	case SPT_RESTRICT_PROCESS:
		return g_strdup_printf(spt_words("process %s"), restriction->text);
	case SPT_RESTRICT_THREAD:
		return g_strdup_printf(spt_words("thread %s"), restriction->text);
	case SPT_RESTRICT_CPU:
		return g_strdup_printf(spt_words("CPU %u"), restriction->number);
	case SPT_RESTRICT_SIDE:
		return g_strdup(restriction->number == SPT_SIDE_KERNEL ?
					spt_words("in the kernel") :
					spt_words("outside the kernel"));
	case SPT_RESTRICT_OBJECT:
		return g_strdup_printf(spt_words("in %s"), restriction->text);
	case SPT_RESTRICT_LANGUAGE:
		return g_strdup_printf(spt_words("language %s"), restriction->text);
	case SPT_RESTRICT_CATEGORY:
		return g_strdup_printf(spt_words("category %s"), restriction->text);
	case SPT_RESTRICT_COMMAND:
		return g_strdup_printf(spt_words("command %s"), restriction->text);
	case SPT_RESTRICT_HIDDEN:
		return g_strdup_printf(spt_words("hiding %s"), restriction->text);
	case SPT_RESTRICT_ROOT:
		return g_strdup_printf(spt_words("from %s on"), restriction->text);
	case SPT_RESTRICT_MARK:
		return describe_mark(restriction);
	default:
		return g_strdup_printf(spt_words("with %s"), restriction->text);
	}
}
