// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Three libraries loaded and unloaded in turn, into the same range of addresses.  What runs below
 * through_red() is libchurn-red.so and nothing else, whatever lay there a moment before.
 */
#include "through.h"

#include <dlfcn.h>
#include <libgen.h>

static const struct {
	const char *name;
	void (*through)(work_function work, uint64_t turns);
	unsigned weight;
} libraries[] = {
	{ "red", through_red, 3 }, { "green", through_green, 2 }, { "blue", through_blue, 1 },
};

#define LIBRARIES	(sizeof(libraries) / sizeof(libraries[0]))

int main(int argc, char **argv)
{
	uint64_t budget = cpu_budget_ns(argc, argv, 5), unit = turns_for_ns(4000000),
		 sums[LIBRARIES] = { 0 };
	uintptr_t places[LIBRARIES] = { 0 };
	uint64_t loads = 0, moved = 0;
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 64);

	if (length < 0)
		err(1, "cannot find out where this program lies");
	path[length] = 0;
	dirname(path);
	length = strlen(path);

	for (unsigned i = 0; process_cpu_ns() < budget; i = (i + 1) % LIBRARIES) {
		work_function work;
		uint64_t begin;
		void *handle;

		snprintf(path + length, sizeof(path) - length, "/libchurn-%s.so",
			 libraries[i].name);
		handle = dlopen(path, RTLD_NOW);
		if (!handle)
			errx(1, "cannot load a library: %s", dlerror());
		work = (work_function)(uintptr_t)dlsym(handle, "churn_work");
		if (!work)
			errx(1, "%s has no churn_work", path);
		places[i] = (uintptr_t)work;
		moved += loads && places[i] != places[(i + LIBRARIES - 1) % LIBRARIES];
		loads++;
		begin = thread_cpu_ns();
		libraries[i].through(work, libraries[i].weight * unit);
		sums[i] += thread_cpu_ns() - begin;
		dlclose(handle);
	}
	for (unsigned i = 0; i < LIBRARIES; i++) {
		char key[32];

		snprintf(key, sizeof(key), "%s_work", libraries[i].name);
		truth(key, sums[i]);
	}
	truth("loads", loads);
	truth("moved", moved);
	return 0;
}
