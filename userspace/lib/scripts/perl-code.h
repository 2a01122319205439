/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was copied of Perl's subs and of its code outside of them. */
#ifndef SPT_PERL_CODE_H
#define SPT_PERL_CODE_H

#include "scripts/interpreter.h"

G_BEGIN_DECLS

/* Offsets in the body of a sub. */
#define SPT_PERL_BODY_BYTES 104
#define SPT_PERL_BODY_STASH 32
#define SPT_PERL_BODY_START 40
#define SPT_PERL_BODY_NAME 56		/* a glob, or the name itself */
#define SPT_PERL_BODY_FILE 64
#define SPT_PERL_BODY_FLAGS 92
#define SPT_PERL_IS_NAMED 0x8000	/* a flag: the sub has its name itself */

/* A name: a hash, the length, and the text. */
#define SPT_PERL_NAME_LENGTH 4
#define SPT_PERL_NAME_HEAD 8

/* The spans. */
enum {
	SPT_PERL_BODY,
	SPT_PERL_GLOB,			/* body of the glob; only where it is counts */
	SPT_PERL_NAME,			/* of the glob */
	SPT_PERL_PACKAGE,		/* of the glob */
	SPT_PERL_OWN_NAME,
	SPT_PERL_OWN_PACKAGE,
	SPT_PERL_FILE,
};

bool spt_perl_read(uint32_t tag, const SptSpan spans[SYSPROF_CHAIN_MAX_SPANS],
		   SptScriptFunction *ret);
/* A position is a line. */
uint32_t spt_perl_line(uint32_t tag, const SptScriptFunction *function, uint32_t position);

G_END_DECLS

#endif
