/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What fuzz drivers do without libFuzzer: FUZZ [--rounds N] [--seed N] FILE..., each file as it is
 * and N mutations of it.  One that comes to grief says by which, after the sanitizer's report.
 */
#ifndef SPT_TESTS_MUTATE_H
#define SPT_TESTS_MUTATE_H

#include <glib.h>
#include <inttypes.h>
#include <sanitizer/common_interface_defs.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#ifndef SPT_LIBFUZZER

/*
 * Asked by the sanitizer.  An input frees less than that, and takes half as long as with all that
 * is kept otherwise.  What fails an assertion is reported with its stack, too.
 */
const char *__asan_default_options(void);
__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
	return "quarantine_size_mb=8:malloc_context_size=4:handle_abort=1";
}

/* xorshift64*: the same mutations on every machine. */
static uint64_t mutations_seed = 0x9e3779b97f4a7c15ull;

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

/* Whose mutations are tried, and the one that is: @mutated of what was @original. */
static const char *mutated_path;
static const uint8_t *original, *mutated;
static size_t mutated_bytes;
static unsigned long mutation;

/*
 * The file itself is deleted when that is read: so what was changed in it is printed, which is
 * little.
 */
static void tell_input(void)
{
	fprintf(stderr, "The input: %s, ", mutated_path);
	if (!mutated) {
		fprintf(stderr, "as it is\n");
		return;
	}
	fprintf(stderr, "mutation %lu of --seed 0x%" PRIx64 ", %zu bytes", mutation, mutations_seed,
		mutated_bytes);
	for (size_t i = 0; i < mutated_bytes; i++)
		if (mutated[i] != original[i])
			fprintf(stderr, ", at 0x%zx %02x instead of %02x", i, mutated[i],
				original[i]);
	fprintf(stderr, "\n");
}

/* A driver that limits an input's time has it sent. */
static void too_long(int signal G_GNUC_UNUSED)
{
	abort();
}

static void try_mutation(const uint8_t *data, size_t bytes, uint64_t *state)
{
	g_autofree uint8_t *changed = g_memdup2(data, bytes);

	mutate(changed, bytes, state);
	original = data;
	mutated = changed;
	mutated_bytes = bytes;
	mutation++;
	LLVMFuzzerTestOneInput(changed, bytes);
	mutated = NULL;
}

/* Tries @rounds mutations of a file as it is. */
G_GNUC_UNUSED static void mutate_bytes(const uint8_t *data, size_t bytes, unsigned long rounds)
{
	uint64_t state = mutations_seed;

	for (unsigned long round = 0; round < rounds; round++)
		try_mutation(data, bytes, &state);
}

/* @mutate_file tries @rounds mutations of a file. */
static inline int mutate_main(int argc, char **argv, const char *name,
			      void (*mutate_file)(const uint8_t *data, size_t bytes,
						  unsigned long rounds))
{
	unsigned long rounds = 0;
	int first = 1;

	for (; first + 1 < argc; first += 2)
		if (strcmp(argv[first], "--rounds") == 0)
			rounds = strtoul(argv[first + 1], NULL, 10);
		else if (strcmp(argv[first], "--seed") == 0)
			mutations_seed = strtoull(argv[first + 1], NULL, 0);
		else
			break;
	/* It has no numbers from nothing. */
	if (first >= argc || mutations_seed == 0) {
		fprintf(stderr, "Usage: %s [--rounds N] [--seed N] FILE...\n", name);
		return 2;
	}
	signal(SIGVTALRM, too_long);
	__sanitizer_set_death_callback(tell_input);
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
		mutation = 0;
		LLVMFuzzerTestOneInput((const uint8_t *)data, bytes);
		mutate_file((const uint8_t *)data, bytes, rounds);
		printf("%s: %lu mutations read\n", argv[i], rounds);
	}
	return 0;
}

#endif

#endif
