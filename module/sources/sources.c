// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event sources: what each session draws from them, its accounts, and the records that are not
 * events: sums of threads, and who ran on each CPU.
 */
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "charge.h"
#include "sources/event.h"
#include "filter.h"
#include "sources/holds.h"
#include "sources/irqs-off.h"
#include "session-stack.h"
#include "session.h"
#include "sources/sources.h"
#include "sources/switch.h"
#include "sources/threads.h"
#include "throttle.h"
#include "sources/waits.h"

LIST_HEAD(sysprof_taps);
DEFINE_PER_CPU(struct sysprof_lane_buffer *, sysprof_lanes);
DEFINE_PER_CPU(struct sysprof_skips, sysprof_skips);

#define WAIT_STACKS   (SYSPROF_STACKS_KERNEL | SYSPROF_STACKS_USER | SYSPROF_STACKS_WAKER)
#define PROMPT_STACKS (SYSPROF_STACKS_KERNEL | SYSPROF_STACKS_USER)
#define MIN_PERIOD_NS (10 * NSEC_PER_USEC)
#define STRIDE_MAX    PAGE_SIZE
#define MANY_TAPS     8			/* of users; the hooks of that many are not timed */
#define CHEAP_NS      (20 * NSEC_PER_USEC) /* calls that were not timed count as this at most */

/* All sources. */

static const struct kind {
	u16 kind;
	u16 unit;
	u32 stacks;
	u64 min_period;
	u16 immediate;
	struct sysprof_hooking *hooking; /* NULL: not an immediate source */
} kinds[] = {
	{ SYSPROF_SOURCE_WAIT, SYSPROF_UNIT_NS, WAIT_STACKS, SYSPROF_WAIT_PERIOD_NS },
	{ SYSPROF_SOURCE_WAKE, SYSPROF_UNIT_EVENTS, 0, 0 },
	{ SYSPROF_SOURCE_LANE, SYSPROF_UNIT_EVENTS, 0, 0 },
	{ SYSPROF_SOURCE_IRQ, SYSPROF_UNIT_NS, PROMPT_STACKS, MIN_PERIOD_NS, SYSPROF_IMMEDIATE_IRQ,
	  &sysprof_interrupts },
	{ SYSPROF_SOURCE_SOFTIRQ, SYSPROF_UNIT_NS, PROMPT_STACKS, MIN_PERIOD_NS,
	  SYSPROF_IMMEDIATE_SOFTIRQ, &sysprof_interrupts },
	{ SYSPROF_SOURCE_IRQS_OFF, SYSPROF_UNIT_NS, PROMPT_STACKS, MIN_PERIOD_NS,
	  SYSPROF_IMMEDIATE_IRQS_OFF, &sysprof_irqs_off },
	{ SYSPROF_SOURCE_PREEMPT_OFF, SYSPROF_UNIT_NS, PROMPT_STACKS, MIN_PERIOD_NS,
	  SYSPROF_IMMEDIATE_PREEMPT_OFF, &sysprof_preempt_off },
	{ SYSPROF_SOURCE_LOCK, SYSPROF_UNIT_NS, PROMPT_STACKS, MIN_PERIOD_NS,
	  SYSPROF_IMMEDIATE_LOCK, &sysprof_locks },
	{ SYSPROF_SOURCE_HOLD, SYSPROF_UNIT_NS, PROMPT_STACKS, MIN_PERIOD_NS,
	  SYSPROF_IMMEDIATE_HOLD, &sysprof_locks },
	{ SYSPROF_SOURCE_SLAB, SYSPROF_UNIT_BYTES, PROMPT_STACKS, 1, SYSPROF_IMMEDIATE_SLAB,
	  &sysprof_slab },
	{ SYSPROF_SOURCE_SLAB_FREE, SYSPROF_UNIT_BYTES, PROMPT_STACKS, 0,
	  SYSPROF_IMMEDIATE_SLAB_FREE, &sysprof_slab },
	{ SYSPROF_SOURCE_PAGE, SYSPROF_UNIT_BYTES, PROMPT_STACKS, 1, SYSPROF_IMMEDIATE_PAGE,
	  &sysprof_pages },
	{ SYSPROF_SOURCE_PAGE_FREE, SYSPROF_UNIT_BYTES, PROMPT_STACKS, 0,
	  SYSPROF_IMMEDIATE_PAGE_FREE, &sysprof_pages },
	{ SYSPROF_SOURCE_PERCPU, SYSPROF_UNIT_BYTES, PROMPT_STACKS, 1, SYSPROF_IMMEDIATE_PERCPU,
	  &sysprof_percpu },
	{ SYSPROF_SOURCE_PERCPU_FREE, SYSPROF_UNIT_BYTES, PROMPT_STACKS, 0,
	  SYSPROF_IMMEDIATE_PERCPU_FREE, &sysprof_percpu },
	{ SYSPROF_SOURCE_VMALLOC, SYSPROF_UNIT_BYTES, PROMPT_STACKS, 1, SYSPROF_IMMEDIATE_VMALLOC,
	  &sysprof_vmalloc },
	{ SYSPROF_SOURCE_VMALLOC_FREE, SYSPROF_UNIT_BYTES, PROMPT_STACKS, 0,
	  SYSPROF_IMMEDIATE_VMALLOC_FREE, &sysprof_vmalloc },
	{ SYSPROF_SOURCE_STALL, SYSPROF_UNIT_NS, PROMPT_STACKS, MIN_PERIOD_NS,
	  SYSPROF_IMMEDIATE_STALL, &sysprof_stalls },
	{ SYSPROF_SOURCE_FRAGMENT, SYSPROF_UNIT_EVENTS, PROMPT_STACKS, 1,
	  SYSPROF_IMMEDIATE_FRAGMENT, &sysprof_fragments },
	{ SYSPROF_SOURCE_FAULT, SYSPROF_UNIT_EVENTS, PROMPT_STACKS, 1, SYSPROF_IMMEDIATE_FAULT,
	  &sysprof_faults },
	{ SYSPROF_SOURCE_PAGE_CACHE, SYSPROF_UNIT_BYTES, PROMPT_STACKS, 1,
	  SYSPROF_IMMEDIATE_PAGE_CACHE, &sysprof_page_cache },
	{ SYSPROF_SOURCE_BLOCK, SYSPROF_UNIT_BYTES, PROMPT_STACKS, 1, SYSPROF_IMMEDIATE_BLOCK,
	  &sysprof_block },
	{ SYSPROF_SOURCE_BLOCK_DONE, SYSPROF_UNIT_BYTES, PROMPT_STACKS, 0,
	  SYSPROF_IMMEDIATE_BLOCK_DONE, &sysprof_block },
};

/* Reason why @session cannot have the source. */
static enum sysprof_why why_not(const struct sysprof_session *session, const struct kind *row,
				const char **missing)
{
	u16 kind = row->kind;

	*missing = kind == SYSPROF_SOURCE_LANE ? NULL :
		   row->hooking		       ? sysprof_hooking_lacks(row->hooking) :
						 sysprof_switch_lacks();
	if (*missing)
		return SYSPROF_WHY_NO_TRACEPOINT;
	if (kind == SYSPROF_SOURCE_IRQS_OFF)
		*missing = sysprof_irqs_off_lacks();
	/* This shows when everybody's threads run. */
	if (kind == SYSPROF_SOURCE_LANE && sysprof_session_hides_others() == SYSPROF_HIDES_FRAMES &&
	    !session->may_see_addresses)
		return SYSPROF_WHY_RIGHTS;
	return SYSPROF_WHY_OK;
}

int sysprof_sources_info(const struct sysprof_session *session, struct sysprof_source_infos *arg)
{
	u8 __user *to = u64_to_user_ptr(arg->infos);
	struct sysprof_source_info *info;
	const char *missing;
	int err = 0;
	u32 i;

	if (arg->reserved || arg->info_bytes < sizeof(*info) || arg->info_bytes > STRIDE_MAX)
		return -EINVAL;
	/* Members that only the caller knows are 0. */
	info = kzalloc(arg->info_bytes, GFP_KERNEL);
	if (!info)
		return -ENOMEM;
	for (i = 0; i < min_t(u32, arg->nr, ARRAY_SIZE(kinds)) && !err; i++) {
		*info = (struct sysprof_source_info){
			.kind = kinds[i].kind,
			.unit = kinds[i].unit,
			.stacks = kinds[i].stacks,
			.min_period = kinds[i].min_period,
		};
		info->why = why_not(session, &kinds[i], &missing);
		if (missing)
			strscpy(info->missing, missing, sizeof(info->missing));
		if (copy_to_user(to, info, arg->info_bytes))
			err = -EFAULT;
		to += arg->info_bytes;
	}
	kfree(info);
	arg->nr = ARRAY_SIZE(kinds);
	return err;
}

/* Requests of sessions. */

static void destroy_tap(struct sysprof_tap *tap)
{
	if (!tap)
		return;
	kvfree(tap->cpus);
	kfree(tap);
}

static u64 tap_bytes(void)
{
	return sizeof(struct sysprof_tap) + (u64)nr_cpu_ids * sizeof(struct sysprof_tap_cpu);
}

static struct sysprof_tap *create_tap(struct sysprof_session *session)
{
	struct sysprof_tap *tap = kzalloc(sizeof(*tap), GFP_KERNEL_ACCOUNT);

	if (!tap)
		return NULL;
	tap->session = session;
	tap->cpus = kvcalloc(nr_cpu_ids, sizeof(*tap->cpus), GFP_KERNEL_ACCOUNT);
	if (tap->cpus)
		return tap;
	kfree(tap);
	return NULL;
}

static int sources_add_wait(struct sysprof_tap *tap, struct sysprof_source *source)
{
	u64 period = min_t(u64, source->period, SYSPROF_MAX_PERIOD_NS);
	u32 stacks = source->stacks;

	if (tap->wait_id)
		return -EEXIST;
	if (stacks & ~WAIT_STACKS || (source->period && source->threshold) ||
	    (stacks & SYSPROF_STACKS_WAKER &&
	     !(stacks & (SYSPROF_STACKS_KERNEL | SYSPROF_STACKS_USER))))
		return -EINVAL;
	tap->wait_id = tap->n;
	tap->stacks = stacks;
	tap->takes_stacks = stacks & (SYSPROF_STACKS_KERNEL | SYSPROF_STACKS_USER);
	tap->threshold = source->threshold;
	if (period)
		tap->divisor =
			max_t(u64, 1,
			      div_u64(period + SYSPROF_WAIT_PERIOD_NS / 2, SYSPROF_WAIT_PERIOD_NS));
	if (tap->divisor)
		tap->threshold = U64_MAX;
	source->period = tap->divisor * SYSPROF_WAIT_PERIOD_NS;
	return 0;
}

static int add_lane(struct sysprof_tap *tap, const struct sysprof_source *source)
{
	if (tap->lane_id)
		return -EEXIST;
	if (source->stacks || source->period || source->threshold)
		return -EINVAL;
	tap->lane_id = tap->n;
	return 0;
}

static int add_immediate(struct sysprof_tap *tap, const struct kind *kind,
			 struct sysprof_source *source)
{
	struct sysprof_immediate_request *request = &tap->immediate[kind->immediate];

	if (request->id)
		return -EEXIST;
	if (source->stacks & ~kind->stacks || (source->period && source->threshold))
		return -EINVAL;
	/* An event that ends something is picked with the event that began it. */
	if (!kind->min_period && (source->period || source->threshold))
		return -EINVAL;
	if (source->period)
		source->period = clamp_t(u64, source->period, kind->min_period, U32_MAX);
	*request = (struct sysprof_immediate_request){
		.id = tap->n,
		.stacks = source->stacks,
		.period = source->period,
		.threshold = source->threshold,
	};
	return 0;
}

static int add_source(struct sysprof_tap *tap, struct sysprof_source *source)
{
	const struct kind *kind = NULL;
	const char *missing;
	u32 i;

	source->id = ++tap->n;
	source->why = SYSPROF_WHY_UNKNOWN;
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].kind == source->kind && source->kind != SYSPROF_SOURCE_WAKE) {
			kind = &kinds[i];
			source->unit = kind->unit;
			source->why = why_not(tap->session, kind, &missing);
		}
	if (source->why)
		return source->why == SYSPROF_WHY_RIGHTS ? -EPERM : -EOPNOTSUPP;
	if (kind->hooking)
		return add_immediate(tap, kind, source);
	return source->kind == SYSPROF_SOURCE_WAIT ? sources_add_wait(tap, source) :
						     add_lane(tap, source);
}

/* Reads, answers and writes back all of them; the error of the first that has to be there. */
static int read_sources(struct sysprof_tap *tap, const struct sysprof_sources *arg)
{
	u8 __user *at = u64_to_user_ptr(arg->sources);
	struct sysprof_source source;
	int err, first = 0;
	u32 i;

	for (i = 0; i < arg->nr; i++, at += arg->source_bytes) {
		err = copy_struct_from_user(&source, sizeof(source), at, arg->source_bytes);
		if (err)
			return err;
		if (source.reserved || source.flags & ~SYSPROF_SOURCE_OPTIONAL) {
			tap->n++;
			err = -EINVAL;
		} else {
			err = add_source(tap, &source);
		}
		source.error = err;
		if (copy_to_user(at, &source, sizeof(source)))
			return -EFAULT;
		if (err && !first && !(source.flags & SYSPROF_SOURCE_OPTIONAL))
			first = err;
	}
	if (tap->stacks & SYSPROF_STACKS_WAKER)
		tap->wake_id = tap->n + 1;
	return first;
}

/* Under io_lock: START takes it too, so the sources that are armed are those that are begun. */
static int install_tap(struct sysprof_session *session, struct sysprof_tap *tap)
{
	int err = 0;

	mutex_lock(&session->lock);
	if (session->running)
		err = -EBUSY;
	else if (tap && !session->tap)
		err = sysprof_charge_add(session->charge, tap_bytes());
	else if (!tap && session->tap)
		sysprof_charge_sub(session->charge, tap_bytes());
	if (!err)
		swap(session->tap, tap);
	mutex_unlock(&session->lock);
	destroy_tap(tap);
	return err;
}

int sysprof_sources_set(struct sysprof_session *session, const struct sysprof_sources *arg)
{
	struct sysprof_tap *tap;
	int err;

	lockdep_assert_held(&session->io_lock);
	if (arg->flags || arg->nr > SYSPROF_SOURCES_MAX)
		return -EINVAL;
	if (!arg->nr)
		return install_tap(session, NULL);
	if (arg->source_bytes < sizeof(struct sysprof_source) || arg->source_bytes > STRIDE_MAX)
		return -EINVAL;
	if (READ_ONCE(session->running))
		return -EBUSY;
	tap = create_tap(session);
	if (!tap)
		return -ENOMEM;
	err = read_sources(tap, arg);
	if (err) {
		destroy_tap(tap);
		return err;
	}
	return install_tap(session, tap);
}

void sysprof_sources_destroy(struct sysprof_session *session)
{
	if (session->tap)
		sysprof_charge_sub(session->charge, tap_bytes());
	destroy_tap(session->tap);
}

/* Switching sources on and off. */

static struct sysprof_arming *arming_of(const struct kind *row)
{
	return row->hooking ? &row->hooking->arming : &sysprof_switches;
}

/* Wakings come with waits. */
static bool is_requested(const struct sysprof_tap *tap, const struct kind *row)
{
	return row->hooking			? tap->immediate[row->immediate].id :
	       row->kind == SYSPROF_SOURCE_WAIT ? tap->wait_id :
	       row->kind == SYSPROF_SOURCE_LANE ? tap->lane_id :
						  false;
}

u32 sysprof_sources_requests(const struct sysprof_session *session)
{
	u32 requests = 0;
	int i;

	for (i = 0; session->tap && i < ARRAY_SIZE(kinds); i++)
		if (is_requested(session->tap, &kinds[i]))
			requests |= BIT(i);
	return requests;
}

void sysprof_sources_disarm(u32 requests)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (requests & BIT(i))
			sysprof_disarm(arming_of(&kinds[i]));
}

int sysprof_sources_arm(u32 requests)
{
	int i, err;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!(requests & BIT(i)))
			continue;
		err = sysprof_arm(arming_of(&kinds[i]));
		if (err) {
			sysprof_sources_disarm(requests & (BIT(i) - 1));
			return err;
		}
	}
	return 0;
}

void sysprof_sources_exit(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		sysprof_disarm_now(arming_of(&kinds[i]));
}

/* Number of taps that are not exempt. */
static unsigned int n_users;

/* Those of a tap that stays keep their place, so that switches see each of them once. */
static void link_lanes(int cpu)
{
	struct sysprof_lane_buffer *newest = NULL, *entries;
	struct sysprof_tap *tap;

	list_for_each_entry(tap, &sysprof_taps, link) {
		if (!tap->lane_id)
			continue;
		entries = &tap->cpus[cpu].entries;
		WRITE_ONCE(entries->older, newest);
		newest = entries;
	}
	/* Pairs with the dependent loads of switches: what they see is filled in. */
	smp_store_release(per_cpu_ptr(&sysprof_lanes, cpu), newest);
}

static void sources_update_requests(void)
{
	u8 wakes = SYSPROF_WAKES_NONE;
	struct sysprof_tap *tap;
	bool holds = false;
	int cpu;

	for_each_possible_cpu(cpu)
		link_lanes(cpu);
	list_for_each_entry(tap, &sysprof_taps, link) {
		holds |= tap->immediate[SYSPROF_IMMEDIATE_HOLD].id;
		if (tap->wake_id)
			wakes = max_t(u8, wakes,
				      tap->divisor ? SYSPROF_WAKES_GRID : SYSPROF_WAKES_ALL);
	}
	WRITE_ONCE(sysprof_holds_wanted, holds);
	WRITE_ONCE(sysprof_wakes_wanted, wakes);
	/* Pairs with the acquire in note_changes() of immediate.c: the list has changed. */
	smp_store_release(&sysprof_immediate_changes, sysprof_immediate_changes + 1);
}

/* A free bit, or the last one if all are in use. */
static u8 choose_bit(void)
{
	struct sysprof_tap *tap;
	u64 taken = 0;

	list_for_each_entry(tap, &sysprof_taps, link)
		taken |= BIT_ULL(tap->bit);
	return ~taken ? __ffs64(~taken) : 63;
}

void sysprof_sources_begin(struct sysprof_session *session)
{
	struct sysprof_tap *tap = session->tap;
	u64 now = ktime_get_mono_fast_ns();
	int cpu, i;

	if (!sysprof_sources_requests(session))
		return;
	memset(tap->cpus, 0, nr_cpu_ids * sizeof(*tap->cpus));
	tap->is_exempt = session->is_exempt;
	tap->is_plain = !session->filter && !session->hides_others;
	tap->bit = choose_bit();
	tap->start = now;
	tap->first_period = div_u64(now, SYSPROF_WAIT_PERIOD_NS) + 1;
	sysprof_event_request(session, tap->stacks, &tap->request);
	for (i = 0; i < SYSPROF_IMMEDIATES; i++)
		sysprof_event_request(session, tap->immediate[i].stacks, &tap->immediate[i].stack);
	for_each_possible_cpu(cpu) {
		tap->cpus[cpu].account_time = now;
		tap->cpus[cpu].entries.tap = tap;
		tap->cpus[cpu].skipped_before = per_cpu_ptr(&sysprof_skips, cpu)->n;
		tap->cpus[cpu].follows_skips = !tap->is_exempt;
		sysprof_switch_cost(cpu, &tap->cpus[cpu].cost_before_ns,
				    &tap->cpus[cpu].calls_before);
		for (i = 0; i < SYSPROF_IMMEDIATES; i++)
			sysprof_immediate_cost(cpu, i, &tap->cpus[cpu].immediate_cost_before_ns[i],
					       &tap->cpus[cpu].immediate_calls_before[i]);
		tap->is_plain &= cpumask_test_cpu(cpu, session->cpumask);
	}
	tap->plain_from = tap->wait_id && tap->is_plain ? now : U64_MAX;
	if (tap->is_exempt)
		list_add_rcu(&tap->link, &sysprof_taps);
	else
		list_add_tail_rcu(&tap->link, &sysprof_taps);
	WRITE_ONCE(n_users, n_users + !tap->is_exempt);
	/* Pairs with the acquire in sysprof_sources_tell(): the accounts are cleared. */
	smp_store_release(&tap->is_on, true);
	sources_update_requests();
}

void sysprof_sources_end(struct sysprof_session *session)
{
	if (!sysprof_sources_requests(session))
		return;
	WRITE_ONCE(session->tap->is_on, false);
	list_del_rcu(&session->tap->link);
	WRITE_ONCE(n_users, n_users - !session->tap->is_exempt);
	sources_update_requests();
}

/* Accounts. */

static void sources_add_left_out(struct sysprof_tap *tap, struct sysprof_tap_cpu *own)
{
	struct sysprof_tally *to = tap->divisor ? &own->wait.not_picked : &own->wait.below;
	const struct sysprof_tally *from = &own->left_out;

	to->events += from->events;
	to->value += from->value;
	to->ns += from->ns;
	own->wait.seen.events += from->events;
	own->wait.seen.value += from->value;
	own->wait.seen.ns += from->ns;
	own->left_out = (struct sysprof_tally){};
}

static void count_skipped(struct sysprof_source_account *account, u64 *before, u64 n)
{
	account->seen.events += n - *before;
	account->lost[SYSPROF_LOST_THROTTLED].events += n - *before;
	*before = n;
}

/* Events of which the session was not asked count as throttled, with nothing but their number. */
static void add_skipped(struct sysprof_tap_cpu *own, int cpu)
{
	const struct sysprof_skipped *n = &per_cpu_ptr(&sysprof_skips, cpu)->n;
	int i;

	if (!own->follows_skips)
		return;
	count_skipped(&own->wait, &own->skipped_before.waits, n->waits);
	count_skipped(&own->lane, &own->skipped_before.switches, n->switches);
	for (i = 0; i < SYSPROF_IMMEDIATES; i++)
		count_skipped(&own->immediate[i], &own->skipped_before.immediates[i],
			      n->immediates[i]);
}

static void set_cost(struct sysprof_source_account *account, const struct sysprof_tap_cpu *own,
		     int cpu)
{
	sysprof_switch_cost(cpu, &account->cost_ns, &account->calls);
	account->cost_ns -= own->cost_before_ns;
	account->calls -= own->calls_before;
}

static struct sysprof_source_account *account_of(struct sysprof_tap *tap, int cpu, u32 id)
{
	struct sysprof_tap_cpu *own = &tap->cpus[cpu];
	struct sysprof_source_account *account;
	int i;

	if (!id)
		return NULL;
	sources_add_left_out(tap, own);
	add_skipped(own, cpu);
	for (i = 0; i < SYSPROF_IMMEDIATES; i++)
		if (id == tap->immediate[i].id) {
			sysprof_immediate_follow(tap, cpu, i);
			sysprof_immediate_cost(cpu, i, &own->immediate[i].cost_ns,
					       &own->immediate[i].calls);
			own->immediate[i].cost_ns -= own->immediate_cost_before_ns[i];
			own->immediate[i].calls -= own->immediate_calls_before[i];
			return &own->immediate[i];
		}
	account = id == tap->wait_id ? &own->wait :
		  id == tap->wake_id ? &own->wake :
		  id == tap->lane_id ? &own->lane :
				       NULL;
	if (account)
		set_cost(account, own, cpu);
	return account;
}

static void put_account(struct sysprof_tap *tap, struct sysprof_session_cpu *sc, u16 id, u16 kind)
{
	struct sysprof_source_account *account = account_of(tap, sc->cpu, id);
	struct sysprof_source_account_record *record;

	if (!account)
		return;
	record = sysprof_delivery_reserve(sc, sizeof(*record), sc->ring.bytes,
					  SYSPROF_SOURCE_ACCOUNT);
	if (!record)
		return;
	record->source = id;
	record->kind = kind;
	record->reserved = 0;
	record->account = *account;
	sysprof_ring_commit(&sc->ring);
}

void sysprof_tap_put_accounts(struct sysprof_tap *tap, struct sysprof_session_cpu *sc, u64 now)
{
	int i;

	put_account(tap, sc, tap->wait_id, SYSPROF_SOURCE_WAIT);
	put_account(tap, sc, tap->wake_id, SYSPROF_SOURCE_WAKE);
	put_account(tap, sc, tap->lane_id, SYSPROF_SOURCE_LANE);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].hooking)
			put_account(tap, sc, tap->immediate[kinds[i].immediate].id, kinds[i].kind);
	tap->cpus[sc->cpu].account_time = now;
}

void sysprof_sources_tell(struct sysprof_session_cpu *sc, u64 now)
{
	struct sysprof_tap *tap = sc->session->tap;

	/* Pairs with the release in sysprof_sources_begin(). */
	if (tap && smp_load_acquire(&tap->is_on))
		sysprof_tap_tell(tap, sc, now);
}

/* Lanes. */

static void flush_lane(struct sysprof_tap *tap, struct sysprof_session_cpu *sc)
{
	struct sysprof_lane_buffer *entries = &tap->cpus[sc->cpu].entries;
	struct sysprof_source_account *account = &tap->cpus[sc->cpu].lane;
	u32 bytes = sizeof(struct sysprof_lane) + entries->n * sizeof(u64);
	struct sysprof_lane *lane;

	if (!entries->n)
		return;
	account->seen.events += entries->n;
	lane = sysprof_delivery_reserve(sc, bytes, sc->ring.bytes / 2, SYSPROF_LANE);
	if (lane) {
		lane->record.flags = entries->has_gap ? SYSPROF_LANE_GAP : 0;
		lane->begin = entries->begin;
		lane->n = entries->n;
		lane->tid = entries->tid;
		memcpy(lane->entries, entries->entries, entries->n * sizeof(u64));
		sysprof_ring_commit(&sc->ring);
		account->delivered.events += entries->n;
	} else {
		account->lost[SYSPROF_LOST_RING_FULL].events += entries->n;
	}
	entries->has_gap = !lane;
	entries->n = 0;
	entries->until = 0;
}

void sysprof_tap_lane(struct sysprof_lane_buffer *entries, u64 now, const struct task_struct *prev,
		      u8 left, const struct task_struct *next)
{
	int cpu = smp_processor_id();
	struct sysprof_tap *tap = entries->tap;
	struct sysprof_session_cpu *sc = &tap->session->cpus[cpu];

	/* Limited to a second: distances have room for more. */
	BUILD_BUG_ON(NSEC_PER_SEC >> (64 - SYSPROF_LANE_NS_SHIFT));
	if (!sc->joined || !cpumask_test_cpu(cpu, tap->session->cpumask))
		return;
	flush_lane(tap, sc);
	sysprof_tap_tell(tap, sc, now);
	sysprof_delivery_wake(tap->session, sc);
	entries->begin = entries->last = now;
	entries->until = now + NSEC_PER_SEC;
	entries->tid = prev->pid;
	sysprof_lane_put(entries, now, left, next);
}

void sysprof_sources_flush(struct sysprof_session *session, int cpu)
{
	struct sysprof_session_cpu *sc = &session->cpus[cpu];

	if (!sysprof_sources_requests(session) || !sc->joined)
		return;
	if (session->tap->lane_id)
		flush_lane(session->tap, sc);
	sysprof_tap_put_accounts(session->tap, sc, ktime_get_mono_fast_ns());
	sysprof_immediate_end(session->tap, cpu);
	session->tap->cpus[cpu].follows_skips = false;
}

/* What hooks of many sessions take. */

/* Switches that are skipped are a gap of the lanes. */
static void end_lanes(struct sysprof_tap *tap)
{
	int cpu = smp_processor_id();
	struct sysprof_session_cpu *sc = &tap->session->cpus[cpu];

	if (!tap->lane_id || !sc->joined)
		return;
	flush_lane(tap, sc);
	tap->cpus[cpu].entries.has_gap = true;
}

static bool has_to_skip(u64 now)
{
	return READ_ONCE(n_users) > MANY_TAPS &&
	       sysprof_throttle_until(SYSPROF_PAID_BY_USERS_EVENTS) > now;
}

bool sysprof_taps_still_skip(void)
{
	bool skips = has_to_skip(ktime_get_mono_fast_ns());

	this_cpu_write(sysprof_skips.on, skips);
	return skips;
}

void sysprof_taps_pay(u64 now, u64 cost_ns, u32 calls)
{
	struct sysprof_tap *tap;

	/* Of calls that skip nothing has to be paid. */
	if (likely(READ_ONCE(n_users) <= MANY_TAPS) || this_cpu_read(sysprof_skips.on))
		return;
	cost_ns += min_t(u64, cost_ns, CHEAP_NS) * (calls - 1);
	sysprof_throttle_spend(SYSPROF_PAID_BY_USERS_EVENTS, now, cost_ns);
	if (likely(!has_to_skip(now)))
		return;
	this_cpu_write(sysprof_skips.on, true);
	rcu_read_lock();
	sysprof_for_each_tap(tap)
		if (!tap->is_exempt)
			end_lanes(tap);
	rcu_read_unlock();
}

void sysprof_taps_lane_skipping(u64 now, const struct task_struct *prev, u8 left,
				const struct task_struct *next)
{
	struct sysprof_lane_buffer *entries;
	struct sysprof_tap *tap;

	this_cpu_inc(sysprof_skips.n.switches);
	sysprof_for_each_asked_tap(tap, true) {
		if (!tap->lane_id)
			continue;
		entries = &tap->cpus[smp_processor_id()].entries;
		if (likely(now < entries->until))
			sysprof_lane_put(entries, now, left, next);
		else
			sysprof_tap_lane(entries, now, prev, left, next);
	}
}

int sysprof_sources_account(struct sysprof_session *session, int cpu, u32 id,
			    struct sysprof_source_account *ret)
{
	struct sysprof_source_account *account;

	if (!session->tap)
		return -EINVAL;
	account = account_of(session->tap, cpu, id);
	if (!account)
		return -EINVAL;
	if (id == session->tap->lane_id && session->cpus[cpu].joined)
		flush_lane(session->tap, &session->cpus[cpu]);
	*ret = *account;
	return 0;
}

/* Threads. */

static bool may_have_thread(const struct sysprof_session *session, const struct task_struct *task)
{
	return sysprof_filter_passes_task(session->filter, task) &&
	       sysprof_session_hides(session, task) != SYSPROF_HIDES_FRAMES;
}

void sysprof_taps_thread(struct task_struct *task, struct sysprof_thread *record)
{
	struct sysprof_session_cpu *sc;
	struct sysprof_tap *tap;

	sysprof_for_each_tap(tap) {
		sc = &tap->session->cpus[smp_processor_id()];
		if (!tap->wait_id || !sc->joined || READ_ONCE(tap->session->dead) ||
		    !may_have_thread(tap->session, task))
			continue;
		sysprof_delivery_put_state(sc, &record->record);
	}
}

bool sysprof_sources_has_threads(const struct sysprof_session *session)
{
	return session->tap && session->tap->wait_id && READ_ONCE(session->running);
}

int sysprof_sources_thread(const struct sysprof_session *session, struct task_struct *task,
			   struct sysprof_thread *record)
{
	struct sysprof_slot *slot;
	int err = -ENOENT;

	if (!may_have_thread(session, task))
		return err;
	slot = sysprof_threads_find(task);
	if (slot)
		err = sysprof_threads_sum(task, slot, ktime_get_mono_fast_ns(), record);
	if (!err)
		record->record.time = record->at;
	return err;
}
