/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report --json.  The keys are a contract with scripts (json.md): add some, but never rename one.
 */
#include "cmd.h"
#include "json.h"
#include "profile/categories.h"
#include "profile/groups.h"
#include "report.h"

static void add_function(SptJson *json, const SptFunction *function)
{
	spt_json_function(json, function->name, function->object);
}

static void add_functions(SptJson *json, const struct spt_report *report)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(report->profile, &n);
	g_autofree uint32_t *shown = spt_report_functions(report, &n);
	uint64_t all = spt_profile_total(report->profile);

	spt_json_array(json, "functions");
	for (uint32_t i = 0; i < n; i++) {
		const SptFunction *function = &functions[shown[i]];

		spt_json_object(json, NULL);
		add_function(json, function);
		spt_json_count(json, "self", function->self);
		spt_json_count(json, "total", function->total);
		spt_json_number(json, "self_pct", spt_percent(function->self, all));
		spt_json_number(json, "total_pct", spt_percent(function->total, all));
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

/* Recursion is bounded: folding cuts stacks that are too deep. */
static void add_tree_node(SptJson *json, const char *key, const struct spt_report *report,
			  const SptTreeNode *tree, uint32_t at)
{
	static const SptFunction root = { .name = "[all]", .object = "" };
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(report->profile, &n);
	const SptTreeNode *node = &tree[at];

	spt_json_object(json, key);
	add_function(json, at == 0 ? &root : &functions[node->function]);
	spt_json_count(json, "self", node->self);
	spt_json_count(json, "total", node->total);
	spt_json_array(json, "children");
	for (uint32_t i = 0; i < node->n_children; i++) {
		uint32_t child = node->first_child + i;

		if (tree[child].total > 0 &&
		    spt_percent(tree[child].total, tree[0].total) >= report->min_percent)
			add_tree_node(json, NULL, report, tree, child);
	}
	spt_json_end_array(json);
	spt_json_end_object(json);
}

static void add_edges(SptJson *json, const struct spt_report *report)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(report->profile, &n);
	g_autoptr(GArray) edges = spt_report_edges(report);
	uint64_t self, total;

	spt_profile_sums_of(report->profile, (const uint32_t *)report->members->data,
			    report->members->len, &self, &total);
	spt_json_text(json, "function", report->heading);
	spt_json_count(json, "self", self);
	spt_json_count(json, "total", total);
	spt_json_array(json, "members");
	for (unsigned i = 0; i < report->members->len; i++) {
		spt_json_object(json, NULL);
		add_function(json, &functions[g_array_index(report->members, uint32_t, i)]);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
	spt_json_array(json, report->kind == SPT_REPORT_CALLERS ? "callers" : "callees");
	for (unsigned i = 0; i < edges->len; i++) {
		const SptEdge *edge = &g_array_index(edges, SptEdge, i);

		spt_json_object(json, NULL);
		add_function(json, &functions[edge->function]);
		spt_json_count(json, "weight", edge->weight);
		spt_json_number(json, "pct",
				spt_percent(edge->weight, spt_profile_total(report->profile)));
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

static void add_categories(SptJson *json, const struct spt_report *report)
{
	spt_json_array(json, "categories");
	for (unsigned i = 0; i < report->categories->len; i++) {
		const SptCategoryWeight *category =
			&g_array_index(report->categories, SptCategoryWeight, i);

		spt_json_object(json, NULL);
		spt_json_text(json, "category", category->name);
		spt_json_count(json, "weight", category->weight);
		spt_json_number(json, "pct",
				spt_percent(category->weight, spt_profile_total(report->profile)));
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

/* Members that are not of the kind of group are not there. */
static void add_groups(SptJson *json, const struct spt_report *report)
{
	bool is_thread = g_str_equal(report->by, "thread"), is_cpu = g_str_equal(report->by, "cpu");

	spt_json_text(json, "by", report->by);
	spt_json_array(json, "groups");
	for (unsigned i = 0; i < report->groups->len; i++) {
		const SptGroupRow *row = &g_array_index(report->groups, SptGroupRow, i);

		spt_json_object(json, NULL);
		if (is_cpu)
			spt_json_count(json, "cpu", row->cpu);
		else
			spt_json_text(json, "name", row->name);
		if (is_thread || g_str_equal(report->by, "process"))
			spt_json_count(json, "pid", row->pid);
		if (is_thread)
			spt_json_count(json, "tid", row->tid);
		spt_json_count(json, "samples", row->samples);
		spt_json_count(json, "weight", row->weight);
		spt_json_number(json, "pct",
				spt_percent(row->weight, spt_profile_total(report->profile)));
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

void spt_report_print_json(const struct spt_report *report)
{
	SptJson *json = &(SptJson){ 0 };
	uint32_t n;

	spt_json_object(json, NULL);
	spt_json_text(json, "file", report->capture->path);
	spt_json_count(json, "samples", spt_profile_n_samples(report->profile));
	spt_json_count(json, "periods", spt_profile_total(report->profile));
	spt_json_count(json, "period_ns", spt_capture_period_ns(report->capture));
	spt_json_count(json, "lost", report->summary->lost);
	if (report->summary->budget > 0)
		spt_json_number(json, "sampled_pct",
				spt_percent(report->summary->delivered,
					    report->summary->delivered + report->summary->budget));
	switch (report->kind) {
	case SPT_REPORT_FUNCTIONS:
		add_functions(json, report);
		break;
	case SPT_REPORT_TREE:
		add_tree_node(json, "tree", report, spt_profile_tree(report->profile, &n), 0);
		break;
	case SPT_REPORT_CALLERS:
	case SPT_REPORT_CALLEES:
		add_edges(json, report);
		break;
	case SPT_REPORT_CATEGORIES:
		add_categories(json, report);
		break;
	case SPT_REPORT_GROUPS:
		add_groups(json, report);
		break;
	}
	spt_json_end_object(json);
}
