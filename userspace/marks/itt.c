/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libspt-itt.so: programs that describe themselves by ITT (oneTBB, OpenCV, LLVM and others) load
 * the library that INTEL_LIBITTNOTIFY64 names, and call its functions by these names.  Each becomes
 * a mark of spt/mark.h.  What is not here the program leaves out by itself.
 *
 * Categories are domains.  Names, domains and handles live as long as the program, so they are kept
 * as they are; tables are of fixed size, and what finds no room in them is no mark.
 */
#include <spt/mark.h>

#include "tables.h"

#define EXPORT __attribute__((visibility("default")))
/* Spans of a thread that its ITT ends by no name. */
#define MOST_NESTED   64
#define MOST_EVENTS   1024
#define MOST_COUNTERS 1024
#define MOST_NAMES    1024

struct itt_id {
	unsigned long long parts[3];
};

/* ITT's own structures, which the program reads; further members are NULL. */
struct itt_domain {
	volatile int is_on;
	const char *name;
	void *others[4];
};

struct itt_text {
	const char *text;
	void *others[4];
};

enum itt_type { ITT_U64 = 1, ITT_S64, ITT_U32, ITT_S32, ITT_U16, ITT_S16, ITT_FLOAT, ITT_DOUBLE };

struct itt_counter {
	char name[SPT_MARKS_NAME_BYTES];
	enum itt_type type;
	int64_t value;
};

static __thread struct {
	const char *names[MOST_NESTED];
	unsigned n;		/* also those beyond the table */
} itt_nested;

static struct itt_domain itt_domains[MOST_NAMES];
static struct itt_text itt_texts[MOST_NAMES];
static char itt_names[2 * MOST_NAMES][SPT_MARKS_NAME_BYTES];
static uint32_t itt_n_domains, itt_n_texts, itt_n_names;
static char itt_events[MOST_EVENTS][SPT_MARKS_NAME_BYTES];
static struct itt_counter itt_counters[MOST_COUNTERS];
static uint32_t itt_n_events, itt_n_counters;

static const char *itt_text(const struct itt_text *text)
{
	return text && text->text ? text->text : "task";
}

static const char *itt_domain(const struct itt_domain *domain)
{
	return domain && domain->name ? domain->name : "itt";
}

/* The program asks for it to see whether all functions are here. */
EXPORT const char *__itt_api_version(void);
EXPORT const char *__itt_api_version(void)
{
	return "sysprof";
}

/* Names.  NULL: there is no room, and what has the name is called "task", in the domain "itt". */

/* A place of @n, which @most has; @most: there is none. */
static uint32_t itt_take(uint32_t *n, uint32_t most)
{
	uint32_t i = __atomic_load_n(n, __ATOMIC_RELAXED);

	while (i < most && !__atomic_compare_exchange_n(n, &i, i + 1, true, __ATOMIC_RELAXED,
							__ATOMIC_RELAXED))
		;
	return i;
}

static const char *itt_keep(const char *name)
{
	uint32_t i = itt_take(&itt_n_names, 2 * MOST_NAMES);

	if (i == 2 * MOST_NAMES)
		return NULL;
	spt_marks_cut(itt_names[i], name);
	return itt_names[i];
}

EXPORT struct itt_domain *__itt_domain_create(const char *name);
EXPORT struct itt_domain *__itt_domain_create(const char *name)
{
	uint32_t n = __atomic_load_n(&itt_n_domains, __ATOMIC_ACQUIRE), i;

	for (i = 0; i < n && name; i++)
		if (itt_domains[i].name && strcmp(itt_domains[i].name, name) == 0)
			return &itt_domains[i];
	i = itt_take(&itt_n_domains, MOST_NAMES);
	if (i == MOST_NAMES)
		return NULL;
	itt_domains[i].name = name && *name ? itt_keep(name) : NULL;
	itt_domains[i].is_on = 1;
	return &itt_domains[i];
}

EXPORT struct itt_text *__itt_string_handle_create(const char *text);
EXPORT struct itt_text *__itt_string_handle_create(const char *text)
{
	uint32_t n = __atomic_load_n(&itt_n_texts, __ATOMIC_ACQUIRE), i;

	for (i = 0; i < n && text; i++)
		if (itt_texts[i].text && strcmp(itt_texts[i].text, text) == 0)
			return &itt_texts[i];
	i = itt_take(&itt_n_texts, MOST_NAMES);
	if (i == MOST_NAMES)
		return NULL;
	itt_texts[i].text = text && *text ? itt_keep(text) : NULL;
	return &itt_texts[i];
}

/* Tasks of a thread, which nest. */

EXPORT void __itt_task_begin(const struct itt_domain *domain, struct itt_id id,
			     struct itt_id parent, const struct itt_text *name);
EXPORT void __itt_task_begin(const struct itt_domain *domain,
			     __attribute__((unused)) struct itt_id id,
			     __attribute__((unused)) struct itt_id parent,
			     const struct itt_text *name)
{
	if (itt_nested.n < MOST_NESTED) {
		itt_nested.names[itt_nested.n] = itt_text(name);
		spt_mark_begin(itt_domain(domain), itt_text(name));
	}
	itt_nested.n++;
}

EXPORT void __itt_task_end(const struct itt_domain *domain);
EXPORT void __itt_task_end(__attribute__((unused)) const struct itt_domain *domain)
{
	if (itt_nested.n && --itt_nested.n < MOST_NESTED)
		spt_mark_end(itt_nested.names[itt_nested.n]);
}

/* Tasks, regions and frames with an identity, which any thread may end. */

static uint64_t itt_key(const struct itt_domain *domain, const struct itt_id *id)
{
	return spt_marks_mix(id->parts[0] ^ spt_marks_mix(id->parts[1]) ^
			     spt_marks_mix(id->parts[2] + (uintptr_t)domain));
}

static void itt_open(const struct itt_domain *domain, const struct itt_id *id, const char *whole)
{
	char name[SPT_MARKS_NAME_BYTES];

	spt_marks_cut(name, whole);
	if (spt_mark_is_recorded() && spt_marks_remember(itt_key(domain, id), name))
		spt_mark_open(itt_domain(domain), name);
}

static void itt_close(const struct itt_domain *domain, const struct itt_id *id)
{
	char name[SPT_MARKS_NAME_BYTES];

	if (spt_mark_is_recorded() && spt_marks_forget(itt_key(domain, id), name))
		spt_mark_close(name);
}

EXPORT void __itt_task_begin_overlapped(const struct itt_domain *domain, struct itt_id id,
					struct itt_id parent, const struct itt_text *name);
EXPORT void __itt_task_begin_overlapped(const struct itt_domain *domain, struct itt_id id,
					__attribute__((unused)) struct itt_id parent,
					const struct itt_text *name)
{
	itt_open(domain, &id, itt_text(name));
}

EXPORT void __itt_task_end_overlapped(const struct itt_domain *domain, struct itt_id id);
EXPORT void __itt_task_end_overlapped(const struct itt_domain *domain, struct itt_id id)
{
	itt_close(domain, &id);
}

EXPORT void __itt_region_begin(const struct itt_domain *domain, struct itt_id id,
			       struct itt_id parent, const struct itt_text *name);
EXPORT void __itt_region_begin(const struct itt_domain *domain, struct itt_id id,
			       __attribute__((unused)) struct itt_id parent,
			       const struct itt_text *name)
{
	itt_open(domain, &id, itt_text(name));
}

EXPORT void __itt_region_end(const struct itt_domain *domain, struct itt_id id);
EXPORT void __itt_region_end(const struct itt_domain *domain, struct itt_id id)
{
	itt_close(domain, &id);
}

EXPORT void __itt_frame_begin_v3(const struct itt_domain *domain, struct itt_id *id);
EXPORT void __itt_frame_begin_v3(const struct itt_domain *domain, struct itt_id *id)
{
	static const struct itt_id only;

	itt_open(domain, id ? id : &only, "frame");
}

EXPORT void __itt_frame_end_v3(const struct itt_domain *domain, struct itt_id *id);
EXPORT void __itt_frame_end_v3(const struct itt_domain *domain, struct itt_id *id)
{
	static const struct itt_id only;

	itt_close(domain, id ? id : &only);
}

EXPORT unsigned long long __itt_get_timestamp(void);
EXPORT unsigned long long __itt_get_timestamp(void)
{
	return spt_mark_now();
}

EXPORT void __itt_frame_submit_v3(const struct itt_domain *domain, struct itt_id *id,
				  unsigned long long begin, unsigned long long end);
EXPORT void __itt_frame_submit_v3(const struct itt_domain *domain,
				  __attribute__((unused)) struct itt_id *id,
				  unsigned long long begin, unsigned long long end)
{
	const char *category = itt_domain(domain), *name = "frame";

	if (spt_mark_is_recorded() && begin && end >= begin)
		spt_mark_write(SPT_MARK_SPAN, end, begin, category, name, NULL,
			       spt_mark_bytes(category) | spt_mark_bytes(name) << 16);
}

/* Instants. */

EXPORT void __itt_marker(const struct itt_domain *domain, struct itt_id id,
			 const struct itt_text *name, int scope);
EXPORT void __itt_marker(const struct itt_domain *domain, __attribute__((unused)) struct itt_id id,
			 const struct itt_text *name, __attribute__((unused)) int scope)
{
	spt_mark_instant(itt_domain(domain), itt_text(name), NULL);
}

/* Events, which are spans of a thread. */

EXPORT int __itt_event_create(const char *name, int bytes);
EXPORT int __itt_event_create(const char *name, __attribute__((unused)) int bytes)
{
	uint32_t i = name ? itt_take(&itt_n_events, MOST_EVENTS) : MOST_EVENTS;

	if (i == MOST_EVENTS)
		return 0;
	spt_marks_cut(itt_events[i], name);
	return (int)i + 1;
}

EXPORT int __itt_event_start(int event);
EXPORT int __itt_event_start(int event)
{
	if (event > 0 && event <= MOST_EVENTS)
		spt_mark_begin("itt", itt_events[event - 1]);
	return 0;
}

EXPORT int __itt_event_end(int event);
EXPORT int __itt_event_end(int event)
{
	if (event > 0 && event <= MOST_EVENTS)
		spt_mark_end(itt_events[event - 1]);
	return 0;
}

/* Counters. */

EXPORT void *__itt_counter_create_typed(const char *name, const char *domain, enum itt_type type);
EXPORT void *__itt_counter_create_typed(const char *name,
					__attribute__((unused)) const char *domain,
					enum itt_type type)
{
	uint32_t i = name ? itt_take(&itt_n_counters, MOST_COUNTERS) : MOST_COUNTERS;

	if (i == MOST_COUNTERS)
		return NULL;
	spt_marks_cut(itt_counters[i].name, name);
	itt_counters[i].type = type;
	return &itt_counters[i];
}

EXPORT void *__itt_counter_create(const char *name, const char *domain);
EXPORT void *__itt_counter_create(const char *name, const char *domain)
{
	return __itt_counter_create_typed(name, domain, ITT_U64);
}

static double itt_value(enum itt_type type, const void *value)
{
	switch (type) {
	case ITT_S64:
		return (double)*(const int64_t *)value;
	case ITT_U32:
		return *(const uint32_t *)value;
	case ITT_S32:
		return *(const int32_t *)value;
	case ITT_U16:
		return *(const uint16_t *)value;
	case ITT_S16:
		return *(const int16_t *)value;
	case ITT_FLOAT:
		return (double)*(const float *)value;
	case ITT_DOUBLE:
		return *(const double *)value;
	default:
		return (double)*(const uint64_t *)value;
	}
}

EXPORT void __itt_counter_set_value(struct itt_counter *counter, void *value);
EXPORT void __itt_counter_set_value(struct itt_counter *counter, void *value)
{
	if (!counter || !value || !spt_mark_is_recorded())
		return;
	if (counter->type < ITT_FLOAT)
		__atomic_store_n(&counter->value, (int64_t)itt_value(counter->type, value),
				 __ATOMIC_RELAXED);
	spt_mark_counter(counter->name, itt_value(counter->type, value));
}

static void itt_add(struct itt_counter *counter, int64_t change)
{
	if (counter)
		spt_mark_counter(counter->name,
				 (double)__atomic_add_fetch(&counter->value, change,
							    __ATOMIC_RELAXED));
}

EXPORT void __itt_counter_inc(struct itt_counter *counter);
EXPORT void __itt_counter_inc(struct itt_counter *counter)
{
	itt_add(counter, 1);
}

EXPORT void __itt_counter_dec(struct itt_counter *counter);
EXPORT void __itt_counter_dec(struct itt_counter *counter)
{
	itt_add(counter, -1);
}

EXPORT void __itt_counter_inc_delta(struct itt_counter *counter, unsigned long long change);
EXPORT void __itt_counter_inc_delta(struct itt_counter *counter, unsigned long long change)
{
	itt_add(counter, (int64_t)change);
}

EXPORT void __itt_counter_dec_delta(struct itt_counter *counter, unsigned long long change);
EXPORT void __itt_counter_dec_delta(struct itt_counter *counter, unsigned long long change)
{
	itt_add(counter, -(int64_t)change);
}
