/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The helper's end: it gets the file's descriptor, reads what is requested, requests other files
 * that belong to it, and is ended by the kernel if it takes too much.
 */
#include "symbols/helpers.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/words.h"
#include "scripts/interpreter.h"
#include "scripts/trace-context.h"
#include "symbols/confine.h"
#include "symbols/dwarf/debug-file.h"
#include "symbols/dwarf/elf-parts.h"
#include "symbols/identity.h"
#include "symbols/kernel-answer.h"
#include "symbols/places.h"
#include "symbols/helpers-private.h"

/* Limit for one file: some ten times the needs of the largest. */
#define CPU_MAX_S 60
#define KEPT_MAX  32

struct question {
	struct spt_helper_request head;
	char *path;
	GPtrArray *dirs; /* NULL: the usual ones */
	char *dirs_text;
	uint64_t *offsets;
	uint8_t *names; /* NULL: it is no kernel */
	char *fetched;	/* path of a debug file; NULL: none was */
	int fd;
};

/* The symbols and functions of a file, for the next request about it. */
struct kept {
	struct stat file;
	SptSymtab *symtab;
	SptFunctions *functions;
};

static bool helper_serve_receive(int socket, void *to, size_t bytes)
{
	for (size_t at = 0; at < bytes;) {
		ssize_t n = recv(socket, (char *)to + at, bytes - at, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
	}
	return true;
}

/* The first byte comes with the descriptor; @ret_fd stays as it is if there is none. */
static bool receive_with_fd(int socket, void *to, size_t bytes, int *ret_fd)
{
	char room[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8)));
	struct iovec part = { to, bytes };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = room,
				  .msg_controllen = sizeof(room) };
	const struct cmsghdr *control;
	ssize_t n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);

	control = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	if (control && control->cmsg_type == SCM_RIGHTS)
		memcpy(ret_fd, CMSG_DATA(control), sizeof(int));
	return n > 0 && helper_serve_receive(socket, (char *)to + n, bytes - (size_t)n);
}

static bool receive_question(int socket, struct question *question)
{
	const struct spt_helper_request *head = &question->head;

	if (!receive_with_fd(socket, &question->head, sizeof(question->head), &question->fd))
		return false;
	if (question->fd < 0 || head->path_bytes > SPT_HELPER_TEXT_MAX_BYTES ||
	    head->dirs_bytes > SPT_HELPER_TEXT_MAX_BYTES || head->n_offsets > SPT_PLACES_MAX ||
	    head->names_bytes > SPT_HELPER_NAMES_MAX_BYTES)
		return false;
	question->path = g_malloc0(head->path_bytes + 1);
	question->dirs_text = g_malloc0(head->dirs_bytes + 1);
	question->offsets = g_new(uint64_t, MAX(head->n_offsets, 1));
	question->names = head->names_bytes ? g_malloc(head->names_bytes) : NULL;
	if (!helper_serve_receive(socket, question->path, head->path_bytes) ||
	    !helper_serve_receive(socket, question->dirs_text, head->dirs_bytes) ||
	    !helper_serve_receive(socket, question->offsets, head->n_offsets * sizeof(uint64_t)) ||
	    !helper_serve_receive(socket, question->names, head->names_bytes))
		return false;
	if (head->dirs_bytes) {
		question->dirs = g_ptr_array_new();
		for (uint32_t at = 0; at < head->dirs_bytes;
		     at += strlen(question->dirs_text + at) + 1)
			g_ptr_array_add(question->dirs, question->dirs_text + at);
		g_ptr_array_add(question->dirs, NULL);
	}
	return true;
}

static void clear_question(struct question *question)
{
	if (question->fd >= 0)
		close(question->fd);
	g_clear_pointer(&question->dirs, g_ptr_array_unref);
	g_free(question->path);
	g_free(question->dirs_text);
	g_free(question->offsets);
	g_free(question->names);
	g_free(question->fetched);
}

static const char *reader_serve_problem_of(const struct spt_helper_request *head,
					   const SptObject *image)
{
	SptObjectRow row = { .bytes = head->file_bytes,
			     .mtime_ns = head->mtime_ns,
			     .build_id_bytes = (uint8_t)MIN(head->build_id_bytes, UINT8_MAX) };

	memcpy(row.build_id, head->build_id, sizeof(row.build_id));
	return head->has_row ? spt_identity_problem(&row, image) : NULL;
}

/* Requests of this process for work that it cannot do itself. */
static int asked = -1;

static bool helper_serve_call(uint32_t magic, const void *data, size_t bytes,
			      struct spt_helper_reply *ret, int *ret_fd)
{
	const struct spt_helper_call head = { .magic = magic, .bytes = bytes };

	G_STATIC_ASSERT(sizeof(head) == SPT_PLACE_TABLE_HEAD_BYTES);
	return spt_helper_send(asked, &head, sizeof(head)) && spt_helper_send(asked, data, bytes) &&
	       receive_with_fd(asked, ret, sizeof(*ret), ret_fd);
}

/* An SptObjectOpen. */
static int ask_to_open(const char *path)
{
	struct spt_helper_reply reply = { 0 };
	size_t bytes = strlen(path);
	int fd = -1;

	if (bytes == 0 || bytes > SPT_HELPER_TEXT_MAX_BYTES ||
	    !helper_serve_call(SPT_HELPER_OPEN, path, bytes, &reply, &fd)) {
		errno = EACCES;
		return -1;
	}
	errno = reply.problem;
	return fd;
}

/* Requests the path of a debug file, which may be opened now; NULL: there is none. */
static char *ask_to_fetch(const uint8_t *build_id, size_t bytes)
{
	struct spt_helper_reply reply = { 0 };
	char *path;
	int fd = -1;

	if (!helper_serve_call(SPT_HELPER_FETCH, build_id, bytes, &reply, &fd) || reply.problem ||
	    reply.path_bytes > SPT_HELPER_TEXT_MAX_BYTES)
		return NULL;
	path = g_malloc0(reply.path_bytes + 1);
	if (!helper_serve_receive(asked, path, reply.path_bytes))
		g_clear_pointer(&path, g_free);
	return path;
}

/* Beside the directories, for a file that has no debug information here. */
static void fetch_debug_file(struct question *question, const SptObject *image)
{
	const char *const *dirs =
		question->dirs ? (const char *const *)question->dirs->pdata : NULL;
	g_autoptr(SptObject) found =
		spt_elf_has_debug_info(image) ? NULL : spt_debug_file_open(image, dirs);
	unsigned n;
	const uint8_t *id = spt_object_build_id(image, &n);

	if (!id || found || spt_elf_has_debug_info(image))
		return;
	question->fetched = ask_to_fetch(id, n);
	if (!question->fetched)
		return;
	/* There is no other one here. */
	if (!question->dirs)
		question->dirs = g_ptr_array_new();
	g_ptr_array_set_size(question->dirs, 0);
	g_ptr_array_add(question->dirs, question->fetched);
	g_ptr_array_add(question->dirs, NULL);
}

static GByteArray *answer_of_kernel(struct question *question)
{
	const struct spt_helper_request *head = &question->head;
	int fd = question->fd;

	question->fd = -1;
	return spt_kernel_answer(fd, question->path, question->names, head->names_bytes,
				 question->offsets, head->n_offsets);
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* NULL: it is not kept. */
static struct kept *reader_serve_find_kept(struct kept kept[KEPT_MAX], const struct stat *file)
{
	for (unsigned i = 0; i < KEPT_MAX; i++)
		if (kept[i].symtab && is_same_file(&kept[i].file, file))
			return &kept[i];
	return NULL;
}

static void clear_kept(struct kept *kept)
{
	spt_symtab_free(kept->symtab);
	spt_functions_free(kept->functions);
}

/* Replaces the one that was read the longest time ago. */
static struct kept *helper_serve_keep(struct kept kept[KEPT_MAX], const struct stat *file,
				      SptSymtab *symtab)
{
	clear_kept(&kept[KEPT_MAX - 1]);
	memmove(&kept[1], &kept[0], (KEPT_MAX - 1) * sizeof(*kept));
	kept[0] = (struct kept){ *file, symtab, spt_functions_new() };
	return &kept[0];
}

static GByteArray *answer_and_keep(struct question *question, struct kept all[KEPT_MAX])
{
	const struct spt_helper_request *head = &question->head;
	g_autoptr(GError) error = NULL;
	g_autoptr(SptObject) image = NULL;
	struct kept *kept;
	struct stat file;

	if (fstat(question->fd, &file) != 0)
		return spt_place_table_write_problem(SPT_WORDS("cannot be looked at"),
						     head->n_offsets);
	image = spt_object_open_fd(question->fd, question->path, &error);
	question->fd = -1;
	if (!image)
		return spt_place_table_write_problem(error->message, head->n_offsets);
	kept = reader_serve_find_kept(all, &file);
	if (!kept)
		kept = helper_serve_keep(
			all, &file,
			spt_symtab_new(image, question->dirs ?
						      (const char *const *)question->dirs->pdata :
						      NULL));
	return spt_place_table_write_symbols(kept->symtab, kept->functions, image,
					     question->offsets, head->n_offsets);
}

static GByteArray *answer_block(const void *data, size_t bytes, bool has_debug)
{
	struct spt_helpers_unwind head = { .magic = SPT_HELPER_UNWIND,
					   .has_debug = has_debug,
					   .bytes = bytes };
	GByteArray *answer = g_byte_array_sized_new(sizeof(head) + bytes);

	g_byte_array_append(answer, (const uint8_t *)&head, sizeof(head));
	return g_byte_array_append(answer, data, bytes);
}

/* Of an interpreter, or of what says what threads are at work for, wherever these are. */
static GBytes *describe_chain(const SptObject *image, const char *path, GError **error)
{
	const SptInterpreter *interpreter = spt_interpreter_of_path(path);
	GBytes *chain = interpreter ? NULL : spt_thread_context_describe(image);

	if (chain)
		return chain;
	if (!interpreter)
		interpreter = spt_interpreter_in_file(image);
	return interpreter ? interpreter->describe(image, error) : NULL;
}

static GByteArray *answer_chain(struct question *question)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(SptObject) image = spt_object_open_fd(question->fd, question->path, &error);
	g_autoptr(GBytes) chain = image ? describe_chain(image, question->path, &error) : NULL;

	question->fd = -1;
	if (chain)
		return answer_block(g_bytes_get_data(chain, NULL), g_bytes_get_size(chain), false);
	if (!error)
		return answer_block(NULL, 0, false);
	return spt_place_table_write_problem(error->message, 0);
}

static GByteArray *answer_unwind(struct question *question)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(SptObject) image = spt_object_open_fd(question->fd, question->path, &error);
	g_autoptr(SptObject) debug =
		image ? spt_debug_file_open(image,
					    question->dirs ?
						    (const char *const *)question->dirs->pdata :
						    NULL) :
			NULL;
	g_autoptr(SptUnwindTable) table =
		image ? spt_unwind_table_new_with_debug(image, debug, &error) : NULL;
	GBytes *bytes;

	question->fd = -1;
	if (!table)
		return spt_place_table_write_problem(error->message, 0);
	bytes = spt_unwind_table_bytes(table);
	return answer_block(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes), debug != NULL);
}

static GByteArray *answer_places(struct question *question)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(SptObject) image = spt_object_open_fd(question->fd, question->path, &error);
	g_autofree char *query =
		g_strndup((const char *)question->names, question->head.names_bytes);
	g_autoptr(GByteArray) text = NULL;

	question->fd = -1;
	if (!image)
		return spt_place_table_write_problem(error->message, 0);
	text = spt_places_answer(image,
				 question->dirs ? (const char *const *)question->dirs->pdata : NULL,
				 query);
	return answer_block(text->data, text->len, false);
}

static GByteArray *answer(struct question *question)
{
	const struct spt_helper_request *head = &question->head;
	g_autoptr(GError) error = NULL;
	g_autoptr(SptObject) image = spt_object_open_fd(question->fd, question->path, &error);
	const char *problem = image ? reader_serve_problem_of(head, image) : error->message;

	question->fd = -1;
	if (problem)
		return spt_place_table_write_problem(problem, head->n_offsets);
	if (head->download)
		fetch_debug_file(question, image);
	return spt_place_table_write(g_steal_pointer(&image),
				     question->dirs ? (const char *const *)question->dirs->pdata :
						      NULL,
				     question->offsets, head->n_offsets, head->depth);
}

/* The limit is for all of a process's time; each file has a part of it. */
static void limit_time(void)
{
	struct rlimit limit;
	struct rusage usage;

	if (getrlimit(RLIMIT_CPU, &limit) < 0 || getrusage(RUSAGE_SELF, &usage) < 0)
		return;
	limit.rlim_cur = MIN(limit.rlim_max,
			     (rlim_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + CPU_MAX_S);
	setrlimit(RLIMIT_CPU, &limit);
}

void spt_helper_serve(int socket)
{
	struct kept kept[KEPT_MAX] = { 0 };
	bool is_open = true;

	spt_heap_in_large_pages();
	spt_confine(socket);
	asked = socket;
	spt_object_set_open(ask_to_open);
	while (is_open) {
		struct question question = { .fd = -1 };

		limit_time();
		is_open = receive_question(socket, &question);
		if (is_open) {
			g_autoptr(GByteArray) table =
				question.head.block == SPT_HELPER_PLACES ?
					answer_places(&question) :
				question.names ? answer_of_kernel(&question) :
				question.head.block == SPT_HELPER_UNWIND_TABLE ?
						 answer_unwind(&question) :
				question.head.block == SPT_HELPER_CHAIN ? answer_chain(&question) :
				question.head.keep ? answer_and_keep(&question, kept) :
						     answer(&question);

			is_open = spt_helper_send(socket, table->data, table->len);
		}
		clear_question(&question);
	}
	for (unsigned i = 0; i < KEPT_MAX; i++)
		clear_kept(&kept[i]);
}
