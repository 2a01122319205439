/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Back-ports change trace points' prototypes, and no version number shows it.  There is a function
 * for each known prototype, and the compiler chooses the one that this kernel's trace point calls.
 * A trace point with another prototype counts as one that the kernel lacks.
 */
#ifndef _SYSPROF_COMPAT_TRACE_TYPE_H
#define _SYSPROF_COMPAT_TRACE_TYPE_H

/* The type of what @name calls; @name must be declared: its header is there. */
#define SYSPROF_TRACE_CALLS(name) typeof(check_trace_callback_type_##name)
#define SYSPROF_TRACE_TAKES(name, ...) void(void (*cb)(void *, ##__VA_ARGS__))
/* @probe if trace point @name passes the types that follow, else @other. */
#define SYSPROF_TRACE_CHOOSE(name, probe, other, ...)                                              \
	__builtin_choose_expr(                                                                     \
		__builtin_types_compatible_p(SYSPROF_TRACE_CALLS(name),                            \
					     SYSPROF_TRACE_TAKES(name, __VA_ARGS__)),              \
		(void *)(probe), (other))

#endif /* _SYSPROF_COMPAT_TRACE_TYPE_H */
