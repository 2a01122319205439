/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks need frame pointers, names need symbols: whether this system's libraries have them. */
#include "doctor.h"

#include <dlfcn.h>
#include <string.h>

/* Code with frame pointers has one such beginning of a function in some hundred bytes; without, in tens of thousands. */
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
	g_autoptr(GMappedFile) file = NULL;
	const void *in_libc = dlsym(RTLD_DEFAULT, "qsort");
	Dl_info info;

	if (!in_libc || !dladdr(in_libc, &info) || !info.dli_fname)
		return;
	file = g_mapped_file_new(info.dli_fname, FALSE, NULL);
	if (!file)
		return;
	if (count_frames(g_mapped_file_get_contents(file), g_mapped_file_get_length(file)) >=
	    g_mapped_file_get_length(file) / BYTES_PER_FRAME)
		spt_doctor_tell(SPT_FINDING_OK, NULL, "This system's libraries are built with frame pointers: stacks are whole.");
	else
		spt_doctor_tell(SPT_FINDING_NOTE, "build your own with: gcc -fno-omit-frame-pointer",
				"This system's libraries (%s) are built without frame pointers: callers of their functions may be missing.",
				info.dli_fname);
#endif
}

static void check_debug_info(void)
{
	g_autoptr(GDir) dir = g_dir_open("/usr/lib/debug/.build-id", 0, NULL);

	if (dir && g_dir_read_name(dir))
		spt_doctor_tell(SPT_FINDING_OK, NULL, "Debug packages are read from /usr/lib/debug.");
	else
		spt_doctor_tell(SPT_FINDING_NOTE, "install debug packages, such as libc6-dbg on Debian; on Fedora: sudo dnf debuginfo-install PACKAGE",
				"There is no debug information in /usr/lib/debug: functions of stripped programs are shown as offsets.");
}

void spt_doctor_check_names(void)
{
	check_frame_pointers();
	check_debug_info();
}
