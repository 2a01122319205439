// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Eight threads load and unload libraries as fast as they can, all into the same few places; a
 * ninth maps, moves, cuts and replaces the code of libraries by itself.  Each thread has copies of
 * its own: what runs below through_red() in thread storm-3 is storm-3-red.so and nothing else.
 *
 * dlstorm ROUNDS: of each thread; a round is one library loaded, used and unloaded.
 */
#include "through.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <libgen.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define THREADS	8		/* 1 to 8 load; 0 does it by itself */
#define COLOURS	3

static const struct {
	const char *name;
	void (*through)(work_function work, uint64_t turns);
} colours[COLOURS] = { { "red", through_red },
		       { "green", through_green },
		       { "blue", through_blue } };

static char directory[] = "/tmp/dlstorm-XXXXXX";
static char paths[THREADS + 1][COLOURS][64];
static uint64_t rounds, unit, places_shared, raw_rounds;
static uintptr_t last_place[THREADS + 1];
static atomic_bool done;
/* No library may be loaded into a gap that mangle() is about to fill. */
static pthread_rwlock_t gaps = PTHREAD_RWLOCK_INITIALIZER;

static void copy(const char *from, const char *to)
{
	char buffer[65536];
	ssize_t n;
	int in = open(from, O_RDONLY | O_CLOEXEC),
	    out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);

	if (in < 0 || out < 0)
		err(1, "cannot copy %s to %s", from, to);
	while ((n = read(in, buffer, sizeof(buffer))) > 0)
		if (write(out, buffer, n) != n)
			err(1, "cannot write %s", to);
	close(in);
	close(out);
}

static void make_copies(void)
{
	char from[4096];
	ssize_t length = readlink("/proc/self/exe", from, sizeof(from) - 64);

	if (length < 0)
		err(1, "cannot find out where this program lies");
	from[length] = 0;
	dirname(from);
	length = strlen(from);
	if (!mkdtemp(directory))
		err(1, "cannot make a directory");
	for (unsigned thread = 0; thread <= THREADS; thread++) {
		for (unsigned i = 0; i < COLOURS; i++) {
			snprintf(paths[thread][i], sizeof(paths[thread][i]), "%s/storm-%u-%s.so",
				 directory, thread, colours[i].name);
			snprintf(from + length, sizeof(from) - length, "/libchurn-%s.so",
				 colours[i].name);
			copy(from, paths[thread][i]);
		}
	}
}

static void remove_copies(void)
{
	for (unsigned thread = 0; thread <= THREADS; thread++)
		for (unsigned i = 0; i < COLOURS; i++)
			unlink(paths[thread][i]);
	rmdir(directory);
}

static work_function work_of(void *handle)
{
	work_function work = (work_function)(uintptr_t)dlsym(handle, "churn_work");

	if (!work)
		errx(1, "a library has no churn_work");
	return work;
}

static void name_thread(unsigned thread)
{
	char name[16];

	snprintf(name, sizeof(name), "storm-%u", thread);
	pthread_setname_np(pthread_self(), name);
}

static void *storm(void *data)
{
	unsigned thread = (uintptr_t)data;

	name_thread(thread);
	for (uint64_t round = 0; round < rounds; round++) {
		unsigned i = (round + thread) % COLOURS;
		uintptr_t place;
		work_function work;
		void *handle;

		pthread_rwlock_rdlock(&gaps);
		handle = dlopen(paths[thread][i], RTLD_NOW);
		pthread_rwlock_unlock(&gaps);
		if (!handle)
			errx(1, "cannot load a library: %s", dlerror());
		work = work_of(handle);
		place = (uintptr_t)work;
		for (unsigned other = 1; other <= THREADS; other++)
			if (other != thread &&
			    __atomic_load_n(&last_place[other], __ATOMIC_RELAXED) == place)
				__atomic_fetch_add(&places_shared, 1, __ATOMIC_RELAXED);
		__atomic_store_n(&last_place[thread], place, __ATOMIC_RELAXED);
		colours[i].through(work, unit);
		dlclose(handle);
	}
	return NULL;
}

/* Where the code of a library is in its file, and its entry in that: the same in all three. */
struct layout {
	off_t offset;
	size_t bytes, entry;
};

static int find_layout(struct dl_phdr_info *info, size_t size, void *data)
{
	struct layout *layout = data;
	uintptr_t entry = layout->entry;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD || entry < start ||
		    entry >= start + segment->p_memsz)
			continue;
		layout->offset = segment->p_offset;
		layout->bytes = (segment->p_memsz + 4095) / 4096 * 4096;
		layout->entry = entry - start;
		return 1;
	}
	return 0;
}

static uint8_t *map_code(void *at, int fd, const struct layout *layout, int flags)
{
	uint8_t *code = mmap(at, layout->bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE | flags, fd,
			     layout->offset);

	if (code == MAP_FAILED)
		err(1, "cannot map code");
	return code;
}

static void run(unsigned i, uint8_t *code, const struct layout *layout)
{
	colours[i].through((work_function)(uintptr_t)(code + layout->entry), unit / 2);
}

/* What a loader never does. */
static void *mangle(void *data)
{
	struct layout layout;
	int fds[COLOURS];
	uint8_t *area;
	void *handle;

	(void)data;
	name_thread(0);
	handle = dlopen(paths[0][0], RTLD_NOW);
	if (!handle)
		errx(1, "cannot load a library: %s", dlerror());
	layout.entry = (uintptr_t)work_of(handle);
	if (!dl_iterate_phdr(find_layout, &layout))
		errx(1, "cannot find a library's code");
	dlclose(handle);
	for (unsigned i = 0; i < COLOURS; i++)
		fds[i] = open(paths[0][i], O_RDONLY | O_CLOEXEC);
	area = mmap(NULL, 16 * layout.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (; !atomic_load(&done) || raw_rounds < 30; raw_rounds++) {
		unsigned a = raw_rounds % COLOURS, b = (a + 1) % COLOURS, c = (a + 2) % COLOURS;
		uint8_t *here = area, *there = area + 8 * layout.bytes;

		/* One over the other. */
		map_code(here, fds[a], &layout, MAP_FIXED);
		run(a, here, &layout);
		map_code(here, fds[b], &layout, MAP_FIXED);
		run(b, here, &layout);
		/* Gone, and another in its place. */
		pthread_rwlock_wrlock(&gaps);
		munmap(here, layout.bytes);
		map_code(here, fds[c], &layout, MAP_FIXED_NOREPLACE);
		pthread_rwlock_unlock(&gaps);
		run(c, here, &layout);
		/* Moved onto another; then a third where it was. */
		map_code(there, fds[a], &layout, MAP_FIXED);
		run(a, there, &layout);
		pthread_rwlock_wrlock(&gaps);
		if (mremap(here, layout.bytes, layout.bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
			   there) != there)
			err(1, "cannot move code");
		map_code(here, fds[b], &layout, MAP_FIXED);
		pthread_rwlock_unlock(&gaps);
		run(c, there, &layout);
		run(b, here, &layout);
		/* Made data and code again, and one page copied for writing. */
		if (mprotect(there, layout.bytes, PROT_READ | PROT_WRITE))
			err(1, "cannot change protection");
		there[0] = there[0];
		if (mprotect(there, layout.bytes, PROT_READ | PROT_EXEC))
			err(1, "cannot change protection");
		run(c, there, &layout);
		/* Room for the next round. */
		if (mmap(area, 16 * layout.bytes, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != area)
			err(1, "cannot reserve memory");
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS + 1];

	rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 100;
	unit = turns_for_ns(1000000);
	make_copies();
	for (uintptr_t i = 0; i <= THREADS; i++)
		if (pthread_create(&threads[i], NULL, i ? storm : mangle, (void *)i))
			errx(1, "cannot make a thread");
	for (unsigned i = 1; i <= THREADS; i++)
		pthread_join(threads[i], NULL);
	atomic_store(&done, true);
	pthread_join(threads[0], NULL);
	remove_copies();
	truth("rounds", rounds * THREADS);
	truth("raw_rounds", raw_rounds);
	truth("shared", places_shared);
	return 0;
}
