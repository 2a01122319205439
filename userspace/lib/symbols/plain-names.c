/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pass for each inline namespace, one that skips default arguments of templates that are in std,
 * and one for each alias, brackets first.
 */
#include "symbols/plain-names.h"

#include <stdbool.h>
#include <string.h>

#include "symbols/demangle.h"

#define MOST_BYTES 4096
#define MOST_DEPTH 64

/* What versions of a library put into std; no programmer writes it. */
static const char *const inner[] = { "std::__cxx11::", "std::__1::", "std::__ndk1::" };

/* Default arguments of the standard's containers, strings, streams and pointers. */
static const char *const defaults[] = {
	", std::allocator<",  ", std::char_traits<", ", std::less<",
	", std::equal_to<",   ", std::hash<",	     ", std::default_delete<",
};

static const char *const aliases[][2] = {
	{ "> >", ">>" },
	{ "> >", ">>" },	/* "> > >" has two, with one bracket in both */
	{ "std::basic_string<char>", "std::string" },
	{ "std::basic_string<wchar_t>", "std::wstring" },
	{ "std::basic_string_view<char>", "std::string_view" },
	{ "std::basic_ostream<char>", "std::ostream" },
	{ "std::basic_istream<char>", "std::istream" },
	{ "std::basic_iostream<char>", "std::iostream" },
	{ "std::basic_ios<char>", "std::ios" },
	{ "std::basic_streambuf<char>", "std::streambuf" },
	{ "std::basic_stringstream<char>", "std::stringstream" },
	{ "std::basic_ostringstream<char>", "std::ostringstream" },
	{ "std::basic_istringstream<char>", "std::istringstream" },
	{ "std::basic_fstream<char>", "std::fstream" },
	{ "std::basic_ifstream<char>", "std::ifstream" },
	{ "std::basic_ofstream<char>", "std::ofstream" },
};

/* Bytes up to and with the '<' of the default argument that @name begins with; 0: none. */
static size_t default_bytes(const char *name)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(defaults); i++)
		if (g_str_has_prefix(name, defaults[i]))
			return strlen(defaults[i]);
	return 0;
}

/* Whether @text ends with the name of a template in std. */
static bool is_in_std(const GString *text)
{
	gsize begin = text->len;

	while (begin > 0 && (g_ascii_isalnum(text->str[begin - 1]) ||
			     text->str[begin - 1] == '_' || text->str[begin - 1] == ':'))
		begin--;
	return g_str_has_prefix(text->str + begin, "std::");
}

/* The templates that are open: whether each is in std. */
struct open {
	bool is_std[MOST_DEPTH];
	unsigned depth;
};

static void follow(struct open *open, const GString *text, char c)
{
	if (c == '<' && open->depth < MOST_DEPTH)
		open->is_std[open->depth] = is_in_std(text);
	if (c == '<')
		open->depth++;
	else if (c == '>' && open->depth > 0 && !g_str_has_suffix(text->str, "-"))
		open->depth--;
}

static bool is_open_in_std(const struct open *open)
{
	return open->depth > 0 && open->depth <= MOST_DEPTH && open->is_std[open->depth - 1];
}

/* Bytes of "operator<" and the like, whose '<' opens no template; 0: @name has none there. */
static size_t operator_bytes(const GString *text, const char *name)
{
	static const char word[] = "operator";
	const size_t bytes = sizeof(word) - 1;
	char before = text->len ? text->str[text->len - 1] : ' ';

	if (strncmp(name, word, bytes) != 0 || g_ascii_isalnum(before) || before == '_')
		return 0;
	/* "operator< <char>", but "operator==<char>". */
	return bytes + (name[bytes] == '<' ? strspn(name + bytes, "<=>") :
					     strspn(name + bytes, "=>!+-*/%&|^~"));
}

/* Behind the template's arguments of an operator of std, which follow from the function's. */
static const char *behind_arguments(const char *name)
{
	const char *begin = name + (*name == ' '), *end;

	end = *begin == '<' ? spt_template_end(begin) : NULL;
	return end && *end == '(' ? end : name;
}

static GString *skip_defaults(const char *name)
{
	GString *text = g_string_new(NULL);
	struct open open = { .depth = 0 };

	while (*name) {
		size_t operator = operator_bytes(text, name),
		       argument = is_open_in_std(&open) ? default_bytes(name) : 0;
		const char *end = argument ? spt_template_end(name + argument - 1) : NULL;

		if (operator) {
			bool is_std = g_str_has_suffix(text->str, "std::");

			g_string_append_len(text, name, (gssize)operator);
			name += operator;
			if (is_std)
				name = behind_arguments(name);
		} else if (end) {
			/* "> >", as older compilers wanted it. */
			name = end + (end[0] == ' ' && end[1] == '>');
		} else {
			follow(&open, text, *name);
			g_string_append_c(text, *name++);
		}
	}
	return text;
}

char *spt_plain_name(const char *name)
{
	g_autoptr(GString) outer = NULL;
	GString *text;

	if (!strstr(name, "std::") || strlen(name) > MOST_BYTES)
		return NULL;
	outer = g_string_new(name);
	for (unsigned i = 0; i < G_N_ELEMENTS(inner); i++)
		g_string_replace(outer, inner[i], "std::", 0);
	text = skip_defaults(outer->str);
	for (unsigned i = 0; i < G_N_ELEMENTS(aliases); i++)
		g_string_replace(text, aliases[i][0], aliases[i][1], 0);
	return g_string_free(text, FALSE);
}

/* The parenthesis of the function's arguments, behind its templates; NULL: it has none. */
static const char *arguments_of(const char *name)
{
	const char *begin = name;

	for (const char *c = name; (c = strchr(c, '(')); c++) {
		if (g_str_has_prefix(c, "(anonymous namespace)"))
			continue;
		if (c - begin >= 8 && strncmp(c - 8, "operator()", 10) == 0)
			c += 2;
		return *c == '(' ? c : NULL;
	}
	return NULL;
}

/* The scope's end, behind its last "::" outside of brackets; @name: it is in none. */
static const char *behind_scope(const char *name)
{
	const char *behind = name;
	unsigned open = 0;

	for (const char *c = name; *c; c++) {
		if (*c == '<' || *c == '(' || *c == '{')
			open++;
		else if ((*c == '>' || *c == ')' || *c == '}') && open > 0)
			open--;
		else if (open == 0 && (*c == ' ' || g_str_has_prefix(c, "operator")))
			break;
		else if (open == 0 && c[0] == ':' && c[1] == ':' && c[2])
			behind = ++c + 1;
	}
	return behind;
}

/* The first part of a scope that is one of several. */
static const char *behind_first_scope(const char *name)
{
	const char *end = behind_scope(name), *colons = strstr(name, "::");
	unsigned open = 0;

	/* An operator's name alone says nothing. */
	if (g_str_has_prefix(end, "operator"))
		end -= strlen("::");

	for (const char *c = name; colons && c < end; c++) {
		if (*c == '<' || *c == '(' || *c == '{')
			open++;
		else if ((*c == '>' || *c == ')' || *c == '}') && open > 0)
			open--;
		else if (open == 0 && c[0] == ':' && c[1] == ':')
			return c + 2;
	}
	return NULL;
}

char *spt_fit_name(const char *name, unsigned columns)
{
	g_autofree char *text = NULL;
	const char *arguments, *shorter;
	size_t head;

	if (g_utf8_strlen(name, -1) <= (glong)columns || !strpbrk(name, "<(:"))
		return g_strdup(name);
	text = spt_shorten_templates(name);
	if (g_utf8_strlen(text, -1) <= (glong)columns)
		return g_steal_pointer(&text);
	arguments = arguments_of(text);
	if (arguments) {
		const char *end = strrchr(arguments, ')');
		/* " const" */
		const char *behind = end && strlen(end) < 8 ? end + 1 : "";
		bool has_room = (glong)columns >= g_utf8_strlen(text, arguments - text) +
							  (glong)strlen("(...)") +
							  (glong)strlen(behind);
		char *cut = g_strdup_printf("%.*s%s%s", (int)(arguments - text), text,
					    has_room ? "(...)" : "", has_room ? behind : "");

		g_free(text);
		text = cut;
	}
	for (shorter = text; (head = (size_t)g_utf8_strlen(shorter, -1)) > columns;) {
		const char *behind = behind_first_scope(shorter);

		if (!behind)
			break;
		shorter = behind;
	}
	return g_strdup(shorter);
}
