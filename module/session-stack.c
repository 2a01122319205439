// SPDX-License-Identifier: GPL-2.0-only
/* What a session wants of a stack, and what it may have of it. */
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "delivery.h"
#include "raw.h"
#include "rights.h"
#include "session-stack.h"
#include "session.h"
#include "traced.h"

/*
 * Two words and no third for functions: the module knows an object and an offset, and no table says
 * where a function begins, so that a place could be told as its function's only by guessing.
 */
static char *others = "exact";
module_param(others, charp, 0444);
MODULE_PARM_DESC(others,
		 "what sessions without CAP_PERFMON get of other users' processes: exact or none");

int sysprof_session_init(void)
{
	if (!strcmp(others, "exact") || !strcmp(others, "none"))
		return 0;
	pr_err("parameter others is \"%s\"; it takes exact or none\n", others);
	return -EINVAL;
}

bool sysprof_session_hides_others(void)
{
	return *others == 'n';
}

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
	session->wish = (struct sysprof_stack_wish){
		.max_kernel = config->max_kernel_frames,
		.max_user = config->max_user_frames,
		.addresses = session->user_kind == SYSPROF_KIND_ADDRESSES,
		.places = session->user_kind == SYSPROF_KIND_PLACES,
	};
	session->hides_others = sysprof_session_hides_others() && !session->may_see_addresses;
	session->asks_rights = by_tables(session) || config->raw_bytes || session->hides_others;
}

/*
 * Whether tables of its own user are followed for current: who brought them could look for himself.
 */
static bool may_follow_tables(const struct sysprof_session *session)
{
	return by_tables(session) && !session->may_see_addresses &&
	       sysprof_traced_may(session, current, current->mm);
}

/* The rule of rights.h, as nothing is given of a stack but places in files. */
static bool hides_current(const struct sysprof_session *session)
{
	struct sysprof_rights rights;

	if (!session->hides_others || current->flags & PF_KTHREAD)
		return false;
	sysprof_rights_look(&rights, current, current->mm);
	return !sysprof_rights_may_trace(session->cred, &rights);
}

void sysprof_session_ask_rights(struct sysprof_session_cpu *sc, struct sysprof_stack_wish *wish)
{
	const struct sysprof_session *session = sc->session;

	sc->hides = hides_current(session);
	sc->tables = may_follow_tables(session) ? session->tables : NULL;
	sc->raw_bytes = sysprof_session_may_have_raw(session) ?
				sysprof_raw_wished(session->raw_wishes, session->config.raw_bytes) :
				0;
	wish->raw_bytes = max(wish->raw_bytes, sc->raw_bytes);
}
