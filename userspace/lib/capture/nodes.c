/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Encoder and decoder are side by side, as each does what the other expects. */
#include "capture/nodes.h"

#include <string.h>

#include "base/words.h"

#define NODES_AT_ONCE 256u

struct SptNodePacker {
	SptFollowers followers;
	uint32_t next_frame;		/* the first frame that is not used yet */
	uint32_t epoch;
};

static const SptSchema schema_of_nodes = { sizeof(uint32_t), 0, NULL };

/*
 * The frame that predicts a new one below @parent: code that is called from one address is mostly
 * one function.
 */
static uint32_t model_of(const SptFollowers *followers, uint32_t parent)
{
	uint32_t latest = spt_followers_latest(followers, parent);

	return latest ? latest : parent;
}

SptNodePacker *spt_node_packer_new(void)
{
	SptNodePacker *packer = g_new0(SptNodePacker, 1);

	packer->next_frame = 1;
	spt_followers_init(&packer->followers);
	return packer;
}

void spt_node_packer_free(SptNodePacker *packer)
{
	spt_followers_clear(&packer->followers);
	g_free(packer);
}

void spt_node_packer_forget(SptNodePacker *packer)
{
	spt_followers_clear(&packer->followers);
	spt_followers_init(&packer->followers);
	packer->next_frame = 1;
	packer->epoch++;
}

static SptFrame new_frame(const SptNodePacker *packer, const SptStash *stash, const SptFrame *frame,
			  uint32_t parent)
{
	const SptFrame *model = spt_stash_frame(stash, model_of(&packer->followers, parent));

	return (SptFrame){ .offset = frame->offset - model->offset,
			   .object = frame->object ^ model->object,
			   .kind = frame->kind };
}

/* The @n nodes from @first on. */
static bool pack_some(SptNodePacker *packer, const SptStash *stash, uint32_t first, unsigned n,
		      uint32_t base, GArray *rows, GArray *frames, GArray *old_frames,
		      GError **error)
{
	guint n_rows = rows->len, n_new = frames->len, n_old = old_frames->len;
	bool ok = true;

	/* Room for all of them: asking for each one costs more than the node. */
	g_array_set_size(rows, n_rows + n);
	g_array_set_size(frames, n_new + n);
	g_array_set_size(old_frames, n_old + n);
	for (uint32_t id = first; ok && id < first + n; id++) {
		const SptNode *node = spt_stash_node(stash, id);
		uint32_t parent = spt_stash_frame_of(stash, node->parent);
		uint32_t frame = spt_stash_frame_of(stash, id);
		bool is_new = frame == packer->next_frame;
		unsigned place = is_new ? 0 : spt_followers_find(&packer->followers, parent, frame);
		SptNodeRow *row = &g_array_index(rows, SptNodeRow, n_rows++);

		*row = (SptNodeRow){ .parent = node->parent ? node->parent + base : 0,
				     .epoch = packer->epoch };
		if (place > 0) {
			row->how = SPT_NODE_FOLLOWER + place - 1;
			spt_followers_take(&packer->followers, parent, place);
			continue;
		}
		row->how = is_new ? SPT_NODE_NEW_FRAME : SPT_NODE_OLD_FRAME;
		if (is_new)
			g_array_index(frames, SptFrame, n_new++) =
				new_frame(packer, stash, &node->frame, parent);
		else
			g_array_index(old_frames, SptOldFrameRow, n_old++) =
				(SptOldFrameRow){ packer->next_frame - frame };
		ok = spt_followers_add(&packer->followers, parent, frame, error);
		packer->next_frame += is_new;
	}
	g_array_set_size(rows, n_rows);
	g_array_set_size(frames, n_new);
	g_array_set_size(old_frames, n_old);
	return ok;
}

bool spt_node_packer_pack(SptNodePacker *packer, SptStash *stash, uint32_t first, uint32_t base,
			  GArray *rows, GArray *frames, GArray *old_frames, GError **error)
{
	uint32_t n_nodes = spt_stash_n_nodes(stash);

	spt_stash_number_frames(stash);
	for (unsigned n; first < n_nodes; first += n) {
		n = MIN(n_nodes - first, NODES_AT_ONCE);
		if (!pack_some(packer, stash, first, n, base, rows, frames, old_frames, error))
			return false;
	}
	return true;
}

void spt_node_unpacker_init(SptNodeUnpacker *unpacker)
{
	unpacker->frames = spt_store_new(&spt_schema_frame, 1);
	unpacker->old_frames = spt_store_new(&spt_schema_old_frame, 0);
	unpacker->of_nodes = spt_store_new(&schema_of_nodes, 1);
	unpacker->next_frame = 1;
	spt_followers_init(&unpacker->followers);
}

void spt_node_unpacker_clear(SptNodeUnpacker *unpacker)
{
	g_clear_pointer(&unpacker->frames.data, g_free);
	g_clear_pointer(&unpacker->old_frames.data, g_free);
	g_clear_pointer(&unpacker->of_nodes.data, g_free);
	spt_followers_clear(&unpacker->followers);
}

uint64_t spt_node_unpacker_bytes(const SptNodeUnpacker *unpacker)
{
	return spt_store_bytes(&unpacker->frames) + spt_store_bytes(&unpacker->old_frames) +
	       spt_store_bytes(&unpacker->of_nodes) + spt_followers_bytes(&unpacker->followers);
}

uint64_t spt_node_unpacker_more_bytes(const SptNodeUnpacker *unpacker, uint64_t n)
{
	return spt_store_more_bytes(&unpacker->of_nodes, unpacker->of_nodes.n + n) +
	       spt_followers_more_bytes(&unpacker->followers, n,
					MIN(unpacker->frames.n, unpacker->next_frame + n));
}

static bool nodes_damaged(GError **error, const char *clause)
{
	g_set_error_literal(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_DAMAGED, spt_words(clause));
	return false;
}

/* Frames of earlier epochs are dropped, once that is no more work than adding them was. */
static void drop_frames(SptNodeUnpacker *unpacker)
{
	SptStore *frames = &unpacker->frames;
	uint64_t coming = frames->n - unpacker->before - 1;

	if (coming > unpacker->before)
		return;
	if (coming > 0)
		memmove(spt_store_row(frames, 1), spt_store_row(frames, unpacker->before + 1),
			coming * frames->schema->row_bytes);
	frames->n = frames->clean = coming + 1;
	unpacker->before = 0;
}

/* Unused frames belong to the new epoch; its nodes point to none of the epochs before. */
static void begin_epoch(SptNodeUnpacker *unpacker, uint32_t epoch)
{
	unpacker->before += unpacker->next_frame - 1;
	unpacker->frames_before += unpacker->next_frame - 1;
	unpacker->next_frame = 1;
	unpacker->nodes_before += unpacker->of_nodes.n - 1;
	unpacker->of_nodes.n = 1;
	unpacker->epoch = epoch;
	spt_followers_forget(&unpacker->followers);
	drop_frames(unpacker);
}

static SptFrame *frame_at(const SptNodeUnpacker *unpacker, uint64_t frame)
{
	return spt_store_row(&unpacker->frames, frame ? unpacker->before + frame : 0);
}

static bool next_new(SptNodeUnpacker *unpacker, uint32_t parent, uint32_t *ret, GError **error)
{
	const SptFrame *model = frame_at(unpacker, model_of(&unpacker->followers, parent));
	SptFrame *frame = frame_at(unpacker, unpacker->next_frame);

	if (unpacker->before + unpacker->next_frame >= unpacker->frames.n)
		return nodes_damaged(error, "a node has a new frame, which is not there");
	frame->offset += model->offset;
	frame->object ^= model->object;
	if (frame->kind > SPT_FRAME_EXACT)
		frame->kind = SPT_FRAME_CALL;
	*ret = (uint32_t)unpacker->next_frame++;
	return true;
}

static bool next_old(SptNodeUnpacker *unpacker, uint32_t *ret, GError **error)
{
	const SptOldFrameRow *old;

	if (unpacker->next_old_frame >= unpacker->old_frames.n)
		return nodes_damaged(error, "a node refers to a frame that was not written");
	old = spt_store_row(&unpacker->old_frames, unpacker->next_old_frame++);
	if (old->distance == 0 || old->distance >= unpacker->next_frame)
		return nodes_damaged(error, "a node has an old frame from before the first");
	*ret = (uint32_t)(unpacker->next_frame - old->distance);
	return true;
}

bool spt_node_unpacker_next(SptNodeUnpacker *unpacker, const SptNodeRow *row, SptNode *ret,
			    GError **error)
{
	uint64_t parent_node;
	uint32_t parent, frame;

	if (row->epoch != unpacker->epoch)
		begin_epoch(unpacker, row->epoch);
	parent_node =
		row->parent > unpacker->nodes_before ? row->parent - unpacker->nodes_before : 0;
	if (parent_node >= unpacker->of_nodes.n || (parent_node == 0 && row->parent > 0))
		return nodes_damaged(error, "a node has no parent before it");
	parent = *(const uint32_t *)spt_store_row(&unpacker->of_nodes, parent_node);
	if (row->how >= SPT_NODE_FOLLOWER) {
		frame = row->how - SPT_NODE_FOLLOWER < SPT_MOST_FOLLOWERS ?
				spt_followers_take(&unpacker->followers, parent,
						   row->how - SPT_NODE_FOLLOWER + 1) :
				0;
		if (frame == 0)
			return nodes_damaged(error, "a node repeats a frame that was not met");
	} else if (!(row->how == SPT_NODE_NEW_FRAME ? next_new(unpacker, parent, &frame, error) :
						      next_old(unpacker, &frame, error)) ||
		   !spt_followers_add(&unpacker->followers, parent, frame, error)) {
		return false;
	}
	if (!spt_store_reserve(&unpacker->of_nodes, unpacker->of_nodes.n + 1, error))
		return false;
	*(uint32_t *)spt_store_row(&unpacker->of_nodes, unpacker->of_nodes.n++) = frame;
	*ret = (SptNode){ .frame = *frame_at(unpacker, frame),
			  .parent = row->parent,
			  .key = (uint32_t)unpacker->frames_before + frame };
	return true;
}

uint32_t spt_node_unpacker_n_frames(const SptNodeUnpacker *unpacker)
{
	return (uint32_t)(unpacker->frames_before + unpacker->next_frame);
}
