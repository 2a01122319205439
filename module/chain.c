// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chains that sessions hand over: checked, kept by build-id, and linked to the ids of the objects
 * that have it, as tables.c does it with unwind tables, whose owners these are.
 */
#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "arch.h"
#include "chain.h"
#include "contexts.h"
#include "objects.h"

#define MIN_BUILD_ID_BYTES 8
#define CHAINS_OF_OWNER	   64
#define CHAIN_MAX_BYTES                                                                            \
	(sizeof(struct sysprof_chain_header) +                                                     \
	 SYSPROF_CHAIN_MAX_LOOPS * sizeof(struct sysprof_chain_loop) +                             \
	 SYSPROF_CHAIN_MAX_LISTS * sizeof(struct sysprof_chain_list) +                             \
	 SYSPROF_CHAIN_MAX_SPANS * sizeof(struct sysprof_chain_span) +                             \
	 SYSPROF_CHAIN_MAX_INSNS * sizeof(struct sysprof_chain_insn))

/**
 * struct chain - one of an owner's
 * @list: in chains
 * @owner: of the tables
 * @for_everybody: it serves all sessions
 * @build_id_bytes: of @build_id
 * @build_id: of the objects it is for
 * @program: what it does
 */
struct chain {
	struct list_head list;
	const struct sysprof_tables *owner;
	bool for_everybody;
	u8 build_id_bytes;
	u8 build_id[SYSPROF_BUILD_ID_BYTES];
	struct sysprof_program program;
};

/**
 * struct link - an object that there is a chain for
 * @by_id: in links; RCU
 * @rcu: frees it
 * @object: id
 * @chain: the chain
 */
struct link {
	struct hlist_node by_id;
	struct rcu_head rcu;
	u32 object;
	const struct chain *chain;
};

static DEFINE_PER_CPU(struct sysprof_contexts, scripts);
static DEFINE_HASHTABLE(links, 6);
/* The low bits of the ids of objects that have links. */
static u64 linked;

/* Protects all below, and changes of the above. */
static DEFINE_MUTEX(chains_lock);
static LIST_HEAD(chains);

/* The tick. */

bool sysprof_chain_may_have(u32 object)
{
	return READ_ONCE(linked) >> (object & 63) & 1;
}

const struct sysprof_program *sysprof_chain_of(const struct sysprof_tables *own, u32 object)
{
	const struct sysprof_program *theirs = NULL;
	const struct link *link;

	hash_for_each_possible_rcu_notrace(links, link, by_id, object) {
		if (link->object != object)
			continue;
		if (link->chain->for_everybody)
			return &link->chain->program;
		if (link->chain->owner == own)
			theirs = &link->chain->program;
	}
	return theirs;
}

struct sysprof_script *sysprof_chain_script(void)
{
	return sysprof_contexts_this(&scripts);
}

/* Links. */

static bool chain_has_build_id(const struct chain *chain, const u8 *build_id, u8 bytes)
{
	return chain->build_id_bytes == bytes && !memcmp(chain->build_id, build_id, bytes);
}

/* An object that was named just now may be found twice.  Without memory it has no chain. */
static void chain_add_link(const struct chain *chain, u32 object)
{
	struct link *link;

	lockdep_assert_held(&chains_lock);
	hash_for_each_possible(links, link, by_id, object)
		if (link->object == object && link->chain == chain)
			return;
	link = kmalloc(sizeof(*link), GFP_KERNEL);
	if (!link)
		return;
	link->object = object;
	link->chain = chain;
	hash_add_rcu(links, &link->by_id, object);
	WRITE_ONCE(linked, linked | BIT_ULL(object & 63));
}

/* Removes links of @owner; NULL: of all file objects except those whose bit is set in @kept. */
static void chain_remove_links(const struct sysprof_tables *owner, const unsigned long *kept)
{
	struct hlist_node *next;
	struct link *link;
	u64 left = 0;
	int i;

	lockdep_assert_held(&chains_lock);
	hash_for_each_safe(links, i, next, link, by_id) {
		if (owner ? link->chain->owner != owner :
			    link->object < SYSPROF_OBJECT_FIRST ||
				    (kept && test_bit(link->object, kept))) {
			left |= BIT_ULL(link->object & 63);
			continue;
		}
		hash_del_rcu(&link->by_id);
		kfree_rcu(link, rcu);
	}
	WRITE_ONCE(linked, left);
}

static void chain_link_object(const struct sysprof_object *record, void *data)
{
	const struct chain *chain = data;

	if (chain_has_build_id(chain, record->build_id, record->build_id_bytes))
		chain_add_link(chain, record->object);
}

void sysprof_chain_named(const struct sysprof_object *record)
{
	struct chain *chain;

	mutex_lock(&chains_lock);
	list_for_each_entry(chain, &chains, list)
		chain_link_object(record, chain);
	mutex_unlock(&chains_lock);
}

void sysprof_chain_keep_objects(const unsigned long *ids)
{
	mutex_lock(&chains_lock);
	chain_remove_links(NULL, ids);
	mutex_unlock(&chains_lock);
}

/* Chains. */

static struct chain *chain_copy(const struct sysprof_tables *owner, bool for_everybody,
				const struct sysprof_chain *from)
{
	struct chain *chain = kzalloc(sizeof(*chain) + from->bytes, GFP_KERNEL_ACCOUNT);
	int err = 0;

	if (!chain)
		return ERR_PTR(-ENOMEM);
	chain->owner = owner;
	chain->for_everybody = for_everybody;
	chain->build_id_bytes = from->build_id_bytes;
	memcpy(chain->build_id, from->build_id, sizeof(chain->build_id));
	chain->program.bytes = from->bytes;
	if (copy_from_user(chain->program.data, u64_to_user_ptr(from->chain), from->bytes))
		err = -EFAULT;
	else if (!sysprof_chain_check(&chain->program))
		err = -EINVAL;
	if (!err)
		return chain;
	kfree(chain);
	return ERR_PTR(err);
}

/* Whether @chain may be kept beside the others. */
static int chain_may_add(const struct chain *chain)
{
	const struct chain *other;
	u32 n = 0;

	lockdep_assert_held(&chains_lock);
	list_for_each_entry(other, &chains, list) {
		if (other->owner != chain->owner)
			continue;
		if (chain_has_build_id(other, chain->build_id, chain->build_id_bytes))
			return -EEXIST;
		n++;
	}
	if (n >= CHAINS_OF_OWNER)
		return -ENOSPC;
	/* Ticks use the memory only for objects that have links. */
	return list_empty(&chains) ?
		       sysprof_contexts_alloc(&scripts, sizeof(struct sysprof_script)) :
		       0;
}

int sysprof_chain_add(const struct sysprof_tables *owner, bool for_everybody,
		      const struct sysprof_chain *from)
{
	struct chain *chain;
	int err;

	if (from->flags || from->build_id_bytes < MIN_BUILD_ID_BYTES ||
	    from->build_id_bytes > SYSPROF_BUILD_ID_BYTES || from->bytes > CHAIN_MAX_BYTES ||
	    memchr_inv(from->reserved, 0, sizeof(from->reserved)))
		return -EINVAL;
	chain = chain_copy(owner, for_everybody, from);
	if (IS_ERR(chain))
		return PTR_ERR(chain);
	mutex_lock(&chains_lock);
	err = chain_may_add(chain);
	if (!err) {
		list_add_tail(&chain->list, &chains);
		sysprof_objects_each(chain_link_object, chain);
	}
	mutex_unlock(&chains_lock);
	if (err)
		kfree(chain);
	return err;
}

void sysprof_chain_drop(const struct sysprof_tables *owner)
{
	struct chain *chain, *next;
	LIST_HEAD(dropped);

	mutex_lock(&chains_lock);
	list_for_each_entry_safe(chain, next, &chains, list)
		if (chain->owner == owner)
			list_move(&chain->list, &dropped);
	if (list_empty(&dropped)) {
		mutex_unlock(&chains_lock);
		return;
	}
	/* Links lead to chains. */
	chain_remove_links(owner, NULL);
	/* Ticks no longer use removed links. */
	synchronize_rcu();
	if (list_empty(&chains))
		sysprof_contexts_free(&scripts);
	mutex_unlock(&chains_lock);
	list_for_each_entry_safe(chain, next, &dropped, list)
		kfree(chain);
}
