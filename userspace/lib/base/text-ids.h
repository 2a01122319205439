/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table from texts to numbers that does not keep the texts: 24 bytes and two slots for each,
 * however long they are.  Two hashes of 61 bits say which text it is, with keys of the process,
 * so that a file cannot choose texts that are taken for each other.
 */
#ifndef SPT_TEXT_IDS_H
#define SPT_TEXT_IDS_H

#include "base/pairs.h"

/* Begins zeroed. */
struct spt_text_ids {
	struct spt_pairs pairs;
};

/*
 * A pointer to the number of @text, which is added as UINT32_MAX if it is not in the table.  Valid
 * until another text is added.
 */
uint32_t *spt_text_ids_at(struct spt_text_ids *ids, const char *text);
uint64_t spt_text_ids_count(const struct spt_text_ids *ids);
void spt_text_ids_clear(struct spt_text_ids *ids);

#endif
