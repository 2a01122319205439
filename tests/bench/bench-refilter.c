/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench-refilter CAPTURE: CPU time to open, to fold, and to change the range of time, as a viewer
 * does for each step of a drag.  "name value unit" lines.  Ranges of several widths at random
 * places; the worst and the middle one of each are printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "profile/profile.h"

#define ROUNDS 41

static double cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(const SptCapture *capture, const SptProfile *base, double share,
		    const char *name)
{
	uint64_t begin = capture->first_time, end = capture->last_time;
	g_autoptr(SptProfile) profile = NULL;
	double times[ROUNDS];

	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t width = (uint64_t)((end - begin) * share);
		SptFilter filter = { .begin_ns = begin + (uint64_t)(g_random_double() *
								    (end - begin - width)) };
		double before;

		filter.end_ns = filter.begin_ns + width + 1;
		before = cpu_ms();
		profile = spt_profile_refilter(base, &filter, profile);
		times[i] = cpu_ms() - before;
	}
	/* The first one makes the result that the others reuse. */
	printf("refilter_%s_first %.2f ms\n", name, times[0]);
	qsort(times + 1, ROUNDS - 1, sizeof(*times), compare);
	printf("refilter_%s_median %.2f ms\n", name, times[ROUNDS / 2]);
	printf("refilter_%s_worst %.2f ms\n", name, times[ROUNDS - 1]);
}

int main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(SptCapture) capture = argc == 2 ? spt_capture_open(argv[1], &error) : NULL;
	double opened = cpu_ms();
	struct rusage usage;
	uint32_t n_nodes, n_functions;

	if (!capture || capture->n_samples < 2) {
		fprintf(stderr, "bench-refilter: %s\n",
			error ? error->message : "needs one capture with samples");
		return 1;
	}

	g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);
	g_autoptr(SptProfile) base = spt_profile_new_base(capture, symbols, NULL);

	printf("open %.1f ms\n", opened);
	printf("fold %.1f ms\n", cpu_ms() - opened);
	printf("samples %llu\n", (unsigned long long)capture->n_samples);
	printf("raw_nodes %u\n", capture->n_nodes);
	spt_profile_functions(base, &n_functions);
	spt_profile_tree(base, &n_nodes);
	printf("functions %u\n", n_functions);
	printf("tree_nodes %u\n", n_nodes);
	measure(capture, base, 1, "all");
	measure(capture, base, 0.5, "half");
	measure(capture, base, 0.01, "hundredth");
	getrusage(RUSAGE_SELF, &usage);
	printf("peak %.1f MiB\n", usage.ru_maxrss / 1024.0);
	return 0;
}
