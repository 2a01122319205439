// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chains that sessions hand over: checked, kept by build-id, and linked to the ids of the objects
 * that have it, as tables.c does it with unwind tables, whose owners these are.  Chains of files
 * that cannot be believed are for one object each, serve no session of another owner, and go with
 * the object.
 */
#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/uaccess.h>

#include "arch.h"
#include "chain.h"
#include "contexts.h"
#include "objects.h"
#include "program-quota.h"
#include "ranges.h"

#define MIN_BUILD_ID_BYTES 8
/* Of each kind: by build-id, and of single objects. */
#define CHAINS_OF_OWNER	   64
#define CHAIN_MAX_BYTES                                                                            \
	(sizeof(struct sysprof_chain_header) +                                                     \
	 SYSPROF_CHAIN_MAX_LOOPS * sizeof(struct sysprof_chain_loop) +                             \
	 SYSPROF_CHAIN_MAX_LISTS * sizeof(struct sysprof_chain_list) +                             \
	 SYSPROF_CHAIN_MAX_SPANS * sizeof(struct sysprof_chain_span) +                             \
	 SYSPROF_CHAIN_STEPS_MAX_INSNS * sizeof(struct sysprof_chain_insn))

/**
 * struct chain - one of an owner's
 * @list: in chains
 * @owner: of the tables
 * @for_everybody: it serves all sessions
 * @build_id_bytes: of @build_id; 0: it is for one object
 * @build_id: of the objects it is for
 * @object: the object it is for, if that is one
 * @payer: who mapped that first
 * @program: what it does
 */
struct chain {
	struct list_head list;
	const struct sysprof_tables *owner;
	bool for_everybody;
	u8 build_id_bytes;
	u8 build_id[SYSPROF_BUILD_ID_BYTES];
	u32 object;
	sysprof_payer payer;
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
/* Anybody can map files that state the build-id of a known interpreter. */
static DEFINE_HASHTABLE(links, 10);
u64 sysprof_chain_objects;
/* Of those, the ones with chains of steps, and of threads. */
static u64 linked_steps, threads_linked;

static atomic64_t last_number = ATOMIC64_INIT(0);

/* Protects all below, and changes of the above. */
static DEFINE_MUTEX(chains_lock);
static LIST_HEAD(chains);

/* The tick. */

u64 sysprof_chain_step_objects(void)
{
	/* Pairs with the release in chain_add_link(). */
	return smp_load_acquire(&linked_steps);
}

u64 sysprof_chain_thread_objects(void)
{
	return READ_ONCE(threads_linked);
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

static bool chain_is_of_file(const struct chain *chain)
{
	return !chain->build_id_bytes;
}

static bool chain_has_build_id(const struct chain *chain, const u8 *build_id, u8 bytes)
{
	return chain->build_id_bytes == bytes && !memcmp(chain->build_id, build_id, bytes);
}

/* An object that was named just now may be found twice.  False: there is no memory. */
static bool chain_add_link(const struct chain *chain, u32 object)
{
	struct link *link;

	lockdep_assert_held(&chains_lock);
	hash_for_each_possible(links, link, by_id, object)
		if (link->object == object && link->chain == chain)
			return true;
	link = kmalloc(sizeof(*link), GFP_KERNEL);
	if (!link)
		return false;
	link->object = object;
	link->chain = chain;
	hash_add_rcu(links, &link->by_id, object);
	/* Pair with the acquires of ticks: the memory for what they find is there, and cleared. */
	smp_store_release(&sysprof_chain_objects,
			  sysprof_chain_objects | sysprof_ranges_bit(object));
	if (chain->program.is_of_steps)
		/* As above. */
		smp_store_release(&linked_steps, linked_steps | sysprof_ranges_bit(object));
	if (chain->program.is_of_thread)
		WRITE_ONCE(threads_linked, threads_linked | sysprof_ranges_bit(object));
	return true;
}

/* Removes links of @owner; NULL: of all file objects except those whose bit is set in @kept. */
static void chain_remove_links(const struct sysprof_tables *owner, const unsigned long *kept)
{
	struct hlist_node *next;
	struct link *link;
	u64 left = 0, left_steps = 0, threads_left = 0;
	int i;

	lockdep_assert_held(&chains_lock);
	hash_for_each_safe(links, i, next, link, by_id) {
		if (owner ? link->chain->owner != owner :
			    link->object < SYSPROF_OBJECT_FIRST ||
				    (kept && test_bit(link->object, kept))) {
			left |= sysprof_ranges_bit(link->object);
			if (link->chain->program.is_of_steps)
				left_steps |= sysprof_ranges_bit(link->object);
			if (link->chain->program.is_of_thread)
				threads_left |= sysprof_ranges_bit(link->object);
			continue;
		}
		hash_del_rcu(&link->by_id);
		kfree_rcu(link, rcu);
	}
	WRITE_ONCE(sysprof_chain_objects, left);
	WRITE_ONCE(linked_steps, left_steps);
	WRITE_ONCE(threads_linked, threads_left);
}

static void chain_link_object(const struct sysprof_object *record, void *data)
{
	const struct chain *chain = data;

	/* An object without a build-id is not every file's. */
	if (!chain_is_of_file(chain) &&
	    chain_has_build_id(chain, record->build_id, record->build_id_bytes))
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

/* Chains. */

static struct sysprof_script *chain_script_of(int cpu)
{
	return per_cpu_ptr(&scripts, cpu)->memory[0];
}

/* Ticks use neither any more. */
static void chain_free_scripts(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (chain_script_of(cpu))
			sysprof_chain_recall_free(chain_script_of(cpu));
	sysprof_contexts_free(&scripts);
}

/* Frees chains to which no link leads. */
static void chain_free(struct list_head *gone)
{
	struct chain *chain, *next;

	lockdep_assert_held(&chains_lock);
	if (list_empty(gone))
		return;
	/* Ticks no longer use removed links. */
	synchronize_rcu();
	if (list_empty(&chains))
		chain_free_scripts();
	list_for_each_entry_safe(chain, next, gone, list)
		kfree(chain);
}

void sysprof_chain_keep_objects(const unsigned long *ids)
{
	struct chain *chain, *next;
	LIST_HEAD(gone);

	mutex_lock(&chains_lock);
	chain_remove_links(NULL, ids);
	list_for_each_entry_safe(chain, next, &chains, list)
		if (chain_is_of_file(chain) && !(ids && test_bit(chain->object, ids)))
			list_move(&chain->list, &gone);
	chain_free(&gone);
	mutex_unlock(&chains_lock);
}

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
	chain->program.number = atomic64_inc_return(&last_number);
	if (copy_from_user(chain->program.data, u64_to_user_ptr(from->chain), from->bytes))
		err = -EFAULT;
	else if (!sysprof_chain_check(&chain->program))
		err = -EINVAL;
	if (!err)
		return chain;
	kfree(chain);
	return ERR_PTR(err);
}

/* Ticks use the memory only for objects that have links. */
static int chain_alloc_scripts(void)
{
	int cpu, err;

	lockdep_assert_held(&chains_lock);
	if (!list_empty(&chains))
		return 0;
	err = sysprof_contexts_alloc(&scripts, sizeof(struct sysprof_script));
	for_each_possible_cpu(cpu) {
		if (err)
			break;
		/* NMIs come while it is used. */
		err = sysprof_chain_recall_alloc(chain_script_of(cpu), cpu_to_node(cpu));
	}
	if (err)
		chain_free_scripts();
	return err;
}

/* Whether @chain, by build-id, may be kept beside the others. */
static int chain_may_add(const struct chain *chain)
{
	const struct chain *other;
	u32 n = 0;

	lockdep_assert_held(&chains_lock);
	list_for_each_entry(other, &chains, list) {
		if (other->owner != chain->owner || chain_is_of_file(other))
			continue;
		if (chain_has_build_id(other, chain->build_id, chain->build_id_bytes))
			return -EEXIST;
		n++;
	}
	return n < CHAINS_OF_OWNER ? chain_alloc_scripts() : -ENOSPC;
}

/* Whether a chain serves this object and @owner's sessions. */
static bool chain_is_there(const struct sysprof_tables *owner, u32 object)
{
	const struct link *link;

	lockdep_assert_held(&chains_lock);
	hash_for_each_possible(links, link, by_id, object)
		if (link->object == object &&
		    (link->chain->for_everybody || link->chain->owner == owner))
			return true;
	return false;
}

/*
 * Whether there is room for @chain of an object.  However many files others have: they leave half
 * of the rest to who comes next, as with tables.
 */
static bool chain_has_room(const struct chain *chain)
{
	const struct chain *other;
	u32 n = 0, theirs = 0;

	lockdep_assert_held(&chains_lock);
	list_for_each_entry(other, &chains, list) {
		if (other->owner != chain->owner || !chain_is_of_file(other))
			continue;
		n++;
		theirs += other->payer == chain->payer;
	}
	if (chain->payer == SYSPROF_PAYER_ROOT || chain->payer == sysprof_quota_payer(current))
		return n < CHAINS_OF_OWNER;
	return theirs < (CHAINS_OF_OWNER - (n - theirs)) / 2;
}

/* Links @chain to the object of @file. */
static int chain_link_file(struct chain *chain, struct file *file, const struct inode *inode)
{
	int err;

	lockdep_assert_held(&chains_lock);
	chain->object = sysprof_objects_of_file(file, inode, &chain->payer);
	if (chain->object == SYSPROF_OBJECT_UNKNOWN)
		return -ENOENT;
	if (chain_is_there(chain->owner, chain->object))
		return -EEXIST;
	if (!chain_has_room(chain))
		return -ENOSPC;
	err = chain_alloc_scripts();
	if (err)
		return err;
	list_add_tail(&chain->list, &chains);
	if (chain_add_link(chain, chain->object))
		return 0;
	list_del(&chain->list);
	if (list_empty(&chains))
		chain_free_scripts();
	return -ENOMEM;
}

int sysprof_chain_add(const struct sysprof_tables *owner, bool for_everybody,
		      const struct sysprof_chain *from)
{
	struct chain *chain;
	int err;

	if (from->flags || from->build_id_bytes < MIN_BUILD_ID_BYTES ||
	    from->build_id_bytes > SYSPROF_BUILD_ID_BYTES || from->bytes > CHAIN_MAX_BYTES ||
	    from->fd || from->object || memchr_inv(from->reserved, 0, sizeof(from->reserved)))
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

int sysprof_chain_add_file(const struct sysprof_tables *owner, struct sysprof_chain *from,
			   struct file *file)
{
	const struct inode *inode;
	struct chain *chain;
	int err;

	if (from->flags != SYSPROF_CHAIN_OF_FILE || from->build_id_bytes ||
	    from->bytes > CHAIN_MAX_BYTES || from->object ||
	    memchr_inv(from->build_id, 0, sizeof(from->build_id)) ||
	    memchr_inv(from->reserved, 0, sizeof(from->reserved)) ||
	    !S_ISREG(file_inode(file)->i_mode))
		return -EINVAL;
	chain = chain_copy(owner, false, from);
	if (IS_ERR(chain))
		return PTR_ERR(chain);
	inode = sysprof_objects_inode(file);
	mutex_lock(&chains_lock);
	err = inode ? chain_link_file(chain, file, inode) : -ENOENT;
	from->object = chain->object;
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
	if (!list_empty(&dropped))
		/* Links lead to chains. */
		chain_remove_links(owner, NULL);
	chain_free(&dropped);
	mutex_unlock(&chains_lock);
}
