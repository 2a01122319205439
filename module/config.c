// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a session may be configured to, and by whom: the limits of each field and its default.
 */
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/perf_event.h>

#include "clock-pmu.h"
#include "config.h"
#include "raw.h"
#include "session-rings.h"
#include "session.h"
#include "stack.h"

#define KNOWN_FLAGS                                                                                \
	(SYSPROF_CONFIG_NO_KERNEL | SYSPROF_CONFIG_ONLY_USER | SYSPROF_CONFIG_ONLY_KERNEL |        \
	 SYSPROF_CONFIG_CHILDREN | SYSPROF_CONFIG_CGROUP | SYSPROF_CONFIG_STACKS_ONCE)

/*
 * Allows hardware events only: all others would show things that are none of the opener's business.
 */
static int complete_event(struct sysprof_config *config, bool is_privileged)
{
	if (config->clock != SYSPROF_CLOCK_PMU)
		return config->event_type || config->event_config || config->event_period ?
			       -EINVAL :
			       0;
	if (config->event_type != PERF_TYPE_HARDWARE && config->event_type != PERF_TYPE_HW_CACHE &&
	    config->event_type != PERF_TYPE_RAW)
		return -EINVAL;
	/* Events of the machine's own may count what other programs leave in its caches. */
	if (config->event_type == PERF_TYPE_RAW && !is_privileged)
		return -EPERM;
	if (!sysprof_pmu_available())
		return -ENODEV;
	if (!config->event_period)
		config->event_period = SYSPROF_DEFAULT_EVENT_PERIOD;
	config->event_period =
		clamp_t(u64, config->event_period,
			is_privileged ? SYSPROF_MIN_EVENT_PERIOD : SYSPROF_MIN_USER_EVENT_PERIOD,
			U32_MAX);
	return 0;
}

int sysprof_config_complete(struct sysprof_config *config, bool is_privileged)
{
	int err;

	if (config->flags & ~KNOWN_FLAGS || config->reserved || config->clock > SYSPROF_CLOCK_PMU ||
	    config->form > SYSPROF_FORM_ADDRESS)
		return -EINVAL;
	err = complete_event(config, is_privileged);
	if (err)
		return err;
	if (!config->form)
		config->form = SYSPROF_FORM_OBJECT;
	if (!config->user_mode)
		config->user_mode = SYSPROF_USER_FP + 1;
	/* Tables refer to positions in objects: no addresses are needed. */
	if (config->user_mode > SYSPROF_USER_TABLE + 1 ||
	    (config->user_mode == SYSPROF_USER_TABLE + 1 && config->form == SYSPROF_FORM_ADDRESS))
		return -EINVAL;
	if (config->raw_bytes % 8 || config->raw_bytes > SYSPROF_MAX_RAW_BYTES ||
	    (config->raw_bytes && config->user_mode != SYSPROF_USER_RAW + 1 &&
	     config->user_mode != SYSPROF_USER_TABLE + 1))
		return -EINVAL;
	if (config->user_mode == SYSPROF_USER_RAW + 1 && !config->raw_bytes)
		config->raw_bytes = SYSPROF_DEFAULT_RAW_BYTES;

	if (!config->period_ns)
		config->period_ns = SYSPROF_DEFAULT_PERIOD_NS;
	config->period_ns =
		clamp_t(u64, config->period_ns, SYSPROF_MIN_PERIOD_NS, SYSPROF_MAX_PERIOD_NS);
	if (!config->max_kernel_frames)
		config->max_kernel_frames = SYSPROF_MAX_KERNEL_FRAMES;
	config->max_kernel_frames =
		min_t(u32, config->max_kernel_frames, SYSPROF_MAX_KERNEL_FRAMES);
	if (config->flags & SYSPROF_CONFIG_NO_KERNEL)
		config->max_kernel_frames = 0;
	if (!config->max_user_frames)
		config->max_user_frames = SYSPROF_DEFAULT_USER_FRAMES;
	config->max_user_frames = min_t(u32, config->max_user_frames, SYSPROF_MAX_USER_FRAMES);
	if (config->user_mode == SYSPROF_USER_NONE + 1)
		config->max_user_frames = 0;

	if (!config->ring_bytes)
		config->ring_bytes = sysprof_session_default_ring();
	if (config->ring_bytes < PAGE_SIZE || config->ring_bytes > SYSPROF_MAX_RING_BYTES ||
	    !is_power_of_2(config->ring_bytes))
		return -EINVAL;
	if (!config->watermark_bytes || config->watermark_bytes > config->ring_bytes / 2)
		config->watermark_bytes = config->ring_bytes / 4;
	return 0;
}
