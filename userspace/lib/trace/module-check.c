/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/module-check.h"

#include <grp.h>
#include <pwd.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/words.h"
#include "sysprof.h"
#include "trace/trace.h"

#define MODULE_FILE	 "sysprof.ko"
#define DKMS_CERTIFICATE "/var/lib/dkms/mok.pub"
#define IMAGE_LOADER	 "/usr/libexec/sysprof-load"
#define FIRMWARE	 "/sys/firmware/efi/efivars/"

struct teller {
	SptFoundFunc func;
	void *data;
};

static void G_GNUC_PRINTF(4, 5) module_found(const struct teller *to, SptFinding finding,
					     const char *fix, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	to->func(finding, fix, text, to->data);
}

static bool module_check_has_bytes(const char *data, size_t n, const char *what, size_t n_what)
{
	return n_what > 0 && memmem(data, n, what, n_what);
}

static bool is_loaded(void)
{
	return g_file_test("/sys/module/sysprof", G_FILE_TEST_IS_DIR);
}

/*
 * In a merged image (make sysext), which depmod does not know; a program of the image loads it by
 * its path.
 */
static char *find_in_image(const char *release, const char *file)
{
	g_autofree char *path = g_strdup_printf("/usr/lib/modules/%s/updates/%s", release, file);

	return g_file_test(IMAGE_LOADER, G_FILE_TEST_IS_EXECUTABLE) &&
			       g_file_test(path, G_FILE_TEST_EXISTS) ?
		       g_steal_pointer(&path) :
		       NULL;
}

char *spt_module_find(const char *release, const char *file)
{
	g_autofree char *path = g_strdup_printf("/lib/modules/%s/modules.dep", release);
	g_autofree char *needle = g_strconcat("/", file, NULL), *text = NULL;
	g_auto(GStrv) lines = NULL;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return find_in_image(release, file);
	lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line; line++) {
		char *colon = strchr(*line, ':');

		if (!colon || !g_strrstr_len(*line, colon - *line, needle))
			continue;
		*colon = '\0';
		return (*line)[0] == '/' ? g_strdup(*line) :
					   g_strdup_printf("/lib/modules/%s/%s", release, *line);
	}
	return find_in_image(release, file);
}

/* Whether a package of that name can be installed; what is advised has to work. */
static bool apt_has(const char *package)
{
	const char *const argv[] = { "apt-cache", "show", "--no-all-versions", package, NULL };
	int status = -1;

	return g_spawn_sync(NULL, (char **)argv, NULL,
			    G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL |
				    G_SPAWN_STDERR_TO_DEV_NULL,
			    NULL, NULL, NULL, NULL, &status, NULL) &&
	       status == 0;
}

/* How to get the headers of kernel @release; the caller frees it. */
static char *advise_headers(const char *release)
{
	g_autofree char *apt = g_find_program_in_path("apt-cache"),
			*package = g_strconcat("linux-headers-", release, NULL);

	if (!apt)
		return g_strdup_printf(
			spt_words("install the headers of that kernel: on Fedora, sudo dnf install kernel-devel-%s"),
			release);
	if (apt_has(package))
		return g_strdup_printf("sudo apt-get install %s", package);
	return g_strdup_printf(
		spt_words("boot a kernel of the distribution, or bring the headers of this one (apt has no %s)"),
		package);
}

/* The tool that can build it here: DKMS, once the headers are installed; else the sources. */
static void tell_not_built(const struct teller *to, const char *release)
{
	g_autofree char *headers = g_strdup_printf("/lib/modules/%s/build/Makefile", release);
	g_autofree char *fix = NULL;

	if (!g_file_test(headers, G_FILE_TEST_EXISTS)) {
		fix = advise_headers(release);
		module_found(
			to, SPT_FINDING_MISSING, fix,
			"The headers of kernel %s are not here, and the module is not built for it.",
			release);
	} else if (g_file_test("/usr/src/sysprof-" SPT_VERSION "/dkms.conf", G_FILE_TEST_EXISTS)) {
		fix = g_strdup_printf("sudo dkms install sysprof/" SPT_VERSION " -k %s", release);
		module_found(to, SPT_FINDING_MISSING, fix, "The module is not built for kernel %s.",
			     release);
	} else {
		module_found(
			to, SPT_FINDING_MISSING,
			spt_words("install the package sysprof-trace-dkms, or in the sources: sudo make install"),
			"The module is not installed for kernel %s.", release);
	}
}

/* The word in brackets of /sys/kernel/security/lockdown, or NULL: none. */
static char *read_lockdown(void)
{
	g_autofree char *text = NULL;
	char *begin, *end;

	if (!g_file_get_contents("/sys/kernel/security/lockdown", &text, NULL, NULL))
		return NULL;
	begin = strchr(text, '[');
	end = begin ? strchr(begin, ']') : NULL;
	if (!end || g_str_has_prefix(begin, "[none]"))
		return NULL;
	return g_strndup(begin + 1, (gsize)(end - begin - 1));
}

/* Whether firmware checks signatures: the byte after the variable's attributes. */
static bool secure_boot_is_on(void)
{
	g_autofree char *data = NULL;
	size_t bytes;

	return g_file_get_contents(FIRMWARE "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
				   &data, &bytes, NULL) &&
	       bytes == 5 && data[4] == 1;
}

static bool signatures_are_enforced(void)
{
	g_autofree char *text = NULL;

	return g_file_get_contents("/sys/module/module/parameters/sig_enforce", &text, NULL,
				   NULL) &&
	       text[0] == 'Y';
}

/* The owner's keys in the firmware hold the whole certificate. */
static bool key_is_enrolled(void)
{
	g_autofree char *keys = NULL, *certificate = NULL;
	size_t n_keys, n_certificate;

	return g_file_get_contents(FIRMWARE "MokListRT-605dab50-e046-4300-abb6-3dd810dd8b23", &keys,
				   &n_keys, NULL) &&
	       g_file_get_contents(DKMS_CERTIFICATE, &certificate, &n_certificate, NULL) &&
	       module_check_has_bytes(keys, n_keys, certificate, n_certificate);
}

/* Whether the file ends with a signature; a compressed one does not show it: it may. */
static bool may_be_signed(const char *path)
{
	static const char magic[] = "~Module signature appended~\n";
	g_autofree char *data = NULL;
	size_t bytes;

	if (!g_str_has_suffix(path, ".ko") || !g_file_get_contents(path, &data, &bytes, NULL))
		return true;
	return bytes >= sizeof(magic) - 1 &&
	       !memcmp(data + bytes - (sizeof(magic) - 1), magic, sizeof(magic) - 1);
}

/*
 * Whether the kernel would load the file @path: false, with a message, if its signature prevents
 * that.
 */
static bool check_signature(const struct teller *to, const char *path)
{
	g_autofree char *lockdown = read_lockdown();
	bool secure_boot = secure_boot_is_on();
	const char *why = secure_boot ? "Secure Boot is on" :
			  lockdown    ? "the kernel is locked down" :
					"module.sig_enforce is set";

	if (!secure_boot && !lockdown && !signatures_are_enforced())
		return true;
	if (!may_be_signed(path)) {
		module_found(
			to, SPT_FINDING_MISSING,
			"install dkms, which signs what it builds, and the module again (sudo make install); then "
			"\"" SPT_CLI " doctor\" again",
			"%s is not signed, and this kernel loads only signed modules (%s).", path,
			why);
		return false;
	}
	if (key_is_enrolled()) {
		module_found(to, SPT_FINDING_OK, NULL,
			     "The key that signs modules here is enrolled (%s).", why);
		return true;
	}
	module_found(
		to, SPT_FINDING_MISSING,
		"sudo mokutil --import " DKMS_CERTIFICATE
		"; then reboot, choose \"Enroll MOK\" and give the password you set",
		"The key that signed the module is not enrolled, and this kernel loads only what a key it trusts has signed (%s).",
		why);
	if (!secure_boot)
		module_found(
			to, SPT_FINDING_NOTE,
			"boot without module.sig_enforce=1 and lockdown=, or sign the module by a key of this kernel",
			"Without Secure Boot an enrolled key counts on few kernels.");
	return false;
}

static bool check_loaded(const struct teller *to, const char *release, const char *path)
{
	g_autofree char *version = NULL;

	if (!is_loaded()) {
		g_autofree char *image = find_in_image(release, MODULE_FILE);

		module_found(to, SPT_FINDING_MISSING,
			     image ? "sudo " IMAGE_LOADER : "sudo modprobe sysprof",
			     "The module is not loaded into kernel %s.", release);
		return false;
	}
	g_file_get_contents("/sys/module/sysprof/version", &version, NULL, NULL);
	g_strstrip(version ? version : (version = g_strdup("")));
	if (strcmp(version, SPT_VERSION))
		module_found(to, SPT_FINDING_NOTE,
			     path ? "sudo modprobe -r sysprof-sources sysprof && sudo modprobe sysprof" :
				    "install the same version of both",
			     "The module that is loaded is version %s, this is %s.", version,
			     SPT_VERSION);
	else
		module_found(to, SPT_FINDING_OK, NULL, "The module is loaded.");
	return true;
}

/* Whether the user's entry in the database of groups has @group, regardless of this login. */
static bool user_has_group(const struct passwd *user, gid_t group)
{
	int n = 0;
	g_autofree gid_t *groups = NULL;

	getgrouplist(user->pw_name, user->pw_gid, NULL, &n);
	groups = g_new(gid_t, (gsize)n + 1);
	if (getgrouplist(user->pw_name, user->pw_gid, groups, &n) < 0)
		return false;
	for (int i = 0; i < n; i++) {
		if (groups[i] == group)
			return true;
	}
	return false;
}

/* Permissions for users outside of the group; each is installed on request. */
static bool has_seat_rule(void)
{
	static const char *const dirs[] = { "/etc/udev/rules.d", "/run/udev/rules.d",
					    "/usr/local/lib/udev/rules.d", "/usr/lib/udev/rules.d",
					    "/lib/udev/rules.d" };

	for (unsigned i = 0; i < G_N_ELEMENTS(dirs); i++) {
		g_autofree char *path = g_strconcat(dirs[i], "/70-sysprof-seat.rules", NULL);

		if (g_file_test(path, G_FILE_TEST_EXISTS))
			return true;
	}
	return false;
}

static void tell_other_ways(const struct teller *to)
{
	if (has_seat_rule())
		module_found(
			to, SPT_FINDING_NOTE,
			"log in at the machine itself; if you have: sudo udevadm trigger --name-match=sysprof-trace",
			"The user at this machine can open %s without the group (seat access), but this login is remote.",
			SYSPROF_DEVICE);
	else
		module_found(
			to, SPT_FINDING_NOTE,
			"install the package sysprof-trace-seat, or in the sources: sudo make install-seat; or -polkit, by which the password is asked for",
			"Seat access is off: the user at this machine needs the group to open %s, too.",
			SYSPROF_DEVICE);
}

/* How to let this user open the device, for the administrator who decides. */
static const char *way_in(void)
{
	const struct group *group = getgrnam("sysprof");

	if (geteuid() == 0)
		return "root may";
	if (group && (getegid() == group->gr_gid || group_member(group->gr_gid)))
		return "by group sysprof";
	if (access(SYSPROF_DEVICE, R_OK | W_OK) < 0)
		return "by polkit";
	return has_seat_rule() ? "by seat access" : "by an access list";
}

static bool check_node(const struct teller *to)
{
	const struct passwd *user = getpwuid(geteuid());
	const struct group *group = getgrnam("sysprof");
	const char *name = user ? user->pw_name : "USER";
	g_autofree char *fix = NULL;
	struct stat st;

	if (stat(SYSPROF_DEVICE, &st) < 0) {
		module_found(to, SPT_FINDING_MISSING,
			     "mount /dev as devtmpfs; in a container, use the host",
			     "The module is loaded, but %s is missing.", SYSPROF_DEVICE);
		return false;
	}
	if (access(SYSPROF_DEVICE, R_OK | W_OK) == 0 || spt_trace_may_ask())
		return true;
	if (!group) {
		module_found(to, SPT_FINDING_MISSING,
			     "sudo groupadd -r sysprof; then \"" SPT_CLI " doctor\" again",
			     "There is no group sysprof, whose members may open %s.",
			     SYSPROF_DEVICE);
	} else if (st.st_gid != group->gr_gid || (st.st_mode & 0060) != 0060) {
		module_found(to, SPT_FINDING_MISSING,
			     "sudo chgrp sysprof " SYSPROF_DEVICE
			     " && sudo chmod 0660 " SYSPROF_DEVICE
			     "; make install has the udev rule that does so from then on",
			     "%s is not open to group sysprof.", SYSPROF_DEVICE);
	} else if (user && user_has_group(user, group->gr_gid)) {
		fix = g_strdup_printf("log in again; until then: sudo setfacl -m u:%s:rw %s", name,
				      SYSPROF_DEVICE);
		module_found(to, SPT_FINDING_MISSING, fix,
			     "%s is in group sysprof, but this login is older than that.", name);
	} else {
		fix = g_strdup_printf("sudo usermod -aG sysprof %s; then log in again", name);
		module_found(to, SPT_FINDING_MISSING, fix,
			     "%s is not in group sysprof, whose members may open %s.", name,
			     SYSPROF_DEVICE);
		tell_other_ways(to);
	}
	return false;
}

static bool check_open(const struct teller *to)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(SptTrace) trace = spt_trace_open_source(SPT_TRACE_MODULE, &error);
	g_autofree char *lockdown = NULL;

	if (trace) {
		module_found(to, SPT_FINDING_OK, NULL, "%s opens (%s); %u CPUs.", SYSPROF_DEVICE,
			     way_in(), spt_trace_n_cpus(trace));
		return true;
	}
	lockdown = read_lockdown();
	if (lockdown && !strcmp(lockdown, "confidentiality"))
		module_found(
			to, SPT_FINDING_MISSING, "boot with lockdown=integrity, or without",
			"The kernel is locked down to confidentiality, which forbids recording.");
	else
		module_found(to, SPT_FINDING_MISSING, NULL, "%s.", error->message);
	return false;
}

bool spt_module_check(SptFoundFunc func, void *data)
{
	const struct teller teller = { func, data }, *to = &teller;
	g_autofree char *path = NULL;
	struct utsname name;

	if (uname(&name) < 0)
		return false;
	path = spt_module_find(name.release, MODULE_FILE);
	if (path)
		module_found(to, SPT_FINDING_OK, NULL, "The module is built for kernel %s: %s",
			     name.release, path);
	else if (is_loaded())
		module_found(
			to, SPT_FINDING_NOTE, "sudo make install, in the sources",
			"The module is loaded, but not installed for kernel %s: it will not be there after a reboot.",
			name.release);
	else
		tell_not_built(to, name.release);
	if (!path && !is_loaded())
		return false;
	return (is_loaded() || check_signature(to, path)) && check_loaded(to, name.release, path) &&
	       check_node(to) && check_open(to);
}
