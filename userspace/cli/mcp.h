/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysprof-cli mcp: the commands as tools of the Model Context Protocol, for programs that ask
 * questions of recordings.
 *
 * cmd-mcp.c speaks the protocol, mcp-tools.c has the table of tools and checks their arguments,
 * and mcp-run.c runs this program again for each question, without a shell, with the rights of its
 * user, and with limits of time and output.  mcp-next.c names tools in the answers.
 */
#ifndef SPT_MCP_H
#define SPT_MCP_H

#include <glib.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

/* Limit of an answer in bytes, with the message around it. */
#define SPT_MCP_ANSWER_BYTES 2048

/* What is left of an answer that did not fit. */
typedef struct {
	GPtrArray *texts;		/* char *: of the last answers, or NULL for older ones */
} SptMcpPages;

/* mcp-tools.c */

/* The tools as the protocol lists them; the caller puts it. */
struct json_object *spt_mcp_list_tools(void);
/*
 * Calls a tool.  The text, to be freed, is an answer in full or, with *@ret_failed, a sentence that
 * says why there is none.  NULL: there is no such tool.
 */
char *spt_mcp_call_tool(const char *name, struct json_object *arguments, bool *ret_failed);

/* mcp-next.c */

/* @text (which is taken over) with a summary's next steps as calls of tools.  To be freed. */
char *spt_mcp_next(char *text);

/* mcp-run.c */

/*
 * Runs @argv, whose first word is this program, and returns what it printed: its output, or with
 * *@ret_failed its complaint.  @both: its complaints are part of the answer.  After @most_s it and
 * what it started are ended.  The caller frees it.
 */
char *spt_mcp_run(const char *const *argv, unsigned most_s, bool both, bool *ret_failed);

/* mcp-pages.c */

/*
 * The first part of @text (which is taken over) that an answer has room for, with a handle for the
 * rest, if there is one.  The caller frees it.
 */
char *spt_mcp_pages_begin(SptMcpPages *pages, char *text);
/* The next part, by such a handle; NULL: there is none. */
char *spt_mcp_pages_next(SptMcpPages *pages, const char *cursor);
void spt_mcp_pages_clear(SptMcpPages *pages);

#endif
