/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scripts/interpreter.h"

#include <string.h>

#include "scripts/script-elf.h"

G_DEFINE_QUARK(spt - interpreter - error - quark, spt_interpreter_error)

static const SptInterpreter *const all[] = {
#define ROW(name) &spt_interpreter_##name,
	SPT_INTERPRETERS(ROW)
#undef ROW
};

uint64_t spt_span_word(const SptSpan *span, unsigned at, unsigned bytes)
{
	uint64_t word = 0;

	if (at + bytes <= span->bytes)
		memcpy(&word, (const uint8_t *)span->data + at, bytes);
	return word;
}

void spt_script_function_clear(SptScriptFunction *function)
{
	g_free(function->name);
	g_free(function->file);
	g_clear_pointer(&function->lines, g_bytes_unref);
	*function = (SptScriptFunction){ 0 };
}

const SptInterpreter *spt_interpreter_nth(unsigned n)
{
	return n < G_N_ELEMENTS(all) ? all[n] : NULL;
}

const SptInterpreter *spt_interpreter_of_path(const char *path)
{
	const char *slash = strrchr(path, '/');

	for (unsigned i = 0; i < G_N_ELEMENTS(all); i++)
		if (strstr(slash ? slash : path, all[i]->file))
			return all[i];
	return NULL;
}

static void interpreter_see(const char *name, G_GNUC_UNUSED const SptScriptSymbol *symbol,
			    void *data)
{
	const SptInterpreter **found = data;

	for (unsigned i = 0; !*found && i < G_N_ELEMENTS(all); i++)
		if (!strcmp(name, all[i]->symbol))
			*found = all[i];
}

const SptInterpreter *spt_interpreter_in_file(const SptObject *file)
{
	const SptInterpreter *found = NULL;

	spt_script_elf_each(file, interpreter_see, &found);
	return found;
}

const SptInterpreter *spt_interpreter_of_chain(GBytes *chain)
{
	const struct sysprof_chain_header *header = g_bytes_get_data(chain, NULL);

	return g_bytes_get_size(chain) < sizeof(*header) ? NULL :
							   spt_interpreter_of_tag(header->tag);
}

const SptInterpreter *spt_interpreter_of_tag(uint32_t tag)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(all); i++)
		if (all[i]->number == SPT_TAG_NUMBER(tag))
			return all[i];
	return NULL;
}

char *spt_interpreter_title(const SptInterpreter *interpreter, GBytes *chain)
{
	const struct sysprof_chain_header *header = g_bytes_get_data(chain, NULL);

	if (g_bytes_get_size(chain) < sizeof(*header))
		return g_strdup(interpreter->name);
	return g_strdup_printf("%s %u.%u", interpreter->name, SPT_TAG_MAJOR(header->tag),
			       SPT_TAG_MINOR(header->tag));
}
