/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-raw --table PROGRAM: writes PROGRAM's unwind table.
 *
 * unwind-raw PROGRAM: reads lines of "raw: " and a struct sysprof_raw in hexadecimal digits,
 * unwinds each by PROGRAM's table, and prints a line: why it ended, and the addresses, innermost
 * first, of calls those of the instruction's last byte.  PROGRAM is linked statically, of whatever
 * machine it is, and lies where its file says.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/stepper.h"

#define FRAMES_MAX 1024

static SptObject *program;
static SptUnwindTable *table;

static bool find(uint64_t space, uint64_t address, SptUnwindPlace *ret, void *data)
{
	(void)space;
	(void)data;
	ret->table = table;
	return spt_object_address_to_offset(program, address, &ret->offset);
}

static GByteArray *parse(const char *digits)
{
	GByteArray *bytes = g_byte_array_new();

	for (; g_ascii_isxdigit(digits[0]) && g_ascii_isxdigit(digits[1]); digits += 2) {
		uint8_t byte =
			g_ascii_xdigit_value(digits[0]) << 4 | g_ascii_xdigit_value(digits[1]);

		g_byte_array_append(bytes, &byte, 1);
	}
	return bytes;
}

int main(int argc, char **argv)
{
	static const char *const ends[SPT_UNWIND_ENDS] = { "root",    "limit",	    "cut",
							   "no_info", "bad_memory", "unmapped" };
	static SptUnwindFrame frames[FRAMES_MAX];
	g_autoptr(SptUnwinder) unwinder = spt_unwinder_new(find, NULL);
	g_autoptr(GError) error = NULL;
	char *line = NULL;
	size_t room = 0;

	program = argc >= 2 ? spt_object_open(argv[argc - 1], &error) : NULL;
	table = program ? spt_unwind_table_new(program, &error) : NULL;
	if (!table) {
		fprintf(stderr, "unwind-raw: %s\n", error ? error->message : "say which program");
		return 2;
	}
	if (argc == 3 && strcmp(argv[1], "--table") == 0) {
		gsize bytes;
		const void *data = g_bytes_get_data(spt_unwind_table_bytes(table), &bytes);

		return fwrite(data, bytes, 1, stdout) == 1 && fflush(stdout) == 0 ? 0 : 1;
	}
	while (getline(&line, &room, stdin) >= 0) {
		g_autoptr(GByteArray) raw =
			g_str_has_prefix(line, "raw: ") ? parse(line + strlen("raw: ")) : NULL;
		SptUnwindEnd end;
		unsigned n;

		if (!raw)
			continue;
		if (!spt_unwind_raw_is_whole((const struct sysprof_raw *)raw->data, raw->len)) {
			puts("damaged");
			continue;
		}
		n = spt_unwinder_walk(unwinder, 1, (const struct sysprof_raw *)raw->data, frames,
				      FRAMES_MAX, &end);
		fputs(ends[end], stdout);
		for (unsigned i = 0; i < n; i++)
			printf(" %" PRIx64, frames[i].ip - !frames[i].is_exact);
		putchar('\n');
	}
	free(line);
	spt_unwind_table_unref(table);
	spt_object_free(program);
	return 0;
}
