/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What fuzz drivers do without libFuzzer: FUZZ [--rounds N] FILE..., each file as it is and N
 * mutations of it.
 */
#ifndef SPT_TESTS_MUTATE_H
#define SPT_TESTS_MUTATE_H

#include <glib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#ifndef SPT_LIBFUZZER

/*
 * Asked by the sanitizer.  An input frees less than that, and takes half as long as with all that
 * is kept otherwise.
 */
const char *__asan_default_options(void);
__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
	return "quarantine_size_mb=8:malloc_context_size=4";
}

/* xorshift64*: the same mutations on every machine. */
#define MUTATIONS_SEED 0x9e3779b97f4a7c15ull

static inline uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dull;
}

static inline void mutate(uint8_t *data, size_t bytes, uint64_t *state)
{
	static const uint8_t telling[] = { 0x00, 0x01, 0x03, 0x04, 0x7f, 0x80, 0xff };

	for (uint64_t changes = 1 + next_random(state) % 4; changes > 0; changes--) {
		uint8_t *at = data + next_random(state) % bytes;

		if (next_random(state) % 2)
			*at = telling[next_random(state) % sizeof(telling)];
		else
			*at ^= (uint8_t)(1u << next_random(state) % 8);
	}
}

/* Whose mutations are tried. */
G_GNUC_UNUSED static const char *mutated_path;

/* Tries @rounds mutations of a file as it is. */
G_GNUC_UNUSED static void mutate_bytes(const uint8_t *data, size_t bytes, unsigned long rounds)
{
	uint64_t state = MUTATIONS_SEED;

	for (unsigned long round = 0; round < rounds && bytes > 0; round++) {
		g_autofree uint8_t *changed = g_memdup2(data, bytes);

		mutate(changed, bytes, &state);
		LLVMFuzzerTestOneInput(changed, bytes);
	}
}

/* @mutate_file tries @rounds mutations of a file. */
static inline int mutate_main(int argc, char **argv, const char *name,
			      void (*mutate_file)(const uint8_t *data, size_t bytes,
						  unsigned long rounds))
{
	unsigned long rounds = 0;
	int first = 1;

	if (argc > 2 && strcmp(argv[1], "--rounds") == 0) {
		rounds = strtoul(argv[2], NULL, 10);
		first = 3;
	}
	if (first >= argc) {
		fprintf(stderr, "Usage: %s [--rounds N] FILE...\n", name);
		return 2;
	}
	for (int i = first; i < argc; i++) {
		g_autoptr(GError) error = NULL;
		g_autofree char *data = NULL;
		gsize bytes;

		if (!g_file_get_contents(argv[i], &data, &bytes, &error)) {
			fprintf(stderr, "%s: %s\n", name, error->message);
			return 1;
		}
		if (bytes == 0) {
			fprintf(stderr, "%s: %s is empty\n", name, argv[i]);
			return 1;
		}
		mutated_path = argv[i];
		LLVMFuzzerTestOneInput((const uint8_t *)data, bytes);
		mutate_file((const uint8_t *)data, bytes, rounds);
		printf("%s: %lu mutations read\n", argv[i], rounds);
	}
	return 0;
}

#endif

#endif
