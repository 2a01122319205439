/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analyse FILE: an analyser of your own.  Prints the ten functions of a recording that take
 * most of its time.
 */
#include <stdio.h>

#include "capture/capture.h"
#include "profile/profile.h"

int main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(SptCapture) capture = argc == 2 ? spt_capture_open(argv[1], &error) : NULL;
	g_autoptr(SptSymbols) symbols = NULL;
	g_autoptr(SptProfile) profile = NULL;
	g_autofree uint32_t *order = NULL;
	const SptFunction *functions;
	const SptFilter everything = { 0 };
	uint32_t n;

	if (!capture) {
		fprintf(stderr, "analyse: %s\n",
			error ? error->message : "say which recording: analyse FILE");
		return 1;
	}
	symbols = spt_symbols_new(capture, NULL);
	profile = spt_profile_new(capture, symbols, NULL, &everything);
	functions = spt_profile_functions(profile, &n);
	order = spt_profile_order(profile, true);
	for (uint32_t i = 0; i < n && i < 10; i++) {
		const SptFunction *function = &functions[order[i]];

		if (function->self > 0)
			printf("%6.2f %% %s (%s)\n",
			       100.0 * (double)function->self / (double)spt_profile_total(profile),
			       function->name, function->object);
	}
	return 0;
}
