/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the library says when something fails: in English by itself, and in another language once
 * somebody knows one.
 */
#include "base/words.h"

#include <locale.h>
#include <string.h>
#include <unistd.h>

#include "base/micro.h"
#include "capture/capture.h"
#include "profile/where-expression.h"

/* Some of one. */
static const char *translate(const char *text)
{
	static const char *const texts[][2] = {
		{ "Cannot open capture %s: %s.", "%s ne eblas malfermi: %s." },
		{ "it is not a capture of Sysprof", "ĝi ne estas registraĵo" },
		{ "\"%s\" is no expression: %s at character %u; write for example foo and (malloc or free)",
		  "%s: %s, %u" },
		{ "a parenthesis is missing", "mankas krampo" },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
		if (strcmp(text, texts[i][0]) == 0)
			return texts[i][1];
	return text;
}

static char *open_text(void)
{
	g_autofree char *path = NULL;
	g_autoptr(GError) error = NULL;
	int fd = g_file_open_tmp("words-XXXXXX", &path, NULL);

	g_assert_cmpint(write(fd, "no capture at all", 17), ==, 17);
	close(fd);
	g_assert_null(spt_capture_open(path, &error));
	g_assert_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_NOT_A_CAPTURE);
	unlink(path);
	return g_strdup(strstr(error->message, ": ") + 2);
}

static char *parse(void)
{
	g_autoptr(GError) error = NULL;

	g_assert_null(spt_expression_parse("(foo", &error));
	return g_strdup(error->message);
}

static void test_failures(void)
{
	g_autofree char *english = open_text(), *other = NULL, *english_parse = parse(),
			*other_parse = NULL;

	g_assert_cmpstr(english, ==, "it is not a capture of Sysprof.");
	g_assert_cmpstr(
		english_parse, ==,
		"\"(foo\" is no expression: a parenthesis is missing at character 5; write for example foo and (malloc or free)");
	spt_words_set_translation(translate);
	other = open_text();
	other_parse = parse();
	spt_words_set_translation(NULL);
	g_assert_cmpstr(other, ==, "ĝi ne estas registraĵo.");
	g_assert_cmpstr(other_parse, ==, "(foo: mankas krampo, 5");
}

/* A caller who wants no error gets none. */
static void test_nobody_asks(void)
{
	g_autoptr(GError) error = NULL;

	spt_set_error(NULL, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_IO, "row %u", 7);
	spt_set_error(&error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_IO, "row %u", 7);
	g_assert_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_IO);
	g_assert_cmpstr(error->message, ==, "row 7");
}

static void test_micro(void)
{
	g_autofree char *greek = NULL, *latin = NULL, *other = spt_micro_text("1 to 10 ms");

	g_assert_nonnull(setlocale(LC_CTYPE, "C.UTF-8"));
	greek = spt_micro_text("100 us to 1 ms");
	setlocale(LC_CTYPE, "C");
	latin = spt_micro_text("less than 1 us");
	g_assert_cmpstr(greek, ==, "100 µs to 1 ms");
	g_assert_cmpstr(latin, ==, "less than 1 us");
	g_assert_cmpstr(other, ==, "1 to 10 ms");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/words/failures", test_failures);
	g_test_add_func("/words/nobody-asks", test_nobody_asks);
	g_test_add_func("/words/micro", test_micro);
	return g_test_run();
}
