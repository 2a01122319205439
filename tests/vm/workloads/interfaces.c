/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that describes itself by ITT and NVTX, as their own headers do it: interfaces
 * known|hostile.  Each library is loaded by the name in its variable; without one nothing is said.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 50
#define SPAN_US 500

struct id {
	unsigned long long parts[3];
};

/* ITT. */

static struct {
	const char *(*api_version)(void);
	void *(*domain_create)(const char *name);
	void *(*string_handle_create)(const char *text);
	void (*task_begin)(void *domain, struct id id, struct id parent, void *name);
	void (*task_end)(void *domain);
	void (*region_begin)(void *domain, struct id id, struct id parent, void *name);
	void (*region_end)(void *domain, struct id id);
	void (*frame_begin_v3)(void *domain, struct id *id);
	void (*frame_end_v3)(void *domain, struct id *id);
	void (*frame_submit_v3)(void *domain, struct id *id, unsigned long long begin,
				unsigned long long end);
	unsigned long long (*get_timestamp)(void);
	void (*marker)(void *domain, struct id id, void *name, int scope);
	int (*event_create)(const char *name, int bytes);
	int (*event_start)(int event);
	int (*event_end)(int event);
	void *(*counter_create)(const char *name, const char *domain);
	void (*counter_set_value)(void *counter, void *value);
	void (*counter_inc_delta)(void *counter, unsigned long long change);
} itt;

static const struct {
	const char *name;
	void *function;
} itt_functions[] = {
#define FUNCTION(name) { "__itt_" #name, &itt.name }
	FUNCTION(api_version), FUNCTION(domain_create), FUNCTION(string_handle_create),
	FUNCTION(task_begin), FUNCTION(task_end), FUNCTION(region_begin), FUNCTION(region_end),
	FUNCTION(frame_begin_v3), FUNCTION(frame_end_v3), FUNCTION(frame_submit_v3),
	FUNCTION(get_timestamp), FUNCTION(marker), FUNCTION(event_create), FUNCTION(event_start),
	FUNCTION(event_end), FUNCTION(counter_create), FUNCTION(counter_set_value),
	FUNCTION(counter_inc_delta),
};

/* NVTX. */

typedef void (*function)(void);

struct attributes {
	uint16_t version, bytes;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type;
	const void *message;
};

static int (*nvtx_push)(const char *name);
static int (*nvtx_pop)(void);
static uint64_t (*nvtx_start)(const char *name);
static void (*nvtx_end)(uint64_t range);
static void (*nvtx_mark)(const char *name);
static void *(*nvtx_domain_create)(const char *name);
static void *(*nvtx_domain_string)(void *domain, const char *text);
static int (*nvtx_domain_push)(void *domain, const struct attributes *attributes);
static int (*nvtx_domain_pop)(void *domain);
static function *core[16], *domains[16];

static int get_table(int module, function ***ret_table, unsigned *ret_n)
{
	*ret_table = module == 1 ? core : domains;
	*ret_n = 16;
	return module == 1 || module == 5;
}

static const void *get_export(uint32_t id)
{
	static const struct {
		size_t bytes;
		int (*get)(int module, function ***ret_table, unsigned *ret_n);
	} callbacks = { sizeof(callbacks), get_table };

	return id == 1 ? &callbacks : NULL;
}

static void *load(const char *variable)
{
	const char *path = getenv(variable);

	return path ? dlopen(path, RTLD_LAZY) : NULL;
}

static int connect_all(void)
{
	void *library = load("INTEL_LIBITTNOTIFY64"), *other = load("NVTX_INJECTION64_PATH");
	int (*begin)(const void *(*get)(uint32_t id)) =
		other ? dlsym(other, "InitializeInjectionNvtx2") : NULL;

	if (!library || !begin)
		return 0;
	for (size_t i = 0; i < sizeof(itt_functions) / sizeof(itt_functions[0]); i++) {
		void *found = dlsym(library, itt_functions[i].name);

		if (!found)
			return 0;
		*(void **)itt_functions[i].function = found;
	}
	core[2] = (function *)&nvtx_mark;
	core[5] = (function *)&nvtx_start;
	core[7] = (function *)&nvtx_end;
	core[9] = (function *)&nvtx_push;
	core[11] = (function *)&nvtx_pop;
	domains[4] = (function *)&nvtx_domain_push;
	domains[5] = (function *)&nvtx_domain_pop;
	domains[10] = (function *)&nvtx_domain_string;
	domains[12] = (function *)&nvtx_domain_create;
	return begin(get_export) && nvtx_push && nvtx_domain_create;
}

static void *end_region(void *domain)
{
	itt.region_end(domain, (struct id){ { 7, 8, 9 } });
	return NULL;
}

static void make_known(void)
{
	void *domain = itt.domain_create("known"), *outer = itt.string_handle_create("outer"),
	     *inner = itt.string_handle_create("inner"), *counter;
	int event = itt.event_create("event", 5);
	unsigned long long begin;
	pthread_t thread;

	for (int i = 0; i < ROUNDS; i++) {
		itt.task_begin(domain, (struct id){ 0 }, (struct id){ 0 }, outer);
		usleep(SPAN_US);
		itt.task_begin(domain, (struct id){ 0 }, (struct id){ 0 }, inner);
		usleep(SPAN_US);
		itt.task_end(domain);
		itt.task_end(domain);
	}
	itt.region_begin(domain, (struct id){ { 7, 8, 9 } }, (struct id){ 0 },
			 itt.string_handle_create("region"));
	usleep(20 * SPAN_US);
	pthread_create(&thread, NULL, end_region, domain);
	pthread_join(thread, NULL);
	itt.frame_begin_v3(domain, NULL);
	itt.frame_end_v3(domain, NULL);
	begin = itt.get_timestamp();
	usleep(SPAN_US);
	itt.frame_submit_v3(domain, NULL, begin, itt.get_timestamp());
	itt.event_start(event);
	itt.event_end(event);
	itt.marker(domain, (struct id){ 0 }, itt.string_handle_create("here"), 1);
	counter = itt.counter_create("queue", "known");
	itt.counter_set_value(counter, &(uint64_t){ 40 });
	itt.counter_inc_delta(counter, 2);
}

static void make_known_ranges(void)
{
	struct attributes attributes = { .version = 3, .bytes = sizeof(attributes),
					 .message_type = 3 };
	void *domain = nvtx_domain_create("parts");
	uint64_t range;

	for (int i = 0; i < ROUNDS; i++) {
		char name[] = "range";

		nvtx_push(name);
		memset(name, 'x', sizeof(name) - 1);
		usleep(SPAN_US);
		nvtx_pop();
	}
	range = nvtx_start("started");
	usleep(SPAN_US);
	nvtx_end(range);
	nvtx_mark("marked");
	attributes.message = nvtx_domain_string(domain, "registered");
	nvtx_domain_push(domain, &attributes);
	usleep(SPAN_US);
	nvtx_domain_pop(domain);
}

/* More than there is room for, ends without begins, names that are none, and too long ones. */
static void make_hostile(void)
{
	char *name = malloc(1 << 20);
	void *domain = NULL;

	memset(name, 'n', (1 << 20) - 1);
	name[(1 << 20) - 1] = '\0';
	for (int i = 0; i < 3000; i++) {
		char text[32];

		snprintf(text, sizeof(text), "name %d", i);
		domain = itt.domain_create(text);
		itt.task_begin(domain, (struct id){ 0 }, (struct id){ 0 },
			       itt.string_handle_create(text));
		itt.region_begin(domain, (struct id){ { (unsigned)i, 0, 0 } }, (struct id){ 0 },
				 itt.string_handle_create(name));
		nvtx_push(i % 2 ? name : NULL);
		nvtx_start(name);
		nvtx_domain_string(NULL, name);
		itt.event_create(text, -1);
		itt.counter_create(name, NULL);
	}
	for (int i = 0; i < 4000; i++) {
		itt.task_end(NULL);
		itt.region_end(domain, (struct id){ { (unsigned)i, 0, 0 } });
		nvtx_pop();
		nvtx_end((uint64_t)i);
	}
	itt.event_start(-1);
	itt.event_end(5000);
	itt.counter_set_value(NULL, NULL);
	nvtx_domain_push(NULL, NULL);
	nvtx_domain_push(NULL, &(struct attributes){ .bytes = 8 });
	free(name);
}

int main(int argc, char **argv)
{
	if (!connect_all()) {
		fprintf(stderr, "interfaces: nobody listens\n");
		return 1;
	}
	if (argc > 1 && strcmp(argv[1], "hostile") == 0) {
		make_hostile();
	} else {
		make_known();
		make_known_ranges();
	}
	printf("done\n");
	return 0;
}
