/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The second number of /proc/PID/statm, in pages. */
#include "record/resident.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define STEP_NS	   50000000ULL
/* With many processes, they are read less often: a read takes some five microseconds. */
#define PROCESS_NS 1000000ULL
#define STATM_BYTES 128

struct known {
	uint32_t pid, thread;		/* thread 0: not known yet */
	uint64_t bytes;			/* in the last row; 0: there is none */
};

struct SptResident {
	SptOutput *output;
	GHashTable *processes;		/* id of the process -> struct known */
	uint32_t passed;		/* id of the process that is not recorded */
	uint64_t page_bytes;
	uint64_t read_ns;		/* time of the last read */
};

SptResident *spt_resident_new(SptOutput *output)
{
	SptResident *resident = g_new0(SptResident, 1);

	resident->output = output;
	resident->processes = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	resident->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	return resident;
}

void spt_resident_free(SptResident *resident)
{
	if (!resident)
		return;
	g_hash_table_unref(resident->processes);
	g_free(resident);
}

/* 0: it has ended, or is about to. */
static uint64_t read_pages(uint32_t pid)
{
	char path[32], text[STATM_BYTES];
	unsigned long long pages = 0;
	ssize_t bytes;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/statm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	bytes = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[MAX(bytes, 0)] = '\0';
	return sscanf(text, "%*u %llu", &pages) == 1 ? pages : 0;
}

static void resident_put(SptResident *resident, struct known *known, uint64_t time, uint64_t bytes)
{
	const SptResidentRow row = { time, bytes, known->thread };

	if (bytes == known->bytes)
		return;
	known->bytes = bytes;
	spt_output_put(resident->output, SPT_ROW_RESIDENT, &row);
}

void spt_resident_pass(SptResident *resident, const SptProcess *process)
{
	resident->passed = process->id;
}

void spt_resident_process(SptResident *resident, const SptProcess *process)
{
	gpointer id = GUINT_TO_POINTER(process->id);
	struct known *known = g_hash_table_lookup(resident->processes, id);

	if (process->end_time) {
		if (known)
			resident_put(resident, known, process->end_time, 0);
		g_hash_table_remove(resident->processes, id);
	} else if (!known && process->id != resident->passed) {
		known = g_new0(struct known, 1);
		known->pid = process->pid;
		g_hash_table_insert(resident->processes, id, known);
	}
}

static bool resident_step(void *part, const SptStageStep *step, G_GNUC_UNUSED GError **error)
{
	SptResident *resident = part;
	unsigned n = g_hash_table_size(resident->processes);
	GHashTableIter iter;
	gpointer value;

	if (step->time_ns - resident->read_ns < MAX(STEP_NS, n * PROCESS_NS))
		return true;
	resident->read_ns = step->time_ns;
	g_hash_table_iter_init(&iter, resident->processes);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct known *known = value;
		const SptThread *thread =
			known->thread ? NULL : spt_tasks_find(step->tasks, known->pid);

		known->thread = thread ? thread->id : known->thread;
		if (known->thread)
			resident_put(resident, known, step->time_ns,
				     read_pages(known->pid) * resident->page_bytes);
	}
	return true;
}

static void resident_process(void *part, const SptProcess *process)
{
	if (process->is_measured)
		spt_resident_process(part, process);
}

const SptStage spt_resident_stage = {
	.process = resident_process,
	.step = resident_step,
	.free = (GDestroyNotify)spt_resident_free,
};
