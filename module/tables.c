// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unwind tables that sessions hand over: kept by build-id, and linked to the ids of the objects
 * that have it.  table.c has what is in one.
 *
 * A file states its build-id itself.  So tables of files that cannot be believed are for one object
 * each, and only for sessions that may see all (or for those of one user).  What is wrong in such a
 * file spoils the stacks of who executes it, and nothing else.  Its table goes with the object.
 *
 * A tick looks a frame up by its object's id, in everybody's tables and then in the session's own,
 * and remembers the rule in a cache of its CPU.  Links are added and removed under
 * a mutex.  Each change begins a new generation, in which remembered rules are invalid; removed
 * links are freed a grace period later.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/idr.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "chain.h"
#include "contexts.h"
#include "objects.h"
#include "program-quota.h"
#include "recall.h"
#include "regions.h"
#include "table.h"
#include "tables.h"

#define MIN_BUILD_ID_BYTES	8

static uint table_limit_mib = 32;
module_param(table_limit_mib, uint, 0444);
MODULE_PARM_DESC(table_limit_mib,
		 "memory that the unwind tables of one user, or of everybody, may take, MiB");

/**
 * struct link - an object that an owner has a table for
 * @by_id: in links; RCU
 * @rcu: frees it
 * @object: id
 * @owner: whose sessions use it; NULL: all
 * @table: of the owner's
 */
struct link {
	struct hlist_node by_id;
	struct rcu_head rcu;
	u32 object;
	const struct sysprof_tables *owner;
	const struct table *table;
};

/* Each is struct sysprof_found[1 << SYSPROF_FOUND_BITS]. */
DEFINE_PER_CPU(struct sysprof_contexts, sysprof_found_caches);
static DEFINE_HASHTABLE(links, 10);
u64 sysprof_tables_generation = 1;

/* Protects everything below, and changes of @by_id and @found above. */
static DEFINE_MUTEX(tables_lock);
static LIST_HEAD(owners);
static DEFINE_IDA(numbers);

/* The tick. */

static const struct table *table_of(const struct sysprof_tables *own, u32 object)
{
	const struct table *theirs = NULL;
	const struct link *link;

	hash_for_each_possible_rcu_notrace(links, link, by_id, object) {
		if (link->object != object)
			continue;
		if (!link->owner)
			return link->table;
		if (link->owner == own)
			theirs = link->table;
	}
	return theirs;
}

u64 sysprof_tables_function(u64 frame)
{
	const struct table *table = table_of(NULL, frame >> SYSPROF_FRAME_OBJECT_SHIFT);

	return table ? sysprof_table_function(table, frame & SYSPROF_FRAME_OFFSET_MASK) :
		       SYSPROF_FRAME_NOT_TOLD;
}

const struct sysprof_found *sysprof_finder_fill(const struct sysprof_finder *finder, u64 frame)
{
	struct sysprof_found *found = sysprof_finder_slot(finder, frame);
	const struct table *table;
	struct sysprof_row row = {};

	table = table_of(finder->own, frame >> SYSPROF_FRAME_OBJECT_SHIFT);
	if (table)
		sysprof_table_look_up(table, frame & SYSPROF_FRAME_OFFSET_MASK, &row);
	*found = (struct sysprof_found){
		.frame = frame,
		.tag = finder->tag,
		.rule = row.rule,
		.has_table = table != NULL,
		.is_region = sysprof_is_of_region(frame),
		.is_behind = row.is_behind,
		.is_signal_behind = row.is_signal_behind,
	};
	sysprof_found_prepare(found);
	return found;
}

/* Links. */

static void begin_generation(void)
{
	lockdep_assert_held(&tables_lock);
	/* Pairs with smp_load_acquire() in sysprof_finder_init(). */
	smp_store_release(&sysprof_tables_generation, sysprof_tables_generation + 1);
}

static bool has_build_id(const struct table *table, const struct sysprof_object *record)
{
	return record->build_id_bytes == table->build_id_bytes &&
	       !memcmp(record->build_id, table->build_id, table->build_id_bytes);
}

static const struct sysprof_tables *link_owner(const struct sysprof_tables *owner,
					       const struct table *table)
{
	return owner->for_everybody && table->build_id_bytes ? NULL : owner;
}

/* An object that was named just now may be found twice.  False: there is no memory. */
static bool add_link(const struct sysprof_tables *owner, const struct table *table, u32 object)
{
	struct link *link;

	lockdep_assert_held(&tables_lock);
	hash_for_each_possible(links, link, by_id, object)
		if (link->object == object && link->owner == link_owner(owner, table))
			return true;
	link = kmalloc(sizeof(*link), GFP_KERNEL);
	if (!link)
		return false;
	link->object = object;
	link->owner = link_owner(owner, table);
	link->table = table;
	hash_add_rcu(links, &link->by_id, object);
	return true;
}

static bool is_link_of(const struct link *link, const struct sysprof_tables *owner)
{
	return link->owner == owner || (owner->for_everybody && !link->owner);
}

/* Removes links of @owner; NULL: of all file objects except those whose bit is set in @kept. */
static void remove_links(const struct sysprof_tables *owner, const unsigned long *kept)
{
	struct hlist_node *next;
	struct link *link;
	int i;

	lockdep_assert_held(&tables_lock);
	hash_for_each_safe(links, i, next, link, by_id) {
		if (owner ? !is_link_of(link, owner) :
			    link->object < SYSPROF_OBJECT_FIRST ||
				    (kept && test_bit(link->object, kept)))
			continue;
		hash_del_rcu(&link->by_id);
		kfree_rcu(link, rcu);
	}
	begin_generation();
}

void sysprof_tables_named(const struct sysprof_object *record)
{
	const struct sysprof_tables *owner;
	const struct table *table;

	sysprof_chain_named(record);
	mutex_lock(&tables_lock);
	list_for_each_entry(owner, &owners, list)
		list_for_each_entry(table, &owner->tables, list)
			if (has_build_id(table, record)) {
				add_link(owner, table, record->object);
				begin_generation();
			}
	mutex_unlock(&tables_lock);
}

static u64 pages_of(const struct table *table)
{
	return ALIGN(table->bytes, PAGE_SIZE);
}

static void free_tables(struct list_head *tables)
{
	struct table *table, *next;

	list_for_each_entry_safe(table, next, tables, list)
		sysprof_table_free(table);
}

/* Moves the tables of objects whose bit is not set in @kept from @owner to @gone. */
static void take_out_files(struct sysprof_tables *owner, const unsigned long *kept,
			   struct list_head *gone)
{
	struct table *table, *next;

	lockdep_assert_held(&tables_lock);
	list_for_each_entry_safe(table, next, &owner->files, list) {
		if (kept && test_bit(table->object, kept))
			continue;
		owner->file_bytes -= pages_of(table);
		list_move(&table->list, gone);
	}
}

void sysprof_tables_keep_objects(const unsigned long *ids)
{
	struct sysprof_tables *owner;
	LIST_HEAD(gone);

	sysprof_chain_keep_objects(ids);
	mutex_lock(&tables_lock);
	remove_links(NULL, ids);
	list_for_each_entry(owner, &owners, list)
		take_out_files(owner, ids, &gone);
	mutex_unlock(&tables_lock);
	if (list_empty(&gone))
		return;
	/* Ticks no longer use removed links. */
	synchronize_rcu();
	free_tables(&gone);
}

/* Tables. */

/*
 * Bytes that the tables of one kind may take, while those of the other take @other_bytes.  Files of
 * strangers must not take everybody's room.
 */
static u64 limit_of(const struct sysprof_tables *tables, u64 other_bytes)
{
	u64 limit = (u64)table_limit_mib << 20;

	if (tables->for_everybody)
		return limit;
	return limit - min(limit, other_bytes);
}

static bool has_table(const struct sysprof_tables *tables, const struct sysprof_table *other)
{
	const struct table *table;

	list_for_each_entry(table, &tables->tables, list)
		if (table->build_id_bytes == other->build_id_bytes &&
		    !memcmp(table->build_id, other->build_id, other->build_id_bytes))
			return true;
	return false;
}

struct adding {
	const struct sysprof_tables *owner;
	const struct table *table;
};

static void link_object(const struct sysprof_object *record, void *data)
{
	const struct adding *adding = data;

	if (has_build_id(adding->table, record))
		add_link(adding->owner, adding->table, record->object);
}

int sysprof_tables_add(struct sysprof_tables *tables, const struct sysprof_table *from)
{
	struct table *table;
	int err = 0;

	if (from->flags || from->build_id_bytes < MIN_BUILD_ID_BYTES ||
	    from->build_id_bytes > SYSPROF_BUILD_ID_BYTES ||
	    from->bytes > SYSPROF_TABLE_MAX_BYTES || from->fd || from->object ||
	    memchr_inv(from->reserved, 0, sizeof(from->reserved)))
		return -EINVAL;
	table = sysprof_table_copy(from);
	if (IS_ERR(table))
		return PTR_ERR(table);
	mutex_lock(&tables_lock);
	if (has_table(tables, from)) {
		err = -EEXIST;
	} else if (tables->bytes + table->bytes > limit_of(tables, tables->file_bytes)) {
		err = -ENOSPC;
	} else {
		struct adding adding = { tables, table };

		list_add_tail(&table->list, &tables->tables);
		tables->bytes += table->bytes;
		sysprof_objects_each(link_object, &adding);
		begin_generation();
	}
	mutex_unlock(&tables_lock);
	if (err)
		sysprof_table_free(table);
	return err;
}

static bool tables_has_file(const struct sysprof_tables *tables, u32 object)
{
	const struct link *link;

	lockdep_assert_held(&tables_lock);
	hash_for_each_possible(links, link, by_id, object)
		if (link->object == object && (!link->owner || link->owner == tables))
			return true;
	return false;
}

/*
 * Whether there is room for @table.  However many files others have: they leave half of the rest to
 * who comes next.
 */
static bool has_room_for_file(const struct sysprof_tables *tables, const struct table *table)
{
	u64 limit = limit_of(tables, tables->bytes), bytes = pages_of(table), theirs = 0, rest;
	const struct table *other;

	lockdep_assert_held(&tables_lock);
	if (table->payer == SYSPROF_PAYER_ROOT || table->payer == sysprof_quota_payer(current))
		return tables->file_bytes + bytes <= limit;
	list_for_each_entry(other, &tables->files, list)
		if (other->payer == table->payer)
			theirs += pages_of(other);
	rest = limit - min(limit, tables->file_bytes - theirs);
	return theirs + bytes <= rest / 2;
}

/* Links @table to the object of @file, which becomes @tables' unless this fails. */
static int add_file(struct sysprof_tables *tables, struct table *table, struct file *file,
		    const struct inode *inode)
{
	lockdep_assert_held(&tables_lock);
	table->object = sysprof_objects_of_file(file, inode, &table->payer);
	if (table->object == SYSPROF_OBJECT_UNKNOWN)
		return -ENOENT;
	if (tables_has_file(tables, table->object))
		return -EEXIST;
	if (!has_room_for_file(tables, table))
		return -ENOSPC;
	if (!add_link(tables, table, table->object))
		return -ENOMEM;
	list_add_tail(&table->list, &tables->files);
	tables->file_bytes += pages_of(table);
	begin_generation();
	return 0;
}

int sysprof_tables_add_file(struct sysprof_tables *tables, struct sysprof_table *from,
			    struct file *file)
{
	const struct inode *inode;
	struct table *table;
	int err;

	if (from->flags != SYSPROF_TABLE_OF_FILE || from->build_id_bytes ||
	    from->bytes > SYSPROF_TABLE_MAX_BYTES || from->object ||
	    memchr_inv(from->build_id, 0, sizeof(from->build_id)) ||
	    memchr_inv(from->reserved, 0, sizeof(from->reserved)) ||
	    !S_ISREG(file_inode(file)->i_mode))
		return -EINVAL;
	table = sysprof_table_copy(from);
	if (IS_ERR(table))
		return PTR_ERR(table);
	inode = sysprof_objects_inode(file);
	mutex_lock(&tables_lock);
	err = inode ? add_file(tables, table, file, inode) : -ENOENT;
	from->object = table->object;
	mutex_unlock(&tables_lock);
	if (err)
		sysprof_table_free(table);
	return err;
}

/* Owners. */

static int alloc_caches(void)
{
	int err = sysprof_contexts_alloc(&sysprof_found_caches,
					 sizeof(struct sysprof_found) << SYSPROF_FOUND_BITS);

	if (err)
		return err;
	err = sysprof_recall_alloc();
	if (err)
		sysprof_contexts_free(&sysprof_found_caches);
	return err;
}

static void free_caches(void)
{
	sysprof_recall_free();
	sysprof_contexts_free(&sysprof_found_caches);
}

static struct sysprof_tables *find_owner(kuid_t uid, bool for_everybody)
{
	struct sysprof_tables *tables;
	int number;

	list_for_each_entry(tables, &owners, list)
		if (for_everybody ? tables->for_everybody :
				    !tables->for_everybody && uid_eq(tables->uid, uid))
			return tables;
	if (list_empty(&owners) && alloc_caches())
		return NULL;
	tables = kzalloc(sizeof(*tables), GFP_KERNEL_ACCOUNT);
	number = tables ? ida_alloc_range(&numbers, 1, BIT(SYSPROF_OWNER_BITS) - 1, GFP_KERNEL) :
			  -ENOMEM;
	if (number < 0) {
		kfree(tables);
		if (list_empty(&owners))
			free_caches();
		return NULL;
	}
	tables->number = number;
	tables->uid = uid;
	tables->for_everybody = for_everybody;
	INIT_LIST_HEAD(&tables->tables);
	INIT_LIST_HEAD(&tables->files);
	list_add(&tables->list, &owners);
	return tables;
}

struct sysprof_tables *sysprof_tables_get(const struct cred *opener, bool for_everybody)
{
	struct sysprof_tables *tables;

	mutex_lock(&tables_lock);
	tables = find_owner(opener->uid, for_everybody);
	if (tables)
		tables->sessions++;
	mutex_unlock(&tables_lock);
	return tables;
}

void sysprof_tables_put(struct sysprof_tables *tables)
{
	if (!tables)
		return;
	mutex_lock(&tables_lock);
	if (--tables->sessions) {
		mutex_unlock(&tables_lock);
		return;
	}
	remove_links(tables, NULL);
	sysprof_chain_drop(tables);
	list_del(&tables->list);
	/*
	 * Ticks no longer use removed links, and those of a session that has just stopped no longer
	 * use the caches.
	 */
	synchronize_rcu();
	if (list_empty(&owners))
		free_caches();
	ida_free(&numbers, tables->number);
	mutex_unlock(&tables_lock);
	free_tables(&tables->tables);
	free_tables(&tables->files);
	kfree(tables);
}
