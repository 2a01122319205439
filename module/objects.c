// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mapped files: each has an id for as long as anybody records, and is named once.
 *
 * Hooks ask for ids where nothing may sleep or allocate: they look the file up by what identifies
 * its inode and, if it is new, take a slot from a pool and a reference to the file.  A kernel
 * thread finds path and build-id, tells the sessions, drops the reference and fills the pool again.
 * No file stays pinned for long (map-fd.c), so identity is never a pointer alone.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/irq_work.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "build-id.h"
#include "delivery.h"
#include "map-fd.h"
#include "objects.h"
#include "rights.h"
#include "tables.h"
#include "vdso.h"

#define POOL_SIZE	64
#define OBJECTS_MAX	(1U << 18)

/**
 * struct object - one file
 * @hash: by identity
 * @by_id: in objects_by_id
 * @list: in order of ids; of pool slots in the pool
 * @unnamed: in the thread's list
 * @inode: part of the identity, as are the next three; never followed once file is gone
 * @sb: its file system
 * @ino: its number
 * @generation: of the number
 * @id: what the sessions know it by
 * @pid: a process that has it mapped, for readers who cannot find it by its path
 * @mapper: what it takes to trace that process; closed if that was not looked at
 * @file: reference held until it is named
 * @record: as it is told, allocated when it is named
 */
struct object {
	struct hlist_node hash;
	struct hlist_node by_id;
	struct list_head list;
	struct list_head unnamed;
	const struct inode *inode;
	const struct super_block *sb;
	unsigned long ino;
	u32 generation;
	u32 id;
	u32 pid;
	struct sysprof_rights mapper;
	struct file *file;
	struct sysprof_object *record;
};

/* Protects everything here but records, which are written once, before they are published. */
static DEFINE_RAW_SPINLOCK(objects_lock);
static DEFINE_HASHTABLE(objects_by_identity, 10);
static DEFINE_HASHTABLE(objects_by_id, 10);
static LIST_HEAD(objects);
static LIST_HEAD(unnamed);
static LIST_HEAD(pool);
static unsigned int pool_fill, n_objects;
static bool missed;
static atomic_t next_id = ATOMIC_INIT(SYSPROF_OBJECT_FIRST);

static struct irq_work kick;
static struct work_struct name_work;
static struct workqueue_struct *workqueue;

static struct object *find(const struct inode *inode)
{
	struct object *object;

	hash_for_each_possible(objects_by_identity, object, hash, (unsigned long)inode) {
		if (object->inode == inode && object->sb == inode->i_sb &&
		    object->ino == inode->i_ino && object->generation == inode->i_generation)
			return object;
	}
	return NULL;
}

u32 sysprof_objects_new_id(void)
{
	u32 id = atomic_inc_return(&next_id) - 1;

	if (!(id >> (64 - SYSPROF_FRAME_OBJECT_SHIFT)))
		return id;
	atomic_dec(&next_id);
	return SYSPROF_OBJECT_UNKNOWN;
}

static struct object *make(struct file *file, const struct inode *inode, u32 pid)
{
	struct object *object;
	u32 id = 0;

	if (!list_empty(&pool) && n_objects < OBJECTS_MAX)
		id = sysprof_objects_new_id();
	if (!id) {
		missed = true;
		return NULL;
	}
	object = list_first_entry(&pool, struct object, list);
	list_del(&object->list);
	pool_fill--;
	object->inode = inode;
	object->sb = inode->i_sb;
	object->ino = inode->i_ino;
	object->generation = inode->i_generation;
	object->id = id;
	object->pid = pid;
	/*
	 * Hooks run in the process that maps; others, which look at what was mapped before, leave
	 * it closed.
	 */
	if (pid == current->tgid)
		sysprof_rights_look(&object->mapper, current, current->mm);
	object->file = get_file(file);
	n_objects++;
	hash_add(objects_by_identity, &object->hash, (unsigned long)inode);
	hash_add(objects_by_id, &object->by_id, object->id);
	list_add_tail_rcu(&object->list, &objects);
	list_add_tail(&object->unnamed, &unnamed);
	return object;
}

u32 sysprof_objects_get(struct file *file, u32 pid)
{
	const struct inode *inode = file_inode(file);
	struct object *object;
	unsigned long flags;
	bool is_new = false;
	u32 id = SYSPROF_OBJECT_UNKNOWN;

	raw_spin_lock_irqsave(&objects_lock, flags);
	object = find(inode);
	if (!object) {
		object = make(file, inode, pid);
		is_new = true;
	}
	if (object)
		id = object->id;
	raw_spin_unlock_irqrestore(&objects_lock, flags);
	if (is_new)
		irq_work_queue(&kick);
	return id;
}

static void kick_fn(struct irq_work *work)
{
	queue_work(workqueue, &name_work);
}

static int fill_pool(void)
{
	struct object *object;

	while (READ_ONCE(pool_fill) < POOL_SIZE) {
		object = kzalloc(sizeof(*object), GFP_KERNEL);
		if (!object)
			return -ENOMEM;
		raw_spin_lock_irq(&objects_lock);
		list_add(&object->list, &pool);
		pool_fill++;
		raw_spin_unlock_irq(&objects_lock);
	}
	return 0;
}

/* Finds out what there is to say of @object; NULL without memory: it stays nameless. */
static struct sysprof_object *describe(struct object *object)
{
	struct inode *inode = file_inode(object->file);
	struct timespec64 mtime = sysprof_inode_mtime(inode);
	char *buffer = (char *)__get_free_page(GFP_KERNEL);
	struct sysprof_object *record;
	const char *path = "";
	size_t bytes;

	if (buffer) {
		path = d_path(sysprof_file_path(object->file), buffer, PAGE_SIZE);
		if (IS_ERR(path))
			path = "";
	}
	bytes = ALIGN(sizeof(*record) + strlen(path) + 1, 8);
	record = kzalloc(bytes, GFP_KERNEL);
	if (record) {
		record->record.type = SYSPROF_OBJECT;
		record->record.size = bytes / 8;
		record->record.pid = object->pid;
		record->object = object->id;
		record->inode = inode->i_ino;
		record->generation = inode->i_generation;
		record->bytes = i_size_read(inode);
		record->mtime_ns = timespec64_to_ns(&mtime);
		record->dev_major = MAJOR(inode->i_sb->s_dev);
		record->dev_minor = MINOR(inode->i_sb->s_dev);
		record->path_bytes = strlen(path);
		strcpy(record->path, path);
		sysprof_build_id_of_file(object->file, record);
	}
	free_page((unsigned long)buffer);
	return record;
}

static void name_fn(struct work_struct *work)
{
	struct sysprof_object *record;
	struct object *object;
	bool resync;

	fill_pool();
	raw_spin_lock_irq(&objects_lock);
	while (!list_empty(&unnamed)) {
		object = list_first_entry(&unnamed, struct object, unnamed);
		list_del_init(&object->unnamed);
		raw_spin_unlock_irq(&objects_lock);

		record = describe(object);
		if (sysprof_sessions_any())
			sysprof_map_fd_hold(object->id, object->file, &object->mapper);
		fput(object->file);
		object->file = NULL;
		if (record) {
			sysprof_sessions_state(&record->record);
			/*
			 * Whole before it is seen; pairs with smp_load_acquire() in find_record(),
			 * sysprof_objects_fill() and sysprof_objects_each().
			 */
			smp_store_release(&object->record, record);
			sysprof_tables_named(record);
		}
		fill_pool();
		raw_spin_lock_irq(&objects_lock);
	}
	resync = missed;
	missed = false;
	raw_spin_unlock_irq(&objects_lock);
	if (resync)
		sysprof_sessions_resync();
}

void sysprof_objects_flush(void)
{
	queue_work(workqueue, &name_work);
	flush_work(&name_work);
}

size_t sysprof_objects_fill(u32 after, void *buffer, size_t bytes, u32 *last)
{
	const struct sysprof_object *record = sysprof_vdso_record();
	struct object *object;
	size_t filled = 0, size;

	if (record && after < record->object) {
		filled = record->record.size * 8;
		memcpy(buffer, record, filled);
		*last = record->object;
	}
	rcu_read_lock();
	list_for_each_entry_rcu(object, &objects, list) {
		if (object->id <= after)
			continue;
		/* Pairs with smp_store_release() in name_fn(). */
		record = smp_load_acquire(&object->record);
		if (!record)
			continue;
		size = record->record.size * 8;
		if (filled + size > bytes)
			break;
		memcpy(buffer + filled, record, size);
		filled += size;
		*last = object->id;
	}
	rcu_read_unlock();
	return filled;
}

void sysprof_objects_each(void (*each)(const struct sysprof_object *record, void *data), void *data)
{
	const struct sysprof_object *record = sysprof_vdso_record();
	struct object *object;

	if (record)
		each(record, data);
	/* As long as hooks are armed objects only come. */
	list_for_each_entry_rcu(object, &objects, list, true) {
		/* Pairs with smp_store_release() in name_fn(). */
		record = smp_load_acquire(&object->record);
		if (record)
			each(record, data);
	}
}

static const struct sysprof_object *find_record(u32 id)
{
	const struct sysprof_object *record = NULL;
	struct object *object;

	raw_spin_lock_irq(&objects_lock);
	hash_for_each_possible(objects_by_id, object, by_id, id)
		if (object->id == id)
			/* Pairs with smp_store_release() in name_fn(). */
			record = smp_load_acquire(&object->record);
	raw_spin_unlock_irq(&objects_lock);
	return record;
}

const struct sysprof_object *sysprof_objects_record(u32 id)
{
	const struct sysprof_object *record = find_record(id);

	if (record)
		return record;
	/* It may be about to be named. */
	sysprof_objects_flush();
	return find_record(id);
}

u32 sysprof_objects_id(const struct inode *inode)
{
	struct object *object;
	u32 id;

	raw_spin_lock_irq(&objects_lock);
	object = find(inode);
	id = object ? object->id : SYSPROF_OBJECT_UNKNOWN;
	raw_spin_unlock_irq(&objects_lock);
	return id;
}

int sysprof_objects_prepare(void)
{
	return fill_pool();
}

int sysprof_objects_init(void)
{
	workqueue = alloc_ordered_workqueue("sysprof", 0);
	if (!workqueue)
		return -ENOMEM;
	init_irq_work(&kick, kick_fn);
	INIT_WORK(&name_work, name_fn);
	return 0;
}

static void free_list(struct list_head *list)
{
	struct object *object, *next;

	list_for_each_entry_safe(object, next, list, list) {
		if (object->file)
			fput(object->file);
		kfree(object->record);
		kfree(object);
	}
	INIT_LIST_HEAD(list);
}

void sysprof_objects_forget(void)
{
	irq_work_sync(&kick);
	flush_work(&name_work);
	sysprof_map_fd_forget();
	sysprof_tables_forget_objects();
	hash_init(objects_by_identity);
	hash_init(objects_by_id);
	free_list(&objects);
	n_objects = 0;
}

/* No hook, session or ioctl is left. */
void sysprof_objects_exit(void)
{
	sysprof_objects_forget();
	destroy_workqueue(workqueue);
	free_list(&pool);
}
