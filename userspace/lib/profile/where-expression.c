/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An expression becomes a program in postfix order over a set of names.  Which of the names are on
 * a path is one word of bits, handed down the tree; the program runs only where that word differs
 * from the parent's.
 */
#include "profile/where-expression.h"

#include <string.h>

#include "base/words.h"
#include "profile/glob.h"

#define MAX_DEPTH 200
#define MAX_OPERATIONS 1024

struct name {
	char *text;
	bool is_pattern;
};

enum operator { NAME, NOT, AND, OR };

struct operation {
	enum operator operator;
	unsigned name;
};

struct SptExpression {
	GArray *names;			/* struct name */
	GArray *program;		/* struct operation */
};

struct parser {
	const char *text, *at;
	SptExpression *expression;
	unsigned depth;
	GError **error;
};

G_DEFINE_QUARK(spt-expression-error-quark, spt_expression_error)

static bool fail(struct parser *parser, const char *what)
{
	spt_set_error(
		parser->error, SPT_EXPRESSION_ERROR, SPT_EXPRESSION_ERROR_SYNTAX,
		"\"%s\" is no expression: %s at character %u; write for example foo and (malloc or free)",
		parser->text, spt_words(what), (unsigned)(parser->at - parser->text) + 1);
	return false;
}

static bool too_large(struct parser *parser)
{
	spt_set_error(
		parser->error, SPT_EXPRESSION_ERROR, SPT_EXPRESSION_ERROR_TOO_LARGE,
		"The expression is too large: at most %u names and %u parentheses in one another",
		SPT_EXPRESSION_MAX_NAMES, MAX_DEPTH);
	return false;
}

static bool emit(struct parser *parser, enum operator operator, unsigned name)
{
	struct operation operation = { operator, name };

	if (parser->expression->program->len >= MAX_OPERATIONS)
		return too_large(parser);
	g_array_append_val(parser->expression->program, operation);
	return true;
}

static void skip_blanks(struct parser *parser)
{
	while (g_ascii_isspace(*parser->at))
		parser->at++;
}

static bool is_word_end(char c)
{
	return c == '\0' || g_ascii_isspace(c) || c == '(' || c == ')' || c == '"';
}

/* Takes @word if it is the next token. */
static bool take_word(struct parser *parser, const char *word)
{
	size_t length = strlen(word);

	skip_blanks(parser);
	if (strncmp(parser->at, word, length) != 0 || !is_word_end(parser->at[length]))
		return false;
	parser->at += length;
	return true;
}

static bool add_name(struct parser *parser, GString *text, bool is_pattern)
{
	struct name name = { g_string_free(text, FALSE), is_pattern };

	if (parser->expression->names->len >= SPT_EXPRESSION_MAX_NAMES) {
		g_free(name.text);
		return too_large(parser);
	}
	g_array_append_val(parser->expression->names, name);
	return emit(parser, NAME, parser->expression->names->len - 1);
}

static bool parse_quoted(struct parser *parser)
{
	const char *begin = parser->at++;
	GString *text = g_string_new(NULL);

	for (; *parser->at && *parser->at != '"'; parser->at++) {
		if (*parser->at == '\\' && parser->at[1])
			parser->at++;
		g_string_append_c(text, *parser->at);
	}
	if (*parser->at != '"') {
		g_string_free(text, TRUE);
		parser->at = begin;
		return fail(parser, "a quote that does not end");
	}
	parser->at++;
	return add_name(parser, text, false);
}

static bool parse_or(struct parser *parser);

static bool parse_operand(struct parser *parser)
{
	const char *begin;

	skip_blanks(parser);
	begin = parser->at;
	if (*parser->at == '(') {
		parser->at++;
		if (!parse_or(parser))
			return false;
		skip_blanks(parser);
		if (*parser->at != ')')
			return fail(parser, "a parenthesis is missing");
		parser->at++;
		return true;
	}
	if (*parser->at == '"')
		return parse_quoted(parser);
	while (!is_word_end(*parser->at))
		parser->at++;
	if (parser->at == begin)
		return fail(parser, "a function's name is missing");
	for (unsigned i = 0; i < 2; i++) {
		const char *reserved = i ? "or" : "and";

		if ((size_t)(parser->at - begin) == strlen(reserved) &&
		    strncmp(begin, reserved, strlen(reserved)) == 0) {
			parser->at = begin;
			return fail(parser, "a function's name is missing");
		}
	}
	return add_name(parser, g_string_new_len(begin, parser->at - begin),
			memchr(begin, '*', parser->at - begin) ||
				memchr(begin, '?', parser->at - begin));
}

static bool parse_not(struct parser *parser)
{
	bool inverted = false;

	while (take_word(parser, "not"))
		inverted = !inverted;
	return parse_operand(parser) && (!inverted || emit(parser, NOT, 0));
}

static bool parse_and(struct parser *parser)
{
	if (!parse_not(parser))
		return false;
	while (take_word(parser, "and")) {
		if (!parse_not(parser) || !emit(parser, AND, 0))
			return false;
	}
	return true;
}

static bool parse_or(struct parser *parser)
{
	bool ok;

	if (++parser->depth > MAX_DEPTH)
		return too_large(parser);
	ok = parse_and(parser);
	while (ok && take_word(parser, "or"))
		ok = parse_and(parser) && emit(parser, OR, 0);
	parser->depth--;
	return ok;
}

static void clear_name(gpointer data)
{
	g_free(((struct name *)data)->text);
}

SptExpression *spt_expression_parse(const char *text, GError **error)
{
	g_autoptr(SptExpression) expression = g_new0(SptExpression, 1);
	struct parser parser = {
		.text = text, .at = text, .expression = expression, .error = error
	};

	expression->names = g_array_new(FALSE, FALSE, sizeof(struct name));
	g_array_set_clear_func(expression->names, clear_name);
	expression->program = g_array_new(FALSE, FALSE, sizeof(struct operation));
	if (!parse_or(&parser))
		return NULL;
	skip_blanks(&parser);
	if (*parser.at) {
		fail(&parser, *parser.at == ')' ? "a parenthesis too many" :
						  SPT_WORDS("\"and\" or \"or\" is missing"));
		return NULL;
	}
	return g_steal_pointer(&expression);
}

void spt_expression_free(SptExpression *expression)
{
	if (!expression)
		return;
	g_array_unref(expression->names);
	g_array_unref(expression->program);
	g_free(expression);
}

/* The names that match a function, as bits. */
static uint64_t bits_of(const SptExpression *expression, const SptFunction *function)
{
	uint64_t bits = 0;

	if (function->is_process || function->is_no_stack)
		return 0;
	for (unsigned i = 0; i < expression->names->len; i++) {
		const struct name *name = &g_array_index(expression->names, struct name, i);

		if (name->is_pattern ? spt_glob_match(name->text, function->name) :
				       spt_glob_is_called(function->name, name->text))
			bits |= UINT64_C(1) << i;
	}
	return bits;
}

static bool run(const SptExpression *expression, uint64_t bits)
{
	bool stack[MAX_OPERATIONS];
	unsigned depth = 0;

	for (unsigned i = 0; i < expression->program->len; i++) {
		const struct operation *operation =
			&g_array_index(expression->program, struct operation, i);

		switch (operation->operator) {
		case NAME:
			stack[depth++] = bits >> operation->name & 1;
			break;
		case NOT:
			stack[depth - 1] = !stack[depth - 1];
			break;
		case AND:
			depth--;
			stack[depth - 1] = stack[depth - 1] && stack[depth];
			break;
		case OR:
			depth--;
			stack[depth - 1] = stack[depth - 1] || stack[depth];
			break;
		}
	}
	return stack[0];
}

bool *spt_expression_holds(const SptExpression *expression, const SptTreeNode *nodes,
			   uint32_t n_nodes, const SptFunction *functions, uint32_t n_functions)
{
	g_autofree uint64_t *of_function = g_new(uint64_t, MAX(n_functions, 1));
	g_autofree uint64_t *of_path = g_new0(uint64_t, n_nodes);
	bool *holds = g_new(bool, n_nodes);

	for (uint32_t i = 0; i < n_functions; i++)
		of_function[i] = bits_of(expression, &functions[i]);
	holds[0] = run(expression, 0);
	for (uint32_t i = 1; i < n_nodes; i++) {
		uint32_t parent = nodes[i].parent;

		of_path[i] = of_path[parent] | of_function[nodes[i].function];
		holds[i] =
			of_path[i] == of_path[parent] ? holds[parent] : run(expression, of_path[i]);
	}
	return holds;
}

char *spt_expression_quote(const char *name)
{
	GString *text = g_string_new("\"");

	for (; *name; name++) {
		if (*name == '"' || *name == '\\')
			g_string_append_c(text, '\\');
		g_string_append_c(text, *name);
	}
	g_string_append_c(text, '"');
	return g_string_free(text, FALSE);
}
