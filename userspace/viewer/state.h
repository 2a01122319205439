/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state that the next window restores: sizes, the view, how to record.  A small file below the
 * user's configuration.
 */
#ifndef SPT_STATE_H
#define SPT_STATE_H

/* @otherwise: the first value. */
int spt_state_get(const char *key, int otherwise);
/* Writes it at once, if it has changed; failures do no harm. */
void spt_state_set(const char *key, int value);

/* The same for text and for lists of texts.  Any thread may read; the caller frees the result. */
char *spt_state_get_text(const char *key, const char *otherwise);
void spt_state_set_text(const char *key, const char *value);
/* Never NULL. */
char **spt_state_get_list(const char *key);
void spt_state_set_list(const char *key, const char *const *values);

#endif
