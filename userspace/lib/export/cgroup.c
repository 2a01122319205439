/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the path of a control group says.  Container engines write the 64 digits of a container's
 * id somewhere in a name, and kubelet the uid of a pod behind "pod", with '_' for '-' where systemd
 * makes the group.
 */
#include <string.h>

#include "export/labels.h"

#define CONTAINER_DIGITS 64
#define POD_BYTES	 36

/* The innermost name with one of these endings: a service, else a scope. */
char *spt_cgroup_unit(const char *path)
{
	static const char *const endings[] = { ".service", ".scope" };
	g_auto(GStrv) names = g_strsplit(path, "/", -1);

	for (unsigned i = 0; i < G_N_ELEMENTS(endings); i++)
		for (unsigned n = g_strv_length(names); n-- > 0;)
			if (g_str_has_suffix(names[n], endings[i]))
				return g_strdup(names[n]);
	return NULL;
}

/* The last run of exactly that number of digits. */
char *spt_cgroup_container(const char *path)
{
	const char *found = NULL;

	for (const char *at = path; *at;) {
		size_t n = strspn(at, "0123456789abcdef");

		if (n == CONTAINER_DIGITS)
			found = at;
		at += n ? n : 1;
	}
	return found ? g_strndup(found, CONTAINER_DIGITS) : NULL;
}

static bool is_uid(const char *text)
{
	for (unsigned i = 0; i < POD_BYTES; i++) {
		bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (is_dash ? text[i] != '-' && text[i] != '_' : !g_ascii_isxdigit(text[i]))
			return false;
	}
	return true;
}

char *spt_cgroup_pod(const char *path)
{
	for (const char *at = strstr(path, "pod"); at; at = strstr(at + 1, "pod"))
		if (is_uid(at + strlen("pod")))
			return g_strdelimit(g_strndup(at + strlen("pod"), POD_BYTES), "_", '-');
	return NULL;
}
