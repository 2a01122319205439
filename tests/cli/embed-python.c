/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that loads Python as a library when it runs: embed-python LIBRARY TEXT.  It gives a
 * recorder two seconds to find out what it is.
 */
#include <dlfcn.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	void *python = argc > 2 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
	void (*begin)(void) = NULL;
	int (*run)(const char *text) = NULL;

	if (!python)
		return 1;
	*(void **)&begin = dlsym(python, "Py_Initialize");
	*(void **)&run = dlsym(python, "PyRun_SimpleString");
	if (!begin || !run)
		return 1;
	begin();
	sleep(2);
	return run(argv[2]);
}
