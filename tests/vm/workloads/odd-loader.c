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
 *   stdio FROM FROM2 LIB   The same, but the first one is unloaded in functions of files.
 *   deleted LIB   It is deleted once it is loaded; then new threads call it.
 */
#include <dlfcn.h>
#include <iconv.h>
#include <wchar.h>

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

/* The same by a file with that coding; what it says is not looked at. */
static void convert_file(const char *from)
{
	char mode[64];
	FILE *file;

	snprintf(mode, sizeof(mode), "re,ccs=%s", from);
	file = fopen("/dev/null", mode);
	if (!file || fgetwc(file) != WEOF)
		err(1, "%s", mode);
	fclose(file);
}

/* Where the code of modules is. */
struct modules {
	unsigned n;
	unsigned long ranges[64][2];
};

static void find_modules(struct modules *ret)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];

	ret->n = 0;
	while (maps && ret->n < 64 && fgets(line, sizeof(line), maps))
		if (strstr(line, "/gconv/") && strstr(line, " r-xp ") &&
		    sscanf(line, "%lx-%lx", &ret->ranges[ret->n][0], &ret->ranges[ret->n][1]) == 2)
			ret->n++;
	if (maps)
		fclose(maps);
}

static bool is_in(const struct modules *modules, unsigned long address)
{
	for (unsigned i = 0; i < modules->n; i++)
		if (address - modules->ranges[i][0] <
		    modules->ranges[i][1] - modules->ranges[i][0])
			return true;
	return false;
}

/* Fills the gaps, so that the next one is where unloaded modules were. */
static void fill_gaps(void)
{
	for (unsigned i = 0; i < 2000; i++)
		mmap(NULL, 16384, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static void *convert_in_thread(void *from)
{
	convert((const char *)from);
	return from;
}

static void convert_and_load(char **words, void (*convert_else)(const char *))
{
	for (unsigned i = 0; i < 10; i++) {
		struct modules before;
		void *library;

		fill_gaps();
		convert(words[0]);
		run_threads(1, convert_in_thread, words[0]);
		find_modules(&before);
		/* Meanwhile the first one is unloaded. */
		for (unsigned j = 0; j < 4; j++)
			convert_else(words[1]);
		library = dlopen(words[2], RTLD_NOW);
		odd_counts->flags[1] +=
			is_in(&before, (unsigned long)find(library, "counted_in_library"));
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
		convert_and_load(argv + 2, convert);
	else if (strcmp(how, "stdio") == 0 && argc > 4)
		convert_and_load(argv + 2, convert_file);
	else if (strcmp(how, "deleted") == 0)
		deleted(argv[2]);
	else
		errx(2, "see the top of odd-loader.c");
	printf("%s: done\n", how);
	return 0;
}
