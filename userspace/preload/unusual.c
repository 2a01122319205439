/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that both libraries replace because of what they do to the libraries. */
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "code.h"
#include "connect.h"
#include "rules.h"
#include "sandbox.h"
#include "system.h"
#include "thread.h"
#include "unusual.h"

#define EXPORT __attribute__((visibility("default")))
/* Rings for later threads of a program that has all of its memory locked. */
#define SPARE_RINGS 8u

static void look_at_code(void)
{
	/* Other code may be at the same addresses next. */
	if (spt_code_look())
		spt_rules_forget();
}

int dlclose(void *handle);
EXPORT int dlclose(void *handle)
{
	int ret;

	spt_connect();
	ret = spt_functions.dlclose(handle);
	look_at_code();
	return ret;
}

/* Unloads libraries without dlclose(). */
int iconv_close(void *handle);
EXPORT int iconv_close(void *handle)
{
	int ret;

	spt_connect();
	ret = spt_functions.iconv_close(handle);
	look_at_code();
	return ret;
}

static int look_at_prctl(int option, long a, long b, long c, long d)
{
	struct spt_lock_in before;
	int ret;

	if (!spt_link.rings || (option != PR_SET_SECCOMP && option != PR_SET_TSC))
		return spt_functions.prctl(option, a, b, c, d);
	before = spt_lock_in_begin(option, a, (const void *)b);
	ret = spt_functions.prctl(option, a, b, c, d);
	if (ret < 0)
		spt_lock_in_failed(&before);
	return ret;
}

EXPORT int spt_prctl(int option, long a, long b, long c, long d) __asm__("prctl");
int spt_prctl(int option, long a, long b, long c, long d)
{
	spt_connect();
	return look_at_prctl(option, a, b, c, d);
}

/* Whether the kernel would fill all rings that are mapped. */
static bool fills_rings(int flags)
{
	return flags & MCL_CURRENT && !(flags & MCL_ONFAULT);
}

/*
 * Where the kernel allows a process little locked memory, and less than it has with the library,
 * the process goes without.
 */
static int look_at_mlockall(int flags)
{
	int ret;

	if (!spt_link.rings)
		return spt_functions.mlockall(flags);
	if (!fills_rings(flags) && spt_functions.mlockall(flags) == 0)
		return 0;
	spt_rings_shrink(SPARE_RINGS);
	ret = spt_functions.mlockall(flags);
	if (ret == 0)
		return 0;
	spt_program_note(SPT_NOTE_LOCKED, "");
	return spt_thread_give_up() ? spt_functions.mlockall(flags) : ret;
}

int mlockall(int flags);
EXPORT int mlockall(int flags)
{
	spt_connect();
	return look_at_mlockall(flags);
}

long spt_syscall_unusual(long n, long a, long b, long c, long d, long e, long f)
{
	struct spt_lock_in before;
	long ret;

	if (n == SYS_prctl)
		return look_at_prctl((int)a, b, c, d, e);
	if (n == SYS_mlockall)
		return look_at_mlockall((int)a);
	before = spt_lock_in_begin(PR_SET_SECCOMP,
				   a == SECCOMP_SET_MODE_FILTER ? SECCOMP_MODE_FILTER :
				   a == SECCOMP_SET_MODE_STRICT ? SECCOMP_MODE_STRICT : 0,
				   (const void *)c);
	ret = spt_functions.syscall(n, a, b, c, d, e, f);
	if (ret < 0)
		spt_lock_in_failed(&before);
	return ret;
}
