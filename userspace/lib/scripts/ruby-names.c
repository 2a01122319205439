/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a frame executes has a label, the name of a method or of what is in it.  The class is known
 * from the frame: its environment, or one around it, leads to the method's entry, which has the
 * owner.  Ruby 3.4 says "Class#method" and "Class.method" so.
 */
#include "scripts/ruby-names.h"

#include "scripts/ruby-code.h"

#define LABEL_MAX 256
#define PATH_MAX_BYTES 512
#define CLASS_MAX 256

/* Of an object: what it is. */
#define KIND_MASK 0x1f
#define KIND_CLASS 2
#define KIND_MODULE 3
#define KIND_STRING 5
#define KIND_ARRAY 7
#define IS_SINGLETON 0x1000		/* a class of one object */
#define NOT_EMBEDDED 0x2000
/* In a definition, where it is written, and the class there. */
#define WRITTEN_AT 16
#define WRITTEN_CLASS 16
#define ARRAY_FIRST 16
#define ARRAY_SECOND 24
#define LOWEST_OBJECT 0x1000
#define SPECIAL_MASK 7			/* numbers and the like are no pointers */
#define ENTRY_METHOD 0x601a
/*
 * Of a definition: its kind, 0 if it is written as a method, whether it is an alias, and how many
 * methods have it; before 3.2, how many others.
 */
#define DEFINITION_KIND_MASK 0xf
#define OTHERS_MASK (~(int64_t)0x10)
#define SHARES_MASK (~(int64_t)0x30)
#define SHARES_ONE 0x80
/* Before or at an environment. */
#define OUTER_AT (-8)
#define OUTER_MASK (~(int64_t)3)
#define IS_OUTERMOST 2
#define IS_ENVIRONMENT 1
/* In a class. */
#define EXTENSION_AT 24
#define TABLE_AT 8			/* in the extension */
#define ATTACHED_AT 128
#define HAS_NAME_AT 149
#define CLASS_NAME_AT 152
/* In a table of variables; in an entry of it. */
#define TABLE_END 40
#define TABLE_ENTRIES 48
#define ENTRY_KEY 8
#define ENTRY_VALUE 16
#define ENTRY_BYTES 24
#define ID_KIND_MASK 0xe		/* 0: of an id that is no variable of a class */

enum {
	R_SINGLE = 1,			/* it is the class of one class or module */
	R_CODE,
	R_BODY,
	R_LABEL,
	R_WITH,
	R_PATH,
	R_CLASS,
	R_SINGLETON,
	R_METHOD,
	R_OWNER,
	R_WORD,
	R_TEXT,
	R_LEFT,
	R_VALUE,
	R_KIND,
};

G_STATIC_ASSERT(SPT_RUBY_FROM_BODY == SYSPROF_SPAN_REGISTER + R_BODY);

static void ruby_add_text_span(SptProgram *program, unsigned from, uint16_t max)
{
	spt_program_span_from(program, SYSPROF_SPAN_REGISTER + from, max, true);
}

void spt_ruby_add_texts(SptProgram *program)
{
	spt_program_span_from(program, SPT_RUBY_FROM_BODY, SPT_RUBY_BODY_BYTES, false);
	ruby_add_text_span(program, R_LABEL, LABEL_MAX);
	ruby_add_text_span(program, R_PATH, PATH_MAX_BYTES);
	ruby_add_text_span(program, R_CLASS, CLASS_MAX);
	ruby_add_text_span(program, R_SINGLETON, CLASS_MAX);
}

static void ruby_end_unless(SptProgram *program, unsigned from, int64_t value)
{
	unsigned jump = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, from, value);

	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
	spt_program_land(program, jump);
}

/* Sets @to to where the text of the string at @string is. */
static void ruby_add_text(SptProgram *program, SptRubyClass class, unsigned to, unsigned string)
{
	unsigned inside, done;

	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, string, 0);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_WORD, NOT_EMBEDDED);
	inside = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, to, string, SPT_RUBY_STRING_TEXT);
	done = spt_program_add(program, SYSPROF_CHAIN_JEQ, R_WORD, R_WORD, 0);
	spt_program_land(program, inside);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, to, string,
			class == SPT_RUBY_CLASS_OF_TABLE ? SPT_RUBY_STRING_OLD_TEXT :
							   SPT_RUBY_STRING_TEXT);
	spt_program_land(program, done);
}

/* The file: a string, or an array of that and the whole path. */
static void ruby_add_path(SptProgram *program, SptRubyClass class)
{
	unsigned string, whole;

	spt_program_add(program, SYSPROF_CHAIN_LD8, R_PATH, R_CODE, SPT_RUBY_BODY_PATH);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_PATH, 0);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_WORD, KIND_MASK);
	string = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_WORD, KIND_ARRAY);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_TEXT, R_PATH, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_PATH, R_TEXT, ARRAY_SECOND);
	/* What is no file's has none. */
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_WORD, 0, LOWEST_OBJECT);
	whole = spt_program_add(program, SYSPROF_CHAIN_JLT, R_WORD, R_PATH, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_PATH, R_TEXT, ARRAY_FIRST);
	spt_program_land(program, whole);
	spt_program_land(program, string);
	ruby_add_text(program, class, R_PATH, R_PATH);
}

/* R_METHOD becomes the entry of the method that the environment R_WITH is of or in, if of any. */
static void ruby_add_method(SptProgram *program)
{
	unsigned level, again, empty, found, none, outer;

	level = spt_program_add(program, SYSPROF_CHAIN_LD8, R_METHOD, R_WITH, SPT_RUBY_METHOD_AT);
	again = empty = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_METHOD, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD2, R_WORD, R_METHOD, 0);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_WORD, SPT_RUBY_ENTRY_MASK);
	found = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, ENTRY_METHOD);
	none = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_WORD, SPT_RUBY_ENTRY_VARIABLES);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_METHOD, R_METHOD, SPT_RUBY_ENTRY_AT);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, again);
	spt_program_land(program, empty);
	spt_program_land(program, none);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_WITH, 0);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_WORD, IS_OUTERMOST);
	outer = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
	spt_program_land(program, outer);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WITH, R_WITH, OUTER_AT);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WITH, R_WITH, OUTER_MASK);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, level);
	spt_program_land(program, found);
}

/*
 * A block is known by its instructions alone, which methods of several classes may have.  It has a
 * class then only if it is written there; that of a module may be the module's own, too.  It has
 * none, either, if it is a method itself, defined in another one.
 */
static void ruby_add_sharing(SptProgram *program, SptRubyClass class)
{
	bool is_old = class == SPT_RUBY_CLASS_OF_TABLE;
	unsigned method, own, same;

	method = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_KIND, SPT_RUBY_KIND_METHOD);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_VALUE, R_METHOD, SPT_RUBY_DEFINITION_AT);
	spt_program_add(program, SYSPROF_CHAIN_LD4, R_WORD, R_VALUE, 0);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_WORD,
			is_old ? OTHERS_MASK : SHARES_MASK);
	own = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, is_old ? 0 : SHARES_ONE);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_WORD, DEFINITION_KIND_MASK);
	ruby_end_unless(program, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_VALUE, R_VALUE, WRITTEN_AT);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_VALUE, R_VALUE, WRITTEN_CLASS);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_OWNER, R_METHOD, SPT_RUBY_OWNER_AT);
	same = spt_program_add(program, SYSPROF_CHAIN_JEQ, R_VALUE, R_OWNER, 0);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
	spt_program_land(program, same);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_OWNER, 0);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_WORD, KIND_MASK);
	ruby_end_unless(program, R_WORD, KIND_CLASS);
	spt_program_land(program, method);
	spt_program_land(program, own);
}

/* R_OWNER becomes what is among the variables of that class, under a name of Ruby's own. */
static void ruby_add_variable(SptProgram *program, int64_t kind, int64_t or_kind)
{
	unsigned loop, go, found[2], special, low, other;

	spt_program_add(program, SYSPROF_CHAIN_LD8, R_OWNER, R_OWNER, EXTENSION_AT);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_OWNER, R_OWNER, TABLE_AT);
	go = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_OWNER, 0);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
	spt_program_land(program, go);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_LEFT, R_OWNER, TABLE_END);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_TEXT, R_OWNER, TABLE_ENTRIES);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_TEXT, R_TEXT, -ENTRY_BYTES);
	loop = go = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_LEFT, 0);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
	spt_program_land(program, go);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_LEFT, R_LEFT, -1);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_TEXT, R_TEXT, ENTRY_BYTES);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_TEXT, ENTRY_KEY);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_WORD, ID_KIND_MASK);
	other = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_OWNER, R_TEXT, ENTRY_VALUE);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_OWNER, SPECIAL_MASK);
	special = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_VALUE, 0, LOWEST_OBJECT);
	low = spt_program_add(program, SYSPROF_CHAIN_JLT, R_OWNER, R_VALUE, 0);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_OWNER, 0);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_WORD, KIND_MASK);
	found[0] = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, kind);
	found[1] = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, or_kind);
	spt_program_land(program, other);
	spt_program_land(program, special);
	spt_program_land(program, low);
	spt_program_add(program, SYSPROF_CHAIN_LOOP, 0, 0, loop);
	spt_program_land(program, found[0]);
	spt_program_land(program, found[1]);
}

/* R_OWNER, the class of one object, becomes that, if it is a class or a module. */
static void ruby_add_attached(SptProgram *program, SptRubyClass class)
{
	unsigned module;

	spt_program_add(program, SYSPROF_CHAIN_MOVI, R_SINGLE, 0, 1);
	if (class == SPT_RUBY_CLASS_OF_TABLE) {
		ruby_add_variable(program, KIND_CLASS, KIND_MODULE);
		return;
	}
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_OWNER, R_OWNER, ATTACHED_AT);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_WORD, R_OWNER, 0);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_WORD, KIND_MASK);
	module = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, KIND_MODULE);
	ruby_end_unless(program, R_WORD, KIND_CLASS);
	spt_program_land(program, module);
}

/* The name of the class that R_METHOD belongs to. */
static void ruby_add_class(SptProgram *program, SptRubyClass class)
{
	unsigned module, plain, single;

	spt_program_add(program, SYSPROF_CHAIN_LD8, R_OWNER, R_METHOD, SPT_RUBY_OWNER_AT);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_VALUE, R_OWNER, 0);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_VALUE, KIND_MASK);
	module = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, KIND_MODULE);
	ruby_end_unless(program, R_WORD, KIND_CLASS);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_VALUE, IS_SINGLETON);
	plain = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, 0);
	ruby_add_attached(program, class);
	spt_program_land(program, module);
	spt_program_land(program, plain);
	if (class == SPT_RUBY_CLASS_OF_TABLE) {
		ruby_add_variable(program, KIND_STRING, KIND_STRING);
	} else {
		spt_program_add(program, SYSPROF_CHAIN_LD1, R_WORD, R_OWNER, HAS_NAME_AT);
		spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_WORD, 1);
		ruby_end_unless(program, R_WORD, 1);
		spt_program_add(program, SYSPROF_CHAIN_LD8, R_OWNER, R_OWNER, CLASS_NAME_AT);
	}
	ruby_add_text(program, class, R_TEXT, R_OWNER);
	single = spt_program_add(program, SYSPROF_CHAIN_JNEI, 0, R_SINGLE, 0);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_CLASS, R_TEXT, 0);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
	spt_program_land(program, single);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_SINGLETON, R_TEXT, 0);
	spt_program_add(program, SYSPROF_CHAIN_END, 0, 0, 0);
}

void spt_ruby_add_names(SptProgram *program, SptRubyClass class)
{
	unsigned is_c;

	spt_program_begin_names(program);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_LABEL, R_CODE, SPT_RUBY_BODY_LABEL);
	ruby_add_text(program, class, R_LABEL, R_LABEL);
	spt_program_add(program, SYSPROF_CHAIN_LD8, R_KIND, R_WITH, 0);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_METHOD, R_WITH, 0);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_WORD, R_KIND, IS_ENVIRONMENT);
	is_c = spt_program_add(program, SYSPROF_CHAIN_JEQI, 0, R_WORD, 0);
	spt_program_add(program, SYSPROF_CHAIN_ADDI, R_BODY, R_CODE, 0);
	spt_program_add(program, SYSPROF_CHAIN_ANDI, R_KIND, R_KIND, SPT_RUBY_KIND_MASK);
	ruby_add_path(program, class);
	ruby_add_method(program);
	ruby_add_sharing(program, class);
	spt_program_land(program, is_c);
	ruby_add_class(program, class);
}
