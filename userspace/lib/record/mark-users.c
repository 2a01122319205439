/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A user's bell is in the directory that /run/user has for those who have logged in; it is there
 * once the first program has made it, so it is looked for again and again.  Programs of users that
 * have none, as services do, have the system's, which only root can write.
 */
#include "record/mark-users.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/words.h"
#include "record/mark-door.h"
#include "rings/marks-reader.h"

/* A step must not keep the recorder from its other work. */
#define STEP_NS	      20000000ULL
#define LEAST_STEP_NS 2000000ULL
#define LAST_NS	      5000000000ULL
#define LOOK_NS	      1000000000ULL
#define MOST_DOORS    64u
/* Besides this one.  Each has a gigabyte of addresses, of which it has what is used. */
#define MOST_OTHERS   15u

struct other {
	uid_t uid;
	SptSaid *said;
	SptMarks *marks;
};

struct SptMarkUsers {
	SptOutput *output;
	const SptThreadIds *threads;
	SptMarks *own;
	GPtrArray *others;		/* struct other */
	GPtrArray *doors;		/* SptMarkDoor; empty: only what the recorder starts */
	bool by_process;		/* only processes that are wanted may come */
	const SptTraceFilter *filter;
	const SptTasks *tasks;		/* while they are asked about */
	bool has_begun;
	uint64_t looked_ns;
};

static void other_free(void *data)
{
	struct other *other = data;

	spt_marks_free(other->marks);
	spt_said_free(other->said);
	g_free(other);
}

SptMarkUsers *spt_mark_users_new(SptOutput *output, SptSaid *said, const SptThreadIds *threads,
				 GError **error)
{
	g_autoptr(SptMarkUsers) users = g_new0(SptMarkUsers, 1);

	users->output = output;
	users->threads = threads;
	users->others = g_ptr_array_new_with_free_func(other_free);
	users->doors = g_ptr_array_new_with_free_func((GDestroyNotify)spt_mark_door_free);
	users->own = spt_marks_new(said, threads, error);
	return users->own ? g_steal_pointer(&users) : NULL;
}

void spt_mark_users_free(SptMarkUsers *users)
{
	if (!users)
		return;
	g_ptr_array_unref(users->doors);
	g_ptr_array_unref(users->others);
	spt_marks_free(users->own);
	g_free(users);
}

SptMarks *spt_mark_users_own(const SptMarkUsers *users)
{
	return users->own;
}

/* Doors. */

static bool mark_users_want(const SptMarkUsers *users, uid_t uid)
{
	for (unsigned i = 0; i < users->filter->n_uids; i++)
		if (users->filter->uids[i] == uid)
			return true;
	return !users->filter->n_uids;
}

/* Whose bell has a recorder already is looked for again later. */
static void mark_users_add_door(SptMarkUsers *users, const char *bell, uid_t owner,
				bool is_for_all)
{
	SptMarkDoor *door;

	for (unsigned i = 0; i < users->doors->len; i++)
		if (strcmp(spt_mark_door_bell(users->doors->pdata[i]), bell) == 0)
			return;
	if (users->doors->len >= MOST_DOORS ||
	    !(door = spt_mark_door_new(bell, owner, is_for_all, NULL)))
		return;
	g_ptr_array_add(users->doors, door);
	if (users->has_begun)
		spt_mark_door_open(door);
}

static void mark_users_look_for_others(SptMarkUsers *users)
{
	g_autoptr(GDir) folder = g_dir_open(SPT_MARK_RUNTIME, 0, NULL);
	const char *name;

	if (mkdir(SPT_MARK_SYSTEM, 0755) == 0 || errno == EEXIST)
		mark_users_add_door(users, SPT_MARK_SYSTEM "/" SPT_MARK_BELL_NAME, 0, true);
	while (folder && (name = g_dir_read_name(folder))) {
		g_autofree char *bell =
			g_build_filename(SPT_MARK_RUNTIME, name, SPT_MARK_BELL_NAME, NULL);
		char *end;
		unsigned long uid = strtoul(name, &end, 10);

		if (!*end && uid != geteuid() && mark_users_want(users, (uid_t)uid))
			mark_users_add_door(users, bell, (uid_t)uid, false);
	}
}

static char *mark_users_own_bell(void)
{
	const char *directory = g_getenv("XDG_RUNTIME_DIR");
	g_autofree char *own = g_strdup_printf(SPT_MARK_RUNTIME "/%u", (unsigned)geteuid());

	return g_build_filename(directory && g_path_is_absolute(directory) ? directory : own,
				SPT_MARK_BELL_NAME, NULL);
}

char *spt_mark_users_reach_running(SptMarkUsers *users, const SptTraceFilter *filter)
{
	g_autofree char *bell = mark_users_own_bell();
	g_autoptr(GError) error = NULL;
	bool is_root = geteuid() == 0;
	SptMarkDoor *door = NULL;

	users->filter = filter;
	users->by_process = filter->n_pids > 0;
	if (filter->cgroup || (!is_root && !mark_users_want(users, geteuid())))
		spt_set_error(&error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "running programs can be asked for their marks by process or all at once, and only those of your own user");
	else if (mark_users_want(users, geteuid()))
		door = spt_mark_door_new(bell, geteuid(), false, &error);
	if (door)
		g_ptr_array_add(users->doors, door);
	if (is_root && !filter->cgroup)
		mark_users_look_for_others(users);
	return error ? g_strdup(error->message) : NULL;
}

bool spt_mark_users_may_be_asked(const SptMarkUsers *users)
{
	return users->doors->len;
}

/* Programs that ask. */

/* NULL: there is no room for another user, or no memory. */
static SptMarks *mark_users_find(SptMarkUsers *users, uid_t uid)
{
	struct other *other;

	if (uid == geteuid())
		return users->own;
	for (unsigned i = 0; i < users->others->len; i++) {
		other = users->others->pdata[i];
		if (other->uid == uid)
			return other->marks;
	}
	if (users->others->len >= MOST_OTHERS)
		return NULL;
	other = g_new0(struct other, 1);
	other->uid = uid;
	other->said = spt_said_new_for_other(users->output, users->others->len + 1);
	other->marks = spt_marks_new(other->said, users->threads, NULL);
	if (!other->marks) {
		other_free(other);
		return NULL;
	}
	spt_marks_set_other(other->marks, uid);
	spt_marks_begin(other->marks);
	g_ptr_array_add(users->others, other);
	return other->marks;
}

static int mark_users_answer(uint32_t pid, uid_t uid, void *data)
{
	SptMarkUsers *users = data;
	const SptThread *thread = spt_tasks_find(users->tasks, pid);
	SptMarks *marks;

	if (!mark_users_want(users, uid))
		return SPT_MARK_REFUSED;
	if (!thread || (users->by_process && !thread->process->is_wanted))
		return SPT_MARK_NOT_YET;
	marks = mark_users_find(users, uid);
	return marks ? spt_marks_fd(marks) : SPT_MARK_REFUSED;
}

void spt_mark_users_admit(SptMarkUsers *users, const SptTasks *tasks)
{
	uint64_t now_ns = spt_clock_ns(CLOCK_MONOTONIC);

	if (!users->filter || users->filter->cgroup)
		return;
	if (geteuid() == 0 && now_ns - users->looked_ns >= LOOK_NS) {
		users->looked_ns = now_ns;
		mark_users_look_for_others(users);
	}
	users->tasks = tasks;
	for (unsigned i = 0; i < users->doors->len; i++)
		spt_mark_door_step(users->doors->pdata[i], now_ns, mark_users_answer, users);
}

/* All of them. */

void spt_mark_users_begin(SptMarkUsers *users)
{
	users->has_begun = true;
	spt_marks_begin(users->own);
	for (unsigned i = 0; i < users->doors->len; i++)
		spt_mark_door_open(users->doors->pdata[i]);
}

bool spt_mark_users_are_used(const SptMarkUsers *users)
{
	return spt_marks_is_used(users->own) || users->others->len;
}

void spt_mark_users_step(SptMarkUsers *users)
{
	uint64_t each_ns = MAX(STEP_NS / (users->others->len + 1), LEAST_STEP_NS);

	spt_marks_step(users->own, each_ns);
	for (unsigned i = 0; i < users->others->len; i++)
		spt_marks_step(((struct other *)users->others->pdata[i])->marks, each_ns);
}

void spt_mark_users_finish(SptMarkUsers *users)
{
	for (unsigned i = 0; i < users->doors->len; i++)
		spt_mark_door_close(users->doors->pdata[i]);
	spt_marks_finish(users->own, LAST_NS);
	for (unsigned i = 0; i < users->others->len; i++)
		spt_marks_finish(((struct other *)users->others->pdata[i])->marks,
				 LAST_NS / (users->others->len + 1));
}

void spt_mark_users_status(const SptMarkUsers *users, SptMarksStatus *ret)
{
	spt_marks_status(users->own, ret);
	for (unsigned i = 0; i < users->others->len; i++) {
		SptMarksStatus of;

		spt_marks_status(((struct other *)users->others->pdata[i])->marks, &of);
		ret->marks += of.marks;
		ret->counts += of.counts;
		ret->lines += of.lines;
		ret->lost += of.lost;
		ret->broken += of.broken;
		ret->invalid += of.invalid;
	}
}
