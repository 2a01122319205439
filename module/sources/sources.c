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

#include "session-quota.h"
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
#include "sysprof-named.h"

LIST_HEAD(sysprof_subscriptions);
DEFINE_PER_CPU(struct sysprof_lane_buffer *, sysprof_lanes);
DEFINE_PER_CPU(struct sysprof_skips, sysprof_skips);

#define WAIT_STACKS   (SYSPROF_STACKS_KERNEL | SYSPROF_STACKS_USER | SYSPROF_STACKS_WAKER)
#define IMMEDIATE_STACKS   (SYSPROF_STACKS_KERNEL | SYSPROF_STACKS_USER)
#define MANY_SUBSCRIPTIONS 8			/* of users; the hooks of that many are not timed */
#define USERS_BITS    48 /* sessions of users leave the other bits to exempt ones */
#define CHEAP_NS      (20 * NSEC_PER_USEC) /* calls that were not timed count as this at most */

/* All sources. */

#define IMMEDIATE(NAME, unit, period, hooking)                                                     \
	{ SYSPROF_SOURCE_##NAME, SYSPROF_UNIT_##unit, IMMEDIATE_STACKS, period,                    \
	  SYSPROF_IMMEDIATE_##NAME, &sysprof_##hooking },

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
	SYSPROF_IMMEDIATE_SOURCES(IMMEDIATE)
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

static void destroy_subscription(struct sysprof_subscription *sub)
{
	if (!sub)
		return;
	kvfree(sub->cpus);
	kfree(sub);
}

static u64 subscription_bytes(void)
{
	return sizeof(struct sysprof_subscription) +
	       (u64)nr_cpu_ids * sizeof(struct sysprof_subscription_cpu);
}

static struct sysprof_subscription *create_subscription(struct sysprof_session *session)
{
	struct sysprof_subscription *sub = kzalloc(sizeof(*sub), GFP_KERNEL_ACCOUNT);

	if (!sub)
		return NULL;
	sub->session = session;
	sub->cpus = kvcalloc(nr_cpu_ids, sizeof(*sub->cpus), GFP_KERNEL_ACCOUNT);
	if (sub->cpus)
		return sub;
	kfree(sub);
	return NULL;
}

static int sources_add_wait(struct sysprof_subscription *sub, struct sysprof_source *source)
{
	u64 period = min_t(u64, source->period, SYSPROF_MAX_PERIOD_NS);
	u32 stacks = source->stacks;

	if (sub->wait_id)
		return -EEXIST;
	if (stacks & ~WAIT_STACKS || (source->period && source->threshold) ||
	    (stacks & SYSPROF_STACKS_WAKER &&
	     !(stacks & (SYSPROF_STACKS_KERNEL | SYSPROF_STACKS_USER))))
		return -EINVAL;
	sub->wait_id = sub->n;
	sub->stacks = stacks;
	sub->takes_stacks = stacks & (SYSPROF_STACKS_KERNEL | SYSPROF_STACKS_USER);
	sub->threshold = source->threshold;
	if (period)
		sub->divisor =
			max_t(u64, 1,
			      div_u64(period + SYSPROF_WAIT_PERIOD_NS / 2, SYSPROF_WAIT_PERIOD_NS));
	if (sub->divisor)
		sub->threshold = U64_MAX;
	source->period = sub->divisor * SYSPROF_WAIT_PERIOD_NS;
	return 0;
}

static int add_lane(struct sysprof_subscription *sub, const struct sysprof_source *source)
{
	if (sub->lane_id)
		return -EEXIST;
	if (source->stacks || source->period || source->threshold)
		return -EINVAL;
	sub->lane_id = sub->n;
	return 0;
}

static int add_immediate(struct sysprof_subscription *sub, const struct kind *kind,
			 struct sysprof_source *source)
{
	struct sysprof_immediate_request *request = &sub->immediate[kind->immediate];

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
		.id = sub->n,
		.stacks = source->stacks,
		.period = source->period,
		.threshold = source->threshold,
	};
	return 0;
}

static int add_source(struct sysprof_subscription *sub, struct sysprof_source *source)
{
	const struct kind *kind = NULL;
	const char *missing;
	u32 i;

	source->id = ++sub->n;
	source->why = SYSPROF_WHY_UNKNOWN;
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].kind == source->kind && source->kind != SYSPROF_SOURCE_WAKE) {
			kind = &kinds[i];
			source->unit = kind->unit;
			source->why = why_not(sub->session, kind, &missing);
		}
	if (source->why)
		return source->why == SYSPROF_WHY_RIGHTS ? -EPERM : -EOPNOTSUPP;
	if (kind->hooking)
		return add_immediate(sub, kind, source);
	return source->kind == SYSPROF_SOURCE_WAIT ? sources_add_wait(sub, source) :
						     add_lane(sub, source);
}

/* Reads, answers and writes back all of them; the error of the first that has to be there. */
static int read_sources(struct sysprof_subscription *sub, const struct sysprof_sources *arg)
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
			sub->n++;
			err = -EINVAL;
		} else {
			err = add_source(sub, &source);
		}
		source.error = err;
		if (copy_to_user(at, &source, sizeof(source)))
			return -EFAULT;
		if (err && !first && !(source.flags & SYSPROF_SOURCE_OPTIONAL))
			first = err;
	}
	if (sub->stacks & SYSPROF_STACKS_WAKER)
		sub->wake_id = sub->n + 1;
	return first;
}

/* Under io_lock: START takes it too, so the sources that are armed are those that are begun. */
static int install_subscription(struct sysprof_session *session, struct sysprof_subscription *sub)
{
	int err = 0;

	mutex_lock(&session->lock);
	if (session->running)
		err = -EBUSY;
	else if (sub && !session->sub)
		err = sysprof_session_quota_add(session->charge, subscription_bytes());
	else if (!sub && session->sub)
		sysprof_session_quota_sub(session->charge, subscription_bytes());
	if (!err)
		swap(session->sub, sub);
	mutex_unlock(&session->lock);
	destroy_subscription(sub);
	return err;
}

int sysprof_sources_set(struct sysprof_session *session, const struct sysprof_sources *arg)
{
	struct sysprof_subscription *sub;
	int err;

	lockdep_assert_held(&session->io_lock);
	if (!arg->nr)
		return install_subscription(session, NULL);
	if (READ_ONCE(session->running))
		return -EBUSY;
	sub = create_subscription(session);
	if (!sub)
		return -ENOMEM;
	err = read_sources(sub, arg);
	if (err) {
		destroy_subscription(sub);
		return err;
	}
	return install_subscription(session, sub);
}

void sysprof_sources_destroy(struct sysprof_session *session)
{
	sysprof_session_quota_sub(session->charge, subscription_bytes());
	destroy_subscription(session->sub);
}

/* Switching sources on and off. */

static struct sysprof_arming *arming_of(const struct kind *row)
{
	return row->hooking ? &row->hooking->arming : &sysprof_switches;
}

/* Wakings come with waits. */
static bool source_is_requested(const struct sysprof_subscription *sub, const struct kind *row)
{
	return row->hooking			? sub->immediate[row->immediate].id :
	       row->kind == SYSPROF_SOURCE_WAIT ? sub->wait_id :
	       row->kind == SYSPROF_SOURCE_LANE ? sub->lane_id :
						  false;
}

u32 sysprof_sources_requests(const struct sysprof_session *session)
{
	u32 requests = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (source_is_requested(session->sub, &kinds[i]))
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

void sysprof_sources_disarm_now(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		sysprof_disarm_now(arming_of(&kinds[i]));
}

/* Number of subscriptions that are not exempt. */
static unsigned int n_users;
/* Hooks see none of those that have ended once this grace period is over. */
static unsigned long end_of_last;

/* Those of a subscription that stays keep their place, so that switches see each of them once. */
static void link_lanes(int cpu)
{
	struct sysprof_lane_buffer *newest = NULL, *entries;
	struct sysprof_subscription *sub;

	list_for_each_entry(sub, &sysprof_subscriptions, link) {
		if (!sub->lane_id)
			continue;
		entries = &sub->cpus[cpu].entries;
		WRITE_ONCE(entries->older, newest);
		newest = entries;
	}
	/* Pairs with the dependent loads of switches: what they see is filled in. */
	smp_store_release(per_cpu_ptr(&sysprof_lanes, cpu), newest);
}

static void sources_update_requests(void)
{
	u8 wakes = SYSPROF_WAKES_NONE;
	struct sysprof_subscription *sub;
	bool holds = false;
	int cpu;

	for_each_possible_cpu(cpu)
		link_lanes(cpu);
	list_for_each_entry(sub, &sysprof_subscriptions, link) {
		holds |= sub->immediate[SYSPROF_IMMEDIATE_HOLD].id;
		if (sub->wake_id)
			wakes = max_t(u8, wakes,
				      sub->divisor ? SYSPROF_WAKES_GRID : SYSPROF_WAKES_ALL);
	}
	WRITE_ONCE(sysprof_holds_wanted, holds);
	WRITE_ONCE(sysprof_wakes_wanted, wakes);
	/* Pairs with the acquire in note_changes() of immediate.c: the list has changed. */
	smp_store_release(&sysprof_immediate_changes, sysprof_immediate_changes + 1);
}

/* A free bit; 0: there is none.  Two that shared one would get each other's CLOSEs. */
static u64 choose_bit(bool is_exempt)
{
	struct sysprof_subscription *sub;
	u64 taken = is_exempt ? 0 : GENMASK_ULL(63, USERS_BITS);

	list_for_each_entry(sub, &sysprof_subscriptions, link)
		taken |= sub->bit;
	return ~taken ? BIT_ULL(__ffs64(~taken)) : 0;
}

/* Holders that somebody waits for may have the bit of a session that has ended. */
static void forget_holds(const struct sysprof_subscription *sub)
{
	if (!sub->immediate[SYSPROF_IMMEDIATE_HOLD].id)
		return;
	cond_synchronize_rcu(end_of_last);
	/* A hook that has read it of a holder must not go on to find this session. */
	if (sysprof_holds_forget(sub->bit))
		synchronize_rcu();
}

void sysprof_sources_begin(struct sysprof_session *session)
{
	struct sysprof_subscription *sub = session->sub;
	u64 now = ktime_get_mono_fast_ns();
	int cpu, i;

	if (!sysprof_sources_requests(session))
		return;
	memset(sub->cpus, 0, nr_cpu_ids * sizeof(*sub->cpus));
	sub->is_exempt = session->is_exempt;
	sub->is_plain = !session->filter && !session->hides_others;
	sub->bit = choose_bit(sub->is_exempt);
	forget_holds(sub);
	sub->start = now;
	sub->first_period = div_u64(now, SYSPROF_WAIT_PERIOD_NS) + 1;
	sysprof_event_request(session, sub->stacks, &sub->request);
	for (i = 0; i < SYSPROF_IMMEDIATES; i++)
		sysprof_event_request(session, sub->immediate[i].stacks, &sub->immediate[i].stack);
	for_each_possible_cpu(cpu) {
		sub->cpus[cpu].account_time = now;
		sub->cpus[cpu].entries.sub = sub;
		sub->cpus[cpu].skipped_before = per_cpu_ptr(&sysprof_skips, cpu)->n;
		sub->cpus[cpu].follows_skips = !sub->is_exempt;
		sysprof_switch_cost(cpu, &sub->cpus[cpu].cost_before_ns,
				    &sub->cpus[cpu].calls_before);
		for (i = 0; i < SYSPROF_IMMEDIATES; i++)
			sysprof_immediate_cost(cpu, i, &sub->cpus[cpu].immediate_cost_before_ns[i],
					       &sub->cpus[cpu].immediate_calls_before[i]);
		sub->is_plain &= cpumask_test_cpu(cpu, session->cpumask);
	}
	sub->plain_from = sub->wait_id && sub->is_plain ? now : U64_MAX;
	if (sub->is_exempt)
		list_add_rcu(&sub->link, &sysprof_subscriptions);
	else
		list_add_tail_rcu(&sub->link, &sysprof_subscriptions);
	WRITE_ONCE(n_users, n_users + !sub->is_exempt);
	/* Pairs with the acquire in sysprof_sources_tell(): the accounts are cleared. */
	smp_store_release(&sub->is_on, true);
	sources_update_requests();
}

void sysprof_sources_end(struct sysprof_session *session)
{
	if (!sysprof_sources_requests(session))
		return;
	WRITE_ONCE(session->sub->is_on, false);
	list_del_rcu(&session->sub->link);
	end_of_last = get_state_synchronize_rcu();
	WRITE_ONCE(n_users, n_users - !session->sub->is_exempt);
	sources_update_requests();
}

/* Accounts. */

static void sources_add_left_out(struct sysprof_subscription *sub,
				 struct sysprof_subscription_cpu *own)
{
	struct sysprof_tally *to = sub->divisor ? &own->wait.not_picked : &own->wait.below;
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
static void add_skipped(struct sysprof_subscription_cpu *own, int cpu)
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

/* What hooks take once the session has ended is not its cost, and may be counted from 0 again. */
static bool has_cost(const struct sysprof_subscription *sub, int cpu)
{
	return sub->session->cpus[cpu].joined;
}

static void set_cost(struct sysprof_source_account *account,
		     const struct sysprof_subscription_cpu *own, int cpu)
{
	sysprof_switch_cost(cpu, &account->cost_ns, &account->calls);
	account->cost_ns -= own->cost_before_ns;
	account->calls -= own->calls_before;
}

static struct sysprof_source_account *account_of(struct sysprof_subscription *sub, int cpu, u32 id)
{
	struct sysprof_subscription_cpu *own = &sub->cpus[cpu];
	struct sysprof_source_account *account;
	int i;

	if (!id)
		return NULL;
	sources_add_left_out(sub, own);
	add_skipped(own, cpu);
	for (i = 0; i < SYSPROF_IMMEDIATES; i++)
		if (id == sub->immediate[i].id) {
			sysprof_immediate_follow(sub, cpu, i);
			if (!has_cost(sub, cpu))
				return &own->immediate[i];
			sysprof_immediate_cost(cpu, i, &own->immediate[i].cost_ns,
					       &own->immediate[i].calls);
			own->immediate[i].cost_ns -= own->immediate_cost_before_ns[i];
			own->immediate[i].calls -= own->immediate_calls_before[i];
			return &own->immediate[i];
		}
	account = id == sub->wait_id ? &own->wait :
		  id == sub->wake_id ? &own->wake :
		  id == sub->lane_id ? &own->lane :
				       NULL;
	if (account && has_cost(sub, cpu))
		set_cost(account, own, cpu);
	return account;
}

static void put_account(struct sysprof_subscription *sub, struct sysprof_session_cpu *sc, u16 id,
			u16 kind)
{
	struct sysprof_source_account *account = account_of(sub, sc->cpu, id);
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

void sysprof_subscription_put_accounts(struct sysprof_subscription *sub,
				       struct sysprof_session_cpu *sc, u64 now)
{
	int i;

	put_account(sub, sc, sub->wait_id, SYSPROF_SOURCE_WAIT);
	put_account(sub, sc, sub->wake_id, SYSPROF_SOURCE_WAKE);
	put_account(sub, sc, sub->lane_id, SYSPROF_SOURCE_LANE);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].hooking)
			put_account(sub, sc, sub->immediate[kinds[i].immediate].id, kinds[i].kind);
	sub->cpus[sc->cpu].account_time = now;
}

void sysprof_sources_tell(struct sysprof_session_cpu *sc, u64 now)
{
	struct sysprof_subscription *sub = sc->session->sub;

	/* Pairs with the release in sysprof_sources_begin(). */
	if (smp_load_acquire(&sub->is_on))
		sysprof_subscription_tell(sub, sc, now);
}

/* Lanes. */

static void flush_lane(struct sysprof_subscription *sub, struct sysprof_session_cpu *sc)
{
	struct sysprof_lane_buffer *entries = &sub->cpus[sc->cpu].entries;
	struct sysprof_source_account *account = &sub->cpus[sc->cpu].lane;
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

void sysprof_subscription_lane(struct sysprof_lane_buffer *entries, u64 now,
			       const struct task_struct *prev, u8 left,
			       const struct task_struct *next)
{
	int cpu = smp_processor_id();
	struct sysprof_subscription *sub = entries->sub;
	struct sysprof_session_cpu *sc = &sub->session->cpus[cpu];

	/* Limited to a second: distances have room for more. */
	BUILD_BUG_ON(NSEC_PER_SEC >> (64 - SYSPROF_LANE_NS_SHIFT));
	if (!sc->joined || !cpumask_test_cpu(cpu, sub->session->cpumask))
		return;
	flush_lane(sub, sc);
	sysprof_subscription_tell(sub, sc, now);
	sysprof_delivery_wake(sub->session, sc);
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
	if (session->sub->lane_id)
		flush_lane(session->sub, sc);
	sysprof_subscription_put_accounts(session->sub, sc, ktime_get_mono_fast_ns());
	sysprof_immediate_end(session->sub, cpu);
	session->sub->cpus[cpu].follows_skips = false;
}

/* What hooks of many sessions take. */

/* Switches that are skipped are a gap of the lanes. */
static void end_lanes(struct sysprof_subscription *sub)
{
	int cpu = smp_processor_id();
	struct sysprof_session_cpu *sc = &sub->session->cpus[cpu];

	if (!sub->lane_id || !sc->joined)
		return;
	flush_lane(sub, sc);
	sub->cpus[cpu].entries.has_gap = true;
}

static bool has_to_skip(u64 now)
{
	return READ_ONCE(n_users) > MANY_SUBSCRIPTIONS &&
	       sysprof_throttle_until(SYSPROF_PAID_BY_USERS_EVENTS) > now;
}

bool sysprof_subscriptions_still_skip(void)
{
	bool skips = has_to_skip(ktime_get_mono_fast_ns());

	this_cpu_write(sysprof_skips.on, skips);
	return skips;
}

void sysprof_subscriptions_pay(u64 now, u64 cost_ns, u32 calls)
{
	struct sysprof_subscription *sub;

	/* Of calls that skip nothing has to be paid. */
	if (likely(READ_ONCE(n_users) <= MANY_SUBSCRIPTIONS) || this_cpu_read(sysprof_skips.on))
		return;
	cost_ns += min_t(u64, cost_ns, CHEAP_NS) * (calls - 1);
	sysprof_throttle_spend(SYSPROF_PAID_BY_USERS_EVENTS, now, cost_ns);
	if (likely(!has_to_skip(now)))
		return;
	this_cpu_write(sysprof_skips.on, true);
	rcu_read_lock();
	sysprof_for_each_subscription(sub)
		if (!sub->is_exempt)
			end_lanes(sub);
	rcu_read_unlock();
}

void sysprof_subscriptions_lane_skipping(u64 now, const struct task_struct *prev, u8 left,
					 const struct task_struct *next)
{
	struct sysprof_lane_buffer *entries;
	struct sysprof_subscription *sub;

	this_cpu_inc(sysprof_skips.n.switches);
	sysprof_for_each_asking_subscription(sub, true) {
		if (!sub->lane_id)
			continue;
		entries = &sub->cpus[smp_processor_id()].entries;
		if (likely(now < entries->until))
			sysprof_lane_put(entries, now, left, next);
		else
			sysprof_subscription_lane(entries, now, prev, left, next);
	}
}

int sysprof_sources_account(struct sysprof_session *session, int cpu, u32 id,
			    struct sysprof_source_account *ret)
{
	struct sysprof_source_account *account;

	account = account_of(session->sub, cpu, id);
	if (!account)
		return -EINVAL;
	if (id == session->sub->lane_id && session->cpus[cpu].joined)
		flush_lane(session->sub, &session->cpus[cpu]);
	*ret = *account;
	return 0;
}

/* Threads. */

static bool may_have_thread(const struct sysprof_session *session, const struct task_struct *task)
{
	return sysprof_filter_passes_task(session->filter, task) &&
	       sysprof_session_hides(session, task) != SYSPROF_HIDES_FRAMES;
}

void sysprof_subscriptions_thread(struct task_struct *task, struct sysprof_thread *record)
{
	struct sysprof_session_cpu *sc;
	struct sysprof_subscription *sub;

	sysprof_for_each_subscription(sub) {
		sc = &sub->session->cpus[smp_processor_id()];
		if (!sub->wait_id || !sc->joined || READ_ONCE(sub->session->dead) ||
		    !may_have_thread(sub->session, task))
			continue;
		sysprof_delivery_put_state(sc, &record->record);
	}
}

bool sysprof_sources_has_threads(const struct sysprof_session *session)
{
	return session->sub->wait_id && READ_ONCE(session->running);
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
