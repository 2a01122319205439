// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copies its code to memory without a file, in its place, as programs do for large pages: "remaps
 * SECONDS all", or only the pages of one function: "remaps SECONDS part".  "remaps SECONDS gone
 * LIBRARY": runs code that it made at run time where a library was.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096ul

static volatile unsigned long sink;
static unsigned long from, to;

static double spent(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Has pages of its own. */
__attribute__((noinline, aligned(4096))) static void burn(double seconds)
{
	double end = spent() + seconds;

	while (spent() < end)
		for (unsigned int i = 0; i < 100000; i++)
			sink += i;
}

__attribute__((noinline, aligned(4096))) static void call_burn(double seconds)
{
	burn(seconds);
	sink++;
}

/* Without calls: it runs anywhere. */
__attribute__((noinline)) static unsigned long spin(unsigned long n)
{
	unsigned long sum = 0;

	while (n) {
		sum += n--;
		__asm__ volatile("" : "+r"(sum));
	}
	return sum;
}

static long call_kernel(long number, unsigned long a, unsigned long b, unsigned long c,
			unsigned long d)
{
#if defined(__x86_64__)
	register unsigned long r10 __asm__("r10") = d;
	register unsigned long r8 __asm__("r8") = -1ul;
	register unsigned long r9 __asm__("r9") = 0;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
#else
	register long x8 __asm__("x8") = number;
	register unsigned long x0 __asm__("x0") = a;
	register unsigned long x1 __asm__("x1") = b;
	register unsigned long x2 __asm__("x2") = c;
	register unsigned long x3 __asm__("x3") = d;
	register unsigned long x4 __asm__("x4") = -1ul;
	register unsigned long x5 __asm__("x5") = 0;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return (long)x0;
#endif
}

/* Runs from a copy of itself: what it replaces is not there meanwhile. */
__attribute__((noinline, aligned(4096))) static void replace(unsigned long at, unsigned long bytes,
							     const char *copy)
{
	call_kernel(SYS_mmap, at, bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED);
	for (unsigned long i = 0; i < bytes; i += sizeof(long))
		*(volatile unsigned long *)(at + i) = *(const unsigned long *)(copy + i);
	call_kernel(SYS_mprotect, at, bytes, PROT_READ | PROT_EXEC, 0);
}

static int find_code(struct dl_phdr_info *info, size_t bytes, void *data)
{
	(void)bytes;
	(void)data;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		from = (info->dlpi_addr + segment->p_vaddr) & -PAGE;
		to = (info->dlpi_addr + segment->p_vaddr + segment->p_memsz + PAGE - 1) & -PAGE;
	}
	return 1;
}

static char *memory(unsigned long bytes, int access)
{
	char *at = mmap(NULL, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		abort();
	return at;
}

static void run_where_it_was(const char *library, double seconds)
{
	void *handle = dlopen(library, RTLD_NOW);
	struct link_map *map;
	double end = spent() + seconds;
	char *at;

	if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
		abort();
	/* Where it has code. */
	at = (char *)map->l_addr + PAGE;
	dlclose(handle);
	at = mmap(at, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (at == MAP_FAILED)
		abort();
	memcpy(at, (void *)spin, 256);
	__builtin___clear_cache(at, at + 256);
	while (spent() < end)
		sink += ((unsigned long (*)(unsigned long))at)(100000);
}

int main(int argc, char **argv)
{
	double seconds = argc > 2 ? atof(argv[1]) : 0;
	char *copy, *code;

	if (argc > 3) {
		run_where_it_was(argv[3], seconds);
		return 0;
	}
	if (argc < 3)
		return 1;
	dl_iterate_phdr(find_code, NULL);
	if (strcmp(argv[2], "part") == 0) {
		from = (unsigned long)burn;
		to = from + PAGE;
	}
	copy = memory(to - from, PROT_READ | PROT_WRITE);
	code = memory(PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	memcpy(copy, (void *)from, to - from);
	memcpy(code, (void *)replace, 1024);
	__builtin___clear_cache(code, code + 1024);
	((void (*)(unsigned long, unsigned long, const char *))code)(from, to - from, copy);
	call_burn(seconds);
	return 0;
}
