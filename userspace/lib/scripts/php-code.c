/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scripts/php-code.h"


#define NO_FILE "[php]"

/* To UTF-8; what is no text is replaced.  NULL: it is empty, or not there. */
static char *php_string(const SptSpan *span)
{
	uint64_t bytes = spt_span_word(span, SPT_PHP_STRING_LENGTH, 8);

	if (span->bytes <= SPT_PHP_STRING_TEXT || !bytes)
		return NULL;
	return g_utf8_make_valid((const char *)span->data + SPT_PHP_STRING_TEXT,
				 (gssize)MIN(bytes, span->bytes - SPT_PHP_STRING_TEXT));
}

unsigned spt_php_first_line_at(uint32_t tag)
{
	return SPT_TAG_MINOR(tag) < 4 ? 160 : 176;
}

bool spt_php_read(uint32_t tag, const SptSpan spans[SYSPROF_CHAIN_MAX_SPANS],
		  SptScriptFunction *ret)
{
	const SptSpan *function = &spans[SPT_PHP_FUNCTION];
	bool is_internal = spt_span_word(function, 0, 1) == SPT_PHP_INTERNAL;
	g_autofree char *name = php_string(&spans[SPT_PHP_NAME]),
			*class = php_string(&spans[SPT_PHP_CLASS]);

	*ret = (SptScriptFunction){ 0 };
	if (!function->bytes)
		return false;
	if (is_internal) {
		ret->file = g_strdup(NO_FILE);
	} else {
		ret->file = php_string(&spans[SPT_PHP_FILE]);
		ret->first_line = (uint32_t)spt_span_word(function, spt_php_first_line_at(tag), 4);
	}
	if (name)
		ret->name = class ? g_strdup_printf("%s::%s", class, name) : g_strdup(name);
	else if (ret->file && !is_internal)
		/* Code of a file that is in no function. */
		ret->name = g_strdup("<main>");
	if (!ret->name)
		spt_script_function_clear(ret);
	return ret->name != NULL;
}

uint32_t spt_php_line(uint32_t tag, const SptScriptFunction *function, uint32_t position)
{
	(void)tag;
	return position == SYSPROF_POSITION_NOT_TOLD ? function->first_line : position;
}
