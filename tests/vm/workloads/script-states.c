/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that has Lua in it: script-states SCRIPT WORD... runs the script in a state, which can
 * run it once more in a state within by inner(OUTSIDE), and then in states of two more threads, one
 * after the other, while the states before are there.
 */
#include <dlfcn.h>
#include <err.h>
#include <pthread.h>
#include <stdlib.h>

#define LIBRARY "liblua5.4.so.0"
#define ALL (-1)			/* results */

typedef struct lua_State lua_State;

static lua_State *(*new_state)(void);
static void (*open_libraries)(lua_State *state);
static int (*load_file)(lua_State *state, const char *path, const char *mode);
static int (*call)(lua_State *state, int n_arguments, int n_results, int handler, long context,
		   void *then);
static void (*create_table)(lua_State *state, int n, int n_records);
static const char *(*push_string)(lua_State *state, const char *text);
static void (*set_element)(lua_State *state, int table, long long at);
static void (*set_global)(lua_State *state, const char *name);
static void (*push_function)(lua_State *state, int (*function)(lua_State *state), int n_values);
static const char *(*to_string)(lua_State *state, int at, size_t *bytes);

static char **words;

static void *find(void *library, const char *name)
{
	void *function = dlsym(library, name);

	if (!function)
		errx(1, "%s has no %s", LIBRARY, name);
	return function;
}

static int run_inner(lua_State *state);

/* @outside: what the stack has outside of the state; NULL: nothing. */
static void run(const char *outside)
{
	lua_State *state = new_state();

	open_libraries(state);
	create_table(state, 0, 0);
	for (int i = 1; words[i]; i++) {
		push_string(state, words[i]);
		set_element(state, -2, i - 1);
	}
	set_global(state, "arg");
	if (outside) {
		push_string(state, outside);
		set_global(state, "outside");
	} else {
		push_function(state, run_inner, 0);
		set_global(state, "inner");
	}
	if (load_file(state, words[1], NULL) || call(state, 0, ALL, 0, 0, NULL))
		errx(1, "%s", to_string(state, -1, NULL));
}

static int run_inner(lua_State *state)
{
	run(to_string(state, 1, NULL));
	return 0;
}

static void *thread(void *nothing)
{
	run(NULL);
	return nothing;
}

int main(int argc, char **argv)
{
	void *library = dlopen(LIBRARY, RTLD_NOW);
	pthread_t threads[2];

	if (argc < 2 || !library)
		errx(1, "%s", library ? "say which script" : dlerror());
	words = argv;
	new_state = find(library, "luaL_newstate");
	open_libraries = find(library, "luaL_openlibs");
	load_file = find(library, "luaL_loadfilex");
	call = find(library, "lua_pcallk");
	create_table = find(library, "lua_createtable");
	push_string = find(library, "lua_pushstring");
	set_element = find(library, "lua_rawseti");
	set_global = find(library, "lua_setglobal");
	push_function = find(library, "lua_pushcclosure");
	to_string = find(library, "lua_tolstring");
	run(NULL);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, thread, NULL) ||
		    pthread_join(threads[i], NULL))
			errx(1, "cannot run a thread");
	return 0;
}
