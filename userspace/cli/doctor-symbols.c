/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks need frame pointers and names need symbols: checks whether this system's libraries have
 * them.
 */
#include "doctor.h"
#include "report-filter.h"
#include "symbols/confine.h"
#include "symbols/helpers.h"

#include <string.h>

/*
 * Code with frame pointers has one such function entry in some hundred bytes; code without has one
 * in tens of thousands.
 */
#define BYTES_PER_FRAME 4096

static size_t count_frames(const char *data, size_t bytes)
{
	static const char push_move[] = "\x55\x48\x89\xe5";	/* push %rbp; mov %rsp,%rbp */
	const char *end = data + bytes, *at;
	size_t n = 0;

	while ((at = memmem(data, (size_t)(end - data), push_move, sizeof(push_move) - 1))) {
		n++;
		data = at + sizeof(push_move) - 1;
	}
	return n;
}

/* On x86 a distribution decides; elsewhere they belong to the calling convention. */
static void check_frame_pointers(void)
{
#ifdef __x86_64__
	static const char *const libraries[] = { "/lib/x86_64-linux-gnu/libc.so.6",
						 "/lib64/libc.so.6", "/usr/lib/libc.so.6" };

	for (unsigned i = 0; i < G_N_ELEMENTS(libraries); i++) {
		g_autoptr(GMappedFile) file = g_mapped_file_new(libraries[i], FALSE, NULL);

		if (!file)
			continue;
		if (count_frames(g_mapped_file_get_contents(file),
				 g_mapped_file_get_length(file)) >=
		    g_mapped_file_get_length(file) / BYTES_PER_FRAME)
			spt_doctor_tell(
				SPT_FINDING_OK, NULL,
				"This system's libraries are built with frame pointers: stacks are whole.");
		else
			spt_doctor_tell(
				SPT_FINDING_OK, NULL,
				"This system's libraries (%s) are built without frame pointers; record follows their stacks by "
				"unwind information (--stacks auto).",
				libraries[i]);
		return;
	}
#endif
}

static void check_debug_info(void)
{
	g_autoptr(GDir) dir = g_dir_open("/usr/lib/debug/.build-id", 0, NULL);

	if (dir && g_dir_read_name(dir))
		spt_doctor_tell(SPT_FINDING_OK, NULL,
				"Debug packages are read from /usr/lib/debug.");
	else
		spt_doctor_tell(
			SPT_FINDING_NOTE,
			"install debug packages, such as libc6-dbg on Debian; on Fedora: sudo dnf debuginfo-install PACKAGE",
			"There is no debug information in /usr/lib/debug: functions of stripped programs are shown as offsets.");
}

static void check_debuginfod(void)
{
	const char *servers = g_getenv("DEBUGINFOD_URLS"), *remedy,
		   *lacks = spt_cli_lacks_debuginfod(&remedy);

	if (lacks)
		spt_doctor_tell(SPT_FINDING_NOTE, remedy,
				"Debug information is not fetched from servers: %s.", lacks);
	else if (servers && *servers)
		spt_doctor_tell(SPT_FINDING_OK, NULL,
				"debuginfod is on: \"" SPT_CLI
				" report --debuginfod\" fetches from %s.",
				servers);
	else
		spt_doctor_tell(
			SPT_FINDING_NOTE,
			"export DEBUGINFOD_URLS=https://debuginfod.elfutils.org/; then " SPT_CLI
			" report --debuginfod FILE",
			"debuginfod is off: debug information that is not installed is not fetched.");
}

/*
 * The process that reads files, which may be hostile: what an attacker could do who took it over.
 */
static void check_reader(void)
{
	g_autoptr(GString) held = g_string_new(NULL), lacks = g_string_new(NULL);
	unsigned protections;

	if (!spt_helper_protections(&protections)) {
		spt_doctor_tell(SPT_FINDING_NOTE,
				"install " SPT_CLI " again, with all of its files",
				SPT_HELPER ", which reads files for names, cannot be run.");
		return;
	}
	for (unsigned bit = 1; bit & SPT_CONFINE_ALL; bit <<= 1) {
		GString *list = protections & bit ? held : lacks;

		g_string_append_printf(list, "%s%s", list->len ? ", " : "",
				       spt_confine_name(bit));
	}
	spt_doctor_tell(SPT_FINDING_OK, NULL, SPT_HELPER ", which reads files, is confined by: %s.",
			held->len ? held->str : "nothing");
	if (lacks->len)
		spt_doctor_tell(
			SPT_FINDING_NOTE,
			"allow user namespaces (sysctl user.max_user_namespaces), and Landlock"
			" (kernel parameter lsm=landlock,...), if you can",
			"It is not confined here by: %s.", lacks->str);
}

void spt_doctor_check_names(void)
{
	check_reader();
	check_frame_pointers();
	check_debug_info();
	check_debuginfod();
}
