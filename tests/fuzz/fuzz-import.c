/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of other programs, changed at random: fuzz-import [--rounds N] FILE....  Each is refused or
 * becomes a capture, and no importer reads beyond what there is.
 */
#include "import/import.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mutate.h"

#define ROW(name) &spt_import_##name,
static const SptImporter *const importers[] = { SPT_IMPORTERS(ROW) };

static void import_file(const SptImporter *importer, int fd)
{
	int to = open("/dev/null", O_WRONLY);
	g_autoptr(GError) error = NULL;
	g_autoptr(SptCaptureWriter) writer = spt_capture_writer_new_stream(to, "/dev/null", &error);

	g_assert_no_error(error);
	lseek(fd, 0, SEEK_SET);
	if (!importer->read(&(SptImportInput){ fd, -1 }, writer, &error)) {
		g_assert_nonnull(error);
		g_assert_cmpuint(strlen(error->message), <, 200);
	}
}

/* By the importer that takes it for its own; what is nobody's, by all. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	int fd = memfd_create("fuzz-import", MFD_CLOEXEC);
	const SptImporter *found;

	g_assert_cmpint(write(fd, data, bytes), ==, (ssize_t)bytes);
	found = spt_import_find(fd);
	for (unsigned i = 0; i < G_N_ELEMENTS(importers); i++)
		if (!found || found == importers[i])
			import_file(importers[i], fd);
	close(fd);
	return 0;
}

#ifndef SPT_LIBFUZZER

int main(int argc, char **argv)
{
	return mutate_main(argc, argv, "fuzz-import", mutate_bytes);
}

#endif
