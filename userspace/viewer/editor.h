/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens a file of source at a line, in an editor of the user's. */
#ifndef SPT_EDITOR_H
#define SPT_EDITOR_H

#include <gio/gio.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * $VISUAL or $EDITOR if that is an editor with a window, at @line; else the desktop's editor of
 * plain texts, which gets no line.  False, with a sentence in @error: there is none, or it does not
 * start.  What the file is called decides nothing: its name may come from a stranger's recording.
 */
bool spt_editor_open(const char *path, uint32_t line, GError **error);

#endif
