/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The confined side: finds the format and reads the file.  Its standard error is for a clause. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/words.h"
#include "import/helper.h"
#include "import/json-file.h"
#include "import/lines.h"
#include "import/unpack.h"
#include "symbols/confine.h"

G_DEFINE_QUARK(spt-import-error-quark, spt_import_error)

bool spt_import_refuse(GError **error, const char *clause)
{
	g_set_error_literal(error, SPT_IMPORT_ERROR, SPT_IMPORT_ERROR_REFUSED, spt_words(clause));
	return false;
}

#define ROW(name) &spt_import_##name,
static const SptImporter *const importers[] = { SPT_IMPORTERS(ROW) };

ssize_t spt_import_receive(int socket, struct iovec *part, int *ret_fd)
{
	char control[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8)));
	struct msghdr message = { .msg_iov = part,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	const struct cmsghdr *head;
	ssize_t n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);

	*ret_fd = -1;
	head = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	if (head && head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(ret_fd, CMSG_DATA(head), sizeof(*ret_fd));
	return n;
}

/* The file's descriptor, or -1. */
static int receive_import_file(int socket)
{
	char byte;
	int fd;

	return spt_import_receive(socket, &(struct iovec){ &byte, 1 }, &fd) == 1 ? fd : -1;
}

static const SptImporter *find_importer(const char *begin, size_t bytes, bool is_packed)
{
	size_t at = spt_import_text_begin(begin, bytes);

	for (unsigned i = 0; bytes > at && i < G_N_ELEMENTS(importers); i++)
		if ((!is_packed || importers[i]->unpacks) &&
		    importers[i]->probe(begin + at, bytes - at))
			return importers[i];
	return NULL;
}

const SptImporter *spt_import_find(int fd)
{
	char begin[SPT_IMPORT_PROBE_BYTES];
	bool is_packed;
	size_t bytes = spt_import_unpack_begin(fd, begin, sizeof(begin), &is_packed);
	size_t at = spt_import_text_begin(begin, bytes);
	const SptImporter *found = find_importer(begin, bytes, is_packed);
	g_autoptr(GByteArray) whole = NULL;

	/* What JSON's formats differ in may be anywhere in the file. */
	if (!found && bytes == sizeof(begin) && spt_import_json_is(begin + at, bytes - at))
		whole = spt_import_unpack(fd, SPT_IMPORT_JSON_BYTES, NULL);
	return whole ? find_importer((const char *)whole->data, whole->len, is_packed) : found;
}

static bool import_into(int socket, GError **error)
{
	int fd = receive_import_file(socket);
	const SptImporter *importer = fd >= 0 ? spt_import_find(fd) : NULL;
	g_autoptr(SptCaptureWriter) writer = NULL;

	if (!importer) {
		g_set_error_literal(error, SPT_IMPORT_ERROR, SPT_IMPORT_ERROR_FORMAT, "unknown");
		return false;
	}
	writer = spt_capture_writer_new_stream(socket, "the socket", error);
	return writer &&
	       importer->read(&(SptImportInput){ fd, STDOUT_FILENO }, writer, error);
}

bool spt_import_run(int socket, int argc, char **argv, int *ret_status)
{
	g_autoptr(GError) error = NULL;

	if (argc != 2 || strcmp(argv[1], SPT_IMPORT_OPTION) != 0)
		return false;
	spt_confine(socket);
	*ret_status = SPT_IMPORT_DONE;
	if (import_into(socket, &error))
		return true;
	*ret_status = error->code == SPT_IMPORT_ERROR_FORMAT && error->domain == SPT_IMPORT_ERROR ?
			      SPT_IMPORT_UNKNOWN :
			      SPT_IMPORT_REFUSED;
	if (write(STDERR_FILENO, error->message, strlen(error->message)) < 0)
		return true;
	return true;
}
