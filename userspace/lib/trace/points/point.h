/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can be asked for by name: trace points, and the events that the kernel's software or the
 * CPU counts.  A point has what perf_event_open() needs, and the fields of its hits.
 */
#ifndef SPT_POINT_H
#define SPT_POINT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace/points/format.h"
#include "trace/points/named-event.h"

G_BEGIN_DECLS

/* Where tracefs is mounted. */
#define SPT_POINT_TRACEFS "/sys/kernel/tracing"
#define SPT_POINT_COUNTER_AT 32
/* Most points of a recording. */
#define SPT_POINTS_MAX 1500u

typedef enum {
	SPT_POINT_TRACE,		/* a trace point of the kernel */
	SPT_POINT_SOFTWARE,		/* what the kernel counts */
	SPT_POINT_HARDWARE,		/* what the CPU counts */
	SPT_POINT_FUNCTION,		/* of the kernel */
	SPT_POINT_PROBE,		/* an instruction of a file that programs run */
} SptPointType;

typedef struct {
	SptPointType type;
	char *name;			/* as perf has it; the kind's in recordings */
	uint32_t perf_type;		/* as in perf_event_open() */
	uint64_t config;		/* upper half of a mark: the place of its counter */
	uint64_t period;		/* one in this number is recorded */
	char *target;			/* a kernel function, or the path of a file; or NULL */
	uint64_t offset;		/* of the instruction in that file */
	/* Of what is counted: not in the kernel, not in programs, and how precise. */
	bool no_kernel, no_user;
	unsigned precise;
	bool is_timed;			/* calls, which also have an end */
	bool has_arguments;		/* fields of a mark or call, from registers */
	SptNamedEvent *begin;		/* of a call or mark whose arguments it has; or NULL */
	uint32_t begin_id;		/* its number for perf */
	/* A condition on a trace point's fields, as tracefs has it; NULL: none. */
	char *filter;
	uint16_t source;		/* the module's (sysprof-named.h); 0: perf's event */
	SptPointFormat format;
} SptPoint;

void spt_point_free(SptPoint *point);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptPoint, spt_point_free)
/* For lists of points. */
void spt_point_free_it(gpointer point);

/* A name and a line of help, of a list of what can be asked for. */
typedef struct {
	SptPointType type;
	char *name, *help;
} SptPointName;

/*
 * Appends to @names (SptPointName *, with a free function) the names that match @glob, by type and
 * name; NULL: all.  @with_help: also their help, which takes longer.
 */
void spt_point_list(GPtrArray *names, const char *glob, bool with_help);
GPtrArray *spt_point_names_new(void);
/* "trace point", "software event", ...; for people. */
const char *spt_point_type_name(SptPointType type);

/* Most functions of a pattern. */
#define SPT_POINT_FUNCTIONS_MAX 100u
/*
 * Appends to @points the kernel's functions that @text names, which may be a glob, or one name with
 * arguments of it to be recorded: "vfs_read(count, pos)".
 */
bool spt_point_find_functions(GPtrArray *points, const char *text, GError **error);
/* The functions of the kernel that match, as far as this user can see them: with probes or not. */
void spt_point_list_functions(GPtrArray *names, const char *glob);

/*
 * Appends to @points what @text names: a name or a glob of perf's, and behind " if " a condition on
 * the fields of trace points.  @all: a condition for the trace points without one; NULL: none.
 */
bool spt_point_find(GPtrArray *points, const char *text, const char *all, GError **error);

/*
 * Fields of a call: what it returned and its own time, and then arguments.  The kernel's types say
 * where these are.
 */
#define SPT_POINT_CALL_FIELDS 2u
#define SPT_POINT_ARGUMENTS   8u	/* most of a call */
/* Adds those of @list, "count, pos", which have to be numbers or addresses. */
bool spt_point_add_arguments(SptPoint *point, const char *list, GError **error);
/* The names of a function's arguments, "file, buf, count, pos"; NULL: not known; to be freed. */
char *spt_point_arguments_of(const char *function);
/* Hits are calls: their kind has the fields of calls (events/declared.h). */
void spt_point_set_timed(SptPoint *point);
/* Adds the fields that a mark's note describes, or symbols/place-arguments.h of a function. */
void spt_point_parse_arguments(const char *text, SptPoint *point);
/* The place of a probe as tracefs has it; NULL: it cannot be written there; to be freed. */
char *spt_point_place(const SptPoint *point);
/*
 * If some of the arguments of a program's function, or of a mark, are texts or what addresses lead
 * to, they are read by an event that tracefs has: it becomes the begin of @point.
 */
bool spt_point_fetch_arguments(SptPoint *point, GError **error);
#define SPT_POINT_REGISTERS 33		/* perf's numbers of registers are below */
#if defined(__aarch64__)
#define SPT_POINT_SP 31			/* the stack pointer's */
#else
#define SPT_POINT_SP 7
#endif
/*
 * The value of an argument.  @values: of registers, by number; NULL: not known.  @stack:
 * @stack_bytes from @sp on.  0: it is elsewhere in memory.
 */
SptValue spt_point_argument(const SptPointField *field, const uint64_t *values, uint64_t sp,
			    const uint8_t *stack, size_t stack_bytes);
/* Adds it, unless the same is there.  @point is then owned. */
bool spt_point_add(GPtrArray *points, SptPoint *point, GError **error);

/* names.c, tracefs.c: for the above. */

/* A software or hardware event of this very name; NULL: there is none. */
SptPoint *spt_point_counted(const char *name);
void spt_point_list_counted(GPtrArray *names, const char *glob);
/* Whether tracefs can be read.  Sets an error that says what helps. */
bool spt_point_can_trace(GError **error);
/* A trace point "group:name", with its format; NULL: there is none. */
SptPoint *spt_point_traced(const char *name);
void spt_point_list_traced(GPtrArray *names, const char *glob, bool with_help);
/* Whether the module is loaded. */
bool spt_point_has_module(void);
/* A trace point that the module reports, without fields; NULL: it does not. */
SptPoint *spt_point_of_module(const char *name);
/* The name of what the module reports by @source; NULL: it is no trace point. */
const char *spt_point_name_of_source(unsigned source);
void spt_point_list_of_module(GPtrArray *names, const char *glob);
/*
 * @filter as the kernel takes it, to be freed.  NULL: it is none for @point: its fields, operators
 * or values.
 */
char *spt_point_check_filter(const char *filter, const SptPoint *point, GError **error);

G_END_DECLS

#endif
