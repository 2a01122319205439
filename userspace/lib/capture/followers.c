/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A list for each frame.  A follower that is too far back to be found is added again: lists are
 * never searched to the end.
 */
#include "capture/followers.h"

#include <string.h>

struct link {
	uint32_t follower, next;	/* next: 0 at the end */
};

static const SptSchema schema_first = { sizeof(uint32_t), 0, NULL };
static const SptSchema schema_links = { sizeof(struct link), 0, NULL };

void spt_followers_init(SptFollowers *followers)
{
	followers->first = spt_store_new(&schema_first, 1);
	followers->links = spt_store_new(&schema_links, 1);
}

void spt_followers_clear(SptFollowers *followers)
{
	g_clear_pointer(&followers->first.data, g_free);
	g_clear_pointer(&followers->links.data, g_free);
}

void spt_followers_forget(SptFollowers *followers)
{
	memset(followers->first.data, 0, followers->first.n * sizeof(uint32_t));
	followers->first.n = followers->links.n = 1;
}

static struct link *links_of(const SptFollowers *followers)
{
	return (struct link *)followers->links.data;
}

/* The beginning of the list of @frame; NULL: there is none. */
static uint32_t *first_of(const SptFollowers *followers, uint32_t frame)
{
	return frame < followers->first.n ? spt_store_row(&followers->first, frame) : NULL;
}

uint32_t spt_followers_latest(const SptFollowers *followers, uint32_t frame)
{
	const uint32_t *first = first_of(followers, frame);

	return first ? links_of(followers)[*first].follower : 0;
}

unsigned spt_followers_find(const SptFollowers *followers, uint32_t frame, uint32_t follower)
{
	const struct link *links = links_of(followers);
	const uint32_t *first = first_of(followers, frame);
	uint32_t link = first ? *first : 0;

	for (unsigned place = 1; link != 0 && place <= SPT_MOST_FOLLOWERS;
	     place++, link = links[link].next)
		if (links[link].follower == follower)
			return place;
	return 0;
}

uint32_t spt_followers_take(SptFollowers *followers, uint32_t frame, unsigned place)
{
	struct link *links = links_of(followers);
	uint32_t *first = first_of(followers, frame), *at = first, link;

	if (!first)
		return 0;
	for (; place > 1 && *at != 0; place--)
		at = &links[*at].next;
	link = *at;
	if (link == 0)
		return 0;
	*at = links[link].next;
	links[link].next = *first;
	*first = link;
	return links[link].follower;
}

bool spt_followers_add(SptFollowers *followers, uint32_t frame, uint32_t follower, GError **error)
{
	uint64_t link = followers->links.n;
	uint32_t *first;

	if ((frame >= followers->first.clean &&
	     !spt_store_reserve(&followers->first, (uint64_t)frame + 1, error)) ||
	    (link >= followers->links.clean &&
	     !spt_store_reserve(&followers->links, link + 1, error)))
		return false;
	followers->first.n = MAX(followers->first.n, (uint64_t)frame + 1);
	followers->links.n++;
	first = first_of(followers, frame);
	links_of(followers)[link] = (struct link){ follower, *first };
	*first = (uint32_t)link;
	return true;
}

uint64_t spt_followers_bytes(const SptFollowers *followers)
{
	return spt_store_bytes(&followers->first) + spt_store_bytes(&followers->links);
}

uint64_t spt_followers_more_bytes(const SptFollowers *followers, uint64_t n, uint64_t n_frames)
{
	return spt_store_more_bytes(&followers->first, n_frames) +
	       spt_store_more_bytes(&followers->links, followers->links.n + n);
}
