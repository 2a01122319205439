// SPDX-License-Identifier: GPL-2.0-only
/* What a session wants of a stack, what it may have of it, and what it gets. */
#include <linux/minmax.h>

#include "raw.h"
#include "rights.h"
#include "session.h"

static bool by_tables(const struct sysprof_session *session)
{
	return session->config.user_mode == SYSPROF_USER_TABLE + 1;
}

bool sysprof_session_may_have_raw(const struct sysprof_session *session)
{
	return session->config.raw_bytes && (session->may_see_addresses || sysprof_rights_may_trace_current(session->cred));
}

/* Whether tables of its own user are followed for current: who brought them could look for himself. */
static bool may_follow_tables(const struct sysprof_session *session)
{
	return by_tables(session) && !session->may_see_addresses && sysprof_rights_may_trace_current(session->cred);
}

void sysprof_session_add_wish(const struct sysprof_session *session, struct sysprof_session_cpu *sc, struct sysprof_stack_wish *wish)
{
	const struct sysprof_config *config = &session->config;

	wish->max_kernel = max(wish->max_kernel, config->max_kernel_frames);
	wish->max_user = max(wish->max_user, config->max_user_frames);
	wish->addresses |= config->form == SYSPROF_FORM_ADDRESS;
	wish->places |= config->form == SYSPROF_FORM_OBJECT && !by_tables(session);
	sc->tables = may_follow_tables(session) ? session->tables : NULL;
	sc->raw_bytes = sysprof_session_may_have_raw(session) ? sysprof_raw_wished(session->raw_wishes, config->raw_bytes) : 0;
	wish->raw_bytes = max(wish->raw_bytes, sc->raw_bytes);
}

struct sysprof_user_part sysprof_session_user_part(const struct sysprof_session *session, const struct sysprof_session_cpu *sc,
						   struct sysprof_stack *stack)
{
	if (session->config.form == SYSPROF_FORM_ADDRESS)
		return (struct sysprof_user_part){ stack->user, stack->n_user, SYSPROF_SAMPLE_ADDRESSES, stack->user_end };
	if (!by_tables(session))
		return (struct sysprof_user_part){ stack->places, stack->n_places, 0, stack->places_end };
	sysprof_stack_by_tables(stack, sc->tables);
	return (struct sysprof_user_part){ stack->tabled, stack->n_tabled, stack->tabled_flags, stack->tabled_end };
}
