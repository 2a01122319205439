/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests to block devices, and pages that come into the page cache.  A request is known by its
 * device and sector, where several of the same can be under way: the first one ends first.  Trace
 * points do not say for which file a request is.
 */
#include <string.h>
#include <unistd.h>

#include "trace/perf/kernel-hooks.h"

#define MOST_REQUESTS 65536u
#define MOST_DISKS    1024u
#define SECTOR_SHIFT  9
/* In the kernel's numbers of devices. */
#define MINOR_BITS    20

enum { DEVICE, SECTOR, SECTORS, OPERATION, BYTES };
enum { FAILED = BYTES };
enum { FILE_SYSTEM, INODE, PAGES_ORDER };

struct place {
	uint64_t device, sector;
};

struct request {
	struct place place;
	struct request *next;		/* of the same place, later */
	uint64_t key, begin, since;	/* since: when the device got it; 0: not yet */
	uint64_t bytes, left;		/* left: sectors that are not done */
	bool is_reported, is_back;		/* is_back: in the queue again */
	struct sysprof_part_block part;
};

static guint place_hash(gconstpointer data)
{
	const struct place *place = data;
	uint64_t mixed = (place->sector ^ place->device << 40) * 0xd6e8feb86659fd93u;

	return (guint)(mixed ^ mixed >> 32);
}

static gboolean place_equal(gconstpointer x, gconstpointer y)
{
	const struct place *one = x, *other = y;

	return one->device == other->device && one->sector == other->sector;
}

static void requests_free(gpointer data)
{
	struct request *request = data, *next;

	for (; request; request = next) {
		next = request->next;
		g_free(request);
	}
}

void spt_kernel_block_init(SptKernelState *state)
{
	/* The key is in the value. */
	state->requests = g_hash_table_new_full(place_hash, place_equal, NULL, requests_free);
	state->disks = g_hash_table_new_full(NULL, NULL, NULL, g_free);
}

void spt_kernel_block_clear(SptKernelState *state)
{
	g_hash_table_unref(state->requests);
	g_hash_table_unref(state->disks);
}

static uint32_t device_major(uint64_t device)
{
	return (uint32_t)(device >> MINOR_BITS);
}

static uint32_t device_minor(uint64_t device)
{
	return (uint32_t)(device & ((1u << MINOR_BITS) - 1));
}

/* "" if it is not known. */
static const char *disk_name(SptKernelState *state, uint64_t device)
{
	gpointer key = GSIZE_TO_POINTER(device);
	const char *known = g_hash_table_lookup(state->disks, key);
	g_autofree char *path = NULL, *target = NULL;
	char *name;

	if (known)
		return known;
	if (g_hash_table_size(state->disks) >= MOST_DISKS)
		return "";
	path = g_strdup_printf("/sys/dev/block/%u:%u", device_major(device), device_minor(device));
	target = g_file_read_link(path, NULL);
	name = target ? g_path_get_basename(target) : g_strdup("");
	g_hash_table_insert(state->disks, key, name);
	return name;
}

/* As blktrace has them: "FF" is a flush, "WS" a write that somebody waits for. */
static void set_operation(struct sysprof_part_block *part, const char *text)
{
	size_t at = strcspn(text, "RWDN");
	const char *flags = text[at] ? text + at + 1 : text + at;

	part->part.a = text[at] == 'R'		   ? SYSPROF_BLOCK_READ :
		       text[at] == 'W'		   ? SYSPROF_BLOCK_WRITE :
		       text[at] == 'D'		   ? SYSPROF_BLOCK_DISCARD :
		       !text[at] && text[0] == 'F' ? SYSPROF_BLOCK_FLUSH :
						     SYSPROF_BLOCK_OTHER;
	part->flags = (strchr(flags, 'S') ? SYSPROF_BLOCK_SYNC : 0) |
		      (strchr(flags, 'M') ? SYSPROF_BLOCK_META : 0) |
		      (strchr(flags, 'A') ? SYSPROF_BLOCK_AHEAD : 0);
}

static struct place place_of(const struct spt_kernel_hit *hit)
{
	return (struct place){ spt_hit_number(hit, DEVICE), spt_hit_number(hit, SECTOR) };
}

static void requests_append(SptKernelState *state, struct request *request)
{
	struct request *first = g_hash_table_lookup(state->requests, &request->place);

	request->next = NULL;
	state->n_requests++;
	if (!first) {
		g_hash_table_insert(state->requests, &request->place, request);
		return;
	}
	while (first->next)
		first = first->next;
	first->next = request;
}

/* Takes the first request of the place off the table; NULL: there is none. */
static struct request *requests_take(SptKernelState *state, const struct place *place)
{
	struct request *first = g_hash_table_lookup(state->requests, place);

	if (!first)
		return NULL;
	g_hash_table_steal(state->requests, place);
	if (first->next)
		g_hash_table_insert(state->requests, &first->next->place, first->next);
	first->next = NULL;
	state->n_requests--;
	return first;
}

static struct request *request_make(SptKernelState *state, const struct spt_kernel_hit *hit)
{
	struct request *request = g_new0(struct request, 1);
	struct spt_kernel_event event = {
		.kind = SYSPROF_SOURCE_BLOCK,
		.phase = SYSPROF_PHASE_OPEN,
		.context = spt_hit_context(hit),
		.weight = 1,
		.part = &request->part.part,
		.has_stack = true,
	};
	char operation[16];

	request->place = place_of(hit);
	request->key = event.key = ++state->n_keys;
	request->begin = hit->who.time;
	request->bytes = event.value = spt_hit_number(hit, BYTES);
	request->part = (struct sysprof_part_block){
		.part = { SYSPROF_PART_BLOCK, sizeof(request->part) / 8, 0,
			  (uint16_t)MIN(state->n_requests + 1, UINT16_MAX) },
		.dev_major = device_major(request->place.device),
		.dev_minor = device_minor(request->place.device),
	};
	spt_hit_text(hit, OPERATION, operation, sizeof(operation));
	set_operation(&request->part, operation);
	g_strlcpy(request->part.disk, disk_name(state, request->place.device),
		  sizeof(request->part.disk));
	request->is_reported = spt_kernel_tell(state, hit, &event);
	return request;
}

/* The ends of these were missed. */
static void requests_forget(SptKernelState *state)
{
	g_hash_table_remove_all(state->requests);
	state->n_requests = 0;
	state->has_lost = true;
}

static void request_open(SptKernelState *state, const struct spt_kernel_hit *hit, bool is_issued)
{
	struct request *request;

	if (state->n_requests >= MOST_REQUESTS)
		requests_forget(state);
	request = request_make(state, hit);
	request->since = is_issued ? hit->who.time : 0;
	request->left = spt_hit_number(hit, SECTORS);
	requests_append(state, request);
}

/* It enters a scheduler's queue. */
static void request_inserted(SptKernelState *state, const struct spt_kernel_hit *hit)
{
	request_open(state, hit, false);
}

/* The device gets it: one that was in the queue, or was put back there. */
static void request_issued(SptKernelState *state, const struct spt_kernel_hit *hit)
{
	const struct place place = place_of(hit);
	struct request *request = g_hash_table_lookup(state->requests, &place);

	while (request && request->since && !request->is_back)
		request = request->next;
	if (!request) {
		request_open(state, hit, true);
		return;
	}
	request->is_back = false;
	if (request->since)
		return;
	request->since = hit->who.time;
	/* With what was merged into it meanwhile. */
	request->bytes = spt_hit_number(hit, BYTES);
	request->left = spt_hit_number(hit, SECTORS);
}

/* The first time that the device got it counts. */
static void request_put_back(SptKernelState *state, const struct spt_kernel_hit *hit)
{
	const struct place place = place_of(hit);
	struct request *request = g_hash_table_lookup(state->requests, &place);

	if (request)
		request->is_back = request->since;
}

/* It is part of another one from now on, with its bytes. */
static void request_merged(SptKernelState *state, const struct spt_kernel_hit *hit)
{
	const struct place place = place_of(hit);

	g_free(requests_take(state, &place));
}

static void request_done(SptKernelState *state, const struct spt_kernel_hit *hit)
{
	const struct place place = place_of(hit);
	struct request *request = requests_take(state, &place);
	uint64_t sectors = spt_hit_number(hit, SECTORS);
	struct spt_kernel_event event = {
		.kind = SYSPROF_SOURCE_BLOCK_DONE,
		.phase = SYSPROF_PHASE_CLOSE,
		.context = spt_hit_context(hit),
		.weight = 1,
	};

	if (!request) {
		spt_kernel_tell_unpaired(state, hit);
		return;
	}
	/* Some devices complete a request in parts: the rest begins behind this one. */
	if (sectors < request->left) {
		request->left -= sectors;
		request->place.sector += sectors;
		requests_append(state, request);
		return;
	}
	if (!request->since)
		request->since = hit->who.time;
	request->part.queued = request->since - MIN(request->begin, request->since);
	request->part.flags |= spt_hit_number(hit, FAILED) ? SYSPROF_BLOCK_FAILED : 0;
	event.begin = request->since;
	event.value = request->bytes;
	event.key = request->key;
	event.part = &request->part.part;
	if (request->is_reported)
		spt_kernel_tell(state, hit, &event);
	g_free(request);
}

/* Page cache. */

static void page_cached(SptKernelState *state, const struct spt_kernel_hit *hit)
{
	uint64_t device = spt_hit_number(hit, FILE_SYSTEM),
		 order = spt_hit_number(hit, PAGES_ORDER),
		 bytes = (uint64_t)sysconf(_SC_PAGESIZE) << MIN(order, 31);
	struct sysprof_part_block part = {
		.part = { SYSPROF_PART_BLOCK, sizeof(part) / 8, SYSPROF_BLOCK_READ, 0 },
		.file_major = device_major(device),
		.file_minor = device_minor(device),
		.inode = spt_hit_number(hit, INODE),
	};
	const struct spt_kernel_event event = {
		.kind = SYSPROF_SOURCE_PAGE_CACHE,
		.phase = SYSPROF_PHASE_INSTANT,
		.context = spt_hit_context(hit),
		.value = bytes,
		.weight = (uint32_t)MIN(bytes * hit->weight, UINT32_MAX),
		.part = &part.part,
		.has_stack = true,
	};

	/* What is cached of a disk itself: its inode has the disk's number. */
	if (!part.file_major && *disk_name(state, part.inode)) {
		part.inode = 0;
		part.flags = SYSPROF_BLOCK_META;
	}
	spt_kernel_tell(state, hit, &event);
}

#define REQUEST_FIELDS                                                                             \
	.fields = { [DEVICE] = "dev", [SECTOR] = "sector", [SECTORS] = "nr_sector",                \
		    [OPERATION] = "rwbs", [BYTES] = "bytes" }

const struct spt_kernel_hook spt_hooks_block[] = {
	{
		.name = "block:block_rq_complete",
		.kind = SYSPROF_SOURCE_BLOCK_DONE,
		.flags = SPT_HOOK_COUNTS | SPT_HOOK_ANYONE,
		.take = request_done,
		.fields = { [DEVICE] = "dev", [SECTOR] = "sector", [SECTORS] = "nr_sector",
			    [OPERATION] = "rwbs", [FAILED] = "?error" },
	},
	{
		.name = "block:block_rq_merge",
		.kind = SYSPROF_SOURCE_BLOCK,
		.flags = SPT_HOOK_OPTIONAL | SPT_HOOK_ANYONE,
		.take = request_merged,
		REQUEST_FIELDS,
	},
	{
		.name = "block:block_rq_requeue",
		.kind = SYSPROF_SOURCE_BLOCK,
		.flags = SPT_HOOK_OPTIONAL | SPT_HOOK_ANYONE,
		.take = request_put_back,
		.fields = { [DEVICE] = "dev", [SECTOR] = "sector" },
	},
	{
		.name = "block:block_rq_insert",
		.kind = SYSPROF_SOURCE_BLOCK,
		.flags = SPT_HOOK_OPTIONAL | SPT_HOOK_STACK,
		.take = request_inserted,
		REQUEST_FIELDS,
	},
	{
		.name = "block:block_rq_issue",
		.kind = SYSPROF_SOURCE_BLOCK,
		.flags = SPT_HOOK_COUNTS | SPT_HOOK_STACK,
		.take = request_issued,
		REQUEST_FIELDS,
	},
	{
		.name = "filemap:mm_filemap_add_to_page_cache",
		.kind = SYSPROF_SOURCE_PAGE_CACHE,
		.flags = SPT_HOOK_COUNTS | SPT_HOOK_STACK | SPT_HOOK_THINS,
		.take = page_cached,
		.fields = { [FILE_SYSTEM] = "s_dev", [INODE] = "i_ino", [PAGES_ORDER] = "?order" },
	},
	{ 0 },
};
