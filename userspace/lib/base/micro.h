/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Microseconds as people write them: with the Greek letter, where the locale has it. */
#ifndef SPT_MICRO_H
#define SPT_MICRO_H

#include <glib.h>

G_BEGIN_DECLS

/* "µs", or "us" in a locale of another encoding than UTF-8. */
const char *spt_micro_unit(void);
/* @text, in which " us" is a unit: "1 to 10 us".  To be freed. */
char *spt_micro_text(const char *text);

G_END_DECLS

#endif
