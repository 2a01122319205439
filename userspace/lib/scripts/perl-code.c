/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scripts/perl-code.h"

#include <string.h>

/* To UTF-8; what is no text is replaced.  NULL: it is empty, or not there. */
static char *perl_name(const SptSpan *span)
{
	uint64_t bytes = spt_span_word(span, SPT_PERL_NAME_LENGTH, 4);

	if (span->bytes <= SPT_PERL_NAME_HEAD || !bytes)
		return NULL;
	return g_utf8_make_valid((const char *)span->data + SPT_PERL_NAME_HEAD,
				 (gssize)MIN(bytes, span->bytes - SPT_PERL_NAME_HEAD));
}

static char *perl_file(const SptSpan *span)
{
	size_t bytes = span->bytes ? strnlen(span->data, span->bytes) : 0;

	return bytes ? g_utf8_make_valid(span->data, (gssize)bytes) : NULL;
}

bool spt_perl_read(uint32_t tag, const SptSpan spans[SYSPROF_CHAIN_MAX_SPANS],
		   SptScriptFunction *ret)
{
	bool is_named = spt_span_word(&spans[SPT_PERL_BODY], SPT_PERL_BODY_FLAGS, 4) &
			SPT_PERL_IS_NAMED;
	unsigned own = is_named ? SPT_PERL_OWN_NAME - SPT_PERL_NAME : 0;
	g_autofree char *name = perl_name(&spans[SPT_PERL_NAME + own]),
			*package = perl_name(&spans[SPT_PERL_PACKAGE + own]);

	(void)tag;
	*ret = (SptScriptFunction){ .file = perl_file(&spans[SPT_PERL_FILE]) };
	if (name)
		ret->name = g_strdup_printf("%s::%s", package ? package : "main", name);
	else if (ret->file)
		/* Code that is in no sub. */
		ret->name = g_strdup("<main>");
	return ret->name != NULL;
}

uint32_t spt_perl_line(uint32_t tag, const SptScriptFunction *function, uint32_t position)
{
	(void)tag;
	(void)function;
	return position == SYSPROF_POSITION_NOT_TOLD ? 0 : position;
}
