/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that say how stacks are shown: --hide, --merge, --root-at, --fold-recursion. */
#ifndef SPT_REPORT_SHAPE_H
#define SPT_REPORT_SHAPE_H

#include "profile/shape.h"

/* As they were given, and what they mean; zero it to begin. */
struct spt_shape_options {
	char *hide, *root_at;
	char **merge;
	gboolean folds_recursion;
	SptPattern *hidden, *root;
	GPtrArray *merged;		/* SptPattern */
	SptShape shape;			/* after spt_shape_options_parse() */
};

/* Appends the options to @entries (GOptionEntry). */
void spt_shape_options_add(struct spt_shape_options *options, GArray *entries);
void spt_shape_options_clear(struct spt_shape_options *options);
/* False: complained, return SPT_EXIT_USAGE. */
bool spt_shape_options_parse(struct spt_shape_options *options);
/* @profile as the options want it: *@profile is replaced. */
void spt_shape_options_apply(const struct spt_shape_options *options, SptProfile **profile);

#endif
