/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debuginfod.h"

#include <elfutils/debuginfod.h>
#include <stdlib.h>
#include <unistd.h>

struct fetch {
	SptReaderGoesOn goes_on;
	void *data;
};

static int tell(debuginfod_client *client, long done, long total)
{
	const struct fetch *fetch = debuginfod_get_user_data(client);

	return !fetch->goes_on(MAX(done, 0), MAX(total, 0), fetch->data);
}

char *spt_debuginfod_fetch(const uint8_t *build_id, unsigned bytes, SptReaderGoesOn goes_on, void *data)
{
	struct fetch fetch = { goes_on, data };
	debuginfod_client *client = debuginfod_begin();
	char *path = NULL, *copy;
	int fd;

	if (!client)
		return NULL;
	debuginfod_set_user_data(client, &fetch);
	debuginfod_set_progressfn(client, tell);
	fd = debuginfod_find_debuginfo(client, build_id, (int)bytes, &path);
	debuginfod_end(client);
	if (fd < 0)
		return NULL;
	close(fd);
	copy = g_strdup(path);
	free(path);
	return copy;
}
