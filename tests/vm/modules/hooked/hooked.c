// SPDX-License-Identifier: GPL-2.0-only
/* The parameter trace_points is how many of the kernel's trace points somebody has a probe on. */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/tracepoint.h>

static void count(struct tracepoint *tracepoint, void *data)
{
	unsigned int *n = data;

	if (rcu_access_pointer(tracepoint->funcs))
		++*n;
}

static int get_trace_points(char *text, const struct kernel_param *param)
{
	unsigned int n = 0;

	for_each_kernel_tracepoint(count, &n)
		;
	return sprintf(text, "%u\n", n);
}

static const struct kernel_param_ops ops = { .get = get_trace_points };
module_param_cb(trace_points, &ops, NULL, 0444);

static int __init hooked_init(void)
{
	return 0;
}

static void __exit hooked_exit(void)
{
}

module_init(hooked_init);
module_exit(hooked_exit);

MODULE_DESCRIPTION("How many trace points are hooked");
MODULE_LICENSE("GPL");
