/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groupings and their sums: each key is put into its group once, and one pass over the samples adds
 * up.
 */
#include "profile/groups.h"

#include <string.h>

#include "base/pairs.h"
#include "base/words.h"
#include "profile/allocations.h"
#include "profile/clients.h"
#include "profile/declared.h"
#include "profile/events.h"
#include "profile/languages.h"
#include "profile/mark-segments.h"
#include "profile/profile-private.h"
#include "profile/selection.h"
#include "profile/waits.h"

struct sums {
	const SptProfile *base;
	const SptGrouping *grouping;
	GArray *rows;			/* SptGroupRow */
	GHashTable *known;		/* a text for each group -> its number, from 1 */
	struct spt_pairs groups;	/* (key, 0) -> number, from 0 */
	uint32_t last_key, last;	/* of the row before; last: its number, UINT32_MAX: none */
};

static uint32_t key_of_thread(const SptProfile *base, uint64_t row)
{
	return base->sources[row].thread;
}

static SptGroupRow group_of_process(const SptProfile *base, uint32_t thread)
{
	const SptProcessRow *process = spt_process_of_thread(base->capture, thread);

	return (SptGroupRow){ .name = spt_process_label(process),
			      .pid = process ? process->pid : 0 };
}

static SptGroupRow group_of_thread(const SptProfile *base, uint32_t thread)
{
	const SptThreadRow *known = spt_thread_of_id(base->capture, thread);
	SptGroupRow group = group_of_process(base, thread);

	if (known) {
		group.tid = known->tid;
		group.name = known->name && *known->name     ? known->name :
			     known->tid == SPT_ID_EXITED ? "[exited]" :
							       group.name;
	}
	return group;
}

void spt_group_append_pattern(GString *to, const char *name)
{
	gsize begin = to->len;

	for (; *name; name++)
		if (!g_ascii_isdigit(*name))
			g_string_append_c(to, *name);
		else if (to->len == begin || to->str[to->len - 1] != '#')
			g_string_append_c(to, '#');
}

static SptGroupRow group_of_comm(const SptProfile *base, uint32_t thread)
{
	g_autoptr(GString) pattern = g_string_new(NULL);

	spt_group_append_pattern(pattern, group_of_thread(base, thread).name);
	return (SptGroupRow){ .name = g_intern_string(pattern->str) };
}

/* Of a capture of many hosts each is a process, whose children are what it ran. */
static SptGroupRow group_of_host(const SptProfile *base, uint32_t thread)
{
	const SptCapture *capture = base->capture;
	const SptProcessRow *process = spt_process_of_thread(capture, thread);
	const char *name = spt_capture_host(capture, "host");

	while (process && !(process->flags & SPT_PROCESS_HOST))
		process = process->parent ? &capture->processes[process->parent] : NULL;
	return (SptGroupRow){ .name = process ? spt_process_label(process) :
				      name    ? name :
						"[unknown]" };
}

static uint32_t key_of_cpu(const SptProfile *base, uint64_t row)
{
	return base->sources[row].cpu;
}

static SptGroupRow group_of_cpu(G_GNUC_UNUSED const SptProfile *base, uint32_t cpu)
{
	return (SptGroupRow){ .name = "", .cpu = cpu };
}

static uint32_t key_of_leaf(const SptProfile *base, uint64_t row)
{
	return base->rows[row].leaf;
}

static SptGroupRow group_of_object(const SptProfile *base, uint32_t leaf)
{
	const SptTreeNode *node = &g_array_index(base->tree, SptTreeNode, leaf);
	const SptFunction *function = &g_array_index(base->functions, SptFunction, node->function);

	return (SptGroupRow){ .name = function->is_process ? SPT_NO_STACK : function->object };
}

static uint32_t key_of_detail(const SptProfile *base, uint64_t row)
{
	return base->values ? base->values[row].detail : base->sources[row].detail;
}

static SptGroupRow group_of_state(G_GNUC_UNUSED const SptProfile *base, uint32_t detail)
{
	return (SptGroupRow){ .name = spt_wait_state_name(spt_wait_detail_state(detail)) };
}

static SptGroupRow group_of_waker(const SptProfile *base, uint32_t detail)
{
	uint32_t waker = spt_wait_detail_waker(detail);

	if (waker)
		return group_of_thread(base, waker);
	return (SptGroupRow){ .name = spt_wait_waker_name(detail) };
}

/* "12 threads": sorted by weight, as all groups are. */
static SptGroupRow group_of_parallelism(const SptProfile *base, uint32_t detail)
{
	static const char *const few[] = { "[not known]", "1 thread", "2 threads", "3 threads",
					   "4 threads",	  "5 threads", "6 threads", "7 threads",
					   "8 threads" };

	(void)base;
	if (detail < G_N_ELEMENTS(few))
		return (SptGroupRow){ .name = few[detail] };
	return (SptGroupRow){ .name = detail <= 16  ? "9 to 16 threads" :
				      detail <= 64  ? "17 to 64 threads" :
						      "more than 64 threads" };
}

static SptGroupRow group_of_context(G_GNUC_UNUSED const SptProfile *base, uint32_t detail)
{
	return (SptGroupRow){ .name = spt_context_name(detail) };
}

static SptGroupRow group_of_fault(G_GNUC_UNUSED const SptProfile *base, uint32_t detail)
{
	return (SptGroupRow){ .name = spt_fault_name(detail) };
}

static SptGroupRow group_of_holder(const SptProfile *base, uint32_t thread)
{
	return thread ? group_of_thread(base, thread) : (SptGroupRow){ .name = "[not known]" };
}

/* What lasts belongs to whom the thread worked for as it began. */
static uint32_t key_of_client(const SptProfile *base, uint64_t row)
{
	const struct spt_row_source *source = &base->sources[row];

	return spt_client_of(base->capture, source->thread,
			     source->time - MIN(spt_row_duration(base, row), source->time));
}

static uint32_t key_of_mark(const SptProfile *base, uint64_t row)
{
	const struct spt_row_source *source = &base->sources[row];

	return spt_mark_segment(base->capture, source->thread,
				source->time - MIN(spt_row_duration(base, row), source->time));
}

static SptGroupRow group_of_mark(const SptProfile *base, uint32_t number)
{
	return (SptGroupRow){ .name = spt_mark_segment_name(base->capture, number) };
}

static SptGroupRow group_of_leaf(const SptProfile *base, uint32_t leaf)
{
	const SptTreeNode *node = &g_array_index(base->tree, SptTreeNode, leaf);

	return (SptGroupRow){
		.name = g_array_index(base->functions, SptFunction, node->function).name
	};
}

static const SptFunction *function_of_leaf(const SptProfile *base, uint32_t leaf)
{
	const SptTreeNode *node = &g_array_index(base->tree, SptTreeNode, leaf);

	return &g_array_index(base->functions, SptFunction, node->function);
}

static SptGroupRow group_of_language(const SptProfile *base, uint32_t leaf)
{
	return (SptGroupRow){ .name = spt_languages_of_node(
				      (const SptTreeNode *)base->tree->data,
				      (const SptFunction *)base->functions->data, leaf) };
}

/*
 * In the tree the file's name is the caller of what was done with the file.  Both are names of
 * events: a wait in another call ends in a function.
 */
static SptGroupRow group_of_file(const SptProfile *base, uint32_t leaf)
{
	const SptTreeNode *node = &g_array_index(base->tree, SptTreeNode, leaf);

	if (!node->parent || !spt_function_is_event(function_of_leaf(base, leaf)) ||
	    spt_function_is_futex(function_of_leaf(base, leaf)))
		return (SptGroupRow){ .name = SPT_NO_FILE_KNOWN };
	return group_of_leaf(base, node->parent);
}

/* Of a wait, the lock of a program's that it was for. */
static SptGroupRow group_of_lock(const SptProfile *base, uint32_t leaf)
{
	const SptTreeNode *node = &g_array_index(base->tree, SptTreeNode, leaf);

	if (!(base->metric->parts & SPT_METRIC_HAS_STATE))
		return group_of_leaf(base, leaf);
	if (!node->parent || !spt_function_is_futex(function_of_leaf(base, leaf)))
		return (SptGroupRow){ .name = "[no lock known]" };
	return group_of_leaf(base, node->parent);
}

/* For slab memory the node that was requested, for pages the node that has them. */
static SptGroupRow group_of_memory_node(G_GNUC_UNUSED const SptProfile *base, uint32_t detail)
{
	static const char *const few[] = { "any node", "node 0", "node 1", "node 2", "node 3",
					   "node 4",   "node 5", "node 6", "node 7" };
	uint32_t node = spt_allocation_node(detail);

	return (SptGroupRow){ .name = node < G_N_ELEMENTS(few) ? few[node] : "node 8 and up" };
}

static SptGroupRow group_of_size(G_GNUC_UNUSED const SptProfile *base, uint32_t detail)
{
	return (SptGroupRow){ .name = spt_allocation_size_name(detail) };
}

static SptGroupRow group_of_lifetime(G_GNUC_UNUSED const SptProfile *base, uint32_t detail)
{
	return (SptGroupRow){ .name = spt_allocation_lifetime_name(detail) };
}

static SptGroupRow group_of_field(const SptProfile *base, uint32_t detail)
{
	return (SptGroupRow){ .name = spt_declared_value(base->capture, base->metric, detail) };
}

static const SptGrouping own_groupings[] = {
	[SPT_GROUP_PROCESS] = {
		.name = "process",
		.menu = SPT_WORDS("By Pr_ocess"),
		.root = "",
		.parts = SPT_GROUP_HAS_NAME | SPT_GROUP_HAS_PID,
		.key = key_of_thread,
		.group = group_of_process,
	},
	[SPT_GROUP_THREAD] = {
		.name = "thread",
		.menu = SPT_WORDS("By _Thread"),
		.root = SPT_WORDS("(thread)"),
		.parts = SPT_GROUP_HAS_NAME | SPT_GROUP_HAS_PID | SPT_GROUP_HAS_TID,
		.key = key_of_thread,
		.group = group_of_thread,
	},
	[SPT_GROUP_CPU] = {
		.name = "cpu",
		.menu = SPT_WORDS("By _CPU"),
		.root = SPT_WORDS("(CPU)"),
		.parts = SPT_GROUP_HAS_CPU,
		.needs = SPT_METRIC_HAS_CPU,
		.key = key_of_cpu,
		.group = group_of_cpu,
	},
	[SPT_GROUP_OBJECT] = {
		.name = "object",
		.note = " (of the innermost function)",
		.menu = SPT_WORDS("By _Object"),
		.root = SPT_WORDS("(object)"),
		.parts = SPT_GROUP_HAS_NAME,
		.key = key_of_leaf,
		.group = group_of_object,
	},
	{
		.name = "language",
		.menu = SPT_WORDS("By Lan_guage"),
		.root = SPT_WORDS("(language)"),
		.parts = SPT_GROUP_HAS_NAME,
		.key = key_of_leaf,
		.group = group_of_language,
	},
	{
		.name = "comm",
		.note = " (thread names, # for numbers)",
		.menu = SPT_WORDS("By Thread Na_me"),
		.root = SPT_WORDS("(threads)"),
		.parts = SPT_GROUP_HAS_NAME,
		.key = key_of_thread,
		.group = group_of_comm,
	},
	{
		.name = "client",
		.note = " (of servers)",
		.menu = SPT_WORDS("By Cl_ient"),
		.root = SPT_WORDS("(client)"),
		.parts = SPT_GROUP_HAS_NAME | SPT_GROUP_HAS_PID,
		.lacks = spt_clients_lack,
		.key = key_of_client,
		.group = group_of_process,
	},
	{
		.name = "mark",
		.note = " (innermost)",
		.menu = SPT_WORDS("_By Mark"),
		.root = SPT_WORDS("(mark)"),
		.parts = SPT_GROUP_HAS_NAME,
		.lacks = spt_mark_segments_lack,
		.key = key_of_mark,
		.group = group_of_mark,
	},
	{
		.name = "host",
		.root = SPT_WORDS("(host)"),
		.parts = SPT_GROUP_HAS_NAME,
		.key = key_of_thread,
		.group = group_of_host,
	},
	{
		.name = "state",
		.note = " (of waits)",
		.menu = SPT_WORDS("By St_ate"),
		.root = SPT_WORDS("(state)"),
		.parts = SPT_GROUP_HAS_NAME,
		.needs = SPT_METRIC_HAS_STATE,
		.key = key_of_detail,
		.group = group_of_state,
	},
	{
		.name = "waker",
		.note = " (who ended a wait)",
		.menu = SPT_WORDS("By Wa_ker"),
		.root = SPT_WORDS("(waker)"),
		.parts = SPT_GROUP_HAS_NAME | SPT_GROUP_HAS_PID | SPT_GROUP_HAS_TID,
		.needs = SPT_METRIC_HAS_WAKER,
		.key = key_of_detail,
		.group = group_of_waker,
	},
	{
		.name = "parallelism",
		.note = " (threads at a time)",
		.menu = SPT_WORDS("By _Parallelism"),
		.root = SPT_WORDS("(threads)"),
		.parts = SPT_GROUP_HAS_NAME,
		.needs = SPT_METRIC_HAS_PARALLELISM,
		.key = key_of_detail,
		.group = group_of_parallelism,
	},
	{
		.name = "vector",
		.note = " (which interrupt)",
		.menu = SPT_WORDS("By _Vector"),
		.root = SPT_WORDS("(vector)"),
		.parts = SPT_GROUP_HAS_NAME,
		.needs = SPT_METRIC_HAS_VECTOR,
		.key = key_of_leaf,
		.group = group_of_leaf,
	},
	{
		.name = "lock",
		.note = " (which one was waited for)",
		.menu = SPT_WORDS("By _Lock"),
		.root = SPT_WORDS("(lock)"),
		.parts = SPT_GROUP_HAS_NAME,
		.needs = SPT_METRIC_HAS_LOCK,
		.key = key_of_leaf,
		.group = group_of_lock,
	},
	{
		.name = "fault",
		.note = " (major, minor, or copy on write)",
		.menu = SPT_WORDS("By Fa_ult"),
		.root = SPT_WORDS("(fault)"),
		.parts = SPT_GROUP_HAS_NAME,
		.needs = SPT_METRIC_HAS_FAULT,
		.key = key_of_detail,
		.group = group_of_fault,
	},
	{
		.name = "device",
		.note = " (and operation of requests)",
		.menu = SPT_WORDS("By _Device"),
		.root = SPT_WORDS("(device)"),
		.parts = SPT_GROUP_HAS_NAME,
		.needs = SPT_METRIC_HAS_DEVICE,
		.key = key_of_leaf,
		.group = group_of_leaf,
	},
	{
		.name = "file",
		.note = " (of requests and of waits)",
		.menu = SPT_WORDS("By _File"),
		.root = SPT_WORDS("(file)"),
		.parts = SPT_GROUP_HAS_NAME,
		.needs = SPT_METRIC_HAS_FILE,
		.key = key_of_leaf,
		.group = group_of_file,
	},
	{
		.name = "holder",
		.note = " (who held the lock)",
		.menu = SPT_WORDS("By _Holder"),
		.root = SPT_WORDS("(holder)"),
		.parts = SPT_GROUP_HAS_NAME | SPT_GROUP_HAS_PID | SPT_GROUP_HAS_TID,
		.needs = SPT_METRIC_HAS_HOLDER,
		.key = key_of_detail,
		.group = group_of_holder,
	},
	{
		.name = "context",
		.note = " (what was interrupted)",
		.menu = SPT_WORDS("By Conte_xt"),
		.root = SPT_WORDS("(context)"),
		.parts = SPT_GROUP_HAS_NAME,
		.needs = SPT_METRIC_HAS_CONTEXT,
		.key = key_of_detail,
		.group = group_of_context,
	},
	{
		.name = "cache",
		.note = " (of the kernel's memory, or order of pages)",
		.menu = SPT_WORDS("By Cac_he"),
		.root = SPT_WORDS("(cache)"),
		.parts = SPT_GROUP_HAS_NAME,
		.needs = SPT_METRIC_HAS_CACHE,
		.key = key_of_leaf,
		.group = group_of_leaf,
	},
	{
		.name = "order",
		.menu = SPT_WORDS("By Or_der"),
		.root = SPT_WORDS("(order)"),
		.parts = SPT_GROUP_HAS_NAME,
		.needs = SPT_METRIC_HAS_ORDER,
		.key = key_of_leaf,
		.group = group_of_leaf,
	},
	{
		.name = "node",
		.note = " (NUMA)",
		.menu = SPT_WORDS("By _NUMA Node"),
		.root = SPT_WORDS("(node)"),
		.parts = SPT_GROUP_HAS_NAME,
		.needs = SPT_METRIC_HAS_NODE,
		.key = key_of_detail,
		.group = group_of_memory_node,
	},
	{
		.name = "size",
		.note = " (of allocations)",
		.menu = SPT_WORDS("By Si_ze"),
		.root = SPT_WORDS("(size)"),
		.parts = SPT_GROUP_HAS_NAME,
		.needs = SPT_METRIC_HAS_SIZE,
		.key = key_of_detail,
		.group = group_of_size,
	},
	{
		.name = "lifetime",
		.note = " (from allocation to free)",
		.menu = SPT_WORDS("By _Lifetime"),
		.root = SPT_WORDS("(lifetime)"),
		.parts = SPT_GROUP_HAS_NAME,
		.needs = SPT_METRIC_HAS_SIZE,
		.key = key_of_detail,
		.group = group_of_lifetime,
	},
	{
		.name = "field",
		.note = " (of events that programs declare: --by FIELD)",
		.menu = SPT_WORDS("By Fi_eld"),
		.root = SPT_WORDS("(field)"),
		.parts = SPT_GROUP_HAS_NAME,
		.needs = SPT_METRIC_HAS_FIELD,
		.key = key_of_detail,
		.group = group_of_field,
	},
};

static void add_of_kind(GArray *list, const SptEventKind *kind)
{
	const SptEventGrouping *of = kind->subject ? kind->subject->grouping : NULL;
	const SptGrouping grouping = {
		.name = of ? of->name : NULL,
		.note = of ? of->note : NULL,
		.menu = of ? of->menu : NULL,
		.root = of ? of->root : NULL,
		.parts = SPT_GROUP_HAS_NAME,
		.of = of,
		.key = key_of_leaf,
		.group = group_of_leaf,
	};

	/* Several kinds may share one. */
	for (unsigned i = 0; of && i < list->len; i++)
		if (g_array_index(list, SptGrouping, i).of == of)
			of = NULL;
	if (of)
		g_array_append_val(list, grouping);
}

/* All, made once. */
static const GArray *all_groupings(void)
{
	static GArray *groupings;
	const SptEventKind *kind;
	GArray *list;

	if (!g_once_init_enter(&groupings))
		return groupings;
	list = g_array_new(FALSE, FALSE, sizeof(SptGrouping));
	g_array_append_vals(list, own_groupings, G_N_ELEMENTS(own_groupings));
	for (unsigned i = 0; (kind = spt_event_kind(i)); i++)
		add_of_kind(list, kind);
	g_once_init_leave(&groupings, list);
	return list;
}

const SptGrouping *spt_grouping(unsigned kind)
{
	const GArray *groupings = all_groupings();

	return kind < groupings->len ? &g_array_index(groupings, SptGrouping, kind) : NULL;
}

bool spt_grouping_find(const char *name, SptGroupKind *ret_kind)
{
	const SptGrouping *grouping;
	unsigned kind = 0;

	while ((grouping = spt_grouping(kind)) && strcmp(grouping->name, name) != 0)
		kind++;
	*ret_kind = (SptGroupKind)kind;
	return grouping;
}

bool spt_grouping_fits(const SptGrouping *grouping, const SptMetric *metric)
{
	return (grouping->needs & ~metric->parts) == 0 &&
	       (!grouping->of || grouping->of == metric->grouping);
}

const char *spt_grouping_lacks(const SptGrouping *grouping, const SptCapture *capture)
{
	return grouping->lacks ? grouping->lacks(capture) : NULL;
}

char *spt_group_describe(const SptGroupRow *group, SptGroupKind kind, bool is_short)
{
	const SptGrouping *grouping = spt_grouping(kind);
	unsigned parts = grouping->parts;

	/* A context that ended a wait or held a lock, and is no thread. */
	if (grouping->needs & (SPT_METRIC_HAS_WAKER | SPT_METRIC_HAS_HOLDER) && !group->tid)
		return g_strdup(group->name);
	if (parts & SPT_GROUP_HAS_CPU)
		return g_strdup_printf("CPU %u", group->cpu);
	/* All of them together: the number says nothing. */
	if ((parts & SPT_GROUP_HAS_TID && group->tid == SPT_ID_EXITED) ||
	    (parts & SPT_GROUP_HAS_PID && group->pid == SPT_ID_EXITED))
		return g_strdup(group->name);
	if (parts & SPT_GROUP_HAS_TID && is_short)
		return g_strdup_printf("%s (%u)", group->name, group->tid);
	if (parts & SPT_GROUP_HAS_TID)
		return g_strdup_printf("%s (pid %u, tid %u)", group->name, group->pid, group->tid);
	if (parts & SPT_GROUP_HAS_PID)
		return g_strdup_printf(is_short ? "%s (%u)" : "%s (pid %u)", group->name,
				       group->pid);
	return g_strdup(group->name);
}

static uint32_t number_of(struct sums *sums, uint32_t group_key)
{
	const SptGroupRow row = sums->grouping->group(sums->base, group_key);
	g_autofree char *key = g_strdup_printf("%u %u %u %s", row.pid, row.tid, row.cpu, row.name);
	gpointer known = g_hash_table_lookup(sums->known, key);

	if (!known) {
		g_array_append_val(sums->rows, row);
		known = GUINT_TO_POINTER(sums->rows->len);
		g_hash_table_insert(sums->known, g_steal_pointer(&key), known);
	}
	return GPOINTER_TO_UINT(known) - 1;
}

static gint compare_rows(gconstpointer a, gconstpointer b)
{
	const SptGroupRow *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void begin(struct sums *sums, const SptProfile *base, SptGroupKind kind)
{
	*sums = (struct sums){
		.base = base,
		.grouping = spt_grouping(kind),
		.rows = g_array_new(FALSE, FALSE, sizeof(SptGroupRow)),
		.known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
		.last = UINT32_MAX,
	};
}

static void add(struct sums *sums, uint64_t row, uint64_t weight)
{
	uint32_t key = sums->grouping->key(sums->base, row);
	SptGroupRow *sum;

	if (key != sums->last_key || sums->last == UINT32_MAX) {
		uint32_t *group = spt_pairs_at(&sums->groups, key, 0);

		if (*group == UINT32_MAX)
			*group = number_of(sums, key);
		sums->last_key = key;
		sums->last = *group;
	}
	sum = &g_array_index(sums->rows, SptGroupRow, sums->last);
	sum->samples++;
	sum->weight += weight;
}

static GArray *end(struct sums *sums)
{
	spt_pairs_clear(&sums->groups);
	g_hash_table_unref(sums->known);
	g_array_sort(sums->rows, compare_rows);
	return sums->rows;
}

GArray *spt_groups_new(const SptProfile *base, const SptFilter *filter, SptGroupKind kind)
{
	g_autofree bool *wanted = spt_profile_choose_leaves(
		filter, (const SptTreeNode *)base->tree->data, base->tree->len,
		(const SptFunction *)base->functions->data, base->functions->len);
	struct spt_selection selection;
	struct sums sums;

	begin(&sums, base, kind);
	spt_selection_init(&selection, base->capture, filter);
	for (uint64_t i = 0; i < base->n_rows; i++) {
		uint64_t weight;

		if ((!wanted || wanted[base->rows[i].leaf]) &&
		    spt_row_is_selected(base, i, &selection, &weight))
			add(&sums, i, weight);
	}
	spt_selection_clear(&selection);
	return end(&sums);
}

void spt_groups_of_rows(const SptCapture *capture, const SptMetric *metric, const SptFilter *filter,
			const SptGroupKind *kinds, unsigned n_kinds, GArray **ret)
{
	g_autoptr(SptWeights) weights = spt_weights_new(capture, metric->source);
	g_autofree struct spt_row_source *sources = g_new(struct spt_row_source, SPT_WEIGHTS_BATCH);
	g_autofree struct spt_row_value *values = g_new(struct spt_row_value, SPT_WEIGHTS_BATCH);
	g_autofree struct sums *sums = g_new(struct sums, n_kinds);
	/* As much of a base as groups of rows need, for some rows at a time. */
	const SptProfile base = { .metric = metric, .capture = capture, .sources = sources,
				  .values = values };
	struct spt_selection selection;
	const SptWeightRow *rows;
	uint32_t n;

	for (unsigned k = 0; k < n_kinds; k++)
		begin(&sums[k], &base, kinds[k]);
	spt_selection_init(&selection, capture, filter);
	while ((rows = spt_weights_next(weights, &n))) {
		for (uint32_t i = 0; i < n; i++) {
			uint64_t weight;

			spt_row_put(&rows[i], &sources[i], &values[i]);
			if (!spt_row_is_selected(&base, i, &selection, &weight))
				continue;
			for (unsigned k = 0; k < n_kinds; k++)
				add(&sums[k], i, weight);
		}
	}
	spt_selection_clear(&selection);
	for (unsigned k = 0; k < n_kinds; k++)
		ret[k] = end(&sums[k]);
}
