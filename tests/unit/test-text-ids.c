/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts have numbers of their own, also where they differ in their last byte or length alone. */
#include <glib.h>

#include "base/text-ids.h"

#define TEXTS 100000u

/* Of 0 to 40 bytes, each once. */
static char *make_text(unsigned i)
{
	return g_strdup_printf("%.*s%u", (int)(i % 35), "a_function_of_some_name_or_another_one",
			       i);
}

static void test_many(void)
{
	struct spt_text_ids ids = { 0 };

	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < TEXTS; i++) {
			g_autofree char *text = make_text(i);
			uint32_t *id = spt_text_ids_at(&ids, text);

			g_assert_cmpuint(*id, ==, round ? i : UINT32_MAX);
			*id = i;
		}
		g_assert_cmpuint(spt_text_ids_count(&ids), ==, TEXTS);
	}
	spt_text_ids_clear(&ids);
	g_assert_cmpuint(spt_text_ids_count(&ids), ==, 0);
}

static void test_near(void)
{
	static const char *const near[] = {
		"", "\1", "\1\1", "a", "b", "aaaaaaa", "aaaaaab", "aaaaaaaa", "aaaaaaa\1", "baaaaaa",
		"\377\377\377\377\377\377\377", "\377\377\377\377\377\377\377\377",
	};
	struct spt_text_ids ids = { 0 };

	for (unsigned i = 0; i < G_N_ELEMENTS(near); i++) {
		g_assert_cmpuint(*spt_text_ids_at(&ids, near[i]), ==, UINT32_MAX);
		g_assert_cmpuint(spt_text_ids_count(&ids), ==, i + 1);
	}
	spt_text_ids_clear(&ids);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/text-ids/many", test_many);
	g_test_add_func("/text-ids/near", test_near);
	return g_test_run();
}
