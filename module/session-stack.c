// SPDX-License-Identifier: GPL-2.0-only
/* The parts of a stack that a session wants, and those that it may have. */
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "chain.h"
#include "compat/export.h"
#include "delivery.h"
#include "raw.h"
#include "rights.h"
#include "session-stack.h"
#include "session.h"
#include "tables.h"
#include "traced.h"

static char *others = "exact";
module_param(others, charp, 0444);
MODULE_PARM_DESC(others,
		 "what sessions without CAP_PERFMON get of other users' processes: exact, functions or none");

static enum sysprof_hides hides;

int sysprof_session_init(void)
{
	static const char *const words[] = {
		[SYSPROF_HIDES_NOTHING] = "exact",
		[SYSPROF_HIDES_PLACES] = "functions",
		[SYSPROF_HIDES_FRAMES] = "none",
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(others, words[i])) {
			hides = i;
			return 0;
		}
	pr_err("parameter others is \"%s\"; it takes exact, functions or none\n", others);
	return -EINVAL;
}

enum sysprof_hides sysprof_session_hides_others(void)
{
	return hides;
}
SYSPROF_EXPORT(sysprof_session_hides_others);

void sysprof_session_put_functions(u64 *to, const u64 *from, u32 n)
{
	u64 offset;
	u32 i, behind;

	for (i = 0; i < n; i++) {
		/* For a call the byte before is in the function; that byte is looked up. */
		behind = i > 0;
		offset = sysprof_tables_function(from[i] - behind);
		if (offset != SYSPROF_FRAME_NOT_TOLD)
			offset += behind;
		to[i] = (from[i] & ~SYSPROF_FRAME_OFFSET_MASK) | offset;
	}
}
SYSPROF_EXPORT(sysprof_session_put_functions);

void sysprof_session_put_hidden(struct sysprof_sample *sample, struct sysprof_walk *walk,
				enum sysprof_hides hides)
{
	if (hides == SYSPROF_HIDES_FRAMES) {
		sample->kernel_end = sample->user_end = SYSPROF_END_NONE;
		return;
	}
	sample->record.flags |= SYSPROF_SAMPLE_FUNCTIONS;
	sysprof_walk_complete(walk);
	sysprof_session_put_functions(sample->frames + sample->n_kernel, walk->frames,
				      sample->n_user);
}

void sysprof_session_by_tables(struct sysprof_session_cpu *sc, struct sysprof_stack *stack,
			       const struct sysprof_stack_rights *rights)
{
	session_by_tables(sc, stack, rights);
}
SYSPROF_EXPORT(sysprof_session_by_tables);

static bool by_tables(const struct sysprof_session *session)
{
	return session->user_kind == SYSPROF_KIND_TABLED;
}

void sysprof_session_plan(struct sysprof_session *session)
{
	const struct sysprof_config *config = &session->config;

	if (config->form == SYSPROF_FORM_ADDRESS)
		session->user_kind = SYSPROF_KIND_ADDRESSES;
	else if (config->user_mode == SYSPROF_USER_TABLE + 1)
		session->user_kind = SYSPROF_KIND_TABLED;
	else
		session->user_kind = SYSPROF_KIND_PLACES;
	session->request = (struct sysprof_stack_request){
		.max_kernel = config->max_kernel_frames,
		.max_user = config->max_user_frames,
		.addresses = session->user_kind == SYSPROF_KIND_ADDRESSES,
		.places = session->user_kind == SYSPROF_KIND_PLACES,
	};
	session->is_once = config->flags & SYSPROF_CONFIG_STACKS_ONCE;
	session->hides_others = session->may_see_addresses ? SYSPROF_HIDES_NOTHING : hides;
	session->rights = (struct sysprof_stack_rights){
		.tables = by_tables(session) ? session->tables : NULL,
	};
	/* Copies beside tables are asked for when a stack needs one. */
	session->asks_rights = session->hides_others ||
			       (by_tables(session) ? !session->may_see_addresses :
						     config->raw_bytes);
}

/*
 * Whether tables are used for current that are not for everybody: the user who loaded them could
 * read that memory himself.
 */
static bool may_follow_tables(const struct sysprof_session *session)
{
	return by_tables(session) && (session->may_see_addresses ||
				      sysprof_traced_may(session, current, current->mm));
}

/* The rule of rights.h, as only positions in files are revealed of a stack. */
enum sysprof_hides sysprof_session_hides(const struct sysprof_session *session,
					 const struct task_struct *task)
{
	struct sysprof_rights rights;

	if (likely(!session->hides_others) || task->flags & PF_KTHREAD)
		return SYSPROF_HIDES_NOTHING;
	sysprof_rights_look(&rights, task, task->mm);
	return sysprof_rights_may_trace(session->cred, &rights) ? SYSPROF_HIDES_NOTHING :
								  session->hides_others;
}
SYSPROF_EXPORT(sysprof_session_hides);

u32 sysprof_session_raw_bytes(const struct sysprof_session *session)
{
	return sysprof_session_may_have_raw(session) ?
		       sysprof_raw_requested(session->raw_requests, session->config.raw_bytes) :
		       0;
}

void sysprof_session_ask_rights(const struct sysprof_session *session,
				struct sysprof_stack_rights *ret)
{
	ret->hides = sysprof_session_hides(session, current);
	ret->tables = may_follow_tables(session) ? session->tables : NULL;
	ret->raw_bytes = by_tables(session) ? 0 : sysprof_session_raw_bytes(session);
}
SYSPROF_EXPORT(sysprof_session_ask_rights);
