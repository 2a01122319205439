/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The client is loaded when there is something to fetch: it needs libraries for the web, and
 * loading them takes longer than reading most files.
 */
#include "debuginfod.h"

#include <dlfcn.h>
#include <elfutils/debuginfod.h>
#include <stdlib.h>
#include <unistd.h>

static struct {
	__typeof__(debuginfod_begin) *begin;
	__typeof__(debuginfod_end) *end;
	__typeof__(debuginfod_set_progressfn) *set_progressfn;
	__typeof__(debuginfod_set_user_data) *set_user_data;
	__typeof__(debuginfod_get_user_data) *get_user_data;
	__typeof__(debuginfod_find_debuginfo) *find_debuginfo;
} client_of;

struct fetch {
	SptHelperGoesOn goes_on;
	void *data;
};

static bool debuginfod_load(void)
{
	static void *library;
	const struct {
		const char *name;
		void *at;
	} functions[] = {
		{ "debuginfod_begin", &client_of.begin },
		{ "debuginfod_end", &client_of.end },
		{ "debuginfod_set_progressfn", &client_of.set_progressfn },
		{ "debuginfod_set_user_data", &client_of.set_user_data },
		{ "debuginfod_get_user_data", &client_of.get_user_data },
		{ "debuginfod_find_debuginfo", &client_of.find_debuginfo },
	};

	if (library)
		return true;
	library = dlopen(DEBUGINFOD_SONAME, RTLD_LAZY);
	for (unsigned i = 0; library && i < G_N_ELEMENTS(functions); i++) {
		*(void **)functions[i].at = dlsym(library, functions[i].name);
		if (!*(void **)functions[i].at)
			g_clear_pointer(&library, dlclose);
	}
	return library;
}

static int debuginfod_tell(debuginfod_client *client, long done, long total)
{
	const struct fetch *fetch = client_of.get_user_data(client);

	return !fetch->goes_on(MAX(done, 0), MAX(total, 0), fetch->data);
}

char *spt_debuginfod_fetch(const uint8_t *build_id, unsigned bytes, SptHelperGoesOn goes_on,
			   void *data)
{
	struct fetch fetch = { goes_on, data };
	debuginfod_client *client = debuginfod_load() ? client_of.begin() : NULL;
	char *path = NULL, *copy;
	int fd;

	if (!client)
		return NULL;
	client_of.set_user_data(client, &fetch);
	client_of.set_progressfn(client, debuginfod_tell);
	fd = client_of.find_debuginfo(client, build_id, (int)bytes, &path);
	client_of.end(client);
	if (fd < 0)
		return NULL;
	close(fd);
	copy = g_strdup(path);
	free(path);
	return copy;
}
