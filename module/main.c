// SPDX-License-Identifier: GPL-2.0-only
/* Init and exit, in order.  Parameters are in the files that use them. */
#include <linux/init.h>
#include <linux/module.h>

#include "clock.h"
#include "code-number.h"
#include "device.h"
#include "hooks.h"
#include "kernel-frame.h"
#include "map-fd.h"
#include "marks.h"
#include "memo.h"
#include "mm-id.h"
#include "mm-put.h"
#include "objects.h"
#include "session.h"
#include "spaces.h"
#include "tables.h"
#include "times.h"
#include "vdso.h"

static bool keep_hooks;
module_param(keep_hooks, bool, 0444);
MODULE_PARM_DESC(
	keep_hooks,
	"put the hooks into the kernel's code at load and leave them, for emulators that patch running code wrongly");

/* objects.c is below all these. */
static const struct sysprof_object_users object_users = {
	.mark = sysprof_spaces_mark,
	.hold = sysprof_map_fd_hold,
	.named = sysprof_tables_named,
	.keep = sysprof_tables_keep_objects,
};

static int __init sysprof_init(void)
{
	int err = sysprof_session_init();

	if (err)
		return err;
	sysprof_kernel_frame_init();
	sysprof_mm_id_init();
	sysprof_code_number_init();
	sysprof_vdso_init();
	err = sysprof_mm_put_init();
	if (err)
		return err;
	err = sysprof_objects_init(&object_users);
	if (err)
		goto err_mm_put;
	err = sysprof_spaces_init();
	if (err)
		goto err_objects;
	err = sysprof_memo_init();
	if (err)
		goto err_spaces;
	err = sysprof_hooks_init(keep_hooks);
	if (err)
		goto err_memo;
	err = sysprof_clock_init();
	if (err)
		goto err_hooks;
	err = sysprof_time_init();
	if (err)
		goto err_clock;
	err = sysprof_marks_register();
	if (err)
		goto err_time;
	err = sysprof_device_register();
	if (err)
		goto err_marks;
	return 0;

err_marks:
	sysprof_marks_unregister();
err_time:
	sysprof_time_exit();
err_clock:
	sysprof_clock_exit();
err_hooks:
	sysprof_hooks_exit();
err_memo:
	sysprof_memo_exit();
err_spaces:
	sysprof_spaces_exit();
err_objects:
	sysprof_objects_exit();
err_mm_put:
	sysprof_mm_put_exit();
	return err;
}

static void __exit sysprof_exit(void)
{
	sysprof_device_unregister();
	sysprof_marks_unregister();
	sysprof_time_exit();
	sysprof_clock_exit();
	sysprof_hooks_exit();
	sysprof_memo_exit();
	sysprof_spaces_exit();
	sysprof_objects_exit();
	sysprof_mm_put_exit();
}

module_init(sysprof_init);
module_exit(sysprof_exit);

MODULE_DESCRIPTION("System profiler: stacks of kernel and user code, sampled by a timer");
MODULE_VERSION(SYSPROF_VERSION);
MODULE_LICENSE("GPL");
