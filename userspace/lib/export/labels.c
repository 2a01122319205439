/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A user can make any number of control groups, with any names: sets are bounded, and those beyond
 * the bound are one.  What processes publish takes at most half of them, as that needs no right.
 */
#include "export/labels.h"

#include <string.h>

#include "base/words.h"
#include "profile/glob.h"

#define SETS_MAX	256
#define PUBLISHED_MAX	(SETS_MAX / 2)
#define VALUE_BYTES	256
#define SHORT_ID_DIGITS 12
#define PARENTS_MAX	16
#define LEFT_OUT	UINT_MAX

struct SptLabels {
	const SptCapture *capture;
	const SptLabelRules *rules;
	GHashTable *cgroups;		/* id of a process -> path; the capture's */
	GHashTable *numbers;		/* text of a set -> its number + 1 */
	SptLabelSource source;
	unsigned n_published;		/* sets with labels of a source */
	GHashTable *by_path;		/* path, and labels of a source -> number of its set + 1 */
	GPtrArray *sets;		/* SptLabelSet */
	GPtrArray *texts;		/* what they point to */
	unsigned *of_process;
};

static size_t key_bytes(const char *rule)
{
	return strcspn(rule, "=");
}

static bool is_key(const char *rule)
{
	size_t n = key_bytes(rule);

	return n > 0 && rule[n] == '=' &&
	       strspn(rule, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "._-/") == n;
}

const char *spt_label_rules_problem(const SptLabelRules *rules)
{
	const char *const *const lists[] = { rules->added, rules->only, rules->except };

	for (unsigned i = 0; i < G_N_ELEMENTS(lists); i++)
		for (const char *const *rule = lists[i]; rule && *rule; rule++)
			if (!is_key(*rule))
				return *rule;
	return NULL;
}

/* The text as one line, cut between characters. */
static const char *keep_value(SptLabels *labels, const char *text)
{
	char *line = spt_one_line(text);

	if (strlen(line) > VALUE_BYTES) {
		char *end = line + VALUE_BYTES;

		while ((*end & 0xc0) == 0x80)
			end--;
		*end = '\0';
	}
	g_ptr_array_add(labels->texts, line);
	return line;
}

static void add_label(SptLabels *labels, SptLabelSet *set, const char *key, const char *value)
{
	unsigned at = 0;

	if (!value || !*value)
		return;
	value = keep_value(labels, value);
	while (at < set->n && strcmp(set->labels[at].key, key) < 0)
		at++;
	if (at < set->n && strcmp(set->labels[at].key, key) == 0) {
		set->labels[at].value = value;
		return;
	}
	if (set->n == SPT_LABELS_MAX)
		return;
	memmove(&set->labels[at + 1], &set->labels[at], (set->n - at) * sizeof(set->labels[0]));
	set->labels[at] = (SptLabel){ key, value };
	set->n++;
}

static void add_rules(SptLabels *labels, SptLabelSet *set)
{
	const char *const *rule = labels->rules ? labels->rules->added : NULL;

	for (; rule && *rule; rule++) {
		char *key = g_strndup(*rule, key_bytes(*rule));

		g_ptr_array_add(labels->texts, key);
		add_label(labels, set, key, *rule + key_bytes(*rule) + 1);
	}
}

static bool labels_match(const SptLabelSet *set, const char *rule)
{
	g_autofree char *key = g_strndup(rule, key_bytes(rule));
	const char *value = spt_label_set_value(set, key);

	return value && spt_glob_match(rule + key_bytes(rule) + 1, value);
}

/* Of several patterns for a key one has to match; of several keys all. */
static bool labels_want(const SptLabelRules *rules, const SptLabelSet *set)
{
	const char *const *rule, *const *other;

	for (rule = rules ? rules->except : NULL; rule && *rule; rule++)
		if (labels_match(set, *rule))
			return false;
	for (rule = rules ? rules->only : NULL; rule && *rule; rule++) {
		bool is_met = false;

		for (other = rules->only; *other && !is_met; other++)
			is_met = strncmp(*rule, *other, key_bytes(*rule) + 1) == 0 &&
				 labels_match(set, *other);
		if (!is_met)
			return false;
	}
	return true;
}

static char *name_service(const char *unit, const char *container, const char *pod)
{
	if (container)
		return g_strdup_printf("container-%.*s", SHORT_ID_DIGITS, container);
	if (pod)
		return g_strdup_printf("pod-%s", pod);
	return g_strdup(unit ? unit : "system");
}

static SptLabelSet *make_set(SptLabels *labels, const char *path, bool is_kernel,
			     const SptLabelSet *published)
{
	SptLabelSet *set = g_new0(SptLabelSet, 1);
	g_autofree char *unit = path ? spt_cgroup_unit(path) : NULL,
			*container = path ? spt_cgroup_container(path) : NULL,
			*pod = path ? spt_cgroup_pod(path) : NULL,
			*service = is_kernel ? g_strdup("kernel") :
					       name_service(unit, container, pod);

	add_label(labels, set, "host.name", spt_capture_host(labels->capture, "host"));
	add_label(labels, set, "host.arch", spt_capture_host(labels->capture, "arch"));
	add_label(labels, set, "kernel.release", spt_capture_host(labels->capture, "kernel"));
	add_label(labels, set, "os.type", "linux");
	add_label(labels, set, "service.name", service);
	add_label(labels, set, "systemd.unit", container ? NULL : unit);
	add_label(labels, set, "container.id", container);
	add_label(labels, set, "k8s.pod.uid", pod);
	for (unsigned i = 0; published && i < published->n; i++)
		add_label(labels, set, published->labels[i].key, published->labels[i].value);
	add_rules(labels, set);
	return set;
}

static char *text_of_set(const SptLabelSet *set)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < set->n; i++)
		g_string_append_printf(text, "%s=%s\n", set->labels[i].key, set->labels[i].value);
	return g_string_free(text, FALSE);
}

static unsigned number_of_set(SptLabels *labels, const char *path, bool is_kernel,
			      const SptLabelSet *published)
{
	SptLabelSet *set = make_set(labels, path, is_kernel, published);
	g_autofree char *text = NULL;
	unsigned number;

	if (!labels_want(labels->rules, set)) {
		g_free(set);
		return LEFT_OUT;
	}
	if (labels->sets->len >= SETS_MAX - 1) {
		g_free(set);
		set = make_set(labels, NULL, false, NULL);
		add_label(labels, set, "service.name", "other");
	}
	text = text_of_set(set);
	number = GPOINTER_TO_UINT(g_hash_table_lookup(labels->numbers, text));
	if (number) {
		g_free(set);
		return number - 1;
	}
	g_ptr_array_add(labels->sets, set);
	labels->n_published += published != NULL;
	g_hash_table_insert(labels->numbers, g_steal_pointer(&text),
			    GUINT_TO_POINTER(labels->sets->len));
	return labels->sets->len - 1;
}

/* That of the nearest parent, if it had ended before its own could be read. */
static const char *cgroup_of(const SptLabels *labels, const SptProcessRow *process)
{
	const SptCapture *capture = labels->capture;

	for (unsigned i = 0; i < PARENTS_MAX; i++) {
		const char *path =
			g_hash_table_lookup(labels->cgroups, GUINT_TO_POINTER(process->id));

		if (path || !process->parent || process->parent >= capture->n_processes)
			return path;
		process = &capture->processes[process->parent];
	}
	return NULL;
}

static unsigned set_of_process(SptLabels *labels, const SptProcessRow *process)
{
	bool is_kernel = process->pid == 0 || process->flags & SPT_PROCESS_KTHREAD;
	const char *path = is_kernel ? NULL : cgroup_of(labels, process);
	const SptLabelSource *source = &labels->source;
	const SptLabelSet *published =
		!is_kernel && source->find ? source->find(process, source->data) : NULL;
	g_autofree char *text = published ? text_of_set(published) : NULL,
			*key = g_strconcat(is_kernel ? "" : path ? path : "/", "\n", text, NULL);
	gpointer number;

	if (g_hash_table_lookup_extended(labels->by_path, key, NULL, &number))
		return GPOINTER_TO_UINT(number) - 1;
	if (labels->n_published >= PUBLISHED_MAX)
		published = NULL;
	number = GUINT_TO_POINTER(number_of_set(labels, path, is_kernel, published) + 1);
	g_hash_table_insert(labels->by_path, g_steal_pointer(&key), number);
	return GPOINTER_TO_UINT(number) - 1;
}

SptLabels *spt_labels_new(const SptCapture *capture, const SptLabelRules *rules,
			  const SptLabelSource *source)
{
	SptLabels *labels = g_new0(SptLabels, 1);

	labels->capture = capture;
	labels->rules = rules;
	if (source)
		labels->source = *source;
	labels->cgroups = spt_capture_cgroups(capture);
	labels->numbers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	labels->by_path = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	labels->sets = g_ptr_array_new_with_free_func(g_free);
	labels->texts = g_ptr_array_new_with_free_func(g_free);
	labels->of_process = g_new(unsigned, MAX(capture->n_processes, 1));
	labels->of_process[0] = number_of_set(labels, NULL, false, NULL);
	for (uint32_t i = 1; i < capture->n_processes; i++)
		labels->of_process[i] = capture->processes[i].id ?
						set_of_process(labels, &capture->processes[i]) :
						labels->of_process[0];
	return labels;
}

void spt_labels_free(SptLabels *labels)
{
	if (!labels)
		return;
	g_hash_table_unref(labels->cgroups);
	g_hash_table_unref(labels->numbers);
	g_hash_table_unref(labels->by_path);
	g_ptr_array_unref(labels->sets);
	g_ptr_array_unref(labels->texts);
	g_free(labels->of_process);
	g_free(labels);
}

unsigned spt_labels_n_sets(const SptLabels *labels)
{
	return labels->sets->len;
}

const SptLabelSet *spt_labels_set(const SptLabels *labels, unsigned i)
{
	return labels->sets->pdata[i];
}

unsigned spt_labels_of(const SptLabels *labels, uint32_t process)
{
	return labels->of_process[process < labels->capture->n_processes ? process : 0];
}

const char *spt_labels_span_key(const SptLabels *labels, const SptProcessRow *process, unsigned key)
{
	const SptLabelSource *source = labels ? &labels->source : NULL;

	return source && process && source->find_key ?
		       source->find_key(process, key, source->data) :
		       NULL;
}

const char *spt_label_set_value(const SptLabelSet *set, const char *key)
{
	for (unsigned i = 0; i < set->n; i++)
		if (strcmp(set->labels[i].key, key) == 0)
			return set->labels[i].value;
	return NULL;
}
