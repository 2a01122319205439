/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tools, a row each: the command that answers, and what may be asked of it.  Arguments are
 * checked here by type and bounds.  A text becomes "--option=text" or a word behind "--", so that
 * none of them can be an option.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"
#include "mcp.h"

#define MOST_ARGUMENTS 10
#define MOST_WORDS     64
#define MOST_TEXT      1024
#define MOST_SECONDS   300
#define RUN_SECONDS    60

enum type {
	TEXT,		/* --option=text */
	CHOICE,		/* the same, one of a few words */
	NUMBER,		/* --option=number */
	SWITCH,		/* --option */
	SECONDS,	/* --option=NUMBERs */
	FILE_READ,	/* an operand: a recording that is there */
	FILE_WRITTEN,	/* --option=file: a recording that is made */
	OPERAND,	/* a word behind the file */
	WORDS,		/* words behind "--": a command to run */
};

struct argument {
	const char *name, *option;
	enum type type;
	const char *report;		/* the report, if the value is a condition on it; or NULL */
	bool is_needed, is_report;	/* is_report: takes the place of the tool's own report */
	int64_t least, most;
	const char *choices;		/* words with '|' between */
	const char *usual;		/* the one without the argument; NULL: none */
	const char *help;
};

struct tool {
	const char *name, *help;
	const char *words[4];		/* the command, and options that it always has */
	const char *report;		/* the report, unless an argument requests another */
	bool is_record;
	struct argument arguments[MOST_ARGUMENTS];
};

#define A_FILE                                                                                     \
	{ .name = "file", .type = FILE_READ,                                                       \
	  .help = "The recording; sysprof.capture without it" }
#define CONDITIONS                                                                                 \
	{ .name = "process", .option = "process", .help = "Only this process: name or pid" },      \
	{ .name = "thread", .option = "thread", .help = "Only this thread: name or tid" },         \
	{ .name = "time", .option = "time", .help = "Only A..B seconds after the start" },         \
	{ .name = "where", .option = "where", .help = "Only such stacks: foo and (bar or baz*)" }, \
	{ .name = "all", .option = "all", .type = SWITCH,                                          \
	  .help = "Everything that ran, not only the command" }
#define A_LIMIT                                                                                    \
	{ .name = "limit", .option = "limit", .type = NUMBER, .least = 1, .most = 1000,            \
	  .help = "Rows" }
#define A_METRIC                                                                                   \
	{ .name = "metric", .option = "metric", .help = "cpu, or another that info lists" }

static const struct tool tools[] = {
	{ "record", "Run a command and record where it spends its time. Begin here.",
	  { "record" }, NULL, true,
	  { { .name = "command", .type = WORDS, .is_needed = true,
	      .help = "Program and arguments; there is no shell" },
	    { .name = "file", .option = "output", .type = FILE_WRITTEN,
	      .help = "Where: NAME.capture; sysprof.capture without it" },
	    { .name = "seconds", .option = "duration", .type = SECONDS, .least = 1,
	      .most = MOST_SECONDS, .help = "End after this time" },
	    { .name = "waits", .option = "waits", .type = SWITCH,
	      .help = "Also where threads wait, and for whom" },
	    { .name = "memory", .option = "memory", .type = SWITCH,
	      .help = "Also what the command allocates" } } },
	{ "summary", "What a recording says, in sentences, and what to ask next.",
	  { "report", "--summary" }, NULL, false, { A_FILE, A_METRIC, CONDITIONS } },
	{ "top_functions", "The functions with the most time (or another metric), by self.",
	  { "report" }, "--functions", false, { A_FILE, A_METRIC, A_LIMIT, CONDITIONS } },
	{ "tree", "What calls what: everything, what a function calls, or who calls it.",
	  { "report" }, "--tree", false,
	  { A_FILE, A_METRIC, A_LIMIT,
	    { .name = "below", .option = "root-at", .help = "What this function calls" },
	    { .name = "above", .option = "callers", .is_report = true,
	      .help = "Who calls this function" },
	    CONDITIONS } },
	{ "annotate", "Source lines and instructions of a function, with their shares.",
	  { "annotate" }, NULL, false,
	  { A_FILE,
	    { .name = "function", .type = OPERAND, .is_needed = true, .help = "Its name" },
	    { .name = "source", .option = "source", .type = SWITCH, .help = "No instructions" },
	    A_METRIC } },
	{ "waits", "Where threads were blocked, and who ended it. Needs record with waits.",
	  { "report", "--metric=blocked" }, "--summary", false,
	  { A_FILE,
	    { .name = "by", .option = "by", .type = CHOICE, .is_report = true,
	      .choices = "thread|state|waker|process", .help = "A table of these" },
	    { .name = "waker", .option = "with", .report = "--by=waker", .is_report = true,
	      .help = "Who ended the waits in this function" },
	    A_LIMIT, CONDITIONS } },
	{ "memory", "Who allocates. Needs record with memory.",
	  { "report" }, "--summary", false,
	  { A_FILE,
	    { .name = "metric", .option = "metric", .type = CHOICE, .usual = "peak",
	      .choices = "peak|live|allocated|allocations|temporary",
	      .help = "In use when that was most (peak, without it); at the end; in all; calls; "
		      "freed at once" },
	    { .name = "by", .option = "by", .type = CHOICE, .is_report = true,
	      .choices = "thread|process|size|lifetime", .help = "A table of these" },
	    A_LIMIT, CONDITIONS } },
	{ "diff", "Whether the second recording is faster, and what changed.",
	  { "diff" }, NULL, false,
	  { { .name = "before", .type = FILE_READ, .is_needed = true, .help = "A recording" },
	    { .name = "after", .type = FILE_READ, .is_needed = true, .help = "A later one" },
	    A_METRIC, A_LIMIT } },
	{ "info", "What was recorded, how, what was lost, and which metrics there are.",
	  { "info" }, NULL, false, { A_FILE } },
	{ "doctor", "Whether this user can record here, and what helps if not.",
	  { "doctor" }, NULL, false, { { NULL } } },
};

static const char *type_name(enum type type)
{
	return type == NUMBER || type == SECONDS ? "integer" :
	       type == SWITCH			 ? "boolean" :
	       type == WORDS			 ? "array" :
						   "string";
}

/* The list. */

static struct json_object *describe_argument(const struct argument *argument)
{
	struct json_object *schema = json_object_new_object();
	g_auto(GStrv) choices = argument->choices ? g_strsplit(argument->choices, "|", -1) : NULL;

	json_object_object_add(schema, "type",
			       json_object_new_string(type_name(argument->type)));
	json_object_object_add(schema, "description", json_object_new_string(argument->help));
	if (argument->most) {
		json_object_object_add(schema, "minimum", json_object_new_int64(argument->least));
		json_object_object_add(schema, "maximum", json_object_new_int64(argument->most));
	}
	if (argument->type == WORDS) {
		struct json_object *items = json_object_new_object();

		json_object_object_add(items, "type", json_object_new_string("string"));
		json_object_object_add(schema, "items", items);
	}
	if (choices) {
		struct json_object *values = json_object_new_array();

		for (char **choice = choices; *choice; choice++)
			json_object_array_add(values, json_object_new_string(*choice));
		json_object_object_add(schema, "enum", values);
	}
	return schema;
}

static struct json_object *describe(const char *name, const char *help,
				    const struct argument *arguments)
{
	struct json_object *tool = json_object_new_object(), *schema = json_object_new_object(),
			   *properties = json_object_new_object(),
			   *needed = json_object_new_array();

	for (unsigned i = 0; i < MOST_ARGUMENTS && arguments[i].name; i++) {
		json_object_object_add(properties, arguments[i].name,
				       describe_argument(&arguments[i]));
		if (arguments[i].is_needed)
			json_object_array_add(needed, json_object_new_string(arguments[i].name));
	}
	json_object_object_add(schema, "type", json_object_new_string("object"));
	json_object_object_add(schema, "properties", properties);
	json_object_object_add(schema, "required", needed);
	json_object_object_add(schema, "additionalProperties", json_object_new_boolean(false));
	json_object_object_add(tool, "name", json_object_new_string(name));
	json_object_object_add(tool, "description", json_object_new_string(help));
	json_object_object_add(tool, "inputSchema", schema);
	return tool;
}

struct json_object *spt_mcp_list_tools(void)
{
	static const struct argument cursor[MOST_ARGUMENTS] = {
		{ .name = "cursor", .is_needed = true, .help = "The handle, as the answer gave it" }
	};
	struct json_object *list = json_object_new_array();

	for (unsigned i = 0; i < G_N_ELEMENTS(tools); i++)
		json_object_array_add(list,
				      describe(tools[i].name, tools[i].help, tools[i].arguments));
	json_object_array_add(list, describe("more", "The next part of an answer that was too long.",
					     cursor));
	return list;
}

/* A call. */

struct call {
	GPtrArray *options, *operands;	/* char * */
	bool has_report;
	uint64_t seconds;
	char *problem;			/* a sentence; NULL: none so far */
};

static void refuse(struct call *call, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void refuse(struct call *call, const char *format, ...)
{
	g_autofree char *problem = NULL;
	va_list args;

	if (call->problem)
		return;
	va_start(args, format);
	problem = g_strdup_vprintf(format, args);
	va_end(args);
	/* What the client has sent may be in it. */
	call->problem = spt_format_cut(problem, 0);
}

/* Text of the client, as a word for a command; NULL: refused. */
static const char *text_of(struct call *call, const char *name, struct json_object *value)
{
	const char *text = json_object_get_string(value);
	size_t bytes = (size_t)json_object_get_string_len(value);

	if (!json_object_is_type(value, json_type_string))
		refuse(call, "\"%s\" has to be a string.", name);
	else if (bytes == 0 || bytes > MOST_TEXT || strlen(text) != bytes)
		refuse(call, "\"%s\" has to be a text of 1 to %u bytes without NUL.", name,
		       MOST_TEXT);
	else
		return text;
	return NULL;
}

/* A name of a file that cannot be an option. */
static char *path_of(const char *text)
{
	return *text == '-' ? g_strconcat("./", text, NULL) : g_strdup(text);
}

static void add_file(struct call *call, const char *name, const char *text)
{
	g_autofree char *path = path_of(text);
	struct stat status;

	/* A pipe would be waited for. */
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		refuse(call, "\"%s\": there is no file %s.", name, text);
	else
		g_ptr_array_add(call->operands, g_steal_pointer(&path));
}

static void add_output(struct call *call, const struct argument *argument, const char *text)
{
	g_autofree char *path = path_of(text);

	if (!g_str_has_suffix(text, ".capture"))
		refuse(call, "\"%s\" has to end with .capture, so that no other file is replaced.",
		       argument->name);
	else
		g_ptr_array_add(call->options,
				g_strdup_printf("--%s=%s", argument->option, path));
}

static void add_choice(struct call *call, const struct argument *argument, const char *text)
{
	g_auto(GStrv) choices = g_strsplit(argument->choices, "|", -1);
	g_autofree char *list = g_strjoinv(", ", choices);

	if (!g_strv_contains((const char *const *)choices, text))
		refuse(call, "\"%s\" takes one of %s.", argument->name, list);
	else
		g_ptr_array_add(call->options,
				g_strdup_printf("--%s=%s", argument->option, text));
}

static void add_text(struct call *call, const struct argument *argument,
		     struct json_object *value)
{
	const char *text = text_of(call, argument->name, value);

	if (!text)
		return;
	if (argument->type == FILE_READ)
		add_file(call, argument->name, text);
	else if (argument->type == FILE_WRITTEN)
		add_output(call, argument, text);
	else if (argument->type == CHOICE)
		add_choice(call, argument, text);
	else if (argument->type == OPERAND)
		g_ptr_array_add(call->operands, g_strdup(text));
	else
		g_ptr_array_add(call->options,
				g_strdup_printf("--%s=%s", argument->option, text));
}

static void add_number(struct call *call, const struct argument *argument,
		       struct json_object *value)
{
	int64_t number = json_object_get_int64(value);
	bool is_time = argument->type == SECONDS;

	if (!json_object_is_type(value, json_type_int) || number < argument->least ||
	    number > argument->most) {
		refuse(call, "\"%s\" has to be an integer from %" PRId64 " to %" PRId64
			     ".", argument->name, argument->least, argument->most);
		return;
	}
	if (is_time)
		call->seconds = (uint64_t)number;
	g_ptr_array_add(call->options,
			g_strdup_printf("--%s=%" PRId64 "%s", argument->option, number,
					is_time ? "s" : ""));
}

static void add_words(struct call *call, const struct argument *argument,
		      struct json_object *value)
{
	size_t n = json_object_is_type(value, json_type_array) ? json_object_array_length(value) :
								  0;

	if (n == 0 || n > MOST_WORDS) {
		refuse(call, "\"%s\" has to be an array of 1 to %u strings: program and arguments.",
		       argument->name, MOST_WORDS);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const char *word =
			text_of(call, argument->name, json_object_array_get_idx(value, i));

		if (word)
			g_ptr_array_add(call->operands, g_strdup(word));
	}
}

static void add_argument(struct call *call, const struct argument *argument,
			 struct json_object *value)
{
	switch (argument->type) {
	case NUMBER:
	case SECONDS:
		add_number(call, argument, value);
		break;
	case SWITCH:
		if (!json_object_is_type(value, json_type_boolean))
			refuse(call, "\"%s\" has to be true or false.", argument->name);
		else if (json_object_get_boolean(value))
			g_ptr_array_add(call->options, g_strconcat("--", argument->option, NULL));
		break;
	case WORDS:
		add_words(call, argument, value);
		break;
	default:
		add_text(call, argument, value);
	}
	call->has_report |= argument->is_report;
	if (argument->report)
		g_ptr_array_add(call->options, g_strdup(argument->report));
}

static bool is_known(const struct tool *tool, const char *name)
{
	for (unsigned i = 0; i < MOST_ARGUMENTS && tool->arguments[i].name; i++)
		if (strcmp(tool->arguments[i].name, name) == 0)
			return true;
	return false;
}

/* In the order of the table: a file comes before a function. */
static void add_arguments(struct call *call, const struct tool *tool,
			  struct json_object *arguments)
{
	if (arguments && !json_object_is_type(arguments, json_type_object)) {
		refuse(call, "The arguments of a tool have to be an object.");
		return;
	}
	if (arguments) {
		json_object_object_foreach(arguments, key, value) {
			g_autofree char *name = spt_format_cut(key, 40);

			(void)value;
			if (!is_known(tool, key))
				refuse(call, "%s takes no argument \"%s\".", tool->name, name);
		}
	}
	for (unsigned i = 0; i < MOST_ARGUMENTS && tool->arguments[i].name; i++) {
		const struct argument *argument = &tool->arguments[i];
		struct json_object *value = NULL;

		if (arguments && json_object_object_get_ex(arguments, argument->name, &value))
			add_argument(call, argument, value);
		else if (argument->is_needed)
			refuse(call, "%s needs \"%s\": %s.", tool->name, argument->name,
			       argument->help);
		else if (argument->usual)
			add_choice(call, argument, argument->usual);
		else if (argument->type == FILE_READ)
			g_ptr_array_add(call->operands, g_strdup(SPT_CLI_CAPTURE));
	}
}

/* The words of the command, which borrow from @call and @tool. */
static GPtrArray *words_of(const struct call *call, const struct tool *tool)
{
	GPtrArray *words = g_ptr_array_new();

	g_ptr_array_add(words, (gpointer)spt_cli_called());
	for (unsigned i = 0; i < G_N_ELEMENTS(tool->words) && tool->words[i]; i++)
		g_ptr_array_add(words, (gpointer)tool->words[i]);
	if (tool->report && !call->has_report)
		g_ptr_array_add(words, (gpointer)tool->report);
	for (unsigned i = 0; i < call->options->len; i++)
		g_ptr_array_add(words, call->options->pdata[i]);
	if (call->operands->len)
		g_ptr_array_add(words, (gpointer) "--");
	for (unsigned i = 0; i < call->operands->len; i++)
		g_ptr_array_add(words, call->operands->pdata[i]);
	g_ptr_array_add(words, NULL);
	return words;
}

static const struct tool *find_tool(const char *name)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(tools); i++)
		if (strcmp(tools[i].name, name) == 0)
			return &tools[i];
	return NULL;
}

char *spt_mcp_call_tool(const char *name, struct json_object *arguments, bool *ret_failed)
{
	const struct tool *tool = find_tool(name);
	struct call call = { .options = NULL };
	unsigned most_s = RUN_SECONDS;
	char *answer;

	if (!tool)
		return NULL;
	call.options = g_ptr_array_new_with_free_func(g_free);
	call.operands = g_ptr_array_new_with_free_func(g_free);
	add_arguments(&call, tool, arguments);
	if (tool->is_record)
		most_s += call.seconds ? (unsigned)call.seconds : MOST_SECONDS;
	*ret_failed = true;
	if (call.problem) {
		answer = call.problem;
	} else {
		g_autoptr(GPtrArray) words = words_of(&call, tool);

		answer = spt_mcp_next(spt_mcp_run((const char *const *)words->pdata, most_s,
						  tool->is_record, ret_failed));
	}
	g_ptr_array_unref(call.options);
	g_ptr_array_unref(call.operands);
	return answer;
}
