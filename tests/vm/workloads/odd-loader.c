/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Libraries that come and go in unusual ways.  Each LIB has a function through_library(), which
 * calls what it is given, and counted_in_library(), which allocates 100 bytes or more by itself:
 * HOW, one of
 *
 *   another LIB   dlmopen(): a namespace of its own, with a C library of its own.
 *   deep LIB      RTLD_DEEPBIND: the library finds the C library's functions first.
 *   relative DIR DIR2   ./x.so in both, with chdir() and dlclose().
 *   iconv FROM FROM2 LIB   Modules that the C library unloads by itself; LIB may get their place.
 *   deleted LIB   It is deleted once it is loaded; then new threads call it.
 */
#include <dlfcn.h>
#include <iconv.h>

#include "odd.h"

#define N_CALLS 200

typedef void *(*through_fn)(void *(*)(size_t));
typedef void *(*allocate_fn)(size_t);

static void *find(void *library, const char *name)
{
	void *function = library ? dlsym(library, name) : NULL;

	if (!function)
		errx(1, "%s", dlerror());
	return function;
}

/* Counts here what the library allocates there. */
static void call(void *library)
{
	allocate_fn allocate = (allocate_fn)find(library, "counted_in_library");
	through_fn through = (through_fn)find(library, "through_library");
	size_t bytes;

	for (unsigned i = 0; i < N_CALLS; i++) {
		void *block = allocate(100);

		memcpy(&bytes, block, sizeof(bytes));
		odd_add(&odd_counts->allocations, 1);
		odd_add(&odd_counts->bytes, bytes);
		counted_free(block);
		counted_free(through(counted_malloc));
	}
}

static void *call_in_thread(void *library)
{
	call(library);
	counted_wait();
	return library;
}

static void run_threads(unsigned n, void *(*function)(void *), void *data)
{
	for (unsigned i = 0; i < n; i++) {
		pthread_t thread;

		odd_start(&thread, function, data);
		pthread_join(thread, NULL);
	}
}

static void another(const char *file)
{
	void *library = dlmopen(LM_ID_NEWLM, file, RTLD_NOW);
	allocate_fn allocate = (allocate_fn)find(library, "counted_in_library");
	void (*release)(void *) = (void (*)(void *))find(library, "release");

	for (unsigned i = 0; i < N_CALLS; i++) {
		release(allocate(100));
		odd_add(&odd_counts->allocations, 1);
		odd_add(&odd_counts->bytes, 100);
		odd_add(&odd_counts->frees, 1);
		odd_add(&odd_counts->freed_bytes, 100);
	}
	odd_allocate(100);
	dlclose(library);
}

static void relative(char **directories)
{
	for (unsigned i = 0; i < 6; i++) {
		void *library;

		if (chdir(directories[i % 2]))
			err(1, "%s", directories[i % 2]);
		library = dlopen("./x.so", RTLD_NOW);
		call(library);
		if (chdir("/"))
			err(1, "/");
		run_threads(2, call_in_thread, library);
		dlclose(library);
	}
}

static void convert(const char *from)
{
	/* Characters that both know. */
	char in[] = "text", out[64], *in_at = in, *out_at = out;
	size_t in_left = 4, out_left = sizeof(out);
	iconv_t way = iconv_open("UTF-8", from);

	if (way == (iconv_t)-1 || iconv(way, &in_at, &in_left, &out_at, &out_left) == (size_t)-1)
		err(1, "%s", from);
	if (memcmp(out, "text", 4) != 0)
		errx(1, "%s: it comes out as %.4s", from, out);
	iconv_close(way);
}

/* Where the code of @part is; 0: nowhere. */
static uintptr_t find_code(const char *part)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long at = 0;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, part) && strstr(line, " r-xp "))
			at = strtoul(line, NULL, 16);
	if (maps)
		fclose(maps);
	return at;
}

static void *convert_in_thread(void *from)
{
	convert((const char *)from);
	return from;
}

static void convert_and_load(char **words)
{
	for (unsigned i = 0; i < 10; i++) {
		uintptr_t before, code;
		void *library;

		convert(words[0]);
		run_threads(1, convert_in_thread, words[0]);
		before = find_code(words[0]);
		/* Meanwhile the first one is unloaded. */
		for (unsigned j = 0; j < 4; j++)
			convert(words[1]);
		library = dlopen(words[2], RTLD_NOW);
		code = (uintptr_t)find(library, "counted_in_library");
		odd_counts->flags[1] += code >= before && code < before + 65536;
		call(library);
		run_threads(1, call_in_thread, library);
		dlclose(library);
	}
}

/* Its own functions have no names any more. */
static void *call_through(void *library)
{
	through_fn through = (through_fn)find(library, "through_library");

	for (unsigned i = 0; i < N_CALLS; i++)
		counted_free(through(counted_malloc));
	counted_wait();
	return library;
}

static void deleted(const char *file)
{
	char path[64], command[512];
	void *library;

	snprintf(path, sizeof(path), "/var/tmp/odd-loader-%d.so", (int)getpid());
	snprintf(command, sizeof(command), "cp '%s' '%s'", file, path);
	if (system(command))
		errx(1, "cannot copy %s", file);
	library = dlopen(path, RTLD_NOW);
	unlink(path);
	run_threads(5, call_through, library);
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "";

	odd_begin();
	if (strcmp(how, "another") == 0)
		another(argv[2]);
	else if (strcmp(how, "deep") == 0)
		run_threads(2, call_in_thread, dlopen(argv[2], RTLD_NOW | RTLD_DEEPBIND));
	else if (strcmp(how, "relative") == 0 && argc > 3)
		relative(argv + 2);
	else if (strcmp(how, "iconv") == 0 && argc > 4)
		convert_and_load(argv + 2);
	else if (strcmp(how, "deleted") == 0)
		deleted(argv[2]);
	else
		errx(2, "see the top of odd-loader.c");
	printf("%s: done\n", how);
	return 0;
}
