/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The importer's side. */
#include "import/questions.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "import/helper.h"

#define TEXT_MAX_BYTES (64u << 20)

/* @ret_fd: -1, or the descriptor that came with the answer. */
static bool ask_question(int socket, const struct spt_import_question *question,
		struct spt_import_answer *ret, int *ret_fd)
{
	struct iovec part = { ret, sizeof(*ret) };

	*ret_fd = -1;
	*ret = (struct spt_import_answer){ 0 };
	if (socket < 0 || send(socket, question, sizeof(*question), MSG_NOSIGNAL) !=
				  (ssize_t)sizeof(*question))
		return false;
	return spt_import_receive(socket, &part, ret_fd) == (ssize_t)sizeof(*ret) && ret->is_known;
}

static struct spt_import_question question_about(enum spt_import_subject subject,
						 const SptObjectRow *row)
{
	struct spt_import_question question = {
		.subject = subject,
		.build_id_bytes = row->build_id_bytes,
		.bytes = row->bytes,
		.mtime_ns = row->mtime_ns,
	};

	memcpy(question.build_id, row->build_id, sizeof(question.build_id));
	if (row->path)
		g_strlcpy(question.path, row->path, sizeof(question.path));
	return question;
}

void spt_import_ask_identity(int socket, SptObjectRow *row)
{
	struct spt_import_question question = question_about(SPT_IMPORT_IDENTITY, row);
	struct spt_import_answer answer = { 0 };
	int fd;

	if (!ask_question(socket, &question, &answer, &fd))
		return;
	if (fd >= 0)
		close(fd);
	row->build_id_bytes = (uint8_t)MIN(answer.build_id_bytes, sizeof(row->build_id));
	memcpy(row->build_id, answer.build_id, row->build_id_bytes);
	row->bytes = answer.bytes;
	row->mtime_ns = answer.mtime_ns;
}

/* All that can be read from @fd, with a nul behind it; NULL: it is too much. */
static char *read_fully(int fd, size_t *ret_bytes)
{
	struct stat stat;
	bool is_file = fstat(fd, &stat) == 0 && stat.st_size > 0 && stat.st_size < TEXT_MAX_BYTES;
	g_autoptr(GByteArray) text = g_byte_array_sized_new(is_file ? (guint)stat.st_size + 1 : 0);
	uint8_t buffer[1u << 16];
	ssize_t n;

	while ((n = read(fd, buffer, sizeof(buffer))) > 0) {
		if (text->len > TEXT_MAX_BYTES)
			return NULL;
		g_byte_array_append(text, buffer, (guint)n);
	}
	*ret_bytes = text->len;
	g_byte_array_append(text, (const uint8_t *)"", 1);
	return n == 0 ? (char *)g_byte_array_free(g_steal_pointer(&text), FALSE) : NULL;
}

SptUnwindTable *spt_import_ask_table(int socket, const SptObjectRow *row)
{
	struct spt_import_question question = question_about(SPT_IMPORT_TABLE, row);
	struct spt_import_answer answer = { 0 };
	g_autoptr(GBytes) table = NULL;
	size_t bytes = 0;
	char *text;
	int fd;

	if (!ask_question(socket, &question, &answer, &fd) || fd < 0)
		return NULL;
	text = read_fully(fd, &bytes);
	close(fd);
	if (!text)
		return NULL;
	table = g_bytes_new_take(text, bytes);
	return spt_unwind_table_new_from_bytes(table, NULL);
}

char *spt_import_ask_kernel(int socket, const uint8_t *build_id, unsigned bytes,
			    const char *release)
{
	SptObjectRow row = { .path = release,
			     .build_id_bytes = (uint8_t)MIN(bytes, sizeof(row.build_id)) };
	struct spt_import_question question;
	struct spt_import_answer answer = { 0 };
	size_t read_bytes;
	char *text;
	int fd;

	if (build_id)
		memcpy(row.build_id, build_id, row.build_id_bytes);
	question = question_about(SPT_IMPORT_KERNEL, &row);
	if (!ask_question(socket, &question, &answer, &fd) || fd < 0)
		return NULL;
	text = read_fully(fd, &read_bytes);
	close(fd);
	return text;
}
