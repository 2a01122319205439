/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/stem.h"

#include <stdbool.h>
#include <string.h>

#define CLONE " [clone "
#define HEX "0123456789abcdefABCDEF"
#define HASH_DIGITS 16

/* What gcc, clang and BOLT add, with a number behind it or without. */
static const struct {
	const char *word;
	bool needs_number;
} marks[] = {
	{ ".isra", false },	{ ".constprop", false }, { ".part", true },
	{ ".cold", false },	{ ".lto_priv", false },	 { ".localalias", false },
	{ ".llvm", true },	{ ".__uniq", true },	 { ".__part", true },
	{ ".clone", true },	{ ".warm", false },	 { ".argprom", false },
	{ ".argelim", false },	{ ".retelim", false },	 { ".specialized", true },
	{ ".cfi", false },	{ ".cfi_jt", false },	 { ".simdclone", true },
	{ ".extracted", false }, { ".outlined", true },	 { ".unlikely", false },
};

/* The start of a number of @digits at the end of @name, with its dot; @n: there is none. */
static size_t number_at(const char *name, size_t n, const char *digits)
{
	size_t at = n;

	while (at > 0 && strchr(digits, name[at - 1]))
		at--;
	return at > 1 && at < n && name[at - 1] == '.' ? at - 1 : n;
}

static bool ends_with(const char *name, size_t n, const char *word)
{
	size_t bytes = strlen(word);

	/* Something is left of it. */
	return n > bytes && !memcmp(name + n - bytes, word, bytes);
}

/* How many bytes of the first @n remain without the last mark; @n: it has none. */
static size_t without_mark(const char *name, size_t n)
{
	size_t plain = number_at(name, n, "0123456789"), hash = number_at(name, n, HEX);

	for (unsigned i = 0; i < G_N_ELEMENTS(marks); i++) {
		size_t bytes = strlen(marks[i].word);

		if (plain < n && ends_with(name, plain, marks[i].word))
			return plain - bytes;
		if (hash < n && !strcmp(marks[i].word, ".llvm") && ends_with(name, hash, ".llvm"))
			return hash - bytes;
		if (!marks[i].needs_number && ends_with(name, n, marks[i].word))
			return n - bytes;
	}
	return n;
}

/* As demanglers write it: "f(int) [clone .isra.0]". */
static size_t without_clone(const char *name, size_t n)
{
	const char *at = n > 0 && name[n - 1] == ']' ? g_strrstr_len(name, (gssize)n, CLONE) : NULL;
	size_t from = at ? (size_t)(at - name) : n, bytes = n - from;

	/* It may be of another kind, which is a function of its own. */
	if (!at || from == 0 || bytes <= sizeof(CLONE))
		return n;
	for (size_t end = n - 1, before = from + sizeof(CLONE) - 1; end > before;) {
		/* Behind something that is left of it. */
		g_autofree char *marked =
			g_strdup_printf("x%.*s", (int)(end - before), name + before);
		size_t length = strlen(marked), left = without_mark(marked, length);

		if (left == length)
			return n;
		end -= length - left;
	}
	return from;
}

static const char *intern(const char *name, size_t n)
{
	g_autofree char *copy = g_strndup(name, n);

	return g_intern_string(copy);
}

const char *spt_stem(const char *name)
{
	size_t n = strlen(name), before;

	do {
		before = n;
		n = without_mark(name, without_clone(name, n));
	} while (n < before);
	return intern(name, n);
}

const char *spt_stem_without_number(const char *stem)
{
	return intern(stem, number_at(stem, strlen(stem), "0123456789"));
}

const char *spt_stem_of_object(const char *name)
{
	const char *dash = strrchr(name, '-');
	const char *end = dash ? dash + 1 + HASH_DIGITS : NULL;
	g_autofree char *copy = NULL;

	if (!dash || dash == name || strspn(dash + 1, HEX) != HASH_DIGITS || (*end && *end != '.'))
		return g_intern_string(name);
	copy = g_strdup_printf("%.*s%s", (int)(dash - name), name, end);
	return g_intern_string(copy);
}
