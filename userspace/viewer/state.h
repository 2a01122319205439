/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the next window finds as it was left: sizes, the view, how to record.  A small file below
 * the user's configuration.
 */
#ifndef SPT_STATE_H
#define SPT_STATE_H

/* @otherwise: what it is the first time. */
int spt_state_get(const char *key, int otherwise);
/* Written at once, if it is another one; that this fails is no harm. */
void spt_state_set(const char *key, int value);

/*
 * The same for text and for lists of texts.  Reading is for any thread; what is returned is to be
 * freed.
 */
char *spt_state_get_text(const char *key, const char *otherwise);
void spt_state_set_text(const char *key, const char *value);
/* Never NULL. */
char **spt_state_get_list(const char *key);
void spt_state_set_list(const char *key, const char *const *values);

#endif
