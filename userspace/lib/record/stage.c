/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/stage.h"

#include "base/clock.h"

struct stage {
	const SptStage *does;
	void *part;
};

struct SptStages {
	GArray *all;			/* struct stage */
};

SptStages *spt_stages_new(void)
{
	SptStages *stages = g_new0(SptStages, 1);

	stages->all = g_array_new(FALSE, FALSE, sizeof(struct stage));
	return stages;
}

void spt_stages_add(SptStages *stages, const SptStage *stage, void *part)
{
	struct stage one = { stage, part };

	if (part)
		g_array_append_val(stages->all, one);
}

/* The @i-th one; NULL behind the last one. */
static const struct stage *stage_at(const SptStages *stages, unsigned i)
{
	return i < stages->all->len ? &g_array_index(stages->all, struct stage, i) : NULL;
}

void spt_stages_free(SptStages *stages)
{
	if (!stages)
		return;
	for (unsigned i = stages->all->len; i-- > 0;) {
		const struct stage *stage = stage_at(stages, i);

		stage->does->free(stage->part);
	}
	g_array_unref(stages->all);
	g_free(stages);
}

/* Calls a member of each stage that has it, with the part and @... */
#define CALL_EACH(stages, member, ...)                                                             \
	do {                                                                                       \
		const struct stage *stage_;                                                        \
                                                                                                   \
		for (unsigned i_ = 0; (stage_ = stage_at(stages, i_)); i_++)                       \
			if (stage_->does->member)                                                  \
				stage_->does->member(stage_->part, ##__VA_ARGS__);                 \
	} while (0)

void spt_stages_begin(const SptStages *stages)
{
	CALL_EACH(stages, begin);
}

void spt_stages_settle(const SptStages *stages)
{
	CALL_EACH(stages, settle);
}

void spt_stages_process(const SptStages *stages, const SptProcess *process)
{
	CALL_EACH(stages, process, process);
}

void spt_stages_thread(const SptStages *stages, const SptThread *thread)
{
	CALL_EACH(stages, thread, thread);
}

void spt_stages_object(const SptStages *stages, const SptObjectRow *row)
{
	CALL_EACH(stages, object, row);
}

void spt_stages_note(const SptStages *stages, SptOutput *output)
{
	CALL_EACH(stages, note, output);
}

int spt_stages_step_ms(const SptStages *stages, int timeout_ms)
{
	const struct stage *stage;

	for (unsigned i = 0; (stage = stage_at(stages, i)); i++)
		if (stage->does->step_ms)
			timeout_ms = stage->does->step_ms(stage->part, timeout_ms);
	return timeout_ms;
}

bool spt_stages_step(const SptStages *stages, const SptTasks *tasks, GError **error)
{
	SptStageStep step = { .tasks = tasks };
	const struct stage *stage;

	for (unsigned i = 0; (stage = stage_at(stages, i)); i++) {
		step.time_ns = spt_clock_ns(CLOCK_MONOTONIC);
		if (stage->does->step && !stage->does->step(stage->part, &step, error))
			return false;
	}
	return true;
}

bool spt_stages_flush(const SptStages *stages, GError **error)
{
	const struct stage *stage;

	for (unsigned i = 0; (stage = stage_at(stages, i)); i++)
		if (stage->does->flush && !stage->does->flush(stage->part, error))
			return false;
	return true;
}

bool spt_stages_flushed(const SptStages *stages, GError **error)
{
	const struct stage *stage;

	for (unsigned i = 0; (stage = stage_at(stages, i)); i++)
		if (stage->does->flushed && !stage->does->flushed(stage->part, error))
			return false;
	return true;
}

bool spt_stages_finish(const SptStages *stages, GError **error)
{
	const struct stage *stage;

	for (unsigned i = 0; (stage = stage_at(stages, i)); i++)
		if (stage->does->finish && !stage->does->finish(stage->part, error))
			return false;
	return true;
}
