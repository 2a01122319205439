// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/sysprof-trace: checks the caller and the arguments of each call; the session does the rest.
 */
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/user_namespace.h>

#include "chain.h"
#include "clock-pmu.h"
#include "config.h"
#include "device.h"
#include "filter.h"
#include "hooks.h"
#include "map-fd.h"
#include "names.h"
#include "raw.h"
#include "revoke.h"
#include "session-rings.h"
#include "session-stack.h"
#include "session.h"
#include "snapshot.h"
#include "source-ops.h"
#include "stack.h"
#include "sysprof-event.h"
#include "tables.h"

#define NAMES_MAX	4096

static int device_open(struct inode *inode, struct file *file)
{
	struct sysprof_session *session;
	int err;

	/* Pids and addresses of the whole machine: nothing for a container. */
	if (task_active_pid_ns(current) != &init_pid_ns || current_user_ns() != &init_user_ns)
		return -EPERM;
	err = security_locked_down(LOCKDOWN_PERF);
	if (err)
		return err;
	session = sysprof_session_create();
	if (IS_ERR(session))
		return PTR_ERR(session);
	session->may_see_addresses = perfmon_capable();
	sysprof_traced_init(&session->traced);
	sysprof_revoke_watch(session, file);
	file->private_data = session;
	return nonseekable_open(inode, file);
}

static int device_release(struct inode *inode, struct file *file)
{
	struct sysprof_session *session = file->private_data;

	sysprof_revoke_unwatch(session);
	sysprof_session_stop(session);
	sysprof_traced_destroy(&session->traced);
	sysprof_session_destroy(session);
	return 0;
}

int sysprof_device_get_arg(void *arg, size_t bytes, void __user *user)
{
	u32 size;

	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	if (size < sizeof(u32) * 2 || size > PAGE_SIZE)
		return -EINVAL;
	return copy_struct_from_user(arg, bytes, user, size);
}

int sysprof_device_put_arg(const void *arg, size_t bytes, void __user *user)
{
	u32 size = *(const u32 *)arg;

	return copy_to_user(user, arg, min_t(size_t, size, bytes)) ? -EFAULT : 0;
}

static u64 others_features(void)
{
	switch (sysprof_session_hides_others()) {
	case SYSPROF_HIDES_FRAMES:
		return SYSPROF_FEATURE_HIDES_OTHERS;
	case SYSPROF_HIDES_PLACES:
		return SYSPROF_FEATURE_OTHERS_FUNCTIONS;
	default:
		return 0;
	}
}

static int do_info(void __user *user)
{
	struct sysprof_info info;
	int err = sysprof_device_get_arg(&info, sizeof(info), user);
	u32 size = info.size;

	if (err)
		return err;
	if (info.reserved)
		return -EINVAL;
	info = (struct sysprof_info){
		.size = min_t(u32, size, sizeof(info)),
		.abi_version = SYSPROF_ABI_VERSION,
		.features = SYSPROF_FEATURE_RESOLVE | SYSPROF_FEATURE_FILTERS |
			    SYSPROF_FEATURE_BUDGET | SYSPROF_FEATURE_REGIONS |
			    SYSPROF_FEATURE_MAP_FD | SYSPROF_FEATURE_RAW |
			    SYSPROF_FEATURE_RAW_WISH | SYSPROF_FEATURE_TABLE |
			    SYSPROF_FEATURE_REVOKE | SYSPROF_FEATURE_TRACEABLE |
			    SYSPROF_FEATURE_SOURCES | SYSPROF_FEATURE_SLOW |
			    SYSPROF_FEATURE_RAW_INSTEAD | SYSPROF_FEATURE_CHAIN |
			    SYSPROF_FEATURE_TABLE_FILE | SYSPROF_FEATURE_CHAIN_FILE |
			    SYSPROF_FEATURE_CHAIN_FRAMES | SYSPROF_FEATURE_CHAIN_STEPS |
			    SYSPROF_FEATURE_CHAIN_THREAD | SYSPROF_FEATURE_STACKS_ONCE |
			    SYSPROF_FEATURE_CHAIN_REGISTERS |
			    SYSPROF_FEATURE_CHAIN_WITH | SYSPROF_FEATURE_CHAIN_LONG |
			    SYSPROF_FEATURE_CHAIN_PLACE |
			    others_features() |
			    (sysprof_pmu_available() ? SYSPROF_FEATURE_PMU : 0),
		.cpus = nr_cpu_ids,
		.page_bytes = PAGE_SIZE,
		.min_period_ns = SYSPROF_MIN_PERIOD_NS,
		.max_ring_bytes = SYSPROF_MAX_RING_BYTES,
		.max_kernel_frames = SYSPROF_MAX_KERNEL_FRAMES,
		.max_user_frames = SYSPROF_MAX_USER_FRAMES,
		.max_raw_bytes = SYSPROF_MAX_RAW_BYTES,
	};
	return sysprof_device_put_arg(&info, sizeof(info), user);
}

/* The filters are in the caller's memory, which may not be touched under the session's lock. */
static int configure_filtered(struct sysprof_session *session, struct sysprof_config *config,
			      bool keeps_budget)
{
	struct sysprof_filter *filter;
	cpumask_var_t cpus;
	int err;

	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;
	err = sysprof_filter_cpus(config, cpus);
	if (err)
		goto out;
	filter = sysprof_filter_create(config);
	err = PTR_ERR_OR_ZERO(filter);
	if (err)
		goto out;
	err = sysprof_session_configure(session, config, keeps_budget, filter, cpus);
	if (err)
		sysprof_filter_destroy(filter);
out:
	free_cpumask_var(cpus);
	return err;
}

static int do_configure(struct sysprof_session *session, void __user *user)
{
	struct sysprof_config config;
	bool keeps_budget;
	int err = sysprof_device_get_arg(&config, sizeof(config), user);

	if (err)
		return err;
	keeps_budget = !config.period_ns;
	err = sysprof_config_complete(&config, session->may_see_addresses);
	if (!err && config.form == SYSPROF_FORM_ADDRESS && !session->may_see_addresses)
		err = -EPERM;
	if (!err)
		err = configure_filtered(session, &config, keeps_budget);
	return err ? err : sysprof_device_put_arg(&config, sizeof(config), user);
}

static int start_session(struct sysprof_session *session, struct sysprof_start *start)
{
	int err = sysprof_session_start(session, start);

	if (err)
		return err;
	/*
	 * The last of the opener's threads decrements the count, then looks for running sessions;
	 * the later of the two sees the other.  Pairs with atomic_dec_and_test() in the kernel's
	 * do_exit().
	 */
	smp_mb();
	err = sysprof_revoke_check(session);
	if (err)
		sysprof_session_stop(session);
	return err;
}

static int do_start(struct sysprof_session *session, void __user *user)
{
	struct sysprof_start start = { .size = sizeof(start) };
	int err;

	if (user) {
		err = sysprof_device_get_arg(&start, sizeof(start), user);
		if (err)
			return err;
		if (start.flags)
			return -EINVAL;
	}
	err = start_session(session, &start);
	if (!err && user)
		err = sysprof_device_put_arg(&start, sizeof(start), user);
	return err;
}

static int do_snapshot(struct sysprof_session *session, void __user *user)
{
	enum sysprof_maps maps = SYSPROF_MAPS_NONE;
	struct sysprof_snapshot snapshot;
	int err = sysprof_device_get_arg(&snapshot, sizeof(snapshot), user);

	if (err)
		return err;
	if (snapshot.reserved)
		return -EINVAL;
	snapshot.filled_bytes = 0;
	snapshot.busy = 0;
	err = sysprof_hooks_arm();
	if (err)
		return err;
	mutex_lock(&session->io_lock);
	if (session->config.form == SYSPROF_FORM_ADDRESS)
		maps = SYSPROF_MAPS_ALL;
	else if (session->config.raw_bytes)
		maps = session->may_see_addresses ? SYSPROF_MAPS_ALL : SYSPROF_MAPS_TRACEABLE;
	err = sysprof_snapshot_take(&session->snapshot, &snapshot, maps, session);
	mutex_unlock(&session->io_lock);
	sysprof_hooks_disarm();
	return err ? err : sysprof_device_put_arg(&snapshot, sizeof(snapshot), user);
}

static int do_stats(struct sysprof_session *session, void __user *user)
{
	struct sysprof_stats *stats = kzalloc(sizeof(*stats), GFP_KERNEL);
	int err;

	if (!stats)
		return -ENOMEM;
	err = sysprof_device_get_arg(stats, sizeof(*stats), user);
	if (!err)
		err = sysprof_session_stats(session, stats);
	if (!err)
		err = sysprof_device_put_arg(stats, sizeof(*stats), user);
	kfree(stats);
	return err;
}

static int do_names(struct sysprof_session *session, void __user *user)
{
	struct sysprof_name __user *to;
	struct sysprof_names names;
	struct sysprof_name *name;
	int err = sysprof_device_get_arg(&names, sizeof(names), user);
	u32 i;

	if (err)
		return err;
	if (names.nr > NAMES_MAX)
		return -EINVAL;
	name = kmalloc(sizeof(*name), GFP_KERNEL);
	if (!name)
		return -ENOMEM;
	to = u64_to_user_ptr(names.names);
	for (i = 0; i < names.nr && !err; i++) {
		err = get_user(name->frame, &to[i].frame);
		if (err)
			break;
		sysprof_names_look_up(name, session->may_see_addresses);
		err = copy_to_user(&to[i], name, sizeof(*name)) ? -EFAULT : 0;
		cond_resched();
	}
	kfree(name);
	return err;
}

static int do_map_fd(struct sysprof_session *session, void __user *user)
{
	struct sysprof_map_fd arg;
	struct file *file;
	int err = sysprof_device_get_arg(&arg, sizeof(arg), user);

	if (err)
		return err;
	/* A caller without room for the descriptor would not know that he has it. */
	if (arg.flags || arg.size < offsetofend(struct sysprof_map_fd, fd))
		return -EINVAL;
	err = sysprof_hooks_arm();
	if (err)
		return err;
	arg.start = 0;
	arg.fd = -1;
	file = sysprof_map_fd_open(session, arg.object);
	/* No file has that id: try regions. */
	if (file == ERR_PTR(-ENOENT))
		err = sysprof_map_fd_region(session, arg.object, &arg.start);
	else if (IS_ERR(file))
		err = PTR_ERR(file);
	sysprof_hooks_disarm();
	if (err)
		return err;
	if (IS_ERR(file))
		return sysprof_device_put_arg(&arg, sizeof(arg), user);
	arg.fd = get_unused_fd_flags(O_CLOEXEC);
	err = arg.fd < 0 ? arg.fd : sysprof_device_put_arg(&arg, sizeof(arg), user);
	if (!err) {
		fd_install(arg.fd, file);
		return 0;
	}
	if (arg.fd >= 0)
		put_unused_fd(arg.fd);
	fput(file);
	return err;
}

static int do_slow(struct sysprof_session *session, void __user *user)
{
	struct sysprof_slow slow;
	int err = sysprof_device_get_arg(&slow, sizeof(slow), user);

	return err ? err : sysprof_session_slow(session, slow.part);
}

static int do_raw_request(struct sysprof_session *session, void __user *user)
{
	struct sysprof_raw_wish request;
	int err = sysprof_device_get_arg(&request, sizeof(request), user);

	if (err)
		return err;
	mutex_lock(&session->lock);
	if (session->raw_requests && request.bytes <= session->config.raw_bytes)
		sysprof_raw_set_bytes(session->raw_requests, request.comm, request.bytes);
	else
		err = -EINVAL;
	mutex_unlock(&session->lock);
	return err;
}

static int add_table(struct sysprof_session *session, struct sysprof_table *table,
		     struct file *file)
{
	struct sysprof_tables *tables = sysprof_session_tables(session);
	int err;

	if (!tables)
		return -ENOMEM;
	/* No object is removed during the search. */
	err = sysprof_hooks_arm();
	if (err)
		return err;
	err = file ? sysprof_tables_add_file(tables, table, file) :
		     sysprof_tables_add(tables, table);
	sysprof_hooks_disarm();
	return err;
}

static int do_table(struct sysprof_session *session, void __user *user)
{
	struct sysprof_table table;
	struct file *file;
	int err = sysprof_device_get_arg(&table, sizeof(table), user);

	if (err)
		return err;
	if (!(table.flags & SYSPROF_TABLE_OF_FILE))
		return add_table(session, &table, NULL);
	file = fget(table.fd);
	if (!file)
		return -EBADF;
	err = add_table(session, &table, file);
	fput(file);
	return err ? err : sysprof_device_put_arg(&table, sizeof(table), user);
}

static int add_chain(struct sysprof_session *session, struct sysprof_chain *chain,
		     struct file *file)
{
	struct sysprof_tables *owner = sysprof_session_tables(session);
	int err;

	if (!owner)
		return -ENOMEM;
	/* No object is removed during the search. */
	err = sysprof_hooks_arm();
	if (err)
		return err;
	err = file ? sysprof_chain_add_file(owner, chain, file) :
		     sysprof_chain_add(owner, session->may_see_addresses, chain);
	sysprof_hooks_disarm();
	return err;
}

static int do_chain(struct sysprof_session *session, void __user *user)
{
	struct sysprof_chain chain;
	struct file *file;
	int err = sysprof_device_get_arg(&chain, sizeof(chain), user);

	if (err)
		return err;
	if (!(chain.flags & SYSPROF_CHAIN_OF_FILE))
		return add_chain(session, &chain, NULL);
	file = fget(chain.fd);
	if (!file)
		return -EBADF;
	err = add_chain(session, &chain, file);
	fput(file);
	return err ? err : sysprof_device_put_arg(&chain, sizeof(chain), user);
}

static int do_traceable(struct sysprof_session *session, void __user *user)
{
	struct sysprof_traceable arg;
	int err = sysprof_device_get_arg(&arg, sizeof(arg), user);

	if (err)
		return err;
	if (arg.size < sizeof(arg))
		return -EINVAL;
	arg.all = session->may_see_addresses;
	err = arg.all ? 0 : sysprof_traced_prove(&session->traced, arg.pid, arg.fd);
	return err ? err : sysprof_device_put_arg(&arg, sizeof(arg), user);
}

/* The size of an array's members as the caller knows them. */
static bool is_stride(u32 bytes, size_t known)
{
	return bytes >= known && bytes <= PAGE_SIZE;
}

static int do_sources(struct sysprof_session *session, void __user *user)
{
	struct sysprof_sources arg;
	int err = sysprof_device_get_arg(&arg, sizeof(arg), user);

	if (err)
		return err;
	if (arg.flags || arg.nr > SYSPROF_SOURCES_MAX ||
	    (arg.nr && !is_stride(arg.source_bytes, sizeof(struct sysprof_source))))
		return -EINVAL;
	return sysprof_source_set(session, &arg);
}

static int do_source_info(struct sysprof_session *session, void __user *user)
{
	struct sysprof_source_infos arg;
	int err = sysprof_device_get_arg(&arg, sizeof(arg), user);

	if (err)
		return err;
	if (arg.reserved || !is_stride(arg.info_bytes, sizeof(struct sysprof_source_info)))
		return -EINVAL;
	err = sysprof_source_info(session, &arg);
	return err ? err : sysprof_device_put_arg(&arg, sizeof(arg), user);
}

static int do_source_stats(struct sysprof_session *session, void __user *user)
{
	struct sysprof_source_stats *stats = kzalloc(sizeof(*stats), GFP_KERNEL);
	int err;

	if (!stats)
		return -ENOMEM;
	err = sysprof_device_get_arg(stats, sizeof(*stats), user);
	if (!err)
		err = sysprof_session_source_stats(session, stats);
	if (!err)
		err = sysprof_device_put_arg(stats, sizeof(*stats), user);
	kfree(stats);
	return err;
}

static int do_revoke(struct sysprof_session *session, void __user *user)
{
	struct sysprof_revoke revoke;
	int err = sysprof_device_get_arg(&revoke, sizeof(revoke), user);
	kuid_t uid;

	if (err)
		return err;
	/*
	 * Both are checked: a user with the right must not be handed a descriptor, nor hand one on.
	 */
	if (!capable(CAP_SYS_ADMIN) || !cap_raised(session->cred->cap_effective, CAP_SYS_ADMIN))
		return -EPERM;
	uid = KUIDT_INIT(revoke.uid);
	if (revoke.reserved || revoke.size < sizeof(revoke) || !uid_valid(uid))
		return -EINVAL;
	revoke.sessions = sysprof_revoke_uid(uid);
	return sysprof_device_put_arg(&revoke, sizeof(revoke), user);
}

/* Calls that need no right to observe the machine. */
static bool is_always_answered(unsigned int command)
{
	return command == SYSPROF_IOC_INFO || command == SYSPROF_IOC_STOP ||
	       command == SYSPROF_IOC_STATS || command == SYSPROF_IOC_SOURCE_STATS ||
	       command == SYSPROF_IOC_REVOKE;
}

static long device_ioctl(struct file *file, unsigned int command, unsigned long arg)
{
	struct sysprof_session *session = file->private_data;
	void __user *user = (void __user *)arg;
	int err = is_always_answered(command) ? 0 : sysprof_revoke_check(session);

	if (err)
		return err;
	switch (command) {
	case SYSPROF_IOC_INFO:
		return do_info(user);
	case SYSPROF_IOC_CONFIGURE:
		return do_configure(session, user);
	case SYSPROF_IOC_START:
		return do_start(session, user);
	case SYSPROF_IOC_STOP:
		sysprof_session_stop(session);
		return 0;
	case SYSPROF_IOC_SNAPSHOT:
		return do_snapshot(session, user);
	case SYSPROF_IOC_STATS:
		return do_stats(session, user);
	case SYSPROF_IOC_NAMES:
		return do_names(session, user);
	case SYSPROF_IOC_MAP_FD:
		return do_map_fd(session, user);
	case SYSPROF_IOC_RAW_WISH:
		return do_raw_request(session, user);
	case SYSPROF_IOC_SLOW:
		return do_slow(session, user);
	case SYSPROF_IOC_TABLE:
		return do_table(session, user);
	case SYSPROF_IOC_CHAIN:
		return do_chain(session, user);
	case SYSPROF_IOC_TRACEABLE:
		return do_traceable(session, user);
	case SYSPROF_IOC_REVOKE:
		return do_revoke(session, user);
	case SYSPROF_IOC_SOURCES:
		return do_sources(session, user);
	case SYSPROF_IOC_SOURCE_INFO:
		return do_source_info(session, user);
	case SYSPROF_IOC_SOURCE_STATS:
		return do_source_stats(session, user);
	default:
		return -ENOTTY;
	}
}

/* Whether the session may be read this way; the first read decides which way. */
static int claim_reader(struct sysprof_session *session, enum sysprof_reader reader)
{
	lockdep_assert_held(&session->lock);
	if (!session->config.ring_bytes)
		return -EINVAL;
	if (session->reader != SYSPROF_READER_NONE && session->reader != reader)
		return -EBUSY;
	session->reader = reader;
	return 0;
}

/*
 * The pages of one part of one ring, and how they may be mapped; NULL if @vma is not exactly one
 * part.
 */
static struct page **find_part(struct sysprof_session *session, struct vm_area_struct *vma,
			       bool *writable)
{
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT, stride = session->config.ring_stride, at;
	unsigned long bytes = vma->vm_end - vma->vm_start;
	u64 cpu = div64_u64_rem(offset, stride, &at);

	if (cpu >= nr_cpu_ids)
		return NULL;
	cpu = array_index_nospec(cpu, nr_cpu_ids);
	if (!session->cpus[cpu].ring.bytes)
		return NULL;
	if (at <= PAGE_SIZE ? bytes != PAGE_SIZE :
			      at != 2 * PAGE_SIZE || bytes != session->config.ring_bytes)
		return NULL;
	*writable = at == PAGE_SIZE;
	return session->cpus[cpu].ring.pages + (at >> PAGE_SHIFT);
}

static int device_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct sysprof_session *session = file->private_data;
	unsigned long address;
	struct page **pages;
	bool writable;
	int err;

	if (!(vma->vm_flags & VM_SHARED) || vma->vm_flags & VM_EXEC)
		return -EINVAL;
	mutex_lock(&session->lock);
	err = claim_reader(session, SYSPROF_READER_MMAP);
	if (err)
		goto out;
	err = -EINVAL;
	pages = find_part(session, vma, &writable);
	if (!pages)
		goto out;
	err = -EPERM;
	if (!writable && vma->vm_flags & VM_WRITE)
		goto out;
	/* Not inherited by fork, not grown, not dumped; what is read-only now stays so. */
	sysprof_vm_flags_change(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP,
				VM_MAYEXEC | (writable ? 0 : VM_MAYWRITE));
	err = 0;
	for (address = vma->vm_start; address < vma->vm_end && !err; address += PAGE_SIZE)
		err = vm_insert_page(vma, address, *pages++);
out:
	mutex_unlock(&session->lock);
	return err;
}

/* The rings must stay: hold session->lock, or claim the session for read(). */
static bool anything_above(struct sysprof_session *session, u32 bytes)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (session->cpus[cpu].ring.bytes &&
		    sysprof_ring_used(&session->cpus[cpu].ring) > bytes)
			return true;
	return false;
}

static __poll_t device_poll(struct file *file, poll_table *table)
{
	struct sysprof_session *session = file->private_data;
	__poll_t events = 0;
	u32 mark;

	poll_wait(file, &session->wait, table);
	/* CONFIGURE makes the rings anew. */
	mutex_lock(&session->lock);
	mark = session->config.watermark_bytes;
	if (!mark)
		events = EPOLLERR;
	else if (anything_above(session, session->running ? mark - 1 : 0))
		events |= EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(session->has_file)) {
		WRITE_ONCE(session->has_file, false);
		events |= EPOLLIN | EPOLLRDNORM;
	}
	mutex_unlock(&session->lock);
	if (READ_ONCE(session->dead))
		events |= EPOLLHUP;
	return events;
}

/* Copies whole records of one ring; pads are not handed out. */
static ssize_t device_read_ring(struct sysprof_ring *ring, char __user *to, size_t bytes)
{
	/* Pairs with smp_store_release() in sysprof_ring_commit(). */
	u32 head = smp_load_acquire(&ring->page->head), tail = READ_ONCE(ring->tail->tail), size;
	struct sysprof_record *record;
	ssize_t copied = 0;

	while (tail != head) {
		record = (struct sysprof_record *)(ring->data + (tail & (ring->bytes - 1)));
		size = record->size * 8;
		if (record->type != SYSPROF_PAD) {
			if (size > bytes - copied) {
				if (!copied)
					copied = -EINVAL;
				break;
			}
			if (copy_to_user(to + copied, record, size))
				return -EFAULT;
			copied += size;
		}
		tail += size;
	}
	/* Pairs with smp_load_acquire() in sysprof_ring_reserve(): the records are copied. */
	smp_store_release(&ring->tail->tail, tail);
	return copied;
}

/*
 * One ring's records per call, beginning behind the ring that was read last, so that a busy CPU
 * does not hide the others.
 */
static ssize_t read_rings(struct sysprof_session *session, char __user *to, size_t bytes)
{
	struct sysprof_ring *ring;
	ssize_t copied = 0;
	int i, cpu;

	lockdep_assert_held(&session->io_lock);
	for (i = 0; i < nr_cpu_ids && !copied; i++) {
		cpu = (session->read_next + i) % nr_cpu_ids;
		ring = &session->cpus[cpu].ring;
		if (!ring->bytes)
			continue;
		copied = device_read_ring(ring, to, bytes);
		if (copied > 0)
			session->read_next = cpu + 1;
	}
	return copied;
}

static int start_default(struct sysprof_session *session)
{
	struct sysprof_config config = { .size = sizeof(config) };
	struct sysprof_start start;
	int err = sysprof_config_complete(&config, session->may_see_addresses);

	/* A reader waits: wake it early. */
	config.watermark_bytes = 1;
	if (!err)
		err = configure_filtered(session, &config, true);
	return err ? err : start_session(session, &start);
}

static ssize_t device_read(struct file *file, char __user *to, size_t bytes, loff_t *pos)
{
	struct sysprof_session *session = file->private_data;
	ssize_t ret;

	if (!READ_ONCE(session->config.ring_bytes)) {
		ret = start_default(session);
		if (ret)
			return ret;
	}
	for (;;) {
		mutex_lock(&session->io_lock);
		mutex_lock(&session->lock);
		ret = claim_reader(session, SYSPROF_READER_READ);
		mutex_unlock(&session->lock);
		/* While claimed, the rings can be neither mapped nor replaced. */
		if (!ret)
			ret = read_rings(session, to, bytes);
		mutex_unlock(&session->io_lock);
		if (ret || !READ_ONCE(session->running) || READ_ONCE(session->dead))
			return ret;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		/* Records below the watermark wake nobody: check every now and then. */
		ret = wait_event_interruptible_timeout(session->wait,
						       anything_above(session, 0) ||
							       !READ_ONCE(session->running),
						       HZ / 10);
		if (ret < 0)
			return ret;
	}
}

static const struct file_operations device_fops = {
	.owner = THIS_MODULE,
	.open = device_open,
	.release = device_release,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = device_mmap,
	.poll = device_poll,
	.read = device_read,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "sysprof-trace",
	.mode = 0660,
	.fops = &device_fops,
};

int sysprof_device_register(void)
{
	return misc_register(&device);
}

void sysprof_device_unregister(void)
{
	misc_deregister(&device);
	sysprof_revoke_exit();
}
