/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For kmem.c: the allocators' trace points, which differ between kernels.  Kbuild looks in their
 * header for those that were removed in 6.1; other differences are selected by type.
 */
#ifndef _SYSPROF_COMPAT_KMEM_H
#define _SYSPROF_COMPAT_KMEM_H

#include <trace/events/kmem.h>
#include <trace/events/percpu.h>
#ifdef SYSPROF_HAS_VMALLOC
#include <trace/events/vmalloc.h>
#endif

#include "trace-type.h"

#define SYSPROF_ALLOC_HEAD unsigned long, const void *

/* From 6.1 on kmalloc() passes the node, too; before that, its variant for nodes did. */
#define SYSPROF_KMALLOC_PROBE(name, plain, node, cache, cache_node)                                \
	SYSPROF_TRACE_CHOOSE(                                                                      \
		name, plain,                                                                       \
		SYSPROF_TRACE_CHOOSE(                                                              \
			name, node,                                                                \
			SYSPROF_TRACE_CHOOSE(                                                      \
				name, cache,                                                       \
				SYSPROF_TRACE_CHOOSE(name, cache_node, NULL, SYSPROF_ALLOC_HEAD,   \
						     struct kmem_cache *, size_t, size_t, gfp_t,   \
						     int),                                         \
				SYSPROF_ALLOC_HEAD, struct kmem_cache *, size_t, size_t, gfp_t),   \
			SYSPROF_ALLOC_HEAD, size_t, size_t, gfp_t, int),                           \
		SYSPROF_ALLOC_HEAD, size_t, size_t, gfp_t)

/* From 6.1 on the cache alone. */
#define SYSPROF_CACHE_PROBE(name, only, older)                                                     \
	SYSPROF_TRACE_CHOOSE(name, only, older, SYSPROF_ALLOC_HEAD, struct kmem_cache *, gfp_t,    \
			     int)

/* The cache, from 5.12 on its name, before neither. */
#define SYSPROF_CACHE_FREE_PROBE(name, cache, called, plain)                                       \
	SYSPROF_TRACE_CHOOSE(                                                                      \
		name, cache,                                                                       \
		SYSPROF_TRACE_CHOOSE(                                                              \
			name, called,                                                              \
			SYSPROF_TRACE_CHOOSE(name, plain, NULL, SYSPROF_ALLOC_HEAD),               \
			SYSPROF_ALLOC_HEAD, const char *),                                         \
		SYSPROF_ALLOC_HEAD, const struct kmem_cache *)

#endif /* _SYSPROF_COMPAT_KMEM_H */
