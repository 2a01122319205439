// SPDX-License-Identifier: GPL-2.0-only
/* What a session wants of a stack, and what it may have of it. */
#include <linux/minmax.h>

#include "raw.h"
#include "session.h"
#include "traced.h"

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
	session->asks_rights = by_tables(session) || config->raw_bytes;
}

bool sysprof_session_may_have_raw(const struct sysprof_session *session)
{
	return session->config.raw_bytes &&
	       (session->may_see_addresses || sysprof_traced_may(session, current, current->mm));
}

/*
 * Whether tables of its own user are followed for current: who brought them could look for himself.
 */
static bool may_follow_tables(const struct sysprof_session *session)
{
	return by_tables(session) && !session->may_see_addresses &&
	       sysprof_traced_may(session, current, current->mm);
}

void sysprof_session_ask_rights(struct sysprof_session_cpu *sc, struct sysprof_stack_wish *wish)
{
	const struct sysprof_session *session = sc->session;

	sc->tables = may_follow_tables(session) ? session->tables : NULL;
	sc->raw_bytes = sysprof_session_may_have_raw(session) ?
				sysprof_raw_wished(session->raw_wishes, session->config.raw_bytes) :
				0;
	wish->raw_bytes = max(wish->raw_bytes, sc->raw_bytes);
}
