/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A header, then names in the order of their addresses, then their texts. */
#include "symbols/kernel-answer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/kernel-code.h"
#include "symbols/place-table.h"

struct head {
	uint32_t n, build_id_bytes;
	uint8_t build_id[64];
};

struct packed_name {
	/* Of the symbol; of the place that was recorded, from there */
	uint64_t start, distance;
	uint32_t text, reserved;
};

struct names {
	SptKernelCode *code;
	SptNameRow *rows;
	uint32_t n;
};

static uint64_t kernel_answer_start_of(const SptNameRow *row)
{
	return row->offset - row->distance;
}

static int kernel_answer_compare_rows(const void *a, const void *b)
{
	const SptNameRow *x = *(const SptNameRow *const *)a, *y = *(const SptNameRow *const *)b;

	if (kernel_answer_start_of(x) != kernel_answer_start_of(y))
		return kernel_answer_start_of(x) < kernel_answer_start_of(y) ? -1 : 1;
	return (x > y) - (x < y);
}

GByteArray *spt_kernel_pack_names(const SptNameRow *const *names, uint32_t n,
				  const uint8_t *build_id, unsigned build_id_bytes)
{
	g_autofree const SptNameRow **sorted = g_memdup2(names, MAX(n, 1) * sizeof(*names));
	struct head head = { .n = n, .build_id_bytes = MIN(build_id_bytes, sizeof(head.build_id)) };
	GByteArray *packed = g_byte_array_new();
	g_autoptr(GByteArray) texts = g_byte_array_new();

	memcpy(head.build_id, build_id, head.build_id_bytes);
	g_byte_array_append(packed, (const uint8_t *)&head, sizeof(head));
	qsort(sorted, n, sizeof(*sorted), kernel_answer_compare_rows);
	for (uint32_t i = 0; i < n; i++) {
		struct packed_name name = { .start = kernel_answer_start_of(sorted[i]),
					    .distance = sorted[i]->distance,
					    .text = texts->len };

		g_byte_array_append(packed, (const uint8_t *)&name, sizeof(name));
		g_byte_array_append(texts, (const uint8_t *)sorted[i]->symbol,
				    strlen(sorted[i]->symbol) + 1);
	}
	g_byte_array_append(packed, texts->data, texts->len);
	return packed;
}

/* NULL: the bytes are no valid answer. */
static SptNameRow *kernel_answer_unpack(const uint8_t *packed, uint32_t bytes,
					struct head *ret_head)
{
	const struct packed_name *names = (const struct packed_name *)(packed + sizeof(*ret_head));
	SptNameRow *rows;
	const char *texts;
	size_t text_bytes;

	if (bytes < sizeof(*ret_head))
		return NULL;
	memcpy(ret_head, packed, sizeof(*ret_head));
	if (ret_head->build_id_bytes > sizeof(ret_head->build_id) ||
	    ret_head->n > (bytes - sizeof(*ret_head)) / sizeof(*names))
		return NULL;
	texts = (const char *)(names + ret_head->n);
	text_bytes = bytes - sizeof(*ret_head) - ret_head->n * sizeof(*names);
	if (ret_head->n > 0 && (text_bytes == 0 || texts[text_bytes - 1]))
		return NULL;
	rows = g_new0(SptNameRow, MAX(ret_head->n, 1));
	for (uint32_t i = 0; i < ret_head->n; i++) {
		rows[i] = (SptNameRow){ .offset = names[i].start + names[i].distance,
					.distance = names[i].distance,
					.symbol = texts + MIN(names[i].text, text_bytes - 1) };
	}
	return rows;
}

/* The name that begins last before it. */
static unsigned kernel_answer_find_places(void *data, uint64_t offset,
					  SptPlace ret[SPT_INLINES_MAX])
{
	const struct names *names = data;
	uint32_t low = 0, high = names->n;
	uint64_t address;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (kernel_answer_start_of(&names->rows[middle]) <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || !*names->rows[low - 1].symbol ||
	    !spt_kernel_code_address(names->code, &names->rows[low - 1], offset, &address))
		return 0;
	return spt_kernel_code_find(names->code, address, ret);
}

GByteArray *spt_kernel_answer(int fd, const char *path, const uint8_t *packed, uint32_t bytes,
			      const uint64_t *offsets, uint32_t n)
{
	struct head head = { 0 };
	g_autofree SptNameRow *rows = kernel_answer_unpack(packed, bytes, &head);
	g_autofree const SptNameRow **listed = g_new(const SptNameRow *, MAX(head.n, 1));
	g_autoptr(SptKernelCode) code = NULL;
	const char *problem = "was asked for in a way that is not understood";

	for (uint32_t i = 0; rows && i < head.n; i++)
		listed[i] = &rows[i];
	if (rows)
		code = spt_kernel_code_new(fd, path, SPT_KERNEL_LINES, listed, head.n,
					   head.build_id, head.build_id_bytes, &problem);
	else
		close(fd);
	return code ? spt_place_table_write_places(kernel_answer_find_places,
						   &(struct names){ code, rows, head.n }, offsets,
						   n) :
		      spt_place_table_write_problem(problem, n);
}
