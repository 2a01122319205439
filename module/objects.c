// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mapped files: each has an id for as long as anybody records, and is named once.
 *
 * Hooks ask for ids where nothing may sleep or allocate: they look the file up by what identifies
 * its inode and, if it is new, take a slot from a pool and a reference to the file.  A kernel
 * thread finds path and build-id, sends them to the sessions, drops the reference and fills the
 * pool again.  No file stays pinned for long (map-fd.c), so identity is never a pointer alone.
 *
 * Anybody can map new files without end.  So each user has a part of the memory (program-quota.c)
 * and of the queue for names.  When there are many files, those that nobody has mapped any more are
 * dropped; a file that comes back has another id.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "build-id.h"
#include "delivery.h"
#include "objects.h"
#include "rights.h"
#include "vdso.h"

#define POOL_SIZE	256
/* Files of one user (but root) that can wait for their names, so that others' have room. */
#define PENDING_MAX	(POOL_SIZE / 2)
/* Readers are asked to read everything anew no more often than this. */
#define RESYNC_EVERY	(5 * HZ)
#define TABLE_BITS	14
#define PATH_BYTES	1024
#define IDS		(1U << (64 - SYSPROF_FRAME_OBJECT_SHIFT))
/* With fewer objects nothing is swept out, nor are objects whose id was requested this recently. */
#define SWEEP_FROM	16384
#define SWEEP_AGE	(10 * HZ)
#define SWEEP_AT_ONCE	64

/**
 * struct object - one file
 * @hash: by identity
 * @by_id: in objects_by_id
 * @list: in order of ids; of pool slots in the pool
 * @unnamed: in the thread's list
 * @inode: part of the identity, as are @sb and what follows; never dereferenced once the file is
 *	dropped
 * @sb: its file system
 * @ino: its number
 * @generation: of the number
 * @id: what the sessions know it by
 * @pid: a process that has it mapped, for readers who cannot find it by its path
 * @payer: whose share of memory it takes
 * @asked: when its id was last asked for, jiffies
 * @is_tabled: it has an unwind table of its own: once it is written to it is another object
 * @mtime: when it was last written to, if it @is_tabled
 * @bytes: its size, likewise
 * @mapper: what it takes to trace that process; closed if that was not looked at
 * @file: reference held until the object is named
 * @record: as it is sent, allocated when the object is named
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
	sysprof_payer payer;
	unsigned long asked;
	bool is_tabled;
	struct timespec64 mtime;
	loff_t bytes;
	struct sysprof_rights mapper;
	struct file *file;
	struct sysprof_object *record;
};

/*
 * Protects everything here but records, which are written once, before they are published.  Never
 * taken by an interrupt.
 */
static DEFINE_RAW_SPINLOCK(objects_lock);
static DEFINE_HASHTABLE(objects_by_identity, TABLE_BITS);
static DEFINE_HASHTABLE(objects_by_id, TABLE_BITS);
static LIST_HEAD(objects);
static LIST_HEAD(unnamed);
static LIST_HEAD(pool);
static unsigned int pool_fill, n_objects;
/* Number of each user's objects that have no name yet. */
static u16 pending[SYSPROF_QUOTA_PAYERS];
static bool missed;

/* Held while objects are removed, and by callers that search them and may sleep. */
static DEFINE_MUTEX(sweep_lock);
static unsigned int sweep_from = SWEEP_FROM;
static unsigned long swept, resynced;
static bool sweep_wanted;

static const struct sysprof_object_users *users;
static struct irq_work kick;
static struct work_struct name_work;
static struct workqueue_struct *workqueue;

/* A table is for what was in the file, and the number of an inode may come again. */
static bool was_changed(const struct object *object, const struct inode *inode)
{
	struct timespec64 mtime = sysprof_inode_mtime(inode);

	return object->is_tabled && (!timespec64_equal(&object->mtime, &mtime) ||
				     object->bytes != i_size_read(inode));
}

static struct object *objects_find(const struct inode *inode)
{
	struct object *object;

	hash_for_each_possible(objects_by_identity, object, hash, (unsigned long)inode) {
		if (object->inode == inode && object->sb == inode->i_sb &&
		    object->ino == inode->i_ino && object->generation == inode->i_generation &&
		    !was_changed(object, inode))
			return object;
	}
	return NULL;
}

static struct object *objects_make(struct file *file, const struct inode *inode, u32 pid,
				   sysprof_payer payer)
{
	struct object *object;
	u32 id;

	if (list_empty(&pool) || (payer != SYSPROF_PAYER_ROOT && pending[payer] == PENDING_MAX)) {
		missed = true;
		return NULL;
	}
	if (!sysprof_quota_take(payer, sizeof(*object))) {
		sweep_wanted = true;
		return NULL;
	}
	id = sysprof_quota_new_id(payer);
	if (!id) {
		sysprof_quota_give(payer, sizeof(*object));
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
	object->payer = payer;
	/*
	 * Hooks run in the process that maps the file; callers that read earlier mappings leave
	 * @mapper closed.
	 */
	if (pid == current->tgid)
		sysprof_rights_look(&object->mapper, current, current->mm);
	object->file = get_file(file);
	pending[payer]++;
	n_objects++;
	hash_add(objects_by_identity, &object->hash, (unsigned long)inode);
	hash_add(objects_by_id, &object->by_id, object->id);
	list_add_tail_rcu(&object->list, &objects);
	list_add_tail(&object->unnamed, &unnamed);
	return object;
}

u32 sysprof_objects_get(struct file *file, u32 pid, sysprof_payer payer)
{
	const struct inode *inode = file_inode(file);
	u32 id = SYSPROF_OBJECT_UNKNOWN;
	struct object *object;
	bool is_new = false;

	raw_spin_lock(&objects_lock);
	object = objects_find(inode);
	if (!object) {
		object = objects_make(file, inode, pid, payer);
		is_new = true;
	}
	if (object) {
		object->asked = jiffies;
		id = object->id;
	}
	raw_spin_unlock(&objects_lock);
	if (is_new)
		irq_work_queue(&kick);
	return id;
}

/* Programs on overlayfs have the layer's file mapped. */
const struct inode *sysprof_objects_inode(const struct file *file)
{
	return d_real_inode(sysprof_file_path(file)->dentry);
}

u32 sysprof_objects_of_file(struct file *file, const struct inode *inode, sysprof_payer *ret_payer)
{
	struct object *object;
	u32 id = SYSPROF_OBJECT_UNKNOWN;

	if (inode == file_inode(file))
		sysprof_objects_get(file, 0, sysprof_quota_payer(current));
	raw_spin_lock(&objects_lock);
	object = objects_find(inode);
	if (object) {
		id = object->id;
		*ret_payer = object->payer;
		object->is_tabled = true;
		object->mtime = sysprof_inode_mtime(inode);
		object->bytes = i_size_read(inode);
	}
	raw_spin_unlock(&objects_lock);
	return id;
}

static void objects_kick_fn(struct irq_work *work)
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
		raw_spin_lock(&objects_lock);
		list_add(&object->list, &pool);
		pool_fill++;
		raw_spin_unlock(&objects_lock);
	}
	return 0;
}

/* Finds path and build-id of @object; NULL without memory: it stays without a name. */
static struct sysprof_object *objects_describe(struct object *object)
{
	struct inode *inode = file_inode(object->file);
	struct timespec64 mtime = sysprof_inode_mtime(inode);
	char *buffer = kmalloc(PATH_BYTES, GFP_KERNEL);
	struct sysprof_object *record;
	const char *path = "";
	size_t bytes;

	if (buffer) {
		path = d_path(sysprof_file_path(object->file), buffer, PATH_BYTES);
		if (IS_ERR(path))
			path = "";
	}
	bytes = ALIGN(sizeof(*record) + strlen(path) + 1, 8);
	if (!sysprof_quota_take(object->payer, bytes)) {
		kfree(buffer);
		return NULL;
	}
	record = kzalloc(bytes, GFP_KERNEL);
	if (!record)
		sysprof_quota_give(object->payer, bytes);
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
	kfree(buffer);
	return record;
}

static void free_object(struct object *object)
{
	size_t bytes = sizeof(*object);

	if (object->record)
		bytes += object->record->record.size * 8;
	sysprof_quota_give(object->payer, bytes);
	kfree(object->record);
	kfree(object);
}

/*
 * Moves objects that may be removed from @from to @to: those behind @at, at most SWEEP_AT_ONCE of
 * them.  Objects are only added at the end, and only this thread removes them, so it can continue
 * where it stopped.
 */
static struct list_head *sweep_some(struct list_head *at, unsigned long *ids, struct list_head *to)
{
	struct object *object;
	int i;

	raw_spin_lock(&objects_lock);
	for (i = 0; i < SWEEP_AT_ONCE && at->next != &objects; i++) {
		object = list_entry(at->next, struct object, list);
		if (object->file || test_bit(object->id, ids) ||
		    time_before(jiffies, object->asked + SWEEP_AGE)) {
			/* The object stays, marked or not: unmarked objects were removed. */
			set_bit(object->id, ids);
			at = &object->list;
			continue;
		}
		hash_del(&object->hash);
		hash_del(&object->by_id);
		list_del_rcu(&object->list);
		list_add(&object->unnamed, to);
		n_objects--;
	}
	raw_spin_unlock(&objects_lock);
	return at->next == &objects ? NULL : at;
}

/* Objects that come from now on stay. */
static void mark_later(unsigned long *ids)
{
	u32 last = SYSPROF_OBJECT_FIRST;

	raw_spin_lock(&objects_lock);
	if (!list_empty(&objects))
		last = list_last_entry(&objects, struct object, list)->id;
	raw_spin_unlock(&objects_lock);
	bitmap_set(ids, last, IDS - last);
}

/* Removes objects that no address space has mapped. */
static void objects_sweep(void)
{
	unsigned long *ids = kvcalloc(BITS_TO_LONGS(IDS), sizeof(*ids), GFP_KERNEL);
	struct object *object, *next;
	struct list_head *at = &objects;
	LIST_HEAD(gone);

	if (!ids)
		return;
	mark_later(ids);
	users->mark(ids);
	mutex_lock(&sweep_lock);
	while (at) {
		at = sweep_some(at, ids, &gone);
		cond_resched();
	}
	mutex_unlock(&sweep_lock);
	if (!list_empty(&gone)) {
		users->keep(ids);
		/* Readers that were walking the list are done with it. */
		synchronize_rcu();
	}
	list_for_each_entry_safe(object, next, &gone, unnamed)
		free_object(object);
	kvfree(ids);
}

static void sweep_if_many(void)
{
	if (n_objects < sweep_from && !READ_ONCE(sweep_wanted))
		return;
	if (time_before(jiffies, swept + HZ))
		return;
	WRITE_ONCE(sweep_wanted, false);
	objects_sweep();
	swept = jiffies;
	sweep_from = max(2 * READ_ONCE(n_objects), SWEEP_FROM);
}

static void name(struct object *object)
{
	struct sysprof_object *record = objects_describe(object);
	struct file *file = object->file;

	if (sysprof_sessions_any())
		users->hold(object->id, file, &object->mapper);
	if (record) {
		sysprof_sessions_state(&record->record);
		/*
		 * The object is complete before it is visible; pairs with smp_load_acquire() in
		 * sysprof_objects_fill() and sysprof_objects_each().
		 */
		smp_store_release(&object->record, record);
		users->named(record);
	}
	/* As long as there is a file, find_mapper() makes others wait for the name. */
	raw_spin_lock(&objects_lock);
	object->file = NULL;
	pending[object->payer]--;
	raw_spin_unlock(&objects_lock);
	fput(file);
}

static void resync_fn(struct work_struct *unused)
{
	resynced = jiffies;
	sysprof_sessions_resync();
}

static DECLARE_DELAYED_WORK(resync_work, resync_fn);

/*
 * One round.  Objects that come meanwhile belong to the next one.  So a caller that waits for this
 * round waits for a limited number of objects, however fast others map files.
 */
static void name_fn(struct work_struct *work)
{
	struct object *object, *next;
	LIST_HEAD(round);
	bool resync;

	fill_pool();
	raw_spin_lock(&objects_lock);
	list_splice_init(&unnamed, &round);
	raw_spin_unlock(&objects_lock);
	list_for_each_entry_safe(object, next, &round, unnamed) {
		name(object);
		fill_pool();
	}
	raw_spin_lock(&objects_lock);
	resync = missed;
	missed = false;
	raw_spin_unlock(&objects_lock);
	sweep_if_many();
	if (resync)
		schedule_delayed_work(&resync_work, time_before(jiffies, resynced + RESYNC_EVERY) ?
							    RESYNC_EVERY :
							    0);
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
	mutex_lock(&sweep_lock);
	list_for_each_entry_rcu(object, &objects, list, lockdep_is_held(&sweep_lock)) {
		/* Pairs with smp_store_release() in name_fn(). */
		record = smp_load_acquire(&object->record);
		if (record)
			each(record, data);
	}
	mutex_unlock(&sweep_lock);
}

/* *@is_waiting: the object is about to be named. */
static bool find_mapper(u32 id, u32 *pid, bool *is_waiting)
{
	struct object *object;
	bool found = false;

	*is_waiting = false;
	raw_spin_lock(&objects_lock);
	hash_for_each_possible(objects_by_id, object, by_id, id)
		if (object->id == id) {
			*pid = object->pid;
			found = object->record;
			*is_waiting = object->file;
		}
	raw_spin_unlock(&objects_lock);
	return found;
}

bool sysprof_objects_mapper(u32 id, u32 *pid)
{
	bool is_waiting;

	if (find_mapper(id, pid, &is_waiting))
		return true;
	if (!is_waiting)
		return false;
	sysprof_objects_flush();
	return find_mapper(id, pid, &is_waiting);
}

u32 sysprof_objects_id(const struct inode *inode)
{
	struct object *object;
	u32 id;

	raw_spin_lock(&objects_lock);
	object = objects_find(inode);
	id = object ? object->id : SYSPROF_OBJECT_UNKNOWN;
	raw_spin_unlock(&objects_lock);
	return id;
}

int sysprof_objects_prepare(void)
{
	return fill_pool();
}

int sysprof_objects_init(const struct sysprof_object_users *above)
{
	users = above;
	workqueue = alloc_ordered_workqueue("sysprof", 0);
	if (!workqueue)
		return -ENOMEM;
	init_irq_work(&kick, objects_kick_fn);
	INIT_WORK(&name_work, name_fn);
	return 0;
}

void sysprof_objects_forget(void)
{
	struct object *object, *next;

	irq_work_sync(&kick);
	flush_work(&name_work);
	cancel_delayed_work_sync(&resync_work);
	users->keep(NULL);
	hash_init(objects_by_identity);
	hash_init(objects_by_id);
	list_for_each_entry_safe(object, next, &objects, list)
		free_object(object);
	INIT_LIST_HEAD(&objects);
	n_objects = 0;
	sweep_from = SWEEP_FROM;
}

/* No hook, session or ioctl remains. */
void sysprof_objects_exit(void)
{
	struct object *object, *next;

	sysprof_objects_forget();
	destroy_workqueue(workqueue);
	list_for_each_entry_safe(object, next, &pool, list)
		kfree(object);
}
