// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether the probes are still in place.
 *
 * kernel.ftrace_enabled=0 and debugfs's kprobes/enabled switch them off silently, and then mappings
 * change unseen.  The kernel's code shows whether they are on.  A breakpoint is there or not.
 * Where ftrace calls the probe, any code other than that call, even a breakpoint, means that hits
 * are being lost.  Each tick looks, and takes no user stack if so.  Once a second the worker looks,
 * too, and checks for hits that were counted as missed.  When the probes are back, every address
 * space is read anew, and the sessions get a RESYNC.
 *
 * Another tracer of the same function changes the call.  Code that is the same at two checks in a
 * row is taken as the new call of the probe.  It is not checked that the probe is called from
 * there, and a time between two ticks in which it was off is not seen.
 */
#include <linux/cache.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/workqueue.h>

#include "arch.h"
#include "delivery.h"
#include "watch.h"

#define CHECK_DELAY	HZ
#define BLIND_DELAY	(HZ / 10)

/**
 * struct place - where a probe is, as ticks check it
 * @code: the code there
 * @judge: where ftrace calls the probe, what @code is then; where a breakpoint leads to it, or a
 *	jump in its place, what @code is without it
 */
struct place {
	const u32 *code;
	u32 judge;
};

/* A place that is not in use has its own judge as code, which never differs. */
#define UNUSED(i)	{ .code = &called[i].judge }

/* Probes that ftrace calls, all on one cache line; and the others, where NULL is not in use. */
static struct place called[SYSPROF_WATCHED] ____cacheline_aligned = { UNUSED(0), UNUSED(1),
								      UNUSED(2), UNUSED(3) };
static struct place trapped[SYSPROF_WATCHED];
static bool any_trapped;

/**
 * struct watched - what else is known of the probe of that place
 * @probe: NULL: none
 * @bare: the beginning of the code there without it
 * @seen: code that the worker found at its last check whether the probe is back
 * @missed: missed hits at the last check
 */
static struct watched {
	struct kprobe *probe;
	u32 bare;
	u32 seen;
	unsigned long missed;
} watched[SYSPROF_WATCHED];

/*
 * Blind: hits may be missing; opening: the worker reads all anew, and ends blindness unless a tick
 * finds the code changed meanwhile.
 */
static enum { SEEING, BLIND, OPENING } sight;

static void check_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(check_work, check_fn);

static void watch_kick_fn(struct irq_work *unused)
{
	mod_delayed_work(sysprof_percpu_wq, &check_work, BLIND_DELAY);
}

static struct irq_work kick;
static void (*renew_index)(void);

static __always_inline u32 changed(const struct place *place)
{
	return READ_ONCE(*READ_ONCE(place->code)) ^ READ_ONCE(place->judge);
}

static __always_inline u32 any_changed(void)
{
	BUILD_BUG_ON(ARRAY_SIZE(called) != 4);
	return changed(&called[0]) | changed(&called[1]) | changed(&called[2]) |
	       changed(&called[3]);
}

static bool any_off(void)
{
	const u32 *code;
	int i;

	for (i = 0; i < SYSPROF_WATCHED; i++) {
		code = READ_ONCE(trapped[i].code);
		if (code && READ_ONCE(*code) == READ_ONCE(trapped[i].judge))
			return true;
	}
	return any_changed();
}

static void begin_blindness(void)
{
	if (READ_ONCE(sight) == BLIND)
		return;
	WRITE_ONCE(sight, BLIND);
	irq_work_queue(&kick);
}

static noinline bool look_closer(void)
{
	if (any_off()) {
		begin_blindness();
		return true;
	}
	return READ_ONCE(sight) != SEEING;
}

bool sysprof_watch_is_blind(void)
{
	BUILD_BUG_ON(SEEING);
	return unlikely(any_changed() | READ_ONCE(sight) | READ_ONCE(any_trapped)) && look_closer();
}

static bool has_missed(void)
{
	bool missed = false;
	int i;

	for (i = 0; i < SYSPROF_WATCHED; i++) {
		if (!watched[i].probe || watched[i].missed == READ_ONCE(watched[i].probe->nmissed))
			continue;
		watched[i].missed = watched[i].probe->nmissed;
		missed = true;
	}
	return missed;
}

/* Takes another call that ftrace has put for good. */
static void adopt(struct place *place, struct watched *probe)
{
	u32 code = READ_ONCE(*place->code);

	if (code == probe->seen && code != probe->bare && sysprof_arch_is_call(code))
		WRITE_ONCE(place->judge, code);
	probe->seen = code;
}

/* Missing mappings are found again, if nothing more is lost from here on. */
static void open_eyes(void)
{
	int i;

	for (i = 0; i < SYSPROF_WATCHED; i++)
		if (called[i].code != &called[i].judge)
			adopt(&called[i], &watched[i]);
	xchg(&sight, OPENING);
	/*
	 * A tick that finds a probe off from here on is still noticed; fully ordered, as the
	 * cmpxchg() is.
	 */
	if (any_off()) {
		WRITE_ONCE(sight, BLIND);
		return;
	}
	/* First everything is forgotten; only then may ticks use the index again. */
	renew_index();
	if (cmpxchg(&sight, OPENING, SEEING) == OPENING)
		sysprof_sessions_resync();
}

static void check_fn(struct work_struct *work)
{
	if (has_missed() || any_off())
		WRITE_ONCE(sight, BLIND);
	if (READ_ONCE(sight) != SEEING)
		open_eyes();
	queue_delayed_work(sysprof_percpu_wq, &check_work,
			   READ_ONCE(sight) == SEEING ? CHECK_DELAY : BLIND_DELAY);
}

int sysprof_watch_put(struct kprobe *probe)
{
	struct watched *own = watched;
	bool by_ftrace;
	const u32 *code;
	u32 armed, judge;
	int i, err;

	while (own->probe)
		own++;
	i = own - watched;
	/* In place, but not on yet: the code is as it was. */
	probe->flags |= KPROBE_FLAG_DISABLED;
	err = register_kprobe(probe);
	if (err)
		return err;
	code = (const u32 *)probe->addr;
	by_ftrace = kprobe_ftrace(probe);
	own->bare = READ_ONCE(*code);
	err = enable_kprobe(probe);
	if (err) {
		unregister_kprobe(probe);
		return err;
	}
	armed = READ_ONCE(*code);
	/* With ftrace switched off the probe is not on: no code is 0. */
	judge = !by_ftrace ? own->bare : sysprof_arch_is_call(armed) ? armed : 0;
	own->seen = 0;
	own->missed = probe->nmissed;
	/* Code that others had changed before may not show what happens to this probe. */
	if (armed == own->bare && judge)
		return 0;
	own->probe = probe;
	if (by_ftrace) {
		WRITE_ONCE(called[i].judge, judge);
		WRITE_ONCE(called[i].code, code);
	} else {
		trapped[i].judge = judge;
		WRITE_ONCE(trapped[i].code, code);
		WRITE_ONCE(any_trapped, true);
	}
	return 0;
}

void sysprof_watch_remove(struct kprobe *probe)
{
	int i;

	for (i = 0; i < SYSPROF_WATCHED; i++)
		if (watched[i].probe == probe) {
			WRITE_ONCE(called[i].code, &called[i].judge);
			WRITE_ONCE(trapped[i].code, NULL);
			watched[i].probe = NULL;
		}
	unregister_kprobe(probe);
}

void sysprof_watch_start(void (*renew)(void))
{
	renew_index = renew;
	init_irq_work(&kick, watch_kick_fn);
	WRITE_ONCE(sight, SEEING);
	queue_delayed_work(sysprof_percpu_wq, &check_work, CHECK_DELAY);
}

void sysprof_watch_stop(void)
{
	irq_work_sync(&kick);
	cancel_delayed_work_sync(&check_work);
}
