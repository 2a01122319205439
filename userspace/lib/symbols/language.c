/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/language.h"

#include <string.h>

#include "scripts/interpreter.h"
#include "symbols/demangle.h"
#include "symbols/symbols-private.h"

/* What V8 calls its built-in functions, which are in its own file. */
#define V8_BUILTIN "Builtins_"

/* What runtimes put before the names of code that they make. */
static const struct {
	const char *prefix, *language;
} run_time_names[] = {
	{ "JS:", "JavaScript" },
	{ "LazyCompile:", "JavaScript" },
	{ "Function:", "JavaScript" },
	{ "InterpretedFunction:", "JavaScript" },
	{ "Script:", "JavaScript" },
	{ "Eval:", "JavaScript" },
	{ "RegExp:", "JavaScript" },
	{ "py::", "Python" },
};

const char *spt_language_of_mangled(const char *name, const char *demangled)
{
	if (name[0] != '_' || !strcmp(name, demangled))
		return NULL;
	if (name[1] == 'D')
		return "D";
	if (name[1] == 'R' || spt_demangle_is_legacy_rust(name))
		return "Rust";
	return name[1] == 'Z' ? "C++" : NULL;
}

/* As in "Ljava/lang/String;::hashCode": the name of its class as Java's machine has it. */
static bool is_java(const char *function)
{
	size_t n;

	if (function[0] != 'L')
		return false;
	n = strcspn(function + 1, " ;.()[");
	return n > 0 && function[1 + n] == ';' && function[2 + n] != '\0';
}

static const char *language_of_run_time(const char *function)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(run_time_names); i++)
		if (g_str_has_prefix(function, run_time_names[i].prefix))
			return run_time_names[i].language;
	return is_java(function) ? "Java" : "[made at run time]";
}

const char *spt_language_of_function(SptSymbols *symbols, uint32_t object, const char *function)
{
	const SptObjectRow *row = spt_symbols_row_of(symbols, object);
	const char *mangled = g_hash_table_lookup(symbols->languages, function);

	if (row && spt_symbols_is_kernel(row))
		return SPT_LANGUAGE_KERNEL;
	if (row && row->kind == SPT_OBJECT_SOURCE && row->language && *row->language)
		return spt_symbols_intern(symbols, row->language);
	if (mangled)
		return mangled;
	if (row && row->kind == SPT_OBJECT_ANON)
		return language_of_run_time(function);
	if (row && row->kind == SPT_OBJECT_FILE && g_str_has_prefix(function, V8_BUILTIN))
		return "JavaScript";
	if (row && (row->kind == SPT_OBJECT_FILE || row->kind == SPT_OBJECT_VDSO))
		return SPT_LANGUAGE_NATIVE;
	return SPT_LANGUAGE_UNKNOWN;
}

bool spt_language_is_go_runtime(const char *function)
{
	static const char *const names[] = { "goexit", "main",	 "mstart",  "mcall",	   "rt0_go",
					     "gogo",   "mallocgc", "schedule", "systemstack" };

	if (strncmp(function, "runtime.", 8) != 0)
		return false;
	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
		size_t n = strlen(names[i]);

		/* Assembler has the version of its calls behind it. */
		if (!strncmp(function + 8, names[i], n) &&
		    (!function[8 + n] || !strcmp(function + 8 + n, ".abi0")))
			return true;
	}
	return false;
}

/* Names of Go have that of their package; those of pieces of C functions have a dot, too. */
bool spt_language_is_go(const char *function)
{
	static const char *const pieces[] = { ".cold",	   ".part.",	   ".isra.",
					      ".constprop.", ".lto_priv.", ".llvm." };
	const char *dot = strchr(function, '.');

	for (unsigned i = 0; dot && i < G_N_ELEMENTS(pieces); i++)
		if (g_str_has_prefix(dot, pieces[i]))
			return false;
	return dot && dot > function && dot[1] && !g_ascii_isdigit(dot[1]);
}

static const char *without_lib(const char *file)
{
	return g_str_has_prefix(file, "lib") ? file + strlen("lib") : file;
}

bool spt_language_has_interpreter(const char *language, const char *object)
{
	const SptInterpreter *interpreter;

	object = without_lib(object);
	for (unsigned i = 0; (interpreter = spt_interpreter_nth(i)); i++)
		if ((!language || !strcmp(interpreter->language, language)) &&
		    g_str_has_prefix(object, without_lib(interpreter->file)))
			return true;
	return false;
}
