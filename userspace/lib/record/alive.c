/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread holds the word as a robust futex.  Its list of them is in memory of its own, so that
 * nobody else can change what the kernel follows.
 */
#include "record/alive.h"

#include <glib.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

struct SptAlive {
	GThread *thread;
	GMutex mutex;
	GCond changed;
	bool has_begun, is_over;
	uint32_t *word;
	struct robust_list_head head;
	struct robust_list entry;
};

static void *alive_hold(void *data)
{
	SptAlive *alive = data;

	alive->entry.next = &alive->head.list;
	alive->head.list.next = &alive->entry;
	alive->head.futex_offset = (char *)alive->word - (char *)&alive->entry;
	g_mutex_lock(&alive->mutex);
	__atomic_store_n(alive->word, (uint32_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
	syscall(SYS_set_robust_list, &alive->head, sizeof(alive->head));
	alive->has_begun = true;
	g_cond_signal(&alive->changed);
	while (!alive->is_over)
		g_cond_wait(&alive->changed, &alive->mutex);
	g_mutex_unlock(&alive->mutex);
	return NULL;
}

SptAlive *spt_alive_new(uint32_t *word)
{
	SptAlive *alive = g_new0(SptAlive, 1);

	g_mutex_init(&alive->mutex);
	g_cond_init(&alive->changed);
	alive->word = word;
	alive->thread = g_thread_new("alive", alive_hold, alive);
	g_mutex_lock(&alive->mutex);
	while (!alive->has_begun)
		g_cond_wait(&alive->changed, &alive->mutex);
	g_mutex_unlock(&alive->mutex);
	return alive;
}

void spt_alive_free(SptAlive *alive)
{
	if (!alive)
		return;
	g_mutex_lock(&alive->mutex);
	alive->is_over = true;
	g_cond_signal(&alive->changed);
	g_mutex_unlock(&alive->mutex);
	g_thread_join(alive->thread);
	g_mutex_clear(&alive->mutex);
	g_cond_clear(&alive->changed);
	g_free(alive);
}
