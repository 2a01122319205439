/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysprof-cli mcp: the Model Context Protocol on stdin and stdout.  Each line is a message of
 * JSON-RPC 2.0.  Requests are answered one after the other; a notification gets no answer.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "mcp.h"

/* Of a message, and of the objects within each other in it. */
#define MOST_LINE  (1 << 20)
#define MOST_DEPTH 16
/* Of an id that is a text. */
#define MOST_ID 64

enum { PARSE_ERROR = -32700, BAD_REQUEST = -32600, NO_METHOD = -32601, BAD_PARAMS = -32602 };

/* Versions of the protocol that differ in nothing that is used here; the newest first. */
static const char *const versions[] = { "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05" };

struct server {
	SptMcpPages pages;
	GString *line;
	bool is_too_long;		/* the rest of the line is dropped */
};

/* Takes over @message. */
static bool put(struct json_object *message)
{
	const char *text = json_object_to_json_string_ext(
		message, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
	bool ok = printf("%s\n", text) > 0 && fflush(stdout) == 0;

	json_object_put(message);
	return ok;
}

/* @id is borrowed, and may be NULL. */
static struct json_object *message_of(struct json_object *id)
{
	struct json_object *message = json_object_new_object();

	json_object_object_add(message, "jsonrpc", json_object_new_string("2.0"));
	json_object_object_add(message, "id", json_object_get(id));
	return message;
}

static bool put_error(struct json_object *id, int code, const char *text)
{
	struct json_object *message = message_of(id), *error = json_object_new_object();

	json_object_object_add(error, "code", json_object_new_int(code));
	json_object_object_add(error, "message", json_object_new_string(text));
	json_object_object_add(message, "error", error);
	return put(message);
}

/* Takes over @result. */
static bool put_result(struct json_object *id, struct json_object *result)
{
	struct json_object *message = message_of(id);

	json_object_object_add(message, "result", result);
	return put(message);
}

/* The member @key of @object if it is a text, else NULL. */
static const char *member_text(struct json_object *object, const char *key)
{
	struct json_object *value = NULL;

	if (!json_object_is_type(object, json_type_object) ||
	    !json_object_object_get_ex(object, key, &value) ||
	    !json_object_is_type(value, json_type_string))
		return NULL;
	return json_object_get_string(value);
}

static bool initialize(struct json_object *id, struct json_object *params)
{
	const char *wanted = member_text(params, "protocolVersion"), *version = versions[0];
	struct json_object *result = json_object_new_object(),
			   *capabilities = json_object_new_object(),
			   *info = json_object_new_object();

	for (unsigned i = 0; wanted && i < G_N_ELEMENTS(versions); i++)
		if (strcmp(wanted, versions[i]) == 0)
			version = versions[i];
	json_object_object_add(capabilities, "tools", json_object_new_object());
	json_object_object_add(info, "name", json_object_new_string("sysprof"));
	json_object_object_add(info, "version", json_object_new_string(SPT_VERSION));
	json_object_object_add(result, "protocolVersion", json_object_new_string(version));
	json_object_object_add(result, "capabilities", capabilities);
	json_object_object_add(result, "serverInfo", info);
	json_object_object_add(
		result, "instructions",
		json_object_new_string("Record a command, ask for its summary, then follow what that "
				       "advises: waits of a program that hardly ran, tree or "
				       "annotate of a function, diff after a change."));
	return put_result(id, result);
}

/* Takes over @text. */
static bool put_answer(struct json_object *id, char *text, bool failed)
{
	struct json_object *result = json_object_new_object(), *content = json_object_new_array(),
			   *part = json_object_new_object();

	json_object_object_add(part, "type", json_object_new_string("text"));
	json_object_object_add(part, "text", json_object_new_string(text));
	json_object_array_add(content, part);
	json_object_object_add(result, "content", content);
	json_object_object_add(result, "isError", json_object_new_boolean(failed));
	g_free(text);
	return put_result(id, result);
}

static bool next_part(struct server *server, struct json_object *id, struct json_object *arguments)
{
	const char *cursor = member_text(arguments, "cursor");
	char *text = cursor ? spt_mcp_pages_next(&server->pages, cursor) : NULL;

	if (!text)
		return put_answer(id, g_strdup("\"cursor\" is no handle of an answer that is kept; "
					       "ask the question again."),
				  true);
	return put_answer(id, text, false);
}

static bool call_tool(struct server *server, struct json_object *id, struct json_object *params)
{
	const char *name = member_text(params, "name");
	struct json_object *arguments = NULL;
	bool failed = false;
	char *text;

	if (!name)
		return put_error(id, BAD_PARAMS, "tools/call needs params.name, a string.");
	json_object_object_get_ex(params, "arguments", &arguments);
	if (strcmp(name, "more") == 0)
		return next_part(server, id, arguments);
	text = spt_mcp_call_tool(name, arguments, &failed);
	if (!text)
		return put_error(id, BAD_PARAMS, "There is no such tool; tools/list has them.");
	return put_answer(id, spt_mcp_pages_begin(&server->pages, text), failed);
}

static bool answer(struct server *server, const char *method, struct json_object *id,
		   struct json_object *params)
{
	struct json_object *result;

	if (strcmp(method, "initialize") == 0)
		return initialize(id, params);
	if (strcmp(method, "ping") == 0)
		return put_result(id, json_object_new_object());
	if (strcmp(method, "tools/call") == 0)
		return call_tool(server, id, params);
	if (strcmp(method, "tools/list") != 0)
		return put_error(id, NO_METHOD, "There is no such method.");
	result = json_object_new_object();
	json_object_object_add(result, "tools", spt_mcp_list_tools());
	return put_result(id, result);
}

/* An id is a number or a short text; the answer has no room for others. */
static bool is_id(struct json_object *id)
{
	return json_object_is_type(id, json_type_int) ||
	       (json_object_is_type(id, json_type_string) &&
		json_object_get_string_len(id) <= MOST_ID);
}

static bool take_message(struct server *server, struct json_object *message)
{
	const char *method = member_text(message, "method");
	struct json_object *id = NULL, *params = NULL;
	bool is_object = json_object_is_type(message, json_type_object);
	bool has_id = is_object && json_object_object_get_ex(message, "id", &id);

	if (!is_object || g_strcmp0(member_text(message, "jsonrpc"), "2.0") != 0 ||
	    (has_id && !is_id(id)))
		return put_error(NULL, BAD_REQUEST, "A message is an object of JSON-RPC 2.0.");
	/* A notification, or the answer to a question that was never asked. */
	if (!has_id || (!method && (json_object_object_get_ex(message, "result", NULL) ||
				    json_object_object_get_ex(message, "error", NULL))))
		return true;
	if (!method)
		return put_error(id, BAD_REQUEST, "A request has a method, a string.");
	json_object_object_get_ex(message, "params", &params);
	return answer(server, method, id, params);
}

static bool take_line(struct server *server)
{
	const GString *line = server->line;
	struct json_tokener *tokener;
	struct json_object *message = NULL;
	bool ok;

	if (server->is_too_long)
		return put_error(NULL, BAD_REQUEST, "A message has at most 1 MiB.");
	if (line->len == 0 || strspn(line->str, " \t\r") == line->len)
		return true;
	tokener = json_tokener_new_ex(MOST_DEPTH);
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	/* With its NUL, which ends a number. */
	if (strlen(line->str) == line->len)
		message = json_tokener_parse_ex(tokener, line->str, (int)line->len + 1);
	ok = json_tokener_get_error(tokener) == json_tokener_success && message ?
		     take_message(server, message) :
		     put_error(NULL, PARSE_ERROR, "This line is no JSON, or too deep.");
	json_object_put(message);
	json_tokener_free(tokener);
	return ok;
}

/* False: nobody reads the answers any more. */
static bool take_bytes(struct server *server, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (bytes[i] != '\n') {
			server->is_too_long |= server->line->len >= MOST_LINE;
			if (!server->is_too_long)
				g_string_append_c(server->line, bytes[i]);
			continue;
		}
		if (!take_line(server))
			return false;
		g_string_truncate(server->line, 0);
		server->is_too_long = false;
	}
	return true;
}

static int run_mcp(int argc, char **argv)
{
	const GOptionEntry entries[] = { { NULL } };
	struct server server = { .line = NULL };
	char bytes[4096];
	ssize_t n;

	if (!spt_cli_parse(&cmd_mcp, entries, &argc, &argv))
		return SPT_EXIT_USAGE;
	if (argc > 1) {
		spt_cli_complain("mcp takes no operands; it reads messages from its input");
		return SPT_EXIT_USAGE;
	}
	signal(SIGPIPE, SIG_IGN);
	server.line = g_string_new(NULL);
	while ((n = read(STDIN_FILENO, bytes, sizeof(bytes))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0 && !take_bytes(&server, bytes, (size_t)n))
			break;
	g_string_free(server.line, TRUE);
	spt_mcp_pages_clear(&server.pages);
	return SPT_EXIT_OK;
}

const struct spt_command cmd_mcp = {
	.name = "mcp",
	.usage = "",
	.help = "Answer questions of programs: the Model Context Protocol on standard input",
	.run = run_mcp,
};
