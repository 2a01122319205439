/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/cgroups.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/realtime.h"
#include "record/command-line.h"

#define CGROUP_BYTES 4096
/* A number may have another owner by then. */
#define STALE_NS 1000000000ull

struct wanted {
	uint32_t process, pid;
	uint64_t since_ns;
	/* When it ended, for the recorder's thread; 0: not that it were known. */
	uint64_t end_ns;
	/* From the reading thread. */
	uint64_t read_ns;
	char *path;			/* NULL: it is not known, or the root */
};

struct SptCgroups {
	SptOutput *output;
	char *root;
	GHashTable *pending;		/* process -> its struct wanted, wherever that is */
	GPtrArray *expected;		/* struct wanted: not handed over */
	GThread *thread;		/* NULL: nobody was expected so far */
	GMutex lock;
	GCond asked, answered;
	GPtrArray *handed, *read;	/* struct wanted */
	unsigned n_out;			/* handed over, and not in @read */
	bool is_closing;
};

static void cgroups_free_wanted(void *data)
{
	struct wanted *wanted = data;

	g_free(wanted->path);
	g_free(wanted);
}

SptCgroups *spt_cgroups_new(SptOutput *output, const char *root)
{
	SptCgroups *cgroups = g_new0(SptCgroups, 1);

	cgroups->output = output;
	cgroups->root = g_strdup(root);
	cgroups->pending = g_hash_table_new(NULL, NULL);
	cgroups->expected = g_ptr_array_new_with_free_func(cgroups_free_wanted);
	cgroups->handed = g_ptr_array_new_with_free_func(cgroups_free_wanted);
	cgroups->read = g_ptr_array_new_with_free_func(cgroups_free_wanted);
	g_mutex_init(&cgroups->lock);
	g_cond_init(&cgroups->asked);
	g_cond_init(&cgroups->answered);
	return cgroups;
}

void spt_cgroups_free(SptCgroups *cgroups)
{
	if (!cgroups)
		return;
	g_mutex_lock(&cgroups->lock);
	cgroups->is_closing = true;
	g_cond_signal(&cgroups->asked);
	g_mutex_unlock(&cgroups->lock);
	if (cgroups->thread)
		g_thread_join(cgroups->thread);
	g_ptr_array_unref(cgroups->expected);
	g_ptr_array_unref(cgroups->handed);
	g_ptr_array_unref(cgroups->read);
	g_hash_table_unref(cgroups->pending);
	g_mutex_clear(&cgroups->lock);
	g_cond_clear(&cgroups->asked);
	g_cond_clear(&cgroups->answered);
	g_free(cgroups->root);
	g_free(cgroups);
}

static void cgroups_read(const SptCgroups *cgroups, struct wanted *wanted)
{
	char path[64], raw[CGROUP_BYTES + 1];
	uint64_t now = spt_clock_ns(CLOCK_MONOTONIC);
	ssize_t n;
	int fd;

	if (now - wanted->since_ns > STALE_NS)
		return;
	g_snprintf(path, sizeof(path), "%s/%u/cgroup", cgroups->root, wanted->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	n = read(fd, raw, CGROUP_BYTES);
	close(fd);
	if (n <= 0)
		return;
	raw[n] = '\0';
	wanted->path = spt_cgroup_of_text(raw);
	wanted->read_ns = spt_clock_ns(CLOCK_MONOTONIC);
}

static gpointer cgroups_read_all(gpointer data)
{
	SptCgroups *cgroups = data;

	spt_realtime_none();
	g_mutex_lock(&cgroups->lock);
	while (!cgroups->is_closing) {
		g_autoptr(GPtrArray) all = NULL;

		if (!cgroups->handed->len) {
			g_cond_wait(&cgroups->asked, &cgroups->lock);
			continue;
		}
		all = g_steal_pointer(&cgroups->handed);
		cgroups->handed = g_ptr_array_new_with_free_func(cgroups_free_wanted);
		g_mutex_unlock(&cgroups->lock);
		for (unsigned i = 0; i < all->len; i++)
			cgroups_read(cgroups, all->pdata[i]);
		g_mutex_lock(&cgroups->lock);
		cgroups->n_out -= all->len;
		g_ptr_array_extend_and_steal(cgroups->read, g_steal_pointer(&all));
		g_cond_signal(&cgroups->answered);
	}
	g_mutex_unlock(&cgroups->lock);
	return NULL;
}

void spt_cgroups_expect(SptCgroups *cgroups, const SptProcess *process)
{
	struct wanted *wanted = g_new(struct wanted, 1);

	*wanted = (struct wanted){ .process = process->id,
				   .pid = process->pid,
				   .since_ns = spt_clock_ns(CLOCK_MONOTONIC) };
	g_ptr_array_add(cgroups->expected, wanted);
	g_hash_table_insert(cgroups->pending, GUINT_TO_POINTER(process->id), wanted);
}

void spt_cgroups_ended(SptCgroups *cgroups, const SptProcess *process)
{
	struct wanted *wanted =
		g_hash_table_lookup(cgroups->pending, GUINT_TO_POINTER(process->id));

	if (wanted)
		wanted->end_ns = process->end_time;
}

static void cgroups_put(SptCgroups *cgroups, const SptTasks *tasks, const struct wanted *wanted)
{
	const SptThread *thread = spt_tasks_find(tasks, wanted->pid);

	g_hash_table_remove(cgroups->pending, GUINT_TO_POINTER(wanted->process));
	if (!wanted->path || (wanted->end_ns && wanted->end_ns <= wanted->read_ns))
		return;
	if (thread && thread->process->id == wanted->process)
		thread->process->read_time = wanted->read_ns;
	spt_output_put(cgroups->output, SPT_ROW_COMMAND_LINE,
		       &(SptCommandLineRow){ wanted->process, "", wanted->path });
}

/* With the lock. */
static void hand_over(SptCgroups *cgroups)
{
	if (!cgroups->expected->len)
		return;
	if (!cgroups->thread)
		cgroups->thread = g_thread_new("cgroups", cgroups_read_all, cgroups);
	cgroups->n_out += cgroups->expected->len;
	g_ptr_array_extend_and_steal(cgroups->handed, g_steal_pointer(&cgroups->expected));
	cgroups->expected = g_ptr_array_new_with_free_func(cgroups_free_wanted);
	g_cond_signal(&cgroups->asked);
}

void spt_cgroups_step(SptCgroups *cgroups, const SptTasks *tasks, unsigned wait_ms)
{
	gint64 until = g_get_monotonic_time() + wait_ms * G_TIME_SPAN_MILLISECOND;
	g_autoptr(GPtrArray) read = NULL;

	if (!cgroups)
		return;
	g_mutex_lock(&cgroups->lock);
	hand_over(cgroups);
	while (wait_ms && cgroups->n_out &&
	       g_cond_wait_until(&cgroups->answered, &cgroups->lock, until))
		;
	read = g_steal_pointer(&cgroups->read);
	cgroups->read = g_ptr_array_new_with_free_func(cgroups_free_wanted);
	g_mutex_unlock(&cgroups->lock);
	for (unsigned i = 0; i < read->len; i++)
		cgroups_put(cgroups, tasks, read->pdata[i]);
}

static void cgroups_process(void *part, const SptProcess *process)
{
	if (process->end_time)
		spt_cgroups_ended(part, process);
}

static bool cgroups_step(void *part, const SptStageStep *step, G_GNUC_UNUSED GError **error)
{
	spt_cgroups_step(part, step->tasks, 0);
	return true;
}

const SptStage spt_cgroups_stage = {
	.process = cgroups_process,
	.step = cgroups_step,
	.free = (GDestroyNotify)spt_cgroups_free,
};
