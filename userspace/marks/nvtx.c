/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libspt-nvtx.so: programs that describe themselves by NVTX (PyTorch, RAPIDS and others) load the
 * library that NVTX_INJECTION64_PATH names, and hand it their tables of functions, which it fills.
 * Each call becomes a mark of spt/mark.h; categories are domains.  Wide characters are not read.
 *
 * Texts belong to the caller and may be gone after the call: those that are needed at the end of a
 * range are copied into tables of fixed size.  What finds no room in them is no mark.
 */
#include <spt/mark.h>

#include "tables.h"

#define MOST_NESTED  64
#define MOST_TEXTS   4096
/* Modules of functions, and the places of functions in their tables. */
#define MODULE_CORE  1
#define MODULE_CORE2 5
#define CALLBACKS    1
/* Of a message. */
#define IS_ASCII      1
#define IS_REGISTERED 3

enum {
	CORE_MARK_EX = 1, CORE_MARK, CORE_START_EX = 4, CORE_START, CORE_END = 7, CORE_PUSH_EX,
	CORE_PUSH, CORE_POP = 11,
};
enum {
	DOMAIN_MARK = 1, DOMAIN_START, DOMAIN_END, DOMAIN_PUSH, DOMAIN_POP, DOMAIN_STRING = 10,
	DOMAIN_CREATE = 12,
};

struct nvtx_attributes {
	uint16_t version, bytes;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type;
	const void *message;
};

typedef void (*nvtx_function)(void);

struct nvtx_callbacks {
	size_t bytes;
	int (*get_table)(int module, nvtx_function ***ret_table, unsigned *ret_n);
};

/* Names of domains, registered strings and open ranges. */
static char nvtx_texts[MOST_TEXTS][SPT_MARKS_NAME_BYTES];
static uint32_t nvtx_n_texts;
static uint64_t nvtx_n_ranges;

static __thread struct {
	char names[MOST_NESTED][SPT_MARKS_NAME_BYTES];
	unsigned n;		/* also those beyond the table */
} nvtx_nested;

static const char *nvtx_keep(const char *text)
{
	uint32_t i = __atomic_load_n(&nvtx_n_texts, __ATOMIC_RELAXED);

	do {
		if (!text || i >= MOST_TEXTS)
			return NULL;
	} while (!__atomic_compare_exchange_n(&nvtx_n_texts, &i, i + 1, true, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	spt_marks_cut(nvtx_texts[i], text);
	return nvtx_texts[i];
}

static const char *nvtx_message(const struct nvtx_attributes *attributes)
{
	const char *message = NULL;

	if (attributes && attributes->bytes >= sizeof(*attributes) &&
	    (attributes->message_type == IS_ASCII || attributes->message_type == IS_REGISTERED))
		message = attributes->message;
	return message ? message : "range";
}

/* Instants. */

static void nvtx_mark_in(const char *domain, const char *name)
{
	spt_mark_instant(domain ? domain : "nvtx", name, NULL);
}

static void nvtx_mark_ex(const struct nvtx_attributes *attributes)
{
	nvtx_mark_in(NULL, nvtx_message(attributes));
}

static void nvtx_mark(const char *name)
{
	nvtx_mark_in(NULL, name ? name : "mark");
}

static void nvtx_domain_mark(const char *domain, const struct nvtx_attributes *attributes)
{
	nvtx_mark_in(domain, nvtx_message(attributes));
}

/* Ranges of a thread, which nest; each call returns how deep it is. */

static int nvtx_push_in(const char *domain, const char *name)
{
	if (spt_mark_is_recorded() && nvtx_nested.n < MOST_NESTED) {
		spt_marks_cut(nvtx_nested.names[nvtx_nested.n], name);
		spt_mark_begin(domain ? domain : "nvtx", nvtx_nested.names[nvtx_nested.n]);
	}
	return (int)nvtx_nested.n++;
}

static int nvtx_push_ex(const struct nvtx_attributes *attributes)
{
	return nvtx_push_in(NULL, nvtx_message(attributes));
}

static int nvtx_push(const char *name)
{
	return nvtx_push_in(NULL, name ? name : "range");
}

static int nvtx_domain_push(const char *domain, const struct nvtx_attributes *attributes)
{
	return nvtx_push_in(domain, nvtx_message(attributes));
}

static int nvtx_pop(void)
{
	if (!nvtx_nested.n)
		return -1;
	if (--nvtx_nested.n < MOST_NESTED)
		spt_mark_end(nvtx_nested.names[nvtx_nested.n]);
	return (int)nvtx_nested.n;
}

static int nvtx_domain_pop(__attribute__((unused)) const char *domain)
{
	return nvtx_pop();
}

/* Ranges that any thread may end, by their number. */

static uint64_t nvtx_start_in(const char *domain, const char *name)
{
	uint64_t range = __atomic_add_fetch(&nvtx_n_ranges, 1, __ATOMIC_RELAXED);
	char copy[SPT_MARKS_NAME_BYTES];

	if (!spt_mark_is_recorded())
		return range;
	spt_marks_cut(copy, name);
	if (spt_marks_remember(range, copy))
		spt_mark_open(domain ? domain : "nvtx", copy);
	return range;
}

static uint64_t nvtx_start_ex(const struct nvtx_attributes *attributes)
{
	return nvtx_start_in(NULL, nvtx_message(attributes));
}

static uint64_t nvtx_start(const char *name)
{
	return nvtx_start_in(NULL, name ? name : "range");
}

static uint64_t nvtx_domain_start(const char *domain, const struct nvtx_attributes *attributes)
{
	return nvtx_start_in(domain, nvtx_message(attributes));
}

static void nvtx_end(uint64_t range)
{
	char name[SPT_MARKS_NAME_BYTES];

	if (spt_marks_forget(range, name))
		spt_mark_close(name);
}

static void nvtx_domain_end(__attribute__((unused)) const char *domain, uint64_t range)
{
	nvtx_end(range);
}

/* A program keeps what these return and hands it back. */

static const char *nvtx_domain_string(__attribute__((unused)) const char *domain, const char *text)
{
	return nvtx_keep(text);
}

static const char *nvtx_domain_create(const char *name)
{
	return nvtx_keep(name);
}

static void nvtx_fill(const struct nvtx_callbacks *callbacks, int module, unsigned at,
		      nvtx_function function)
{
	nvtx_function **table = NULL;
	unsigned n = 0;

	if (callbacks->get_table(module, &table, &n) && table && at < n && table[at])
		*table[at] = function;
}

/* Called once by the program; 0: it should go on without. */
__attribute__((visibility("default"))) int
InitializeInjectionNvtx2(const void *(*get_export_table)(uint32_t id));
int InitializeInjectionNvtx2(const void *(*get_export_table)(uint32_t id))
{
	const struct {
		int module;
		unsigned at;
		nvtx_function function;
	} functions[] = {
		{ MODULE_CORE, CORE_MARK_EX, (nvtx_function)nvtx_mark_ex },
		{ MODULE_CORE, CORE_MARK, (nvtx_function)nvtx_mark },
		{ MODULE_CORE, CORE_START_EX, (nvtx_function)nvtx_start_ex },
		{ MODULE_CORE, CORE_START, (nvtx_function)nvtx_start },
		{ MODULE_CORE, CORE_END, (nvtx_function)nvtx_end },
		{ MODULE_CORE, CORE_PUSH_EX, (nvtx_function)nvtx_push_ex },
		{ MODULE_CORE, CORE_PUSH, (nvtx_function)nvtx_push },
		{ MODULE_CORE, CORE_POP, (nvtx_function)nvtx_pop },
		{ MODULE_CORE2, DOMAIN_MARK, (nvtx_function)nvtx_domain_mark },
		{ MODULE_CORE2, DOMAIN_START, (nvtx_function)nvtx_domain_start },
		{ MODULE_CORE2, DOMAIN_END, (nvtx_function)nvtx_domain_end },
		{ MODULE_CORE2, DOMAIN_PUSH, (nvtx_function)nvtx_domain_push },
		{ MODULE_CORE2, DOMAIN_POP, (nvtx_function)nvtx_domain_pop },
		{ MODULE_CORE2, DOMAIN_STRING, (nvtx_function)nvtx_domain_string },
		{ MODULE_CORE2, DOMAIN_CREATE, (nvtx_function)nvtx_domain_create },
	};
	const struct nvtx_callbacks *callbacks =
		get_export_table ? get_export_table(CALLBACKS) : NULL;

	if (!callbacks || callbacks->bytes < sizeof(*callbacks))
		return 0;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		nvtx_fill(callbacks, functions[i].module, functions[i].at, functions[i].function);
	return 1;
}
