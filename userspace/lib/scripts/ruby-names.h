/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program that finds the names of Ruby's methods, and of their classes. */
#ifndef SPT_RUBY_NAMES_H
#define SPT_RUBY_NAMES_H

#include "scripts/program.h"

G_BEGIN_DECLS

/* Where a class has its name. */
typedef enum {
	SPT_RUBY_CLASS_OF_TABLE,	/* among its variables */
	SPT_RUBY_CLASS_OF_FIELDS,
} SptRubyClass;

/* Before or at an environment. */
#define SPT_RUBY_METHOD_AT (-16)
#define SPT_RUBY_KIND_MASK 0x7fff0001
#define SPT_RUBY_KIND_METHOD 0x11110001
/* In a method entry, or in what may be instead of it while a method has variables like $~. */
#define SPT_RUBY_DEFINITION_AT 16
#define SPT_RUBY_OWNER_AT 32
#define SPT_RUBY_ENTRY_AT 8
#define SPT_RUBY_ENTRY_MASK 0xf01f
#define SPT_RUBY_ENTRY_VARIABLES 0x201a

/* What is emitted with a code is the frame's environment, or its method's entry if that is in C. */
void spt_ruby_add_names(SptProgram *program, SptRubyClass class);
/* The first spans of ruby-code.h; the others begin in the body. */
void spt_ruby_add_texts(SptProgram *program);
#define SPT_RUBY_FROM_BODY (SYSPROF_SPAN_REGISTER + 3)

G_END_DECLS

#endif
