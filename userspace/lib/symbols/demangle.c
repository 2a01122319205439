/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * C++, Rust and D names as a programmer writes them, by libiberty.
 *
 * A mangled name may repeat earlier parts of itself by reference, so that a name of 300 bytes can
 * expand to a gigabyte; the demanglers would write it all.  Names with more references than real
 * ones have are left as they are, and where a demangler hands its text out in pieces, it is stopped
 * when there are too many.
 */
#include "symbols/demangle.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * Three references a level triple the size: 32 make at most some megabytes.  One in ten thousand
 * names of LLVM has more.
 */
#define REFERENCES_MAX 32
/* A pack expansion repeats what it holds once per element. */
#define PACK_COST 8

#define TEXT_MAX_BYTES (1u << 16)
#define PIECES_MAX (1u << 16)
#define D_NAME_MAX_BYTES 4096

/* libiberty's functions; the place of its header differs between distributions. */
#define DMGL_PARAMS	(1 << 0)
#define DMGL_RET_DROP	(1 << 6)	/* of templates; other names have no return type */
typedef void piece_callback(const char *piece, size_t bytes, void *data);
int cplus_demangle_v3_callback(const char *mangled, int options, piece_callback *callback,
			       void *data);
int rust_demangle_callback(const char *mangled, int options, piece_callback *callback, void *data);
char *dlang_demangle(const char *mangled, int options);

/*
 * C++: S_, S1F_, T_, T0_; D: Qe, QBx.  Letters of identifiers with the same form only make the
 * count too high.
 */
static unsigned count_references(const char *name, const char *letters)
{
	unsigned n = 0;

	for (const char *c = name; *c; c++) {
		if (c[0] == 'D' && c[1] == 'p')
			n += PACK_COST;
		if (!strchr(letters, *c))
			continue;

		const char *end = c + 1;

		while (g_ascii_isdigit(*end) || g_ascii_isupper(*end))
			end++;
		if (*end == '_' || (*c == 'Q' && g_ascii_islower(*end)))
			n++;
	}
	return n;
}

struct text {
	GString *string;
	unsigned pieces;
	jmp_buf enough;
};

static void take_piece(const char *piece, size_t bytes, void *data)
{
	struct text *text = data;

	if (++text->pieces > PIECES_MAX || text->string->len + bytes > TEXT_MAX_BYTES)
		longjmp(text->enough, 1);
	g_string_append_len(text->string, piece, (gssize)bytes);
}

typedef int in_pieces(const char *mangled, int options, piece_callback *callback, void *data);

/* NULL: the name is not of that language, or the text would be too long. */
static char *demangle_collect(in_pieces *demangle, const char *name, int options)
{
	struct text text = { .string = g_string_new(NULL) };

	if (setjmp(text.enough) == 0 && demangle(name, options, take_piece, &text))
		return g_string_free(text.string, FALSE);
	g_string_free(text.string, TRUE);
	return NULL;
}

/* The names have many references, most of them short: only the result's length can be limited. */
static char *demangle_rust(const char *name)
{
	return demangle_collect(rust_demangle_callback, name, 0);
}

/* Legacy Rust looks like C++ with a hash at its end, "17h" and 16 digits. */
bool spt_demangle_is_legacy_rust(const char *name)
{
	const char *hash = g_str_has_prefix(name, "_ZN") ? g_strrstr(name, "17h") : NULL;

	return hash && strspn(hash + 3, "0123456789abcdef") == 16 && hash[19] == 'E';
}

static char *demangle_cxx(const char *name, int options)
{
	return count_references(name, "ST") > REFERENCES_MAX ?
		       NULL :
		       demangle_collect(cplus_demangle_v3_callback, name,
					options);
}

/* It recurses into types within types without a limit of its own. */
static char *demangle_d(const char *name)
{
	char *plain =
		count_references(name, "Q") > REFERENCES_MAX || strlen(name) > D_NAME_MAX_BYTES ?
			NULL :
			dlang_demangle(name, 0);
	char *copy = g_strdup(plain);

	free(plain);
	return copy;
}

static char *demangle_with(const char *name, int options);

/* A jump to a function of another object, "NAME@plt", or a version of one, "NAME@@VERSION". */
static char *demangle_versioned(const char *name, const char *at, int options)
{
	g_autofree char *base = g_strndup(name, (gsize)(at - name)),
			*plain = demangle_with(base, options);

	return g_strconcat(plain, at, NULL);
}

static char *demangle_with(const char *name, int options)
{
	const char *at = strchr(name, '@');
	char *plain = NULL;

	if (at && at > name && name[0] == '_')
		return demangle_versioned(name, at, options);

	/* The demanglers also take bare types: the C function "i" is not "int". */
	if (g_str_has_prefix(name, "_R") || spt_demangle_is_legacy_rust(name))
		plain = demangle_rust(name);
	if (!plain && g_str_has_prefix(name, "_Z"))
		plain = demangle_cxx(name, options);
	else if (g_str_has_prefix(name, "_D"))
		plain = demangle_d(name);
	return plain ? plain : g_strdup(name);
}

char *spt_demangle(const char *name)
{
	return demangle_with(name, DMGL_PARAMS | DMGL_RET_DROP);
}

char *spt_demangle_bare(const char *name)
{
	char *bare = demangle_with(name, DMGL_RET_DROP), *tag = strstr(bare, "[abi:");

	/* A version of the ABI is the compiler's. */
	if (tag && bare[strlen(bare) - 1] == ']')
		*tag = '\0';
	return bare;
}

/* Comparisons within arguments are in parentheses. */
const char *spt_template_end(const char *open)
{
	unsigned angles = 0, parentheses = 0;

	for (const char *c = open; *c; c++) {
		if (*c == '(')
			parentheses++;
		else if (*c == ')' && parentheses > 0)
			parentheses--;
		else if (parentheses == 0 && *c == '<')
			angles++;
		else if (parentheses == 0 && *c == '>' && c[-1] != '-' && --angles == 0)
			return c + 1;
	}
	return NULL;
}

char *spt_shorten_templates(const char *name)
{
	GString *text = g_string_new(NULL);

	while (*name) {
		bool is_template = *name == '<' && text->len > 0 &&
				   !g_str_has_suffix(text->str, "operator") &&
				   (g_ascii_isalnum(text->str[text->len - 1]) ||
				    text->str[text->len - 1] == '_');
		const char *end = is_template ? spt_template_end(name) : name + 1;

		/* It is not closed: this is no such name. */
		if (!end)
			break;
		if (is_template)
			g_string_append(text, "<...>");
		else
			g_string_append_c(text, *name);
		name = end;
	}
	g_string_append(text, name);
	return g_string_free(text, FALSE);
}
