/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds a function tree and lays it out for its readers: in breadth-first order, which puts a
 * node's children side by side and parents before them.
 */
#include "profile/tree.h"

#include <string.h>

#define FEW_SIBLINGS 16
#define FIRST_SLOTS 64
/* Number of nodes that are prefetched while one is moved. */
#define AHEAD 16

void spt_tree_builder_init(struct spt_tree_builder *builder, uint32_t root_function)
{
	SptTreeNode root = { .function = root_function };

	*builder = (struct spt_tree_builder){
		.nodes = g_array_new(FALSE, FALSE, sizeof(SptTreeNode)),
		.n_slots = FIRST_SLOTS,
	};
	builder->slots = g_new0(struct spt_tree_slot, builder->n_slots);
	g_array_append_val(builder->nodes, root);
}

void spt_tree_builder_clear(struct spt_tree_builder *builder)
{
	g_clear_pointer(&builder->nodes, g_array_unref);
	g_clear_pointer(&builder->slots, g_free);
}

/* Both numbers were given in order of appearance: nobody can choose them so that many collide. */
static uint32_t hash_child(uint32_t parent, uint32_t function)
{
	uint64_t x = ((uint64_t)parent << 32 | function) * 0x9e3779b97f4a7c15u;

	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	return (uint32_t)(x >> 32);
}

static void put_in_slot(struct spt_tree_slot *slots, uint32_t n_slots, struct spt_tree_slot slot)
{
	uint32_t at = slot.hash & (n_slots - 1);

	while (slots[at].node)
		at = (at + 1) & (n_slots - 1);
	slots[at] = slot;
}

static void grow_slots(struct spt_tree_builder *builder)
{
	uint32_t n_slots = builder->n_slots * 2;
	struct spt_tree_slot *slots = g_new0(struct spt_tree_slot, n_slots);

	for (uint32_t i = 0; i < builder->n_slots; i++)
		if (builder->slots[i].node)
			put_in_slot(slots, n_slots, builder->slots[i]);
	g_free(builder->slots);
	builder->slots = slots;
	builder->n_slots = n_slots;
}

uint32_t spt_tree_builder_child(struct spt_tree_builder *builder, uint32_t parent,
				uint32_t function)
{
	SptTreeNode node = { .parent = parent, .function = function };
	uint32_t hash = hash_child(parent, function), mask = builder->n_slots - 1;

	for (uint32_t at = hash & mask; builder->slots[at].node; at = (at + 1) & mask) {
		const SptTreeNode *known =
			&g_array_index(builder->nodes, SptTreeNode, builder->slots[at].node);

		if (builder->slots[at].hash == hash && known->parent == parent &&
		    known->function == function)
			return builder->slots[at].node;
	}
	if (builder->nodes->len > builder->n_slots / 2)
		grow_slots(builder);
	put_in_slot(builder->slots, builder->n_slots,
		    (struct spt_tree_slot){ hash, builder->nodes->len });
	g_array_append_val(builder->nodes, node);
	return builder->nodes->len - 1;
}

int spt_function_compare(const SptFunction *a, const SptFunction *b)
{
	int names = strcmp(a->name, b->name);

	return names ? names : strcmp(a->object, b->object);
}

/* A node in a list of siblings. */
struct sibling {
	uint64_t total;
	uint32_t function, node;
};

struct order {
	const SptFunction *functions;
	/* By function: its name's first bytes as a number, which sorts as they do; may be NULL */
	uint64_t *heads;
};

/* Names are spread over memory, and nearly all differ in their first bytes. */
static uint64_t *heads_of(const GArray *functions)
{
	uint64_t *heads = g_new(uint64_t, MAX(functions->len, 1));

	for (uint32_t i = 0; i < functions->len; i++) {
		const char *name = g_array_index(functions, SptFunction, i).name;
		char head[sizeof(*heads)] = { 0 };

		memcpy(head, name, strnlen(name, sizeof(head)));
		memcpy(&heads[i], head, sizeof(head));
		heads[i] = GUINT64_FROM_BE(heads[i]);
	}
	return heads;
}

static int compare_siblings(gconstpointer a, gconstpointer b, gpointer data)
{
	const struct order *order = data;
	const struct sibling *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	if (order->heads && order->heads[x->function] != order->heads[y->function])
		return order->heads[x->function] < order->heads[y->function] ? -1 : 1;
	return spt_function_compare(&order->functions[x->function], &order->functions[y->function]);
}

/* Most nodes have few siblings; a sort with callbacks and copies is slow for these. */
static void sort_siblings(struct sibling *siblings, uint32_t n, struct order *order)
{
	if (n > FEW_SIBLINGS) {
		g_qsort_with_data(siblings, (int)n, sizeof(*siblings), compare_siblings, order);
		return;
	}
	for (uint32_t i = 1; i < n; i++) {
		struct sibling sibling = siblings[i];
		uint32_t at = i;

		for (; at > 0 && compare_siblings(&siblings[at - 1], &sibling, order) > 0; at--)
			siblings[at] = siblings[at - 1];
		siblings[at] = sibling;
	}
}

/* The old number of the node at each new position: level by level, siblings sorted. */
static uint32_t *breadth_first(const SptTreeNode *nodes, uint32_t n, struct order *order)
{
	uint32_t *places = g_new(uint32_t, n);
	/* First and number of each node's children in @children */
	g_autofree uint32_t *first = g_new0(uint32_t, (size_t)n + 1);
	g_autofree struct sibling *children = g_new(struct sibling, n);
	g_autofree uint32_t *filled = NULL;
	uint32_t end = 1;

	for (uint32_t i = 1; i < n; i++)
		first[nodes[i].parent + 1]++;
	for (uint32_t i = 0; i < n; i++)
		first[i + 1] += first[i];
	filled = g_memdup2(first, (size_t)n * sizeof(*first));
	for (uint32_t i = 1; i < n; i++)
		children[filled[nodes[i].parent]++] =
			(struct sibling){ nodes[i].total, nodes[i].function, i };

	places[0] = 0;
	for (uint32_t at = 0; at < end; at++) {
		uint32_t begin = first[places[at]], count = first[places[at] + 1] - begin;

		sort_siblings(&children[begin], count, order);
		for (uint32_t i = 0; i < count; i++)
			places[end++] = children[begin + i].node;
	}
	return places;
}

GArray *spt_tree_builder_finish(struct spt_tree_builder *builder, const GArray *functions,
				uint32_t **ret_places)
{
	SptTreeNode *nodes = (SptTreeNode *)builder->nodes->data;
	uint32_t n = builder->nodes->len, next = 1;
	/* Not worth it for a few nodes */
	g_autofree uint64_t *heads = n > functions->len ? heads_of(functions) : NULL;
	struct order order = { (const SptFunction *)functions->data, heads };
	g_autofree uint32_t *olds = NULL;
	/* By the nodes' new positions */
	g_autofree uint32_t *parents = g_new0(uint32_t, n);
	GArray *tree;

	g_clear_pointer(&builder->slots, g_free);
	for (uint32_t i = 0; i < n; i++)
		nodes[i].total = nodes[i].self;
	for (uint32_t i = n - 1; i > 0; i--)
		nodes[nodes[i].parent].total += nodes[i].total;
	for (uint32_t i = 0; i < n; i++)
		nodes[i].n_children = 0;
	for (uint32_t i = 1; i < n; i++)
		nodes[nodes[i].parent].n_children++;

	olds = breadth_first(nodes, n, &order);
	tree = g_array_set_size(g_array_new(FALSE, FALSE, sizeof(SptTreeNode)), n);
	for (uint32_t i = 0; i < n; i++) {
		SptTreeNode node = nodes[olds[i]];

		if (i + AHEAD < n)
			__builtin_prefetch(&nodes[olds[i + AHEAD]]);
		node.parent = parents[i];
		node.first_child = node.n_children ? next : 0;
		for (uint32_t child = 0; child < node.n_children; child++)
			parents[next++] = i;
		g_array_index(tree, SptTreeNode, i) = node;
	}
	if (ret_places) {
		uint32_t *places = *ret_places = g_new(uint32_t, n);

		for (uint32_t i = 0; i < n; i++)
			places[olds[i]] = i;
	}
	return tree;
}

/* The children of @parent that have weight, sorted. */
static void sort_children(GArray *siblings, const SptTreeNode *nodes, const SptTreeNode *parent,
			  struct order *order)
{
	g_array_set_size(siblings, 0);
	for (uint32_t i = parent->first_child; i < parent->first_child + parent->n_children; i++) {
		struct sibling sibling = { nodes[i].total, nodes[i].function, i };

		if (sibling.total > 0)
			g_array_append_val(siblings, sibling);
	}
	sort_siblings((struct sibling *)siblings->data, siblings->len, order);
}

GArray *spt_tree_below(const SptTreeNode *nodes, uint32_t root, const SptFunction *functions)
{
	struct order order = { functions, NULL };
	/* By the nodes' new positions */
	g_autoptr(GArray) olds = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	g_autoptr(GArray) siblings = g_array_new(FALSE, FALSE, sizeof(struct sibling));
	GArray *tree = g_array_new(FALSE, FALSE, sizeof(SptTreeNode));
	SptTreeNode top = nodes[root];

	top.parent = 0;
	g_array_append_val(olds, root);
	g_array_append_val(tree, top);
	for (uint32_t at = 0; at < olds->len; at++) {
		sort_children(siblings, nodes, &nodes[g_array_index(olds, uint32_t, at)], &order);
		g_array_index(tree, SptTreeNode, at).first_child = siblings->len ? tree->len : 0;
		g_array_index(tree, SptTreeNode, at).n_children = siblings->len;
		for (uint32_t i = 0; i < siblings->len; i++) {
			uint32_t old = g_array_index(siblings, struct sibling, i).node;
			SptTreeNode node = nodes[old];

			node.parent = at;
			g_array_append_val(olds, old);
			g_array_append_val(tree, node);
		}
	}
	return tree;
}

uint32_t spt_tree_child(const SptTreeNode *nodes, uint32_t node, uint32_t function)
{
	for (uint32_t i = 0; i < nodes[node].n_children; i++) {
		if (nodes[nodes[node].first_child + i].function == function)
			return nodes[node].first_child + i;
	}
	return UINT32_MAX;
}

uint32_t spt_tree_find(const SptTreeNode *nodes, const SptTreeNode *others, uint32_t node)
{
	uint32_t parent;

	if (node == 0)
		return 0;
	parent = spt_tree_find(nodes, others, others[node].parent);
	return parent == UINT32_MAX ? parent : spt_tree_child(nodes, parent, others[node].function);
}

bool spt_walk_next(struct spt_walk *walk)
{
	const SptTreeNode *node = &walk->nodes[walk->node], *parent;

	if (!walk->leaving && node->n_children > 0) {
		walk->node = node->first_child;
		return true;
	}
	if (!walk->leaving) {
		walk->leaving = true;
		return true;
	}
	if (walk->node == 0)
		return false;
	parent = &walk->nodes[node->parent];
	if (walk->node + 1 < parent->first_child + parent->n_children) {
		walk->node++;
		walk->leaving = false;
	} else {
		walk->node = node->parent;
	}
	return true;
}
