/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hostile captures for the reader.
 *
 *	clang -DSPT_LIBFUZZER -fsanitize=fuzzer,address,undefined ...	libFuzzer drives
 *	fuzz-capture FILE...						each file once, as it is
 *	fuzz-capture --rounds N FILE...					and N mutations of each, always the same ones
 *
 * Random damage would end at a checksum.  So the mutation driver works on payloads, and the fuzz
 * target mends numbers and checksums of whatever still looks like blocks before the reader sees it:
 * what is tried is the decoder.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/block.h"
#include "capture/capture.h"
#include "capture/crc32c.h"
#include "capture/declared.h"
#include "capture/maps.h"

#include "../gen/peak.h"
#include "mutate.h"

#define CRC_AT 16
#define NUMBER_AT 20
#define MOST_DECLARED 10000		/* events, as a constant column makes millions */
/* Of a file of @bytes; large ones may pack better than that. */
#define MOST_MEMORY_BYTES(bytes) MAX(4 * (bytes) + (64u << 20), 64 * (bytes))

static void store_u32(uint8_t *to, uint32_t value)
{
	value = GUINT32_TO_LE(value);
	memcpy(to, &value, sizeof(value));
}

static void mend_checksums(uint8_t *data, size_t bytes)
{
	size_t at = SPT_FILE_HEADER_BYTES;
	SptBlockHeader header;

	for (uint32_t number = 0; at + SPT_BLOCK_HEADER_BYTES <= bytes; number++) {
		uint8_t *block = data + at;

		if (!spt_block_header_parse(&header, block) ||
		    header.stored_bytes > bytes - at - SPT_BLOCK_HEADER_BYTES)
			return;
		store_u32(block + CRC_AT, 0);
		store_u32(block + NUMBER_AT, number);
		store_u32(block + CRC_AT,
			  spt_crc32c(0, block, SPT_BLOCK_HEADER_BYTES + header.stored_bytes));
		at += SPT_BLOCK_HEADER_BYTES + header.stored_bytes;
	}
}

static uint64_t walk_samples(const SptCapture *capture)
{
	g_autoptr(SptSamples) samples = spt_samples_new(capture);
	uint64_t sum = 0, n = 0, weight = capture->weight;
	const SptSampleRow *rows;
	uint32_t n_rows;

	while ((rows = spt_samples_next(samples, &n_rows))) {
		for (uint32_t i = 0; i < n_rows; i++) {
			const SptThreadRow *thread = &capture->threads[rows[i].thread];

			sum += strlen(thread->name) +
			       strlen(capture->processes[thread->process].name);
			sum += capture->nodes[rows[i].node].frame.offset;
			weight -= rows[i].weight;
		}
		n += n_rows;
	}
	g_assert(n == capture->n_samples && weight == 0);
	for (uint64_t i = 0; i < capture->n_leaves; i++) {
		sum += capture->processes[capture->leaves[i].process].pid +
		       capture->nodes[capture->leaves[i].node].parent;
		n -= capture->leaves[i].samples;
		weight += capture->leaves[i].weight;
	}
	g_assert(!capture->has_leaves || (n == 0 && weight == capture->weight));
	return sum;
}

static uint64_t walk_maps(const SptCapture *capture)
{
	g_autoptr(SptMapIndex) index = spt_map_index_new(capture);
	uint64_t sum = 0;

	for (uint64_t i = 0; i < capture->n_maps; i += 1000) {
		bool is_cut;
		g_autoptr(GArray) spans =
			spt_map_index_spans(index, capture->maps[i].process, &is_cut);

		for (unsigned n = 0; n < spans->len; n++) {
			const SptMapSpan *span = &g_array_index(spans, SptMapSpan, n);

			g_assert(span->map.start < span->map.end && span->map.from <= span->until);
			sum += strlen(capture->objects[span->map.object].path);
		}
	}
	return sum;
}

static uint64_t walk_values(const SptDeclared *kind, const SptDeclaredRow *row)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < kind->n_fields; i++) {
		g_autofree char *text = spt_value_describe(&kind->fields[i], row->values[i]);

		g_assert(strlen(text) <=
			 SPT_DECLARED_TEXT_BYTES + 1 + strlen(kind->fields[i].unit));
		sum += strlen(text);
	}
	return sum;
}

static uint64_t walk_declared(const SptCapture *capture)
{
	const SptDeclared *kind;
	uint64_t sum = 0, n = 0;

	for (unsigned i = 0; (kind = spt_declared(capture, i)); i++) {
		g_autoptr(SptDeclaredReader) reader = spt_declared_reader_new(capture, kind);
		const SptDeclaredRow *rows;
		uint32_t n_rows;

		g_assert(i < SPT_DECLARED_KINDS && kind->n_fields <= SPT_DECLARED_FIELDS);
		g_assert(g_utf8_validate(kind->name, -1, NULL) && *kind->name);
		g_assert(spt_declared_find(capture, kind->name) == kind);
		while (n < MOST_DECLARED && (rows = spt_declared_reader_next(reader, &n_rows)))
			for (uint32_t k = 0; k < n_rows; k++, n++) {
				g_assert(rows[k].duration_ns <= UINT64_MAX - rows[k].time);
				sum += strlen(capture->threads[rows[k].thread].name) +
				       capture->nodes[rows[k].node].parent +
				       walk_values(kind, &rows[k]);
			}
	}
	return sum;
}

/* Follows every reference, as each user of the capture will. */
static uint64_t walk(const SptCapture *capture)
{
	uint64_t sum = walk_samples(capture) + spt_capture_period_ns(capture);

	for (uint32_t id = 1; id < capture->n_nodes; id++) {
		g_assert(capture->nodes[id].parent < id);
		sum += strlen(capture->objects[capture->nodes[id].frame.object].path);
	}
	for (uint32_t id = 0; id < capture->n_processes; id++)
		sum += capture->processes[capture->processes[id].parent].pid;
	for (uint64_t i = 0; i < capture->n_names; i++)
		sum += strlen(capture->names[i].symbol) + strlen(capture->names[i].module);
	for (uint64_t i = 0; i < capture->n_bundled; i++) {
		const SptBundledRow *row = &capture->bundled[i];

		sum += strlen(row->function) + strlen(row->directory) + strlen(row->file) +
		       strlen(capture->objects[row->object].path);
		g_assert(row->level < SPT_MOST_LEVELS && row->level < capture->n_bundled - i);
		g_assert(row->level == 0 ||
			 (row[1].object == row->object && row[1].offset == row->offset));
	}
	sum += walk_maps(capture) + walk_declared(capture);
	for (uint32_t id = 0; id < capture->n_streams; id++)
		sum += strlen(capture->streams[id].name) + capture->streams[id].rows;
	return sum;
}

/* Keeps the compiler from removing walk(). */
static volatile uint64_t sum_of_all;

static void read_once(const uint8_t *data, size_t bytes)
{
	int fd = memfd_create("capture", MFD_CLOEXEC);
	g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fd);
	g_autoptr(SptCapture) capture = NULL;
	g_autoptr(GError) error = NULL;
	size_t begin;

	g_assert(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes);
	begin = peak_begin();
	capture = spt_capture_open(path, &error);
	g_assert_cmpuint(peak_since(begin), <=, MOST_MEMORY_BYTES(bytes));
	close(fd);
	g_assert((capture == NULL) == (error != NULL));
	if (capture)
		sum_of_all = walk(capture);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	g_autofree uint8_t *mended = g_memdup2(data, bytes);

	if (bytes > 0)
		mend_checksums(mended, bytes);
	read_once(data, bytes);
	read_once(mended, bytes);
	return 0;
}

#ifndef SPT_LIBFUZZER

/*
 * The same capture without compression: a changed byte is then a changed number, not a broken zstd
 * frame.
 */
static GByteArray *unpack_blocks(const uint8_t *data, size_t bytes)
{
	GByteArray *file = g_byte_array_new();
	size_t at = MIN(bytes, SPT_FILE_HEADER_BYTES);
	SptBlockHeader header;

	g_byte_array_append(file, data, (guint)at);
	while (at + SPT_BLOCK_HEADER_BYTES <= bytes && spt_block_header_parse(&header, data + at) &&
	       header.stored_bytes <= bytes - at - SPT_BLOCK_HEADER_BYTES) {
		const uint8_t *stored = data + at + SPT_BLOCK_HEADER_BYTES;
		g_autofree uint8_t *payload = g_malloc(header.payload_bytes + 1u);
		guint block_at = file->len;

		g_byte_array_append(file, data + at, SPT_BLOCK_HEADER_BYTES);
		if (header.flags & SPT_BLOCK_ZSTD &&
		    ZSTD_decompress(payload, header.payload_bytes, stored, header.stored_bytes) ==
			    header.payload_bytes) {
			memset(file->data + block_at + 6, 0, 2);
			store_u32(file->data + block_at + 8, header.payload_bytes);
			g_byte_array_append(file, payload, header.payload_bytes);
		} else {
			g_byte_array_append(file, stored, header.stored_bytes);
		}
		at += SPT_BLOCK_HEADER_BYTES + header.stored_bytes;
	}
	return file;
}

static void mutate_file(const uint8_t *data, size_t bytes, unsigned long rounds)
{
	g_autoptr(GByteArray) plain = unpack_blocks(data, bytes);
	uint64_t state = mutations_seed;

	for (unsigned long round = 0; round < rounds; round++)
		if (round % 4 == 0)
			try_mutation(data, bytes, &state);
		else
			try_mutation(plain->data, plain->len, &state);
}

int main(int argc, char **argv)
{
	peak_watch();
	return mutate_main(argc, argv, "fuzz-capture", mutate_file);
}

#endif
