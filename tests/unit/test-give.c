/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For which files a table, or an interpreter's chain, is given to the module: for all that have its
 * build-id, where root alone could have written it, else for the one file; and what programs get.
 */
#include "record/scripts.h"
#include "record/tables.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rings/chains.h"
#include "scripts/interpreter.h"
#include "trace/trace-private.h"

#define OBJECT 70

enum given {
	NOT,
	BY_BUILD_ID,
	TO_FILE,
};

static struct {
	enum given given;
	int fd;
	uint32_t object;		/* as the module says; 0: it does not know how */
	int problem;
} module;

static int give_table(SptTrace *trace, const uint8_t *build_id, unsigned n, const void *table,
		      size_t bytes)
{
	g_assert_nonnull(trace);
	g_assert_nonnull(build_id);
	g_assert_nonnull(table);
	g_assert_cmpuint(n, >, 0);
	g_assert_cmpuint(bytes, >, 0);
	module.given = BY_BUILD_ID;
	return module.problem;
}

static int give_table_of_file(SptTrace *trace, int fd, const void *table, size_t bytes,
			      uint32_t *ret_object)
{
	g_assert_nonnull(trace);
	g_assert_nonnull(table);
	g_assert_cmpuint(bytes, >, 0);
	if (!module.object)
		return EOPNOTSUPP;
	module.given = TO_FILE;
	module.fd = fd;
	*ret_object = module.object;
	return module.problem;
}

static bool has_chains(const SptTrace *trace)
{
	g_assert_nonnull(trace);
	return true;
}

static int give_chain_of_file(SptTrace *trace, int fd, const void *chain, size_t bytes)
{
	uint32_t object;

	return give_table_of_file(trace, fd, chain, bytes, &object);
}

static const struct spt_trace_source source = {
	.services = { .give_table = give_table,
		      .give_table_of_file = give_table_of_file,
		      .has_chains = has_chains,
		      .give_chain = give_table,
		      .give_chain_of_file = give_chain_of_file },
};

static int give(const SptObject *file, const SptUnwindTable *table, uint32_t knows, int problem,
		enum given expected)
{
	SptTrace trace = { .source = &source };
	int ret;

	module.given = NOT;
	module.object = knows;
	module.problem = problem;
	ret = spt_tables_give(&trace, file, table, OBJECT);
	g_assert_cmpint(module.given, ==, expected);
	if (expected == TO_FILE)
		g_assert_cmpint(module.fd, ==, spt_object_fd(file));
	return ret;
}

static bool is_privileged(void)
{
	g_autofree char *text = NULL;
	const char *at;

	g_assert_true(g_file_get_contents("/proc/self/status", &text, NULL, NULL));
	at = strstr(text, "\nCapEff:");
	g_assert_nonnull(at);
	/* CAP_SYS_ADMIN, CAP_PERFMON */
	return g_ascii_strtoull(at + strlen("\nCapEff:"), NULL, 16) & (1ull << 21 | 1ull << 38);
}

static SptObject *copy_of(const char *path, char **ret_path)
{
	g_autofree char *content = NULL;
	gsize bytes;
	int fd = g_file_open_tmp("give-XXXXXX", ret_path, NULL);
	SptObject *copy;

	g_assert_cmpint(fd, >=, 0);
	close(fd);
	g_assert_true(g_file_get_contents(path, &content, &bytes, NULL));
	g_assert_true(g_file_set_contents(*ret_path, content, (gssize)bytes, NULL));
	copy = spt_object_open(*ret_path, NULL);
	g_assert_nonnull(copy);
	return copy;
}

static void test_roots(void)
{
	g_autofree char *path = realpath("/bin/sh", NULL);
	g_autoptr(SptObject) file = spt_object_open(path, NULL);
	SptUnwindTable *table = spt_unwind_table_new(file, NULL);

	g_assert_cmpint(give(file, table, OBJECT, 0, BY_BUILD_ID), ==, 0);
	g_assert_cmpint(give(file, table, OBJECT, EEXIST, BY_BUILD_ID), ==, 0);
	g_assert_cmpint(give(file, table, OBJECT, ENOSPC, BY_BUILD_ID), ==, ENOSPC);
	spt_unwind_table_unref(table);
}

static void test_of_others(void)
{
	g_autofree char *path = NULL;
	g_autoptr(SptObject) file = copy_of("/bin/sh", &path);
	SptUnwindTable *table = spt_unwind_table_new(file, NULL);
	bool privileged = is_privileged();

	g_assert_cmpint(give(file, table, OBJECT, 0, TO_FILE), ==, 0);
	g_assert_cmpint(give(file, table, OBJECT, EEXIST, TO_FILE), ==, 0);
	g_assert_cmpint(give(file, table, OBJECT, ENOENT, TO_FILE), ==, ENOENT);
	/* What leads to the object's path is another file. */
	g_assert_cmpint(give(file, table, OBJECT + 1, 0, TO_FILE), ==, ESTALE);
	/* An older module. */
	g_assert_cmpint(give(file, table, 0, 0, privileged ? NOT : BY_BUILD_ID), ==,
			privileged ? EPERM : 0);
	spt_unwind_table_unref(table);
	g_remove(path);
}

static bool give_chain(const SptObject *file, uint32_t knows, int problem, enum given expected)
{
	g_autoptr(SptHelpers) helpers = spt_tables_helpers();
	SptTrace trace = { .source = &source };
	const SptScriptsTo to = { .trace = &trace };
	g_autofree char *said = NULL;
	const gint stop = 0;
	bool ret;

	module.given = NOT;
	module.object = knows;
	module.problem = problem;
	ret = spt_scripts_have(helpers, &to, file, &stop, &said, NULL);
	g_assert_nonnull(said);
	g_assert_cmpint(module.given, ==, expected);
	if (expected == TO_FILE)
		g_assert_cmpint(module.fd, ==, spt_object_fd(file));
	return ret;
}

/* A user's own copy has the build-id of the system's. */
static void test_chains(void)
{
	g_autofree char *system = realpath("/usr/bin/python3", NULL), *content = NULL,
			*dir = g_dir_make_tmp("give-XXXXXX", NULL),
			*path = g_build_filename(dir, "python3", NULL);
	g_autoptr(SptObject) file = system ? spt_object_open(system, NULL) : NULL;
	g_autoptr(SptObject) copy = NULL;
	gsize bytes;

	if (!file) {
		g_test_skip("this machine has no python3");
	} else {
		g_assert_true(g_file_get_contents(system, &content, &bytes, NULL));
		g_assert_true(g_file_set_contents(path, content, (gssize)bytes, NULL));
		copy = spt_object_open(path, NULL);
		g_assert_nonnull(copy);
		g_assert_true(give_chain(file, OBJECT, 0, BY_BUILD_ID));
		g_assert_true(give_chain(file, OBJECT, EEXIST, BY_BUILD_ID));
		g_assert_true(give_chain(copy, OBJECT, 0, TO_FILE));
		g_assert_true(give_chain(copy, OBJECT, EEXIST, TO_FILE));
		g_assert_false(give_chain(copy, OBJECT, ENOSPC, TO_FILE));
		/* An older module. */
		g_assert_true(give_chain(copy, 0, 0, is_privileged() ? NOT : BY_BUILD_ID) !=
			      is_privileged());
		g_remove(path);
	}
	g_rmdir(dir);
}

/* What programs map who look for chains. */
static const struct spt_chains *chains_seen(const SptScriptChains *chains)
{
	const char *path = spt_script_chains_path(chains);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	void *at;

	/* None of them can say what another one reads. */
	g_assert_cmpint(fd, >=, 0);
	at = mmap(NULL, sizeof(struct spt_chains), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	g_assert_true(at == MAP_FAILED);
	g_assert_cmpint(pwrite(fd, "", 1, 0), <, 0);
	g_assert_cmpint(ftruncate(fd, 0), <, 0);
	at = mmap(NULL, sizeof(struct spt_chains), PROT_READ, MAP_SHARED, fd, 0);
	g_assert_true(at != MAP_FAILED);
	g_assert_cmpint(mprotect(at, sizeof(struct spt_chains), PROT_READ | PROT_WRITE), <, 0);
	close(fd);
	return at;
}

/* A chain with other numbers of parts than it has. */
static void refuse_chain(SptScriptChains *chains, const SptObject *file, GBytes *chain, size_t at)
{
	gsize bytes;
	const void *data = g_bytes_get_data(chain, &bytes);
	g_autofree uint8_t *copy = g_memdup2(data, bytes);
	g_autoptr(GBytes) bad = NULL;

	copy[at]++;
	bad = g_bytes_new(copy, bytes);
	g_assert_false(spt_script_chains_put(chains, file, bad));
}

static void test_programs(void)
{
	g_autofree char *path = realpath("/usr/bin/python3", NULL);
	g_autoptr(SptObject) file = path ? spt_object_open(path, NULL) : NULL;
	g_autoptr(SptScriptChains) chains = spt_script_chains_new();
	g_autoptr(GBytes) chain = file ? spt_interpreter_cpython.describe(file, NULL) : NULL;
	g_autoptr(GBytes) part = NULL;
	const struct spt_chains *seen;

	if (!chain) {
		g_test_skip("this machine has no Python that is known");
		return;
	}
	g_assert_nonnull(chains);
	seen = chains_seen(chains);
	g_assert_true(spt_script_chains_put(chains, file, chain));
	/* Once. */
	g_assert_true(spt_script_chains_put(chains, file, chain));
	g_assert_cmpuint(seen->n, ==, 1);
	g_assert_cmpuint(seen->entry[0].path_hash, ==, spt_chains_hash(path));
	g_assert_cmpuint(seen->entry[0].bytes, ==, g_bytes_get_size(chain));
	for (size_t at = offsetof(struct sysprof_chain_header, n_insns);
	     at <= offsetof(struct sysprof_chain_header, n_spans); at++)
		refuse_chain(chains, file, chain, at);
	part = g_bytes_new_from_bytes(chain, 0, sizeof(struct sysprof_chain_header) - 1);
	g_assert_false(spt_script_chains_put(chains, file, part));
	g_assert_cmpuint(seen->n, ==, 1);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/give/roots", test_roots);
	g_test_add_func("/give/of-others", test_of_others);
	g_test_add_func("/give/chains", test_chains);
	g_test_add_func("/give/programs", test_programs);
	return g_test_run();
}
