/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Captures of GNOME Sysprof: samples, allocations and marks.  The frames are read twice: what names
 * addresses may come behind the samples that have them.  Addresses without a name are places in
 * files, or in the kernel.
 */
#include <inttypes.h>
#include <string.h>

#include "base/pairs.h"
#include "base/words.h"
#include "capture/format.h"
#include "formats/syscap.h"
#include "import/import.h"
#include "import/stacks.h"
#include "import/syscap-said.h"
#include "import/unpack.h"

#define SYSCAP_MAX_BYTES (1u << 30)
#define SYSCAP_MAPS_MAX	 (1u << 22)

struct syscap_place {
	uint32_t pid;
	uint64_t start, end, offset;
	const char *path;		/* in the file */
};

struct syscap_reader {
	const uint8_t *at, *end;
	uint64_t begin_ns;
	SptImportStacks *stacks;
	GArray *maps;			/* struct syscap_place, by pid and start; of equal ones in
					   the order of the file */
	GHashTable *names;		/* number of a jitmap -> name, in the file */
	GHashTable *processes;		/* pid -> name, in the file */
	GHashTable *blocks;		/* struct syscap_block -> SptAllocationRow: not freed yet */
	uint64_t n_blocks;
	GArray *frames;			/* SptFrame */
	struct spt_pairs known;		/* (pid, address) -> in frames */
	SptSyscapSaid *said;
	bool has_samples;
};

struct syscap_block {
	uint64_t address;
	int32_t pid;
};

/* A frame, and what is behind its head. */
struct syscap_piece {
	struct syscap_frame head;
	const uint8_t *rest, *end;
};

static bool probe_syscap(const char *begin, size_t bytes)
{
	const uint32_t magic = GUINT32_TO_LE(SYSCAP_MAGIC);

	return bytes >= sizeof(struct syscap_header) && memcmp(begin, &magic, sizeof(magic)) == 0;
}

/* False: the end, or a capture that was cut off. */
static bool syscap_next(struct syscap_reader *reader, struct syscap_piece *ret)
{
	if (reader->end - reader->at < (ptrdiff_t)sizeof(ret->head))
		return false;
	memcpy(&ret->head, reader->at, sizeof(ret->head));
	if (ret->head.bytes < sizeof(ret->head) || ret->head.bytes > reader->end - reader->at)
		return false;
	ret->rest = reader->at + sizeof(ret->head);
	ret->end = reader->at + ret->head.bytes;
	reader->at = ret->end;
	return true;
}

/* Copies the next @bytes; false: there are fewer. */
static bool syscap_take(struct syscap_piece *piece, void *to, size_t bytes)
{
	if ((size_t)(piece->end - piece->rest) < bytes)
		return false;
	memcpy(to, piece->rest, bytes);
	piece->rest += bytes;
	return true;
}

/* The text up to its NUL; NULL: it has none. */
static const char *syscap_take_text(struct syscap_piece *piece)
{
	const char *text = (const char *)piece->rest;
	const uint8_t *end = memchr(piece->rest, '\0', (size_t)(piece->end - piece->rest));

	if (!end)
		return NULL;
	piece->rest = end + 1;
	return text;
}

/* What names addresses. */

static void take_syscap_map(struct syscap_reader *reader, struct syscap_piece *piece)
{
	struct syscap_map map;
	const char *path;

	if (!syscap_take(piece, &map, sizeof(map)) || !(path = syscap_take_text(piece)) ||
	    map.end <= map.start)
		return;
	g_array_append_val(reader->maps, ((struct syscap_place){ (uint32_t)piece->head.pid,
								 map.start, map.end, map.offset,
								 path }));
}

static void take_syscap_names(struct syscap_reader *reader, struct syscap_piece *piece)
{
	uint32_t n;
	uint64_t address;
	const char *name;

	if (!syscap_take(piece, &n, sizeof(n)))
		return;
	for (; n > 0 && syscap_take(piece, &address, sizeof(address)); n--) {
		if (!(name = syscap_take_text(piece)))
			return;
		g_hash_table_insert(reader->names, (gpointer)(uintptr_t)address, (gpointer)name);
	}
}

/* "/usr/bin/app --option": the name of a process is that of its program. */
static void take_syscap_process(struct syscap_reader *reader, struct syscap_piece *piece)
{
	const char *name = syscap_take_text(piece);

	if (name)
		g_hash_table_insert(reader->processes, GINT_TO_POINTER(piece->head.pid),
				    (gpointer)name);
}

static const char *read_syscap_names(struct syscap_reader *reader)
{
	struct syscap_piece piece;

	while (syscap_next(reader, &piece)) {
		if (piece.head.type == SYSCAP_MAP)
			take_syscap_map(reader, &piece);
		else if (piece.head.type == SYSCAP_NAMES)
			take_syscap_names(reader, &piece);
		else if (piece.head.type == SYSCAP_PROCESS)
			take_syscap_process(reader, &piece);
		reader->has_samples |= piece.head.type == SYSCAP_SAMPLE;
		if (reader->maps->len > SYSCAP_MAPS_MAX ||
		    g_hash_table_size(reader->names) > SPT_IMPORT_FUNCTIONS)
			return SPT_WORDS("it has more names or mappings than can be imported");
	}
	return NULL;
}

static int compare_syscap_places(const void *a, const void *b)
{
	const struct syscap_place *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	/* Paths are in the order of the file. */
	return x->path < y->path ? -1 : x->path > y->path;
}

/* The last mapping that begins at or before @address, if it is in it. */
static const struct syscap_place *find_syscap_place(const struct syscap_reader *reader,
						    uint32_t pid, uint64_t address)
{
	guint from = 0, to = reader->maps->len;

	while (from < to) {
		guint middle = from + (to - from) / 2;
		const struct syscap_place *place =
			&g_array_index(reader->maps, struct syscap_place, middle);

		if (place->pid < pid || (place->pid == pid && place->start <= address))
			from = middle + 1;
		else
			to = middle;
	}
	if (from == 0)
		return NULL;

	const struct syscap_place *place =
		&g_array_index(reader->maps, struct syscap_place, from - 1);

	return place->pid == pid && address < place->end ? place : NULL;
}

/* Stacks. */

static SptFrame make_syscap_frame(struct syscap_reader *reader, uint32_t pid, uint64_t address,
				  bool is_kernel)
{
	gconstpointer key = (gconstpointer)(uintptr_t)address;
	const char *name =
		address >= SYSCAP_JITMAP ? g_hash_table_lookup(reader->names, key) : NULL;
	const struct syscap_place *place = NULL;
	g_autofree char *file = NULL, *text = NULL;

	if (name)
		return spt_import_stacks_frame(
			reader->stacks,
			spt_import_stacks_object(reader->stacks, SPT_OBJECT_ANON, ""), name);
	if (is_kernel)
		return spt_import_stacks_frame(
			reader->stacks,
			spt_import_stacks_object(reader->stacks, SPT_OBJECT_KERNEL, "[kernel]"),
			"[unknown kernel]");
	place = find_syscap_place(reader, pid, address);
	if (!place)
		return spt_import_stacks_frame(
			reader->stacks,
			spt_import_stacks_object(reader->stacks, SPT_OBJECT_UNKNOWN, "[unknown]"),
			"[unresolved]");
	file = g_path_get_basename(place->path);
	text = g_strdup_printf("%s+0x%" PRIx64, file, address - place->start + place->offset);
	return spt_import_stacks_frame(
		reader->stacks,
		spt_import_stacks_object(reader->stacks, SPT_OBJECT_UNKNOWN, place->path), text);
}

static const SptFrame *syscap_frame_of(struct syscap_reader *reader, uint32_t pid,
				       uint64_t address, bool is_kernel)
{
	/* Names, and places in the kernel, are the same in all processes. */
	uint32_t owner = address >= SYSCAP_JITMAP || is_kernel ? 0 : pid;
	uint32_t *known = spt_pairs_at(&reader->known, owner, address);

	if (*known == UINT32_MAX) {
		SptFrame frame = make_syscap_frame(reader, pid, address, is_kernel);

		*known = reader->frames->len;
		g_array_append_val(reader->frames, frame);
	}
	return &g_array_index(reader->frames, SptFrame, *known);
}

/* The node where the @n addresses of @piece end.  NULL, or what is wrong. */
static const char *syscap_node(struct syscap_reader *reader, struct syscap_piece *piece, unsigned n,
			       uint32_t *ret)
{
	bool is_kernel[SPT_IMPORT_FRAMES], in_kernel = false;
	uint64_t addresses[SPT_IMPORT_FRAMES];
	unsigned used = 0;

	if (n > SPT_IMPORT_FRAMES)
		return SPT_WORDS("has too many frames");
	for (unsigned i = 0; i < n; i++) {
		if (!syscap_take(piece, &addresses[used], sizeof(addresses[used])))
			return SPT_WORDS("has fewer frames than it says");
		is_kernel[used] = in_kernel;
		if (addresses[used] < SYSCAP_CONTEXT)
			used++;
		else
			in_kernel = addresses[used] == SYSCAP_KERNEL;
	}
	*ret = 0;
	for (unsigned i = used; i > 0; i--)
		*ret = spt_import_stacks_child(
			reader->stacks, *ret,
			syscap_frame_of(reader, (uint32_t)piece->head.pid, addresses[i - 1],
					is_kernel[i - 1]));
	return spt_import_stacks_excess(reader->stacks);
}

static uint32_t syscap_thread(struct syscap_reader *reader, int32_t pid, int32_t tid)
{
	const char *command = g_hash_table_lookup(reader->processes, GINT_TO_POINTER(pid));
	g_autofree char *first = command ? g_strndup(command, strcspn(command, " ")) : NULL;
	g_autofree char *name = first && *first ? g_path_get_basename(first) :
						  g_strdup_printf("[%d]", pid);

	return spt_import_stacks_thread(reader->stacks, (uint32_t)MAX(pid, 0),
					(uint32_t)MAX(tid, 0), name, name);
}

static uint64_t syscap_time(const struct syscap_reader *reader, const struct syscap_piece *piece)
{
	uint64_t time = (uint64_t)MAX(piece->head.time, 0);

	return time - MIN(time, reader->begin_ns);
}

static const char *take_syscap_sample(struct syscap_reader *reader, struct syscap_piece *piece)
{
	SptSampleRow row = { .time = syscap_time(reader, piece),
			     .cpu = (uint32_t)MAX(piece->head.cpu, 0) };
	struct syscap_sample sample;
	const char *wrong;

	if (!syscap_take(piece, &sample, sizeof(sample)))
		return SPT_WORDS("is cut off");
	if (row.cpu >= SPT_IMPORT_CPUS)
		return SPT_WORDS("is of one more CPU than can be imported");
	wrong = syscap_node(reader, piece, sample.n, &row.node);
	if (wrong)
		return wrong;
	row.thread = syscap_thread(reader, piece->head.pid, sample.tid);
	spt_import_stacks_sample(reader->stacks, &row, 1);
	return spt_import_stacks_excess(reader->stacks);
}

static guint hash_syscap_block(gconstpointer key)
{
	const struct syscap_block *block = key;

	return g_int64_hash(&block->address) * 31 + (guint)block->pid;
}

static gboolean equal_syscap_blocks(gconstpointer a, gconstpointer b)
{
	const struct syscap_block *x = a, *y = b;

	return x->address == y->address && x->pid == y->pid;
}

static void free_syscap_block(struct syscap_reader *reader, const struct syscap_block *block,
			      uint64_t time)
{
	SptAllocationRow *row = g_hash_table_lookup(reader->blocks, block);

	if (!row)
		return;
	row->duration_ns = time > row->time ? time - row->time : 0;
	row->handle = 0;
	row->flags = 0;
	spt_import_stacks_allocation(reader->stacks, row);
	g_hash_table_remove(reader->blocks, block);
}

/* An allocation at an address that was not freed has lost the free of the one before. */
static const char *take_syscap_allocation(struct syscap_reader *reader, struct syscap_piece *piece)
{
	struct syscap_allocation allocation;
	SptAllocationRow row = { .time = syscap_time(reader, piece), .flags = SPT_ALLOCATION_OPEN };
	struct syscap_block block = { .pid = piece->head.pid };
	const char *wrong;

	if (!syscap_take(piece, &allocation, sizeof(allocation)))
		return SPT_WORDS("is cut off");
	block.address = allocation.address;
	free_syscap_block(reader, &block, row.time);
	if (allocation.bytes <= 0)
		return NULL;
	if (allocation.bytes > (int64_t)(UINT32_MAX * 1000ull))
		return SPT_WORDS("has a value that is too large");
	wrong = syscap_node(reader, piece, allocation.n, &row.node);
	if (wrong)
		return wrong;
	row.thread = syscap_thread(reader, piece->head.pid, allocation.tid);
	row.bytes = row.weight = (uint64_t)allocation.bytes;
	row.handle = ++reader->n_blocks;
	g_hash_table_insert(reader->blocks, g_memdup2(&block, sizeof(block)),
			    g_memdup2(&row, sizeof(row)));
	return g_hash_table_size(reader->blocks) > SPT_IMPORT_NODES ?
		       SPT_WORDS("is one more block than can be imported") :
		       spt_import_stacks_excess(reader->stacks);
}

/* What the machine says has no process. */
static const char *take_syscap_said(struct syscap_reader *reader, const struct syscap_piece *piece)
{
	uint32_t thread = 0;

	if (piece->head.pid > 0 && spt_syscap_said_is(piece->head.type))
		thread = syscap_thread(reader, piece->head.pid, piece->head.pid);
	return spt_syscap_said_take(reader->said, piece->head.type, piece->head.time, thread,
				    piece->rest, (size_t)(piece->end - piece->rest));
}

static bool read_syscap_samples(struct syscap_reader *reader, GError **error)
{
	struct syscap_piece piece;
	const char *wrong = NULL;

	while (!wrong && syscap_next(reader, &piece)) {
		if (piece.head.type == SYSCAP_SAMPLE)
			wrong = take_syscap_sample(reader, &piece);
		else if (piece.head.type == SYSCAP_ALLOCATION)
			wrong = take_syscap_allocation(reader, &piece);
		else
			wrong = take_syscap_said(reader, &piece);
		if (!wrong && !spt_import_stacks_flush(reader->stacks, error))
			return false;
	}
	return !wrong || spt_import_stacks_refuse(reader->stacks, wrong, error);
}

/* Those that were not freed, in the order of time. */
static int compare_syscap_blocks(const void *a, const void *b)
{
	const SptAllocationRow *const *x = a, *const *y = b;

	if ((*x)->time != (*y)->time)
		return (*x)->time < (*y)->time ? -1 : 1;
	return (*x)->handle < (*y)->handle ? -1 : (*x)->handle > (*y)->handle;
}

static void put_syscap_blocks(struct syscap_reader *reader)
{
	g_autoptr(GPtrArray) rows = g_ptr_array_new();
	GHashTableIter iter;
	gpointer row;

	g_hash_table_iter_init(&iter, reader->blocks);
	while (g_hash_table_iter_next(&iter, NULL, &row))
		g_ptr_array_add(rows, row);
	g_ptr_array_sort(rows, compare_syscap_blocks);
	for (guint i = 0; i < rows->len; i++)
		spt_import_stacks_allocation(reader->stacks, rows->pdata[i]);
}

static bool read_syscap_frames(struct syscap_reader *reader, GError **error)
{
	const uint8_t *first = reader->at;
	const char *wrong = read_syscap_names(reader);

	if (wrong)
		return spt_import_refuse(error, wrong);
	g_array_sort(reader->maps, compare_syscap_places);
	reader->at = first;
	if (!read_syscap_samples(reader, error))
		return false;
	put_syscap_blocks(reader);
	return spt_import_stacks_finish(reader->stacks, error);
}

static bool read_syscap(const SptImportInput *input, SptCaptureWriter *writer, GError **error)
{
	g_autoptr(GByteArray) bytes = spt_import_unpack(input->fd, SYSCAP_MAX_BYTES, error);
	g_autoptr(SptImportStacks) stacks = spt_import_stacks_new(writer);
	struct syscap_reader reader = { .stacks = stacks };
	struct syscap_header header;
	bool ok;

	if (!bytes)
		return false;
	if (bytes->len < sizeof(header))
		return spt_import_refuse(error, SPT_WORDS("it is cut off"));
	memcpy(&header, bytes->data, sizeof(header));
	if (header.is_little_endian != (G_BYTE_ORDER == G_LITTLE_ENDIAN))
		return spt_import_refuse(error, SPT_WORDS("it is of a machine of the other byte order"));
	reader.at = bytes->data + sizeof(header);
	reader.end = bytes->data + bytes->len;
	reader.begin_ns = (uint64_t)MAX(header.begin, 0);
	reader.said = spt_syscap_said_new(stacks, writer, reader.begin_ns);
	reader.maps = g_array_new(FALSE, FALSE, sizeof(struct syscap_place));
	reader.names = g_hash_table_new(NULL, NULL);
	reader.processes = g_hash_table_new(NULL, NULL);
	reader.blocks = g_hash_table_new_full(hash_syscap_block, equal_syscap_blocks, g_free,
					      g_free);
	reader.frames = g_array_new(FALSE, FALSE, sizeof(SptFrame));
	spt_capture_writer_host(writer, "source", "GNOME Sysprof");
	ok = read_syscap_frames(&reader, error);
	spt_syscap_said_free(reader.said);
	g_array_unref(reader.maps);
	g_hash_table_unref(reader.names);
	g_hash_table_unref(reader.processes);
	g_hash_table_unref(reader.blocks);
	g_array_unref(reader.frames);
	spt_pairs_clear(&reader.known);
	return ok;
}

const SptImporter spt_import_syscap = {
	.name = "syscap",
	.probe = probe_syscap,
	.read = read_syscap,
};
