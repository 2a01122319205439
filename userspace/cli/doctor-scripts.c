/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether functions of scripts are recorded with the interpreters of this machine. */
#include <stdlib.h>

#include "doctor.h"
#include "object/needed.h"
#include "object/regular.h"
#include "record/tables.h"
#include "scripts/interpreter.h"
#include "symbols/helpers.h"
#include "trace/trace.h"

/* The file at @path, if it is an interpreter's. */
static void doctor_scripts_look(SptHelpers *helpers, const char *path, GString *known)
{
	const SptInterpreter *interpreter = spt_interpreter_of_path(path);
	int fd = interpreter ? spt_open_regular(path) : -1;
	g_autoptr(SptObject) file = fd < 0 ? NULL : spt_object_open_fd(fd, path, NULL);
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) chain = file ? spt_helpers_chain(helpers, file, NULL, &error) : NULL;
	g_autofree char *title = chain ? spt_interpreter_title(interpreter, chain) : NULL;

	if (title)
		g_string_append_printf(known, "%s%s", known->len ? ", " : "", title);
	if (error)
		spt_doctor_tell(SPT_FINDING_NOTE, NULL, "%s.", error->message);
}

/* The file that @program, or what a link of this name leads to, loads from elsewhere. */
static void doctor_scripts_look_beside(SptHelpers *helpers, const SptInterpreter *interpreter,
				       const char *program, GString *known)
{
	char *real = realpath(program, NULL);
	g_autofree char *directory = real ? g_path_get_dirname(real) : NULL;
	g_autofree char *path =
		directory ? g_build_filename(directory, interpreter->beside, NULL) : NULL;

	free(real);
	if (path && g_file_test(path, G_FILE_TEST_EXISTS))
		doctor_scripts_look(helpers, path, known);
}

/* What @interpreter's command runs. */
static void doctor_scripts_find(SptHelpers *helpers, const SptInterpreter *interpreter,
				GString *known)
{
	g_autofree char *program = g_find_program_in_path(interpreter->command);
	g_autoptr(GPtrArray) files = program ? spt_needed_files(program) : NULL;

	for (unsigned i = 0; files && i < files->len; i++)
		doctor_scripts_look(helpers, g_ptr_array_index(files, i), known);
	if (program && interpreter->beside)
		doctor_scripts_look_beside(helpers, interpreter, program, known);
}

void spt_doctor_check_scripts(void)
{
	g_autoptr(SptTrace) trace = spt_trace_open_source(SPT_TRACE_MODULE, NULL);
	g_autoptr(SptHelpers) helpers = spt_tables_helpers();
	g_autoptr(GString) known = g_string_new(NULL);
	bool has_module = trace && spt_trace_has_chains(trace);
	const SptInterpreter *interpreter;

	/* Without the module, those that copies of stacks are enough for. */
	for (unsigned i = 0; (interpreter = spt_interpreter_nth(i)); i++)
		if (has_module || interpreter->has_steps)
			doctor_scripts_find(helpers, interpreter, known);
	if (known->len)
		spt_doctor_tell(SPT_FINDING_OK, NULL, "Functions of scripts are recorded: %s.",
				known->str);
}
