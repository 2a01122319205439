/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What processes publish of themselves (OTEP 4719), and what strangers can make of it. */
#include <glib.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/published.h"
#include "formats/otlp.pb-c.h"

/* How much later it is for this program than for others. */
static time_t later_s;

/* Instead of libc's. */
int clock_gettime(clockid_t clock, struct timespec *ret)
{
	int result = (int)syscall(SYS_clock_gettime, clock, ret);

	ret->tv_sec += clock == CLOCK_MONOTONIC ? later_s : 0;
	return result;
}

#define PAGE 4096
#define ROOM (64u << 10)

struct header {
	char signature[8];
	uint32_t version, bytes;
	uint64_t published_ns, address;
};

/* How a context is published; what is 0 is as it should be. */
struct way {
	const char *name, *signature;	/* of the memory */
	uint32_t version, bytes;
	uint64_t address;
	bool is_unready, is_anonymous;
	unsigned n_before;		/* such mappings that are none, at lower addresses */
	bool is_taken_back;		/* at the first signal */
	uint64_t *slot;			/* shared: the time of publishing */
};

static size_t pack_attributes(const char *const *pairs, uint8_t *to)
{
	SptOtlpAttribute attributes[8], *list[8];
	SptOtlpValue values[8];
	SptOtlpResource resource = SPT_OTLP_RESOURCE__INIT;
	SptOtlpProcessContext context = SPT_OTLP_PROCESS_CONTEXT__INIT;
	unsigned n = 0;

	for (; pairs[2 * n]; n++) {
		spt_otlp_attribute__init(&attributes[n]);
		spt_otlp_value__init(&values[n]);
		values[n].value_case = SPT_OTLP_VALUE__VALUE_TEXT;
		values[n].text = (char *)pairs[2 * n + 1];
		attributes[n].key = (char *)pairs[2 * n];
		attributes[n].value = &values[n];
		list[n] = &attributes[n];
	}
	resource.n_attributes = n;
	resource.attributes = list;
	context.resource = &resource;
	return spt_otlp_process_context__pack(&context, to);
}

static void publish(const struct way *way, const uint8_t *payload, size_t bytes)
{
	size_t room = PAGE + ROOM, before = way->n_before * (size_t)PAGE;
	char *all = mmap(NULL, before + room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = way->is_anonymous ? -1 :
				     memfd_create(way->name ? way->name : "OTEL_CTX", MFD_CLOEXEC);
	struct header *header;

	if (fd >= 0 && ftruncate(fd, (off_t)room) != 0)
		_exit(2);
	header = mmap(all + before, room, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_FIXED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);
	if (header == MAP_FAILED)
		_exit(2);
	/* None of them goes on where the one before it ends. */
	for (unsigned i = 0; i < way->n_before; i++)
		if (mmap(all + i * (size_t)PAGE, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd,
			 0) == MAP_FAILED)
			_exit(2);
	memcpy((char *)header + PAGE, payload, bytes);
	memcpy(header->signature, way->signature ? way->signature : "OTEL_CTX", 8);
	header->version = way->version ? way->version : 2;
	header->bytes = way->bytes ? way->bytes : (uint32_t)bytes;
	header->address = way->address ? way->address : (uint64_t)(uintptr_t)header + PAGE;
	header->published_ns = !way->is_unready;
	/* A time that never stays the same. */
	for (uint64_t i = 1; way->slot; i++) {
		header->published_ns = i;
		*way->slot = i;
	}
}

/* A child that has published; it waits to be killed. */
static pid_t start_child(const struct way *way, const uint8_t *payload, size_t bytes)
{
	int ready[2];
	pid_t child;
	char byte;

	g_assert_cmpint(pipe(ready), ==, 0);
	child = fork();
	g_assert_cmpint(child, >=, 0);
	if (child == 0) {
		if (way->slot && write(ready[1], "", 1) != 1)
			_exit(2);
		publish(way, payload, bytes);
		if (write(ready[1], "", 1) != 1)
			_exit(2);
		if (way->is_taken_back) {
			static char *const command[] = { "sleep", "100", NULL };

			raise(SIGSTOP);
			execvp(command[0], command);
		}
		for (;;)
			pause();
	}
	close(ready[1]);
	g_assert_cmpint(read(ready[0], &byte, 1), ==, 1);
	close(ready[0]);
	return child;
}

static void end_child(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void look_at_process(SptPublished *published, SptProcessRow *processes, pid_t pid)
{
	SptCapture capture = { .processes = processes, .n_processes = 2 };

	processes[1] = (SptProcessRow){ .id = 1, .pid = (uint32_t)pid, .start_time = 5 };
	spt_published_look(published, &capture);
}

/* The service that is found; NULL: none. */
static char *service_of(const struct way *way, const uint8_t *payload, size_t bytes)
{
	g_autoptr(SptPublished) published = spt_published_new("/proc");
	pid_t child = start_child(way, payload, bytes);
	SptProcessRow processes[2] = { 0 };
	const SptLabelSet *set;
	char *service;

	look_at_process(published, processes, child);
	end_child(child);
	set = spt_published_find(&processes[1], published);
	service = set ? g_strdup(spt_label_set_value(set, "service.name")) : NULL;
	return service;
}

static const char *const shop[] = { "service.name",	"shop",	 "service.version", "7",
				    "host.name",	"lie",	 "container.id",    "lie",
				    "service.name",	"twice", "custom",	    "x",
				    "deployment.environment.name", "test", NULL };

static void test_attributes(void)
{
	uint8_t payload[ROOM];
	size_t bytes = pack_attributes(shop, payload);
	g_autoptr(SptPublished) published = spt_published_new("/proc");
	pid_t child = start_child(&(struct way){ 0 }, payload, bytes);
	SptProcessRow processes[2] = { 0 }, other = { .pid = (uint32_t)child, .start_time = 6 };
	SptCapture none = { .processes = processes, .n_processes = 1 };
	const SptLabelSet *set;

	look_at_process(published, processes, child);
	set = spt_published_find(&processes[1], published);
	g_assert_nonnull(set);
	g_assert_cmpuint(set->n, ==, 3);
	g_assert_cmpstr(spt_label_set_value(set, "service.name"), ==, "shop");
	g_assert_cmpstr(spt_label_set_value(set, "service.version"), ==, "7");
	g_assert_cmpstr(spt_label_set_value(set, "deployment.environment.name"), ==, "test");
	/* Another process that gets its number. */
	g_assert_null(spt_published_find(&other, published));
	spt_published_look(published, &none);
	g_assert_null(spt_published_find(&processes[1], published));
	end_child(child);
}

/* A profile of earlier windows forgets nothing of processes that are younger than these. */
static void test_earlier_windows(void)
{
	uint8_t payload[ROOM];
	size_t bytes = pack_attributes(shop, payload);
	g_autoptr(SptPublished) published = spt_published_new("/proc");
	pid_t child = start_child(&(struct way){ 0 }, payload, bytes);
	SptProcessRow processes[2] = { 0 };
	SptCapture with = { .processes = processes, .n_processes = 2, .end_time = 20 },
		   without = { .processes = processes, .n_processes = 1, .end_time = 10 };

	processes[1] = (SptProcessRow){ .id = 1, .pid = (uint32_t)child, .start_time = 15 };
	spt_published_look(published, &with);
	end_child(child);
	spt_published_look(published, &without);
	spt_published_look(published, &with);
	g_assert_nonnull(spt_published_find(&processes[1], published));
	without.end_time = 30;
	spt_published_look(published, &without);
	g_assert_null(spt_published_find(&processes[1], published));
}

static void test_ways(void)
{
	uint8_t payload[ROOM], truncated[] = { 0x0a, 0x7f, 0x0a };
	size_t bytes = pack_attributes(shop, payload);
	static const struct {
		struct way way;
		bool is_taken;
	} cases[] = {
		{ { 0 }, true },
		{ { .name = "OTEL_CTY" }, false },
		{ { .signature = "OTEL_CTY" }, false },
		{ { .version = 1 }, false },
		{ { .version = 3 }, false },
		{ { .is_unready = true }, false },
		{ { .bytes = ROOM + 1 }, false },
		{ { .bytes = UINT32_MAX }, false },
		{ { .address = 1 }, false },
		{ { .address = UINT64_MAX - 3 }, false },
		{ { .address = 0xffffffff81000000 }, false },
		/* A prefix of a message, and zeros behind it. */
		{ { .bytes = 11 }, false },
		{ { .bytes = ROOM }, false },
		/* Without a name nobody finds it. */
		{ { .is_anonymous = true }, false },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *service = service_of(&cases[i].way, payload, bytes);

		g_assert_cmpstr(service, ==, cases[i].is_taken ? "shop" : NULL);
	}
	g_assert_null(service_of(&(struct way){ 0 }, truncated, sizeof(truncated)));
}

/* Mappings without end that are called so. */
static void test_many_mappings(void)
{
	uint8_t payload[ROOM];
	size_t bytes = pack_attributes(shop, payload);
	g_autofree char *few = service_of(&(struct way){ .n_before = 15 }, payload, bytes),
			*many = service_of(&(struct way){ .n_before = 5000 }, payload, bytes);

	g_assert_cmpstr(few, ==, "shop");
	g_assert_null(many);
}

/* Messages that take long to read do not keep a window from being sent. */
static void test_many_processes(void)
{
	enum { N = 200 };
	static const char *const name[] = { "service.name", "slow", NULL };
	uint8_t payload[ROOM];
	size_t bytes = pack_attributes(name, payload);
	g_autoptr(SptPublished) published = spt_published_new("/proc");
	g_autofree SptProcessRow *processes = g_new0(SptProcessRow, N + 1);
	SptCapture capture = { .processes = processes, .n_processes = N + 1 };
	unsigned found = 0;
	pid_t child;

	/* Resources that are put together, one attribute each. */
	while (bytes + 4 <= ROOM) {
		memcpy(payload + bytes, "\x0a\x02\x0a\x00", 4);
		bytes += 4;
	}
	child = start_child(&(struct way){ 0 }, payload, bytes);
	for (unsigned i = 1; i <= N; i++)
		processes[i] = (SptProcessRow){ .id = i, .pid = (uint32_t)child, .start_time = i };
	spt_published_look(published, &capture);
	for (unsigned i = 1; i <= N; i++)
		found += spt_published_find(&processes[i], published) != NULL;
	g_assert_cmpuint(found, >, 0);
	g_assert_cmpuint(found, <, N);
	/* They have their turn in the next one. */
	spt_published_look(published, &capture);
	for (unsigned i = 1; i <= N; i++)
		found -= spt_published_find(&processes[i], published) != NULL;
	g_assert_cmpint((int)found, <, 0);
	end_child(child);
}

/* A program that is executed by a process has published nothing yet. */
static void test_taken_back(void)
{
	uint8_t payload[ROOM];
	size_t bytes = pack_attributes(shop, payload);
	g_autoptr(SptPublished) published = spt_published_new("/proc");
	pid_t child = start_child(&(struct way){ .is_taken_back = true }, payload, bytes);
	g_autofree char *comm = g_strdup_printf("/proc/%d/comm", child);
	SptProcessRow processes[2] = { 0 };
	int status;

	waitpid(child, &status, WUNTRACED);
	look_at_process(published, processes, child);
	g_assert_nonnull(spt_published_find(&processes[1], published));
	kill(child, SIGCONT);
	for (bool is_there = false; !is_there; g_usleep(1000)) {
		g_autofree char *name = NULL;

		is_there = g_file_get_contents(comm, &name, NULL, NULL) &&
			   strcmp(name, "sleep\n") == 0;
	}
	later_s += 61;
	look_at_process(published, processes, child);
	g_assert_null(spt_published_find(&processes[1], published));
	end_child(child);
}

static size_t pack_keys(const char *const *keys, unsigned n, uint8_t *to)
{
	g_autofree SptOtlpText *texts = g_new(SptOtlpText, n);
	g_autofree SptOtlpText **values = g_new(SptOtlpText *, n);
	SptOtlpList list = SPT_OTLP_LIST__INIT;
	SptOtlpValue value = SPT_OTLP_VALUE__INIT;
	SptOtlpAttribute attribute = SPT_OTLP_ATTRIBUTE__INIT, *only = &attribute;
	SptOtlpProcessContext context = SPT_OTLP_PROCESS_CONTEXT__INIT;

	for (unsigned i = 0; i < n; i++) {
		spt_otlp_text__init(&texts[i]);
		texts[i].text = (char *)keys[i];
		values[i] = &texts[i];
	}
	list.n_values = n;
	list.values = values;
	value.value_case = SPT_OTLP_VALUE__VALUE_LIST;
	value.list = &list;
	attribute.key = (char *)"threadlocal.attribute_key_map";
	attribute.value = &value;
	context.n_extra = 1;
	context.extra = &only;
	return spt_otlp_process_context__pack(&context, to);
}

/* Processes that share one message, as forks do: what they say takes little memory, as well. */
static void test_large_keys(void)
{
	enum { N = 200, KEYS = 250 };
	g_autofree char *key = g_strnfill(ROOM / (KEYS + 20), '\xff');
	const char *keys[KEYS];
	uint8_t payload[ROOM];
	g_autoptr(SptPublished) published = spt_published_new("/proc");
	g_autofree SptProcessRow *processes = g_new0(SptProcessRow, N + 1);
	SptCapture capture = { .processes = processes, .n_processes = N + 1, .end_time = 1 };
	unsigned found = 0;
	pid_t child;

	for (unsigned i = 0; i < KEYS; i++)
		keys[i] = key;
	child = start_child(&(struct way){ 0 }, payload, pack_keys(keys, KEYS, payload));
	for (unsigned i = 1; i <= N; i++)
		processes[i] = (SptProcessRow){ .id = i, .pid = (uint32_t)child, .start_time = i };
	spt_published_look(published, &capture);
	for (unsigned i = 1; i <= N; i++)
		for (unsigned k = 0; k < KEYS; k++) {
			const char *name = spt_published_find_key(&processes[i], k, published);

			found += name ? (unsigned)strlen(name) : 0;
		}
	g_assert_cmpuint(found, >, 100000);
	g_assert_cmpuint(found, <=, 16u << 20);
	/* Whose processes have ended has nothing any more. */
	capture.n_processes = 2;
	processes[1].start_time = N + 1;
	capture.end_time = 2;
	spt_published_look(published, &capture);
	capture.end_time = 3;
	later_s += 11;
	spt_published_look(published, &capture);
	g_assert_nonnull(spt_published_find_key(&processes[1], 0, published));
	end_child(child);
}

/* Numbers of keys in records of threads; a process need not say anything else. */
static void test_keys(void)
{
	static const char *const keys[] = { "http.method", "", "user\nid" };
	const char *many[300];
	uint8_t payload[ROOM];
	g_autoptr(SptPublished) published = spt_published_new("/proc");
	pid_t child = start_child(&(struct way){ 0 }, payload, pack_keys(keys, 3, payload));
	SptProcessRow processes[2] = { 0 }, other;

	look_at_process(published, processes, child);
	g_assert_null(spt_published_find(&processes[1], published));
	g_assert_cmpstr(spt_published_find_key(&processes[1], 0, published), ==, "http.method");
	g_assert_null(spt_published_find_key(&processes[1], 1, published));
	g_assert_cmpstr(spt_published_find_key(&processes[1], 2, published), ==, "user id");
	g_assert_null(spt_published_find_key(&processes[1], 3, published));
	other = processes[1];
	other.start_time++;
	g_assert_null(spt_published_find_key(&other, 0, published));
	end_child(child);
	for (unsigned i = 0; i < G_N_ELEMENTS(many); i++)
		many[i] = "key";
	child = start_child(&(struct way){ 0 }, payload, pack_keys(many, 300, payload));
	look_at_process(published, processes, child);
	g_assert_cmpstr(spt_published_find_key(&processes[1], 255, published), ==, "key");
	g_assert_null(spt_published_find_key(&processes[1], 256, published));
	end_child(child);
}

/* What is within one value cannot look like another one. */
static void test_lines(void)
{
	static const char *const name[] = { "service.name", "shop\nservice.version=7", NULL };
	uint8_t payload[ROOM];
	size_t bytes = pack_attributes(name, payload);
	g_autofree char *service = service_of(&(struct way){ 0 }, payload, bytes);

	g_assert_nonnull(service);
	g_assert_null(strchr(service, '\n'));
}

static void test_never_the_same(void)
{
	uint8_t payload[ROOM];
	size_t bytes = pack_attributes(shop, payload);
	uint64_t *slot = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			      0);
	gint64 begin = g_get_monotonic_time();
	g_autofree char *service = service_of(&(struct way){ .slot = slot }, payload, bytes);

	/* What it says is whole, or nothing; nobody waits for it. */
	g_assert_true(!service || strcmp(service, "shop") == 0);
	g_assert_cmpint(g_get_monotonic_time() - begin, <, 20 * G_TIME_SPAN_SECOND);
	munmap(slot, PAGE);
}

/* Whatever the bytes are, labels are some of those that are taken, and texts. */
static void test_any_bytes(void)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(4719);
	uint8_t payload[ROOM], mutated[ROOM];
	size_t bytes = pack_attributes(shop, payload);

	for (unsigned round = 0; round < 300; round++) {
		SptProcessRow processes[2] = { 0 };
		g_autoptr(SptPublished) published = spt_published_new("/proc");
		const SptLabelSet *set;
		pid_t child;

		memcpy(mutated, payload, bytes);
		for (int n = g_rand_int_range(rand, 1, 6); n > 0; n--)
			mutated[g_rand_int_range(rand, 0, (gint32)bytes)] =
				(uint8_t)g_rand_int(rand);
		child = start_child(&(struct way){ 0 }, mutated, bytes);
		look_at_process(published, processes, child);
		end_child(child);
		set = spt_published_find(&processes[1], published);
		g_assert_true(!set || (set->n > 0 && set->n <= 5));
		for (unsigned i = 0; set && i < set->n; i++)
			g_assert_true(g_str_has_prefix(set->labels[i].key, "service.") ||
				      g_str_has_prefix(set->labels[i].key, "deployment."));
	}
}

/* Labels of a process beside those of its control group, which it cannot replace. */
static const SptLabelSet *find_published(const SptProcessRow *process, void *data)
{
	const SptLabelSet *sets = data;

	return process->id <= 400 ? &sets[process->id - 1] : NULL;
}

static void test_labels(void)
{
	enum { N = 401 };
	SptProcessRow *processes = g_new0(SptProcessRow, N + 1);
	SptCommandLineRow *rows = g_new0(SptCommandLineRow, N);
	SptLabelSet *sets = g_new0(SptLabelSet, N);
	SptCapture capture = { .processes = processes, .n_processes = N + 1,
			       .command_lines = rows, .n_command_lines = N };
	const char *const added[] = { "service.version=fixed", NULL };
	const SptLabelRules rules = { .added = added };
	const SptLabelSource source = { .find = find_published, .data = sets };
	SptLabels *labels;
	const SptLabelSet *set;

	for (unsigned i = 0; i < N; i++) {
		processes[i + 1].id = processes[i + 1].pid = i + 1;
		rows[i] = (SptCommandLineRow){ .process = i + 1, .text = "", .cgroup = "/a.service" };
		sets[i].n = 2;
		sets[i].labels[0] = (SptLabel){ "service.name", g_strdup_printf("own-%u\n", i) };
		sets[i].labels[1] = (SptLabel){ "service.version", "own" };
	}
	labels = spt_labels_new(&capture, &rules, &source);
	set = spt_labels_set(labels, spt_labels_of(labels, 1));
	g_assert_true(g_str_has_prefix(spt_label_set_value(set, "service.name"), "own-0"));
	g_assert_null(strchr(spt_label_set_value(set, "service.name"), '\n'));
	g_assert_cmpstr(spt_label_set_value(set, "systemd.unit"), ==, "a.service");
	g_assert_cmpstr(spt_label_set_value(set, "service.version"), ==, "fixed");
	/* Names without end take half of the sets, and then have the name of their unit. */
	g_assert_cmpuint(spt_labels_n_sets(labels), <=, 256 / 2 + 2);
	set = spt_labels_set(labels, spt_labels_of(labels, 400));
	g_assert_cmpstr(spt_label_set_value(set, "service.name"), ==, "a.service");
	g_assert_cmpuint(spt_labels_of(labels, 400), ==, spt_labels_of(labels, 401));
	spt_labels_free(labels);
	for (unsigned i = 0; i < N; i++)
		g_free((char *)sets[i].labels[0].value);
	g_free(sets);
	g_free(rows);
	g_free(processes);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/published/attributes", test_attributes);
	g_test_add_func("/published/earlier-windows", test_earlier_windows);
	g_test_add_func("/published/keys", test_keys);
	g_test_add_func("/published/large-keys", test_large_keys);
	g_test_add_func("/published/ways", test_ways);
	g_test_add_func("/published/many-mappings", test_many_mappings);
	g_test_add_func("/published/many-processes", test_many_processes);
	g_test_add_func("/published/taken-back", test_taken_back);
	g_test_add_func("/published/lines", test_lines);
	g_test_add_func("/published/never-the-same", test_never_the_same);
	g_test_add_func("/published/any-bytes", test_any_bytes);
	g_test_add_func("/published/labels", test_labels);
	return g_test_run();
}
