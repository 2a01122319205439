/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/mark-users.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "record/mark-node.h"
#include "record/namespace.h"
#include "rings/marks-reader.h"

/* As many as one user's programs have of their own recorder; a ring has a MiB. */
#define ALL_SLOTS   SPT_MARKS_SLOTS
#define LEAST_SLOTS 4u
#define MOST_SLOTS  128u
/* At a step, of all users. */
#define MOST_REQUESTS 32
#define STEP_NS	      20000000ULL
#define LAST_NS	      5000000000ULL
/* Of all users; what a user says beyond the own part stays in the rings, or finds no room there. */
#define BYTES_A_SECOND (16u << 20)

/* A user who is not this one. */
struct mark_user {
	uint32_t uid;
	SptMarks *marks;
};

struct SptMarkUsers {
	SptMarks *own;
	SptSaid *said;
	const SptThreadIds *threads;
	SptTraceFilter filter;
	SptMarkNode *node;		/* NULL: it does not ring */
	GArray *users;			/* struct mark_user */
	uint32_t n_slots;		/* left */
	unsigned next;			/* who is first at the next step */
	uint32_t others, n_roomless;
	char *when_mark;
	uint64_t when_ns;
};

static void mark_user_clear(void *data)
{
	spt_marks_free(((struct mark_user *)data)->marks);
}

SptMarkUsers *spt_mark_users_new(SptMarks *own, SptSaid *said, const SptThreadIds *threads,
				 const SptTraceFilter *filter)
{
	SptMarkUsers *users;

	if (!spt_mark_node_is_there() || filter->cgroup)
		return NULL;
	users = g_new0(SptMarkUsers, 1);
	users->own = own;
	users->said = said;
	users->threads = threads;
	users->filter = *filter;
	users->n_slots = ALL_SLOTS;
	users->users = g_array_new(FALSE, TRUE, sizeof(struct mark_user));
	g_array_set_clear_func(users->users, mark_user_clear);
	return users;
}

void spt_mark_users_free(SptMarkUsers *users)
{
	if (!users)
		return;
	spt_mark_node_free(users->node);
	g_array_unref(users->users);
	g_free(users->when_mark);
	g_free(users);
}

void spt_mark_users_watch_slow(SptMarkUsers *users, const char *name, uint64_t least_ns)
{
	users->when_mark = g_strdup(name);
	users->when_ns = least_ns;
}

static bool mark_users_want(const SptMarkUsers *users, uint32_t uid)
{
	const SptTraceFilter *filter = &users->filter;
	uint32_t other;

	for (unsigned i = 0; i < filter->n_uids; i++)
		if (filter->uids[i] == uid)
			return true;
	for (unsigned i = 0; i < filter->n_pids; i++)
		if (spt_process_user(filter->pids[i], &other) && other == uid)
			return true;
	return !filter->n_uids && !filter->n_pids;
}

bool spt_mark_users_begin(SptMarkUsers *users)
{
	users->node = spt_mark_node_new(mark_users_want(users, geteuid()));
	if (users->node)
		spt_marks_expect_others(users->own, users->filter.n_pids > 0);
	return users->node;
}

bool spt_mark_users_are_used(const SptMarkUsers *users)
{
	for (unsigned i = 0; i < users->users->len; i++)
		if (spt_marks_is_used(g_array_index(users->users, struct mark_user, i).marks))
			return true;
	return false;
}

uint32_t spt_mark_users_slots(uint32_t left)
{
	uint32_t slots = CLAMP(left / 8, LEAST_SLOTS, MOST_SLOTS);

	return slots <= left ? slots : 0;
}

/* NULL: there is no room for one more. */
static SptMarks *mark_users_add(SptMarkUsers *users, uint32_t uid)
{
	struct mark_user user = { .uid = uid };
	uint32_t slots = spt_mark_users_slots(users->n_slots);

	if (slots)
		user.marks = spt_marks_new_for_user(users->said, users->threads, uid, slots, NULL);
	if (!user.marks) {
		users->n_roomless++;
		return NULL;
	}
	users->n_slots -= slots;
	spt_marks_expect_others(user.marks, users->filter.n_pids > 0);
	if (users->when_mark)
		spt_marks_watch_slow(user.marks, users->when_mark, users->when_ns);
	spt_marks_begin(user.marks);
	g_array_append_val(users->users, user);
	return user.marks;
}

/* The memory of a user's programs; NULL: there is none for them. */
static SptMarks *mark_users_find(SptMarkUsers *users, uint32_t uid)
{
	if (!mark_users_want(users, uid))
		return NULL;
	if (uid == geteuid())
		return users->own;
	for (unsigned i = 0; i < users->users->len; i++) {
		const struct mark_user *user = &g_array_index(users->users, struct mark_user, i);

		if (user->uid == uid)
			return user->marks;
	}
	return mark_users_add(users, uid);
}

static void mark_users_answer(SptMarkUsers *users)
{
	SptMarkRequest request;

	for (unsigned i = 0; i < MOST_REQUESTS && spt_mark_node_next(users->node, &request); i++) {
		SptMarks *marks = mark_users_find(users, request.uid);

		spt_mark_node_answer(users->node, request.cookie, marks ? spt_marks_fd(marks) : -1);
	}
}

/* Each has the same part of the time, and each is the first one in turn. */
static void mark_users_take(SptMarkUsers *users, const SptTasks *tasks)
{
	unsigned n = users->users->len;

	for (unsigned i = 0; i < n; i++) {
		SptMarks *marks =
			g_array_index(users->users, struct mark_user, (users->next + i) % n).marks;

		spt_marks_admit(marks, tasks);
		spt_marks_step_for(marks, STEP_NS / n, BYTES_A_SECOND / n);
	}
	users->next = n ? (users->next + 1) % n : 0;
}

void spt_mark_users_step(SptMarkUsers *users, const SptTasks *tasks)
{
	if (users->node)
		mark_users_answer(users);
	mark_users_take(users, tasks);
}

void spt_mark_users_finish(SptMarkUsers *users)
{
	unsigned n = users->users->len;

	if (users->node)
		users->others = spt_mark_node_others(users->node);
	g_clear_pointer(&users->node, spt_mark_node_free);
	for (unsigned i = 0; i < n; i++)
		spt_marks_finish_for(g_array_index(users->users, struct mark_user, i).marks,
				     LAST_NS / n);
}

void spt_mark_users_status(const SptMarkUsers *users, SptMarksStatus *ret)
{
	for (unsigned i = 0; i < users->users->len; i++) {
		SptMarksStatus status;

		spt_marks_status(g_array_index(users->users, struct mark_user, i).marks, &status);
		ret->marks += status.marks;
		ret->counts += status.counts;
		ret->lines += status.lines;
		ret->broken += status.broken;
		ret->invalid += status.invalid;
		ret->slow += status.slow;
		ret->refused += status.refused;
		ret->users_lost += status.lost;
	}
	ret->users += users->users->len;
	ret->roomless += users->n_roomless;
	ret->others += users->node ? spt_mark_node_others(users->node) : users->others;
}
