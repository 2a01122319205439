/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The side that may open files.  Their contents are read by a helper of their own. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "import/import.h"
#include "import/kernel-symbols.h"
#include "import/questions.h"
#include "record/table-cache.h"
#include "record/tables.h"
#include "symbols/identity.h"
#include "symbols/helpers-private.h"
#include "symbols/helpers.h"

/* For a file whose table is made. */
#define PATIENCE_MS 20000

struct SptImportAnswers {
	int socket;
	struct stat file;		/* the imported one */
	SptHelpers *helpers;		/* NULL: nothing was read yet */
	SptTableCache *cache;		/* NULL: there is none, or nothing was read yet */
	unsigned n;
};

SptImportAnswers *spt_import_answers_new(int socket, int file)
{
	SptImportAnswers *answers = g_new0(SptImportAnswers, 1);

	answers->socket = socket;
	if (fstat(file, &answers->file) < 0)
		memset(&answers->file, 0, sizeof(answers->file));
	return answers;
}

void spt_import_answers_free(SptImportAnswers *answers)
{
	if (!answers)
		return;
	spt_helpers_free(answers->helpers);
	spt_table_cache_free(answers->cache);
	g_free(answers);
}

static uint64_t mtime_ns(const struct stat *stat)
{
	return (uint64_t)stat->st_mtim.tv_sec * 1000000000 + (uint64_t)stat->st_mtim.tv_nsec;
}

/* A file that was changed since is not the one that was recorded. */
static void answer_identity(const SptImportAnswers *answers,
			    const struct spt_import_question *question,
			    struct spt_import_answer *answer)
{
	g_autoptr(SptObject) file = spt_object_open(question->path, NULL);
	const uint8_t *build_id;
	struct stat stat;
	unsigned bytes;

	if (!file || fstat(spt_object_fd(file), &stat) < 0 ||
	    mtime_ns(&stat) > mtime_ns(&answers->file))
		return;
	build_id = spt_object_build_id(file, &bytes);
	answer->build_id_bytes = MIN(bytes, sizeof(answer->build_id));
	if (build_id)
		memcpy(answer->build_id, build_id, answer->build_id_bytes);
	answer->bytes = (uint64_t)stat.st_size;
	answer->mtime_ns = mtime_ns(&stat);
	answer->is_known = true;
}

static int memory_of(GBytes *bytes)
{
	int fd = memfd_create("sysprof-table", MFD_CLOEXEC);
	gsize n;
	const uint8_t *at = g_bytes_get_data(bytes, &n);

	if (fd >= 0 && (write(fd, at, n) != (ssize_t)n || lseek(fd, 0, SEEK_SET) != 0)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* A descriptor of the table, or -1. */
static int answer_table(SptImportAnswers *answers, const struct spt_import_question *question)
{
	SptObjectRow row = { .build_id_bytes = (uint8_t)MIN(question->build_id_bytes,
							    sizeof(row.build_id)),
			     .bytes = question->bytes,
			     .mtime_ns = question->mtime_ns };
	g_autoptr(SptObject) file = spt_object_open(question->path, NULL);
	g_autoptr(SptUnwindTable) table = NULL;

	memcpy(row.build_id, question->build_id, sizeof(row.build_id));
	if (!file || spt_identity_problem(&row, file))
		return -1;
	if (!answers->helpers) {
		answers->helpers = spt_helpers_new(NULL, 1, PATIENCE_MS, NULL);
		answers->cache = spt_table_cache_of_user();
	}
	table = spt_tables_have(answers->cache, answers->helpers, file, NULL);
	return table ? memory_of(spt_unwind_table_bytes(table)) : -1;
}

static bool runs_build(const uint8_t *build_id, unsigned build_id_bytes)
{
	g_autofree char *notes = NULL;
	uint8_t id[SPT_BUILD_ID_MAX];
	size_t bytes = 0;
	unsigned n;

	if (!g_file_get_contents("/sys/kernel/notes", &notes, &bytes, NULL))
		return false;
	n = spt_notes_build_id(notes, bytes, id);
	return n > 0 && n == build_id_bytes && memcmp(id, build_id, n) == 0;
}

static bool runs_release(const char *release)
{
	struct utsname name;

	return uname(&name) == 0 && strcmp(name.release, release) == 0;
}

/* A descriptor of the kernel's symbols, or -1. */
static int answer_kernel(const struct spt_import_question *question)
{
	bool is_it = question->build_id_bytes ?
			     runs_build(question->build_id, question->build_id_bytes) :
			     runs_release(question->path);

	return is_it ? spt_import_kernel_symbols() : -1;
}

bool spt_import_answers_next(SptImportAnswers *answers)
{
	struct spt_import_question question;
	struct spt_import_answer answer = { 0 };
	ssize_t n = recv(answers->socket, &question, sizeof(question), 0);
	int fd = -1;

	if (n != (ssize_t)sizeof(question) || ++answers->n > SPT_IMPORT_QUESTIONS)
		return false;
	question.path[sizeof(question.path) - 1] = '\0';
	if (question.subject == SPT_IMPORT_IDENTITY && *question.path == '/')
		answer_identity(answers, &question, &answer);
	else if (question.subject == SPT_IMPORT_TABLE && *question.path == '/')
		fd = answer_table(answers, &question);
	else if (question.subject == SPT_IMPORT_KERNEL)
		fd = answer_kernel(&question);
	answer.is_known |= fd >= 0;
	n = spt_send_descriptor(answers->socket, &answer, sizeof(answer), fd, 0);
	if (fd >= 0)
		close(fd);
	return n == (ssize_t)sizeof(answer);
}
